#include "measured.h"
#include "objective/method.h"

#include <arks/objective/erm.h>

namespace arks {

namespace {

class ErmMajorant : public Majorant {
 public:
  explicit ErmMajorant(Problem& problem) : problem_(problem) {}

  MajorantValue value(const Batch& batch, const WorstPoints& /*points*/) override {
    const auto evaluation = problem_.evaluate(batch.inputs, batch.targets);
    MajorantValue result;
    result.value = evaluation.loss.mean();
    add_clean(evaluation, result.sums);
    result.sums.surrogate = result.sums.loss;
    return result;
  }

 private:
  Problem& problem_;
};

}  // namespace

std::unique_ptr<Majorant> Erm::bind(Problem& problem) const {
  return std::make_unique<ErmMajorant>(problem);
}

namespace {

class ErmMethod : public Method {
 public:
  double passes() const override { return 1; }
  bool maximizes() const override { return false; }
  bool is_baseline() const override { return true; }
  std::unique_ptr<Objective> make(const MethodContext& /*context*/) const override { return std::make_unique<Erm>(); }
};

}  // namespace

MethodEntry erm_method() {
  return {"erm", "the loss at the samples; no robustness, the baseline", [] { return std::make_unique<ErmMethod>(); }};
}

}  // namespace arks
