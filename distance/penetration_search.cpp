#include "allclear/distance/penetration_search.h"

#include <algorithm>

#include "allclear/distance/gjk.h"

namespace allclear {
namespace {

constexpr int kMostCorners = 200;
constexpr int kMostFaces = 2 * kMostCorners;
constexpr int kMostExpansions = 160;

struct Face {
  int corner[3];
  int neighbour[3];  ///< across the edge from corner[i] to corner[i + 1]
  Vec3 u;            ///< outward unit normal
  double offset;     ///< of the plane from the origin along u
  bool alive = true;
  bool settled = false;  ///< nothing better is to be had through this face
};

struct HorizonEdge {
  int from;
  int to;
  int outside;  ///< the face that stays
};

/// A growing polytope with corners on the surface of B - A.
class Polytope {
 public:
  explicit Polytope(const CorePair& pair) : pair_(pair) {}

  /// Starts from extreme points. False when B - A is flat; then `flat_normal` is its normal.
  bool start(Vec3* flat_normal);

  MinkowskiPoint support(const Vec3& u) const {
    MinkowskiPoint m;
    m.a = pair_.supportA(-u);
    m.b = pair_.supportB(-u);
    m.w = m.b - m.a;
    return m;
  }

  /// The face nearest to the origin among those not settled, or -1.
  int nearestFace() const {
    int nearest = -1;
    for (int i = 0; i < faces_; ++i) {
      if (face_[i].alive && !face_[i].settled &&
          (nearest < 0 || face_[i].offset < face_[nearest].offset)) {
        nearest = i;
      }
    }
    return nearest;
  }

  double leastOffset() const {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < faces_; ++i) {
      if (face_[i].alive) least = std::min(least, face_[i].offset);
    }
    return least;
  }

  /// Extends the hull by a point beyond face `f`. False when there is no room or rounding forbids.
  bool extend(int f, const MinkowskiPoint& point);

  Face& face(int f) { return face_[f]; }
  const MinkowskiPoint& corner(int c) const { return corner_[c]; }

 private:
  void setFace(int f, int i, int j, int k, const Face& beside);
  /// Marks the faces that see w dead and lists the edges around them, counterclockwise.
  void walk(int f, int first_edge, int edge_count, const Vec3& w);
  bool horizonIsLoop() const;
  bool visible(int f, const Vec3& w) const {
    return face_[f].u.dot(w) - face_[f].offset > 2.0 * pair_.rounding;
  }
  void extendByAny(const MinkowskiPoint& point);

  const CorePair& pair_;
  int corners_ = 0;
  int faces_ = 0;
  int dead_ = 0;
  int edges_ = 0;
  MinkowskiPoint corner_[kMostCorners];
  Face face_[kMostFaces];
  int dead_list_[kMostFaces];
  HorizonEdge horizon_[kMostFaces];
};

void Polytope::setFace(int f, int i, int j, int k, const Face& beside) {
  Face& face = face_[f];
  face.corner[0] = i;
  face.corner[1] = j;
  face.corner[2] = k;
  face.alive = true;
  const Vec3& a = corner_[i].w;
  const Vec3 ab = corner_[j].w - a;
  const Vec3 ac = corner_[k].w - a;
  const Vec3 n = ab.cross(ac);
  const double area = n.norm();
  // A sliver has no plane of its own and no extent: it borrows its neighbour's and is never looked
  // at.
  face.settled = !(area > 1e-15 * ab.norm() * ac.norm());
  face.u = face.settled ? beside.u : Vec3(n / area);
  face.offset = face.u.dot(a);
}

bool Polytope::start(Vec3* flat_normal) {
  MinkowskiPoint axis_point[6];
  for (int i = 0; i < 6; ++i) {
    Vec3 u = Vec3::Zero();
    u[i / 2] = i % 2 == 0 ? 1.0 : -1.0;
    axis_point[i] = support(u);
  }
  int from = 0;
  int to = 1;
  double longest = -1.0;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < i; ++j) {
      const double length = (axis_point[i].w - axis_point[j].w).squaredNorm();
      if (length > longest) {
        longest = length;
        from = j;
        to = i;
      }
    }
  }
  const double flat = 64.0 * pair_.rounding;
  *flat_normal = Vec3::UnitX();
  if (std::sqrt(longest) <= flat) return false;  // a point
  corner_[0] = axis_point[from];
  corner_[1] = axis_point[to];
  const Vec3 along = (corner_[1].w - corner_[0].w).normalized();
  // Third: farthest from the line, among supports square to it.
  const Vec3 side1 = along.unitOrthogonal();
  const Vec3 side2 = along.cross(side1);
  double farthest = -1.0;
  for (const Vec3& side : {side1, side2}) {
    for (double sign : {1.0, -1.0}) {
      const MinkowskiPoint m = support(sign * side);
      const Vec3 w = m.w - corner_[0].w;
      const double off = (w - along * along.dot(w)).norm();
      if (off > farthest) {
        farthest = off;
        corner_[2] = m;
      }
    }
  }
  *flat_normal = side1;
  if (farthest <= flat) return false;  // a segment
  const Vec3 n = along.cross(corner_[2].w - corner_[0].w).normalized();
  *flat_normal = n;
  const MinkowskiPoint above = support(n);
  const MinkowskiPoint below = support(-n);
  const double height_above = n.dot(above.w - corner_[0].w);
  const double height_below = n.dot(corner_[0].w - below.w);
  if (std::max(height_above, height_below) <= flat) return false;
  corners_ = 4;
  corner_[3] = height_above >= height_below ? above : below;
  // Corner 3 must lie on the inner side of (0, 1, 2).
  if (height_above >= height_below) std::swap(corner_[1], corner_[2]);
  faces_ = 4;
  static constexpr int kCorners[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  static constexpr int kNeighbours[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  for (int f = 0; f < 4; ++f) {
    setFace(f, kCorners[f][0], kCorners[f][1], kCorners[f][2], face_[0]);
    std::copy(kNeighbours[f], kNeighbours[f] + 3, face_[f].neighbour);
  }
  for (const MinkowskiPoint& m : axis_point) extendByAny(m);
  extendByAny(height_above >= height_below ? below : above);
  return true;
}

void Polytope::extendByAny(const MinkowskiPoint& point) {
  for (int f = 0; f < faces_; ++f) {
    if (face_[f].alive && visible(f, point.w)) {
      extend(f, point);
      return;
    }
  }
}

void Polytope::walk(int f, int first_edge, int edge_count, const Vec3& w) {
  face_[f].alive = false;
  dead_list_[dead_++] = f;
  for (int i = 0; i < edge_count; ++i) {
    const int e = (first_edge + i) % 3;
    const int from = face_[f].corner[e];
    const int to = face_[f].corner[(e + 1) % 3];
    const int g = face_[f].neighbour[e];
    if (!face_[g].alive) continue;
    if (!visible(g, w)) {
      horizon_[edges_++] = {from, to, g};
      continue;
    }
    int entry = 0;
    while (face_[g].corner[entry] != to) ++entry;
    walk(g, entry + 1, 2, w);
  }
}

bool Polytope::horizonIsLoop() const {
  if (edges_ < 3) return false;
  for (int i = 0; i < edges_; ++i) {
    if (horizon_[i].to != horizon_[(i + 1) % edges_].from) return false;
  }
  return true;
}

bool Polytope::extend(int f, const MinkowskiPoint& point) {
  if (corners_ == kMostCorners) return false;
  dead_ = 0;
  edges_ = 0;
  walk(f, 0, 3, point.w);
  const int fresh = edges_ - dead_;
  if (!horizonIsLoop() || faces_ + fresh > kMostFaces) {
    for (int i = 0; i < dead_; ++i) face_[dead_list_[i]].alive = true;
    return false;
  }
  const int tip = corners_++;
  corner_[tip] = point;
  for (int i = dead_; i < edges_; ++i) dead_list_[i] = faces_++;
  for (int i = 0; i < edges_; ++i) {
    const HorizonEdge& edge = horizon_[i];
    const int made = dead_list_[i];
    setFace(made, edge.from, edge.to, tip, face_[edge.outside]);
    face_[made].neighbour[0] = edge.outside;
    face_[made].neighbour[1] = dead_list_[(i + 1) % edges_];
    face_[made].neighbour[2] = dead_list_[(i + edges_ - 1) % edges_];
    Face& outside = face_[edge.outside];
    for (int e = 0; e < 3; ++e) {
      if (outside.corner[e] == edge.to && outside.corner[(e + 1) % 3] == edge.from) {
        outside.neighbour[e] = made;
      }
    }
  }
  for (int i = edges_; i < dead_; ++i) face_[dead_list_[i]].alive = false;
  return true;
}

/// What has been refined already, so that neighbouring faces are not refined again.
class RefinedDirections {
 public:
  bool near(const Vec3& u) const {
    constexpr double kNearCosine = 0.98;
    for (int i = 0; i < count_; ++i) {
      if (direction_[i].dot(u) > kNearCosine) return true;
    }
    return false;
  }
  void add(const Vec3& u) {
    if (count_ < kMost) direction_[count_++] = u;
  }

 private:
  static constexpr int kMost = 64;
  int count_ = 0;
  Vec3 direction_[kMost];
};

void refineFrom(const CorePair& pair, Polytope* polytope, int f, NormalCandidate* best) {
  ActivePoints active_A;
  ActivePoints active_B;
  const Face& face = polytope->face(f);
  for (int c : face.corner) {
    active_A.add(polytope->corner(c).a);
    active_B.add(pair.R.transpose() * (polytope->corner(c).b - pair.p));
  }
  refineNormal(pair, -face.u, active_A, active_B, best);
}

}  // namespace

PenetrationResult searchPenetration(const CorePair& pair, const Vec3& hint) {
  PenetrationResult result;
  NormalCandidate& best = result.best;
  best = bestCreaseNormal(pair);
  const bool creases_are_all = pair.A.kind <= ConvexCore::Kind::kBox &&
                               pair.B.kind <= ConvexCore::Kind::kBox;
  if (creases_are_all) {
    result.upper = best.separation;
    return result;
  }
  if (hint.squaredNorm() > 0.0) offer(pair, hint, pair.separation(hint), true, &best);
  Polytope polytope(pair);
  Vec3 flat_normal;
  if (!polytope.start(&flat_normal)) {
    for (double sign : {1.0, -1.0}) {
      offer(pair, sign * flat_normal, pair.separation(sign * flat_normal), true, &best);
    }
    result.upper = best.separation;
    return result;
  }
  const bool curved = !pair.A.isPolytope() || !pair.B.isPolytope();
  const double exact = 16.0 * pair.rounding;
  RefinedDirections refined;
  result.converged = false;
  for (int i = 0; i < kMostExpansions; ++i) {
    const int f = polytope.nearestFace();
    if (f < 0 || polytope.face(f).offset >= -best.separation - exact) {
      result.converged = true;
      break;
    }
    Face& face = polytope.face(f);
    const MinkowskiPoint point = polytope.support(face.u);
    const double reach = face.u.dot(point.w);
    const double room = reach - face.offset;
    offer(pair, -face.u, -reach, true, &best);
    const double coarse = std::max(0.01 * -best.separation, 1e-5 * pair.scale);
    if (room <= exact) {
      face.settled = true;
    } else if (curved && room <= coarse) {
      if (!refined.near(face.u)) {
        refined.add(face.u);
        refineFrom(pair, &polytope, f, &best);
      }
      face.settled = true;
    } else if (!polytope.extend(f, point)) {
      face.settled = true;
    }
  }
  if (curved) {
    refineNormal(pair, Vec3(best.n), {}, {}, &best);
  }
  result.upper = std::max(best.separation, -polytope.leastOffset());
  return result;
}

}  // namespace allclear
