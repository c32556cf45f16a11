// Guards of the Phong distances. A Phong distance solves local equations: it may belong to another
// part of the surfaces than the Euclidean distance d, with the wrong sign or many times as long. A
// result is returned only after a comparison with d. Computing d for each query would cost more
// than the Phong distance itself, so cheap lower bounds of |d| come first:
//
// - Carried bounds. When B moves relative to A so that no point of B moves by more than m, the
//   distance changes by at most m. For a depth this holds under translations alone; under a turn
//   it is an assumption, and used for small motions only.
// - Balls. A ball of radius r_A about p inside A and one of radius r_B about p inside B: while B is
//   translated by less than r_A + r_B they share a point, so the depth is at least r_A + r_B.

#include "allclear/distance/phong/pair_memory.h"

#include <algorithm>
#include <cmath>

namespace allclear::phong {
namespace {

// A result is at most kMostFactor |d| + kSlack size. Averaged normals make a Phong distance
// somewhat longer than d by design; a method that tracks the wrong part of a surface drifts much
// farther (up to 99 times d when nothing checked it).
constexpr double kMostFactor = 1.6;
constexpr double kSlack = 0.05;
/// Of the size: motion after which a computed depth is no longer trusted.
constexpr double kTrustedMotion = 0.1;
/// Of the bodies' reach: rounding of their distance and of the motion, some hundred ulps.
constexpr double kRounding = 1e-12;

bool isWithinGuard(double claim, double euclidean, double size) {
  return std::abs(claim) <= kMostFactor * std::max(0.0, euclidean) + kSlack * size;
}

}  // namespace

const SignedDistance& PairMemory::euclidean(const PhongBody& A, const Pose& X_WA,
                                            const PhongBody& B, const Pose& X_WB) {
  const auto same = [](const Pose& X, const Pose& Y) { return X.R == Y.R && X.p == Y.p; };
  if (last_known_ && same(X_WA, last_X_WA_) && same(X_WB, last_X_WB_)) return last_;
  ++euclidean_queries;
  depth_cache_.valid = false;  // from scratch, see the header
  last_ = signedMeshDistance(A.body(), X_WA, B.body(), X_WB, &depth_cache_);
  last_X_WA_ = X_WA;
  last_X_WB_ = X_WB;
  last_known_ = true;
  const Pose X_AB = X_WA.inverse() * X_WB;
  distance_bound_ = {last_.distance, X_AB, last_.distance > 0.0};
  depth_bound_ = {-last_.distance, X_AB, last_.distance < 0.0};
  return last_;
}

bool PairMemory::agrees(double claim, double euclidean, double size) {
  return (claim > 0.0) == (euclidean > 0.0) && isWithinGuard(claim, std::abs(euclidean), size);
}

/// The longest way of a point of B, seen from A. By a turn through the angle a about its centre a
/// point at distance r moves 2 r sin(a / 2), and |R - R'|_F = 2 sqrt(2) sin(a / 2).
double PairMemory::Bound::motionSince(const PhongBody& B, const Pose& X_AB_now) const {
  const Vec3& c = B.body().center();
  const double turned = (X_AB_now.R - X_AB.R).norm() / std::sqrt(2.0);
  return (X_AB_now * c - X_AB * c).norm() + turned * B.body().reach();
}

double PairMemory::Bound::at(const PhongBody& B, const Pose& X_AB_now) const {
  return known ? lower - motionSince(B, X_AB_now) : -1.0;
}

bool PairMemory::isProvenByBallsAbout(const Vec3& middle, double claim, double size,
                                      const PhongBody& A, const Pose& X_WA, const PhongBody& B,
                                      const Pose& X_WB) {
  const Vec3 p_A = X_WA.inverse() * middle, p_B = X_WB.inverse() * middle;
  if (!A.body().contains(p_A - A.body().center())) return false;
  if (!B.body().contains(p_B - B.body().center())) return false;
  // A common point proves the overlap; a claim within the slack needs no depth besides.
  if (isWithinGuard(claim, 0.0, size)) return true;
  const SurfacePoint a = A.tree().nearest(A.mesh(), p_A, nearest_in_A_);
  const SurfacePoint b = B.tree().nearest(B.mesh(), p_B, nearest_in_B_);
  nearest_in_A_ = a.triangle;
  nearest_in_B_ = b.triangle;
  // Translate B by s, |s| < r_A + r_B. The point middle + s r_A / (r_A + r_B) is within r_A of the
  // middle, so in A. Before the translation it was at middle - s r_B / (r_A + r_B), within r_B of
  // the middle, so it is in B: the bodies still meet.
  return isWithinGuard(
      claim, (position(A.mesh(), a) - p_A).norm() + (position(B.mesh(), b) - p_B).norm(), size);
}

bool PairMemory::acceptsApart(double claim, double size, const PhongBody& A, const Pose& X_WA,
                              const PhongBody& B, const Pose& X_WB) {
  // The search may stop once the distance is known to be at least this part of the claim: a bound
  // is found sooner than the distance. It proves claims up to 0.14 of the size (0.4 * 1.6 claim +
  // 0.05 size >= claim). A longer claim may be refused; the query then starts from the exact
  // distance.
  constexpr double kEnough = 0.4;
  const double rounding = kRounding * (A.body().reach() + B.body().reach());
  const Pose X_AB = X_WA.inverse() * X_WB;
  const double lower = distance_bound_.at(B, X_AB) - rounding;
  if (lower > 0.0 && isWithinGuard(claim, lower, size)) return true;
  MeshDistanceOptions options;
  options.enough = kEnough * claim;
  const MeshDistance found = meshDistance(A.body(), X_WA, B.body(), X_WB, options, &overlap_cache_);
  ++distance_queries;
  if (found.contact || !(found.distance > rounding)) return false;
  distance_bound_ = {found.distance, X_AB, true};
  return isWithinGuard(claim, found.distance, size);
}

bool PairMemory::overlap(const PhongBody& A, const Pose& X_WA, const PhongBody& B,
                         const Pose& X_WB) {
  const double rounding = kRounding * (A.body().reach() + B.body().reach());
  if (distance_bound_.at(B, X_WA.inverse() * X_WB) > rounding) return false;
  return meshesOverlap(A.body(), X_WA, B.body(), X_WB, &overlap_cache_);
}

PairMemory::Verdict PairMemory::judge(double claim, const Vec3& witness_A, const Vec3& witness_B,
                                      const PhongBody& A, const Pose& X_WA, const PhongBody& B,
                                      const Pose& X_WB) {
  const auto verdict = [](bool yes) { return yes ? Verdict::kAccepted : Verdict::kRefused; };
  const double size = std::min(A.size(), B.size());
  if (claim > 0.0) return verdict(acceptsApart(claim, size, A, X_WA, B, X_WB));
  // The guard, solved for the depth that the claim needs.
  const double needed = (std::abs(claim) - kSlack * size) / kMostFactor;
  const Pose X_AB = X_WA.inverse() * X_WB;
  if (proof_.atLeast(needed, A.medialBalls(), B.medialBalls(), X_AB)) return Verdict::kAccepted;
  if (isProvenByBallsAbout(0.5 * (witness_A + witness_B), claim, size, A, X_WA, B, X_WB)) {
    return Verdict::kAccepted;
  }
  const bool is_trusted = depth_bound_.at(B, X_AB) >= needed &&
                          depth_bound_.motionSince(B, X_AB) <= kTrustedMotion * size;
  if (needed > 0.0 && !is_trusted) return Verdict::kUnknown;
  // The depth is known to suffice, or none is needed: the sign alone is left.
  return verdict(meshesOverlap(A.body(), X_WA, B.body(), X_WB, &overlap_cache_));
}

bool PairMemory::accepts(double claim, const Vec3& witness_A, const Vec3& witness_B,
                         const PhongBody& A, const Pose& X_WA, const PhongBody& B,
                         const Pose& X_WB) {
  const Verdict verdict = judge(claim, witness_A, witness_B, A, X_WA, B, X_WB);
  if (verdict != Verdict::kUnknown) return verdict == Verdict::kAccepted;
  return agrees(claim, euclidean(A, X_WA, B, X_WB).distance, std::min(A.size(), B.size()));
}

SmoothDistance fallbackResult(const SignedDistance& euclidean, const Pose& X_WA, const Pose& X_WB) {
  SmoothDistance out = asSmooth(euclidean, X_WA, X_WB);
  out.fallback = true;
  out.tie = !euclidean.unique();
  return out;
}

DistanceGradient gradientFromMotionOfB(const Vec3& translation_B, const Vec3& rotation_B,
                                       const Pose& X_WA, const Pose& X_WB) {
  DistanceGradient out;
  out.translation_B = translation_B;
  out.rotation_B = rotation_B;
  out.translation_A = -translation_B;
  // Rotations are about each body's origin: the moment of B's force about A's origin.
  out.rotation_A = -rotation_B - (X_WB.p - X_WA.p).cross(translation_B);
  return out;
}

}  // namespace allclear::phong
