#include "cli/command.h"

#include "cli/load_run.h"
#include "support/file.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <iostream>

namespace arks::cli {

void add_in_force(ConfigRows& rows, const std::vector<const SettingGroup*>& groups) {
  for (const auto* group : groups) {
    for (const auto* setting : group->in_force()) {
      const auto same = [&](const auto& row) { return row.first == setting->name(); };
      if (std::none_of(rows.begin(), rows.end(), same)) rows.emplace_back(setting->name(), setting->value());
    }
  }
}

std::string Command::inherited_from() const {
  return flags_.given("config");
}

Given Command::inherited() {
  const auto file = inherited_from();
  return file.empty() ? Given{} : read_config(read_file(file), file, flags_);
}

void Command::take_settings() {
  for (const auto& [name, text] : inherited()) {
    try {
      flags_.take(name, text);
    } catch (const Error& error) {
      throw Error(inherited_from() + ": " + error.what());
    }
  }
  for (const auto& [name, text] : flags_.given()) flags_.take(name, text);
  common_.fill();
}

bool Command::may_replace() const {
  std::error_code ignored;
  for (const auto& name : flags_.names()) {
    const auto* setting = flags_.find(name);
    if (!setting->is_path() || !setting->is_output() || setting == &common_.config || !setting->has_value()) continue;
    for (const auto& file : split(setting->text(), ',')) {
      if (std::filesystem::is_regular_file(file, ignored)) return true;
    }
    if (std::filesystem::is_regular_file(setting->text(), ignored)) return true;
  }
  return false;
}

std::vector<std::string> Command::files_read(std::vector<std::string> arguments) const {
  for (const auto& name : flags_.names()) {
    const auto* setting = flags_.find(name);
    const bool read = setting->is_path() && !setting->is_output() && !setting->of_machine();
    if (read && setting->has_value()) arguments.push_back(setting->text());
  }
  arguments.push_back(common_.config.value_or(""));
  if (!may_replace()) return arguments;  // runs are not read for nothing: checkpoints may be large
  for (size_t i = 0, typed = arguments.size(); i < typed; ++i) {
    for (auto& data : data_named_by(arguments[i])) arguments.push_back(std::move(data));
  }
  return arguments;
}

void Command::say(const std::string& line) const {
  if (!*common_.quiet) std::cerr << line << "\n";
}

void Command::say_of_engine(const std::string& sentence) const {
  if (*common_.verbose) say("engine: " + sentence);
}

std::vector<std::unique_ptr<Command>> make_commands(CommandLine& line) {
  std::vector<std::unique_ptr<Command>> commands;
  for (const auto& make :
       {make_train_command, make_evaluate_command, make_predict_command, make_certify_command, make_reproduce_command,
        make_sweep_command, make_export_command, make_data_command, make_completion_command, make_manual_command}) {
    commands.push_back(make(line));
  }
  return commands;
}

std::vector<CommandDescription> describe_commands() {
  CommandLine line("", "", "");
  std::vector<CommandDescription> descriptions;
  for (const auto& command : make_commands(line)) {
    command->fill_defaults();
    descriptions.push_back(command->flags().describe());
  }
  return descriptions;
}

}  // namespace arks::cli
