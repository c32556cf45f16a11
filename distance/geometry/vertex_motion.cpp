// Conservative collision tests of a vertex with a face, and of two edges, whose vertices move
// linearly.
//
// The gap, the vector between a point of the one feature and one of the other, is affine in each of
// t, u and v, where (u, v) is the place on the face, or along the two edges. So over a box of (t,
// u, v) each of its coordinates lies between the least and the greatest of the values at the box's
// eight corners, exactly. A box whose range leaves out zero, in some coordinate or along some
// direction, holds no contact. The others are halved along the side that moves the gap most.
// Invariant: a box is dropped only when it provably holds no contact, so `false` is a proof.
//
// (Inclusion functions after B. Wang, Z. Ferguson et al., "A large-scale benchmark and an
// inclusion-based algorithm for continuous collision detection", TOG 2021.)
#include "allclear/distance/geometry/vertex_motion.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

// Extended precision: touching features of real meshes are decided by the last bits of coordinates.
using Real = long double;
using Vector = Vec3T<Real>;

// Of the gap at a corner, over the largest coordinate: 32 roundings of 64-bit mantissas.
constexpr Real kRounding = 32 * std::numeric_limits<Real>::epsilon();

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

/// Directions to test besides the axes: the face's normals and diagonals. Features that move in or
/// near one oblique plane have ranges that hold zero along all axes; halving would not end.
std::vector<Vector> separatingDirections(const Vector& normal_at_start,
                                         const Vector& normal_at_end) {
  std::vector<Vector> directions{{1, 1, 0},  {1, -1, 0}, {1, 0, 1},
                                 {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};
  for (const Vector& n : {normal_at_start, normal_at_end}) {
    if (n.cwiseAbs().maxCoeff() > 0) directions.push_back(n / n.cwiseAbs().maxCoeff());
  }
  return directions;
}

/// Range of the gap over a box, and how much each parameter moves it.
struct Range {
  Vector lower = Vector::Constant(std::numeric_limits<Real>::infinity());
  Vector upper = -lower;
  std::array<Real, 3> travel{};
  std::array<Vector, 8> corner;

  /// Whether the gap stays away from zero along an axis or one of the directions. `slack` bounds
  /// the rounding of a coordinate.
  bool isAway(const std::vector<Vector>& directions, Real slack) const {
    if ((lower.array() > slack).any() || (upper.array() < -slack).any()) return true;
    for (const Vector& n : directions) {
      Real least = n.dot(corner[0]);
      Real greatest = least;
      for (const Vector& g : corner) {
        least = std::min(least, n.dot(g));
        greatest = std::max(greatest, n.dot(g));
      }
      // A dot product adds up three coordinates' errors, and has roundings of its own: twice.
      const Real padded = 2 * slack * n.cwiseAbs().sum();
      if (least > padded || greatest < -padded) return true;
    }
    return false;
  }
};

template <class Gap>
Range rangeOver(const Box& box, const Gap& gap) {
  Range range;
  std::array<Vector, 8>& corner = range.corner;
  for (int c = 0; c < 8; ++c) {
    // Bit k of c says which end of side k.
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

/// Boxes before the contact found that are looked at for an earlier one. A contact at one instant
/// needs fewer; one that lasts has no end of boxes, and then any of its instants will do.
constexpr int kEarlierBoxes = 2000;

/// Splits the side along which the gap changes most; the half with the lesser values comes first.
/// False when that side is a single number.
bool split(const Box& box, const Range& range, std::vector<Box>* stack) {
  const int k = static_cast<int>(std::max_element(range.travel.begin(), range.travel.end()) -
                                 range.travel.begin());
  const Real middle = Real(0.5) * (box.lower[k] + box.upper[k]);
  if (middle <= box.lower[k] || middle >= box.upper[k]) return false;
  Box half = box;
  half.lower[k] = middle;
  stack->push_back(half);
  half = box;
  half.upper[k] = middle;
  stack->push_back(half);
  return true;
}

/// Where the gap vanishes for some (t, u, v). `inside(box)` is false when the box lies outside the
/// domain of the parameters.
template <class Gap, class Inside>
FeatureMeeting meeting(const Gap& gap, const Inside& inside, const std::vector<Vector>& directions,
                       double scale, const VertexMotionOptions& options) {
  using Verdict = FeatureMeeting::Verdict;
  const Real slack = kRounding * scale;
  const Real resolution = static_cast<Real>(options.resolution) * scale;
  std::vector<Box> stack{Box{}};
  FeatureMeeting result{Verdict::kApart, 1.0};
  int most = options.max_boxes;
  for (int count = 0; !stack.empty(); ++count) {
    const Box box = stack.back();
    stack.pop_back();
    const bool is_found = result.verdict == Verdict::kTouching;
    if (count >= most) {
      return is_found ? result
                      : FeatureMeeting{Verdict::kUndecided, static_cast<double>(box.lower[0])};
    }
    if (is_found && static_cast<double>(box.lower[0]) >= result.time) continue;
    if (!inside(box)) continue;
    const Range range = rangeOver(box, gap);
    if (range.isAway(directions, slack)) continue;
    const bool is_small = (range.upper - range.lower).maxCoeff() <= resolution;
    if (is_small || !split(box, range, &stack)) {
      result = {Verdict::kTouching, static_cast<double>(box.lower[0])};
      most = std::min(most, count + kEarlierBoxes);
    }
  }
  return result;
}

bool mayTouch(const FeatureMeeting& meeting) {
  return meeting.verdict != FeatureMeeting::Verdict::kApart;
}

}  // namespace

FeatureMeeting meetingVertexFace(const MovingPoint& vertex, const std::array<MovingPoint, 3>& face,
                                 const VertexMotionOptions& options) {
  double scale = largestCoordinate(vertex);
  for (const MovingPoint& p : face) scale = std::max(scale, largestCoordinate(p));
  const auto gap = [&](Real t, Real u, Real v) -> Vector {
    const Vector a = at(face[0], t);
    return at(vertex, t) - a - u * (at(face[1], t) - a) - v * (at(face[2], t) - a);
  };
  // u + v <= 1 on a triangle.
  const auto inside = [](const Box& box) { return box.lower[1] + box.lower[2] <= 1.0; };
  const auto normal = [&](Real t) -> Vector {
    const Vector a = at(face[0], t);
    return (at(face[1], t) - a).cross(at(face[2], t) - a);
  };
  return meeting(gap, inside, separatingDirections(normal(0), normal(1)), scale, options);
}

FeatureMeeting meetingEdgeEdge(const std::array<MovingPoint, 2>& a,
                               const std::array<MovingPoint, 2>& b,
                               const VertexMotionOptions& options) {
  double scale = 0.0;
  for (const auto& edge : {a, b}) {
    for (const MovingPoint& p : edge) scale = std::max(scale, largestCoordinate(p));
  }
  const auto gap = [&](Real t, Real u, Real v) -> Vector {
    return (1 - u) * at(a[0], t) + u * at(a[1], t) - (1 - v) * at(b[0], t) - v * at(b[1], t);
  };
  // Across both edges.
  const auto normal = [&](Real t) -> Vector {
    return (at(a[1], t) - at(a[0], t)).cross(at(b[1], t) - at(b[0], t));
  };
  return meeting(
      gap, [](const Box&) { return true; }, separatingDirections(normal(0), normal(1)), scale,
      options);
}

bool mayTouchVertexFace(const MovingPoint& vertex, const std::array<MovingPoint, 3>& face,
                        const VertexMotionOptions& options) {
  return mayTouch(meetingVertexFace(vertex, face, options));
}

bool mayTouchEdgeEdge(const std::array<MovingPoint, 2>& a, const std::array<MovingPoint, 2>& b,
                      const VertexMotionOptions& options) {
  return mayTouch(meetingEdgeEdge(a, b, options));
}

}  // namespace allclear
