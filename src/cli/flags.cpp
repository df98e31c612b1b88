#include "cli/flags.h"

#include "support/text.h"

#include <arks/support/error.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <sstream>

namespace arks::cli {

/// A flag and the setting behind it; of a choice the one that is declared by whatever is chosen.
struct BoundFlag {
  std::string title, name;
  AnySetting* setting = nullptr;  // null: ask the choice
  AnyChoice* choice = nullptr;
  CLI::Option* option = nullptr;

  const AnySetting& declaration() const {
    if (setting != nullptr) return *setting;
    for (const auto& [heading, declared] : choice->declared()) {
      if (declared->name() == name) return *declared;
    }
    throw Error("no setting is called " + name);
  }

  std::vector<Meaning> meanings() const {
    if (choice != nullptr) return choice->meanings(name);
    return {{{}, setting->help(), setting->unit()}};
  }

  /// Its meanings, mostly one; where only few of the things to choose from have it, with their names before it. With
  /// `units` it says what is counted, where the sentence does not name it anyway as in "samples per step".
  std::vector<std::string> help(bool units) const {
    const auto of_many = [](const Meaning& meaning) { return meaning.users.size() > 3; };
    auto all = meanings();
    std::stable_partition(all.begin(), all.end(), of_many);
    std::vector<std::string> parts;
    for (const auto& [users, help, unit] : all) {
      const bool few = !users.empty() && users.size() <= 3, says_unit = units && help.find(unit) == std::string::npos;
      parts.push_back((few ? join(users) + ": " : "") + help + (says_unit ? " (" + unit + ")" : ""));
    }
    return parts;
  }

  std::string unit() const {
    std::vector<std::string> units;
    for (const auto& meaning : meanings()) {
      const bool known = std::find(units.begin(), units.end(), meaning.unit) != units.end();
      if (!known && !meaning.unit.empty()) units.push_back(meaning.unit);
    }
    return join(units, " or ");
  }

  /// In force when nothing else is given; empty where there is none, and where what is chosen has no such setting.
  std::string default_text() const {
    if (choice != nullptr && !choice->uses(name)) return "";
    const auto& declared = declaration();
    if (!declared.has_value() || !declared.applies()) return declared.default_words();
    if (!declared.type().empty()) return declared.text();
    if (!declared.negatable()) return "";  // off, as every switch
    return declared.text() == "true" ? "yes" : "no";
  }
};

/// An argument without a flag, and the words that it can be.
struct BoundArgument {
  CLI::Option* option = nullptr;
  std::string help;
  std::function<void(const std::string&)> give;
  std::vector<std::string> words;
  bool is_path = false;
};

/// "what is minimised: erm | arks"
std::string with_words(const std::string& help, const std::vector<std::string>& words) {
  return help + (help.empty() || words.empty() ? "" : ": ") + join(words, " | ");
}

struct Flags::State {
  CLI::App* app = nullptr;
  std::vector<BoundFlag> flags;
  std::vector<BoundArgument> arguments;
  Given given;
};

Flags::Flags(CLI::App* app) : state_(std::make_shared<State>()) {
  state_->app = app;
}

void Flags::bind(const std::string& title, const AnySetting& setting, AnyChoice* choice) {
  const auto name = setting.name(), flag = setting.flag();
  auto& app = *state_->app;
  auto* given = &state_->given;
  auto names = (setting.short_flag().empty() ? "" : setting.short_flag() + ",") + flag;
  CLI::Option* option = nullptr;
  if (setting.type().empty()) {
    if (setting.negatable()) names += ",!--no-" + name;
    option = app.add_flag_function(
        names, [given, name](int64_t count) { given->emplace_back(name, count > 0 ? "true" : "false"); }, "");
  } else {
    option = app.add_option_function<std::string>(
        names,
        [given, name, flag](const std::string& text) {
          // a flag behind this one was meant as a flag
          ARKS_CHECK(!text.empty() && text.rfind("--", 0) != 0, flag, ": a value is missing");
          given->emplace_back(name, text);
        },
        "");
    option->type_name(setting.type());
  }
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->group(title);
  auto* own = choice == nullptr ? const_cast<AnySetting*>(&setting) : nullptr;
  state_->flags.push_back({title, name, own, choice, option});
}

void Flags::add(SettingGroup& group) {
  for (auto* setting : group.own()) bind(group.title(), *setting, nullptr);
  for (auto* child : group.children()) add(*child);
}

void Flags::add(SettingGroup& group, const std::vector<std::string>& names) {
  for (const auto& name : names) bind(group.title(), *group.find(name), nullptr);
}

void Flags::add(AnyChoice& choice) {
  for (const auto& [title, setting] : choice.declared()) bind(title, *setting, &choice);
}

void Flags::argument(const std::string& name, std::string& value, const std::string& help, bool required,
                     std::vector<std::string> words, bool is_path) {
  auto* option = state_->app->add_option(name, value, with_words(help, words));
  option->required(required)->type_name("");
  const auto give = [&value](const std::string& word) { value = word; };
  state_->arguments.push_back({option, help, give, std::move(words), is_path});
}

void Flags::arguments(const std::string& name, std::vector<std::string>& values, const std::string& help,
                      bool required) {
  auto* option = state_->app->add_option(name, values, help);
  option->required(required)->type_name("");
  state_->arguments.push_back({option, help, [&values](const std::string& word) { values.push_back(word); }, {}});
}

std::string Flags::command() const {
  return state_->app->get_name();
}

std::vector<std::string> Flags::names() const {
  std::vector<std::string> names;
  for (const auto& flag : state_->flags) names.push_back(flag.name);
  return names;
}

const AnySetting* Flags::find(const std::string& name) const {
  for (const auto& flag : state_->flags) {
    if (flag.name == name) return &flag.declaration();
  }
  return nullptr;
}

void Flags::refuse_unknown(const Arguments& arguments) const {
  for (const auto& argument : arguments) {
    if (argument.rfind("--", 0) != 0) continue;
    const auto flag = argument.substr(0, argument.find('='));
    if (state_->app->get_option_no_throw(flag) == nullptr) {
      const auto nearest = nearest_name(flag.substr(2), names());  // without the dashes, which would count as right
      throw Error("unknown flag '" + flag + "'" + (nearest.empty() ? "" : " (did you mean '--" + nearest + "'?)") +
                  "; see arks " + command() + " --help");
    }
    // the parser would take the next argument instead
    ARKS_CHECK(argument != flag + "=", flag, ": a value is missing");
  }
}

namespace {

/// Whether it holds several things, so that two values may both be meant.
bool may_be_several(const AnySetting& setting) {
  const auto& type = setting.type();
  const bool of_field = setting.name() == "test-data" || setting.name() == "test-targets";  // several in evaluate
  return type == "LIST" || type == "TERMS" || type == "COLUMN" || of_field ||
         (setting.several_paths() && !setting.is_output());
}

}  // namespace

void Flags::refuse_repeated() const {
  for (const auto& flag : state_->flags) {
    const auto& setting = flag.declaration();
    const auto& values = flag.option->results();
    if (!may_be_several(setting)) continue;
    for (size_t i = 1; i < values.size(); ++i) {
      ARKS_CHECK(values[i] == values[0], setting.flag(), " is given twice, as '", values[0], "' and '", values[i],
                 "'; give it once, with commas between what belongs together");
    }
  }
}

const Given& Flags::given() const {
  return state_->given;
}

std::string Flags::given(const std::string& name) const {
  std::string text;
  for (const auto& [given, value] : state_->given) {
    if (given == name) text = value;
  }
  return text;
}

void Flags::assume(Given given, const Arguments& arguments) const {
  state_->given = std::move(given);
  const auto& known = state_->arguments;
  for (size_t i = 0; i < arguments.size() && !known.empty(); ++i) {
    known[std::min(i, known.size() - 1)].give(arguments[i]);
  }
}

void Flags::take(const std::string& name, const std::string& text) const {
  for (const auto& flag : state_->flags) {
    if (flag.name != name) continue;
    if (flag.setting != nullptr) {
      flag.setting->take(text);
    } else {
      flag.choice->give(name, text);
    }
    return;
  }
  throw Error("no setting is called " + name);
}

namespace {

FlagDescription description_of(const CLI::Option& option) {
  FlagDescription description;
  for (const auto& name : option.get_snames()) description.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) description.names.push_back("--" + name);
  if (option.get_positional()) description.names.push_back(option.get_name(/*positional=*/true));
  if (option.get_items_expected_max() > 0) description.type = option.get_type_name();
  description.help = option.get_description();
  description.group = option.get_group();
  return description;
}

/// Puts the flags of a group together, the groups in the order in which they appear.
void sort_by_group(std::vector<FlagDescription>& flags) {
  std::vector<std::string> groups;
  const auto place = [&](const FlagDescription& flag) {
    return std::find(groups.begin(), groups.end(), flag.group) - groups.begin();
  };
  for (const auto& flag : flags) {
    if (place(flag) == static_cast<std::ptrdiff_t>(groups.size())) groups.push_back(flag.group);
  }
  std::stable_sort(flags.begin(), flags.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
}

}  // namespace

CommandDescription Flags::describe() const {
  const auto& app = *state_->app;
  CommandDescription command{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const auto& argument : state_->arguments) {
    auto description = description_of(*argument.option);
    description.help = argument.help;  // in --help the words stand there as well
    description.words = argument.words;
    description.is_path = argument.is_path;
    command.arguments.push_back(std::move(description));
  }
  for (const auto& flag : state_->flags) {
    auto description = description_of(*flag.option);
    const auto& setting = flag.declaration();
    description.setting = flag.name;
    description.help = join(flag.help(/*units=*/false), "; ");
    description.unit = flag.unit();
    description.words = setting.words();
    description.range = setting.range();
    description.is_path = setting.is_path();
    description.default_text = flag.default_text();
    command.flags.push_back(std::move(description));
  }
  sort_by_group(command.flags);
  auto help = description_of(*app.get_help_ptr());
  help.group = "";
  command.flags.insert(command.flags.begin(), std::move(help));
  return command;
}

constexpr size_t kTextColumn = 30, kPageWidth = 120;  // of help pages

/// All in one line where it fits; else a line for each meaning, and one for the words.
void Flags::show_defaults() const {
  for (const auto& flag : state_->flags) {
    auto lines = flag.help(/*units=*/true);
    const auto words = flag.declaration().words();
    const auto text = flag.default_text(), in_force = text.empty() ? "" : " [" + text + "]";
    auto entry = with_words(join(lines, "; "), words) + in_force;
    if (entry.size() > kPageWidth - kTextColumn) {
      lines.front() += in_force;
      if (!words.empty()) lines.push_back(join(words, " | "));
      entry = join(lines, "\n");
    }
    flag.option->description(entry);
  }
}

/// Pages that fit 120 columns, without CLI11's mark behind --no-NAME.
class PageFormatter : public CLI::Formatter {
 public:
  PageFormatter() { column_width(kTextColumn); }

  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    const std::string mark = "{false}";
    auto name = CLI::Formatter::make_option_name(option, is_positional);
    if (const auto at = name.find(mark); at != std::string::npos) name.erase(at, mark.size());
    return name;
  }

  /// In lines, which CLI11 puts below one another.
  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text;
    for (const auto& paragraph : split(option->get_description(), '\n')) {
      size_t width = 0;
      for (const auto& word : split(paragraph, ' ')) {
        const bool fits = width + 1 + word.size() <= kPageWidth - kTextColumn;
        text += (text.empty() ? "" : width > 0 && fits ? " " : "\n") + word;
        width = (width > 0 && fits ? width + 1 : 0) + word.size();
      }
    }
    return text;
  }
};

CommandLine::CommandLine(const std::string& about, const std::string& version, const std::string& example)
    : root_(std::make_unique<CLI::App>(about, "arks")) {
  root_->set_version_flag("--version", version, "print the version");
  root_->require_subcommand(1);
  root_->formatter(std::make_shared<PageFormatter>());
  root_->footer("Example:\n  " + example);
}

CommandLine::~CommandLine() = default;

Flags CommandLine::add_command(const std::string& name, const std::string& about, const std::string& footer) {
  auto* app = root_->add_subcommand(name, about);
  app->footer(footer);
  return Flags(app);
}

std::string CommandLine::about() const {
  return root_->get_description();
}

bool CommandLine::parse(const Arguments& arguments) {
  try {
    root_->parse(Arguments(arguments.rbegin(), arguments.rend()));  // CLI11 takes them last first
  } catch (const CLI::Success& asked_for_help) {
    std::ostringstream page;
    root_->exit(asked_for_help, page);
    std::cout << page.str();
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
