#pragma once

#include <optional>

#include "allclear/core/types.h"

namespace allclear {

inline const Vec3 kStandardGravity(0.0, 0.0, -9.81);  ///< [m/s^2]

using Jacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// Generalised forces and their derivatives; matrices are dimension x dimension.
struct InverseDynamics {
  VecX tau;
  MatX dtau_dq;
  MatX dtau_dv;
  MatX dtau_da;  ///< the mass matrix
};

/// A force [N] and its moment [N m] about the world origin.
struct Wrench {
  Vec3 force = Vec3::Zero();
  Vec3 moment = Vec3::Zero();
};

/// The point of the plane through `point` with unit normal `normal` about which the wrench has no
/// moment along the plane (the zero-moment point); empty when the force does not press on the
/// plane.
std::optional<Vec3> zeroMomentPoint(const Wrench& ground_reaction, const Vec3& point,
                                    const Vec3& normal);

}  // namespace allclear
