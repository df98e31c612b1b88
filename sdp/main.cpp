// arks-sdp: solves one semidefinite program with SDPA.
//   arks-sdp [FILE]      reads SDPA's sparse format from FILE or stdin, prints one JSON document
// min cᵀx  subject to  Σ_i x_i F_i − F_0 ⪰ 0.
// A program of its own because SDPA is under the GPL (version 2 or later): linked with it, this one is too, and the
// arks library, which only starts it and reads what it prints, is not.
// The answer: status (optimal; feasible; or SDPA's word for what went wrong), iterations, objective, dual_objective,
// primal_error, dual_error, x; every number with all its digits.
// Exit codes: 0 an answer was printed, 2 the input cannot be used, 1 anything else.
#include <sdpa_call.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>

#include "sparse_format.h"

namespace {

void give(SDPA& solver, const arks_sdp::Program& program) {
  solver.inputConstraintNumber(static_cast<int>(program.objective.size()));
  solver.inputBlockNumber(static_cast<int>(program.blocks.size()));
  for (size_t l = 0; l < program.blocks.size(); ++l) {
    const int size = program.blocks[l];
    solver.inputBlockSize(static_cast<int>(l + 1), std::abs(size));
    solver.inputBlockType(static_cast<int>(l + 1), size < 0 ? SDPA::LP : SDPA::SDP);
  }
  solver.initializeUpperTriangleSpace();
  for (size_t k = 0; k < program.objective.size(); ++k) {
    solver.inputCVec(static_cast<int>(k + 1), program.objective[k]);
  }
  for (const auto& entry : program.entries) {
    solver.inputElement(entry.matrix, entry.block, entry.row, entry.column, entry.value);
  }
  solver.initializeUpperTriangle();
  solver.initializeSolve();
}

/// "optimal", "feasible" when it stopped on the way there, else SDPA's own word.
std::string status(SDPA& solver) {
  if (solver.getPhaseValue() == SDPA::pdOPT) return "optimal";
  if (solver.getPhaseValue() == SDPA::pdFEAS) return "feasible";
  char phase[32] = "";
  solver.getPhaseString(phase);
  std::string word = phase;
  return word.erase(word.find_last_not_of(' ') + 1);
}

void print(FILE* out, SDPA& solver) {
  std::fprintf(out, "{\"status\": \"%s\", \"iterations\": %d", status(solver).c_str(), solver.getIteration());
  const auto number = [&](const char* name, double value) {
    if (std::isfinite(value)) std::fprintf(out, ", \"%s\": %.17g", name, value);  // JSON knows no infinity
  };
  number("objective", solver.getPrimalObj());
  number("dual_objective", solver.getDualObj());
  number("primal_error", solver.getPrimalError());
  number("dual_error", solver.getDualError());
  std::fprintf(out, ", \"x\": [");
  const double* x = solver.getResultXVec();
  for (int i = 0; i < solver.getConstraintNumber(); ++i) std::fprintf(out, "%s%.17g", i == 0 ? "" : ", ", x[i]);
  std::fprintf(out, "]}\n");
}

int run(int argc, char** argv) {
  if (argc > 2) throw arks_sdp::BadInput("arks-sdp takes one file, or reads standard input");
  std::ifstream file;
  if (argc == 2) {
    file.open(argv[1]);
    if (!file) throw arks_sdp::BadInput(std::string("cannot read ") + argv[1]);
  }
  const auto program = arks_sdp::read_program(argc == 2 ? file : std::cin);

  // the solver's own messages, which it prints whether asked or not, must not mix with the answer
  FILE* const out = ::fdopen(::dup(STDOUT_FILENO), "w");
  if (out == nullptr || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) throw std::runtime_error("no standard output");
  SDPA solver;
  solver.setDisplay(nullptr);
  solver.setParameterType(SDPA::PARAMETER_DEFAULT);
  solver.setParameterEpsilonStar(1e-9);  // as far as it goes; the caller looks at the gap
  solver.setNumThreads(1);
  give(solver, program);
  solver.solve();
  print(out, solver);
  const bool written = std::fclose(out) == 0;
  solver.terminate();
  return written ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const arks_sdp::BadInput& error) {
    std::cerr << "error: " << error.what() << "\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
  }
}
