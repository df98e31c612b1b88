#include "metric/transport.h"

#include "support/samples.h"

#include <arks/kernel/cost.h>
#include <arks/support/error.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace arks {

namespace {

/// Rows are assigned one after another. Each looks for the cheapest way to a free column at reduced costs, which are
/// not negative: cost − price of the row − price of the column.
class Assignment {
 public:
  explicit Assignment(const torch::Tensor& cost)
      : cost_(cost.detach().to(torch::kDouble).contiguous()),
        count_(cost.size(0)),
        row_price_(size()),
        column_price_(size()),
        row_of_(size(), -1) {}

  std::vector<int64_t> solve() {
    start();
    for (int64_t row = 0; row < count_; ++row) {
      if (!assigned_[static_cast<size_t>(row)]) augment(row);
    }
    std::vector<int64_t> column_of(size());
    for (int64_t column = 0; column < count_; ++column) column_of[static_cast<size_t>(row_of(column))] = column;
    return column_of;
  }

 private:
  size_t size() const { return static_cast<size_t>(count_); }
  const double* costs_of(int64_t row) const { return cost_.data_ptr<double>() + row * count_; }
  int64_t& row_of(int64_t column) { return row_of_[static_cast<size_t>(column)]; }

  /// Prices of columns and rows that leave no reduced cost negative, and the pairs that cost nothing under them.
  void start() {
    assigned_.assign(size(), false);
    std::fill(column_price_.begin(), column_price_.end(), std::numeric_limits<double>::infinity());
    for (int64_t row = 0; row < count_; ++row) {
      for (int64_t c = 0; c < count_; ++c) {
        column_price_[static_cast<size_t>(c)] = std::min(column_price_[static_cast<size_t>(c)], costs_of(row)[c]);
      }
    }
    for (int64_t row = 0; row < count_; ++row) {
      double least = std::numeric_limits<double>::infinity();
      int64_t best = 0;
      for (int64_t c = 0; c < count_; ++c) {
        const double reduced = costs_of(row)[c] - column_price_[static_cast<size_t>(c)];
        if (reduced < least) best = c, least = reduced;
      }
      row_price_[static_cast<size_t>(row)] = least;
      if (row_of(best) >= 0) continue;
      row_of(best) = row;
      assigned_[static_cast<size_t>(row)] = true;
    }
  }

  void augment(int64_t first) {
    std::vector<double> distance(size(), std::numeric_limits<double>::infinity());
    std::vector<int64_t> before(size(), -1);  // the row from which a column is reached
    std::vector<int64_t> open(size()), done;
    for (int64_t c = 0; c < count_; ++c) open[static_cast<size_t>(c)] = c;
    int64_t row = first, last = -1;
    double reached = 0;
    while (last < 0) {
      const auto* costs = costs_of(row);
      const double offset = reached - row_price_[static_cast<size_t>(row)];
      size_t nearest = 0;
      double least = std::numeric_limits<double>::infinity();
      for (size_t k = 0; k < open.size(); ++k) {
        const auto c = static_cast<size_t>(open[k]);
        const double through = offset + costs[c] - column_price_[c];
        if (through < distance[c]) {
          distance[c] = through;
          before[c] = row;
        }
        if (distance[c] < least) least = distance[c], nearest = k;
      }
      const int64_t column = open[nearest];
      open[nearest] = open.back();
      open.pop_back();
      reached = least;
      if (row_of(column) < 0) {
        last = column;
      } else {
        done.push_back(column);
        row = row_of(column);
      }
    }
    for (const auto column : done) {
      const double change = reached - distance[static_cast<size_t>(column)];
      column_price_[static_cast<size_t>(column)] -= change;
      row_price_[static_cast<size_t>(row_of(column))] += change;
    }
    row_price_[static_cast<size_t>(first)] += reached;
    for (int64_t column = last; column >= 0;) {
      const int64_t from = before[static_cast<size_t>(column)];
      int64_t next = -1;
      if (from != first) next = std::find(row_of_.begin(), row_of_.end(), from) - row_of_.begin();
      row_of(column) = from;
      column = next;
    }
    assigned_[static_cast<size_t>(first)] = true;
  }

  const torch::Tensor cost_;
  const int64_t count_;
  std::vector<double> row_price_, column_price_;
  std::vector<int64_t> row_of_;  // of each column; −1: free
  std::vector<bool> assigned_;
};

/// ∫ (F_x⁻¹ − F_z⁻¹)² of sorted values, over the merged steps of both.
double quantile_cost(const double* x, int64_t m, const double* z, int64_t n) {
  double cost = 0;
  int64_t i = 0, j = 0, at = 0;  // in units of 1/(m·n): exact
  while (i < m && j < n) {
    const int64_t next = std::min((i + 1) * n, (j + 1) * m);
    cost += static_cast<double>(next - at) * (x[i] - z[j]) * (x[i] - z[j]);
    at = next;
    if (at == (i + 1) * n) ++i;
    if (at == (j + 1) * m) ++j;
  }
  return cost / (static_cast<double>(m) * static_cast<double>(n));
}

torch::Tensor drawn(const torch::Tensor& samples, int64_t count, torch::Generator& generator) {
  return samples.index_select(0, random_order(samples.size(0), generator).narrow(0, 0, count));
}

/// marginal_costs between two samples from x, of its own size and of `count`: the mean of a few draws.
torch::Tensor resampled_costs(const torch::Tensor& x, int64_t count, torch::Generator& generator) {
  constexpr int64_t kResampled = 1 << 24, kMostDraws = 10;  // a few seconds
  const auto draws = std::clamp<int64_t>(kResampled / (x.numel() + 1), 1, kMostDraws);
  const auto draw = [&](int64_t size) {
    const auto numbers = torch::randint(x.size(0), {size}, generator, torch::TensorOptions().dtype(torch::kLong));
    return x.index_select(0, numbers);
  };
  auto sum = torch::zeros({rows(x).size(1)}, torch::kDouble);
  for (int64_t i = 0; i < draws; ++i) sum += marginal_costs(draw(x.size(0)), draw(count));
  return sum / static_cast<double>(draws);
}

/// (mean of x − mean of z)² of each input [d], less what it is expected to be where there is no difference.
torch::Tensor mean_costs(const torch::Tensor& x, const torch::Tensor& z) {
  const auto one = rows(x.to(torch::kDouble)), two = rows(z.to(torch::kDouble));
  const auto error = [](const torch::Tensor& side) {
    const auto count = static_cast<double>(side.size(0));
    return side.size(0) > 1 ? side.var(0) / count : torch::zeros({side.size(1)}, torch::kDouble);
  };
  return (one.mean(0) - two.mean(0)).square() - error(one) - error(two);
}

void check_alike(const torch::Tensor& x, const torch::Tensor& z) {
  ARKS_CHECK(x.dim() >= 1 && z.dim() >= 1 && x.sizes().slice(1) == z.sizes().slice(1),
             "transport: samples of both sides must have the same shape, got ", x.sizes(), " and ", z.sizes());
}

}  // namespace

std::vector<int64_t> solve_assignment(const torch::Tensor& cost) {
  ARKS_CHECK(cost.dim() == 2 && cost.size(0) == cost.size(1), "assignment: needs costs [n,n], got ", cost.sizes());
  ARKS_CHECK(cost.isfinite().all().item<bool>(), "assignment: a cost is not finite");
  return Assignment(cost).solve();
}

torch::Tensor assigned_costs(const torch::Tensor& x, const torch::Tensor& z) {
  check_alike(x, z);
  ARKS_CHECK(x.size(0) == z.size(0) && x.size(0) > 0, "transport: needs as many samples on both sides, got ", x.size(0),
             " and ", z.size(0));
  const auto cost = SquaredL2().pairwise(x.to(torch::kDouble), z.to(torch::kDouble));
  const auto columns = solve_assignment(cost);
  return cost.gather(1, torch::tensor(columns, torch::kLong).unsqueeze(1)).squeeze(1);
}

torch::Tensor marginal_costs(const torch::Tensor& x, const torch::Tensor& z) {
  check_alike(x, z);
  ARKS_CHECK(x.size(0) > 0 && z.size(0) > 0, "transport: needs samples on both sides");
  const auto sorted = [](const torch::Tensor& samples) {
    return std::get<0>(rows(samples.to(torch::kDouble)).t().contiguous().sort(1));
  };
  const auto one = sorted(x), two = sorted(z);
  auto costs = torch::empty({one.size(0)}, torch::kDouble);
  for (int64_t j = 0; j < one.size(0); ++j) {
    costs[j] = quantile_cost(one[j].data_ptr<double>(), one.size(1), two[j].data_ptr<double>(), two.size(1));
  }
  return costs;
}

double TransportEstimate::at_most() const {
  return std::max(upper, lower);
}

double TransportEstimate::length() const {
  const double alone = std::max(lower * lower - lower_sampling * lower_sampling, mean_shift * mean_shift);
  const double together = upper * upper - sampling * sampling;
  return std::sqrt(together > alone + 2 * error ? together : alone);
}

TransportEstimate estimate_transport(const torch::Tensor& x, const torch::Tensor& z, int64_t most,
                                     torch::Generator& generator) {
  ARKS_CHECK(x.size(0) >= 2 && z.size(0) >= 1, "transport: needs at least 2 and 1 samples, got ", x.size(0), " and ",
             z.size(0));
  TransportEstimate estimate;
  const auto of_inputs = marginal_costs(x, z), of_parts = resampled_costs(x, z.size(0), generator);
  estimate.lower = std::sqrt(of_inputs.sum().item<double>());
  estimate.lower_sampling = std::sqrt(of_parts.sum().item<double>());
  const auto of_means = mean_costs(x, z);
  estimate.mean_shift = std::sqrt(std::max(0.0, of_means.sum().item<double>()));
  estimate.inputs = torch::maximum(of_inputs - of_parts, of_means).clamp_min(0).sqrt();
  estimate.assigned = std::min({most, x.size(0) / 2, z.size(0)});
  const auto parts = drawn(x, 2 * estimate.assigned, generator).chunk(2);
  const auto to_z = assigned_costs(parts[0], drawn(z, estimate.assigned, generator));
  const auto to_x = assigned_costs(parts[0], parts[1]);
  estimate.upper = std::sqrt(to_z.mean().item<double>());
  estimate.sampling = std::sqrt(to_x.mean().item<double>());
  if (estimate.assigned > 1) {
    estimate.error = (to_z - to_x).std().item<double>() / std::sqrt(static_cast<double>(estimate.assigned));
  }
  return estimate;
}

}  // namespace arks
