#pragma once
// A subcommand of the tool: it adds its flags, and runs.
#include "cli/command_line.h"

#include <memory>

namespace arks::cli {

enum ExitCode { kDone = 0, kFailed = 1, kBadUsage = 2 };

class Command {
 public:
  virtual ~Command() = default;
  /// Arguments to put in front of the user's, who therefore win: what a --config or --resume brings.
  virtual Arguments inherited(const Arguments& given) const;
  virtual int run() = 0;
  const Flags& flags() const { return flags_; }

 protected:
  explicit Command(Flags flags) : flags_(std::move(flags)) {}
  Flags flags_;
  CommonOptions common_;
};

// one line for each subcommand
std::unique_ptr<Command> make_train_command(CommandLine& line);
std::unique_ptr<Command> make_evaluate_command(CommandLine& line);
std::unique_ptr<Command> make_certify_command(CommandLine& line);
std::unique_ptr<Command> make_reproduce_command(CommandLine& line);
std::unique_ptr<Command> make_sweep_command(CommandLine& line);
std::unique_ptr<Command> make_export_command(CommandLine& line);
std::unique_ptr<Command> make_data_command(CommandLine& line);
std::unique_ptr<Command> make_completion_command(CommandLine& line);
std::unique_ptr<Command> make_manual_command(CommandLine& line);

}  // namespace arks::cli
