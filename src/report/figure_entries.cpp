#include "figure_entries.h"
#include "axis.h"
#include "support/contains.h"
#include "support/text.h"
#include "utf8.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

std::string named(const Curve& curve) {
  return c10::str("figure: curve '", printable(curve.label), "'");
}

/// Its position, or the number of entries.
size_t find_curve(const std::vector<Entry>& entries, const std::string& label) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return !entry.mark && entry.label == label; });
  return static_cast<size_t>(found - entries.begin());
}

bool is_like_another(const Curve& curve) {
  return curve.kind == CurveKind::kReference && !curve.like.empty();
}

void check_like(const Curve& curve, const std::vector<Panel>& panels) {
  ARKS_CHECK(curve.like.empty() || curve.kind == CurveKind::kReference, named(curve),
             " is not a reference; only references can be like another curve");
  if (curve.like.empty()) return;
  std::vector<std::string> labels;
  for (const auto& panel : panels) {
    for (const auto& other : panel.curves) {
      if (!is_like_another(other)) labels.push_back(other.label);
    }
  }
  ARKS_CHECK(contains(labels, curve.like), named(curve), " is like '", printable(curve.like),
             "', which is not a curve with its own look", did_you_mean(printable(curve.like), labels));
}

void check_curve(const Curve& curve) {
  ARKS_CHECK(!curve.x.empty(), named(curve), " is empty");
  ARKS_CHECK(curve.x.size() == curve.y.size(), named(curve), " has ", curve.x.size(), " x and ", curve.y.size(), " y");
  ARKS_CHECK(curve.deviation.empty() || curve.deviation.size() == curve.y.size(), named(curve), " has ", curve.y.size(),
             " y and ", curve.deviation.size(), " deviations");
  ARKS_CHECK(curve.low.size() == curve.high.size() && (curve.low.empty() || curve.low.size() == curve.y.size()),
             named(curve), " has ", curve.y.size(), " y and ", curve.low.size(), " to ", curve.high.size(),
             " intervals");
  for (const double x : curve.x) ARKS_CHECK(std::isfinite(x), named(curve), " has an x that is not finite: ", x);
  if (curve.kind != CurveKind::kSteps) return;
  ARKS_CHECK(curve.x.size() >= 2, named(curve), " is a histogram of one step; at least two are needed");
  for (size_t i = 1; i < curve.x.size(); ++i) {
    ARKS_CHECK(curve.x[i - 1] < curve.x[i], named(curve), " is a histogram whose x do not ascend: ", curve.x[i],
               " after ", curve.x[i - 1]);
  }
}

/// What a logarithmic axis cannot show.
void check_positive(double value, AxisScale scale, const std::string& what, const char* axis) {
  ARKS_CHECK(scale == AxisScale::kLinear || !std::isfinite(value) || value > 0, what, " has ", axis, " = ", value,
             "; on a logarithmic axis it must be > 0");
}

void check_log_axes(const Panel& panel, const FigureOptions& options) {
  for (const auto& curve : panel.curves) {
    for (const double x : curve.x) check_positive(x, x_scale(panel, options), named(curve), "x");
    for (const double y : curve.y) check_positive(y, options.y_scale(), named(curve), "y");
  }
  for (const auto& mark : panel.marks) {
    const auto what = c10::str("figure: mark '", printable(mark.label), "'");
    check_positive(mark.x, x_scale(panel, options), what, "x");
    check_positive(mark.y, options.y_scale(), what, "y");
  }
}

/// One look for one label.
void check_same_kind(const std::vector<Panel>& panels) {
  std::vector<const Curve*> first;
  for (const auto& panel : panels) {
    for (const auto& curve : panel.curves) {
      const auto same =
          std::find_if(first.begin(), first.end(), [&](const Curve* other) { return other->label == curve.label; });
      if (same == first.end()) {
        first.push_back(&curve);
      } else {
        ARKS_CHECK((*same)->kind == curve.kind && (*same)->like == curve.like, named(curve),
                   " is of two kinds; a label has one look in all panels");
      }
    }
  }
}

}  // namespace

std::vector<Entry> entries_of(const std::vector<Panel>& panels) {
  std::vector<Entry> entries;
  std::vector<std::pair<size_t, std::string>> likes;  // entry, and whose style it takes
  size_t styles = 0;
  for (const auto& panel : panels) {
    for (const auto& curve : panel.curves) {
      const size_t known = find_curve(entries, curve.label);
      if (known < entries.size()) {
        entries[known].banded = entries[known].banded || has_deviations(curve);
        continue;
      }
      const bool like = is_like_another(curve);
      if (like) likes.emplace_back(entries.size(), curve.like);
      entries.push_back({curve.label, like ? 0 : styles++, curve.kind, has_deviations(curve), {}});
    }
  }
  for (const auto& [entry, like] : likes) entries[entry].style = entries[find_curve(entries, like)].style;
  for (const auto& panel : panels) {
    for (const auto& mark : panel.marks) {
      const bool known = std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
        return entry.mark == mark.kind && entry.label == mark.label;
      });
      if (!known && !mark.label.empty()) entries.push_back({mark.label, 0, CurveKind::kPoints, false, mark.kind});
    }
  }
  return entries;
}

size_t style_of(const Curve& curve, const std::vector<Entry>& entries) {
  return entries[find_curve(entries, curve.label)].style;
}

void check_panels(const std::vector<Panel>& panels, const FigureOptions& options) {
  ARKS_CHECK(!panels.empty(), "figure: no panels to draw");
  ARKS_CHECK(options.columns() >= 0, "figure: columns must be ≥ 0, got ", options.columns());
  for (const auto& panel : panels) {
    ARKS_CHECK(!panel.curves.empty(), "figure: no curves to draw");
    for (const auto& curve : panel.curves) {
      check_curve(curve);
      check_like(curve, panels);
    }
    for (const auto& mark : panel.marks) {
      ARKS_CHECK(std::isfinite(mark.x) && std::isfinite(mark.y), "figure: mark '", printable(mark.label),
                 "' is not finite: ", mark.x, ", ", mark.y);
    }
    check_log_axes(panel, options);
  }
  check_same_kind(panels);
  for (size_t i = 0; i < panels.size(); ++i) {
    const auto range = y_range(panels, i, options);
    ARKS_CHECK(range.low < range.high, "figure: the y range must have low < high, got ", range.low, " to ", range.high);
    ARKS_CHECK(options.y_scale() == AxisScale::kLinear || range.low > 0, "figure: the y range begins at ", range.low,
               "; on a logarithmic axis it must be > 0");
  }
}

}  // namespace arks
