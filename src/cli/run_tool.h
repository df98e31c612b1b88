#pragma once

namespace arks::cli {

/// The tool: runs the command that the arguments name and returns its exit code (see ExitCode). An error is one line on
/// standard error. What was printed is written when it returns.
int run_tool(int argc, char** argv);

}  // namespace arks::cli
