// Support queries against a look at all corners in long double, on meshes that are hard to climb:
// clusters of corners with very short edges, lenses whose normals are all alike, flat sets.

#include "allclear/distance/geometry/support_corners.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/random.h"

namespace allclear {
namespace {

using test::Random;
using Extended = long double;

Extended reachAlong(const Vec3& p, const Vec3& d) {
  return Extended(p.x()) * d.x() + Extended(p.y()) * d.y() + Extended(p.z()) * d.z();
}

/// How far [m] the corner `found` falls short of the farthest of all corners along d (unit).
double shortfall(const PointCloud& cloud, int found, const Vec3& d) {
  Extended best = -1e300L;
  for (int i = 0; i < cloud.count(); ++i) best = std::max(best, reachAlong(cloud.corner(i), d));
  return static_cast<double>(best - reachAlong(cloud.corner(found), d));
}

std::vector<Vec3> sphere(Random& random, int count) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) points.push_back(random.directionOfNormals());
  return points;
}

/// Corners of a unit sphere within `angle` [rad] of z, and a few far ones below.
std::vector<Vec3> cap(Random& random, int count, double angle) {
  std::vector<Vec3> points{{1, 0, 0}, {-0.5, 0.8, 0}, {-0.5, -0.8, 0}, {0, 0, -1}};
  while (static_cast<int>(points.size()) < count) {
    const Vec3 p(random.normal() * 0.4 * angle, random.normal() * 0.4 * angle, 1.0);
    points.push_back(p.normalized());
  }
  return points;
}

/// Two shallow caps, base to base: all normals within about `angle` [rad] of z or -z.
std::vector<Vec3> lens(Random& random, int count, double angle) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const double r = std::sqrt(random.uniform(0.0, 1.0)), turn = random.uniform(0.0, 6.3);
    const double height = 0.5 * angle * (1.0 - r * r) * (i % 2 == 0 ? 1.0 : -1.0);
    points.emplace_back(r * std::cos(turn), r * std::sin(turn), height);
  }
  return points;
}

/// A polygon on a circle in a plane that is turned by R.
std::vector<Vec3> disc(int count, const Mat3& R) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const double turn = 2.0 * std::numbers::pi * i / count;
    points.push_back(R * Vec3(std::cos(turn), std::sin(turn), 0.0));
  }
  return points;
}

/// A whole sphere with a cluster of corners on top.
std::vector<Vec3> sphereWithCap(Random& random, int count, double angle) {
  std::vector<Vec3> points = sphere(random, count / 4);
  for (const Vec3& p : cap(random, count, angle)) points.push_back(p);
  return points;
}

/// Random directions, others near the axes, and most near the normals of faces: along these, many
/// corners are level but for little, and a climb has to find its way by tiny gains.
Vec3 anyDirection(Random& random, const PointCloud& cloud) {
  const double kind = random.uniform(0.0, 1.0);
  if (kind < 0.2) return random.directionOfNormals();
  const double tilt = random.logUniform(1e-14, 1.0);
  Vec3 middle = Vec3::Unit(random.index(3));
  if (kind < 0.8) {
    int skip = random.index(4);
    cloud.forFaces(random.index(cloud.count()), [&](const Vec3& normal) {
      if (skip-- >= 0) middle = normal;
    });
  }
  return (middle + tilt * random.directionOfNormals()).normalized();
}

TEST(PointCloud, FallsShortOfTheFarthestCornerByRoundingAlone) {
  // The hull itself may leave out a point by 1e-13 of the extent; here that is about 1 m.
  constexpr double kHullTolerance = 4e-13;
  Random random(31);
  struct Case {
    const char* name;
    std::vector<Vec3> points;
  };
  const std::vector<Case> cases = {
      {"sphere", sphere(random, 3000)},
      {"cap of 1e-5 rad", cap(random, 3000, 1e-5)},
      {"cap of 1e-3 rad", cap(random, 3000, 1e-3)},
      {"sphere with a cap of 1e-5 rad", sphereWithCap(random, 4000, 1e-5)},
      {"sphere with a cap of 1e-6 rad", sphereWithCap(random, 4000, 1e-6)},
      {"another", sphereWithCap(random, 4000, 1e-6)},
      {"lens", lens(random, 3000, 0.1)},
      {"thin lens", lens(random, 500, 1e-4)},
      {"disc", disc(400, random.rotationOfNormals())},
      {"tetrahedron", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
      {"point", {{1, 2, 3}}},
      {"line", {{0, 0, 0}, {0.3, 0, 0}, {1, 0, 0}}},
  };
  for (const Case& c : cases) {
    const PointCloud cloud(c.points);
    double worst = 0.0;
    PointCloud::Walk walk;
    for (int i = 0; i < 4000; ++i) {
      const Vec3 d = anyDirection(random, cloud);
      worst = std::max(worst, shortfall(cloud, cloud.farthest(d), d));
      worst = std::max(worst, shortfall(cloud, cloud.farthest(d, &walk), d));
    }
    EXPECT_LE(worst, kHullTolerance) << c.name;
  }
}

TEST(PointCloud, AnswersAlikeFromEveryStart) {
  Random random(32);
  for (const std::vector<Vec3>& points :
       {sphere(random, 300), cap(random, 300, 1e-5), lens(random, 300, 0.1)}) {
    const PointCloud cloud(points);
    for (int i = 0; i < 20; ++i) {
      const Vec3 d = anyDirection(random, cloud);
      for (int start = 0; start < cloud.count(); ++start) {
        PointCloud::Walk walk{start, d};  // as if the last answer had been there
        ASSERT_LE(shortfall(cloud, cloud.farthest(d, &walk), d), 4e-13) << start;
      }
    }
  }
}

TEST(PointCloud, ClimbsOnWhatSolidsUsuallyAre) {
  Random random(34);
  EXPECT_TRUE(PointCloud(sphere(random, 300)).climbs());
  EXPECT_TRUE(PointCloud(lens(random, 500, 0.1)).climbs());
  for (int sides : {30, 1000}) {  // a turned prism: its faces are level to rounding alone
    const Mat3 R = random.rotationOfNormals();
    std::vector<Vec3> prism = disc(sides, R);
    for (int i = 0; i < sides; ++i) prism.push_back(prism[i] + R * Vec3(0.0, 0.0, 2.0));
    EXPECT_TRUE(PointCloud(prism).climbs()) << sides;
  }
  EXPECT_FALSE(PointCloud(sphere(random, 10)).climbs());
}

TEST(PointCloud, WalksOnAsTheDirectionTurns) {
  Random random(33);
  const PointCloud cloud(sphere(random, 2000));
  for (int round = 0; round < 20; ++round) {
    const Vec3 axis = random.directionOfNormals(), from = random.directionOfNormals();
    const double step = random.logUniform(1e-4, 1.0);
    PointCloud::Walk walk;
    for (int i = 0; i < 200; ++i) {
      const Vec3 d = Eigen::AngleAxisd(step * i, axis) * from;
      ASSERT_LE(shortfall(cloud, cloud.farthest(d, &walk), d), 1e-13);
      EXPECT_EQ(cloud.farthest(d), walk.corner);
    }
  }
}

TEST(PointCloud, ADirectionThatIsNoneStillNamesACorner) {
  // So many corners that directions are looked up by cells.
  Random random(5);
  const PointCloud cloud(sphere(random, 500));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  PointCloud::Walk walk;
  for (const Vec3& d : {Vec3(0, 0, 0), Vec3(nan, nan, nan), Vec3(0, nan, 1), Vec3(1, 0, nan),
                        Vec3(infinity, -infinity, 0), Vec3(-1e-320, 1e-320, 0)}) {
    for (int i : {cloud.farthest(d), cloud.farthest(d, &walk)}) {
      EXPECT_GE(i, 0);
      EXPECT_LT(i, cloud.count());
    }
  }
}

}  // namespace
}  // namespace allclear
