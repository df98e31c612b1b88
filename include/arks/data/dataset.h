#pragma once
#include <arks/data/bounds.h>
#include <torch/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace arks {

enum class Split { kTrain, kTest };

/// What is known of samples beside their numbers; not defined where there is nothing to say.
struct SampleMarks {
  torch::Tensor filled = {};  ///< [n,...] bool, as the inputs: the cell was missing, and the number was filled in
  torch::Tensor groups = {};  ///< [n] int64: samples with one number belong together, as rows of one patient

  SampleMarks select(const torch::Tensor& indices) const;
};

/// A few samples, ready for the model.
struct Batch {
  torch::Tensor inputs;   ///< [n,...] floating point
  torch::Tensor targets;  ///< [n] int64 class numbers, or [n,...] floating point
  SampleMarks marks = {};
};

/// One input of a table as a model sees it: a column of numbers, or one value of a column of texts.
struct Feature {
  std::string name;      ///< "temperature", "colour=red", "age is missing"
  std::string column;    ///< of the file: "temperature", "colour", "age"
  bool quantity = true;  ///< a number that can drift; false: 0 or 1
  bool date = false;     ///< a quantity in days since 1970, which can move but not be multiplied
};

/// What a data set says of itself.
struct DatasetInfo {
  std::string name;                      ///< as after --data
  std::vector<int64_t> input_shape;      ///< of one sample, e.g. {1,28,28}
  int64_t num_classes = 0;               ///< 0: not a classification set
  std::optional<Bounds> bounds;          ///< the valid range of every input value, or of every feature
  std::vector<std::string> class_names;  ///< empty or num_classes of them
  std::string stored;             ///< type of the inputs in memory: "uint8", "float32", …; batches are floating
  torch::Tensor input_mean;       ///< [...] of a sample: inputs are (x − mean)/deviation of the user's x,
  torch::Tensor input_deviation;  ///< standardised; undefined where they are the user's own
  std::vector<std::string> target_names;  ///< the numbers to predict, of a regression; empty: one without a name
  torch::Tensor target_mean;              ///< [outputs]: targets are (y − mean)/deviation of the user's y,
  torch::Tensor target_deviation;         ///< standardised; undefined where they are the user's own
  std::vector<Feature> features;          ///< of a table whose columns have names, one for each input; else empty
  std::string group;                      ///< the column that SampleMarks::groups numbers; empty where there is none
};

/// How many numbers a network gives for a sample: one for each class, or for each target of a regression.
int64_t num_outputs(const DatasetInfo& info);

/// What messages call the samples: "rows" of a table, "images", or "samples" of any other shape.
std::string samples_word(const DatasetInfo& info);

/// Samples that can be had by their numbers. Views (Subset, …) stand on one another and copy nothing.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual int64_t size() const = 0;
  /// The samples with these numbers [n] (int64), in this order.
  virtual Batch get(const torch::Tensor& indices) const = 0;
  virtual const DatasetInfo& info() const = 0;
};

using DatasetPtr = std::shared_ptr<const Dataset>;

/// Samples held in memory. Inputs of type uint8 stay so (a quarter of the memory) and become x/255 in float32 per
/// batch.
class TensorDataset : public Dataset {
 public:
  /// inputs [n,...] uint8 or floating point; targets [n] integers when there are classes, else [n,...]. Throws Error
  /// when the counts differ, a label is outside 0 … num_classes−1, bounds are declared and an input is NaN or outside
  /// them, or `info` contradicts the tensors. An empty input_shape is filled in, and so is `stored`.
  TensorDataset(torch::Tensor inputs, torch::Tensor targets, DatasetInfo info, SampleMarks marks = {});

  int64_t size() const override { return inputs_.size(0); }
  Batch get(const torch::Tensor& indices) const override;
  const DatasetInfo& info() const override { return info_; }

 private:
  torch::Tensor inputs_, targets_;
  DatasetInfo info_;
  SampleMarks marks_;
};

/// The first `count` samples of another set.
class Subset : public Dataset {
 public:
  Subset(DatasetPtr source, int64_t count);

  int64_t size() const override { return count_; }
  Batch get(const torch::Tensor& indices) const override;
  const DatasetInfo& info() const override { return source_->info(); }

 private:
  DatasetPtr source_;
  int64_t count_;
};

/// The samples of another set that have these numbers, in this order: a part of it.
class Selection : public Dataset {
 public:
  /// numbers: [n] int64, each below the size of the source.
  Selection(DatasetPtr source, torch::Tensor numbers);

  int64_t size() const override { return numbers_.size(0); }
  Batch get(const torch::Tensor& indices) const override;
  const DatasetInfo& info() const override { return source_->info(); }

 private:
  DatasetPtr source_;
  torch::Tensor numbers_;
};

/// A number that tells one set from another: CRC-32 of the count and of up to 1024 samples spread evenly over the set.
/// Two sets that differ elsewhere only are not told apart.
uint32_t fingerprint(const Dataset& dataset);

/// Throws Error when an input of the set lies outside the bounds.
void check_inputs(const Dataset& dataset, const Bounds& bounds);

/// The groups of all samples, [n] int64; not defined where samples have none.
torch::Tensor groups_of(const Dataset& dataset);

/// `source` itself when limit is 0 or not below its size, else its first `limit` samples.
DatasetPtr limited(DatasetPtr source, int64_t limit);

}  // namespace arks
