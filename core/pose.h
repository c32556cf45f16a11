#pragma once

#include "allclear/core/types.h"

namespace allclear {

/// A rigid displacement. `X_AB` holds the orientation `R_AB` of frame B in frame A and the position
/// `p_AB` [m] of B's origin in A; `X_AB * p_BQ` is point Q seen from A, `X_AC = X_AB * X_BC`.
template <class Scalar>
struct PoseT {
  Mat3T<Scalar> R = Mat3T<Scalar>::Identity();
  Vec3T<Scalar> p = Vec3T<Scalar>::Zero();

  PoseT operator*(const PoseT& X) const { return {R * X.R, R * X.p + p}; }
  Vec3T<Scalar> operator*(const Vec3T<Scalar>& point) const { return R * point + p; }

  PoseT inverse() const {
    const Mat3T<Scalar> Rt = R.transpose();
    return {Rt, -(Rt * p)};
  }
};

using Pose = PoseT<double>;

/// Rotation about the fixed axes x, then y, then z (URDF's `rpy`) [rad].
Mat3 rotationFromRpy(const Vec3& rpy);

/// Roll, pitch, yaw [rad] of a rotation, pitch in [-pi/2, pi/2]; the inverse of `rotationFromRpy`.
Vec3 rpyFromRotation(const Mat3& R);

/// Rotation by `angle` [rad] about the unit vector `axis`.
Mat3 rotationAbout(const Vec3& axis, double angle);

}  // namespace allclear
