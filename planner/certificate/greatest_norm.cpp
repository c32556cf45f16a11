#include "allclear/planner/certificate/greatest_norm.h"

#include <cmath>
#include <limits>

#include "allclear/core/extremes.h"

namespace allclear {
namespace {

constexpr int kCount = BodyCurve::kDegree + 1;

/// A bound this much above a value that is reached is tight enough.
constexpr double kTightness = 0.01;
/// Halvings of a cell: each brings the bound four times nearer to the curve.
constexpr int kMostHalvings = 12;
/// Rounding of differences and norms, in machine epsilons of the lengths involved (motion.cpp).
constexpr double kRoundings = 1e3 * std::numeric_limits<double>::epsilon();

void bound(const VectorPiece& piece, double error, int depth, GreatestNorm* greatest) {
  greatest->see(piece.coefficient.col(0).norm(), piece.time.lower);
  greatest->see(piece.coefficient.col(kCount - 1).norm(), piece.time.upper);
  const double top = greatestCoefficient(piece);
  // Near the error of the curve halving gains nothing. What is no number has no bound.
  const bool is_tight = top <= (1.0 + kTightness) * greatest->reached + error;
  if (is_tight || depth == kMostHalvings || !std::isfinite(top))
    return greatest->raise(top + error);
  const auto parts = halves(piece);
  bound(parts.first, error, depth + 1, greatest);
  bound(parts.second, error, depth + 1, greatest);
}

}  // namespace

std::pair<VectorPiece, VectorPiece> halves(const VectorPiece& piece) {
  const double middle = piece.time.middle();
  VectorPiece left{{piece.time.lower, middle}, piece.coefficient};
  VectorPiece right{{middle, piece.time.upper}, piece.coefficient};
  for (int level = 1; level < kCount; ++level) {
    for (int k = 0; k + level < kCount; ++k) {
      right.coefficient.col(k) = 0.5 * (right.coefficient.col(k) + right.coefficient.col(k + 1));
    }
    left.coefficient.col(level) = right.coefficient.col(0);
  }
  return {std::move(left), std::move(right)};
}

void GreatestNorm::see(double norm, double at) {
  if (!(norm > reached)) return;
  reached = norm;
  t = at;
}

void GreatestNorm::add(const VectorPiece& piece, double error) { bound(piece, error, 0, this); }

void GreatestNorm::raise(double bound) { upper = raised(upper, bound); }

double greatestCoefficient(const VectorPiece& piece) {
  // The greatest of several numbers may pass over a NaN among them.
  if (!piece.coefficient.allFinite()) return std::numeric_limits<double>::infinity();
  return piece.coefficient.colwise().norm().maxCoeff();
}

VectorPiece placeOf(const BodyCurve& curve, const Vec3& u) {
  return {curve.time, curve.pointCurve(u)};
}

VectorPiece turnOf(const BodyCurve& curve, const Mat3& B) {
  VectorPiece piece{curve.time, MatX(9, kCount)};
  for (int k = 0; k < kCount; ++k) {
    const Mat3 turned = curve.control[k].R * B;
    piece.coefficient.col(k) = Eigen::Map<const Eigen::Matrix<double, 9, 1>>(turned.data());
  }
  return piece;
}

double pointError(const BodyCurve& curve, const Vec3& u, double size) {
  return curve.error((u - curve.reference_B).norm()) + kRoundings * (size + u.norm());
}

double turnError(const BodyCurve& curve) {
  return std::sqrt(3.0) * curve.rotation_error + kRoundings;
}

}  // namespace allclear
