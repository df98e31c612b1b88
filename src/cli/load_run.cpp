#include "cli/load_run.h"

#include "cli/command_line.h"
#include "cli/data_settings.h"
#include "cli/image_settings.h"

#include <arks/model/registry.h>
#include <arks/problem/cross_entropy.h>
#include <arks/problem/squared_error.h>
#include <arks/support/error.h>
#include <arks/support/text.h>
#include <arks/train/trainer.h>

#include <cstdlib>

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

std::shared_ptr<const Criterion> criterion_for(const DatasetInfo& data) {
  if (data.num_classes > 0) return std::make_shared<CrossEntropy>();
  return std::make_shared<SquaredError>();
}

fs::path data_dir_of(const Run& run, const std::string& given) {
  if (!given.empty()) return given;
  const auto recorded = run.config.find("data-dir");
  std::error_code ignored;
  const bool usable = std::getenv("ARKS_DATA_DIR") == nullptr && recorded != run.config.end() &&
                      fs::is_directory(recorded->second, ignored);
  return usable ? fs::path(recorded->second) : default_data_dir();
}

DataOptions data_options(const Run& run, const std::string& data, const fs::path& data_dir) {
  if (data == "celeba") return DataOptions(data_dir).celeba(celeba_options(celeba_settings_from(run.config)));
  if (data_kind(data) == DataKind::kOfficial) return DataOptions(data_dir);
  const auto& trained_on = run.config.at("data");
  ARKS_CHECK(resolved_data(data) == trained_on, "--data ", data, ": ", run.name, " was trained on ", trained_on,
             ", and tables and data of your own are divided and scaled as in training; leave --data out");
  const auto limit = run.config.find("train-limit");
  auto settings = data_settings_from(run.config);
  check_unchanged(settings, trained_on);
  return data_options(settings, data_dir,
                      limit == run.config.end() ? 0 : parse_whole_number(limit->second, "train-limit"));
}

void check_same_table(const Run& one, const Run& other) {
  const auto value = [](const Run& run, const std::string& key) {
    const auto found = run.config.find(key);
    return found == run.config.end() ? std::string("-") : found->second;
  };
  ARKS_CHECK(value(one, "data") != "celeba" || value(other, "data") != "celeba" ||
                 value(one, "attribute") == value(other, "attribute"),
             one.name, " and ", other.name, " cannot be compared on one test set: attribute is ",
             value(one, "attribute"), " and ", value(other, "attribute"));
  const auto official = [&](const Run& run) { return data_kind(value(run, "data")) == DataKind::kOfficial; };
  if (official(one) && official(other)) return;
  std::vector<std::string> keys{"data",         "target",        "targets",      "task",        "test-data",
                                "test-targets", "test-fraction", "split-seed",   "standardise", "resize",
                                "channels",     "layout",        "data-checksum"};
  // the scaling is learned from the samples that were used
  if (value(one, "standardise") == "true") keys.emplace_back("train-limit");
  for (const auto& key : keys) {
    ARKS_CHECK(value(one, key) == value(other, key), one.name, " and ", other.name,
               " cannot be compared on one test set: ", key, " is ", value(one, key), " and ", value(other, key));
  }
}

std::unique_ptr<SupervisedProblem> make_problem(const Run& run, const DatasetInfo& data) {
  ModelOptions options;
  if (const auto found = run.config.find("activation"); found != run.config.end()) options.activation(found->second);
  auto problem =
      std::make_unique<SupervisedProblem>(make_model(run.config.at("model"), data, options), *criterion_for(data));
  load_trained_weights(run.checkpoint, *problem, run.path.string());
  return problem;
}

}  // namespace arks::cli
