#include "cli/tool.h"

#include "cli/run_tool.h"
#include "support/file.h"

#include <ATen/Parallel.h>
#include <arks/support/error.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

namespace arks::testing {

namespace fs = std::filesystem;

namespace {

std::string scratch_file() {
  std::string pattern = (fs::temp_directory_path() / "arks-tool-XXXXXX").string();
  const int descriptor = ::mkstemp(pattern.data());
  if (descriptor < 0) throw RunError("no temporary file");
  ::close(descriptor);
  return pattern;
}

void redirect(const fs::path& file, int target) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_TRUNC);
  ::dup2(descriptor, target);
}

/// As main does, but without the end of a program: what the test has registered for its own end is not for the copy.
[[noreturn]] void run_copy(std::vector<char*>& argv) {
  at::set_num_threads(1);  // threads of the test do not live in its copy
  ::_exit(cli::run_tool(static_cast<int>(argv.size()) - 1, argv.data()));
}

}  // namespace

Tool::Tool(const std::vector<std::string>& arguments, const fs::path& folder,
           const std::map<std::string, std::string>& environment, Start start)
    : out_(scratch_file()), err_(scratch_file()) {
  std::cout.flush();  // else the copy would write it too
  std::fflush(nullptr);
  process_ = ::fork();
  if (process_ != 0) return;
  redirect(out_, STDOUT_FILENO);
  redirect(err_, STDERR_FILENO);
  // small work; two threads on a busy machine wait for each other most of the time
  ::setenv("OMP_NUM_THREADS", "1", 1);
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv{const_cast<char*>("arks")};
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  if (::chdir(folder.c_str()) != 0) ::_exit(127);
  if (start == Start::kCopy) run_copy(argv);
  ::execv(ARKS_TOOL, argv.data());
  ::_exit(127);
}

void Tool::send(int signal) const {
  ::kill(process_, signal);
}

ToolResult Tool::wait() {
  int status = 0;
  ::waitpid(process_, &status, 0);
  ToolResult result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out_), read_file(err_)};
  fs::remove(out_);
  fs::remove(err_);
  return result;
}

ToolResult arks_program(const std::vector<std::string>& arguments, const fs::path& folder,
                        const std::map<std::string, std::string>& environment) {
  return Tool(arguments, folder, environment).wait();
}

ToolResult arks_tool(const std::vector<std::string>& arguments, const fs::path& folder,
                     const std::map<std::string, std::string>& environment) {
  return Tool(arguments, folder, environment, Tool::Start::kCopy).wait();
}

std::string repeated(const std::string& text, size_t times, const std::string& separator) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += (i == 0 ? "" : separator) + text;
  return all;
}

}  // namespace arks::testing
