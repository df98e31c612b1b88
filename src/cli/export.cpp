#include "cli/command.h"
#include "cli/load_data.h"
#include "cli/load_run.h"

#include <arks/model/normalised.h>
#include <arks/model/torchscript.h>
#include <arks/support/error.h>
#include <arks/support/file.h>
#include <arks/support/text.h>
#include <arks/version.h>
#include <torch/version.h>

#include <iostream>
#include <nlohmann/json.hpp>

namespace arks::cli {

namespace {

class ExportCommand : public Command {
 public:
  explicit ExportCommand(CommandLine& line);
  int run() override;

 private:
  std::string summary(const DatasetInfo& data, bool scales) const;
  std::string json(const DatasetInfo& data, bool scales) const;

  std::string run_name_, out_;
  std::optional<bool> raw_inputs_;
  bool force_ = false;
};

ExportCommand::ExportCommand(CommandLine& line)
    : Command(
          line.add_command("export", "Save a trained model as TorchScript, for torch.jit.load",
                           "The weights are the averaged ones where there are any, of an unfinished run those of\n"
                           "its last checkpoint. A network that was trained on a standardised table is put behind\n"
                           "the scaling of its inputs, so that it takes your own units; model.pt in the run folder\n"
                           "and --no-raw-inputs take them standardised. The data set of the run must be there.\n\n"
                           "Example (after the example of arks train --help):\n"
                           "  arks export runs/example --out runs/robust.pt")) {
  flags_.argument("RUN", run_name_, "run folder or checkpoint", true);
  flags_.option("--out", out_, "file to write", "FILE.pt");
  flags_.flag("--raw-inputs,!--no-raw-inputs", raw_inputs_,
              "standardised tables: take inputs in the units of the file [yes]");
  flags_.flag("--force", force_, "overwrite the file");
  add_common_options(flags_, common_);
}

std::string ExportCommand::summary(const DatasetInfo& data, bool scales) const {
  const bool standardised = data.input_mean.defined();
  std::string text = c10::str(out_, ": takes [n, ", c10::Join(", ", data.input_shape), "] float32");
  if (standardised) {
    text += scales ? ", in the units of the table" : ", standardised as in training";
  } else if (data.bounds && data.bounds->lows().numel() == 1) {
    text += c10::str(" in [", shortest(data.bounds->lows().item<double>()), ", ",
                     shortest(data.bounds->highs().item<double>()), "]");
  }
  if (data.num_classes == 0) return text + "; gives [n, 1], the number predicted\n";
  text += c10::str("; gives [n, ", data.num_classes, "], a logit for each class");
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
  document["outputs"] = data.num_classes > 0 ? data.num_classes : 1;
  document["classes"] = data.class_names;
  document["versions"] = {{"arks", kVersion}, {"libtorch", TORCH_VERSION}};
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int ExportCommand::run() {
  apply(common_);
  ARKS_CHECK(!out_.empty(), "--out FILE.pt is needed: where to write the model");
  check_output_file(out_, force_, "--out");
  check_output_file(common_.json, force_, "--json");
  const std::vector<Run> runs{read_run(run_name_)};
  ARKS_CHECK(!runs.front().is_file(), run_name_, " is no run of arks train; a TorchScript file needs no export");
  std::string data;
  const auto data_set = load_data(runs, Split::kTest, data, TestDataSettings(), common_);
  const auto& info = data_set->info();
  const auto problem = make_problem(runs.front(), info);
  const bool scales = info.input_mean.defined() && raw_inputs_.value_or(true);
  if (raw_inputs_.value_or(false) && !scales && !common_.quiet) {
    std::cerr << "arks: note: --raw-inputs changes nothing: " << info.name << " is not standardised\n";
  }
  const auto model = scales ? normalised(problem->model(), info.input_mean, info.input_deviation) : problem->model();
  write_file_atomically(out_, to_torchscript(model));
  if (!common_.json.empty()) write_output(common_.json, json(info, scales));
  if (common_.json != "-") std::cout << summary(info, scales);
  return kDone;
}

}  // namespace

std::unique_ptr<Command> make_export_command(CommandLine& line) {
  return std::make_unique<ExportCommand>(line);
}

}  // namespace arks::cli
