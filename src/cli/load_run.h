#pragma once
// From what a user typed as MODEL to a model ready to be tested.
#include <arks/data/registry.h>
#include <arks/problem/supervised.h>
#include <arks/train/checkpoint.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace arks::cli {

/// A trained run, read but not yet turned into a model.
struct Run {
  std::string name;            // as typed
  std::filesystem::path path;  // of the checkpoint
  Checkpoint checkpoint;
  std::map<std::string, std::string> config;  // of the run
};

/// `name` is a run folder or a checkpoint. Throws Error saying which of both it should have been.
Run read_run(const std::string& name);

/// Cross entropy for classes, squared error for a regression.
std::shared_ptr<const Criterion> criterion_for(const DatasetInfo& data);

/// Where the user says, else where the run had its data if that is still there.
std::filesystem::path data_dir_of(const Run& run, const std::string& given);

/// How to load `data` for this run. Tables and the user's own data are divided and scaled as the run did; throws Error
/// for such data that the run was not trained on, since the scaling of its inputs would be another.
DataOptions data_options(const Run& run, const std::string& data, const std::filesystem::path& data_dir);

/// Throws Error when both runs were trained on tables or data of the user's own that were divided or scaled in
/// different ways: a test set of one would hold training samples of the other. Likewise when they
/// were trained on different attributes of celeba.
void check_same_table(const Run& one, const Run& other);

/// The run's network with its weights, the averaged ones where there are any, for data of this kind.
std::unique_ptr<SupervisedProblem> make_problem(const Run& run, const DatasetInfo& data);

}  // namespace arks::cli
