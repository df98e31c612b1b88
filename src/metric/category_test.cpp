#include "metric/category_test.h"

#include "metric/log_choices.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace arks {

namespace {

constexpr double kLeastExpected = 5;      // of χ² as a limit
constexpr double kLargeExpected = 50;     // likewise, far out in its tail
constexpr int64_t kEnough = 100;          // draws as large
constexpr size_t kMostCategories = 1000;  // a table has no more, other than as texts that never come again
constexpr int64_t kMostCounts = 4'000'000, kFewestDraws = 1999;  // a second

int64_t sum_of(const std::vector<int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

/// Uniform numbers in [0,1), drawn many at once.
class Uniforms {
 public:
  explicit Uniforms(torch::Generator& generator) : generator_(generator) {}
  double next() {
    if (at_ == kAtOnce) {
      numbers_ = torch::rand({kAtOnce}, generator_, torch::TensorOptions().dtype(torch::kDouble));
      at_ = 0;
    }
    return numbers_.data_ptr<double>()[at_++];
  }

 private:
  static constexpr int64_t kAtOnce = 4096;
  torch::Generator& generator_;
  torch::Tensor numbers_;
  int64_t at_ = kAtOnce;
};

/// How many of the `marked` are among `taken` of `all`: the hypergeometric distribution, inverted outwards from its
/// most probable value.
int64_t draw_marked(int64_t taken, int64_t marked, int64_t all, Uniforms& uniforms) {
  const int64_t least = std::max<int64_t>(0, taken + marked - all), most = std::min(taken, marked);
  if (least == most) return least;
  const auto product = [](int64_t a, int64_t b) { return static_cast<double>(a) * static_cast<double>(b); };
  const auto mode = static_cast<int64_t>(product(taken + 1, marked + 1) / static_cast<double>(all + 2));
  int64_t low = std::clamp(mode, least, most), high = low;
  double at_low = std::exp(log_choices(marked, low) + log_choices(all - marked, taken - low) - log_choices(all, taken));
  double at_high = at_low, left = uniforms.next() - at_low;
  while (left >= 0 && (low > least || high < most)) {
    if (low > least) {
      at_low *= product(low, all - marked - taken + low) / product(marked - low + 1, taken - low + 1);
      --low;
      left -= at_low;
      if (left < 0) return low;
    }
    if (high < most) {
      at_high *= product(marked - high, taken - high) / product(high + 1, all - marked - taken + high + 1);
      ++high;
      left -= at_high;
      if (left < 0) return high;
    }
  }
  return std::clamp(mode, least, most);
}

/// Both sides under random labels: only the smaller one is drawn, since the counts of both together stay.
class Labels {
 public:
  Labels(const std::vector<int64_t>& x, const std::vector<int64_t>& z) {
    const int64_t of_x = sum_of(x), of_z = sum_of(z);
    all_ = of_x + of_z;
    smaller_ = std::min(of_x, of_z);
    for (size_t i = 0; i < x.size(); ++i) {
      both_.push_back(x[i] + z[i]);
      const double part = static_cast<double>(both_[i]) / static_cast<double>(all_);
      const double expected = part * static_cast<double>(smaller_);
      expected_.push_back(expected);
      per_square_.push_back(1 / expected + 1 / (static_cast<double>(both_[i]) - expected));
    }
  }

  double least_expected() const { return *std::min_element(expected_.begin(), expected_.end()); }

  /// χ², since both sides of a category deviate by the same number.
  double draw(Uniforms& uniforms) const {
    double statistic = 0;
    int64_t taken = smaller_, all = all_;
    for (size_t i = 0; i < both_.size(); ++i) {
      const auto count = draw_marked(taken, both_[i], all, uniforms);
      const double deviation = static_cast<double>(count) - expected_[i];
      statistic += deviation * deviation * per_square_[i];
      taken -= count;
      all -= both_[i];
    }
    return statistic;
  }

 private:
  std::vector<int64_t> both_;
  std::vector<double> expected_, per_square_;
  int64_t all_ = 0, smaller_ = 0;
};

/// Without empty categories, and the rarest of very many as one. Which they are does not depend on the sides.
void join_rare(std::vector<int64_t>& x, std::vector<int64_t>& z) {
  std::vector<std::pair<int64_t, size_t>> order;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] + z[i] > 0) order.emplace_back(-(x[i] + z[i]), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<int64_t> of_x, of_z;
  for (const auto& [count, i] : order) {
    if (of_x.size() <= kMostCategories) {
      of_x.push_back(x[i]);
      of_z.push_back(z[i]);
    } else {
      of_x.back() += x[i];
      of_z.back() += z[i];
    }
  }
  x = std::move(of_x);
  z = std::move(of_z);
}

/// The same rows with neighbours in the order of join_rare() as one category, so that each is expected often enough for
/// a formula. How they are joined does not depend on the sides.
double joined_p(const std::vector<int64_t>& x, const std::vector<int64_t>& z) {
  const int64_t m = sum_of(x), n = sum_of(z);
  const auto smaller = static_cast<double>(std::min(m, n));
  const double enough = std::min(kLargeExpected, smaller / 2) * static_cast<double>(m + n) / smaller;
  std::vector<int64_t> of_x{0}, of_z{0};
  for (size_t i = 0; i < x.size(); ++i) {
    if (static_cast<double>(of_x.back() + of_z.back()) >= enough) {
      of_x.push_back(0);
      of_z.push_back(0);
    }
    of_x.back() += x[i];
    of_z.back() += z[i];
  }
  if (of_x.size() > 2 && static_cast<double>(of_x.back() + of_z.back()) < enough) {
    of_x[of_x.size() - 2] += of_x.back();
    of_z[of_z.size() - 2] += of_z.back();
    of_x.pop_back();
    of_z.pop_back();
  }
  if (of_x.size() == 2) return rate_test(of_x[0], m, of_z[0], n).p_value;
  return chi_squared_test(of_x, of_z).p_value;
}

}  // namespace

TwoSampleTest category_test(std::vector<int64_t> x, std::vector<int64_t> z, int64_t draws,
                            torch::Generator& generator) {
  ARKS_CHECK(draws >= 1, "category test: draws must be positive, got ", draws);
  auto test = chi_squared_test(x, z);
  join_rare(x, z);
  const Labels labels(x, z);
  if (x.size() < 2 || labels.least_expected() >= kLeastExpected) return test;
  test = chi_squared_test(x, z);
  if (x.size() == 2) {
    test.p_value = rate_test(x[0], sum_of(x), z[0], sum_of(z)).p_value;
    return test;
  }
  const auto affordable = std::max(kFewestDraws, kMostCounts / static_cast<int64_t>(x.size()));
  const auto most = std::min(draws, affordable);
  const double as_large = test.statistic * (1 - 1e-9);  // but for rounding
  Uniforms uniforms(generator);
  int64_t found = 0;
  while (test.draws < most && found < kEnough) {
    ++test.draws;
    if (labels.draw(uniforms) >= as_large) ++found;
  }
  const auto done = static_cast<double>(test.draws), count = static_cast<double>(found);
  test.p_value = found == kEnough ? count / done : (1 + count) / (1 + done);
  // less than draws can say: only where p is already the least that they can, so it is wrong no more often than it says
  if (found == 0) test.p_value = std::min(test.p_value, joined_p(x, z));
  return test;
}

}  // namespace arks
