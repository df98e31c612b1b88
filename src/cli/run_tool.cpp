#include "cli/run_tool.h"

#include "cli/command.h"
#include "support/complaint.h"
#include "support/interrupt.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <arks/version.h>
#include <torch/version.h>

#include <algorithm>
#include <cstdio>
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
  return *commands[place_of(name, names_of(commands), "command")];
}

/// --help, -help, or -h, also among other switches: -vh.
bool asks_for_help(const std::string& argument) {
  constexpr const char* kShortSwitches = "vh";
  if (argument.rfind("--", 0) == 0) return argument.substr(0, argument.find('=')) == "--help";
  if (argument == "-help") return true;
  return argument.size() > 1 && argument[0] == '-' && argument.find('h') != std::string::npos &&
         argument.find_first_not_of(kShortSwitches, 1) == std::string::npos;
}

/// Lets the flags have what these arguments give, whatever else is wrong with them.
void take_beside_help(const Flags& flags, const Arguments& arguments) {
  Given given;
  Arguments words;  // without a flag
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i].rfind('-', 0) != 0) words.push_back(arguments[i]);
    if (arguments[i].rfind("--", 0) != 0) continue;
    const auto equals = arguments[i].find('=');
    const auto name = arguments[i].substr(0, equals).substr(2);
    const auto* setting = flags.find(name);
    if (setting == nullptr) {
      const auto* negated = name.rfind("no-", 0) == 0 ? flags.find(name.substr(3)) : nullptr;
      if (negated != nullptr && negated->negatable()) given.emplace_back(negated->name(), "false");
    } else if (equals != std::string::npos) {
      given.emplace_back(name, arguments[i].substr(equals + 1));
    } else if (setting->type().empty()) {
      given.emplace_back(name, "true");
    } else if (i + 1 < arguments.size() && !asks_for_help(arguments[i + 1])) {
      given.emplace_back(name, arguments[++i]);
    }
  }
  flags.assume(std::move(given), words);
}

/// Takes the settings beside --help as far as they can be taken, and puts the defaults that go with them into it.
void prepare_help(Command& command, const Arguments& arguments) {
  const auto& flags = command.flags();
  const auto try_to = [](const auto& action) {
    try {
      action();
    } catch (const Error&) {  // help comes, whatever else is wrong
    }
  };
  take_beside_help(flags, arguments);
  Given inherited;
  try_to([&] { inherited = command.inherited(); });
  for (const auto& values : {inherited, flags.given()}) {  // flags win
    for (const auto& one : values) try_to([&] { flags.take(one.first, one.second); });
  }
  try_to([&] { command.fill_defaults(); });
  flags.show_defaults();
}

int run(Arguments arguments) {
  CommandLine line(
      "Train models that keep working when the data shift, attack them, and compare.\n"
      "arks COMMAND --help explains each command.",
      std::string("arks ") + kVersion + " (libtorch " TORCH_VERSION ")", "arks data list");
  const auto commands = make_commands(line);
  if (arguments.empty()) throw Error("a command is needed: " + join(names_of(commands)) + "; see arks --help");
  if (arguments[0] == "help" || asks_for_help(arguments[0])) {  // as other tools have it: help, help COMMAND
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  if (arguments[0].rfind('-', 0) == 0) {
    place_of(arguments[0], {"--help", "--version"}, "flag");
    line.parse({arguments[0]});
    return kDone;
  }
  auto& command = find_command(commands, arguments[0]);
  if (std::any_of(arguments.begin(), arguments.end(), asks_for_help)) {
    prepare_help(command, arguments);
    line.parse({arguments[0], "--help"});
    return kDone;
  }
  command.flags().refuse_unknown(Arguments(arguments.begin() + 1, arguments.end()));
  if (!line.parse(arguments)) return kDone;
  command.flags().refuse_repeated();
  command.take_settings();
  return command.run();
}

int run_or_complain(const Arguments& arguments) {
  try {
    return run(arguments);
  } catch (const Error& error) {
    return complain(error.what(), kBadUsage);
  } catch (const c10::Error& error) {
    return complain(complaint_of(error), kFailed);
  } catch (const std::exception& error) {
    return complain(error.what(), kFailed);
  }
}

}  // namespace

int run_tool(int argc, char** argv) {
  end_with_parent_if_asked();
  const int code = run_or_complain(Arguments(argv + 1, argv + argc));
  const bool written = std::cout.flush() && std::fflush(stdout) == 0;
  return written || code != kDone ? code : complain("cannot write to standard output", kFailed);
}

}  // namespace arks::cli
