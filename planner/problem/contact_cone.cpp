// The rows of S. Caron, Q.-C. Pham and Y. Nakamura, "Stability of surface contacts for humanoid
// robots: closed-form formulae of the contact wrench cone for rectangular support areas" (ICRA
// 2015), equations 17 to 22. Forces (fx, fy, fz) and moments (mx, my, mz) about the middle of the
// sole, in the contact frame; X and Y the half sizes less the margin; mu the coefficient of the
// pyramid. The wrench is a sum of forces within the pyramids of the four corners if and only if
//
//   |fx| <= mu fz,  |fy| <= mu fz,  |mx| <= Y fz,  |my| <= X fz,
//   mz >= -mu (X+Y) fz + |Y fx - mu mx| + |X fy - mu my|,
//   mz <=  mu (X+Y) fz - |Y fx + mu mx| - |X fy + mu my|.
//
// Each absolute value is two linear rows, and a sum of two of them four. The pyramid is inside of
// the cone |(fx, fy)| <= friction fz when mu = friction / sqrt(2).
#include "allclear/planner/problem/contact_cone.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace allclear {
namespace {

/// [m] Moments are not scaled by less: a sole as narrow as its margin has nothing to divide by.
constexpr double kLeastSize = 1e-3;

using Row = Eigen::Matrix<double, 1, 6>;

/// In the contact frame, with the unit of the force.
class ConeRows {
 public:
  void add(ContactCone::Part part, const Row& row) {
    rows.push_back(row);
    parts.push_back(part);
  }
  void addFriction(double mu) {
    for (int axis = 0; axis < 2; ++axis) {
      for (const double sign : {1.0, -1.0}) {
        Row row = Row::Zero();
        row[2] = mu;
        row[axis] = sign;
        add(ContactCone::Part::kFriction, row);
      }
    }
  }
  void addSole(double mu, double X, double Y, double size) {
    for (const double sign : {1.0, -1.0}) {
      add(ContactCone::Part::kPressure, Row(0, 0, Y, sign, 0, 0) / size);
      add(ContactCone::Part::kPressure, Row(0, 0, X, 0, sign, 0) / size);
    }
    // a and b are the signs of the absolute values; `turn` is that of mz.
    for (const double turn : {1.0, -1.0}) {
      for (const double a : {1.0, -1.0}) {
        for (const double b : {1.0, -1.0}) {
          Row row(-a * Y, -b * X, mu * (X + Y), turn * a * mu, turn * b * mu, turn);
          add(ContactCone::Part::kFriction, row / size);
        }
      }
    }
  }

  std::vector<Row> rows;
  std::vector<ContactCone::Part> parts;
};

}  // namespace

ContactCone contactCone(const PlacedContact& placed, double weight) {
  const Contact& contact = placed.contact;
  const double mu = contact.friction / std::numbers::sqrt2;
  ConeRows local;
  local.addFriction(mu);
  if (contact.kind == Contact::Kind::kFlat) {
    const double X = contact.half_size.x() - contact.margin;
    const double Y = contact.half_size.y() - contact.margin;
    local.addSole(mu, X, Y, std::max(kLeastSize, std::min(X, Y)));
  }
  ContactCone cone;
  cone.parts = std::move(local.parts);
  cone.normal = placed.X_WC.R.col(2);
  cone.rows.resize(cone.count(), 6);
  // From world axes to those of the contact frame.
  Eigen::Matrix<double, 6, 6> turned = Eigen::Matrix<double, 6, 6>::Zero();
  turned.topLeftCorner<3, 3>() = turned.bottomRightCorner<3, 3>() = placed.X_WC.R.transpose();
  for (int i = 0; i < cone.count(); ++i) cone.rows.row(i) = local.rows[i] * turned / weight;
  return cone;
}

}  // namespace allclear
