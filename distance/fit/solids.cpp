// Farthest points of solids from a segment or a line: what makes every fit's final radius exact.
//
// A distance from a convex set is a convex function, so over a convex solid it is largest at an
// extreme point. Points and balls have closed forms. On a disc's rim the square of the distance to
// a line is a quadratic in (cos, sin): its maximum over the circle is an eigenvalue-like problem in
// one multiplier. For ellipsoids branch and bound over the sphere gives an upper bound that is as
// tight as wanted. Invariant: with `Accuracy::kBound` the distances are never too small, but for
// rounding (`padding`).

#include "allclear/distance/fit/solids.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <queue>

#include "allclear/core/assert.h"
#include "allclear/core/input_error.h"

namespace allclear::fitting {
namespace {

// Of an ellipsoid's size: how far above the truth a farthest distance may be. 1e-6 is far below
// what a fit's own search leaves, and is reached within some hundred patches.
constexpr double kEllipsoidTolerance = 1e-6;
constexpr double kSearchTolerance = 0.03;
constexpr int kEllipsoidPatches = 8000;  // then the bound is given as it is
constexpr int kClimbs = 200;
constexpr double kClimbGain = 1e-14;     // relative: less is rounding
constexpr double kLeastPadding = 1e-12;  // [m], of a single point at the origin
constexpr double kPaddingUlps = 64.0;
constexpr int kDiscSamples = 24;

// A unit vector across d, from the axis that is farthest from parallel to it.
Vec3 anyOrthogonal(const Vec3& d) {
  const Vec3 least = std::abs(d.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY();
  return d.cross(least).normalized();
}

// Adds the extreme points of a shape's hull: corners, or the balls and discs that it is the hull
// of.
struct Gatherer {
  const Pose& X;
  Solids* out;

  void disc(double z, double radius) const {
    out->discs.push_back({X * Vec3(0, 0, z), X.R.col(2), X.R.col(0), X.R.col(1), radius});
  }
  void operator()(const Sphere& s) const { out->balls.push_back({X.p, s.radius()}); }
  void operator()(const Capsule& s) const {
    out->balls.push_back({X * Vec3(0, 0, -0.5 * s.length()), s.radius()});
    if (s.length() > 0.0) out->balls.push_back({X * Vec3(0, 0, 0.5 * s.length()), s.radius()});
  }
  void operator()(const Box& s) const {
    const Vec3 h = s.halfSize();
    for (int i = 0; i < 8; ++i) {
      const Vec3 sign(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
      out->points.push_back(X * h.cwiseProduct(sign));
    }
  }
  void operator()(const Cylinder& s) const {
    disc(-0.5 * s.length(), s.radius());
    disc(0.5 * s.length(), s.radius());
  }
  void operator()(const Cone& s) const {
    disc(-0.5 * s.length(), s.radius());
    out->points.push_back(X * Vec3(0, 0, 0.5 * s.length()));
  }
  void operator()(const Ellipsoid& s) const {
    out->ellipsoids.push_back({X.p, X.R * s.radii().asDiagonal()});
  }
  void operator()(const HalfSpace&) const {
    throw InputError("a half-space has no bounded enclosing shape");
  }
  void operator()(const ConvexMesh& s) const {
    for (const Vec3& p : s.points()) out->points.push_back(X * p);
  }
  void operator()(const TriangleMesh& s) const {
    // Vertices of no triangle are not part of the surface.
    std::vector<bool> used(s.vertices().size(), false);
    for (const Triangle& t : s.triangles()) {
      for (int i : t) used[i] = true;
    }
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (used[i]) out->points.push_back(X * s.vertices()[i]);
    }
  }
};

void improve(FarthestPoints* best, double distance, const Vec3& witness) {
  ALLCLEAR_ASSERT(std::isfinite(distance));
  best->distance = std::max(best->distance, distance);
  best->witnesses.push_back(witness);
}

// The point of the disc's rim farthest from the line through p along d: where |P (x - p)| is
// largest, P projecting along d. With x on the rim given by a unit vector w in the disc's plane
// this is the maximum of the convex quadratic w' M w + 2 b' w, with (l I - M) w = b for a
// multiplier l of at least M's larger eigenvalue. |w(l)| falls with l: bisection of |w(l)| = 1. In
// eigenvectors of M.
Vec3 farthestOnRimFromLine(const Disc& disc, const Vec3& p, const Vec3& d) {
  const auto project = [&](const Vec3& x) -> Vec3 { return x - x.dot(d) * d; };
  Eigen::Matrix<double, 3, 2> rim;
  rim.col(0) = disc.radius * project(disc.u);
  rim.col(1) = disc.radius * project(disc.v);
  const Vec2 b = rim.transpose() * project(disc.center - p);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen(rim.transpose() * rim);
  const Vec2& mu = eigen.eigenvalues();  // ascending
  const Vec2 beta = eigen.eigenvectors().transpose() * b;
  double low = mu[1];
  double high = mu[1] + b.norm();
  const auto solution = [&](double l) {
    Vec2 w;
    for (int i = 0; i < 2; ++i) w[i] = l > mu[i] ? beta[i] / (l - mu[i]) : 0.0;
    return w;
  };
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (solution(middle).squaredNorm() > 1.0 ? low : high) = middle;
  }
  Vec2 w = solution(high);
  w[0] = std::clamp(w[0], -1.0, 1.0);
  // Where b has no part along the larger axis (the hard case), that axis takes the rest of the
  // length, in either sense.
  const double rest = 1.0 - w[0] * w[0];
  w[1] = std::copysign(std::sqrt(std::max(rest, 0.0)), beta[1]);
  w.normalize();
  const Vec2 angle = eigen.eigenvectors() * w;
  return disc.center + disc.radius * (angle.x() * disc.u + angle.y() * disc.v);
}

// The rim's point farthest along a direction; any for a direction across the disc.
Vec3 onRimAlong(const Disc& disc, const Vec3& direction) {
  const Vec2 w(direction.dot(disc.u), direction.dot(disc.v));
  const double norm = w.norm();
  if (norm == 0.0) return disc.center + disc.radius * disc.u;
  return disc.center + disc.radius / norm * (w.x() * disc.u + w.y() * disc.v);
}

// The rim's farthest point from a segment. The squared distance is that from the line between the
// ends, and that from an end beyond it; it is convex and has no kinks. So a maximum
// - between the ends is the global maximum of the distance from the line, which is nowhere larger
// than
//   the one from the segment;
// - beyond an end is the rim's farthest point from that end or, where all of the rim is equally far
//   from it, the rim's point farthest along the axis.
// These few candidates are compared.
void farthestOnRim(const Disc& disc, const Segment& segment, FarthestPoints* best) {
  const double length = segment.length();
  const Vec3 d = length > 0.0 ? Vec3((segment.b - segment.a) / length) : disc.normal;
  const Vec3 candidates[] = {
      onRimAlong(disc, disc.center - segment.a), onRimAlong(disc, disc.center - segment.b),
      farthestOnRimFromLine(disc, segment.a, d), onRimAlong(disc, d), onRimAlong(disc, -d)};
  // The farthest candidate; of a segment of length 0 the line is the disc's axis.
  Vec3 witness = candidates[0];
  double distance = 0.0;
  for (const Vec3& c : candidates) {
    const double at = segment.distance(c);
    if (at > distance) {
      distance = at;
      witness = c;
    }
  }
  improve(best, distance, witness);
}

// Climbs to a local maximum of the distance from a convex set over an ellipsoid. The distance is
// convex, so it lies above its tangent plane: the point farthest along its gradient is at least as
// far away.
template <class Nearest>
Vec3 climb(const EllipsoidSolid& e, const Nearest& nearest, Vec3 x) {
  double distance = (x - nearest(x)).norm();
  for (int i = 0; i < kClimbs; ++i) {
    const Vec3 along = e.axes.transpose() * (x - nearest(x));
    if (along.norm() == 0.0) break;
    const Vec3 next = e.center + e.axes * along.normalized();
    const double farther = (next - nearest(next)).norm();
    if (farther <= distance * (1.0 + kClimbGain)) break;
    distance = farther;
    x = next;
  }
  return x;
}

// The farthest of an ellipsoid from a convex set, by branch and bound over spherical triangles.
// Such a patch of the unit sphere lies in the hull of its corners v and of the points v / h, h the
// distance of the corners' plane from the origin: between that plane and the parallel one that
// touches the sphere or is beyond it. A convex function over a hull is largest at its corners, so
// the distances at v and v / h bound it over the patch. The patch with the largest bound is cut in
// four, until the bound is near the best point seen. `upper` is the bound, `at` that point.
template <class Nearest>
void farthestOnEllipsoid(const EllipsoidSolid& e, const Nearest& nearest, double tolerance,
                         double* upper, Vec3* at) {
  struct Patch {
    double upper;
    Vec3 v[3];
    bool operator<(const Patch& other) const { return upper < other.upper; }
  };
  double lower = -1.0;  // the distance of the best point
  const auto distance = [&](const Vec3& x) { return (x - nearest(x)).norm(); };
  const auto bounded = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 n = (b - a).cross(c - a);
    const double h = std::abs(n.dot(a)) / n.norm();  // of the corners' plane from the origin
    Patch patch{0.0, {a, b, c}};
    for (const Vec3& v : patch.v) {
      const Vec3 x = e.center + e.axes * v;
      const double here = distance(x);
      if (here > lower) {
        *at = climb(e, nearest, x);
        lower = distance(*at);
      }
      patch.upper = std::max({patch.upper, here, distance(e.center + e.axes * (v / h))});
    }
    return patch;
  };
  // From the octahedron.
  std::priority_queue<Patch> queue;
  for (int i = 0; i < 8; ++i) {
    queue.push(bounded(Vec3(i & 1 ? 1 : -1, 0, 0), Vec3(0, i & 2 ? 1 : -1, 0),
                       Vec3(0, 0, i & 4 ? 1 : -1)));
  }
  for (int i = 0; i < kEllipsoidPatches && queue.top().upper - lower > tolerance; ++i) {
    const Patch p = queue.top();
    queue.pop();
    const Vec3 ab = (p.v[0] + p.v[1]).normalized();
    const Vec3 bc = (p.v[1] + p.v[2]).normalized();
    const Vec3 ca = (p.v[2] + p.v[0]).normalized();
    queue.push(bounded(p.v[0], ab, ca));
    queue.push(bounded(p.v[1], bc, ab));
    queue.push(bounded(p.v[2], ca, bc));
    queue.push(bounded(ab, bc, ca));
  }
  *upper = std::max(lower, queue.top().upper);
}

template <class Nearest>
void farthestOnEllipsoids(const Solids& solids, const Nearest& nearest, Accuracy accuracy,
                          FarthestPoints* best) {
  for (const EllipsoidSolid& e : solids.ellipsoids) {
    const double size = e.axes.colwise().norm().maxCoeff();
    Vec3 at = e.center;
    double value = 0.0;
    const double tolerance = accuracy == Accuracy::kBound ? kEllipsoidTolerance : kSearchTolerance;
    farthestOnEllipsoid(e, nearest, tolerance * size, &value, &at);
    improve(best, value, at);
  }
}

// The farthest point of a ball lies straight away from `nearest`; any way when it is the centre.
void farthestOnBall(const Ball& ball, const Vec3& nearest, const Vec3& axis, FarthestPoints* best) {
  const Vec3 away = ball.center - nearest;
  const double distance = away.norm();
  const Vec3 n = distance > 0.0 ? Vec3(away / distance) : anyOrthogonal(axis);
  improve(best, distance + ball.radius, ball.center + ball.radius * n);
}

template <class Function>
void farthestOfPoints(const Solids& solids, const Function& distance, FarthestPoints* best) {
  double largest = -1.0;
  const Vec3* witness = nullptr;
  for (const Vec3& p : solids.points) {
    const double at = distance(p);
    if (at > largest) {
      largest = at;
      witness = &p;
    }
  }
  if (witness != nullptr) improve(best, largest, *witness);
}

Vec3 nearestOnSegment(const Segment& s, const Vec3& p) {
  const Vec3 d = s.b - s.a;
  const double squared = d.squaredNorm();
  if (squared == 0.0) return s.a;
  return s.a + std::clamp((p - s.a).dot(d) / squared, 0.0, 1.0) * d;
}

}  // namespace

double Segment::distance(const Vec3& p) const { return (p - nearestOnSegment(*this, p)).norm(); }

double Solids::largestCoordinate() const {
  double largest = 0.0;
  for (const Vec3& p : points) largest = std::max(largest, p.cwiseAbs().maxCoeff());
  for (const Ball& b : balls) {
    largest = std::max(largest, b.center.cwiseAbs().maxCoeff() + b.radius);
  }
  for (const Disc& d : discs) {
    largest = std::max(largest, d.center.cwiseAbs().maxCoeff() + d.radius);
  }
  for (const EllipsoidSolid& e : ellipsoids) {
    largest = std::max(largest, e.center.cwiseAbs().maxCoeff() + e.axes.norm());
  }
  return largest;
}

Solids gather(std::span<const Geometry> geometries) {
  if (geometries.empty()) throw InputError("there is no shape to enclose");
  Solids solids;
  for (const Geometry& g : geometries) std::visit(Gatherer{g.X_BG, &solids}, g.shape);
  return solids;
}

std::vector<Vec3> samplePoints(const Solids& solids) {
  std::vector<Vec3> points = solids.points;
  // Corners, edge middles and face middles of a cube, on the sphere; finer for ellipsoids.
  for (const Ball& b : solids.balls) {
    for (int i = 0; i < 27; ++i) {
      const Vec3 n(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
      if (i != 13) points.push_back(b.center + b.radius * n.normalized());
    }
  }
  for (const Disc& d : solids.discs) {
    for (int i = 0; i < kDiscSamples; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / kDiscSamples;
      points.push_back(d.center + d.radius * (std::cos(angle) * d.u + std::sin(angle) * d.v));
    }
  }
  for (const EllipsoidSolid& e : solids.ellipsoids) {
    for (int i = 0; i < 729; ++i) {
      const Vec3 n(i % 9 - 4, i / 9 % 9 - 4, i / 81 - 4);
      if (n.cwiseAbs().maxCoeff() == 4.0) points.push_back(e.center + e.axes * n.normalized());
    }
  }
  return points;
}

FarthestPoints farthestFromSegment(const Solids& solids, const Segment& segment,
                                   Accuracy accuracy) {
  ALLCLEAR_ASSERT(segment.a.allFinite() && segment.b.allFinite());
  FarthestPoints best;
  const auto nearest = [&](const Vec3& x) { return nearestOnSegment(segment, x); };
  const auto distance = [&](const Vec3& p) { return segment.distance(p); };
  farthestOfPoints(solids, distance, &best);
  for (const Ball& ball : solids.balls) {
    farthestOnBall(ball, nearestOnSegment(segment, ball.center), segment.b - segment.a, &best);
  }
  for (const Disc& disc : solids.discs) farthestOnRim(disc, segment, &best);
  farthestOnEllipsoids(solids, nearest, accuracy, &best);
  return best;
}

FarthestPoints farthestFromLine(const Solids& solids, const Vec3& p, const Vec3& d,
                                Accuracy accuracy) {
  ALLCLEAR_ASSERT(p.allFinite() && d.allFinite());
  FarthestPoints best;
  // The foot of x on the line.
  const auto nearest = [&](const Vec3& x) -> Vec3 { return p + (x - p).dot(d) * d; };
  const auto distance = [&](const Vec3& x) { return (x - nearest(x)).norm(); };
  farthestOfPoints(solids, distance, &best);
  for (const Ball& ball : solids.balls) {
    farthestOnBall(ball, nearest(ball.center), d, &best);
  }
  for (const Disc& disc : solids.discs) {
    const Vec3 x = farthestOnRimFromLine(disc, p, d);
    improve(&best, distance(x), x);
  }
  farthestOnEllipsoids(solids, nearest, accuracy, &best);
  return best;
}

Interval extent(const Solids& solids, const Vec3& direction) {
  ALLCLEAR_ASSERT(direction.allFinite());
  double lower = std::numeric_limits<double>::infinity();
  double upper = -lower;
  // The support of each solid: centre +- reach along the direction.
  const auto widen = [&](const Vec3& center, double reach) {
    const double middle = direction.dot(center);
    lower = std::min(lower, middle - reach);
    upper = std::max(upper, middle + reach);
  };
  for (const Vec3& p : solids.points) widen(p, 0.0);
  const double norm = direction.norm();
  for (const Ball& b : solids.balls) widen(b.center, b.radius * norm);
  for (const Disc& d : solids.discs) {
    widen(d.center, d.radius * std::hypot(direction.dot(d.u), direction.dot(d.v)));
  }
  for (const EllipsoidSolid& e : solids.ellipsoids) {
    widen(e.center, (e.axes.transpose() * direction).norm());
  }
  return {lower, upper};
}

double padding(double largest_coordinate, double size) {
  const double eps = std::numeric_limits<double>::epsilon();
  return std::max(kPaddingUlps * eps * (largest_coordinate + size),
                  largest_coordinate > 0.0 ? 0.0 : kLeastPadding);
}

}  // namespace allclear::fitting
