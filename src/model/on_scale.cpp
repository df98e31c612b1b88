#include "model/on_scale.h"

#include "data/scale.h"

#include <arks/model/normalised.h>
#include <arks/model/rescaled.h>
#include <arks/model/torchscript.h>

namespace arks {

namespace {

bool same(const torch::Tensor& a, const torch::Tensor& b) {
  constexpr double kOfFloat32 = 1e-6;  // in which a program may keep its scale
  return a.defined() && b.defined() && a.numel() == b.numel() && torch::allclose(a.flatten(), b.flatten(), kOfFloat32);
}

/// The network inside scalings that were put around it, if they are those that the interface names.
Model without_scalings(Model net, ModelInterface& own) {
  if (own.takes_scaled || own.gives_scaled) return net;
  const auto inner = inner_program(net);
  const bool inputs = own.input_mean.defined(), outputs = own.target_mean.defined();
  const bool alike =
      (inputs ? same(inner.input_mean, own.input_mean) && same(inner.input_deviation, own.input_deviation)
              : !inner.input_mean.defined()) &&
      (outputs ? same(inner.output_mean, own.target_mean) && same(inner.output_deviation, own.target_deviation)
               : !inner.output_mean.defined());
  if (!alike) return net;
  own.takes_scaled = inputs;
  own.gives_scaled = outputs;
  return inner.net;
}

}  // namespace

Model on_scale_of(const DatasetInfo& data, Model net, ModelInterface own) {
  net = without_scalings(net, own);
  const auto none = torch::Tensor();
  const auto takes = own.takes_scaled ? Scale(own.input_mean, own.input_deviation) : Scale(none, none);
  const auto inputs = takes.from(input_scale(data));
  if (!inputs.is_identity()) {
    const auto shape = torch::IntArrayRef(data.input_shape);
    net = normalised(net, inputs.mean.expand(shape), inputs.deviation.expand(shape));
  }
  const auto gives = own.gives_scaled ? Scale(own.target_mean, own.target_deviation) : Scale(none, none);
  const auto outputs = gives.from(target_scale(data));
  return outputs.is_identity() ? net : rescaled(net, outputs.mean, outputs.deviation);
}

}  // namespace arks
