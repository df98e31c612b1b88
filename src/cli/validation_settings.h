#pragma once
// Which training samples are kept for choices, whatever the data are.
#include "settings/setting.h"

#include <arks/data/load.h>

namespace arks::cli {

class ValidationSettings : public SettingGroup {
 public:
  ValidationSettings();
  ~ValidationSettings() override;

  Setting<double> fraction{this,
                           real("validation-fraction", "part of the training samples kept for choices")
                               .checked("at least 0 and below 1", [](double given) { return given >= 0 && given < 1; })
                               .default_words("own data: 0.2; else 0")
                               .in_data()};
  Setting<int64_t> folds{
      this, whole("folds", "cut training samples into so many; one run keeps one (--fold), sweep each in turn")
                .checked("at least 2", [](int64_t given) { return given >= 2; })
                .default_words("none")
                .in_data()};
  Setting<int64_t> fold{this, whole("fold", "which fold is the validation part, counted from 0: 0 to folds - 1")
                                  .not_negative()
                                  .default_words("0")
                                  .in_data()
                                  .only_if([this] { return folds.has_value(); }, "with --folds")
                                  .not_in_studies("a search with folds trains on each of them")};
  Setting<int64_t> seed{this, whole("validation-seed", "decides which samples are kept for validation")
                                  .not_negative()
                                  .default_words("--split-seed, else 0")
                                  .in_data()
                                  .only_if([this] { return on(); }, "with a validation part")};

  /// Asked for, or filled in.
  bool on() const { return folds.has_value() || fraction.value_or(0) > 0; }
  /// Throws Error for what does not go together.
  void check() const;
  ValidationOptions options() const;
  /// There is no validation part after all.
  void drop();
};

}  // namespace arks::cli
