#pragma once

// Random moving shapes, their true distance, and their curves.

#include "allclear/distance/minimum_distance.h"
#include "allclear/distance/signed_distance.h"
#include "distance/minimum/mcd_motions.h"

namespace allclear::test {

struct MovingSolid {
  ChainMotion chain;
  Shape shape = Sphere(1.0);
  Pose X_BG;
  std::vector<BodyCurve> curves;

  double reach() const {
    const Ball ball = boundingBall(shape);
    return std::isfinite(ball.radius) ? (X_BG * ball.center).norm() + ball.radius : 1.0;
  }
  MovingShape moving() const { return {&shape, X_BG, curves}; }
  Pose pose(double t) const { return chain.pose(t) * X_BG; }
};

inline Shape randomShape(Random& draw, int kind) {
  const auto size = [&] { return draw.logUniform(0.01, 0.5); };
  switch (kind) {
    case 0:
      return Sphere(size());
    case 1:
      return Capsule(draw.logUniform(0.005, 0.15), draw.chance(0.1) ? 0.0 : size());
    case 2:
      return Box(Vec3(size(), size(), size()));
    case 3:
      return Cylinder(0.5 * size(), size());
    case 4:
      return Cone(0.5 * size(), size());
    case 5:
      return Ellipsoid(0.5 * Vec3(size(), size(), size()));
    case 6:
      return HalfSpace();
    default: {
      std::vector<Vec3> points;
      for (int i = draw.integer(4, 20); i > 0; --i) points.push_back(draw.inBox(0.2));
      return ConvexMesh(points);
    }
  }
}

inline MovingSolid randomSolid(Random& draw, int kind) {
  MovingSolid solid;
  const double turn = draw.chance(0.15) ? 6.0 : draw.logUniform(0.01, 3.0);
  solid.chain = randomChain(draw, draw.integer(0, 3), turn, draw.logUniform(0.05, 1.2));
  solid.shape = randomShape(draw, kind);
  solid.X_BG = {draw.rotation(), draw.inBox(0.15)};
  return solid;
}

/// Gives both the same cells, with the wanted error (at most 20 cells).
inline void fitCurves(MovingSolid* a, MovingSolid* b, Interval span, double wanted) {
  const int cells = std::max(a->chain.cellsFor(span, wanted, a->reach(), 20),
                             b->chain.cellsFor(span, wanted, b->reach(), 20));
  a->curves = a->chain.curves(span, cells);
  b->curves = b->chain.curves(span, cells);
}

/// Bounds of the true distance, all but equal unless the static query says that it failed to
/// converge.
inline Interval trueDistance(const MovingSolid& a, const MovingSolid& b, double t) {
  const SignedDistance d = signedDistance(a.shape, a.pose(t), b.shape, b.pose(t));
  return {d.distance, d.converged ? d.distance : d.distance + d.gap};
}

/// Largest of the curves' own errors, both bodies together: of a half-space at the other body.
inline double errorOf(const MovingSolid& a, const MovingSolid& b) {
  double error = 0.0;
  for (std::size_t i = 0; i < a.curves.size(); ++i) {
    const auto of = [&](const MovingSolid& m, const MovingSolid& other) {
      double lever = m.reach();
      if (std::holds_alternative<HalfSpace>(m.shape)) {
        const Interval span = m.curves[i].time;
        for (double t : {span.lower, 0.5 * (span.lower + span.upper), span.upper}) {
          const double apart = (m.chain.pose(t).p - other.chain.pose(t).p).norm();
          lever = std::max(lever, apart + other.reach());
        }
      }
      return m.curves[i].error(m.reach()) + m.curves[i].rotation_error * lever;
    };
    error = std::max(error, of(a, b) + of(b, a));
  }
  return error;
}

}  // namespace allclear::test
