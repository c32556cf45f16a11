// Contact of two moving features by inclusion functions, after B. Wang, Z. Ferguson et al., "A
// large-scale benchmark and an inclusion-based algorithm for continuous collision detection", TOG
// 2021.
//
// The gap between a point of one feature and a point of the other is affine in the time t and in
// each of u and v, which place the points on the face or along the edges. So over a box of (t, u,
// v) each coordinate of the gap lies between the least and the greatest of its values at the box's
// eight corners, exactly. A box whose range leaves out zero in some coordinate holds no contact.
// The others are halved along the parameter that moves the gap most.
//
// Symbols: t, u, v in [0, 1]; slack, the rounding of a gap; resolution, the range below which a box
// counts as a contact. Invariant: every contact lies in a box on the stack.
#include "allclear/distance/geometry/vertex_motion.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

// Extended precision: queries from simulations are decided by the last bits of their coordinates.
using Real = long double;
using Vector = Vec3T<Real>;

/// Rounding of the gap at a corner, relative to the largest coordinate: 32 roundings of 64-bit
/// mantissas, more than the sums of `gap` have.
constexpr Real kRounding = 32 * std::numeric_limits<Real>::epsilon();

/// A part of the parameters (t, u, v).
struct Box {
  std::array<Real, 3> lower{0.0, 0.0, 0.0};
  std::array<Real, 3> upper{1.0, 1.0, 1.0};
};

Vector at(const MovingPoint& p, Real t) {
  return (1 - t) * p.start.cast<Real>() + t * p.end.cast<Real>();
}

double largestCoordinate(const MovingPoint& p) {
  ALLCLEAR_ASSERT(p.start.allFinite() && p.end.allFinite());
  return std::max(p.start.cwiseAbs().maxCoeff(), p.end.cwiseAbs().maxCoeff());
}

/// Directions along which the gap may stay away from zero, besides the axes. With the axes alone,
/// features that move in or near a common oblique plane would be halved without end: there the
/// normals of the features separate.
std::vector<Vector> separatingDirections(const Vector& normal_at_start,
                                         const Vector& normal_at_end) {
  std::vector<Vector> directions{{1, 1, 0},  {1, -1, 0}, {1, 0, 1},
                                 {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};
  for (const Vector& n : {normal_at_start, normal_at_end}) {
    if (n.cwiseAbs().maxCoeff() > 0) directions.push_back(n / n.cwiseAbs().maxCoeff());
  }
  return directions;
}

/// The values of the gap over a box, and how much each parameter moves it.
struct GapRange {
  Vector lower = Vector::Constant(std::numeric_limits<Real>::infinity());
  Vector upper = -lower;
  std::array<Real, 3> travel{};
  std::array<Vector, 8> corner;

  /// True when the gap keeps away from zero along one of the directions.
  bool isAway(const std::vector<Vector>& directions, Real slack) const {
    if ((lower.array() > slack).any() || (upper.array() < -slack).any()) return true;
    for (const Vector& n : directions) {
      Real least = n.dot(corner[0]);
      Real greatest = least;
      for (const Vector& g : corner) {
        least = std::min(least, n.dot(g));
        greatest = std::max(greatest, n.dot(g));
      }
      // The coordinates' slack as it adds up along n, and as much for the products' own rounding.
      const Real padded = 2 * slack * n.cwiseAbs().sum();
      if (least > padded || greatest < -padded) return true;
    }
    return false;
  }
};

template <class Gap>
GapRange rangeOver(const Box& box, const Gap& gap) {
  GapRange range;
  std::array<Vector, 8>& corner = range.corner;
  // Bit k of c: the upper side of parameter k.
  for (int c = 0; c < 8; ++c) {
    const auto side = [&](int k) { return (c >> k & 1) ? box.upper[k] : box.lower[k]; };
    corner[c] = gap(side(0), side(1), side(2));
    range.lower = range.lower.cwiseMin(corner[c]);
    range.upper = range.upper.cwiseMax(corner[c]);
  }
  for (int k = 0; k < 3; ++k) {
    for (int c = 0; c < 8; ++c) {
      const Vector moved = corner[c | 1 << k] - corner[c & ~(1 << k)];
      range.travel[k] = std::max(range.travel[k], moved.cwiseAbs().maxCoeff());
    }
  }
  return range;
}

/// Whether the gap may be zero somewhere; false is a proof. `inside(box)` is false when the whole
/// box lies outside of the parameters' domain.
template <class Gap, class Inside>
bool mayVanish(const Gap& gap, const Inside& inside, const std::vector<Vector>& directions,
               double scale, const VertexMotionOptions& options) {
  const Real slack = kRounding * scale;
  const Real resolution = static_cast<Real>(options.resolution) * scale;
  std::vector<Box> stack{Box{}};
  for (int examined = 0; !stack.empty(); ++examined) {
    if (examined >= options.max_boxes) return true;
    const Box box = stack.back();
    stack.pop_back();
    if (!inside(box)) continue;
    const GapRange range = rangeOver(box, gap);
    if (range.isAway(directions, slack)) continue;
    if ((range.upper - range.lower).maxCoeff() <= resolution) return true;
    const int k = static_cast<int>(std::max_element(range.travel.begin(), range.travel.end()) -
                                   range.travel.begin());
    // A side that cannot be halved any more: the numbers end before the answer.
    const Real middle = Real(0.5) * (box.lower[k] + box.upper[k]);
    if (middle <= box.lower[k] || middle >= box.upper[k]) return true;
    Box half = box;
    half.lower[k] = middle;
    stack.push_back(half);
    half = box;
    half.upper[k] = middle;
    stack.push_back(half);
  }
  return false;
}

}  // namespace

bool mayTouchVertexFace(const MovingPoint& vertex, const std::array<MovingPoint, 3>& face,
                        const VertexMotionOptions& options) {
  double scale = largestCoordinate(vertex);
  for (const MovingPoint& p : face) scale = std::max(scale, largestCoordinate(p));
  const auto gap = [&](Real t, Real u, Real v) -> Vector {
    const Vector a = at(face[0], t);
    return at(vertex, t) - a - u * (at(face[1], t) - a) - v * (at(face[2], t) - a);
  };
  // Of the square of (u, v) the face is the half with u + v <= 1.
  const auto inside = [](const Box& box) { return box.lower[1] + box.lower[2] <= 1.0; };
  const auto normal = [&](Real t) -> Vector {
    const Vector a = at(face[0], t);
    return (at(face[1], t) - a).cross(at(face[2], t) - a);
  };
  return mayVanish(gap, inside, separatingDirections(normal(0), normal(1)), scale, options);
}

bool mayTouchEdgeEdge(const std::array<MovingPoint, 2>& a, const std::array<MovingPoint, 2>& b,
                      const VertexMotionOptions& options) {
  double scale = 0.0;
  for (const auto& edge : {a, b}) {
    for (const MovingPoint& p : edge) scale = std::max(scale, largestCoordinate(p));
  }
  const auto gap = [&](Real t, Real u, Real v) -> Vector {
    return (1 - u) * at(a[0], t) + u * at(a[1], t) - (1 - v) * at(b[0], t) - v * at(b[1], t);
  };
  const auto normal = [&](Real t) -> Vector {
    return (at(a[1], t) - at(a[0], t)).cross(at(b[1], t) - at(b[0], t));
  };
  return mayVanish(
      gap, [](const Box&) { return true; }, separatingDirections(normal(0), normal(1)), scale,
      options);
}

}  // namespace allclear
