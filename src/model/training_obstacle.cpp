#include "model/training_obstacle.h"

#include <arks/model/graph.h>
#include <torch/nn/modules/dropout.h>

namespace arks {

namespace {

bool draws_random_numbers(const torch::nn::Module& module) {
  return module.as<torch::nn::Dropout>() != nullptr || module.as<torch::nn::Dropout2d>() != nullptr;
}

}  // namespace

std::string training_obstacle(const torch::nn::Module& module) {
  for (const auto& part : module.modules()) {
    if (draws_random_numbers(*part)) return part->name() + " draws random numbers in training mode";
    const auto* source = dynamic_cast<const GraphSource*>(part.get());
    if (source != nullptr && !source->trains_as_graph()) {
      return part->name() + " does not say what it computes in training mode";
    }
  }
  return "";
}

}  // namespace arks
