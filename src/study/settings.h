#pragma once
// The TOML of an experiment or a search. What nobody reads is a mistake of whoever wrote it, so the settings remember
// what was asked for.
#include "settings/toml_file.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace arks::study {

/// The flags of a command of the tool, without dashes.
struct CommandFlags {
  std::vector<std::string> names;
  std::map<std::string, std::string> refused;  ///< those that a search or an experiment may not give, and why
  std::map<std::string, PathRule> paths{};     ///< those whose values are paths

  /// The value of a flag in a file of this folder, as it is typed from anywhere: paths begin at the root.
  std::string typed(const std::string& flag, const std::string& value, const std::filesystem::path& folder) const;
};
using KnownFlags = std::map<std::string, CommandFlags>;

/// What the commands take where nothing is given.
struct StepDefaults {
  std::string data, method;  ///< of arks train
  std::string attack;        ///< of arks evaluate
};

/// Throws Error for a key that is no flag of the command, with the nearest one, or that a file may not give. `table` is
/// where it stands in the file, such as " in [train]".
void check_key(const std::string& key, const std::string& file, const std::string& table, const std::string& command,
               const KnownFlags& known);

/// Flags and their values as text; sorted, so that the same settings make the same command.
using FlagValues = std::map<std::string, std::string>;

/// Throws Error when a command does not take these flags.
using FlagCheck = std::function<void(const std::string& command, const FlagValues& flags)>;

/// "--name=value" for each.
std::vector<std::string> as_arguments(const FlagValues& flags);

/// The value of this flag; without one `otherwise`.
std::string value_or(const FlagValues& flags, const std::string& name, const std::string& otherwise);

/// `over` wins.
FlagValues merged(FlagValues base, const FlagValues& over);

/// A table of a TOML file. Errors name the file, the table and the key.
class Settings {
 public:
  /// `what` is the file, for errors. Throws Error with the line for text that is no TOML.
  static Settings parse(const std::string& toml, const std::string& what);

  /// These settings with those of `over` in place of their own; tables are merged, lists are replaced.
  Settings overlaid(const Settings& over) const;
  /// Without this key.
  Settings without(const std::string& key) const;

  bool has(const std::string& key) const;
  std::vector<std::string> keys() const;

  /// A value of that kind; the first form throws Error when it is missing.
  std::string text(const std::string& key) const;
  std::string text(const std::string& key, const std::string& fallback) const;
  double number(const std::string& key) const;
  int64_t whole(const std::string& key) const;
  bool yes(const std::string& key, bool fallback) const;
  /// A list, or one value in its place.
  std::vector<double> numbers(const std::string& key) const;
  std::vector<int64_t> whole_numbers(const std::string& key) const;
  std::vector<std::string> texts(const std::string& key) const;
  /// Empty when the key is missing.
  Settings table(const std::string& key) const;
  std::vector<Settings> tables(const std::string& key) const;

  /// Every key that was not read so far as a flag of `command`. Throws Error for one that it does not have, naming the
  /// nearest, and for one that is not for a file to give.
  FlagValues flags(const std::string& command, const KnownFlags& known) const;

  /// Throws Error naming the first key that nobody has read, here or in a table inside.
  void refuse_unread() const;

  /// The table itself, for readers of their own.
  const toml::table& values() const;

  /// "experiments/x.toml, [train]"
  const std::string& what() const;

 private:
  struct Node;
  explicit Settings(std::shared_ptr<Node> node) : node_(std::move(node)) {}
  std::string where(const std::string& key) const;

  std::shared_ptr<Node> node_;
};

}  // namespace arks::study
