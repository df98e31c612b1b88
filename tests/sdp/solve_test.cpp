#include "sdp/semidefinite_program.h"
#include "sdp/solver.h"
#include "support/file.h"
#include "support/testing.h"

#include <cmath>
#include <fstream>

namespace arks {

using testing::expect_error;
using testing::expect_run_error;
using testing::SdpProgram;
using testing::TemporaryFolder;

namespace fs = std::filesystem;

namespace {

/// min x  subject to  [x 1; 1 x] ⪰ 0: x = 1.
SemidefiniteProgram simple_program() {
  SemidefiniteProgram program({1}, {2});
  program.set_coefficient(0, 0, 0, 0, 1);
  program.set_coefficient(0, 0, 1, 1, 1);
  program.set_constant(0, 0, 1, -1);
  return program;
}

/// A program that is not the solver.
std::string fake_solver(const TemporaryFolder& folder, const std::string& body) {
  const auto path = folder / "solver";
  std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
  fs::permissions(path, fs::perms::owner_all);
  return path.string();
}

void expect_failure(const std::string& body, const std::string& part) {
  const TemporaryFolder folder;
  const SdpProgram fake(fake_solver(folder, body));
  expect_run_error([] { solve(simple_program()); }, part);
}

}  // namespace

class SemidefiniteSolver : public testing::WithSdpComponent {};

TEST_F(SemidefiniteSolver, SolvesAProgramThatCanBeSolvedByHand) {
  const auto solution = solve(simple_program());
  ASSERT_EQ(solution.x.size(), 1u);
  EXPECT_NEAR(solution.x[0], 1, 1e-6);
  EXPECT_NEAR(solution.objective, 1, 1e-6);
  EXPECT_LE(solution.dual_objective, solution.objective);
  EXPECT_GT(solution.iterations, 0);
}

TEST_F(SemidefiniteSolver, FindsTheLargestEigenvalueOverSeveralBlocks) {
  // min x subject to xI − M ⪰ 0 and x ≥ 2.5; M = [2 1; 1 2] has the eigenvalues 1 and 3
  SemidefiniteProgram program({1}, {2, 1});
  for (int64_t i = 0; i < 2; ++i) {
    program.set_coefficient(0, 0, i, i, 1);
    program.set_constant(0, i, i, 2);
  }
  program.set_constant(0, 0, 1, 1);
  program.set_coefficient(0, 1, 0, 0, 1);
  program.set_constant(1, 0, 0, 2.5);
  EXPECT_NEAR(solve(program).x[0], 3, 3e-6);
  program.set_constant(1, 0, 0, 3.5);
  EXPECT_NEAR(solve(program).x[0], 3.5, 3.5e-6);
}

TEST_F(SemidefiniteSolver, SaysWhenThereIsNoFeasiblePoint) {
  // x ≥ 1 and −x ≥ 0
  SemidefiniteProgram program({1}, {1, 1});
  program.set_coefficient(0, 0, 0, 0, 1);
  program.set_constant(0, 0, 0, 1);
  program.set_coefficient(0, 1, 0, 0, -1);
  expect_run_error([&] { solve(program); }, "found no optimum");
}

TEST_F(SemidefiniteSolver, SaysWhenTheObjectiveHasNoLowerBound) {
  SemidefiniteProgram program({-1}, {1});
  program.set_coefficient(0, 0, 0, 0, 1);
  expect_run_error([&] { solve(program); }, "found no optimum");
}

TEST(SemidefiniteSolverAbsent, SaysWhatBringsIt) {
  const SdpProgram none("/nonexistent");
  expect_error([] { solve(simple_program()); }, "the SDP component is missing: /nonexistent cannot be run");
  expect_error([] { solve(simple_program()); }, "libsdpa-dev and libmumps-seq-dev");
}

TEST(SemidefiniteSolverAbsent, IsAFileThatCannotBeRun) {
  const TemporaryFolder folder;
  std::ofstream(folder / "plain") << "text";
  const SdpProgram none((folder / "plain").string());
  expect_error([] { solve(simple_program()); }, "the SDP component is missing");
}

TEST(SemidefiniteSolverFailure, IsACrash) {
  expect_failure("kill -SEGV $$", "was ended by signal 11");
}

TEST(SemidefiniteSolverFailure, IsACodeWithItsReason) {
  expect_failure("echo 'error: no memory' >&2; echo more >&2; exit 3", "failed with code 3: error: no memory");
}

TEST(SemidefiniteSolverFailure, IsGarbage) {
  expect_failure("printf 'hello\\001\\nworld'", "printed no answer but 'hello?'");
  expect_failure("true", "printed no answer but ''");
  expect_failure("echo '[1, 2]'", "printed no answer but '[1, 2]'");
  expect_failure("echo '{\"status\": 3}'", "printed no answer");
}

TEST(SemidefiniteSolverFailure, IsAnAnswerWithPartsMissing) {
  expect_failure("echo '{\"status\": \"optimal\", \"x\": [1]}'", "parts missing");
  expect_failure(
      "echo '{\"status\": \"optimal\", \"objective\": 1, \"dual_objective\": 1, \"iterations\": 2, \"x\": [1, 2]}'",
      "parts missing");
  expect_failure(
      "echo '{\"status\": \"optimal\", \"objective\": \"1\", \"dual_objective\": 1, \"iterations\": 2, \"x\": [1]}'",
      "parts missing");
}

TEST(SemidefiniteSolverFailure, IsAGapThatStaysOpen) {
  expect_failure(
      "echo '{\"status\": \"feasible\", \"objective\": 1, \"dual_objective\": 0.9, \"iterations\": 2, \"x\": [1]}'",
      "after 2 iterations objective and bound still differ by 0.1");
  expect_failure("echo '{\"status\": \"pINF_dFEAS\"}'", "found no optimum: it ended as pINF_dFEAS");
}

TEST(SemidefiniteSolverStandIn, GetsTheProgramAsAFile) {
  const TemporaryFolder folder;
  const auto copy = (folder / "copy").string();
  const SdpProgram fake(fake_solver(
      folder, "cp \"$1\" '" + copy +
                  "'; echo '{\"status\": \"optimal\", \"objective\": 1, \"dual_objective\": 1, \"iterations\": 2, "
                  "\"x\": [0.5]}'"));
  EXPECT_EQ(solve(simple_program()).x[0], 0.5);
  EXPECT_EQ(read_file(copy), simple_program().sparse_format());
}

}  // namespace arks
