#include "allclear/core/pose.h"

#include <cmath>

namespace allclear {

// R = Rz(yaw) Ry(pitch) Rx(roll), written out: c and s are the cosine and sine of r, p, y.
Mat3 rotationFromRpy(const Vec3& rpy) {
  const double cr = std::cos(rpy.x()), sr = std::sin(rpy.x());
  const double cp = std::cos(rpy.y()), sp = std::sin(rpy.y());
  const double cy = std::cos(rpy.z()), sy = std::sin(rpy.z());
  Mat3 R;
  R << cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,  //
      sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,   //
      -sp, cp * sr, cp * cr;
  return R;
}

Vec3 rpyFromRotation(const Mat3& R) {
  const double cp = std::hypot(R(0, 0), R(1, 0));
  const double pitch = std::atan2(-R(2, 0), cp);
  // Below this cosine of the pitch, the entries that hold roll and yaw apart are rounding.
  constexpr double kGimbalLock = 1e-12;
  if (cp > kGimbalLock) {
    return {std::atan2(R(2, 1), R(2, 2)), pitch, std::atan2(R(1, 0), R(0, 0))};
  }
  // Gimbal lock: only roll -+ yaw is determined; put all of it into roll.
  return {std::atan2(-R(1, 2), R(1, 1)), pitch, 0.0};
}

Mat3 rotationAbout(const Vec3& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

}  // namespace allclear
