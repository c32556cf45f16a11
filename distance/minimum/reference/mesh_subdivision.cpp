// The thesis's adaptive subdivision (chapter IV, algorithm 4.1). Distances d0, d1 at the ends of an
// interval and a bound mu of how far any point moves in it (4.7) give, as the distance varies by mu
// at most,
//   LB = min(d0, d1) - (mu - |d0 - d1|) / 2 = (d0 + d1 - mu) / 2                            (4.8)
// and, with E_j twice the height of each inner maximum over the higher of its minima,
//   LB = (d0 + d1 - mu + sum E_j) / 2                                                       (4.9)
// Only (4.8) is a bound: the print takes the maxima of (4.9) from the points that are nearest at
// the interval's start, and the distance of these points is not the distance of the bodies. Here mu
// bounds the true motion of both bodies.

#include <algorithm>
#include <array>
#include <cmath>

#include "allclear/distance/minimum/reference/mesh_searches.h"

namespace allclear::mcd {
namespace {

constexpr int kSamples = 32;  // of the distance of two fixed points, to see its inner maxima
using Samples = std::array<double, kSamples + 1>;

struct TimePart {
  int cell;
  double s0, s1;
  Instant start, end;
};

/// Distances over the part of the two points that are nearest at its start.
Samples distancesOfFirstWitnesses(const SampledMeshMotion& motion, const TimePart& part) {
  const RelativeCurve& curve = motion.relative(part.cell);
  const auto parameter = [&](double s) { return 2.0 * s - 1.0; };
  const Pose X_WC = motion.motion().frameOfB({part.cell, part.s0});
  const Vec3 b = X_WC.R.transpose() * (part.start.witness_B - X_WC.p);
  const Vec3 a = X_WC.R.transpose() * (part.start.witness_A - X_WC.p);
  const Pose X_BA = poseOf(curve.at(parameter(part.s0)));
  const Vec3 u = X_BA.R.partialPivLu().solve(a - X_BA.p);  // a, fixed to A
  Samples distances;
  for (int i = 0; i <= kSamples; ++i) {
    const mesh::Affine X = curve.at(parameter(part.s0 + (part.s1 - part.s0) * i / kSamples));
    Vec3 p(X.T[0], X.T[1], X.T[2]);
    for (int k = 0; k < 9; ++k) p[k / 3] += X.R[k] * u[k % 3];
    distances[i] = (p - b).norm();
  }
  return distances;
}

/// Sum of E_j over the inner maxima.
double extremaSum(const Samples& value) {
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

class Subdivision {
 public:
  Subdivision(SampledMeshMotion* motion, const McdOptions& options, bool extrema)
      : motion_(*motion), options_(options), extrema_(extrema), error_(motion->error()) {
    slack_ = std::max(options.tolerance - 2.0 * error_, 0.5 * options.tolerance);
  }

  MeshSearchResult run() {
    result_.is_instant = result_.evaluated = true;
    for (int cell = 0; cell < motion_.cells() && !isOver(); ++cell) {
      const TimePart whole{cell, 0.0, 1.0, at({cell, 0.0}), at({cell, 1.0})};
      divide(whole);
    }
    result_.lower = std::min(lower_, result_.instant.distance) - error_;
    result_.upper = result_.instant.distance + error_;
    result_.contact = result_.instant.distance <= error_;
    return result_;
  }

 private:
  /// Out of evaluations, or in contact: no distance is lower.
  bool isOver() const { return result_.spent || (any_ && result_.instant.distance <= error_); }

  Instant at(TimePoint when) {
    Instant instant = motion_.at(when);
    if (++result_.evaluations >= options_.max_evaluations) result_.spent = true;
    if (!any_ || instant.distance < result_.instant.distance) result_.instant = instant;
    any_ = true;
    return instant;
  }

  /// (4.8), or (4.9) with `extrema_`.
  double lowerBound(const TimePart& part) const {
    const double length = motion_.cellTime(part.cell).length() * (part.s1 - part.s0);
    double mu = motion_.leverSpeed(part.cell) * length;
    if (extrema_) mu -= extremaSum(distancesOfFirstWitnesses(motion_, part));
    const double d0 = part.start.distance, d1 = part.end.distance;
    return std::min(d0, d1) - 0.5 * (mu - std::abs(d0 - d1));
  }

  void divide(const TimePart& part) {
    ++result_.bound_evaluations;
    const double lower = lowerBound(part);
    const bool above = options_.threshold && lower - error_ >= *options_.threshold;
    if (above || result_.instant.distance - lower <= slack_ || isOver()) {
      lower_ = std::min(lower_, lower);
      return;
    }
    const double middle = 0.5 * (part.s0 + part.s1);
    const Instant between = at({part.cell, middle});
    divide({part.cell, part.s0, middle, part.start, between});
    divide({part.cell, middle, part.s1, between, part.end});
  }

  SampledMeshMotion& motion_;
  const McdOptions& options_;
  bool extrema_;
  bool any_ = false;
  double error_;
  double slack_ = 0.0;
  double lower_ = std::numeric_limits<double>::infinity();
  MeshSearchResult result_;
};

}  // namespace

MeshSearchResult meshSubdivision(SampledMeshMotion* motion, const McdOptions& options,
                                 bool extrema) {
  return Subdivision(motion, options, extrema).run();
}

}  // namespace allclear::mcd
