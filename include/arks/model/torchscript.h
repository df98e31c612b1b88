#pragma once
#include <arks/model/model.h>

#include <filesystem>
#include <string>
#include <vector>

namespace arks {

/// The model as TorchScript bytes: weights and the forward function in one file that Python reads with torch.jit.load.
/// A model that was loaded from TorchScript becomes the same program again, with the weights of now: its attributes,
/// its other methods and its modes (train, eval) are those of the file. A normalised or rescaled one is put behind its
/// scaling, as the submodule `net`. Of a module whose graph is what it trains (GraphModule, a torch::nn::Sequential of
/// known layers without dropout) the graph is written; other models bring a script (Model::with_script), and one that
/// does not is an Error.
///
/// `interface`, where there is one, says what the model takes and gives; it becomes the file arks.json inside the
/// archive, which Python reads with torch.jit.load(file, _extra_files={"arks.json": ""}).
std::string to_torchscript(const Model& model, const std::string& interface = "");

/// A program of to_torchscript without the scalings that were put around it, and these: (x − mean)/deviation before it,
/// y·deviation + mean behind it. Undefined where there are none.
struct InnerProgram {
  Model net;
  torch::Tensor input_mean, input_deviation, output_mean, output_deviation;
};

/// Of a model of load_torchscript; other models come back as they are.
InnerProgram inner_program(const Model& model);

/// The arks.json in a TorchScript file; empty where there is none.
std::string interface_in(const std::string& bytes);

/// A TorchScript file (torch.jit.script or torch.jit.trace, then .save) as a model: it can be attacked, and trained
/// when it has parameters (a frozen one has none). Names of weights are those of Python's state_dict; tied weights are
/// listed once, under the first name. Training and evaluation mode set the attribute `training` of every module that
/// has one; what tracing wrote into the program stays (see torchscript_notes). graph_of looks into programs that are
/// chains of known layers of torch.nn. Throws Error when the file is none, is damaged, takes more than one tensor, or
/// its weights are not float32.
Model load_torchscript(const std::filesystem::path& file);

/// The same from memory; `name` stands for the file in messages.
Model load_torchscript(const std::string& bytes, const std::string& name);

/// What the bytes of a file are, as far as it matters for the message to the user.
enum class ModelFile { kTorchScript, kCheckpoint, kPickle, kDamaged, kOther };
ModelFile recognise_model_file(const std::string& bytes);

/// What tracing left behind in the program. Of a module traced in evaluation mode batch norm and dropout stay in it,
/// also when it is trained: `notes`. Of one traced in training mode predictions are random or depend on the batch:
/// `warnings`.
struct TorchScriptNotes {
  std::vector<std::string> warnings, notes;
  bool fixed_batch_norm = false;  ///< the mode of batch norm is written into the program, and no other changes it
};
TorchScriptNotes torchscript_notes(const Model& model);

}  // namespace arks
