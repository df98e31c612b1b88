#pragma once
#include <arks/model/graph.h>

namespace arks {

/// The norm ‖A‖₂ of the convolution on an h×w grid that wraps around, strided, in float64. With K(ω) [out,in] the
/// discrete Fourier transform of the (dilated) kernel, an unstrided circulant is one matrix K(ω) for each frequency.
/// Keeping every s-th output folds S = s_h·s_w frequencies onto one, ω_j = ν + j·(h/s_h, w/s_w):
///   ‖A‖₂ = max_ν σ_max( [K(ω_1) … K(ω_S)] ) / √S.
/// h and w must be multiples of the stride. K(−ω) is the conjugate of K(ω), so half of the frequencies do.
/// Sedghi, Gupta, Long, "The Singular Values of Convolutional Layers", 2019 (without stride).
double circulant_norm(const Convolution& layer, const Extent& grid);

/// An upper bound of the norm of the zero-padded convolution on samples [in,h,w]. A small layer (up to 2²⁰ entries) is
/// written out as a matrix, and the bound is exact. Otherwise it is the norm of the circulant one, whatever the
/// padding, on the grid enlarged by dilation·(kernel−1) and rounded up to the stride: there a window that reaches over
/// the border sees zeros and not the other side, so the zero-padded convolution is a block of it. On a grid of the same
/// size it is no block, and its norm no bound. (Cheaper bounds from sums of absolute values are never smaller: they
/// bound the circulant too.) Singular values are exact to rounding; the result is rounded up by one part in 10⁹.
double convolution_norm(const Convolution& layer, torch::IntArrayRef input_shape);

}  // namespace arks
