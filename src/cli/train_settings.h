#pragma once
// The settings of `arks train`, and the way from them to library objects and to config.toml.
#include "cli/class_weights.h"
#include "cli/load_data.h"
#include "cli/model_settings.h"
#include "cli/what_settings.h"
#include "objective/method_settings.h"

#include <arks/data/augmented.h>
#include <arks/train/optimizer.h>

#include <optional>
#include <string>
#include <vector>

namespace arks::cli {

/// "none", or epochs: "25,50". Throws Error for anything else.
void check_schedule(const std::string& text);

/// The outer loop.
class OuterSettings : public SettingGroup {
 public:
  explicit OuterSettings(const PublishedSettings& published);
  ~OuterSettings() override;

 private:
  const PublishedSettings& published_;

 public:
  Setting<int64_t> epochs{this, whole("epochs", "passes over the training set")
                                    .unit("epochs")
                                    .positive()
                                    .changes_on_resume(true)
                                    .otherwise([this] { return std::optional(published_.epochs); })};
  Setting<int64_t> patience{this, whole("patience", "stop after so many epochs without a better one; 0 = never")
                                      .unit("epochs")
                                      .not_negative()
                                      .default_words("own data: 5 to 100; else 0")};
  Setting<int64_t> batch_size{this,
                              whole("batch-size", "samples per step").unit("samples").positive().otherwise([this] {
                                return std::optional(published_.batch_size);
                              })};
  Setting<std::string> opt{this, text("opt", "optimiser of the weights").words(optimizer_names()).otherwise([this] {
                             return std::optional(published_.optimizer);
                           })};
  Setting<double> lr{this, real("lr", "learning rate").positive().otherwise([this] {
                       return std::optional(published_.learning_rate);
                     })};
  Setting<double> momentum{this,
                           real("momentum", "momentum of sgd")
                               .checked("at least 0 and below 1", [](double given) { return given >= 0 && given < 1; })
                               .otherwise([this] { return std::optional(published_.momentum); })
                               .only_if([this] { return opt.value_or("") == "sgd"; }, "with --opt sgd")};
  Setting<double> weight_decay{this, real("weight-decay", "L2 penalty on the weights").not_negative().otherwise([this] {
                                 return std::optional(published_.weight_decay);
                               })};
  Setting<std::string> lr_steps{this, text("lr-steps", "epochs after which the rate falls to a tenth, or none")
                                          .unit("epochs")
                                          .type("LIST")
                                          .verify(check_schedule)
                                          .otherwise([this] { return std::optional(published_steps()); })};

  Setting<std::string> class_weights{
      this, text("class-weights", "factor of each class in the loss of training: none, balanced, or a,b,c")
                .type("LIST")
                .verify(check_class_weights)
                .otherwise("none")
                .written_if_given()};

  OptimizerOptions optimizer() const;

 private:
  std::string published_steps() const {
    return published_.decay_epochs.empty() ? "none" : c10::str(c10::Join(",", published_.decay_epochs));
  }
};

/// Pictures changed from epoch to epoch, and weights averaged over epochs.
class RefinementSettings : public SettingGroup {
 public:
  RefinementSettings(const PublishedSettings& published, const OuterSettings& outer);
  ~RefinementSettings() override;

 private:
  const PublishedSettings& published_;
  const OuterSettings& outer_;
  bool crops() const { return augment.value_or("") == "crop" || augment.value_or("") == "crop-flip"; }

 public:
  Setting<std::string> augment{this, text("augment", "change training images at random: mirror, crop, or both")
                                         .words({"none", "flip", "crop", "crop-flip"})
                                         .otherwise([this] { return std::optional(published_.augment); })};
  Setting<int64_t> crop_padding{this, whole("crop-padding", "zeros on every side")
                                          .unit("pixels")
                                          .positive()
                                          .otherwise(CropFlipOptions().padding())
                                          .only_if([this] { return crops(); }, "with --augment crop or crop-flip")};
  Setting<bool> swa{
      this, yes_no("swa", "the result is the mean of the weights after the last epochs").negatable().quietly([this] {
        return std::optional(published_.average);
      })};
  Setting<int64_t> swa_start{this,
                             whole("swa-start", "first epoch whose weights are averaged")
                                 .unit("epoch")
                                 .positive()
                                 .otherwise([this] { return std::optional(std::max<int64_t>(1, *outer_.epochs / 2)); })
                                 .only_if([this] { return swa.value_or(false); }, "with --swa")};

  /// None when the images are used as they are.
  std::optional<CropFlipOptions> augmentation() const;
  void check() const;
};

/// What the guard should cover, from which the strength of a method follows when it is not given.
class ExpectSettings : public SettingGroup {
 public:
  /// `useful` is true for methods that have a strength.
  explicit ExpectSettings(const std::function<bool()>& useful);
  ~ExpectSettings() override;

  Setting<std::string> expect, expect_file;

  bool on() const { return expect.has_value() || expect_file.has_value(); }
  /// Throws Error when both are given, or the data set cannot have columns with names.
  void check(const std::string& data) const;
  /// How far the training samples move. Throws Error for terms that do not fit their columns.
  GuardReach reach(const Dataset& train_set) const;
};

class TrainSettings {
 public:
  void add_to(Flags& flags);

  /// Chooses the method and fills in what was not given, with the paper's value where there is one; returns what is
  /// worth saying, "epochs 45". Throws Error for settings that do not go together. `found` is what the user's own data
  /// turned out to be, where that is known already: it decides the network, with the number of `samples` for training,
  /// of which some are `kept` for validation. So is `advice` on how far to guard.
  std::vector<std::string> fill(const DatasetInfo* found = nullptr, const GuardAdvice* advice = nullptr,
                                int64_t samples = 0, int64_t kept = 0);
  /// The same as far as it goes, however wrong or incomplete the settings are. What depends on images that were not
  /// read stays open.
  void fill_for_help();

  /// Nobody says how long to train on data of the user's own, and a validation part is to decide.
  bool stops_early() const;

  /// A sentence for each setting that was given and has no effect.
  std::vector<std::string> unused() const;

  /// Those that --split-with-seed makes the seed.
  std::vector<const AnySetting*> followers_of_seed() const;

  /// Those that the data and the method have, in the order of the help: what decides the result.
  std::vector<const SettingGroup*> groups() const;

 private:
  /// Throws Error for what a built-in network does not take, or a file.
  void check_network() const;
  void leave_open_what_samples_decide();
  /// All defaults, in the one order in which they depend on each other.
  std::vector<std::string> fill_in(const PublishedSettings& published, bool checks);

  PublishedSettings published_ = published_for_images();

 public:
  WhatSettings what{[this] { return published_.model; }};
  ModelSettings network{"What to train"};
  SourceSettings data;
  Choice<Method> method{"method", methods()};
  ExpectSettings expected{[this] { return method.get() != nullptr && method->strength().has_value(); }};
  std::vector<std::unique_ptr<MethodWrapper>> wrappers = make_wrappers();
  OuterSettings outer{published_};
  RefinementSettings refinement{published_, outer};
};

}  // namespace arks::cli
