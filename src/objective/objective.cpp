#include <arks/objective/objective.h>

namespace arks {

namespace {

void add(std::optional<double>& sum, const std::optional<double>& other) {
  if (other) sum = sum.value_or(0) + *other;
}

}  // namespace

BatchSums& BatchSums::operator+=(const BatchSums& other) {
  samples += other.samples;
  loss += other.loss;
  surrogate += other.surrogate;
  add(wrong, other.wrong);
  add(adversarial_loss, other.adversarial_loss);
  add(kernel, other.kernel);
  add(cost, other.cost);
  add(mmd, other.mmd);
  return *this;
}

}  // namespace arks
