#pragma once
// From what a user typed as MODEL to a model ready to be tested.
#include <arks/data/dataset.h>
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

/// The run's network with its weights, for data of this kind.
std::unique_ptr<SupervisedProblem> make_problem(const Run& run, const DatasetInfo& data);

}  // namespace arks::cli
