#pragma once
// The command line: subcommands, and the settings of each as flags. The only door to CLI11, whose header costs 10 s a
// file.
#include "settings/choice.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace arks::cli {

using Arguments = std::vector<std::string>;
/// Names of settings and the text that somebody wrote for them, in order.
using Given = std::vector<std::pair<std::string, std::string>>;

/// A flag or an argument without one, as --help shows it.
struct FlagDescription {
  std::string setting;             // its name, the key of a TOML file; empty for --help and for an argument
  std::vector<std::string> names;  // "-v", "--verbose"; of an argument its name alone
  std::string type;                // of the value, "N", "FILE"; empty for one that takes none
  std::string help, group;
  std::string unit, range;         // "epochs", "> 0"
  std::vector<std::string> words;  // that can be its value
  bool is_path = false;
  std::string default_text;  // in force when nothing else is given
};

struct CommandDescription {
  std::string name, about, footer;
  std::vector<FlagDescription> arguments, flags;  // in the order of --help
};

/// The flags of one subcommand: the settings it was given, whoever declares them. Copies share everything.
class Flags {
 public:
  explicit Flags(CLI::App* app);

  /// A flag for every setting of the group and of those within, under their titles.
  void add(SettingGroup& group);
  /// Of the group only those of these names.
  void add(SettingGroup& group, const std::vector<std::string>& names);
  /// A flag for everything that any of the things to choose from has.
  void add(AnyChoice& choice);

  /// Arguments without a flag; `words` are those it can be, or it is the path of a file.
  void argument(const std::string& name, std::string& value, const std::string& help, bool required,
                std::vector<std::string> words = {}, bool is_path = false);
  void arguments(const std::string& name, std::vector<std::string>& values, const std::string& help, bool required);

  /// The name of the subcommand.
  std::string command() const;
  /// The settings' names, without dashes.
  std::vector<std::string> names() const;
  /// Null when there is none of this name.
  const AnySetting* find(const std::string& name) const;
  /// Throws Error for a flag that the subcommand does not have, naming the nearest.
  void refuse_unknown(const Arguments& arguments) const;
  /// Throws Error for a list that was given twice with different values, of which the first would be lost: both may be
  /// meant. Of single values the last counts, as usual. After CommandLine::parse.
  void refuse_repeated() const;

  /// What stands on the command line; known after CommandLine::parse.
  const Given& given() const;
  /// The text given for one setting on the command line, the last one; empty when there is none.
  std::string given(const std::string& name) const;
  /// For --help: takes this for what stands on the command line.
  void assume(Given given, const Arguments& arguments) const;
  /// Takes a value for the setting of this name.
  void take(const std::string& name, const std::string& text) const;

  /// With the defaults that are in force now.
  CommandDescription describe() const;
  /// Puts them into --help.
  void show_defaults() const;

 private:
  struct State;
  void bind(const std::string& title, const AnySetting& setting, AnyChoice* choice);
  std::shared_ptr<State> state_;
};

/// The program's subcommands.
class CommandLine {
 public:
  /// `about` and `example` stand above and below the list of subcommands.
  CommandLine(const std::string& about, const std::string& version, const std::string& example);
  ~CommandLine();

  Flags add_command(const std::string& name, const std::string& about, const std::string& footer);

  std::string about() const;

  /// Notes what was given (Flags::given). False when --help or --version was asked for and has been printed. Throws
  /// Error for anything wrong.
  bool parse(const Arguments& arguments);

 private:
  std::unique_ptr<CLI::App> root_;
};

}  // namespace arks::cli
