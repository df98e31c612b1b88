#pragma once
#include <cstdint>

namespace arks::engine {

/// Loops over the numbers of one sample; n is a multiple of 8, and what only pads is zero everywhere.

/// Σ (u−x)² and Σ |u−x|.
double squared_distance(const float* u, const float* x, int64_t n);
double absolute_distance(const float* u, const float* x, int64_t n);

/// gradient ← gradient + weight·(u−x), or + weight·sign(u−x).
void add_difference(float* gradient, float weight, const float* u, const float* x, int64_t n);
void add_sign_of_difference(float* gradient, float weight, const float* u, const float* x, int64_t n);

/// Largest |value|; NaN when any is.
float largest(const float* values, int64_t n);
/// The same of a gradient at u without the entries that press against the ends of [low, high].
float largest_followable(const float* gradient, const float* u, const float* low, const float* high, int64_t n);
bool all_finite(const float* values, int64_t n);

/// v ← momentum·v + gradient, u ← u + rate·v.
void sgd_step(float* u, const float* gradient, float* velocity, float momentum, float rate, int64_t n);

/// Adam (Kingma and Ba 2015), and AMSGrad (Reddi et al. 2018) when `largest_second` is given; `first_rate` is
/// rate/(1−β₁ᵗ), `second_scale` 1/√(1−β₂ᵗ).
void adam_step(float* u, const float* gradient, float* first, float* second, float* largest_second, float first_rate,
               float second_scale, int64_t n);

/// u ← u + rate·scale·sign(gradient); scale may be null for 1.
void sign_step(float* u, const float* gradient, const float* scale, float rate, int64_t n);

/// u ← u + rate·gradient/‖gradient‖₂; nothing moves when it is zero.
void normalized_step(float* u, const float* gradient, float rate, int64_t n);

/// u ← min(max(u, low), high).
void clamp(float* u, const float* low, const float* high, int64_t n);

/// Scales u − x so that ‖u−x‖₂ ≤ radius.
void scale_into_ball(float* u, const float* x, double radius, int64_t n);

}  // namespace arks::engine
