// Balls and boxes that hold triangles, stored in single precision.
//
// A query prunes a volume instead of its triangles, so a volume that misses a corner by one
// rounding would make a wrong bound. Each volume is therefore fitted in double precision, its
// centre is rounded to single precision, and its radius or half edges are then measured from the
// rounded centre and grown until the *stored* numbers are proven to hold every corner. This is the
// lemma on which all bounds of volumes rest: a triangle lies in its ball and in its box.

#include "allclear/distance/mesh/volume_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/assert.h"
#include "allclear/core/stop_scope.h"
#include "allclear/distance/geometry/smallest_ball.h"
#include "allclear/distance/mesh/principal_axes.h"

namespace allclear::mesh {
namespace {

/// A length is a square root of a sum of three squares: about 5 roundings of 1.1e-16 each. This
/// share is more than ten times that.
constexpr double kLengthRounding = 1e-14;

/// The corners are tested against the box by the inverse of its half axes. No half edge is shorter
/// than 2^-21 of the longest, nor than 2^-22 of the centre's coordinates (see `fitBox`), so that
/// the inverse amplifies the roundings of the test, a few of 1.1e-16 each, to less than 1e-9.
constexpr double kInverseRounding = 1e-9;

/// A triangle lower than this share of its longest edge has no second direction of its own: single
/// precision stores its corners no better than 6e-8.
constexpr double kFlat = 1e-7;

/// The axes of larger sets are not turned: it costs O(corners), and their boxes are opened anyway.
constexpr std::size_t kMostTurned = 1 << 12;

/// Through memory: GCC 12 removes a vectorised conversion double -> float -> double, though it
/// rounds.
float rounded(double x) {
  const volatile auto f = static_cast<float>(x);
  return f;
}

float roundedUp(double x) {
  const float f = rounded(x);
  return static_cast<double>(f) < x ? std::nextafterf(f, HUGE_VALF) : f;
}

/// A box along some axes.
struct Extent {
  Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 upper = Vec3::Constant(-std::numeric_limits<double>::infinity());

  /// A quarter of the box's surface.
  double surface() const {
    const Vec3 d = upper - lower;
    return d.x() * d.y() + d.y() * d.z() + d.z() * d.x();
  }
};

Extent extentAlong(const Mat3& axes, const std::vector<Vec3>& points) {
  Extent e;
  StopSteps steps;
  for (const Vec3& p : points) {
    steps.step();
    const Vec3 x = axes.transpose() * p;
    e.lower = e.lower.cwiseMin(x);
    e.upper = e.upper.cwiseMax(x);
  }
  return e;
}

/// Along the longest edge, across it in the triangle, and along the normal.
Mat3 triangleAxes(const TriangleCorners& t) {
  Vec3 longest = Vec3::Zero(), other = Vec3::Zero();
  for (int k = 0; k < 3; ++k) {
    const Vec3 edge = t.corner((k + 1) % 3) - t.corner(k);
    if (edge.squaredNorm() > longest.squaredNorm()) {
      longest = edge;
      other = t.corner((k + 2) % 3) - t.corner(k);
    }
  }
  const double length = longest.norm();
  // A point: any axes will do.
  if (!(length > 0.0)) return Mat3::Identity();
  Mat3 axes;
  axes.col(0) = longest / length;
  other -= axes.col(0).dot(other) * axes.col(0);
  const bool flat = !(other.norm() > kFlat * length);
  axes.col(1) = flat ? Vec3(axes.col(0).unitOrthogonal()) : Vec3(other.normalized());
  axes.col(2) = axes.col(0).cross(axes.col(1));
  return axes;
}

}  // namespace

void VolumeFitter::fit(std::span<const TriangleCorners> triangles, MeshNode* node, int slot) {
  corners_.clear();
  StopSteps steps;
  for (const TriangleCorners& t : triangles) {
    steps.step();
    for (int k = 0; k < 3; ++k) corners_.push_back(t.corner(k));
  }
  fitBall(node, slot);
  fitBox(triangles, node, slot);
}

void VolumeFitter::fitBall(MeshNode* node, int slot) const {
  const Vec3 center = fitting::SmallestBallFinder<3>::find(corners_).center;
  Vec3 stored;
  for (int k = 0; k < 3; ++k) {
    node->ball[k][slot] = rounded(center[k]);
    stored[k] = static_cast<double>(node->ball[k][slot]);
  }
  // From the stored centre, not from the one found: the ball holds the corners whatever the
  // rounding of its centre was.
  double radius = 0.0;
  for (const Vec3& p : corners_) radius = std::max(radius, (p - stored).squaredNorm());
  node->ball[3][slot] = roundedUp(std::sqrt(radius) * (1.0 + kLengthRounding));
  node->ball[4][slot] = roundedUp(stored.norm() * (1.0 + kLengthRounding));
}

/// Axes of a box with little surface: the principal ones, turned about each in turn by smaller and
/// smaller angles while that takes surface off.
Mat3 VolumeFitter::boxAxes(std::span<const TriangleCorners> triangles) const {
  if (triangles.size() == 1) return triangleAxes(triangles[0]);
  const auto at = [&](int i) -> const TriangleCorners& { return triangles[i]; };
  Mat3 axes = principalAxes(at, static_cast<int>(triangles.size()));
  if (triangles.size() > kMostTurned) return axes;
  // Steps in radians; each turn is kept when it takes surface off.
  double least = extentAlong(axes, corners_).surface();
  for (double step : {0.4, 0.2, 0.1, 0.05}) {
    for (int axis = 0; axis < 3; ++axis) {
      for (double angle : {step, -step}) {
        const Mat3 turned = axes * Eigen::AngleAxisd(angle, Vec3::Unit(axis)).toRotationMatrix();
        const double surface = extentAlong(turned, corners_).surface();
        if (!(surface < least)) continue;
        least = surface;
        axes = turned;
      }
    }
  }
  return axes;
}

void VolumeFitter::fitBox(std::span<const TriangleCorners> triangles, MeshNode* node,
                          int slot) const {
  const Mat3 axes = boxAxes(triangles);
  const Extent extent = extentAlong(axes, corners_);
  const Vec3 center = axes * (0.5 * (extent.lower + extent.upper));
  const Vec3 half = 0.5 * (extent.upper - extent.lower);
  Vec3 stored;
  for (int k = 0; k < 3; ++k) {
    node->box[k][slot] = rounded(center[k]);
    stored[k] = static_cast<double>(node->box[k][slot]);
  }
  // What every half edge is lengthened by. Rounding moves each coordinate c of the centre by at
  // most 2^-24 |c|, and each coordinate of a half axis of length h by 2^-24 h: a long axis may lean
  // out of a thin box by 2^-23 of its length. 2^-22 of the centre and 2^-21 of the longest half
  // edge cover both and keep the box thick enough to be inverted. The smallest scale keeps the
  // half edges of a single point away from numbers that single precision cannot hold.
  constexpr double kLeastScale = 1e-36;  // [m]
  const double far = stored.cwiseAbs().maxCoeff();
  const double scale = std::max({half.maxCoeff(), far * 0x1p-20, kLeastScale});
  double slop = far * 0x1p-22 + scale * 0x1p-21;
  constexpr int kMostAttempts = 40;  // the first or second holds; 2^40 of it is beyond the mesh
  for (int attempt = 0; attempt < kMostAttempts; ++attempt, slop *= 2.0) {
    Mat3 half_axes;
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) {
        const float g = rounded((half[i] + slop) * axes(k, i));
        node->box[3 + 3 * i + k][slot] = g;
        half_axes(k, i) = static_cast<double>(g);
      }
    }
    if (boxHolds(half_axes, stored)) return;
  }
  ALLCLEAR_ASSERT(false && "a box that holds its triangles");
}

/// Whether every corner is center + half_axes x with |x_i| <= 1, with room for rounding. Written so
/// that NaN fails.
bool VolumeFitter::boxHolds(const Mat3& half_axes, const Vec3& center) const {
  const Mat3 inverse = half_axes.inverse();
  StopSteps steps;
  for (const Vec3& p : corners_) {
    steps.step();
    const Vec3 x = inverse * (p - center);
    if (!(x.cwiseAbs().maxCoeff() <= 1.0 - kInverseRounding)) return false;
  }
  return true;
}

}  // namespace allclear::mesh
