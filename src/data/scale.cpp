#include "data/scale.h"

#include <algorithm>

namespace arks {

namespace {

const Feature* with_name(const std::vector<Feature>& features, const Feature& wanted) {
  const auto found = std::find_if(features.begin(), features.end(), [&](const Feature& feature) {
    return feature.name == wanted.name && feature.quantity == wanted.quantity;
  });
  return found == features.end() ? nullptr : &*found;
}

/// The scale of samples [...] of one shape, with a number for each input.
Scale of_each_input(const DatasetInfo& info) {
  auto scale = input_scale(info);
  scale.mean = scale.mean.expand(info.input_shape).clone();
  scale.deviation = scale.deviation.expand(info.input_shape).clone();
  return scale;
}

/// The one that the samples get.
Scale wanted_inputs(const DatasetInfo& others, const DatasetInfo& info) {
  const bool named = !info.features.empty() && !others.features.empty();
  if (!named) return others.input_shape == info.input_shape ? input_scale(others) : input_scale(info);
  if (!others.input_mean.defined()) return input_scale(others);
  auto wanted = of_each_input(info);
  const auto theirs = of_each_input(others);
  for (size_t i = 0; i < info.features.size(); ++i) {
    const auto* feature = with_name(others.features, info.features[i]);
    if (feature == nullptr) continue;
    const auto place = feature - others.features.data(), own = static_cast<int64_t>(i);
    wanted.mean[own] = theirs.mean[place];
    wanted.deviation[own] = theirs.deviation[place];
  }
  return wanted;
}

class OnScales : public Dataset {
 public:
  OnScales(DatasetPtr source, const Scale& inputs, const Scale& targets, DatasetInfo info)
      : source_(std::move(source)), inputs_(inputs), targets_(targets), info_(std::move(info)) {}

  int64_t size() const override { return source_->size(); }
  const DatasetInfo& info() const override { return info_; }
  Batch get(const torch::Tensor& indices) const override {
    auto batch = source_->get(indices);
    if (!inputs_.is_identity()) batch.inputs = moved(batch.inputs, inputs_);
    if (targets_.is_identity()) return batch;
    const auto shape = batch.targets.sizes().vec();
    batch.targets = moved(batch.targets.reshape({batch.targets.size(0), -1}), targets_).reshape(shape);
    return batch;
  }

 private:
  static torch::Tensor moved(const torch::Tensor& numbers, const Scale& by) {
    return ((numbers.to(torch::kDouble) - by.mean) / by.deviation).to(numbers.scalar_type());
  }

  DatasetPtr source_;
  Scale inputs_, targets_;  // as seen from those of the source
  DatasetInfo info_;
};

}  // namespace

Scale::Scale(const torch::Tensor& m, const torch::Tensor& d)
    : mean(m.defined() ? m : torch::zeros({}, torch::kDouble)),
      deviation(d.defined() ? d : torch::ones({}, torch::kDouble)) {}

bool Scale::is_identity() const {
  constexpr double kRounding = 1e-9;
  return (mean.abs() < kRounding).all().item<bool>() && ((deviation - 1).abs() < kRounding).all().item<bool>();
}

Scale input_scale(const DatasetInfo& info) {
  return {info.input_mean, info.input_deviation};
}

Scale target_scale(const DatasetInfo& info) {
  return {info.target_mean, info.target_deviation};
}

DatasetPtr on_scales_of(const DatasetInfo& others, DatasetPtr samples) {
  const auto& own = samples->info();
  const auto inputs = wanted_inputs(others, own);
  const auto seen = inputs.from(input_scale(own)), targets = target_scale(others).from(target_scale(own));
  if (seen.is_identity() && targets.is_identity()) return samples;
  auto info = own;
  if (!seen.is_identity()) {
    const bool scaled = !inputs.is_identity();
    info.bounds.reset();  // they were of the other scale
    info.input_mean = scaled ? inputs.mean.expand(own.input_shape) : torch::Tensor();
    info.input_deviation = scaled ? inputs.deviation.expand(own.input_shape) : torch::Tensor();
  }
  info.target_mean = others.target_mean;
  info.target_deviation = others.target_deviation;
  return std::make_shared<OnScales>(std::move(samples), seen, targets, std::move(info));
}

std::string unscaled_among(const DatasetInfo& others, const DatasetInfo& info) {
  if (!others.input_mean.defined() || info.input_mean.defined()) return "";
  for (const auto& feature : info.features) {
    if (feature.quantity && with_name(others.features, feature) == nullptr) return feature.name;
  }
  return "";
}

}  // namespace arks
