#include "cli/command.h"
#include "cli/load_data.h"
#include "cli/load_run.h"
#include "cli/messages.h"
#include "cli/model_names.h"
#include "cli/progress.h"
#include "data/batches.h"
#include "data/kept_columns.h"
#include "data/labels.h"
#include "problem/predictions.h"
#include "problem/state_guard.h"
#include "report/csv_field.h"
#include "support/interrupt.h"
#include "support/json_text.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <arks/version.h>
#include <fmt/format.h>
#include <torch/version.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>

namespace arks::cli {

namespace {

class PredictSettings : public SettingGroup {
 public:
  PredictSettings() : SettingGroup("Prediction") {}

  Setting<std::string> data{
      this, text("data", "what to predict for: a table, FILE.npy, or a folder of images").path("FILE|DIR")};
  Setting<std::string> separator{this, separator_setting()};
  Setting<std::string> decimal{this, decimal_setting()};
  Setting<bool> header{this, header_setting()};
  Setting<std::string> keep{
      this, text("keep", "tables: columns that are copied into the result, as a,b; all = every column").type("LIST")};
  Setting<std::string> out{this, text("out", "CSV file to write; - = stdout").path("FILE|-").output().otherwise("-")};
  Setting<int64_t> batch_size{this, whole("batch-size", "samples at once").unit("samples").positive().otherwise(256)};
  Setting<bool> force{this, yes_no("force", "overwrite the file").otherwise(false).output()};
};

class PredictCommand : public Command {
 public:
  explicit PredictCommand(CommandLine& line);
  void fill_defaults() override {
    settings_.fill();
    common_.fill();
  }
  int run() override;

 private:
  LikeOptions reading() const;
  void load_kept(const ModelInterface& interface);
  std::vector<std::string> header(const DatasetInfo& info, bool files) const;
  void add_lines(const torch::Tensor& outputs, const LikeData& data, int64_t row, std::string& text) const;
  void check_count(const torch::Tensor& outputs, const DatasetInfo& info) const;
  std::string predict(SupervisedProblem& problem, const LikeData& data);
  std::string json(const DatasetInfo& info, int64_t samples) const;

  PredictSettings settings_;
  std::string run_name_;
  KeptColumns kept_;
};

PredictCommand::PredictCommand(CommandLine& line)
    : Command(line.add_command(
          "predict", "Apply a trained model to new data",
          "The data are read as those of the training were: the same columns by name, the same encoding and scaling.\n"
          "A target is not needed. The result has a line for each row, in their order: the class and the probability\n"
          "of each class, or the number in your own units. For a folder of images, the file comes first; for a table,\n"
          "the columns of --keep.\n\n"
          "Example (after arks train --data iris --out runs/iris):\n"
          "  arks predict runs/iris --data new.csv --out predictions.csv")) {
  flags_.argument("MODEL", run_name_, "run folder, checkpoint, or a file of arks export", true);
  flags_.add(settings_);
  flags_.add(common_);
}

LikeOptions PredictCommand::reading() const {
  auto options = like_options(settings_.separator, settings_.decimal, settings_.header, common_);
  options.targets = false;
  return options;
}

/// Read once more, so that cells are copied as they were written.
void PredictCommand::load_kept(const ModelInterface& interface) {
  if (!settings_.keep.has_value()) return;
  ARKS_CHECK(interface.table && is_csv_name(*settings_.data), "--keep copies columns of a table, and ", *settings_.data,
             " has none with names");
  const auto form = reading();
  CsvOptions given;
  given.separator = form.separator;
  given.decimal = form.decimal;
  given.header = form.header;
  const auto options = csv_options(*interface.table, given, target_columns(interface), /*with_targets=*/false);
  kept_ = read_kept_columns(*settings_.data, options, *settings_.keep, settings_.keep.flag());
}

std::vector<std::string> PredictCommand::header(const DatasetInfo& info, bool files) const {
  std::vector<std::string> names = kept_.names;
  if (files) names.emplace_back("file");
  const auto first = names.size();
  if (info.num_classes > 0) {
    names.emplace_back("class");
    for (const auto& name : class_names_of(info)) names.push_back("probability of " + name);
  } else {
    for (const auto& name : info.target_names) names.push_back("predicted " + name);
    if (info.target_names.empty()) names.emplace_back("predicted");
  }
  for (size_t i = 0; i < kept_.names.size(); ++i) {
    const bool taken =
        std::find(names.begin() + static_cast<std::ptrdiff_t>(first), names.end(), names[i]) != names.end();
    if (taken) names[i] = "kept " + names[i];
  }
  return names;
}

void PredictCommand::check_count(const torch::Tensor& outputs, const DatasetInfo& info) const {
  const auto expected = info.num_classes > 0 ? info.num_classes : num_outputs(info);
  ARKS_CHECK(
      outputs.size(1) == expected, run_name_, " gives ", outputs.size(1), " numbers for a sample, but ",
      info.num_classes > 0 ? c10::str("there are ", expected, " classes") : c10::str(expected, " are predicted"));
}

/// A line of CSV for each row of these outputs; the first of them is `row` of the data.
void PredictCommand::add_lines(const torch::Tensor& outputs, const LikeData& data, int64_t row,
                               std::string& text) const {
  const auto& info = data.samples->info();
  const auto names = class_names_of(info);
  const auto winners = outputs.argmax(1);
  const auto predictions = predictions_of(outputs, info).contiguous();
  const auto digits = digits_of_predictions(info, outputs.size(1));
  const auto* numbers = predictions.data_ptr<double>();
  std::vector<std::string> fields;
  for (int64_t n = 0; n < outputs.size(0); ++n, ++row) {
    fields = kept_.cells(row);
    if (!data.files.empty()) fields.push_back(data.files[static_cast<size_t>(row)].string());
    if (info.num_classes > 0) fields.push_back(names[static_cast<size_t>(winners.data_ptr<int64_t>()[n])]);
    for (int64_t c = 0; c < outputs.size(1); ++c) {
      fields.push_back(fmt::format("{:.{}g}", *numbers++, digits[static_cast<size_t>(c)]));
    }
    text += csv_line(fields);
  }
}

std::string PredictCommand::predict(SupervisedProblem& problem, const LikeData& data) {
  const auto& info = data.samples->info();
  ProgressBar bar(samples_word(info), !*common_.quiet, ProgressBar::kFirstLine);
  const Batches batches(*data.samples, *settings_.batch_size);
  torch::NoGradGuard no_grad;
  const ModeGuard eval(problem, /*training=*/false);
  std::string text = csv_line(header(info, !data.files.empty()));
  int64_t row = 0;
  for (int64_t i = 0; i < batches.count(); ++i) {
    if (interrupted()) throw RunError("interrupted; nothing was written");
    auto outputs = problem.predict(batches.get(i).inputs).to(torch::kDouble);
    outputs = outputs.reshape({outputs.size(0), -1}).contiguous();
    check_count(outputs, info);
    add_lines(outputs, data, row, text);
    row += outputs.size(0);
    bar.update(row, data.samples->size(), row, "predicting");
  }
  bar.clear();
  return text;
}

std::string PredictCommand::json(const DatasetInfo& info, int64_t samples) const {
  nlohmann::ordered_json document;
  document["command"] = "predict";
  document["model"] = run_name_;
  document["data"] = *settings_.data;
  document["out"] = *settings_.out;
  document["keep"] = kept_.names;
  document["samples"] = samples;
  document["rows"] = samples;  // of images, too: as it was called first
  document["classes"] = info.class_names;
  document["targets"] = info.target_names;
  document["versions"] = {{"arks", kVersion}, {"libtorch", TORCH_VERSION}};
  return json_text(document);
}

int PredictCommand::run() {
  apply(common_);
  settings_.fill();
  ARKS_CHECK(settings_.data.has_value(), "--data is needed: the rows or images to predict for");
  const auto json_file = common_.json.value_or("");
  const auto& out = *settings_.out;
  check_outputs({&settings_.out, &common_.json}, *settings_.force, files_read({run_name_}));
  const auto run = read_run(run_name_);
  const auto interface = interface_of_run(run, common_);
  const auto data = load_like(interface, *settings_.data, reading());
  load_kept(interface);
  for (const auto& note : data.notes) note_of(*settings_.data + ": " + note);
  for (const auto& warning : data.warnings) warn_of(*settings_.data + ": " + warning);
  const auto problem = make_problem(run, data.samples->info(), nullptr, parse_engine(*common_.engine));
  fit_threads(common_, data.samples->info(), *problem);
  if (*common_.verbose) say(engine_line("", *problem, data.samples->info(), /*training=*/false));
  catch_interrupts();
  write_output(out, predict(*problem, data));
  const auto& info = data.samples->info();
  if (!json_file.empty()) write_output(json_file, json(info, data.samples->size()));
  if (out != "-" && json_file != "-") {
    std::cout << out << ": " << data.samples->size() << " " << samples_word(info) << ", "
              << join(header(info, !data.files.empty())) << "\n";
  }
  return kDone;
}

}  // namespace

std::unique_ptr<Command> make_predict_command(CommandLine& line) {
  return std::make_unique<PredictCommand>(line);
}

}  // namespace arks::cli
