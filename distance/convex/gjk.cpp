#include "allclear/distance/convex/gjk.h"

namespace allclear {
namespace {

constexpr int kMostIterations = 100;

/// A simplex of at most three corners and the point of it nearest to the origin.
struct Nearest {
  int size = 0;
  int corner[3];
  double weight[3];
  Vec3 v;
  double squared = std::numeric_limits<double>::infinity();

  void set(const MinkowskiPoint* s, std::initializer_list<int> corners, const double* weights) {
    Vec3 point = Vec3::Zero();
    int k = 0;
    for (int c : corners) point += weights[k++] * s[c].w;
    const double d2 = point.squaredNorm();
    if (!(d2 < squared)) return;
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

void nearestOnSegment(const MinkowskiPoint* s, int i, int j, Nearest* best) {
  const Vec3 edge = s[j].w - s[i].w;
  const double length2 = edge.squaredNorm();
  const double along = -s[i].w.dot(edge);
  if (along <= 0.0 || length2 == 0.0) {
    const double one = 1.0;
    best->set(s, {i}, &one);
  } else if (along >= length2) {
    const double one = 1.0;
    best->set(s, {j}, &one);
  } else {
    const double t = along / length2;
    const double weights[2] = {1.0 - t, t};
    best->set(s, {i, j}, weights);
  }
}

void nearestOnTriangle(const MinkowskiPoint* s, int i, int j, int k, Nearest* best) {
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
  const bool sliver = n2 <= 1e-30 * ab.squaredNorm() * ac.squaredNorm();
  if (!sliver && u > 0.0 && v > 0.0 && w > 0.0) {
    const double sum = u + v + w;
    const double weights[3] = {u / sum, v / sum, w / sum};
    best->set(s, {i, j, k}, weights);
    return;
  }
  if (sliver || u <= 0.0) nearestOnSegment(s, j, k, best);
  if (sliver || v <= 0.0) nearestOnSegment(s, k, i, best);
  if (sliver || w <= 0.0) nearestOnSegment(s, i, j, best);
}

/// Leaves `best` empty when the origin is inside.
void nearestOnTetrahedron(const MinkowskiPoint* s, Nearest* best) {
  static constexpr int kFaces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
  for (const auto& f : kFaces) {
    const Vec3& a = s[f[0]].w;
    const Vec3 n = (s[f[1]].w - a).cross(s[f[2]].w - a);
    const double origin_side = -n.dot(a);
    const double corner_side = n.dot(s[f[3]].w - a);
    const bool inside = origin_side * corner_side > 0.0;
    if (!inside) nearestOnTriangle(s, f[0], f[1], f[2], best);
  }
}

Nearest nearestOnSimplex(const MinkowskiPoint* s, int size) {
  Nearest best;
  switch (size) {
    case 1: {
      const double one = 1.0;
      best.set(s, {0}, &one);
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

/// A corner met again: polytopes have no other to offer.
bool isCorner(const GjkResult& r, const Vec3& w) {
  for (int i = 0; i < r.size; ++i) {
    if (r.simplex[i].w == w) return true;
  }
  return false;
}

void keepOnly(const Nearest& nearest, GjkResult* r) {
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

GjkResult gjk(const CorePair& pair, const Vec3& direction, const GjkOptions& options) {
  GjkResult r;
  Vec3 n = direction.normalized();
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    MinkowskiPoint& corner = r.simplex[r.size];
    corner.a = pair.supportA(n);
    corner.b = pair.supportB(n);
    corner.w = corner.b - corner.a;
    const double lower = n.dot(corner.w);
    if (lower > r.lower) {
      r.lower = lower;
      r.normal = n;
    }
    if (r.lower >= options.enough) return r;
    const double close = 4.0 * pair.rounding + options.relative_gap * r.upper;
    if (r.size > 0 && r.upper - r.lower <= close) return r;
    if (isCorner(r, corner.w)) return r;
    const Nearest nearest = nearestOnSimplex(r.simplex, r.size + 1);
    if (nearest.size == 0) {  // inside the tetrahedron
      r.size = 4;
      r.overlap = true;
      r.upper = 0.0;
      return r;
    }
    // Rounding has the last word when the nearest point no longer comes nearer.
    if (r.size > 0 && !(std::sqrt(nearest.squared) < r.upper - 0.25 * pair.rounding)) return r;
    ++r.size;
    keepOnly(nearest, &r);
    if (r.upper <= 4.0 * pair.rounding) {
      r.overlap = true;
      return r;
    }
    if (r.upper < options.enough) return r;
    n = r.v / r.upper;
  }
  r.converged = false;
  return r;
}

}  // namespace allclear
