#include <arks/objective/objective.h>
#include <arks/support/error.h>

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

WorstPoints Majorant::find(const Batch& /*batch*/, torch::Generator& /*generator*/) {
  return {};
}

MajorantValue Majorant::step(const Batch& batch, torch::Generator& generator, const Descend& descend) {
  const auto points = find(batch, generator);
  return descend([&] { return value(batch, points); });
}

std::optional<std::string> Majorant::after_epoch(const TrainedEpoch& /*epoch*/, torch::Generator& /*generator*/) {
  return std::nullopt;
}

void Majorant::load_state(const NamedTensors& state) {
  ARKS_CHECK(state.empty(), "the state of the method is another method's: it holds ", state.front().first);
}

}  // namespace arks
