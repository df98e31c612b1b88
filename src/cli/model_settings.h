#pragma once
// The settings that say what becomes of a network: a TorchScript file as it is or drawn anew, and a scaling in front.
#include "settings/setting.h"

#include <arks/data/dataset.h>
#include <arks/model/model.h>

#include <filesystem>
#include <string>

namespace arks::cli {

/// True when every number is above 0.
bool are_positive(const NumberList& list);

/// A scaling in front of the network.
class ScalingSettings : public SettingGroup {
 public:
  explicit ScalingSettings(std::string title) : SettingGroup(std::move(title)) {}

  Setting<NumberList> mean{
      this,
      numbers("mean", "the network sees (x-mean)/std; a number, or one per channel or column").unit("input units")};
  Setting<NumberList> deviation{
      this,
      numbers("std", "standard deviation that goes with --mean").unit("input units").checked("positive", are_positive)};

  /// True when both were given. Throws Error when only one of them was.
  bool given() const;
};

/// The same, and what becomes of a TorchScript file that is trained.
class ModelSettings : public ScalingSettings {
 public:
  using ScalingSettings::ScalingSettings;

  Setting<std::string> checksum{this, text("model-checksum", "stop if --model FILE.pt does not have this checksum")
                                          .type("HEX")
                                          .default_words("no check")};
  Setting<bool> reinit{this, yes_no("reinit", "--model FILE.pt: redraw its weights from --seed")
                                 .otherwise(false)
                                 .only_if([this] { return checksum.has_value(); }, "with --model FILE.pt")};
};

/// True for what is meant as a TorchScript file after --model: a path, and not the name of a network.
bool is_model_file(const std::string& model);

/// The content of a TorchScript file. Throws Error when its checksum is not the one in the settings; notes it.
std::string read_model_file(const std::filesystem::path& file, ModelSettings& settings);

/// The net behind the scaling, where one was given.
Model scaled(const Model& net, const ScalingSettings& settings, const DatasetInfo& data);

}  // namespace arks::cli
