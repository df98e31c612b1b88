#pragma once
// Runs the arks tool in a process of its own.
#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace arks::testing {

struct ToolResult {
  int exit_code = -1;  // −1: ended by a signal
  std::string out, err;
};

/// The program itself while it runs, for tests that send it signals.
class Tool {
 public:
  enum class Start { kProgram, kCopy };
  Tool(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
       const std::map<std::string, std::string>& environment = {}, Start start = Start::kProgram);
  void send(int signal) const;
  ToolResult wait();

 private:
  std::filesystem::path out_, err_;
  pid_t process_;
};

/// The program with these arguments, run in `folder`, for what asks where it lies: searches and figures start it again.
ToolResult arks_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                        const std::map<std::string, std::string>& environment = {});

/// The same as a copy of the test, which has libtorch loaded: the program spends most of a second on that.
ToolResult arks_tool(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                     const std::map<std::string, std::string>& environment = {});

/// `text` so often, with the separator between: one value for each of many features.
std::string repeated(const std::string& text, size_t times, const std::string& separator);

}  // namespace arks::testing
