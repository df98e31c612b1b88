#pragma once
#include "data/published.h"
#include "plain_nets.h"

namespace arks::bench {

/// The inner ascent of ARKS by someone who knows libtorch: weights frozen, so that the backward pass stops at the
/// input, the kernel's diagonal only, torch's AMSGrad; the network in evaluation mode, plain NCHW. The last iterate is
/// what it gives; which was the best is not looked at.
class FrozenAscent {
 public:
  FrozenAscent(PlainNetPtr net, const PublishedSettings& settings);
  torch::Tensor maximize(const torch::Tensor& x, const torch::Tensor& y);  ///< [n,c,h,w]

 private:
  PlainNetPtr net_;
  PublishedSettings settings_;
};

/// No weight asks for a gradient any more.
void freeze(PlainNet& net);

}  // namespace arks::bench
