#pragma once

#include <array>

#include "allclear/core/types.h"

namespace allclear::phong {

using Mat2 = Eigen::Matrix2d;
/// Two rows that span a plane.
using Plane = Eigen::Matrix<double, 2, 3>;

/// Orthonormal rows perpendicular to the unit vector `n`: row0 x row1 = n.
Plane tangentPlane(const Vec3& n);

/// The orthogonal matrix nearest to M in the Frobenius norm, Ort(M) of eq. (5.8); either
/// determinant. Of M = 0 every one is equally near: the identity.
Mat2 nearestOrthogonal(const Mat2& M);

/// The tangent planes of one triangle (Def. 5.2 of the thesis): two per edge, one for each end.
/// Their bases are turned within the planes (which changes no plane) until they agree as well as
/// they can: a blend of bases that differ much would cancel.
struct PhongTriangle {
  /// [2 e], [2 e + 1]: of the edge from corner e to corner e + 1, at its start and at its end.
  std::array<Plane, 6> plane;
  double sign = 1.0;  ///< of row0 x row1 along the corners' normals
};

/// From the corners' unit normals.
PhongTriangle phongTriangle(const std::array<Vec3, 3>& normals);

/// The plane at a point of the triangle, and its derivatives by the first two barycentric
/// coordinates (the third one is 1 minus these). Across an edge the plane is continuous; its two
/// rows may turn within it.
struct PhongPlane {
  Plane value;
  Plane derivative[2];
};
/// `w`: three barycentric coordinates. At a corner, where the blend is 0/0 (a limit exists,
/// derivatives do not), uses a point next to it.
PhongPlane phongPlane(const PhongTriangle& triangle, const Vec3& w);

/// Unit normal of that plane, and its derivatives.
struct PhongNormal {
  Vec3 value;
  Vec3 derivative[2];
};
PhongNormal phongNormal(const PhongPlane& plane, double sign);

}  // namespace allclear::phong
