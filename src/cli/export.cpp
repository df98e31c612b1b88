#include "cli/command.h"
#include "cli/load_data.h"
#include "cli/load_run.h"
#include "cli/same_rows.h"
#include "support/file.h"
#include "support/json_text.h"
#include "support/text.h"

#include <arks/model/normalised.h>
#include <arks/model/rescaled.h>
#include <arks/model/torchscript.h>
#include <arks/model/two_logits.h>
#include <arks/support/error.h>
#include <arks/version.h>
#include <torch/version.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <iostream>

namespace arks::cli {

namespace {

class ExportSettings : public SettingGroup {
 public:
  ExportSettings() : SettingGroup("Export") {}

  Setting<std::string> out{this, text("out", "file to write").path("FILE.pt").output()};
  Setting<bool> raw_inputs{
      this,
      yes_no("raw-inputs", "standardised tables: take inputs in the units of the file").negatable().otherwise(true)};
  Setting<bool> force{this, yes_no("force", "overwrite the file").otherwise(false)};
};

class ExportCommand : public Command {
 public:
  explicit ExportCommand(CommandLine& line);
  void fill_defaults() override {
    settings_.fill();
    common_.fill();
  }
  int run() override;

 private:
  std::string summary(const ModelInterface& interface, bool scales) const;
  std::string json(const DatasetInfo& data, bool scales) const;
  int64_t outputs(const DatasetInfo& data) const { return one_logit_ ? 1 : num_outputs(data); }

  ExportSettings settings_;
  std::string run_name_, out_;
  bool one_logit_ = false;  // of two classes: a network of the user's
};

ExportCommand::ExportCommand(CommandLine& line)
    : Command(
          line.add_command("export", "Save a trained model as TorchScript, for torch.jit.load",
                           "The weights are the averaged ones if there are any, and for an unfinished run those of\n"
                           "its last checkpoint. A network trained on a standardised table gets a scaling of its\n"
                           "inputs in front, so that it takes your own units, and numbers it predicts are in your\n"
                           "units, too. model.pt in the run folder and --no-raw-inputs take and give standardised\n"
                           "numbers. The file says itself what it takes and gives, in arks.json inside it:\n"
                           "torch.jit.load(file, _extra_files={\"arks.json\": \"\"}) reads it in Python.\n\n"
                           "Example (after the example of arks train --help):\n"
                           "  arks export runs/example --out runs/robust.pt")) {
  flags_.argument("RUN", run_name_, "run folder or checkpoint", true);
  flags_.add(settings_);
  flags_.add(common_);
}

std::string ExportCommand::summary(const ModelInterface& interface, bool scales) const {
  const auto data = interface.info();
  const bool standardised = data.input_mean.defined();
  std::string text = c10::str(out_, ": takes [n, ", c10::Join(", ", data.input_shape), "] ",
                              interface.takes_double ? "float64" : "float32");
  if (interface.takes_double) text += " (float32 would lose digits of numbers far from 0)";
  if (standardised) {
    text += scales ? ", in the units of the table" : ", standardised as in training";
  } else if (data.bounds && data.bounds->lows().numel() == 1) {
    text += c10::str(" in [", shortest(data.bounds->lows().item<double>()), ", ",
                     shortest(data.bounds->highs().item<double>()), "]");
  }
  if (data.num_classes == 0) {
    const auto names = data.target_names.empty() ? "" : ": " + join(data.target_names);
    const bool scaled = data.target_mean.defined() && !*settings_.raw_inputs;
    return text + c10::str("; gives [n, ", num_outputs(data), "], ",
                           num_outputs(data) == 1 ? "the number" : "the numbers", " predicted",
                           scaled ? ", standardised as in training" : "", names, "\n");
  }
  text += c10::str("; gives [n, ", outputs(data), "], ",
                   one_logit_ ? "above 0 for the second class" : "a logit for each class");
  constexpr size_t kNames = 20;
  const bool names = !data.class_names.empty() && data.class_names.size() <= kNames;
  return text + (names ? ": " + join(data.class_names) : "") + "\n";
}

std::string ExportCommand::json(const DatasetInfo& data, bool scales) const {
  nlohmann::ordered_json document;
  document["command"] = "export";
  document["run"] = run_name_;
  document["out"] = out_;
  document["input_shape"] = data.input_shape;
  document["raw_inputs"] = scales || !data.input_mean.defined();
  document["outputs"] = outputs(data);
  document["targets"] = data.target_names;
  document["classes"] = data.class_names;
  document["versions"] = {{"arks", kVersion}, {"libtorch", TORCH_VERSION}};
  return json_text(document);
}

int ExportCommand::run() {
  apply(common_);
  settings_.fill();
  ARKS_CHECK(settings_.out.has_value(), "--out FILE.pt is needed: where to write the model");
  out_ = *settings_.out;
  ARKS_CHECK(std::filesystem::path(out_).extension() == ".pt", "--out: ", out_,
             " must end in .pt: the file is TorchScript");
  const auto json_file = common_.json.value_or("");
  check_outputs({&settings_.out, &common_.json}, *settings_.force, files_read({run_name_}));
  say_of_engine("not used; the file is TorchScript and runs on whatever loads it");
  const std::vector<Run> runs{read_run(run_name_)};
  ARKS_CHECK(!runs.front().is_file(), run_name_, " is not a run of arks train; a TorchScript file needs no export");
  auto interface = interface_of_run(runs.front(), common_);
  if (interface.division.empty()) interface.division = division_of(runs.front().config, *runs.front().what->data);
  const auto info = interface.info();
  const auto problem = make_problem(runs.front(), info);
  one_logit_ = has_one_logit(problem->model());
  const bool raw = *settings_.raw_inputs, scales = raw && info.input_mean.defined();
  if (settings_.raw_inputs.given() && raw && !scales) {
    say("arks: note: --raw-inputs changes nothing: " + info.name + " is not standardised");
  }
  auto model = scales ? normalised(problem->model(), info.input_mean, info.input_deviation) : problem->model();
  const auto* const scaled = dynamic_cast<const NormalisedImpl*>(model.module().get());
  interface.takes_double = scaled != nullptr && scaled->precise();
  if (raw && info.target_mean.defined()) model = rescaled(model, info.target_mean, info.target_deviation);
  interface.takes_scaled = info.input_mean.defined() && !raw;
  interface.gives_scaled = info.target_mean.defined() && !raw;
  write_file_atomically(out_, to_torchscript(model, to_json(interface)));
  if (!json_file.empty()) write_output(json_file, json(info, scales));
  if (json_file != "-") std::cout << summary(interface, scales);
  return kDone;
}

}  // namespace

std::unique_ptr<Command> make_export_command(CommandLine& line) {
  return std::make_unique<ExportCommand>(line);
}

}  // namespace arks::cli
