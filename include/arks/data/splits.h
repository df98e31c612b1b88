#pragma once
#include <arks/data/dataset.h>

#include <string>
#include <vector>

namespace arks {

/// What is learned from samples: their class, or a number.
enum class Task { kClassification, kRegression };

/// "classification", "regression"
std::string to_string(Task task);
Task parse_task(const std::string& name);

/// The two parts of a set that arks reads and divides itself: a table, or the user's own images.
struct DataSplits {
  DatasetPtr train, test;
  Task task = Task::kClassification;  ///< as given or found
  std::string target;         ///< name of the column or file of the targets; empty where the folder is the class
  bool standardised = false;  ///< the inputs were scaled to mean 0 and deviation 1 on the training samples
  bool divided = true;        ///< by test fraction and split seed; false: the test part was given apart
  std::string summary;        ///< one line: "wine.csv: 178 rows, 13 inputs; target 'cultivar', 3 classes; …"
};

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
