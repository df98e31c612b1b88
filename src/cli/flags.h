#pragma once
// A command line: subcommands, their flags, --help. The only door to CLI11, whose header costs 10 s a file.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace arks::cli {

using Arguments = std::vector<std::string>;

/// A flag or an argument without one, as --help shows it.
struct FlagDescription {
  std::vector<std::string> names;  // "-v", "--verbose"; of an argument its name alone
  std::string type;                // of the value, "N", "FILE"; empty for one that takes none
  std::string help, group;
};

struct CommandDescription {
  std::string name, about, footer;
  std::vector<FlagDescription> arguments, flags;  // in the order of --help
};

/// The flags of one subcommand, each bound to the variable that takes its value.
class Flags {
 public:
  explicit Flags(CLI::App* app) : app_(app) {}

  /// The flags that follow stand under this heading in --help.
  void group(const std::string& title) { group_ = title; }

  /// "--name VALUE". The last mention counts, so that flags can stand on top of a configuration file. An empty value,
  /// or one that is no number where a number is wanted, is an Error.
  void option(const std::string& names, std::string& value, const std::string& help, const std::string& type = "NAME");
  void option(const std::string& names, std::optional<std::string>& value, const std::string& help,
              const std::string& type = "NAME");
  void option(const std::string& names, int64_t& value, const std::string& help);
  void option(const std::string& names, std::optional<int64_t>& value, const std::string& help);
  void option(const std::string& names, double& value, const std::string& help);
  void option(const std::string& names, std::optional<double>& value, const std::string& help);
  /// A number, or "inf".
  void number_or_infinity(const std::string& names, std::optional<double>& value, const std::string& help);
  void flag(const std::string& names, bool& value, const std::string& help);
  /// "--name,!--no-name": one says yes, the other no; neither leaves the value empty.
  void flag(const std::string& names, std::optional<bool>& value, const std::string& help);

  /// Arguments without a flag.
  void argument(const std::string& name, std::string& value, const std::string& help, bool required);
  void arguments(const std::string& name, std::vector<std::string>& values, const std::string& help, bool required);

  /// The name of the subcommand.
  std::string command() const;
  bool has(const std::string& flag) const;
  /// "--epochs", "--sigma", …
  std::vector<std::string> names() const;
  /// Those under this heading.
  std::vector<std::string> names_in(const std::string& title) const;

 private:
  CLI::App* app_;
  std::string group_ = "Options";
};

/// The program's subcommands.
class CommandLine {
 public:
  /// `about` and `example` stand above and below the list of subcommands.
  CommandLine(const std::string& about, const std::string& version, const std::string& example);
  ~CommandLine();

  Flags add_command(const std::string& name, const std::string& about, const std::string& footer);

  /// What --help says, as data: manual page and shell completion are made of it. The commands in the order in which
  /// they were added.
  std::vector<CommandDescription> describe() const;
  std::string about() const;

  /// Fills the variables bound to the flags. False when --help or --version was asked for and has been printed. Throws
  /// Error for anything wrong.
  bool parse(const Arguments& arguments);

 private:
  std::unique_ptr<CLI::App> root_;
};

}  // namespace arks::cli
