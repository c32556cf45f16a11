#pragma once

#include <array>

namespace allclear {

class Trajectory;

/// One coordinate of one polynomial piece in Bernstein form, on the stack: the allocation-free
/// working form of span bounds. `coefficient[0..degree]` over a piece of `length` [s]; every
/// coefficient is within `error` of the one that exact arithmetic gives.
struct SpanCoefficients {
  static constexpr int kMaxDegree = 15;

  std::array<double, kMaxDegree + 1> coefficient;
  int degree = 0;
  double length = 0.0;
  double error = 0.0;

  /// The time derivative; the error bound follows.
  void differentiate();

  /// The part [u0, u1] of the piece, 0 <= u0 <= u1 <= 1 in units of its length (u0 == u1 gives the
  /// constant). The error bound grows by the rounding of de Casteljau's steps and by that of u0 and
  /// u1 when these are within `parameter_error` of what was meant; that it is finite is checked.
  void restrict(double u0, double u1, double parameter_error);

  /// Bounds of the polynomial on the piece, error included.
  double lower() const;
  double upper() const;
  double magnitude() const;
};

/// The `order`-th derivative of coordinate k on span i of the trajectory.
SpanCoefficients coefficientsOf(const Trajectory& trajectory, int i, int order, int k);

}  // namespace allclear
