#pragma once
#include "cli/data_settings.h"
#include "objective/method_settings.h"

#include <arks/model/activation.h>
#include <arks/model/registry.h>

#include <functional>
#include <optional>
#include <string>

namespace arks::cli {

/// What is trained on what: settings of `arks train`, and what its runs record.
class WhatSettings : public SettingGroup {
 public:
  /// `usual_model` is the network that goes with the data set; without it there is no default.
  explicit WhatSettings(std::function<std::string()> usual_model = nullptr);
  ~WhatSettings() override;

 private:
  std::function<std::string()> usual_model_;

 public:
  Setting<std::string> data{
      this,
      data_setting("data set, FILE.csv, FILE.npy with --targets, or a folder of images").otherwise("fashion-mnist")};
  Setting<std::string> method{this, text("method", "what is minimised").words(names_of(methods())).otherwise("arks")};
  Setting<std::string> model{
      this, text("model", "network, or your own: a TorchScript FILE.pt")
                .words(model_names)
                .open()
                .path("NAME")
                .otherwise([this] { return usual_model_ ? std::optional(usual_model_()) : std::nullopt; })};
  Setting<std::string> activation{this, text("activation", "activation function, where the network offers a choice")
                                            .words(activation_names())
                                            .default_words("the network's own")};
  Setting<int64_t> width{this, whole("width", "cnn: channels of its first convolution")
                                   .positive()
                                   .default_words("8, 16 or 32 by the images")
                                   .only_if([this] { return has_width(); }, "with --model cnn")};
  Setting<bool> batch_norm{this, yes_no("batch-norm", "cnn: batch norm behind every convolution")
                                     .negatable()
                                     .otherwise(false)
                                     .only_if([this] { return has_width(); }, "with --model cnn")};
  Setting<int64_t> train_limit{this,
                               limit_setting("train-limit", "use the first N training samples; 0 = all").otherwise(0)};
  Setting<int64_t> limit{this, limit_setting("limit", "test on the first N test samples; 0 = all").otherwise(0)};
  Setting<RangeList> bounds{this, bounds_setting()};
  Setting<int64_t> seed{this, whole("seed", "seed of initial weights, sample order and random starts")
                                  .not_negative()
                                  .otherwise(0)
                                  .not_in_studies("seeds belong at the top of the file: seeds = [0, 10, 20]")};
  Setting<bool> split_with_seed{
      this,
      yes_no("split-with-seed", "the division into parts follows --seed too").quietly([] { return std::nullopt; })};

  /// Of the network that fits images of any size.
  bool has_width() const { return fits_any_images(model.value_or("")); }
  /// What a built-in network is made with, but for its seed.
  ModelOptions network() const;
};

}  // namespace arks::cli
