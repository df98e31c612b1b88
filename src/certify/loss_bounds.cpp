#include "certify/loss_bounds.h"

#include <utility>

namespace arks {

namespace {

std::string first_kink(const NetworkBounds& network) {
  for (const auto& layer : network.layers) {
    if (!layer.smoothness) return layer.name;
  }
  return "a layer";
}

}  // namespace

LossBounds bound_loss(const CriterionBounds& criterion, NetworkBounds network) {
  LossBounds bounds;
  if (criterion.lipschitz) {
    bounds.lipschitz = *criterion.lipschitz * network.lipschitz;
  } else {
    bounds.why_no_lipschitz = criterion.why_no_lipschitz;
  }
  const double curved = network.lipschitz * network.lipschitz;
  if (!criterion.curvature) {
    bounds.why_no_curvature = criterion.why_no_curvature;
  } else if (!network.smoothness) {
    bounds.why_no_curvature = first_kink(network) + " is not smooth";
  } else if (*network.smoothness == 0) {
    bounds.curvature = *criterion.curvature * curved;
  } else if (criterion.lipschitz) {
    bounds.curvature = *criterion.curvature * curved + *criterion.lipschitz * *network.smoothness;
  } else {
    bounds.why_no_curvature = criterion.why_no_lipschitz + ", and the network is not affine";
  }
  bounds.network = std::move(network);
  return bounds;
}

LossBounds bound_loss(const SupervisedProblem& problem, torch::IntArrayRef input_shape, bool log) {
  return bound_loss(problem.criterion().bounds(log),
                    bound_network(graph_of(problem.model(), input_shape), input_shape));
}

}  // namespace arks
