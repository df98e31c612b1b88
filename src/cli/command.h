#pragma once
// A subcommand of the tool: it adds its settings, and runs.
#include "cli/command_line.h"

#include <memory>

namespace arks::cli {

/// The configuration in a report.
using ConfigRows = std::vector<std::pair<std::string, ConfigValue>>;
/// Adds what is in force in the groups; a name that stands there already is not said twice.
void add_in_force(ConfigRows& rows, const std::vector<const SettingGroup*>& groups);

enum ExitCode { kDone = 0, kFailed = 1, kBadUsage = 2 };

class Command {
 public:
  virtual ~Command() = default;
  /// Values that stand below those of the command line: what a --config or --resume brings.
  virtual Given inherited();
  /// The file that they come from; empty where there is none.
  virtual std::string inherited_from() const;
  /// Takes what is inherited, then what was given.
  void take_settings();
  /// Fills in the defaults as they are for what was given, so that --help can show them.
  virtual void fill_defaults() = 0;
  /// Fills in as a run does. Throws Error for settings that do not go together, as far as that can be known before
  /// anything is read: searches and experiments ask for it before they start.
  virtual void check_together() { fill_defaults(); }
  virtual int run() = 0;
  const Flags& flags() const { return flags_; }

 protected:
  explicit Command(Flags flags) : flags_(std::move(flags)) {}
  void say(const std::string& line) const;
  /// What the command reads: these arguments, the paths among its settings, and the data that runs among them name, as
  /// far as an output could replace them. For check_outputs.
  std::vector<std::string> files_read(std::vector<std::string> arguments) const;
  /// Whether a file that it writes is there already.
  bool may_replace() const;
  /// With -v, of a command that computes with no model itself: what the engine has to do with it.
  void say_of_engine(const std::string& sentence) const;
  Flags flags_;
  CommonSettings common_;
};

// one line for each subcommand
std::unique_ptr<Command> make_train_command(CommandLine& line);
std::unique_ptr<Command> make_evaluate_command(CommandLine& line);
std::unique_ptr<Command> make_predict_command(CommandLine& line);
std::unique_ptr<Command> make_certify_command(CommandLine& line);
std::unique_ptr<Command> make_reproduce_command(CommandLine& line);
std::unique_ptr<Command> make_sweep_command(CommandLine& line);
std::unique_ptr<Command> make_export_command(CommandLine& line);
std::unique_ptr<Command> make_data_command(CommandLine& line);
std::unique_ptr<Command> make_completion_command(CommandLine& line);
std::unique_ptr<Command> make_manual_command(CommandLine& line);

/// All of them, in the order of the help.
std::vector<std::unique_ptr<Command>> make_commands(CommandLine& line);
/// What --help says of each, as data, with the usual defaults: manual page, completion and the docs are made of it.
std::vector<CommandDescription> describe_commands();

}  // namespace arks::cli
