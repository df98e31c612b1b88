#pragma once
// The settings of `arks evaluate`.
#include "attack/attack_method.h"
#include "cli/data_settings.h"
#include "cli/model_names.h"

#include <arks/attack/evaluate.h>

#include <optional>
#include <string>

namespace arks::cli {

/// Strengths, samples and who the attack is crafted on, whatever the attack.
class EvaluateSettings : public SettingGroup {
 public:
  EvaluateSettings() : SettingGroup("Attack") {}

  bool clean = false;    ///< the default is no attack at all: field data were given, and nothing about an attack
  bool drifted = false;  ///< the default is drift: how columns drift was given

  Setting<std::string> attack{
      this, text("attack", "attack, or a shift that ignores the model").words(names_of(attacks())).otherwise([this] {
        return std::optional<std::string>(drifted ? "drift" : "pgd");
      })};
  Setting<std::string> eps{this, text("eps", "radii or strengths, as a,b,c or a:b:step")
                                     .unit("input units; scale: none")
                                     .type("LIST")
                                     .otherwise([this] { return usual_strengths(); })};
  Setting<std::string> source{this, text("source", "craft the attack on this model (transfer)").path("RUN|FILE")};
  Setting<bool> white_box{this, yes_no("white-box", "with --source: attack each model itself as well")
                                    .otherwise(false)
                                    .only_if([this] { return source.has_value(); }, "with --source")
                                    .not_in_studies("there is one attack; without source it is white-box")};
  Setting<int64_t> repeats{this, whole("repeats", "repeats of what is random; error and loss are averaged")
                                     .positive()
                                     .otherwise(EvaluateOptions().repeats())};

 private:
  std::optional<std::string> usual_strengths() const {
    return clean ? "0" : make_named("attack", attacks(), *attack)->usual_strengths();
  }
};

class TestSettings : public SettingGroup {
 public:
  TestSettings() : SettingGroup("Data") {}

  Setting<std::string> data{this, data_setting("data set, file or folder; needed when all models are TorchScript files")
                                      .default_words("the first MODEL's")};
  Setting<std::string> split{this, text("split", "part of the data; validation: the one that the run kept for choices")
                                       .words({"test", "validation", "train"})
                                       .otherwise("test")};
  Setting<int64_t> limit{this, limit_setting("limit", "use the first N samples of it; 0 = all").otherwise(0)};
  Setting<RangeList> bounds{this, bounds_setting()};
  Setting<int64_t> batch_size{this, whole("batch-size", "samples at once; changes which random starts are drawn")
                                        .unit("samples")
                                        .positive()
                                        .otherwise(EvaluateOptions().batch_size())};
  Setting<int64_t> seed{this, whole("seed", "seed of random starts and noise").not_negative().otherwise(0)};
};

class EvaluateOutput : public SettingGroup {
  static constexpr const char* kOwnFigures = "tables and figures show all runs together";

 public:
  EvaluateOutput() : SettingGroup("Output") {}

  Setting<std::string> csv{this, text("csv", "write the points as CSV; - = stdout").path("FILE|-").output()};
  Setting<std::string> metric{this, text("metric", "shown in table and figure")
                                        .words({"error", "loss"})
                                        .default_words("error with classes, else loss")
                                        .not_in_studies(kOwnFigures)};
  Setting<std::string> names{this, names_setting()};
  Setting<bool> details{
      this, yes_no("details", "print all metrics and confusion matrices, however many").otherwise(false).output()};
  Setting<std::string> figure{
      this, text("figure", "draw error or loss against eps: .svg or .png, comma-separated").paths().output()};
  Setting<std::string> grid{
      this, text("grid", "draw images before and after the attack, at the largest eps").path().output()};
  Setting<std::string> title{this, text("title", "title of figure and grid")
                                       .type("TEXT")
                                       .default_words("data or model, attack, strength")
                                       .output()
                                       .not_in_studies(kOwnFigures)};
  Setting<bool> force{this, yes_no("force", "overwrite output files").otherwise(false).output()};
};

}  // namespace arks::cli
