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

#include "allclear/planner/certificate/greatest_norm.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/planner/problem/line.h"

namespace allclear {
namespace {

/// Error of the link's curve, relative to the tolerance of the contact.
constexpr double kDriftCurveShare = 1e-6;
/// Adds the curve of R u + p - target of one cell.
void boundPoint(const BodyCurve& curve, const Vec3& u, const Vec3& target, GreatestNorm* greatest) {
  VectorPiece piece = placeOf(curve, u);
  const double size = target.norm() + piece.coefficient.cwiseAbs().maxCoeff();
  piece.coefficient.colwise() -= target;
  greatest->add(piece, pointError(curve, u, size));
}

/// The same of R - target, column after column.
void boundRotation(const BodyCurve& curve, const Mat3& target, GreatestNorm* greatest) {
  VectorPiece piece = turnOf(curve, Mat3::Identity());
  piece.coefficient.colwise() -= Eigen::Map<const Eigen::Matrix<double, 9, 1>>(target.data());
  greatest->add(piece, turnError(curve));
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
    limits.push_back(limitOf(link, "turn of the contact", angleOfNorm(turn.upper), turn.t,
                             contact.angle_tolerance));
  }
  return limits;
}

}  // namespace allclear
