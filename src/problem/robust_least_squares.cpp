#include <arks/problem/robust_least_squares.h>

#include "data/embedded.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <cmath>

namespace arks {

namespace {

torch::Tensor stacked(const torch::Tensor& nominal, const std::vector<torch::Tensor>& directions) {
  ARKS_CHECK(nominal.defined() && nominal.dim() == 2 && nominal.numel() > 0,
             "robust least squares: the nominal matrix must have shape [rows, columns]");
  ARKS_CHECK(!directions.empty(), "robust least squares: at least one uncertain direction is needed, got none");
  std::vector<torch::Tensor> all{nominal.detach().to(torch::kDouble)};
  for (const auto& direction : directions) {
    ARKS_CHECK(direction.sizes() == nominal.sizes(), "robust least squares: every direction must have the shape ",
               nominal.sizes(), " of the nominal matrix, got ", direction.sizes());
    all.push_back(direction.detach().to(torch::kDouble));
  }
  return torch::stack(all);
}

/// E[zzᵀ] of z = (1, ξ) when ξ is uniform on [−h,h]^k.
torch::Tensor uniform_moments(double half_width, int64_t directions) {
  ARKS_CHECK(std::isfinite(half_width) && half_width >= 0,
             "robust least squares: half_width must be finite and not negative, got ", half_width);
  auto diagonal = torch::full({directions + 1}, half_width * half_width / 3, torch::kDouble);
  diagonal[0] = 1;
  return diagonal.diag();
}

/// min over t > 0 of t + Σ h_i²/(t + gap_i), convex in t; gaps are ≥ 0 and one of them is 0.
double smallest_dual(const torch::Tensor& slopes, const torch::Tensor& gaps) {
  const auto squares = slopes * slopes;
  // the root of Σ h²/(t+gap)² = 1 lies where one term alone could reach 1 and where all of them together cannot
  double low = (slopes.abs() - gaps).max().clamp_min(0).item<double>(), high = slopes.norm().item<double>();
  for (int halving = 0; halving < 200; ++halving) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    const bool rising = (squares / (middle + gaps).pow(2)).sum().item<double>() <= 1;
    (rising ? high : low) = middle;
  }
  const auto terms = torch::where(squares > 0, squares / (high + gaps), squares);  // 0/0 where nothing pulls
  return high + terms.sum().item<double>();
}

/// The matrix of that name in a file whose lines are `matrix,row,entries…`, or comments with #.
torch::Tensor built_in_matrix(std::string_view file, const std::string& name) {
  std::vector<torch::Tensor> rows;
  for (const auto& line : split(std::string(embedded_file(file)), '\n')) {
    const auto cells = split(line, ',');
    if (cells.size() < 3 || cells[0] != name) continue;
    std::vector<double> entries;
    for (size_t i = 2; i < cells.size(); ++i) entries.push_back(parse_number(cells[i], name));
    rows.push_back(torch::tensor(entries, torch::kDouble));
  }
  return torch::stack(rows);
}

}  // namespace

RobustLeastSquares::RobustLeastSquares(torch::Tensor nominal, const std::vector<torch::Tensor>& directions,
                                       torch::Tensor target)
    : matrices_(stacked(nominal, directions)), target_(std::move(target)) {
  ARKS_CHECK(target_.defined() && target_.dim() == 1 && target_.size(0) == num_rows(),
             "robust least squares: the target must have shape [", num_rows(), "], one value per row");
  target_ = target_.detach().to(torch::kDouble);
  ARKS_CHECK(matrices_.isfinite().all().item<bool>() && target_.isfinite().all().item<bool>(),
             "robust least squares: matrices and target must be finite");
  theta_ = torch::zeros({num_columns()}, torch::kDouble).set_requires_grad(true);
}

RobustLeastSquares RobustLeastSquares::boyd_vandenberghe_6_15() {
  constexpr const char* kFile = "robust_least_squares_6_15.csv";
  constexpr int64_t kRows = 10;
  const auto first_rows = [](const char* name) { return built_in_matrix(kFile, name).narrow(0, 0, kRows); };
  return {first_rows("A0"), {first_rows("A1")}, first_rows("b").flatten()};
}

RobustLeastSquares RobustLeastSquares::boyd_vandenberghe_6_16() {
  constexpr const char* kFile = "robust_least_squares_6_16.csv";
  return {built_in_matrix(kFile, "A0"),
          {built_in_matrix(kFile, "A1"), built_in_matrix(kFile, "A2")},
          built_in_matrix(kFile, "b").flatten()};
}

torch::Tensor RobustLeastSquares::per_sample_loss(const torch::Tensor& u, const torch::Tensor& /*y*/) {
  ARKS_CHECK(u.dim() == 2 && u.size(1) == num_directions() && u.scalar_type() == torch::kDouble,
             "robust least squares: u must be float64 of shape [n, ", num_directions(), "], got ", u.scalar_type(), " ",
             u.sizes());
  const auto products = matrices_.matmul(theta_);  // [k+1,m]
  const auto residuals = torch::addmm(products[0] - target_, u, products.narrow(0, 1, num_directions()));
  return residuals.pow(2).sum(1);
}

torch::Tensor RobustLeastSquares::checked(const torch::Tensor& theta) const {
  ARKS_CHECK(theta.defined() && theta.dim() == 1 && theta.size(0) == num_columns(),
             "robust least squares: theta must have shape [", num_columns(), "]");
  return theta.detach().to(torch::kDouble);
}

void RobustLeastSquares::set_theta(const torch::Tensor& theta) {
  const auto values = checked(theta);
  torch::NoGradGuard no_grad;
  theta_.copy_(values);
}

/// argmin_θ E‖Σ_j z_j A_j θ − z_0 b‖² for E[zzᵀ] = FFᵀ: the least squares of the k+1 blocks Σ_j F_ji (A_jθ, b).
torch::Tensor RobustLeastSquares::solution_for(const torch::Tensor& moments) const {
  // not the normal equations, which square the condition number; not Cholesky, which needs more than one sample
  const auto [values, vectors] = torch::linalg_eigh(moments);
  const auto factor = (vectors * values.clamp_min(0).sqrt()).t();  // [k+1 blocks, k+1 matrices]
  const auto blocks = factor.matmul(matrices_.flatten(1)).reshape({-1, num_columns()});
  const auto targets = torch::outer(factor.select(1, 0), target_).reshape({-1, 1});
  const auto solution = torch::linalg_lstsq(blocks, targets, /*rcond=*/c10::nullopt, "gelsd");
  return std::get<0>(solution).squeeze(1);
}

torch::Tensor RobustLeastSquares::erm_solution(const torch::Tensor& xi) const {
  ARKS_CHECK(xi.defined() && xi.dim() == 2 && xi.size(1) == num_directions() && xi.size(0) > 0,
             "robust least squares: the samples must have shape [n, ", num_directions(), "] with n > 0");
  const auto samples = xi.detach().to(torch::kDouble);
  const auto z = torch::cat({torch::ones({samples.size(0), 1}, torch::kDouble), samples}, 1);
  return solution_for(z.t().matmul(z) / static_cast<double>(z.size(0)));
}

torch::Tensor RobustLeastSquares::population_solution(double half_width) const {
  return solution_for(uniform_moments(half_width, num_directions()));
}

double RobustLeastSquares::expected_loss(const torch::Tensor& theta, double half_width) const {
  const auto moments = uniform_moments(half_width, num_directions()).diagonal();
  auto parts = matrices_.matmul(checked(theta));
  parts[0] -= target_;
  return (moments * parts.pow(2).sum(1)).sum().item<double>();
}

/// l = ξᵀGξ + 2gᵀξ + ‖r‖² with G = DDᵀ, g = Dr, D = (A_kθ), r = A₀θ − b. A convex quadratic over a ball is one of the
/// few that are not convex to maximise and yet have no duality gap: max = ‖r‖² + min_{λ≥λmax(G)} λ + gᵀ(λI−G)⁻¹g.
double RobustLeastSquares::worst_loss(const torch::Tensor& theta) const {
  const auto products = matrices_.matmul(checked(theta));
  const auto residual = products[0] - target_;
  const auto moving = products.narrow(0, 1, num_directions());
  const auto [values, vectors] = torch::linalg_eigh(moving.matmul(moving.t()));
  const auto slopes = vectors.t().matmul(moving.matmul(residual));
  const auto largest = values[-1];
  return (residual.dot(residual) + largest).item<double>() + smallest_dual(slopes, largest - values);
}

}  // namespace arks
