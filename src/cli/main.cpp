#include "cli/command.h"

#include <arks/support/error.h>
#include <arks/support/file.h>
#include <arks/support/text.h>
#include <arks/version.h>

#include <iostream>

namespace arks::cli {

Arguments Command::inherited(const Arguments& given) const {
  const auto file = find_value(given, "--config");
  return file ? toml_as_arguments(read_file(*file), *file, *app_) : Arguments{};
}

namespace {

/// An error is one line, whatever came from below.
int complain(const std::string& message, int code) {
  std::cerr << "arks: " << message.substr(0, message.find('\n')) << "\n";
  return code;
}

Command* find_command(std::vector<std::unique_ptr<Command>>& commands, const std::string& name) {
  std::vector<std::string> names;
  for (auto& command : commands) {
    if (command->app().get_name() == name) return command.get();
    names.push_back(command->app().get_name());
  }
  throw Error("unknown command '" + name + "'" + did_you_mean(name, names) + "; known: " + join(names));
}

int run(const Arguments& arguments) {
  CLI::App root(
      "Train models that keep working when the data shift, attack them, and compare.\n"
      "arks COMMAND --help explains each command.",
      "arks");
  root.set_version_flag("--version", std::string("arks ") + kVersion + " (libtorch " TORCH_VERSION ")",
                        "print the version");
  root.require_subcommand(1);
  root.get_formatter()->column_width(30);
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_train_command(root));
  commands.push_back(make_evaluate_command(root));
  commands.push_back(make_data_command(root));
  root.footer("Example:\n  arks data list");

  Arguments all = arguments;
  Command* command = nullptr;
  if (!arguments.empty() && arguments[0][0] != '-') {
    command = find_command(commands, arguments[0]);
    const Arguments given(arguments.begin() + 1, arguments.end());
    refuse_unknown_flags(command->app(), given);
    const auto inherited = command->inherited(given);
    all.insert(all.begin() + 1, inherited.begin(), inherited.end());
  }
  try {
    root.parse(Arguments(all.rbegin(), all.rend()));  // CLI11 takes them last first
  } catch (const CLI::Success& success) {             // --help, --version
    return root.exit(success);
  } catch (const CLI::ParseError& error) {
    return complain(error.what(), kBadUsage);
  }
  return command->run();
}

}  // namespace

}  // namespace arks::cli

int main(int argc, char** argv) {
  using namespace arks::cli;
  try {
    return run(Arguments(argv + 1, argv + argc));
  } catch (const arks::Error& error) {
    return complain(error.what(), kBadUsage);
  } catch (const c10::Error& error) {
    return complain(error.what_without_backtrace(), kFailed);
  } catch (const std::exception& error) {
    return complain(error.what(), kFailed);
  }
}
