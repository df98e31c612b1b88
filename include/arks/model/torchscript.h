#pragma once
#include <arks/model/model.h>

#include <string>

namespace arks {

/// The model as TorchScript bytes: weights and the forward function in one file that Python reads with torch.jit.load.
/// Throws Error for a model that brings no script (Model::with_script).
std::string to_torchscript(const Model& model);

}  // namespace arks
