#pragma once
#include <arks/data/load.h>

#include <string>
#include <vector>

namespace arks {

/// Numbers of samples, int64.
struct Parts {
  torch::Tensor train, test, validation;  ///< validation: undefined where there is none
};

/// 0 … count−1 in an order drawn from the seed; the first `test_fraction` of them (rounded, at least one) are the test
/// part. Throws Error naming `name` when the fraction is not in (0,1) or the training part would be empty.
Parts divide(int64_t count, double test_fraction, uint64_t split_seed, const std::string& name);

/// The same class by class, so that each is in both parts in the same proportion, at least one sample of it in each;
/// the order within the parts is mixed again. `class_names` are for the Error about a class with one sample only.
Parts divide_by_class(const torch::Tensor& labels, const std::vector<std::string>& class_names, double test_fraction,
                      uint64_t split_seed, const std::string& name);

/// The same group by group: groups [count] int64 come in an order drawn from the seed, and each goes to the test part
/// that brings its size nearer to the test fraction of the samples. A group that is too large is so passed over; where
/// all are, the smallest is taken. One group stays. The order within the parts is mixed again. Throws Error when there
/// is only one group; `column` names it.
Parts divide_by_group(const torch::Tensor& groups, double test_fraction, uint64_t split_seed, const std::string& name,
                      const std::string& column);

/// Moves the validation part out of parts.train, as the options say. The samples that remain keep their order.
/// `labels` [count] int64 are the classes and `groups` [count] int64 the groups of all samples; undefined where there
/// are none. With groups, whole groups are moved. Otherwise class by class: of class c, whose samples with those of the
/// classes before it are n_c, it is round(fraction·n_c) − round(fraction·n_{c−1}) samples, but never the last one; so
/// the part as a whole has the right size, and each class its share of it. Fold i has every folds-th sample of the same
/// order. Throws Error when the part would be empty, when it would leave no training sample, and when there are more
/// folds than samples or groups, or one group only; with at_least, which is for a default, that group stays whole.
void split_off_validation(Parts& parts, const torch::Tensor& labels, const torch::Tensor& groups,
                          const ValidationOptions& options, const std::string& name);

/// The same for parts that are data sets already: splits.train is divided, by its classes where it has some.
void split_off_validation(DataSplits& splits, const ValidationOptions& options, const std::string& name);

/// 0 … count−1 in an order drawn from the seed: the order of a training part that was given apart.
torch::Tensor mixed_order(int64_t count, uint64_t split_seed);

/// "2 classes (cat 12, dog 9)", "100 classes of 480 to 500 samples" when there are many.
std::string describe_classes(const std::vector<std::string>& names, const std::vector<int64_t>& counts);

}  // namespace arks
