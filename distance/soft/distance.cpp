// The softened distance of two bodies of several convex pieces each: a soft minimum over pairs of
// pieces,
//   soft = -tau log sum_ij exp(-soft_ij / tau),
// which is at most the least soft_ij, hence at most the least distance of any pair. The gradient is
// the mean of the pairs' gradients with the weights exp((soft - soft_ij) / tau).
//
// Pairs come in the order of a cheap lower bound. As soon as a pair's bound is so far above the
// least value that all remaining pairs together are negligible, the search ends.

#include "allclear/distance/soft/distance.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/input_error.h"
#include "allclear/distance/convex/convex_distance.h"

namespace allclear {
namespace {

/// Length of the mean normal below which no single direction prevails: two directions of equal
/// weight 120 degrees apart.
constexpr double kTie = 0.5;
/// A mean normal shorter than this has no direction but rounding's.
constexpr double kNoNormal = 1e-9;

/// All pairs of pieces, nearest first by their lower bounds; without those of two half-spaces.
void collectPairs(const SoftBody& A, const Pose& X_WA, const SoftBody& B, const Pose& X_WB,
                  double softness, SoftWorkspace* workspace) {
  std::vector<SoftPiecePair>* pairs = &workspace->pairs;
  pairs->clear();
  workspace->supports_of_A.resize(A.pieces().size());
  workspace->supports_of_B.resize(B.pieces().size());
  for (std::size_t i = 0; i < A.pieces().size(); ++i) {
    workspace->supports_of_A[i].reset(A.pieces()[i].fan_supports.size());
  }
  for (std::size_t j = 0; j < B.pieces().size(); ++j) {
    workspace->supports_of_B[j].reset(B.pieces()[j].own_supports.size());
  }
  for (std::size_t i = 0; i < A.pieces().size(); ++i) {
    for (std::size_t j = 0; j < B.pieces().size(); ++j) {
      const SoftPiece &a = A.pieces()[i], &b = B.pieces()[j];
      if (a.is_half_space && b.is_half_space) continue;
      const Pose X_WCa = X_WA * a.X_BC, X_WCb = X_WB * b.X_BC;
      pairs->push_back({lowerSoftPairDistance(a, X_WCa, b, X_WCb, softness), &a, &b, X_WCa, X_WCb,
                        &workspace->supports_of_A[i], &workspace->supports_of_B[j]});
    }
  }
  std::sort(pairs->begin(), pairs->end(),
            [](const SoftPiecePair& a, const SoftPiecePair& b) { return a.lower < b.lower; });
}

/// Accumulates a soft minimum. Weights are relative to the least value so far, so that no
/// exponential overflows; a new least value scales the earlier weights down.
class SoftMinimum {
 public:
  explicit SoftMinimum(double softness) : softness_(softness) {}

  void add(const SoftPairDistance& pair) {
    if (pair.value < least_) {
      const double shrink = std::exp((pair.value - least_) / softness_);
      SoftSums shrunk;
      shrunk.add(shrink, sums_);
      sums_ = shrunk;
      weight_ *= shrink;
      least_ = pair.value;
      normal_of_least_ = pair.widest_normal;
    }
    const double weight = std::exp((least_ - pair.value) / softness_);
    weight_ += weight;
    sums_.add(weight, pair.mean);
  }

  double least() const { return least_; }
  double value() const { return least_ - softness_ * std::log(weight_); }
  const Vec3& normalOfLeast() const { return normal_of_least_; }
  SoftSums mean() const {
    SoftSums out;
    out.add(1.0 / weight_, sums_);
    return out;
  }

 private:
  double softness_;
  double least_ = HUGE_VAL;
  double weight_ = 0.0;
  SoftSums sums_;
  Vec3 normal_of_least_ = Vec3::UnitX();
};

/// Two half-spaces: their Euclidean distance, which is -infinity unless they face each other.
SmoothDistance distanceOfHalfSpaces(const SoftBody& A, const Pose& X_WA, const SoftBody& B,
                                    const Pose& X_WB) {
  const HalfSpace plane;
  SmoothDistance out = asSmooth(
      convexDistance(plane, X_WA * A.pieces().front().X_BC, plane, X_WB * B.pieces().front().X_BC),
      X_WA, X_WB);
  out.fallback = true;
  return out;
}

}  // namespace

SmoothDistance softDistance(const SoftBody& A, const Pose& X_WA, const SoftBody& B,
                            const Pose& X_WB, double softness, SoftWorkspace* workspace,
                            double negligible_share) {
  if (!(softness > 0.0)) throw InputError("the softness of a distance must be positive");
  collectPairs(A, X_WA, B, X_WB, softness, workspace);
  if (workspace->pairs.empty()) return distanceOfHalfSpaces(A, X_WA, B, X_WB);
  SoftMinimum minimum(softness);
  const double negligible = std::log(workspace->pairs.size()) - std::log(negligible_share);
  for (const SoftPiecePair& pair : workspace->pairs) {
    if (pair.lower > minimum.least() + softness * negligible) break;
    minimum.add(softPairDistance(pair, {softness, negligible, minimum.least()}, workspace));
  }
  const SoftSums mean = minimum.mean();
  SmoothDistance out;
  out.distance = minimum.value();
  const double length = mean.normal.norm();
  out.normal = length > kNoNormal ? Vec3(mean.normal / length) : minimum.normalOfLeast();
  // Mean support points are in general not `distance` apart along the normal: keep their middle.
  const Vec3 middle = 0.5 * (mean.on_A + mean.on_B);
  out.witness_A = middle - 0.5 * out.distance * out.normal;
  out.witness_B = middle + 0.5 * out.distance * out.normal;
  out.gradient.translation_A = -mean.normal;
  out.gradient.translation_B = mean.normal;
  // Moments about the world's origin, moved to the origins of the bodies.
  out.gradient.rotation_A = -(mean.moment - X_WA.p.cross(mean.normal));
  out.gradient.rotation_B = mean.moment - X_WB.p.cross(mean.normal);
  out.tie = length < kTie;
  return out;
}

SmoothDistance softDistance(const SoftBody& A, const Pose& X_WA, const SoftBody& B,
                            const Pose& X_WB, double softness) {
  SoftWorkspace workspace;
  return softDistance(A, X_WA, B, X_WB, softness, &workspace);
}

}  // namespace allclear
