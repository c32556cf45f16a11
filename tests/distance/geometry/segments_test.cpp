#include "allclear/distance/geometry/segments.h"

#include <gtest/gtest.h>

#include "support/random.h"

namespace allclear::test {
namespace {

double distanceAt(const Vec3& p, const Vec3& u, const Vec3& v, const SegmentPoints& at) {
  return (p + at.s * u - at.t * v).norm();
}

/// The least over the four ends against the other segment, and the lines' nearest points, in long
/// double.
long double oracle(const Vec3& p_d, const Vec3& u_d, const Vec3& v_d) {
  using V = Vec3T<long double>;
  const V p = p_d.cast<long double>(), u = u_d.cast<long double>(), v = v_d.cast<long double>();
  const auto clampOne = [](long double x) { return std::clamp(x, -1.0L, 1.0L); };
  long double best = std::numeric_limits<long double>::infinity();
  const auto tryAt = [&](long double s, long double t) {
    best = std::min(best, (p + s * u - t * v).norm());
  };
  for (long double end : {-1.0L, 1.0L}) {
    tryAt(end, v.squaredNorm() > 0 ? clampOne(v.dot(p + end * u) / v.squaredNorm()) : 0);
    tryAt(u.squaredNorm() > 0 ? clampOne(u.dot(end * v - p) / u.squaredNorm()) : 0, end);
  }
  const V n = u.cross(v);
  if (n.squaredNorm() > 0) {
    const long double s = -p.cross(v).dot(n) / n.squaredNorm();
    const long double t = -p.cross(u).dot(n) / n.squaredNorm();
    if (std::abs(s) <= 1 && std::abs(t) <= 1) tryAt(s, t);
  }
  return best;
}

TEST(Segments, AreNearestAtTheBestOfEndsAndLines) {
  Random random(50);
  for (int i = 0; i < 20000; ++i) {
    const Vec3 p = random.inBox(1.0), u = random.direction() * random.logUniform(1e-6, 2.0);
    Vec3 v = random.direction() * random.logUniform(1e-6, 2.0);
    // Near-parallel, parallel and zero ones too.
    if (i % 4 == 1) v = random.uniform(-2.0, 2.0) * u + random.logUniform(1e-18, 1e-6) * v;
    if (i % 16 == 2) v = 0.5 * u;
    if (i % 16 == 3) v.setZero();
    const SegmentPoints at = nearestOnSegments(p, u, v);
    ASSERT_LE(std::abs(at.s), 1.0);
    ASSERT_LE(std::abs(at.t), 1.0);
    ASSERT_NEAR(distanceAt(p, u, v, at), static_cast<double>(oracle(p, u, v)),
                1e-12 * (u.norm() + v.norm()) + 1e-15)
        << "seed 50, case " << i;
  }
}

TEST(Segments, ThatAreParallelMeetInTheMiddleOfTheirOverlap) {
  const SegmentPoints at = nearestOnSegments({1, 0, 0.5}, {0, 0, 1}, {0, 0, 1});
  EXPECT_TRUE(at.parallel);
  EXPECT_DOUBLE_EQ(0.5 + at.s, 0.25);  // overlap from -0.5 to 1
  EXPECT_DOUBLE_EQ(at.t, 0.25);
  EXPECT_FALSE(nearestOnSegments({0, 0, 5}, {0, 0, 1}, {0, 0, 1}).parallel);
}

}  // namespace
}  // namespace allclear::test
