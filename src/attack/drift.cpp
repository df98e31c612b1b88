#include <arks/attack/drift.h>

#include "attack/attack_method.h"
#include "attack/drift_text.h"
#include "support/contains.h"
#include "support/file.h"
#include "support/samples.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <cmath>

namespace arks {

namespace {

void check_values(const torch::Tensor& values, const char* name, bool noise) {
  if (!values.defined()) return;
  ARKS_CHECK(values.isfinite().all().item<bool>(), "drift: ", name, " must be finite");
  ARKS_CHECK(!noise || (values >= 0).all().item<bool>(), "drift: ", name, " is noise and must not be negative");
}

}  // namespace

Drift::Drift(DriftOptions options) : options_(std::move(options)) {
  ARKS_CHECK(std::isfinite(options_.eps()), "drift: eps must be finite, got ", options_.eps());
  check_values(options_.factor(), "factor", /*noise=*/false);
  check_values(options_.offset(), "offset", /*noise=*/false);
  check_values(options_.uniform(), "uniform", /*noise=*/true);
  check_values(options_.normal(), "normal", /*noise=*/true);
}

std::unique_ptr<BoundAttack> Drift::bind(Problem& /*problem*/, const std::optional<Bounds>& bounds) const {
  return bind_shift(bounds, [options = options_](const torch::Tensor& samples, torch::Generator& generator) {
    const auto x = samples.detach();
    auto change = torch::zeros_like(x);
    const auto add = [&](const torch::Tensor& values, const torch::Tensor& times) {
      if (values.defined()) change = change + times * per_feature(values, x, "drift");
    };
    if (options.factor().defined()) add(options.factor() - 1, x);
    add(options.offset(), torch::ones_like(x));
    // always drawn, so that one kind of noise does not change the draws of another
    const auto uniform = torch::empty(x.sizes(), x.options()).uniform_(-1, 1, generator);
    const auto normal = torch::empty(x.sizes(), x.options()).normal_(0, 1, generator);
    add(options.uniform(), uniform);
    add(options.normal(), normal);
    return (x + options.eps() * change).to(x.scalar_type());
  });
}

namespace {

class DriftMethod : public AttackMethod {
 public:
  Setting<std::string> shift{
      this, text("shift", "columns and their drift: 'temperature+2.5, pressure*1.1, flow±3, level~0.2'").type("TERMS")};
  Setting<std::string> shift_file{this, text("shift-file", "file with such terms, one on a line").input_file()};

  bool is_shift() const override { return true; }
  bool draws() const override { return true; }
  std::string strength() const override { return "part of the expected drift"; }
  std::string eps_unit() const override { return "part of the drift, 1 is all of it"; }
  std::string usual_strengths() const override { return "0,1"; }
  std::unique_ptr<Attack> make(double eps) const override {
    ARKS_CHECK(shift.has_value() != shift_file.has_value(), "attack drift needs --shift or --shift-file, ",
               shift.has_value() ? "not both" : advice_on_shift());
    if (!knows_samples()) return std::make_unique<Drift>(DriftOptions().eps(eps));  // only to check the strength
    return std::make_unique<Drift>(drift_options(drifts(), data()).eps(eps));
  }
  std::string understood() const override { return "drift: " + to_text(drifts()); }

 private:
  std::string advice_on_shift() const {
    std::vector<std::string> names;
    for (const auto& feature : drifting_features(data())) {
      if (feature.quantity && !contains(names, feature.column)) names.push_back(feature.column);
    }
    if (names.empty()) return "such as --shift 'temperature+2.5'";
    return "such as --shift '" + names.front() + "+2.5'; columns that can drift: " + join(names).substr(0, 300);
  }
  std::vector<ColumnDrift> drifts() const {
    const auto features = drifting_features(data());
    ARKS_CHECK(!features.empty(), "attack drift moves columns of a table, and ", data().name,
               " has none; uniform, gaussian and scale shift images, too");
    const auto text = shift.has_value() ? *shift : read_file(*shift_file);
    return parse_drifts(text, features, shift.has_value() ? std::string("--shift") : *shift_file);
  }
};

}  // namespace

AttackEntry drift_attack() {
  return {"drift", "a shift: named columns drift by eps times --shift, in your own units",
          [] { return std::make_unique<DriftMethod>(); }};
}

}  // namespace arks
