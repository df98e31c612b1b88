#pragma once
// Targets as files hold them, numbers or texts, become class numbers or quantities.
#include "data/splits.h"

#include <optional>
#include <string>
#include <vector>

namespace arks {

/// What messages call the samples and their target.
struct TargetNames {
  std::string data;    // "wine.csv"
  std::string target;  // "cultivar"
};

/// Class numbers [n] int64, or quantities [n] float64 and no class names.
struct Targets {
  torch::Tensor values;
  std::vector<std::string> class_names;  // in the order of the class numbers
  int64_t numbers = 1;                   // for each sample; more than one only of quantities
  std::vector<std::string> units = {};   // of the columns of a text file; empty where none has one
};

/// Numbers [n] float64, or [n,k], which are quantities. Without a task they are classes when they are whole and at most
/// 20 of them differ. Classes are numbered in the order of their values, or as in `like`, the targets of the training
/// samples, where there are some: then the task is theirs too, and a class that they do not have is an Error, as is
/// another count of numbers for each sample. Where the classes are True and False, or 0 and 1, "TRUE" and 1 are the
/// same.
Targets number_targets(const torch::Tensor& numbers, std::optional<Task> task, const TargetNames& names,
                       const Targets* like = nullptr);

/// With more distinct whole numbers a target is taken for a quantity.
constexpr int64_t kMostClassesFound = 20;

/// Whole numbers of which at most kMostClassesFound differ.
bool looks_like_classes(const torch::Tensor& numbers);

/// Texts, which are classes; numbered alphabetically, or as in `like`.
Targets text_targets(const std::vector<std::string>& texts, const TargetNames& names, const Targets* like = nullptr);

/// True when a class has a name that is no number: then all of them are texts, whatever they look like.
bool has_text_classes(const Targets& targets);

/// Throws Error for about as many classes as rows: then the target is a name or a number of the row.
void check_number_of_classes(const Targets& targets, const TargetNames& names);

/// The numbers in an NPY file, [n] float64, or [n,k] where there are several for each of the `count` samples of
/// `inputs`. They must be finite. Errors name the flag that gives the file, "--targets".
torch::Tensor read_npy_targets(const std::string& targets, const std::string& inputs, int64_t count,
                               const std::string& flag = "--targets");

/// A sentence where each row of several numbers has a 1 and else zeros: most likely classes; else empty.
std::string one_hot_note(const Targets& targets, const std::string& file);

/// The numbers of such a file are called by their places: "target 1", "target 2"; not at all where there is one for
/// each sample.
std::vector<std::string> npy_target_names(const Targets& targets);

/// Throws Error naming the file and the row when a value is not finite, also in float32; `first_row` is the number of
/// the first one.
void check_finite(const torch::Tensor& rows, const std::string& file, int64_t first_row = 0);

}  // namespace arks
