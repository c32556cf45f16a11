#pragma once

#include <Eigen/Dense>

namespace allclear {

template <class Scalar>
using Vec3T = Eigen::Matrix<Scalar, 3, 1>;
template <class Scalar>
using Mat3T = Eigen::Matrix<Scalar, 3, 3>;

using Vec2 = Eigen::Vector2d;
using Vec3 = Vec3T<double>;
using Mat3 = Mat3T<double>;
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;
using Mat3X = Eigen::Matrix3Xd;

/// A closed interval, of time [s] unless said otherwise.
struct Interval {
  double lower = 0.0;
  double upper = 0.0;

  double length() const { return upper - lower; }
  double middle() const { return 0.5 * (lower + upper); }
  bool contains(double x) const { return lower <= x && x <= upper; }
};

}  // namespace allclear
