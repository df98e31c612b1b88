#pragma once
// The flags that say what becomes of a network: a TorchScript file as it is or drawn anew, and a scaling in front.
#include "cli/command_line.h"

#include <arks/data/dataset.h>
#include <arks/model/model.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace arks::cli {

struct ModelSettings {
  bool reinit = false;
  std::string mean, std;                // numbers with commas; both or none
  std::optional<std::string> checksum;  // of the TorchScript file
};

/// --reinit, --mean, --std and the check sum, for training.
void add_model_settings(Flags& flags, ModelSettings& settings);
/// --mean and --std alone, for a MODEL that is a file.
void add_scaling_settings(Flags& flags, ModelSettings& settings);

/// From the configuration of a run; what is not there stays empty.
ModelSettings model_settings_from(const std::map<std::string, std::string>& config);

/// True for what is meant as a TorchScript file after --model: a path, and not the name of a network.
bool is_model_file(const std::string& model);

/// The content of a TorchScript file. Throws Error when its check sum is not the one in the settings; notes it.
std::string read_model_file(const std::filesystem::path& file, ModelSettings& settings);

/// True when --mean and --std were given. Throws Error when only one of them was.
bool has_scaling(const ModelSettings& settings);

/// The net behind the scaling, where one was given.
Model scaled(const Model& net, const ModelSettings& settings, const DatasetInfo& data);

}  // namespace arks::cli
