// A local minimum over time from slopes alone: find two times between which the slope changes its
// sign, then shrink that bracket to a root of the slope.
//
// Shrinking is the secant method with a bracket (regula falsi). Plain regula falsi stalls when one
// end of the bracket never moves; the Illinois variant (Dowell and Jarratt, 1971) halves the
// recorded slope of an end that has survived two replacements of the other one in a row, which
// pulls the next secant towards it. Invariant: `falling` and `beyond` have slopes of opposite sign
// (halving keeps the sign), so the function has a minimum between them.

#include "allclear/distance/soft/descend.h"

#include <algorithm>
#include <cmath>

namespace allclear {
namespace {

/// First step, in shares of the interval: well within the valley of the Euclidean minimum, from
/// which callers start.
constexpr double kFirstStep = 1.0 / 32.0;
constexpr int kMostEvaluations = 40;
/// Of the span: times nearer than this are equal but for rounding.
constexpr double kNarrowest = 1e-12;
/// A secant that hits an end to rounding would not shrink the bracket: stay this share inside.
constexpr double kLeastShare = 1e-3;

struct Sample {
  double t, slope;
};

class Descent {
 public:
  Descent(Interval span, const std::function<double(double)>& slope, double level)
      : span_(span), slope_(slope), level_(level) {}

  int run(double t_guess) {
    falling_ = beyond_ = sampleAt(std::clamp(t_guess, span_.lower, span_.upper));
    if (bracketMinimum()) shrinkBracket();
    return evaluations_;
  }

 private:
  Sample sampleAt(double t) {
    ++evaluations_;
    const double slope = slope_(t);
    steepest_ = std::max(steepest_, std::fabs(slope));
    return {t, slope};
  }

  bool isLevel(const Sample& s) const { return std::fabs(s.slope) <= level_ * steepest_; }

  /// Steps downhill, each step twice as long as the last, until the slope changes its sign. False
  /// when the end of the span comes first: the minimum is there.
  bool bracketMinimum() {
    double step = kFirstStep * span_.length() * (falling_.slope > 0.0 ? -1.0 : 1.0);
    while (falling_.slope != 0.0 && evaluations_ < kMostEvaluations) {
      const double t = std::clamp(falling_.t + step, span_.lower, span_.upper);
      if (t == falling_.t) return false;
      beyond_ = sampleAt(t);
      if (beyond_.slope * falling_.slope <= 0.0) return true;
      falling_ = beyond_;
      step *= 2.0;
    }
    return false;
  }

  void shrinkBracket() {
    enum class End { kNone, kFalling, kBeyond };
    End replaced = End::kNone;
    bool is_level = isLevel(falling_) || isLevel(beyond_);
    while (!is_level && evaluations_ < kMostEvaluations) {
      const double width = beyond_.t - falling_.t;
      if (std::fabs(width) <= kNarrowest * span_.length()) return;
      const double share = std::clamp(falling_.slope / (falling_.slope - beyond_.slope),
                                      kLeastShare, 1.0 - kLeastShare);
      const Sample middle = sampleAt(falling_.t + share * width);
      is_level = isLevel(middle);
      // The middle replaces the end whose slope has its sign.
      if (middle.slope * falling_.slope > 0.0) {
        falling_ = middle;
        if (replaced == End::kFalling) beyond_.slope *= 0.5;
        replaced = End::kFalling;
      } else {
        beyond_ = middle;
        if (replaced == End::kBeyond) falling_.slope *= 0.5;
        replaced = End::kBeyond;
      }
    }
  }

  Interval span_;
  const std::function<double(double)>& slope_;
  double level_;
  Sample falling_, beyond_;  ///< on the start's side of the minimum, and past it
  double steepest_ = 0.0;
  int evaluations_ = 0;
};

}  // namespace

int descend(Interval span, double t_guess, const std::function<double(double t)>& slope,
            double level) {
  return Descent(span, slope, level).run(t_guess);
}

}  // namespace allclear
