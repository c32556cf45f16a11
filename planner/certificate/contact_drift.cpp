// Bounds how far contacts move.
//
// Symbols: X(t) = (R, p) the pose of the contact's link in the world, u a point of the sole in the
// link's frame, X_0 the pose at the start.
//
// Drift. X(t) u - X_0 u is affine in u, so its length is greatest at a corner of the sole. Along a
// curve of the link it is a polynomial with Bernstein coefficients R_k u + p_k - X_0 u, and the
// length of a polynomial is at most the greatest length of its coefficients (the norm is convex).
// Halving a cell moves the coefficients towards the curve.
//
// Turn. The rotation from R_0 to R by an angle a has |R - R_0|_F = 2 sqrt(2) sin(a / 2). The
// coefficients R_k - R_0, as vectors of nine numbers, bound that norm in the same way.
//
// Errors. The curve's own error at u; of the rotation, `rotation_error` for each of the three
// columns, so sqrt(3) times that in the norm above. Both are made far smaller than the tolerance by
// curves of their own: what is left of a drift after a fit is some nanometres, less than the error
// of the curves that clearances use.
#include "allclear/planner/certificate/contact_drift.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/extremes.h"
#include "allclear/planner/problem/contacts.h"

namespace allclear {
namespace {

constexpr int kCount = BodyCurve::kDegree + 1;

/// Error of the link's curve, relative to the tolerance of the contact.
constexpr double kDriftCurveShare = 1e-6;
/// A bound this much above a value that is reached is tight enough.
constexpr double kTightness = 0.01;
/// Halvings of a cell: each brings the bound four times nearer to the curve.
constexpr int kMostHalvings = 12;
/// Rounding of differences and norms, in machine epsilons of the lengths involved (motion.cpp).
constexpr double kRoundings = 1e3 * std::numeric_limits<double>::epsilon();

/// Bernstein coefficients of a vector over a part of time, as columns.
struct VectorPiece {
  Interval time;
  MatX coefficient;
};

/// A bracket of the greatest norm of a vector of polynomials.
struct GreatestNorm {
  double upper = 0.0;    ///< proven
  double reached = 0.0;  ///< by the polynomials
  double t = 0.0;        ///< where

  void see(double norm, double at) {
    if (!(norm > reached)) return;
    reached = norm;
    t = at;
  }
};

/// The two halves of a piece, by de Casteljau's scheme.
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
  return {left, right};
}

void bound(const VectorPiece& piece, double error, int depth, GreatestNorm* greatest) {
  greatest->see(piece.coefficient.col(0).norm(), piece.time.lower);
  greatest->see(piece.coefficient.col(kCount - 1).norm(), piece.time.upper);
  const double top = piece.coefficient.colwise().norm().maxCoeff();
  // Near the error of the curve halving gains nothing. NaN is no bound.
  const bool is_tight = top <= (1.0 + kTightness) * greatest->reached + error;
  if (is_tight || depth == kMostHalvings || !std::isfinite(top)) {
    greatest->upper = raised(greatest->upper, top + error);
    return;
  }
  const auto [left, right] = halves(piece);
  bound(left, error, depth + 1, greatest);
  bound(right, error, depth + 1, greatest);
}

/// Adds the curve of R u + p - target of one cell.
void boundPoint(const BodyCurve& curve, const Vec3& u, const Vec3& target, GreatestNorm* greatest) {
  VectorPiece piece{curve.time, curve.pointCurve(u)};
  const double size = target.norm() + u.norm() + piece.coefficient.cwiseAbs().maxCoeff();
  piece.coefficient.colwise() -= target;
  const double error = curve.error((u - curve.reference_B).norm()) + kRoundings * size;
  bound(piece, error, 0, greatest);
}

/// The same of R - target, column after column.
void boundRotation(const BodyCurve& curve, const Mat3& target, GreatestNorm* greatest) {
  VectorPiece piece{curve.time, MatX(9, kCount)};
  for (int k = 0; k < kCount; ++k) {
    const Mat3 off = curve.control[k].R - target;
    piece.coefficient.col(k) = Eigen::Map<const Eigen::Matrix<double, 9, 1>>(off.data());
  }
  bound(piece, std::sqrt(3.0) * curve.rotation_error + kRoundings, 0, greatest);
}

/// The angle of a rotation R with |R - 1|_F = norm; infinite where no rotation has that.
double angleOf(double norm) {
  const double sine = norm / (2.0 * std::sqrt(2.0));
  return sine < 1.0 ? 2.0 * std::asin(sine) : std::numeric_limits<double>::infinity();
}

CertifiedLimit limitOf(const std::string& link, const char* quantity, double upper, double t,
                       double tolerance) {
  return {link, quantity, 0.0, upper, 0.0, tolerance, t, upper <= tolerance};
}

}  // namespace

std::vector<CertifiedLimit> contactDrifts(const Problem& problem, const CertifiedMotion& motion) {
  std::vector<CertifiedLimit> limits;
  const ContactSet contacts(problem);
  for (const PlacedContact* placed : contacts.moving()) {
    const Contact& contact = placed->contact;
    const bool is_flat = contact.kind == Contact::Kind::kFlat;
    const std::string& link = problem.robot->links()[contact.link].name;
    const Eigen::Vector2d half = is_flat ? contact.half_size : Eigen::Vector2d::Zero();
    // The greatest over all cells; a bracket that has seen a value prunes the cells after it.
    GreatestNorm drift, turn;
    for (const BodyCurve& curve :
         motion.curvesOf(contact.link, kDriftCurveShare * contact.position_tolerance)) {
      for (int corner = 0; corner < 4; ++corner) {
        const Vec3 p_C(corner & 1 ? half.x() : -half.x(), corner & 2 ? half.y() : -half.y(), 0.0);
        boundPoint(curve, contact.X_LC * p_C, placed->X_WC * p_C, &drift);
      }
      const Mat3 R_WL = placed->X_WC.R * contact.X_LC.R.transpose();
      if (is_flat) boundRotation(curve, R_WL, &turn);
    }
    limits.push_back(
        limitOf(link, "drift of the contact", drift.upper, drift.t, contact.position_tolerance));
    if (!is_flat) continue;
    limits.push_back(
        limitOf(link, "turn of the contact", angleOf(turn.upper), turn.t, contact.angle_tolerance));
  }
  return limits;
}

}  // namespace allclear
