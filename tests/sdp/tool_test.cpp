// arks-sdp run as a program.
#include "sdp/solver.h"
#include "support/file.h"
#include "support/testing.h"

#include <sys/wait.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>

namespace arks {

class SdpTool : public testing::WithSdpComponent {
 protected:
  struct Result {
    int exit_code = -1;
    std::string out, err;
  };

  /// The text handed over as a file, or as standard input.
  Result run(const std::string& text, bool as_file = true) const {
    std::ofstream(folder_ / "in") << text;
    const std::string input = (folder_ / "in").string(), out = (folder_ / "out").string(),
                      err = (folder_ / "err").string();
    const std::string command =
        c10::str("'", testing::kSdpProgram, "' ", as_file ? "" : "< ", "'", input, "' > '", out, "' 2> '", err, "'");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
  }

  void expect_refused(const std::string& text, const std::string& part) const {
    const auto result = run(text);
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_EQ(result.out, "") << text;
    EXPECT_NE(result.err.find(part), std::string::npos) << "'" << result.err << "' does not hold '" << part << "'";
  }

 private:
  testing::TemporaryFolder folder_;
};

// min x subject to [x 1; 1 x] ⪰ 0 and x ≥ 2, the second as a diagonal block
constexpr const char* kProgram =
    "\"a comment\n* another\n1\n2\n{2, -1}\n(1)\n0 1 1 2 -1\n1 1 1 1 1\n1 1 2 2 1\n1 2 1 1 1\n0 2 1 1 2\n";

TEST_F(SdpTool, AnswersInOneJsonDocument) {
  for (const bool as_file : {true, false}) {
    const auto result = run(kProgram, as_file);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto answer = nlohmann::json::parse(result.out);
    EXPECT_NEAR(answer.at("x").at(0).get<double>(), 2, 1e-5);
    EXPECT_NEAR(answer.at("objective").get<double>(), 2, 1e-5);
    EXPECT_NEAR(answer.at("dual_objective").get<double>(), 2, 1e-5);
    EXPECT_LT(answer.at("primal_error").get<double>(), 1e-7);
    EXPECT_LT(answer.at("dual_error").get<double>(), 1e-7);
  }
}

TEST_F(SdpTool, RefusesWhatIsNoProgram) {
  expect_refused("", "the number of variables expected, but the input ends");
  expect_refused("hello", "the number of variables expected, got 'hello'");
  expect_refused("0\n1\n1\n", "the number of variables must be a whole number from 1");
  expect_refused("1.5\n1\n1\n", "the number of variables must be a whole number");
  expect_refused("2\n1\n2\n1 nan\n", "a coefficient of the objective expected, got 'nan'");
  expect_refused("1\n1\n0\n1\n", "the size of a block must not be 0");
  expect_refused("1\n1\n1000000000\n1\n", "the size of a block must be a whole number");
}

TEST_F(SdpTool, RefusesEntriesThatDoNotFit) {
  const std::string head = "1\n2\n2 -2\n1\n";
  expect_refused(head + "2 1 1 1 1\n", "the matrix of an entry must be a whole number from 0 to 1");
  expect_refused(head + "1 3 1 1 1\n", "the block of an entry must be a whole number from 1 to 2");
  expect_refused(head + "1 1 3 3 1\n", "the row of an entry must be a whole number from 1 to 2");
  expect_refused(head + "1 1 2 1 1\n", "the column of an entry must be a whole number from 2 to 2");
  expect_refused(head + "1 2 1 2 1\n", "the column of an entry must be a whole number from 1 to 1");
  expect_refused(head + "1 1 1 1 1e999\n", "the value of an entry expected, got '1e999'");
  expect_refused(head + "1 1 1 1\n", "the value of an entry expected, but the input ends");
}

TEST_F(SdpTool, SaysWhichFileItCannotRead) {
  const std::string command = c10::str("'", testing::kSdpProgram, "' /nonexistent 2> /dev/null");
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2);
}

}  // namespace arks
