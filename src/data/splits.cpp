#include "data/splits.h"

#include "support/text.h"

#include <arks/support/error.h>
#include <arks/support/random.h>

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

/// Streams under the split seed beside that of the division of all samples, which has index 0.
constexpr uint64_t kFirstClass = 2, kMixing = 1;

torch::Tensor permutation(int64_t count, uint64_t split_seed, uint64_t index) {
  return torch::randperm(count, make_generator(split_seed, Stream::kSplit, index), torch::kLong);
}

void check_fraction(double test_fraction) {
  ARKS_CHECK(test_fraction > 0 && test_fraction < 1, "test fraction must be between 0 and 1, got ", test_fraction);
}

int64_t test_count(int64_t count, double test_fraction) {
  return std::max<int64_t>(1, std::llround(static_cast<double>(count) * test_fraction));
}

}  // namespace

std::string to_string(Task task) {
  return task == Task::kClassification ? "classification" : "regression";
}

Task parse_task(const std::string& name) {
  return named_value<Task>(name, task_names(), "task");
}

std::vector<std::string> task_names() {
  return {"classification", "regression"};
}

Parts divide(int64_t count, double test_fraction, uint64_t split_seed, const std::string& name) {
  check_fraction(test_fraction);
  const int64_t test = test_count(count, test_fraction);
  ARKS_CHECK(test < count, name, ": ", count, count == 1 ? " row" : " rows", " with a test fraction of ",
             shortest(test_fraction), " would leave no training sample");
  const auto order = permutation(count, split_seed, 0);
  return {order.slice(0, test), order.slice(0, 0, test)};
}

Parts divide_by_class(const torch::Tensor& labels, const std::vector<std::string>& class_names, double test_fraction,
                      uint64_t split_seed, const std::string& name) {
  check_fraction(test_fraction);
  std::vector<torch::Tensor> train, test;
  for (size_t c = 0; c < class_names.size(); ++c) {
    const auto members = (labels == static_cast<int64_t>(c)).nonzero().flatten();
    ARKS_CHECK(members.numel() >= 2, name, ": class '", class_names[c], "' has ", members.numel(),
               " sample; two are needed, one for each part; test data can also be given separately");
    const auto order = members.index_select(0, permutation(members.numel(), split_seed, kFirstClass + c));
    const int64_t tested = std::min(test_count(members.numel(), test_fraction), members.numel() - 1);
    test.push_back(order.slice(0, 0, tested));
    train.push_back(order.slice(0, tested));
  }
  const auto mixed = [&](const std::vector<torch::Tensor>& classes) {
    const auto all = torch::cat(classes);
    return all.index_select(0, mixed_order(all.numel(), split_seed));
  };
  return {mixed(train), mixed(test)};
}

torch::Tensor mixed_order(int64_t count, uint64_t split_seed) {
  return permutation(count, split_seed, kMixing);
}

std::string describe_classes(const std::vector<std::string>& names, const std::vector<int64_t>& counts) {
  constexpr size_t kFew = 6;
  if (names.size() > kFew) {
    const auto [fewest, most] = std::minmax_element(counts.begin(), counts.end());
    return *fewest == *most ? c10::str(names.size(), " classes of ", *most, " samples each")
                            : c10::str(names.size(), " classes of ", *fewest, " to ", *most, " samples");
  }
  std::vector<std::string> parts;
  for (size_t c = 0; c < names.size(); ++c) parts.push_back(c10::str(names[c], " ", counts[c]));
  return c10::str(names.size(), " classes (", join(parts), ")");
}

}  // namespace arks
