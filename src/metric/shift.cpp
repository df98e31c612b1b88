#include "metric/shift.h"

#include "metric/category_test.h"
#include "metric/outside_test.h"
#include "support/mean.h"
#include "support/samples.h"

#include <arks/support/error.h>
#include <arks/support/random.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace arks {

namespace {

constexpr int64_t kMostSamples = 1000, kFewestSamples = 100;
constexpr int64_t kMostNumbers = 400000;  // of samples in a matrix of all pairs: seconds
constexpr int64_t kPermutations = 999;
constexpr int64_t kMostCounts = 20'000'000;  // drawn for all columns together: seconds
constexpr double kOutsideWeight = 0.25;      // each number more makes p a fraction, so the other tests keep their level
constexpr int64_t kFewestDraws = 999, kUsualDraws = 9999;

double deviation_of(const std::vector<double>& values, double mean) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (*low == *high) return 0;  // and not what rounding of the mean makes of it
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean) / static_cast<double>(values.size());
  return std::sqrt(sum);
}

void compare_numbers(ColumnShift& shift) {
  const auto &x = shift.one.numbers, &z = shift.two.numbers;
  if (x.empty() || z.empty()) return;
  shift.mean_one = mean_of(x);
  shift.mean_two = mean_of(z);
  shift.deviation_one = deviation_of(x, *shift.mean_one);
  shift.deviation_two = deviation_of(z, *shift.mean_two);
  if (*shift.deviation_one > 0) shift.difference = (*shift.mean_two - *shift.mean_one) / *shift.deviation_one;
  shift.test = kolmogorov_smirnov_test(x, z);
  shift.outside_test = outside_test(x, z);
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  if (shift.one.kind == ColumnKind::kNumber) shift.far = far_numbers(z, *low, *high);  // later dates are no slips
}

void compare_categories(ColumnShift& shift, int64_t draws) {
  auto all = shift.one.texts;
  all.insert(shift.two.texts.begin(), shift.two.texts.end());
  std::vector<int64_t> x, z;
  int64_t of_x = 0, of_z = 0, unseen = 0;
  for (const auto& [text, count] : all) {
    const auto one = shift.one.texts.find(text), two = shift.two.texts.find(text);
    x.push_back(one == shift.one.texts.end() ? 0 : one->second);
    z.push_back(two == shift.two.texts.end() ? 0 : two->second);
    if (x.back() == 0) unseen += z.back();
    of_x += x.back();
    of_z += z.back();
  }
  shift.unseen = unseen;
  if (of_x == 0 || of_z == 0) return;
  double moved = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    moved += std::abs(static_cast<double>(x[i]) / static_cast<double>(of_x) -
                      static_cast<double>(z[i]) / static_cast<double>(of_z)) /
             2;
  }
  shift.difference = moved;
  auto generator = make_generator(0, Stream::kSamples, 3);  // the same for each column, wherever it stands
  shift.test = category_test(x, z, draws, generator);
}

int64_t categories_in(const ColumnShift& shift) {
  return static_cast<int64_t>(shift.one.texts.size() + shift.two.texts.size());
}

/// Most columns need few draws. Those in which none was as large need more, so that the least p-value that draws can
/// give is found among so many others; they share what there is to spend.
void compare_categories(std::vector<ColumnShift>& shifts) {
  std::vector<ColumnShift*> columns, open;
  const auto affordable = [](const std::vector<ColumnShift*>& of) {
    int64_t categories = 1;
    for (const auto* shift : of) categories += categories_in(*shift);
    return kMostCounts / categories;
  };
  for (auto& shift : shifts) {
    if (!shift.is_number()) columns.push_back(&shift);
  }
  const auto first = std::clamp(affordable(columns), kFewestDraws, kUsualDraws);
  for (auto* shift : columns) {
    compare_categories(*shift, first);
    if (shift->test && shift->test->draws >= first && shift->test->p_value * static_cast<double>(1 + first) < 1.5) {
      open.push_back(shift);
    }
  }
  const auto more = std::min(affordable(open), 200 * static_cast<int64_t>(shifts.size()));
  if (more <= first) return;
  for (auto* shift : open) compare_categories(*shift, more);
}

int64_t cells_in(const ColumnCells& column) {
  auto count = static_cast<int64_t>(column.numbers.size());
  for (const auto& [text, cells] : column.texts) count += cells;
  return count + column.missing;
}

void compare_missing(ColumnShift& shift) {
  const int64_t m = cells_in(shift.one), n = cells_in(shift.two);
  if (m == 0 || n == 0 || shift.one.missing + shift.two.missing == 0) return;
  shift.missing_test = rate_test(shift.one.missing, m, shift.two.missing, n);
}

/// All inputs together, where they are given, have as much of the level as all columns.
void adjust(std::vector<ColumnShift>& columns, SampleShift* all_inputs) {
  std::vector<double> p_values, weights;
  std::vector<double*> adjusts;
  const auto add = [&](const std::optional<TwoSampleTest>& test, double& adjusted, double weight) {
    if (!test) return;
    p_values.push_back(test->p_value);
    adjusts.push_back(&adjusted);
    weights.push_back(weight);
  };
  for (auto& column : columns) {
    add(column.test, column.p_adjusted, 1);
    add(column.missing_test, column.missing_p_adjusted, 1);
    add(column.outside_test, column.outside_p_adjusted, kOutsideWeight);
  }
  if (all_inputs != nullptr) {
    weights.push_back(std::max(1.0, std::accumulate(weights.begin(), weights.end(), 0.0)));
    p_values.push_back(all_inputs->mmd.p_value);
    adjusts.push_back(&all_inputs->p_adjusted);
  }
  const auto adjusted = holm_adjusted(p_values, weights);
  for (size_t k = 0; k < adjusts.size(); ++k) *adjusts[k] = adjusted[k];
}

}  // namespace

std::vector<ColumnShift> compare_columns(std::vector<ColumnCells> one, std::vector<ColumnCells> two) {
  ARKS_CHECK(one.size() == two.size(), "columns: needs the same twice, got ", one.size(), " and ", two.size());
  std::vector<ColumnShift> shifts(one.size());
  for (size_t i = 0; i < one.size(); ++i) {
    shifts[i].one = std::move(one[i]);
    shifts[i].two = std::move(two[i]);
    if (shifts[i].is_number()) compare_numbers(shifts[i]);
    compare_missing(shifts[i]);
  }
  compare_categories(shifts);
  adjust(shifts, nullptr);
  return shifts;
}

void adjust_together(std::vector<ColumnShift>& columns, SampleShift& all_inputs) {
  adjust(columns, &all_inputs);
}

SampleShift compare_samples(const torch::Tensor& x, const torch::Tensor& z) {
  ARKS_CHECK(x.size(0) >= 2 && z.size(0) >= 2, "shift: needs at least 2 samples on both sides, got ", x.size(0),
             " and ", z.size(0));
  const auto one = rows(x), two = rows(z);
  const int64_t most = std::min(kMostSamples, std::max(kFewestSamples, kMostNumbers / one.size(1)));
  auto generator = make_generator(0, Stream::kSamples, 1);
  SampleShift shift;
  const auto some_of = [&](const torch::Tensor& samples) {
    return samples.index_select(0, some_numbers(samples.size(0), most, generator));
  };
  const auto some_one = some_of(one), some_two = some_of(two);
  shift.mmd_samples_one = some_one.size(0);
  shift.mmd_samples_two = some_two.size(0);
  shift.mmd = mmd_two_sample(some_one, some_two, kPermutations, generator);
  shift.p_adjusted = shift.mmd.p_value;
  shift.transport = estimate_transport(one, two, most, generator);
  return shift;
}

GuardReach covering(const SampleShift& shift, double blind_loss) {
  GuardReach reach;
  reach.length = shift.transport.length();
  const double single = shift.transport.inputs.max().item<double>();
  // a shift of what inputs have to do with each other moves none of them alone: then evenly
  const double evenly = reach.length / std::sqrt(static_cast<double>(shift.transport.inputs.numel()));
  reach.single = std::clamp(single, evenly, reach.length);
  reach.blind_loss = blind_loss;
  return reach;
}

Batch samples_to_compare(const Dataset& samples) {
  constexpr int64_t kMostHeld = 50'000'000, kAlways = 2000;
  const int64_t per_sample = std::max<int64_t>(1, c10::multiply_integers(samples.info().input_shape));
  auto generator = make_generator(0, Stream::kSamples, 2);
  return samples.get(some_numbers(samples.size(), std::max(kAlways, kMostHeld / per_sample), generator));
}

Batch samples_to_compare(const DataSplits& splits) {
  auto batch = samples_to_compare(*splits.train);
  const auto add = [&](const Dataset& part) {
    const auto more = samples_to_compare(part);
    batch = {torch::cat({batch.inputs, more.inputs}), torch::cat({batch.targets, more.targets})};
  };
  if (splits.validation) add(*splits.validation);
  if (splits.divided) add(*splits.test);
  return batch;
}

}  // namespace arks
