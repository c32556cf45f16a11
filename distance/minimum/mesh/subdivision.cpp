// The thesis's adaptive subdivision (chapter IV, algorithm 4.1). Distances d0, d1 at the ends of an
// interval and a bound mu of how far any point moves in it (4.7) give, as the distance varies by mu
// at most,
//   LB = min(d0, d1) - (mu - |d0 - d1|) / 2 = (d0 + d1 - mu) / 2                            (4.8)
// and, with E_j twice the height of each inner maximum over the higher of its minima,
//   LB = (d0 + d1 - mu + sum E_j) / 2                                                       (4.9)
// of which only (4.8) is a bound: the print takes the maxima from the points that are nearest at
// the interval's start, whose distance is not the bodies'. mu is of the true motion, both bodies.

#include <cmath>

#include "allclear/distance/minimum/mesh/mesh.h"

namespace allclear::mcd {
namespace {

struct Part {
  int cell;
  double s0, s1;
  Instant start, end;
};

class Subdivision {
 public:
  Subdivision(const MeshMotion& motion, const McdOptions& options, bool extrema)
      : motion_(motion), options_(options), extrema_(extrema), error_(motion.error()) {
    slack_ = std::max(options.tolerance - 2.0 * error_, 0.5 * options.tolerance);
  }

  MeshFound run() {
    found_.is_instant = found_.evaluated = true;
    for (int cell = 0; cell < motion_.cells() && !over(); ++cell) {
      const Part whole{cell, 0.0, 1.0, at({cell, 0.0}), at({cell, 1.0})};
      divide(whole);
    }
    found_.lower = std::min(lower_, found_.instant.distance) - error_;
    found_.upper = found_.instant.distance + error_;
    found_.contact = found_.instant.distance <= error_;
    return found_;
  }

 private:
  bool over() const { return found_.spent || (any_ && found_.instant.distance <= error_); }

  Instant at(Place place) {
    Instant instant = motion_.at(place);
    if (++found_.evaluations >= options_.max_evaluations) found_.spent = true;
    if (!any_ || instant.distance < found_.instant.distance) found_.instant = instant;
    any_ = true;
    return instant;
  }

  double lowerBound(const Part& part) {
    const double length = motion_.cellTime(part.cell).length() * (part.s1 - part.s0);
    double mu = motion_.leverSpeed(part.cell) * length;
    if (extrema_) mu -= extremaOfFrozenWitness(part);
    const double d0 = part.start.distance, d1 = part.end.distance;
    return std::min(d0, d1) - 0.5 * (mu - std::abs(d0 - d1));
  }

  /// Sum of E_j for the points that are nearest at the start, by samples.
  double extremaOfFrozenWitness(const Part& part) const {
    constexpr int kSamples = 32;
    const RelativeCurve curve = motion_.relative(part.cell);
    const Pose X_WC = motion_.frameOfB({part.cell, part.s0});
    const auto place = [&](double s) { return 2.0 * s - 1.0; };
    const mesh::Affine X = curve.at(place(part.s0));
    const Vec3 b = X_WC.R.transpose() * (part.start.witness_B - X_WC.p);
    const Vec3 a = X_WC.R.transpose() * (part.start.witness_A - X_WC.p);
    Mat3 R;
    for (int i = 0; i < 9; ++i) R(i / 3, i % 3) = X.R[i];
    const Vec3 u = R.partialPivLu().solve(a - Vec3(X.T[0], X.T[1], X.T[2]));
    double value[kSamples + 1];
    for (int i = 0; i <= kSamples; ++i) {
      const mesh::Affine Y = curve.at(place(part.s0 + (part.s1 - part.s0) * i / kSamples));
      Vec3 p(Y.T[0], Y.T[1], Y.T[2]);
      for (int k = 0; k < 9; ++k) p[k / 3] += Y.R[k] * u[k % 3];
      value[i] = (p - b).norm();
    }
    double sum = 0.0;
    for (int i = 1; i < kSamples; ++i) {
      if (!(value[i] > value[i - 1] && value[i] >= value[i + 1])) continue;
      int left = i, right = i;
      while (left > 0 && value[left - 1] <= value[left]) --left;
      while (right < kSamples && value[right + 1] <= value[right]) ++right;
      sum += 2.0 * (value[i] - std::max(value[left], value[right]));
    }
    return sum;
  }

  void divide(const Part& part) {
    ++found_.bound_evaluations;
    const double lower = lowerBound(part);
    const bool above = options_.threshold && lower - error_ >= *options_.threshold;
    if (above || found_.instant.distance - lower <= slack_ || over()) {
      lower_ = std::min(lower_, lower);
      return;
    }
    const double middle = 0.5 * (part.s0 + part.s1);
    const Instant between = at({part.cell, middle});
    divide({part.cell, part.s0, middle, part.start, between});
    divide({part.cell, middle, part.s1, between, part.end});
  }

  const MeshMotion& motion_;
  const McdOptions& options_;
  bool extrema_;
  bool any_ = false;
  double error_;
  double slack_ = 0.0;
  double lower_ = std::numeric_limits<double>::infinity();
  MeshFound found_;
};

}  // namespace

MeshFound subdivision(const MeshMotion& motion, const McdOptions& options, bool extrema) {
  return Subdivision(motion, options, extrema).run();
}

}  // namespace allclear::mcd
