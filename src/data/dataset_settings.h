#pragma once
#include "data/registry.h"
#include "settings/choice.h"

#include <string>
#include <vector>

namespace arks {

/// The settings that one known data set has and others have not, such as the attribute that labels a face.
class DatasetSettings : public SettingGroup {
 public:
  using SettingGroup::SettingGroup;
  /// Puts the values in force where the set reads them.
  virtual void apply(DataOptions& options) const = 0;
  /// Those that decide what a label means: models that differ in one cannot be compared.
  virtual std::vector<std::string> labels() const { return {}; }
};

/// The known sets that have settings of their own.
const std::vector<Choosable<DatasetSettings>>& datasets_with_settings();

}  // namespace arks
