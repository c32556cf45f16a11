#pragma once

#include <array>

#include "allclear/core/types.h"

namespace allclear::phong {

using Mat2 = Eigen::Matrix2d;
/// Two rows that span a plane.
using Plane = Eigen::Matrix<double, 2, 3>;

/// Orthonormal rows perpendicular to the unit vector `n`: row0 x row1 = n.
Plane tangentPlane(const Vec3& n);

/// The orthogonal matrix nearest to M (either determinant). Closed form: of the rotations and the
/// reflections the part of M that is larger. Pre: not both parts zero (then any is as near).
Mat2 nearestOrthogonal(const Mat2& M);

/// The tangent planes of one triangle (Def. 5.2 of the thesis): two per edge, one for each end. The
/// planes at the three corners are turned within themselves (which changes no plane) until they
/// agree as well as they can, so that what is blended between them does not cancel.
struct PhongTriangle {
  /// [2 e], [2 e + 1]: of the edge from corner e to corner e + 1, at its start and at its end.
  std::array<Plane, 6> plane;
  double sign = 1.0;  ///< of row0 x row1 along the corners' normals
};

/// From the corners' unit normals.
PhongTriangle phongTriangle(const std::array<Vec3, 3>& normals);

/// The plane at a point of the triangle, and its derivatives by the first two barycentric
/// coordinates (the third one is 1 minus these). Continuous across edges as a plane: its rows may
/// turn within it.
struct PhongPlane {
  Plane value;
  Plane derivative[2];
};
/// `w`: three barycentric coordinates. At corners, where the blend is 0/0 (a limit exists,
/// derivatives do not), a point nearby is taken.
PhongPlane phongPlane(const PhongTriangle& triangle, const Vec3& w);

/// Unit normal of that plane, and its derivatives.
struct PhongNormal {
  Vec3 value;
  Vec3 derivative[2];
};
PhongNormal phongNormal(const PhongPlane& plane, double sign);

}  // namespace allclear::phong
