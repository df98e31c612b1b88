#pragma once
// Expected drifts as a person writes them: "temperature+2.5, pressure*1.1, humidity~3".
#include <arks/attack/drift.h>
#include <arks/data/dataset.h>

#include <string>
#include <vector>

namespace arks {

/// What happens to one column, in its own units.
struct ColumnDrift {
  enum class Kind { kAdd, kMultiply, kUniform, kNormal };
  std::string column;
  Kind kind = Kind::kAdd;
  double amount = 0;
};

/// The columns that terms may name: those of the samples, or "input 1", "input 2", … of rows without names; none of
/// images.
std::vector<Feature> drifting_features(const DatasetInfo& info);

/// Terms with commas or line breaks between them; what follows a # is not read. A term is the name of a column, in
/// double quotes where it holds a comma, # or operator ("" is a quote), then +a or -a (added), *a or /a (multiplied),
/// ±a or +/-a (uniform noise of at most a), ~a (normal noise of deviation a). Throws Error naming `what` for a term
/// that is none, +-a (which may mean two things), an unknown column (with the nearest name), a column of names or of
/// True and False, and a date that is multiplied.
std::vector<ColumnDrift> parse_drifts(const std::string& text, const std::vector<Feature>& features,
                                      const std::string& what);

/// What was understood: "temperature +2.5, pressure ×1.1, flow ±3, level ~0.2".
std::string to_text(const std::vector<ColumnDrift>& drifts);

/// The same on the scale of the samples. The terms of a column apply from left to right: a factor also multiplies what
/// was added before it, noise too.
DriftOptions drift_options(const std::vector<ColumnDrift>& drifts, const DatasetInfo& info);

}  // namespace arks
