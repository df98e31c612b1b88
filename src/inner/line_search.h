#pragma once
#include <cstdint>

namespace arks {

/// How far to go along an ascent direction d, for one sample and told one trial at a time, so that one pass over the
/// network serves the trials of many samples. It looks for a length t with the weak Wolfe conditions,
///   φ(u_t) ≥ φ(u) + 1e-4 g·(u_t − u)          the value rises as much as the slope promises, to a small part
///   slope at u_t ≤ 0.9 · slope at u           the step is not needlessly short
/// where u_t is the trial after projection. A step too long is shortened by quadratic interpolation, one too short
/// lengthened by the secant of the slopes. Where φ can no longer be told apart from φ(u) by rounding, its slope decides
/// (Hager and Zhang, "A new conjugate gradient method with guaranteed descent", 2005).
class LineSearch {
 public:
  enum class Verdict {
    kAccept,   ///< the trial is the next iterate
    kEarlier,  ///< the last trial that was found too short is
    kLonger,   ///< too short: remember it, try length()
    kShorter,  ///< try length()
    kFailed,   ///< nothing along this direction is better
  };

  /// value and slope (> 0) at u, the length to try first, whether that rests on the curvature of φ or is a guess, and
  /// what two values must differ by to be told apart.
  void begin(double value, double slope, double length, bool curved, double resolution);

  /// t of the trial to be evaluated next.
  double length() const { return length_; }

  /// True when φ at the trial lets it pass, so that its slope has to be seen. `promised` is g·(u_t − u).
  bool passes(double value, double promised);

  /// For a trial that did not pass, or has no finite gradient (value NaN): kShorter, kEarlier or kFailed.
  Verdict reject(double value);

  /// For a trial that passed: kAccept, kLonger, or, where only rounding let it pass, kEarlier or kFailed.
  Verdict judge(double value, double slope);

  /// Of the last trial: its value or gradient was not finite; its value could not be told apart from φ(u).
  bool not_finite() const { return not_finite_; }
  bool unclear() const { return unclear_; }

 private:
  Verdict give_up() const { return low_ > 0 ? Verdict::kEarlier : Verdict::kFailed; }
  double between(double high_value) const;

  double value_ = 0, slope_ = 0, resolution_ = 0;   // at u
  double low_ = 0, low_value_ = 0, low_slope_ = 0;  // the longest trial known to be too short
  double high_ = 0;                                 // the shortest known to be too long
  double length_ = 0;
  int64_t trials_ = 0, lengthenings_ = 0;
  bool curved_ = false, unclear_ = false, not_finite_ = false;
};

}  // namespace arks
