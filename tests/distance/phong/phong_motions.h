#pragma once

// Poses and small motions for the tests of Phong distances.

#include <cstdlib>
#include <random>

#include "allclear/core/pose.h"

namespace allclear::test {

/// More samples when ALLCLEAR_LONG is set.
inline int phongSamples(int quick, int thorough) {
  return std::getenv("ALLCLEAR_LONG") ? thorough : quick;
}

inline Pose randomPose(std::mt19937_64* random, double reach) {
  std::normal_distribution<double> normal(0.0, 1.0);
  Pose X;
  X.R = Eigen::Quaterniond(normal(*random), normal(*random), normal(*random), normal(*random))
            .normalized()
            .toRotationMatrix();
  X.p = reach * Vec3(normal(*random), normal(*random), normal(*random));
  return X;
}

inline Pose moved(const Pose& X, const Vec3& translation, const Vec3& rotation) {
  const double angle = rotation.norm();
  return {angle > 0.0 ? Mat3(rotationAbout(rotation / angle, angle) * X.R) : X.R,
          X.p + translation};
}

}  // namespace allclear::test
