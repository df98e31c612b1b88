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

EpochVerdict Majorant::after_epoch(const TrainedEpoch& /*epoch*/, torch::Generator& /*generator*/) {
  return {};
}

void Majorant::load_state(const NamedTensors& state) {
  check_state(state, "");
}

void Majorant::check_state(const NamedTensors& state, const std::string& own) {
  if (state.empty() || (state.size() == 1 && state[0].first == own)) return;
  const auto& found = state[0].first == own ? state[1].first : state[0].first;
  throw Error("the checkpoint holds the state of another method (" + found.substr(0, found.find('.')) + ")");
}

}  // namespace arks
