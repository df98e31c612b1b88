#pragma once
#include <arks/model/graph.h>

#include <optional>
#include <string>
#include <vector>

namespace arks {

/// What is proved of one layer, by itself; of a sum and a concatenation in each of the values that it reads.
struct LayerBounds {
  std::string name;
  double lipschitz = 1;
  std::optional<double> smoothness;
};

/// What is proved of a network f in evaluation mode, for all inputs; J is its Jacobian for one sample.
struct NetworkBounds {
  double lipschitz = 1;             // ‖J(x)‖₂ ≤ this
  double coordinate_lipschitz = 1;  // every row of J(x) has L2 norm ≤ this
  std::optional<double> smoothness = 0;  // ‖J(x) − J(u)‖₂ ≤ this·‖x − u‖₂; none behind a kink; 0 if f is affine
  std::vector<LayerBounds> layers;
  std::vector<int64_t> output_shape;
};

/// Upper bounds from the norms of the layers, for samples of this shape (without the batch), in float64:
///   dense             largest singular value
///   convolution       `convolution_norm`
///   average pooling   the same, it is a convolution; 1/√(kh·kw) for disjoint windows
///   max pooling       √(largest number of windows that share a cell), 1 for disjoint windows: two maxima are at most
///                     as far apart as the largest distance in the window
///   batch norm        max |weight|/√(variance + eps)
///   ELU               max(1,|α|); its slope is 1-Lipschitz for α = 1 and jumps at 0 otherwise
///   ReLU, leaky ReLU  1, max(1,|slope|); kink at 0
///   tanh, sigmoid     1 and 1/4; slopes are 4/(3√3)- and 1/(6√3)-Lipschitz
///   sum               Lip(f+g) ≤ Lip(f) + Lip(g), and so the coordinate bounds and L
///   concatenation     √(Lip(f)² + Lip(g)²), and so L; the larger coordinate bound
/// The bounds of every value are those of the function from the input of the network to it: through a branch as through
/// a chain. Composition: Lip(f∘g) ≤ Lip(f)·Lip(g) and L(f∘g) ≤ L(f)·Lip(g)² + Lip(f)·L(g).
/// An elementwise f = φ does better. Its Jacobian is diag φ'(g(x)), and a diagonal matrix has its largest entry as
/// norm, so
///   ‖J(x) − J(u)‖ ≤ ‖diag(φ'(g(x)) − φ'(g(u)))‖·‖J_g(x)‖ + ‖diag φ'(g(u))‖·‖J_g(x) − J_g(u)‖
///                 ≤ L(φ)·‖g(x) − g(u)‖_∞·Lip(g) + Lip(φ)·L(g)·‖x − u‖:
/// one factor Lip(g) becomes the coordinate bound of g, the largest L2 norm of a row. For a linear layer that is the
/// largest norm of a unit's weights, often a fraction of the spectral norm.
/// The bounds are of the function in exact arithmetic. Operations that the output does not need are left out. Throws
/// Error when a layer does not take what it is given or has a weight that is not finite, and for an operation of which
/// no bound is known.
NetworkBounds bound_network(const Graph& graph, torch::IntArrayRef input_shape);

}  // namespace arks
