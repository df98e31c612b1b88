#pragma once
// Runs the arks tool as a user would: as a program.
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

/// A running arks, for tests that send it signals.
class Tool {
 public:
  Tool(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
       const std::map<std::string, std::string>& environment = {});
  void send(int signal) const;
  ToolResult wait();

 private:
  std::filesystem::path out_, err_;
  pid_t process_;
};

/// arks with these arguments, run in `folder`.
ToolResult arks_tool(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                     const std::map<std::string, std::string>& environment = {});

/// `text` so often, with the separator between: one value for each of many features.
std::string repeated(const std::string& text, size_t times, const std::string& separator);

}  // namespace arks::testing
