#pragma once
#include "inner/curvature.h"
#include "inner/line_search.h"

#include <arks/inner/maximizer.h>

#include <cmath>
#include <vector>

namespace arks {

/// What a pass over the network found for one sample.
struct Figures {
  double value = 0;  ///< φ
  double loss = 0;
  double cost = 0;
};

/// L-BFGS on one sample. It evaluates nothing itself: its owner evaluates φ at trial(), for many samples in one pass,
/// and tells each what was found; so every sample goes at its own pace, and knows nothing of the others. All
/// arithmetic is float64, whatever the type of the inputs.
class SampleAscent {
 public:
  /// The first point to look at is the start.
  SampleAscent(const AscentOptions& options, int64_t dimension);

  bool done() const { return done_; }
  Termination termination() const { return termination_; }

  /// The point to be evaluated next, `dimension` numbers.
  void trial(double* u) const;

  /// The trial, rounded and projected, has been evaluated. True when its gradient is wanted, for climb().
  bool look(const double* u, const Figures& found);

  /// ∇φ there, what is left of it within the set, and what values of φ there must differ by to be told apart.
  void climb(const double* gradient, const double* followable, double resolution);

  /// What is returned for this sample: the best point that was looked at, or the last iterate.
  const std::vector<double>& kept() const { return kept_; }
  const Figures& kept_figures() const { return kept_figures_; }

 private:
  struct Place {
    std::vector<double> u, gradient, followable;
    Figures figures;
    double resolution = 0;
  };

  void keep(const Place& place);
  void finish(Termination why);
  void obey(LineSearch::Verdict verdict);
  void arrive(Place& next);
  void begin_step();
  void begin_search();

  AscentOptions options_;
  int64_t dimension_;
  CurvaturePairs pairs_;
  LineSearch search_;
  Place here_, trial_, earlier_;
  std::vector<double> direction_, free_;
  std::vector<double> kept_;
  Figures kept_figures_;
  int64_t steps_ = 0;
  bool begun_ = false, done_ = false;
  Termination termination_ = Termination::kStepLimit;
};

}  // namespace arks
