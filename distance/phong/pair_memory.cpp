#include "allclear/distance/phong/pair_memory.h"

#include <algorithm>
#include <cmath>

namespace allclear::phong {
namespace {

// Unguarded tracking has been seen to drift to 99 times the depth.
constexpr double kFactor = 1.6;
constexpr double kSlack = 0.05;
constexpr double kRemembered = 0.1;  // of the size: motion after which a depth is sought anew

bool within(double claim, double euclidean, double size) {
  return std::abs(claim) <= kFactor * std::max(0.0, euclidean) + kSlack * size;
}

}  // namespace

const SignedDistance& PairMemory::euclidean(const PhongBody& A, const Pose& X_WA,
                                            const PhongBody& B, const Pose& X_WB) {
  const auto same = [](const Pose& X, const Pose& Y) { return X.R == Y.R && X.p == Y.p; };
  if (last_known_ && same(X_WA, last_A_) && same(X_WB, last_B_)) return last_;
  ++euclidean_queries;
  depth_cache_.valid = false;
  last_ = signedMeshDistance(A.body(), X_WA, B.body(), X_WB, &depth_cache_);
  last_A_ = X_WA;
  last_B_ = X_WB;
  last_known_ = true;
  const Pose X_AB = X_WA.inverse() * X_WB;
  apart_ = {last_.distance, X_AB, last_.distance > 0.0};
  deep_ = {-last_.distance, X_AB, last_.distance < 0.0};
  return last_;
}

bool PairMemory::agrees(double claim, double euclidean, double size) {
  return (claim > 0.0) == (euclidean > 0.0) && within(claim, std::abs(euclidean), size);
}

/// The longest way of a point of B, seen from A.
double PairMemory::Bound::moved(const PhongBody& B, const Pose& X_AB_now) const {
  const Vec3& c = B.body().center();
  const double turned = (X_AB_now.R - X_AB.R).norm() / std::sqrt(2.0);
  return (X_AB_now * c - X_AB * c).norm() + turned * B.body().reach();
}

double PairMemory::Bound::at(const PhongBody& B, const Pose& X_AB_now) const {
  return known ? lower - moved(B, X_AB_now) : -1.0;
}

bool PairMemory::withinBalls(double claim, double size, const Vec3& middle, const PhongBody& A,
                             const Pose& X_WA, const PhongBody& B, const Pose& X_WB) {
  const Vec3 p_A = X_WA.inverse() * middle, p_B = X_WB.inverse() * middle;
  if (!A.body().contains(p_A - A.body().center())) return false;
  if (!B.body().contains(p_B - B.body().center())) return false;
  if (within(claim, 0.0, size)) return true;
  const SurfacePoint a = A.tree().nearest(A.mesh(), p_A, near_A_);
  const SurfacePoint b = B.tree().nearest(B.mesh(), p_B, near_B_);
  near_A_ = a.triangle;
  near_B_ = b.triangle;
  // Moving B by s, |s| < r_A + r_B: the point middle + s r_A / (r_A + r_B) is within r_A of the
  // middle, hence in A, and was within r_B of it, hence is in B.
  return within(claim, (position(A.mesh(), a) - p_A).norm() + (position(B.mesh(), b) - p_B).norm(),
                size);
}

bool PairMemory::acceptsApart(double claim, double size, const PhongBody& A, const Pose& X_WA,
                              const PhongBody& B, const Pose& X_WB) {
  // A bound of this part of the claim holds on for some motion, and is found sooner than the
  // distance.
  constexpr double kEnough = 0.4;
  const double rounding = 1e-12 * (A.body().reach() + B.body().reach());
  const Pose X_AB = X_WA.inverse() * X_WB;
  const double lower = apart_.at(B, X_AB) - rounding;
  if (lower > 0.0 && within(claim, lower, size)) return true;
  MeshDistanceOptions options;
  options.enough = kEnough * claim;
  const MeshDistance found = meshDistance(A.body(), X_WA, B.body(), X_WB, options, &overlap_cache_);
  ++distance_queries;
  if (found.contact || !(found.distance > rounding)) return false;
  apart_ = {found.distance, X_AB, true};
  return within(claim, found.distance, size);
}

bool PairMemory::overlap(const PhongBody& A, const Pose& X_WA, const PhongBody& B,
                         const Pose& X_WB) {
  const double rounding = 1e-12 * (A.body().reach() + B.body().reach());
  if (apart_.at(B, X_WA.inverse() * X_WB) > rounding) return false;
  return meshesOverlap(A.body(), X_WA, B.body(), X_WB, &overlap_cache_);
}

PairMemory::Verdict PairMemory::judge(double claim, const Vec3& witness_A, const Vec3& witness_B,
                                      const PhongBody& A, const Pose& X_WA, const PhongBody& B,
                                      const Pose& X_WB) {
  const auto verdict = [](bool yes) { return yes ? Verdict::kAccepted : Verdict::kRefused; };
  const double size = std::min(A.size(), B.size());
  if (claim > 0.0) return verdict(acceptsApart(claim, size, A, X_WA, B, X_WB));
  const double needed = (std::abs(claim) - kSlack * size) / kFactor;
  const Pose X_AB = X_WA.inverse() * X_WB;
  if (proof_.atLeast(needed, A.medialBalls(), B.medialBalls(), X_AB)) return Verdict::kAccepted;
  if (withinBalls(claim, size, 0.5 * (witness_A + witness_B), A, X_WA, B, X_WB)) {
    return Verdict::kAccepted;
  }
  const bool remembered = deep_.at(B, X_AB) >= needed && deep_.moved(B, X_AB) <= kRemembered * size;
  if (needed > 0.0 && !remembered) return Verdict::kUnknown;
  return verdict(meshesOverlap(A.body(), X_WA, B.body(), X_WB, &overlap_cache_));
}

bool PairMemory::accepts(double claim, const Vec3& witness_A, const Vec3& witness_B,
                         const PhongBody& A, const Pose& X_WA, const PhongBody& B,
                         const Pose& X_WB) {
  const Verdict verdict = judge(claim, witness_A, witness_B, A, X_WA, B, X_WB);
  if (verdict != Verdict::kUnknown) return verdict == Verdict::kAccepted;
  return agrees(claim, euclidean(A, X_WA, B, X_WB).distance, std::min(A.size(), B.size()));
}

SmoothDistance fallback(const SignedDistance& euclidean, const Pose& X_WA, const Pose& X_WB) {
  SmoothDistance out = asSmooth(euclidean, X_WA, X_WB);
  out.fallback = true;
  out.tie = !euclidean.unique();
  return out;
}

DistanceGradient gradientOfB(const Vec3& translation_B, const Vec3& rotation_B, const Pose& X_WA,
                             const Pose& X_WB) {
  DistanceGradient out;
  out.translation_B = translation_B;
  out.rotation_B = rotation_B;
  out.translation_A = -translation_B;
  out.rotation_A = -rotation_B - (X_WB.p - X_WA.p).cross(translation_B);
  return out;
}

}  // namespace allclear::phong
