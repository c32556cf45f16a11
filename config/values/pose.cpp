#include "allclear/config/values/pose.h"

#include <cmath>
#include <numbers>

#include "allclear/core/formatted.h"

// Poses, points and directions, in Allclear's own form (lists) and as geometry_msgs (maps).
namespace allclear {
namespace {

/// Below this length [-] a direction is a zero with rounding, and its own direction means nothing.
constexpr double kLeastLength = 1e-9;

/// A turn, and the rounding of one that was written with a few digits [rad].
constexpr double kMostTurn = 2.0 * std::numbers::pi + 1e-2;

/// The components in the order x, y, z, w, which both forms have.
Eigen::Vector4d readQuaternion(const Value& value) {
  if (!value.isMap()) return value.numbers(4, "[x, y, z, w]");
  value.only({"x", "y", "z", "w"});
  return {value.need("x").number(), value.need("y").number(), value.need("z").number(),
          value.need("w").number()};
}

/// The rotation of a quaternion that has length 1 to within the tolerance; else an error with its
/// length.
Mat3 unitRotation(const Value& value, const Eigen::Vector4d& q) {
  const std::optional<Mat3> R = rotationFromQuaternion(q[0], q[1], q[2], q[3]);
  if (!R) {
    value.fail("a quaternion [x, y, z, w] must have length 1, not " + formatted("%f", q.norm()));
  }
  return *R;
}

const Value::KeyAdvice kPoseAdvice = {{"quaternion", "'orientation', as [x, y, z, w]"},
                                      {"rotation", "'orientation', as [x, y, z, w], or 'rpy'"},
                                      {"translation", "'position'"},
                                      {"xyz", "'position'"}};

}  // namespace

/// Nobody writes more than a turn in radians.
Vec3 readRpy(const Value& value) {
  const Vec3 rpy = value.numbers(3, "[roll, pitch, yaw]");
  for (int i = 0; i < 3; ++i) {
    if (std::abs(rpy[i]) <= kMostTurn) continue;
    value.at(i).fail("is more than a turn; degrees? " +
                     formatted("%.4g° is %.4g rad", rpy[i], rpy[i] * std::numbers::pi / 180.0));
  }
  return rpy;
}

std::optional<Mat3> rotationFromQuaternion(double x, double y, double z, double w) {
  const Eigen::Vector4d q(x, y, z, w);
  const double norm = q.norm();
  if (!(std::abs(norm - 1.0) <= kQuaternionTolerance)) return std::nullopt;
  return Eigen::Quaterniond(w / norm, x / norm, y / norm, z / norm).toRotationMatrix();
}

Vec3 readPoint(const Value& value) {
  if (!value.isMap()) return value.vector3();
  value.only({"x", "y", "z"});
  return {value.need("x").number(), value.need("y").number(), value.need("z").number()};
}

Mat3 readOrientation(const Value& value) { return unitRotation(value, readQuaternion(value)); }

Pose readPose(const Value& value) {
  if (!value.isMap()) {
    value.fail(
        "must be a map, {position: [x, y, z], orientation: [x, y, z, w]} or {position: .., "
        "rpy: [roll, pitch, yaw]}");
  }
  value.only({"position", "orientation", "rpy"}, kPoseAdvice);
  Pose X;
  if (const auto position = value.find("position")) X.p = readPoint(*position);
  const auto orientation = value.find("orientation");
  const auto rpy = value.find("rpy");
  if (orientation && rpy) value.failAtKey("rpy", "give 'orientation' or 'rpy', not both");
  if (orientation) X.R = readOrientation(*orientation);
  if (rpy) X.R = rotationFromRpy(readRpy(*rpy));
  return X;
}

Pose readMessagePose(const Value& value) {
  value.only({"position", "orientation"});
  Pose X;
  if (const auto position = value.find("position")) X.p = readPoint(*position);
  if (const auto orientation = value.find("orientation")) {
    const Eigen::Vector4d q = readQuaternion(*orientation);
    // Messages that were never filled in hold the quaternion 0, 0, 0, 0: no rotation.
    if (!q.isZero(0.0)) X.R = unitRotation(*orientation, q);
  }
  return X;
}

Pose readMessageTransform(const Value& value) {
  value.only({"translation", "rotation"});
  return {readOrientation(value.need("rotation")), readPoint(value.need("translation"))};
}

Vec3 readDirection(const Value& value) {
  if (value.isScalar()) {
    const std::string name = value.word({"x", "y", "z", "-x", "-y", "-z"});
    const double sign = name[0] == '-' ? -1.0 : 1.0;
    return sign * Vec3::Unit(name.back() - 'x');
  }
  const Vec3 direction = readPoint(value);
  const double norm = direction.norm();
  if (!(norm > kLeastLength) || !std::isfinite(norm)) value.fail("a direction must not be zero");
  return direction / norm;
}

}  // namespace allclear
