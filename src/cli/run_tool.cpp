#include "cli/run_tool.h"

#include "cli/command.h"
#include "cli/interrupt.h"

#include <arks/support/error.h>
#include <arks/support/file.h>
#include <arks/support/text.h>
#include <arks/version.h>
#include <torch/version.h>

#include <algorithm>
#include <iostream>

namespace arks::cli {

Arguments Command::inherited(const Arguments& given) const {
  const auto file = find_value(given, "--config");
  return file ? toml_as_arguments(read_file(*file), *file, flags_) : Arguments{};
}

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

int run(Arguments arguments) {
  CommandLine line(
      "Train models that keep working when the data shift, attack them, and compare.\n"
      "arks COMMAND --help explains each command.",
      std::string("arks ") + kVersion + " (libtorch " TORCH_VERSION ")", "arks data list");
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_train_command(line));
  commands.push_back(make_evaluate_command(line));
  commands.push_back(make_certify_command(line));
  commands.push_back(make_reproduce_command(line));
  commands.push_back(make_sweep_command(line));
  commands.push_back(make_export_command(line));
  commands.push_back(make_data_command(line));
  commands.push_back(make_completion_command(line));
  commands.push_back(make_manual_command(line));

  if (arguments.empty()) throw Error("a command is needed: " + join(names_of(commands)) + "; arks --help explains");
  if (arguments[0] == "help") {  // as other tools have it: help, help COMMAND
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  const bool general = arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "--version";
  Command* command = general ? nullptr : &find_command(commands, arguments[0]);
  const auto asks_for_help = [](const std::string& argument) { return argument == "--help" || argument == "-h"; };
  if (command != nullptr && std::any_of(arguments.begin(), arguments.end(), asks_for_help)) {
    arguments = {arguments[0], "--help"};  // whatever else is wrong
  } else if (command != nullptr) {
    const Arguments given(arguments.begin() + 1, arguments.end());
    refuse_unknown_flags(command->flags(), given);
    const auto inherited = command->inherited(given);
    arguments.insert(arguments.begin() + 1, inherited.begin(), inherited.end());
  }
  return line.parse(arguments) && command != nullptr ? command->run() : kDone;
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
