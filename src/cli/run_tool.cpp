#include "cli/run_tool.h"

#include "cli/command.h"
#include "cli/interrupt.h"
#include "support/file.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <arks/version.h>
#include <torch/version.h>

#include <algorithm>
#include <iostream>

namespace arks::cli {

namespace {

/// An error is one line, whatever came from below.
int complain(const std::string& message, int code) {
  std::cerr << "arks: " << message.substr(0, message.find('\n')) << "\n";
  return code;
}

std::vector<std::string> names_of(const std::vector<std::unique_ptr<Command>>& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command->flags().command());
  return names;
}

Command& find_command(const std::vector<std::unique_ptr<Command>>& commands, const std::string& name) {
  const auto names = names_of(commands);
  for (const auto& command : commands) {
    if (command->flags().command() == name) return *command;
  }
  throw Error("unknown command '" + name + "'" + did_you_mean(name, names) + "; known: " + join(names));
}

/// The values of these settings, as far as they can be taken: they decide which defaults --help shows.
void take_for_help(Command& command, const Arguments& arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    const auto& argument = arguments[i];
    const auto equals = argument.find('=');
    const bool next = equals == std::string::npos && i + 1 < arguments.size();
    if (argument.rfind("--", 0) != 0 || (equals == std::string::npos && !next)) continue;
    try {
      command.flags().take(argument.substr(2, equals == std::string::npos ? equals : equals - 2),
                           next ? arguments[i + 1] : argument.substr(equals + 1));
    } catch (const Error&) {
      continue;  // help comes, whatever else is wrong
    }
  }
}

int run(Arguments arguments) {
  CommandLine line(
      "Train models that keep working when the data shift, attack them, and compare.\n"
      "arks COMMAND --help explains each command.",
      std::string("arks ") + kVersion + " (libtorch " TORCH_VERSION ")", "arks data list");
  const auto commands = make_commands(line);
  if (arguments.empty()) throw Error("a command is needed: " + join(names_of(commands)) + "; arks --help explains");
  if (arguments[0] == "help") {  // as other tools have it: help, help COMMAND
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  const bool general = arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "--version";
  if (general) {
    line.parse(arguments);
    return kDone;
  }
  auto& command = find_command(commands, arguments[0]);
  const auto asks_for_help = [](const std::string& argument) { return argument == "--help" || argument == "-h"; };
  if (std::any_of(arguments.begin(), arguments.end(), asks_for_help)) {
    take_for_help(command, arguments);
    command.fill_defaults();
    command.flags().show_defaults();
    line.parse({arguments[0], "--help"});
    return kDone;
  }
  command.flags().refuse_unknown(Arguments(arguments.begin() + 1, arguments.end()));
  line.parse(arguments);
  command.take_settings();
  return command.run();
}

}  // namespace

int run_tool(int argc, char** argv) {
  end_with_parent_if_asked();
  try {
    return run(Arguments(argv + 1, argv + argc));
  } catch (const Error& error) {
    return complain(error.what(), kBadUsage);
  } catch (const c10::Error& error) {
    return complain(error.what_without_backtrace(), kFailed);
  } catch (const std::exception& error) {
    return complain(error.what(), kFailed);
  }
}

}  // namespace arks::cli
