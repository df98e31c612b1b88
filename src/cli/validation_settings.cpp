#include "cli/validation_settings.h"

#include <arks/support/error.h>

namespace arks::cli {

ValidationSettings::ValidationSettings() : SettingGroup("Validation") {}
ValidationSettings::~ValidationSettings() = default;

void ValidationSettings::check() const {
  ARKS_CHECK(!fold.given() || folds.has_value(), "--fold needs --folds, the number of parts; got --fold ",
             fold.value_or(0), " alone");
  ARKS_CHECK(!folds.has_value() || !fraction.has_value(),
             "--folds and --validation-fraction cannot be used together: a fold is 1/folds of the training samples");
  ARKS_CHECK(!folds.has_value() || fold.value_or(0) < *folds, "--fold must be 0 to ", folds.value_or(1) - 1,
             ", one less than --folds, got ", fold.value_or(0));
}

ValidationOptions ValidationSettings::options() const {
  ValidationOptions options;
  options.fraction(fraction.value_or(0)).seed(static_cast<uint64_t>(seed.value_or(0)));
  if (folds.has_value()) options.folds(*folds).fold(fold.value_or(0));
  return options;
}

void ValidationSettings::drop() {
  fraction.reset();
  seed.reset();
}

}  // namespace arks::cli
