#pragma once

// Slow, independent ground for the tests of signed distances: shapes as plain numbers in long
// double, drawn log-uniformly; support functions and membership written out again; every direction
// that could be a normal tried.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "allclear/distance/signed_distance.h"
#include "support/long_run.h"
#include "support/random.h"

namespace allclear::test {

using Real = long double;
using Vec3L = Vec3T<Real>;
using Mat3L = Mat3T<Real>;

inline constexpr std::array<const char*, 8> kConvexNames = {
    "sphere", "capsule", "box", "cylinder", "cone", "ellipsoid", "halfspace", "convex"};
inline constexpr int kHalfSpaceIndex = 6;
inline constexpr int kConvexIndex = 7;

/// A size between 1 and `aspect` below 1.
inline double drawSize(Random* draw, double aspect) { return draw->logUniform(1.0 / aspect, 1.0); }

inline Shape drawShape(int kind, Random* draw, double aspect) {
  const auto size = [&] { return drawSize(draw, aspect); };
  switch (kind) {
    case 0:
      return Sphere(size());
    case 1:
      return Capsule(size(), draw->chance(0.1) ? 0.0 : size());
    case 2:
      return Box(Vec3(size(), size(), size()));
    case 3:
      return Cylinder(size(), size());
    case 4:
      return Cone(size(), size());
    case 5:
      return Ellipsoid(Vec3(size(), size(), size()));
    case 6:
      return HalfSpace{};
    default: {
      std::vector<Vec3> points;
      const int count = 4 + draw->index(5);
      const Vec3 center = draw->uniform(-1.0, 1.0) * draw->directionOfNormals();
      const Vec3 scale(size(), size(), size());
      for (int i = 0; i < count; ++i) {
        points.push_back(center + scale.cwiseProduct(draw->directionOfNormals()));
      }
      return ConvexMesh(points);
    }
  }
}

/// h(d) of the shape in its frame, in long double. Half-spaces: only along their normal.
inline Real supportOracle(const Shape& shape, const Vec3L& d) {
  struct Visitor {
    const Vec3L& d;
    Real rho() const { return std::sqrt(d.x() * d.x() + d.y() * d.y()); }
    Real operator()(const Sphere& s) const { return s.radius() * d.norm(); }
    Real operator()(const Capsule& s) const {
      return s.radius() * d.norm() + Real(s.length()) / 2 * std::abs(d.z());
    }
    Real operator()(const Box& s) const { return (s.size().cast<Real>() / 2).dot(d.cwiseAbs()); }
    Real operator()(const Cylinder& s) const {
      return s.radius() * rho() + Real(s.length()) / 2 * std::abs(d.z());
    }
    Real operator()(const Cone& s) const {
      const Real h = Real(s.length()) / 2;
      return std::max(h * d.z(), s.radius() * rho() - h * d.z());
    }
    Real operator()(const Ellipsoid& s) const {
      return s.radii().cast<Real>().cwiseProduct(d).norm();
    }
    Real operator()(const HalfSpace&) const {
      return d.x() * d.x() + d.y() * d.y() < 1e-24L * d.squaredNorm() && d.z() > 0 ? Real(0)
                                                                                   : Real(1e30L);
    }
    Real operator()(const ConvexMesh& s) const {
      Real best = -1e30L;
      for (const Vec3& p : s.points()) best = std::max(best, d.dot(p.cast<Real>()));
      return best;
    }
    Real operator()(const TriangleMesh&) const { return NAN; }
  };
  return std::visit(Visitor{d}, shape);
}

/// Normals of all planes through three of the points that leave the others on one side.
inline std::vector<Vec3L> hullNormals(const std::vector<Vec3>& points) {
  std::vector<Vec3L> normals;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = 0; k < j; ++k) {
        const Vec3L a = points[i].cast<Real>();
        const Vec3L n = (points[j].cast<Real>() - a).cross(points[k].cast<Real>() - a);
        if (n.norm() == 0) continue;
        for (Real sign : {Real(1), Real(-1)}) {
          const Vec3L u = sign * n.normalized();
          Real most = 0;
          for (const Vec3& p : points) most = std::max(most, u.dot(p.cast<Real>() - a));
          if (most <= 1e-15L) normals.push_back(u);
        }
      }
    }
  }
  return normals;
}

/// How far the point of the shape's frame is outside (a lower bound of it; 0 or less inside).
inline Real outsideBy(const Shape& shape, const Vec3L& p) {
  struct Visitor {
    const Vec3L& p;
    Real rho() const { return std::sqrt(p.x() * p.x() + p.y() * p.y()); }
    Real operator()(const Sphere& s) const { return p.norm() - s.radius(); }
    Real operator()(const Capsule& s) const {
      const Real h = Real(s.length()) / 2;
      const Real z = p.z() - std::clamp(p.z(), -h, h);
      return Vec3L(p.x(), p.y(), z).norm() - s.radius();
    }
    Real operator()(const Box& s) const {
      return (p.cwiseAbs() - s.size().cast<Real>() / 2).maxCoeff();
    }
    Real operator()(const Cylinder& s) const {
      return std::max(rho() - s.radius(), std::abs(p.z()) - Real(s.length()) / 2);
    }
    Real operator()(const Cone& s) const {
      const Real h = Real(s.length()) / 2;
      const Real slant = std::hypot(Real(s.radius()), 2 * h);
      return std::max(-h - p.z(), (2 * h * rho() + s.radius() * (p.z() - h)) / slant);
    }
    Real operator()(const Ellipsoid& s) const {
      // Signed distance to first order: (F - 1) / |grad F| with F = |p / e|.
      const Vec3L scaled = p.cwiseQuotient(s.radii().cast<Real>());
      const Real F = scaled.norm();
      if (F == 0) return -1;
      return (F - 1) * F / scaled.cwiseQuotient(s.radii().cast<Real>()).norm();
    }
    Real operator()(const HalfSpace&) const { return p.z(); }
    Real operator()(const ConvexMesh& s) const {
      Real worst = -1e30L;
      for (const Vec3L& n : hullNormals(s.points())) {
        worst = std::max(worst, n.dot(p - s.points()[0].cast<Real>()) +
                                    n.dot(s.points()[0].cast<Real>()) - supportOracle(s, n));
      }
      return worst;
    }
    Real operator()(const TriangleMesh&) const { return NAN; }
  };
  return std::visit(Visitor{p}, shape);
}

/// Two placed shapes, seen from A's frame in long double.
struct OraclePair {
  const Shape& A;
  const Shape& B;
  Mat3L R_WA, R_WB;
  Vec3L w;  ///< origin of B minus origin of A, world axes

  OraclePair(const Shape& shape_A, const Pose& X_WA, const Shape& shape_B, const Pose& X_WB)
      : A(shape_A),
        B(shape_B),
        R_WA(X_WA.R.cast<Real>()),
        R_WB(X_WB.R.cast<Real>()),
        w(X_WB.p.cast<Real>() - X_WA.p.cast<Real>()) {}

  /// Room along n (world, any length: is normalised).
  Real separation(const Vec3L& n_any) const {
    const Vec3L n = n_any.normalized();
    return n.dot(w) - supportOracle(A, R_WA.transpose() * n) -
           supportOracle(B, -(R_WB.transpose() * n));
  }
};

/// Edge directions and face normals of a polytope in world axes; empty when it is none.
struct PolytopeFeatures {
  std::vector<Vec3L> edges;
  std::vector<Vec3L> normals;
  bool polytope = false;
};

inline PolytopeFeatures polytopeFeatures(const Shape& shape, const Mat3L& R) {
  PolytopeFeatures f;
  if (std::holds_alternative<Box>(shape)) {
    f.polytope = true;
    for (int i = 0; i < 3; ++i) {
      f.edges.push_back(R.col(i));
      f.normals.push_back(R.col(i));
    }
  } else if (const auto* mesh = std::get_if<ConvexMesh>(&shape)) {
    f.polytope = true;
    const auto& p = mesh->points();
    for (std::size_t i = 0; i < p.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Vec3L e = (p[i] - p[j]).cast<Real>();
        if (e.norm() > 0) f.edges.push_back(R * e.normalized());
      }
    }
    for (const Vec3L& n : hullNormals(p)) f.normals.push_back(R * n);
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    f.polytope = true;
    if (capsule->length() > 0) f.edges.push_back(R.col(2));
  }
  return f;
}

/// Largest separation over all normals that the depth of two (rounded) polytopes can have.
inline Real bestSeparatingAxis(const OraclePair& pair, const PolytopeFeatures& A,
                               const PolytopeFeatures& B) {
  Real best = -1e30L;
  const auto tryBoth = [&](const Vec3L& n) {
    if (n.norm() < 1e-9L) return;
    best = std::max({best, pair.separation(n), pair.separation(-n)});
  };
  for (const Vec3L& n : A.normals) tryBoth(n);
  for (const Vec3L& n : B.normals) tryBoth(n);
  for (const Vec3L& a : A.edges) {
    for (const Vec3L& b : B.edges) tryBoth(a.cross(b));
  }
  return best;
}

/// Half extents of a shape along its axes.
inline Vec3L extents(const Shape& shape) {
  Vec3L e;
  for (int i = 0; i < 3; ++i) {
    const Vec3L axis = Vec3L::Unit(i);
    e[i] = std::max(Real(1e-9L), (supportOracle(shape, axis) + supportOracle(shape, -axis)) / 2);
  }
  return e;
}

struct SweepStart {
  Real value;
  Vec3L n;
};

/// `count` directions spread evenly over the sphere, and as many again over the normals of either
/// shape stretched to a ball (which is where those of needles and slabs crowd).
inline std::vector<SweepStart> sweep(const OraclePair& pair, int count) {
  std::vector<SweepStart> starts;
  const Vec3L e_A = extents(pair.A);
  const Vec3L e_B = extents(pair.B);
  for (int i = 0; i < count; ++i) {
    const Real z = 1 - (2 * i + 1) / Real(count);
    const Real r = std::sqrt(1 - z * z);
    const Real phi = i * Real(2.399963229728653322L);
    const Vec3L u(r * std::cos(phi), r * std::sin(phi), z);
    for (const Vec3L& n :
         {u, Vec3L(pair.R_WA * u.cwiseQuotient(e_A)), Vec3L(pair.R_WB * u.cwiseQuotient(e_B))}) {
      starts.push_back({pair.separation(n), n.normalized()});
    }
  }
  std::sort(starts.begin(), starts.end(),
            [](const SweepStart& a, const SweepStart& b) { return a.value > b.value; });
  return starts;
}

/// Follows a start with a grid that turns and shrinks about the best point so far.
inline Real zoom(const OraclePair& pair, SweepStart at, Real radius, Random* draw) {
  constexpr int kHalf = 4;
  constexpr Real kFinest = 1e-9L;
  for (; radius > kFinest; radius *= 0.65L) {
    const Vec3L center = at.n;
    const Vec3L side = center.cross(draw->directionOfNormals().cast<Real>()).normalized();
    const Vec3L other = center.cross(side);
    for (int a = -kHalf; a <= kHalf; ++a) {
      for (int b = -kHalf; b <= kHalf; ++b) {
        const Vec3L n = (center + radius / kHalf * (a * side + b * other)).normalized();
        const Real value = pair.separation(n);
        if (value > at.value) at = {value, n};
      }
    }
  }
  return at.value;
}

/// A separation that some direction has: the best of a sweep over 3 * `count` directions, the best
/// few of which, apart from each other, are followed to the end.
inline Real bestDirectionSwept(const OraclePair& pair, int count, Random* draw, int followed = 4) {
  const std::vector<SweepStart> starts = sweep(pair, count);
  const Real spacing = std::sqrt(Real(12.6) / count);
  std::vector<Vec3L> seen;
  Real best = starts.front().value;
  for (const SweepStart& start : starts) {
    if (static_cast<int>(seen.size()) == followed) break;
    bool near = false;
    for (const Vec3L& n : seen) near = near || (n - start.n).norm() < 2 * spacing;
    if (near) continue;
    seen.push_back(start.n);
    best = std::max(best, zoom(pair, start, 2 * spacing, draw));
  }
  return best;
}

}  // namespace allclear::test
