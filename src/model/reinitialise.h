#pragma once
#include <arks/model/model.h>

#include <string>
#include <vector>

namespace arks {

/// Draws the weights of any model anew, from the seed, by the names under which they stand in their modules:
///   a parameter of two or more dimensions [out,in,...]   U(±1/√fan_in), fan_in = in·…, torch's default for dense and
///                                                        convolutional layers (Kaiming uniform with a = √5)
///   `bias` beside such a `weight`                        U(±1/√fan_in) of that weight
///   `weight` of a class whose name has Norm in it        1, its `bias` 0
///   `weight` of PReLU                                    0.25, torch's default
///   running_mean, running_var, num_batches_tracked       0, 1, 0
/// Everything else stays as it is, parameters that are not to be trained (requires_grad false) too, and its names are
/// returned. Throws Error for a model without parameters.
std::vector<std::string> reinitialise(const Model& model, uint64_t seed);

}  // namespace arks
