#include "data/splits.h"

#include "data/labels.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <arks/support/random.h>

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

/// Streams under the split seed beside that of the division of all samples, which has index 0.
constexpr uint64_t kFirstClass = 2, kMixing = 1, kValidation = uint64_t{1} << 32U;

torch::Tensor permutation(int64_t count, uint64_t split_seed, uint64_t index) {
  return torch::randperm(count, make_generator(split_seed, Stream::kSplit, index), torch::kLong);
}

void check_fraction(double test_fraction) {
  ARKS_CHECK(test_fraction > 0 && test_fraction < 1, "test fraction must be between 0 and 1, got ", test_fraction);
}

int64_t test_count(int64_t count, double test_fraction) {
  return std::max<int64_t>(1, std::llround(static_cast<double>(count) * test_fraction));
}

/// The samples of each class, in their order; numbers are places in `labels`. One pass, however many classes there are.
std::vector<torch::Tensor> members_of(const torch::Tensor& labels, int64_t classes) {
  const auto counts = torch::bincount(labels, {}, classes);
  const auto* first = counts.data_ptr<int64_t>();
  return torch::argsort(labels, /*stable=*/true, /*dim=*/0, /*descending=*/false)
      .split_with_sizes({first, static_cast<size_t>(counts.numel())});
}

/// Every so-manyth of a list.
torch::Tensor fold_of(const torch::Tensor& list, const ValidationOptions& options) {
  return list.slice(0, options.fold(), list.numel(), options.folds());
}

/// Places of the samples that are taken class by class.
torch::Tensor stratified(const torch::Tensor& labels, int64_t count, const ValidationOptions& options) {
  std::vector<torch::Tensor> ordered, taken;
  int64_t before = 0;
  const auto all = labels.defined() ? members_of(labels, 0) : std::vector<torch::Tensor>{torch::arange(count)};
  for (const auto& members : all) {
    const auto n = members.numel();
    ordered.push_back(members.index_select(0, permutation(n, options.seed(), kValidation + ordered.size())));
    const auto up_to = [&](int64_t samples) { return std::llround(options.fraction() * static_cast<double>(samples)); };
    const int64_t share = std::min<int64_t>(up_to(before + n) - up_to(before), std::max<int64_t>(n - 1, 0));
    taken.push_back(ordered.back().slice(0, 0, share));
    before += n;
  }
  return options.folds() > 0 ? fold_of(torch::cat(ordered), options) : torch::cat(taken);
}

/// Groups and how many samples each has.
struct Groups {
  torch::Tensor numbers, sizes;
};

Groups in_mixed_order(const torch::Tensor& groups, uint64_t seed, uint64_t index) {
  const auto [present, inverse, sizes] = at::_unique2(groups, /*sorted=*/true, /*return_inverse=*/false,
                                                      /*return_counts=*/true);
  const auto order = permutation(present.numel(), seed, index);
  return {present.index_select(0, order), sizes.index_select(0, order)};
}

/// Groups with about `wanted` samples together: of all in their order those that bring the number nearer to it. One at
/// least, the smallest where each is too large, and never all of them.
torch::Tensor chosen_groups(const Groups& groups, int64_t wanted) {
  const auto* sizes = groups.sizes.data_ptr<int64_t>();
  const int64_t count = groups.numbers.numel();
  std::vector<int64_t> chosen;
  int64_t samples = 0;
  for (int64_t i = 0; i < count && static_cast<int64_t>(chosen.size()) + 1 < count; ++i) {
    if (std::abs(samples + sizes[i] - wanted) >= std::abs(wanted - samples)) continue;
    samples += sizes[i];
    chosen.push_back(i);
  }
  if (chosen.empty()) chosen.push_back(std::min_element(sizes, sizes + count) - sizes);
  return groups.numbers.index_select(0, torch::tensor(chosen, torch::kLong));
}

/// Which of the samples the validation part takes, as places in the training part.
torch::Tensor validation_places(const torch::Tensor& labels, const torch::Tensor& groups, int64_t count,
                                const ValidationOptions& options, const std::string& name) {
  if (!groups.defined()) {
    ARKS_CHECK(options.folds() <= count, name, ": ", options.folds(),
               " folds need as many training samples; there are ", count);
    return stratified(labels, count, options);
  }
  const auto mixed = in_mixed_order(groups, options.seed(), kValidation);
  const auto present = mixed.numbers.numel();
  ARKS_CHECK(options.folds() <= present, name, ": ", options.folds(),
             " folds need as many groups; the training part has ", present);
  ARKS_CHECK(present > 1, name,
             ": the training part has one group only, so none can be kept apart for validation; use a smaller test "
             "fraction, or no validation part");
  const auto wanted = std::llround(options.fraction() * static_cast<double>(count));
  const auto chosen = options.folds() > 0 ? fold_of(mixed.numbers, options) : chosen_groups(mixed, wanted);
  return torch::isin(groups, chosen).nonzero().flatten();
}

void check(const ValidationOptions& options) {
  ARKS_CHECK(options.fraction() >= 0 && options.fraction() < 1,
             "validation fraction must be at least 0 and below 1, got ", options.fraction());
  ARKS_CHECK(options.folds() == 0 || options.folds() >= 2, "folds must be 0, for none, or at least 2, got ",
             options.folds());
  ARKS_CHECK(options.fold() >= 0 && options.fold() < std::max<int64_t>(1, options.folds()),
             "fold must be 0 to folds - 1, got ", options.fold(), " of ", options.folds());
}

}  // namespace

Parts divide(int64_t count, double test_fraction, uint64_t split_seed, const std::string& name) {
  check_fraction(test_fraction);
  const int64_t test = test_count(count, test_fraction);
  ARKS_CHECK(test < count, name, ": ", count, count == 1 ? " row" : " rows", " with a test fraction of ",
             shortest(test_fraction), " would leave no training sample");
  const auto order = permutation(count, split_seed, 0);
  return {order.slice(0, test), order.slice(0, 0, test), {}};
}

Parts divide_by_class(const torch::Tensor& labels, const std::vector<std::string>& class_names, double test_fraction,
                      uint64_t split_seed, const std::string& name) {
  check_fraction(test_fraction);
  std::vector<torch::Tensor> train, test;
  const auto all_members = members_of(labels, static_cast<int64_t>(class_names.size()));
  for (size_t c = 0; c < class_names.size(); ++c) {
    const auto& members = all_members[c];
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
  return {mixed(train), mixed(test), {}};
}

Parts divide_by_group(const torch::Tensor& groups, double test_fraction, uint64_t split_seed, const std::string& name,
                      const std::string& column) {
  check_fraction(test_fraction);
  const auto mixed = in_mixed_order(groups, split_seed, kFirstClass);
  ARKS_CHECK(mixed.numbers.numel() > 1, name, ": the group column '", column,
             "' has one group only; at least two are needed, one for each part");
  const auto chosen = chosen_groups(mixed, test_count(groups.numel(), test_fraction));
  const auto rows = mixed_order(groups.numel(), split_seed);
  const auto tested = torch::isin(groups.index_select(0, rows), chosen);
  return {rows.masked_select(tested.logical_not()), rows.masked_select(tested), {}};
}

void split_off_validation(Parts& parts, const torch::Tensor& labels, const torch::Tensor& groups,
                          const ValidationOptions& options, const std::string& name) {
  check(options);
  const int64_t count = parts.train.numel();
  if ((options.fraction() == 0 && options.folds() == 0) || count < options.at_least()) return;
  const auto of_train = [&](const torch::Tensor& all) {
    return all.defined() ? all.index_select(0, parts.train) : torch::Tensor();
  };
  const auto train_groups = of_train(groups);
  if (options.at_least() > 0 && train_groups.defined() && train_groups.eq(train_groups[0]).all().item<bool>()) return;
  const auto places = validation_places(of_train(labels), train_groups, count, options, name);
  ARKS_CHECK(places.numel() > 0, name, ": a validation fraction of ", shortest(options.fraction()), " of ", count,
             " training samples would be an empty validation part; use a larger one, or 0 for none");
  ARKS_CHECK(places.numel() < count, name, ": a validation fraction of ", shortest(options.fraction()), " of ", count,
             " training samples would leave no training sample");
  const auto taken = torch::zeros({count}, torch::kBool).index_fill_(0, places, true);
  parts.validation = parts.train.masked_select(taken);
  parts.train = parts.train.masked_select(taken.logical_not());
}

void split_off_validation(DataSplits& splits, const ValidationOptions& options, const std::string& name) {
  if (options.fraction() == 0 && options.folds() == 0) return;
  const auto& whole = splits.train;
  Parts parts{torch::arange(whole->size()), {}, {}};
  const auto labels = whole->info().num_classes > 0 ? labels_of(*whole) : torch::Tensor();
  split_off_validation(parts, labels, /*groups=*/{}, options, name);
  if (!parts.validation.defined()) return;
  splits.validation = std::make_shared<Selection>(whole, parts.validation);
  splits.train = std::make_shared<Selection>(whole, parts.train);
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
