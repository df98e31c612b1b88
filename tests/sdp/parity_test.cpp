// solve_worst_case beside CVXOPT, which tests/parity/robust_least_squares.py asks.
#include "sdp/solver.h"
#include "sdp/worst_case.h"
#include "support/file.h"
#include "support/testing.h"

#include <nlohmann/json.hpp>

namespace arks {

class SdpParity : public testing::WithSdpComponent {
 protected:
  static void compare(const RobustLeastSquares& problem, const char* figure) {
    const std::filesystem::path file = std::filesystem::path(ARKS_PARITY_FOLDER) / "robust_least_squares.json";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "SKIPPED: no reference (apt install python3-cvxopt)";
    const auto reference = nlohmann::json::parse(read_file(file)).at(figure);
    const auto solution = solve_worst_case(problem);
    EXPECT_NEAR(solution.value, reference.at("value").get<double>(), 1e-5);
    const auto theta = torch::tensor(reference.at("theta").get<std::vector<double>>(), torch::kDouble);
    EXPECT_LT(testing::max_difference(solution.theta, theta), 1e-3);  // the optimum is flat
    EXPECT_NEAR(problem.worst_loss(theta), reference.at("value").get<double>(), 1e-6);
  }
};

TEST_F(SdpParity, OfFigure615) {
  compare(RobustLeastSquares::boyd_vandenberghe_6_15(), "6.15");
}

TEST_F(SdpParity, OfFigure616) {
  compare(RobustLeastSquares::boyd_vandenberghe_6_16(), "6.16");
}

}  // namespace arks
