#include "cli/flags.h"

#include <arks/support/error.h>
#include <arks/support/text.h>

#include <CLI/CLI.hpp>
#include <limits>

namespace arks::cli {

namespace {

std::string long_name(const std::string& names) {
  return names.substr(names.rfind("--"));
}

/// `take` gets the value as it was written.
void add(CLI::App& app, const std::string& names, const std::string& help, const std::string& group,
         const std::string& type, const std::function<void(const std::string&)>& take) {
  app.add_option_function<std::string>(
         names,
         [names, take](const std::string& text) {
           // a flag behind this one was meant as a flag
           ARKS_CHECK(!text.empty() && text.rfind("--", 0) != 0, long_name(names), ": a value is missing");
           take(text);
         },
         help)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->group(group)
      ->type_name(type);
}

}  // namespace

void Flags::option(const std::string& names, std::string& value, const std::string& help, const std::string& type) {
  add(*app_, names, help, group_, type, [&value](const std::string& text) { value = text; });
}

void Flags::option(const std::string& names, std::optional<std::string>& value, const std::string& help,
                   const std::string& type) {
  add(*app_, names, help, group_, type, [&value](const std::string& text) { value = text; });
}

void Flags::option(const std::string& names, int64_t& value, const std::string& help) {
  add(*app_, names, help, group_, "N",
      [&value, names](const std::string& text) { value = parse_whole_number(text, long_name(names)); });
}

void Flags::option(const std::string& names, std::optional<int64_t>& value, const std::string& help) {
  add(*app_, names, help, group_, "N",
      [&value, names](const std::string& text) { value = parse_whole_number(text, long_name(names)); });
}

void Flags::option(const std::string& names, double& value, const std::string& help) {
  add(*app_, names, help, group_, "X",
      [&value, names](const std::string& text) { value = parse_number(text, long_name(names)); });
}

void Flags::option(const std::string& names, std::optional<double>& value, const std::string& help) {
  add(*app_, names, help, group_, "X",
      [&value, names](const std::string& text) { value = parse_number(text, long_name(names)); });
}

void Flags::number_or_infinity(const std::string& names, std::optional<double>& value, const std::string& help) {
  add(*app_, names, help, group_, "X|inf", [&value, names](const std::string& text) {
    value = text == "inf" ? std::numeric_limits<double>::infinity() : parse_number(text, long_name(names));
  });
}

void Flags::flag(const std::string& names, bool& value, const std::string& help) {
  app_->add_flag(names, value, help)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->group(group_);
}

void Flags::flag(const std::string& names, std::optional<bool>& value, const std::string& help) {
  app_->add_flag_function(
          names, [&value](int64_t count) { value = count > 0; }, help)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->group(group_);
}

void Flags::argument(const std::string& name, std::string& value, const std::string& help, bool required) {
  app_->add_option(name, value, help)->required(required)->type_name("");
}

void Flags::arguments(const std::string& name, std::vector<std::string>& values, const std::string& help,
                      bool required) {
  app_->add_option(name, values, help)->required(required)->type_name("");
}

std::string Flags::command() const {
  return app_->get_name();
}

bool Flags::has(const std::string& flag) const {
  return app_->get_option_no_throw(flag) != nullptr;
}

std::vector<std::string> Flags::names() const {
  std::vector<std::string> names;
  for (const auto* option : app_->get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> Flags::names_in(const std::string& title) const {
  std::vector<std::string> names;
  for (const auto* option : app_->get_options()) {
    if (option->get_group() != title) continue;
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

CommandLine::CommandLine(const std::string& about, const std::string& version, const std::string& example)
    : root_(std::make_unique<CLI::App>(about, "arks")) {
  root_->set_version_flag("--version", version, "print the version");
  root_->require_subcommand(1);
  root_->get_formatter()->column_width(30);
  root_->footer("Example:\n  " + example);
}

CommandLine::~CommandLine() = default;

Flags CommandLine::add_command(const std::string& name, const std::string& about, const std::string& footer) {
  auto* app = root_->add_subcommand(name, about);
  app->footer(footer);
  return Flags(app);
}

namespace {

FlagDescription describe(const CLI::Option& option) {
  FlagDescription description;
  for (const auto& name : option.get_snames()) description.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) description.names.push_back("--" + name);
  if (option.get_positional()) description.names.push_back(option.get_name(/*positional=*/true));
  if (option.get_items_expected_max() > 0) description.type = option.get_type_name();
  description.help = option.get_description();
  description.group = option.get_group();
  return description;
}

}  // namespace

std::vector<CommandDescription> CommandLine::describe() const {
  std::vector<CommandDescription> commands;
  for (const auto* app : root_->get_subcommands([](const CLI::App*) { return true; })) {
    CommandDescription command{app->get_name(), app->get_description(), app->get_footer(), {}, {}};
    for (const auto* option : app->get_options()) {
      auto& list = option->get_positional() ? command.arguments : command.flags;
      list.push_back(cli::describe(*option));
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

std::string CommandLine::about() const {
  return root_->get_description();
}

bool CommandLine::parse(const Arguments& arguments) {
  try {
    root_->parse(Arguments(arguments.rbegin(), arguments.rend()));  // CLI11 takes them last first
  } catch (const CLI::Success& asked_for_help) {
    root_->exit(asked_for_help);
    return false;
  } catch (const CLI::ExtrasError&) {
    const auto extra = root_->remaining(/*recurse=*/true);
    throw Error("unexpected argument '" + (extra.empty() ? "" : extra.front()) + "'; see arks " + arguments.front() +
                " --help");
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();
    throw Error(text.substr(0, text.find(':')) + ": a value is missing");
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + "; see arks " + arguments.front() + " --help");
  }
  return true;
}

}  // namespace arks::cli
