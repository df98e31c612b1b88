#include "sdp/semidefinite_program.h"
#include "support/child_process.h"
#include "support/file.h"
#include "support/json_text.h"

#include <arks/support/error.h>
#include <sys/wait.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

namespace arks {

namespace fs = std::filesystem;

namespace {

constexpr const char* kProgram = "arks-sdp";
constexpr double kTolerance = 1e-6;  // SDPA in double precision stalls at a few 1e-7

/// What to start: a path, or a bare name for PATH.
std::string solver_program() {
  const char* const given = std::getenv("ARKS_SDP");
  if (given != nullptr && *given != '\0') return given;
  std::error_code error;
  const auto beside = fs::read_symlink("/proc/self/exe", error).parent_path() / kProgram;
  return !error && fs::exists(beside, error) ? beside.string() : kProgram;
}

/// The first line of a text, fit to be part of a message.
std::string first_line(const std::string& text) {
  constexpr size_t kLongest = 80;
  std::string line;
  for (const char c : text.substr(0, text.find('\n'))) line += c >= ' ' && c <= '~' ? c : '?';
  return line.size() > kLongest ? line.substr(0, kLongest) + "..." : line;
}

void check_end(const std::string& program, const ChildEnd& end, const std::string& messages) {
  ARKS_CHECK(end.start_error != ENOENT && end.start_error != EACCES && end.start_error != ENOTDIR,
             "the SDP component is missing: ", program, " cannot be run (", std::strerror(end.start_error),
             "); install the Debian packages libsdpa-dev and libmumps-seq-dev and build arks again, or name the program"
             " in ARKS_SDP");
  ARKS_CHECK(end.start_error == 0, "cannot start ", program, ": ", std::strerror(end.start_error));
  if (WIFSIGNALED(end.status)) {
    throw RunError(
        c10::str(program, " was ended by signal ", WTERMSIG(end.status), " (", strsignal(WTERMSIG(end.status)), ")"));
  }
  if (!end.succeeded()) {
    throw RunError(c10::str(program, " failed with code ", WEXITSTATUS(end.status), ": ", first_line(messages)));
  }
}

/// The answer, or nothing when the text is no answer to a program of n variables.
std::optional<SemidefiniteSolution> parse_solution(const nlohmann::ordered_json& answer, int64_t n) {
  SemidefiniteSolution solution;
  try {
    answer.at("objective").get_to(solution.objective);
    answer.at("dual_objective").get_to(solution.dual_objective);
    answer.at("iterations").get_to(solution.iterations);
    answer.at("x").get_to(solution.x);
  } catch (const nlohmann::ordered_json::exception&) {
    return std::nullopt;
  }
  if (static_cast<int64_t>(solution.x.size()) != n) return std::nullopt;
  return solution;
}

}  // namespace

SemidefiniteSolution solve(const SemidefiniteProgram& program) {
  const std::string solver = solver_program();
  const ScratchFolder scratch("sdp");
  const auto input = scratch / "program.dat-s", output = scratch / "answer", messages = scratch / "messages";
  write_file_atomically(input, program.sparse_format());
  const auto end = run_child({solver, input.string()}, output, messages);
  std::error_code ignored;
  check_end(solver, end, fs::exists(messages, ignored) ? read_file(messages) : "");

  const std::string text = read_file(output);
  const auto answer = try_parse_json(text);
  const std::string status = answer.is_object() && answer.contains("status") && answer["status"].is_string()
                                 ? answer["status"].get<std::string>()
                                 : "";
  if (status.empty()) throw RunError(c10::str(solver, " printed no answer but '", first_line(text), "'"));
  if (status != "feasible" && status != "optimal") {
    throw RunError(c10::str(solver, " found no optimum: it ended as ", first_line(status)));
  }
  const auto solution = parse_solution(answer, program.num_variables());
  if (!solution) throw RunError(c10::str(solver, " printed an answer with parts missing: '", first_line(text), "'"));
  const double gap =
      std::abs(solution->objective - solution->dual_objective) / std::max(1.0, std::abs(solution->objective));
  if (!(gap <= kTolerance)) {
    throw RunError(c10::str(solver, " found no optimum: after ", solution->iterations,
                            " iterations objective and bound still differ by ", gap, ", ", kTolerance, " is needed"));
  }
  return *solution;
}

}  // namespace arks
