#include "cli/load_run.h"

#include "cli/command_line.h"

#include <arks/model/registry.h>
#include <arks/problem/cross_entropy.h>
#include <arks/support/error.h>
#include <arks/train/trainer.h>

namespace arks::cli {

namespace fs = std::filesystem;

Run read_run(const std::string& name) {
  Run run;
  run.name = name;
  while (run.name.size() > 1 && run.name.back() == '/') run.name.pop_back();
  std::error_code ignored;
  ARKS_CHECK(fs::exists(name, ignored), "model ", name, " does not exist: expected a run folder of arks train or a ",
             run_files::kCheckpoint);
  run.path = fs::is_directory(name, ignored) ? fs::path(name) / run_files::kCheckpoint : fs::path(name);
  ARKS_CHECK(fs::exists(run.path, ignored), "model ", name, " is no run folder: it has no ", run_files::kCheckpoint);
  ARKS_CHECK(run.path.filename() != run_files::kModel, name, " is the export for Python; give the run folder or its ",
             run_files::kCheckpoint);
  run.checkpoint = read_checkpoint(run.path);
  ARKS_CHECK(!run.checkpoint.config.empty(), run.path.string(),
             " holds no configuration: it was not written by arks train");
  run.config = read_toml(run.checkpoint.config, run.path.string());
  for (const char* key : {"data", "model", "seed"}) {
    ARKS_CHECK(run.config.count(key) == 1, run.path.string(), ": its configuration has no '", key, "'");
  }
  return run;
}

std::unique_ptr<SupervisedProblem> make_problem(const Run& run, const DatasetInfo& data) {
  auto problem =
      std::make_unique<SupervisedProblem>(make_model(run.config.at("model"), data, /*seed=*/0), CrossEntropy());
  load_weights(run.checkpoint, *problem, run.path.string());
  return problem;
}

}  // namespace arks::cli
