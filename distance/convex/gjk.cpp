// The algorithm of E. Gilbert, D. Johnson and S. Keerthi, "A fast procedure for computing the
// distance between complex objects in three-dimensional space" (1988).
//
// The distance of the convex sets A and B is that of the origin from their difference
// D = {b - a}, which is convex too. For a unit normal n the point of D that is lowest along n is
// w = b - a, with a the point of A farthest along n and b the point of B farthest against it.
// Nothing of D lies below it, so n.w is a lower bound of the distance, for any n. The hull of a few
// such points (the simplex, at most four) lies inside D, so the distance |v| of the origin from
// that hull is an upper bound. Each round takes n = v / |v|, adds the w of this n to the simplex
// and keeps only the corners that hold the nearest point: |v| shrinks in every round.
//
// Symbols: n the trial normal, w a corner (of D), v the nearest point of the simplex,
// upper = |v|, lower = the largest n.w so far (GjkResult::normal gave it).
// Invariant: lower <= distance of the cores <= upper, to rounding.
//
// The nearest point of a simplex is the best of its faces, edges and corners that can hold it, with
// weights from areas; there is no system of equations, which flat simplices would make singular.

#include "allclear/distance/convex/gjk.h"

#include <algorithm>

namespace allclear {
namespace {

/// Polytopes have finitely many corners and end by themselves, in far fewer rounds. On curved cores
/// GJK converges linearly only: after this many, Newton's iteration on the normal does better
/// (normal_refinement.h).
constexpr int kMostIterations = 100;

/// The squared sine of a triangle's angle from which its normal is nothing but rounding: a cross
/// product of unit vectors has an error of about 1e-16, the sine of 1e-15 is ten times that.
constexpr double kSliverSine2 = 1e-30;

/// The best candidate so far: at most three corners of a simplex, and the point of their hull that
/// is nearest to the origin.
struct NearestPoint {
  int size = 0;
  int corner[3];
  double weight[3];
  Vec3 v;
  double squared = std::numeric_limits<double>::infinity();

  /// Takes the weighted mean of these corners of `s` if it is nearer than what is known.
  void offer(const MinkowskiPoint* s, std::initializer_list<int> corners, const double* weights) {
    Vec3 point = Vec3::Zero();
    int k = 0;
    for (int c : corners) point += weights[k++] * s[c].w;
    const double d2 = point.squaredNorm();
    if (!(d2 < squared)) return;  // NaN is never nearer
    v = point;
    squared = d2;
    size = k;
    k = 0;
    for (int c : corners) {
      corner[k] = c;
      weight[k] = weights[k];
      ++k;
    }
  }
};

void nearestOnSegment(const MinkowskiPoint* s, int i, int j, NearestPoint* best) {
  const Vec3 edge = s[j].w - s[i].w;
  const double length2 = edge.squaredNorm();
  // The foot of the origin on the line divides the edge at along / length2.
  const double along = -s[i].w.dot(edge);
  if (along <= 0.0 || length2 == 0.0) {
    const double one = 1.0;
    best->offer(s, {i}, &one);
  } else if (along >= length2) {
    const double one = 1.0;
    best->offer(s, {j}, &one);
  } else {
    const double t = along / length2;
    const double weights[2] = {1.0 - t, t};
    best->offer(s, {i, j}, weights);
  }
}

void nearestOnTriangle(const MinkowskiPoint* s, int i, int j, int k, NearestPoint* best) {
  const Vec3& a = s[i].w;
  const Vec3& b = s[j].w;
  const Vec3& c = s[k].w;
  const Vec3 ab = b - a;
  const Vec3 ac = c - a;
  const Vec3 n = ab.cross(ac);
  const double n2 = n.squaredNorm();
  // Signed areas seen along n: negative where the origin is beyond the opposite edge.
  const double u = n.dot(b.cross(c));
  const double v = n.dot(c.cross(a));
  const double w = n.dot(a.cross(b));
  const bool sliver = n2 <= kSliverSine2 * ab.squaredNorm() * ac.squaredNorm();
  if (!sliver && u > 0.0 && v > 0.0 && w > 0.0) {
    const double sum = u + v + w;
    const double weights[3] = {u / sum, v / sum, w / sum};
    best->offer(s, {i, j, k}, weights);
    return;
  }
  // Beyond an edge, the nearest point lies on it (or on another edge that the origin is beyond). Of
  // a sliver the signs say nothing: all three edges are tried.
  if (sliver || u <= 0.0) nearestOnSegment(s, j, k, best);
  if (sliver || v <= 0.0) nearestOnSegment(s, k, i, best);
  if (sliver || w <= 0.0) nearestOnSegment(s, i, j, best);
}

/// Leaves `best` empty when the origin is inside.
void nearestOnTetrahedron(const MinkowskiPoint* s, NearestPoint* best) {
  // Three corners of a face, then the corner opposite to it.
  static constexpr int kFaces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
  for (const auto& f : kFaces) {
    const Vec3& a = s[f[0]].w;
    const Vec3 n = (s[f[1]].w - a).cross(s[f[2]].w - a);
    const double origin_side = -n.dot(a);
    const double corner_side = n.dot(s[f[3]].w - a);
    // A face can hold the nearest point only if the origin is not on its inner side. In a flat
    // tetrahedron both sides are 0 and no face is left out.
    const bool inside = origin_side * corner_side > 0.0;
    if (!inside) nearestOnTriangle(s, f[0], f[1], f[2], best);
  }
}

NearestPoint nearestOnSimplex(const MinkowskiPoint* s, int size) {
  NearestPoint best;
  switch (size) {
    case 1: {
      const double one = 1.0;
      best.offer(s, {0}, &one);
      break;
    }
    case 2:
      nearestOnSegment(s, 0, 1, &best);
      break;
    case 3:
      nearestOnTriangle(s, 0, 1, 2, &best);
      break;
    default:
      nearestOnTetrahedron(s, &best);
  }
  return best;
}

/// Whether w is a corner of the simplex already. A polytope that gives the same corner again has no
/// better one along this normal: the simplex holds the nearest point.
bool isCorner(const GjkResult& r, const Vec3& w) {
  for (int i = 0; i < r.size; ++i) {
    if (r.simplex[i].w == w) return true;
  }
  return false;
}

/// Reduces the simplex to the corners that hold its nearest point, which becomes v.
void keepOnly(const NearestPoint& nearest, GjkResult* r) {
  MinkowskiPoint kept[3];
  for (int i = 0; i < nearest.size; ++i) kept[i] = r->simplex[nearest.corner[i]];
  for (int i = 0; i < nearest.size; ++i) {
    r->simplex[i] = kept[i];
    r->weight[i] = nearest.weight[i];
  }
  r->size = nearest.size;
  r->v = nearest.v;
  r->upper = std::sqrt(nearest.squared);
}

/// The weights with which the corners of the tetrahedron give the origin, which it holds: shares of
/// its volume. A flat one has none; its corners count alike.
void weighOrigin(GjkResult* r) {
  const Vec3 &a = r->simplex[0].w, &b = r->simplex[1].w, &c = r->simplex[2].w, &d = r->simplex[3].w;
  const double share[4] = {b.dot(c.cross(d)), -a.dot(c.cross(d)), a.dot(b.cross(d)),
                           -a.dot(b.cross(c))};
  const double volume = share[0] + share[1] + share[2] + share[3];
  double sum = 0.0;
  for (int i = 0; i < 4; ++i) {
    // Rounding may put the origin outside by a little.
    r->weight[i] = volume != 0.0 ? std::max(0.0, share[i] / volume) : 1.0;
    sum += r->weight[i];
  }
  for (double& weight : r->weight) weight = sum > 0.0 ? weight / sum : 0.25;
}

/// All of B - A is at least n.w along n. The best of these bounds is kept: of later normals some
/// prove less.
void raiseLower(const Vec3& n, const MinkowskiPoint& corner, GjkResult* r) {
  const double lower = n.dot(corner.w);
  if (lower > r->lower) {
    r->lower = lower;
    r->normal = n;
  }
}

}  // namespace

Vec3 GjkResult::witnessA() const {
  Vec3 point = Vec3::Zero();
  for (int i = 0; i < size; ++i) point += weight[i] * simplex[i].a;
  return point;
}

Vec3 GjkResult::witnessB() const {
  Vec3 point = Vec3::Zero();
  for (int i = 0; i < size; ++i) point += weight[i] * simplex[i].b;
  return point;
}

namespace {

/// The rounds, from the first trial normal `n`.
void iterate(const CorePair& pair, Vec3 n, const GjkOptions& options, GjkResult* result) {
  GjkResult& r = *result;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    const MinkowskiPoint& corner = r.simplex[r.size] = lowestAlong(pair, n);
    raiseLower(n, corner, &r);
    if (r.lower >= options.enough) return;
    // `rounding` is the error of one corner; the bracket is made of a few of them.
    const double closed_gap =
        std::max(4.0 * pair.rounding + options.relative_gap * r.upper, options.gap);
    if (r.size > 0 && r.upper - r.lower <= closed_gap) return;
    if (isCorner(r, corner.w)) return;
    const NearestPoint nearest = nearestOnSimplex(r.simplex, r.size + 1);
    if (nearest.size == 0) {  // inside the tetrahedron (as far as rounding can tell)
      r.size = 4;
      r.overlap = true;
      r.upper = 0.0;
      weighOrigin(&r);
      return;
    }
    // Without rounding v would come nearer in every round: no progress means that the rest of the
    // gap is rounding. The old simplex is kept.
    if (r.size > 0 && !(std::sqrt(nearest.squared) < r.upper - 0.25 * pair.rounding)) return;
    ++r.size;
    keepOnly(nearest, &r);
    // So near to the origin v is noise and gives no normal: a touch is treated as an overlap.
    if (r.upper <= 4.0 * pair.rounding) {
      r.overlap = true;
      return;
    }
    if (r.upper < options.enough) return;
    n = r.v / r.upper;
  }
  r.converged = false;
}

}  // namespace

GjkResult gjk(const CorePair& pair, const Vec3& direction, const GjkOptions& options) {
  GjkResult r;
  iterate(pair, direction.normalized(), options, &r);
  return r;
}

void continueGjk(const CorePair& pair, const GjkOptions& options, GjkResult* result) {
  iterate(pair, result->v / result->upper, options, result);
}

}  // namespace allclear
