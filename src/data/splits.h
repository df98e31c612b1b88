#pragma once
#include <arks/data/load.h>

#include <string>
#include <vector>

namespace arks {

/// Numbers of samples, int64.
struct Parts {
  torch::Tensor train, test;
};

/// 0 … count−1 in an order drawn from the seed; the first `test_fraction` of them (rounded, at least one) are the test
/// part. Throws Error naming `name` when the fraction is not in (0,1) or the training part would be empty.
Parts divide(int64_t count, double test_fraction, uint64_t split_seed, const std::string& name);

/// The same class by class, so that each is in both parts in the same proportion, at least one sample of it in each;
/// the order within the parts is mixed again. `class_names` are for the Error about a class with one sample only.
Parts divide_by_class(const torch::Tensor& labels, const std::vector<std::string>& class_names, double test_fraction,
                      uint64_t split_seed, const std::string& name);

/// 0 … count−1 in an order drawn from the seed: the order of a training part that was given apart.
torch::Tensor mixed_order(int64_t count, uint64_t split_seed);

/// "2 classes (cat 12, dog 9)", "100 classes of 480 to 500 samples" when there are many.
std::string describe_classes(const std::vector<std::string>& names, const std::vector<int64_t>& counts);

}  // namespace arks
