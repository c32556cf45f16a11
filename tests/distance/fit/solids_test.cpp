// Farthest points and extents of solids, against many points on them.

#include "allclear/distance/fit/solids.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "allclear/core/input_error.h"

namespace allclear::fitting {
namespace {

class SolidsTest : public ::testing::TestWithParam<int> {
 protected:
  double uniform() { return std::uniform_real_distribution<double>(-1.0, 1.0)(engine_); }
  Vec3 direction() {
    std::normal_distribution<double> normal;
    return Vec3(normal(engine_), normal(engine_), normal(engine_)).normalized();
  }
  Shape shape() const {
    const Shape shapes[] = {Sphere(0.3),        Capsule(0.2, 0.7), Box(Vec3(0.3, 0.5, 0.9)),
                            Cylinder(0.4, 0.6), Cone(0.4, 0.8),    Ellipsoid(Vec3(0.2, 0.4, 0.9))};
    return shapes[GetParam()];
  }
  /// A point of the shape's boundary in its frame.
  Vec3 boundaryPoint() { return supportPoint(direction()); }
  Vec3 supportPoint(const Vec3& d) {
    const double c = std::atan2(d.y(), d.x());
    const Vec3 rim(std::cos(c), std::sin(c), 0.0);
    switch (GetParam()) {
      case 0:
        return 0.3 * d;
      case 1:
        return 0.2 * d + Vec3(0, 0, std::copysign(0.35, d.z()));
      case 2:
        return Vec3(std::copysign(0.15, d.x()), std::copysign(0.25, d.y()),
                    std::copysign(0.45, d.z()));
      case 3:
        return 0.4 * rim + Vec3(0, 0, std::copysign(0.3, d.z()));
      case 4:
        return d.z() > 0.5 ? Vec3(0, 0, 0.4) : Vec3(0.4 * rim - Vec3(0, 0, 0.4));
      default:
        return Vec3(0.2 * d.x(), 0.4 * d.y(), 0.9 * d.z());
    }
  }

  std::mt19937 engine_{static_cast<unsigned>(GetParam()) + 1};
};

TEST_P(SolidsTest, FarthestDistancesBoundAndReachThoseOfManyPoints) {
  for (int i = 0; i < 10; ++i) {
    const Pose X{rotationAbout(direction(), uniform()), Vec3(uniform(), uniform(), uniform())};
    const Geometry g{shape(), X};
    const Solids solids = gather({&g, 1});
    const Segment segment{Vec3(uniform(), uniform(), uniform()),
                          Vec3(uniform(), uniform(), uniform())};
    const Vec3 d = (segment.b - segment.a).normalized();
    const FarthestPoints from_segment = farthestFromSegment(solids, segment);
    const FarthestPoints from_line = farthestFromLine(solids, segment.a, d);
    const Interval range = extent(solids, d);
    double segment_most = 0.0, line_most = 0.0, upper = -HUGE_VAL;
    for (int k = 0; k < 4000; ++k) {
      const Vec3 p = X * boundaryPoint();
      segment_most = std::max(segment_most, segment.distance(p));
      line_most = std::max(line_most, (p - segment.a).cross(d).norm());
      upper = std::max(upper, d.dot(p));
    }
    EXPECT_GE(from_segment.distance, segment_most - 1e-14);
    EXPECT_LE(from_segment.distance, segment_most + 0.01);
    EXPECT_GE(from_line.distance, line_most - 1e-14);
    EXPECT_LE(from_line.distance, line_most + 0.01);
    EXPECT_GE(range.upper, upper - 1e-14);
    EXPECT_LE(range.upper, upper + 0.01);
    // The witnesses are points of the solid, the farthest one among them.
    double witnessed = 0.0;
    for (const Vec3& p : from_segment.witnesses) {
      witnessed = std::max(witnessed, segment.distance(p));
    }
    EXPECT_NEAR(witnessed, from_segment.distance, 2e-6);
  }
}

TEST_P(SolidsTest, SearchAccuracyIsWithinAFewPercentAbove) {
  for (int i = 0; i < 10; ++i) {
    const Geometry g{shape(), {rotationAbout(direction(), uniform()), Vec3(uniform(), 0.0, 0.0)}};
    const Solids solids = gather({&g, 1});
    const Segment segment{Vec3::Zero(), Vec3(uniform(), uniform(), uniform())};
    const double bound = farthestFromSegment(solids, segment).distance;
    const double search = farthestFromSegment(solids, segment, Accuracy::kSearch).distance;
    EXPECT_GE(search, bound - 2e-6);
    EXPECT_LE(search, bound + 0.03 * 0.9);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, SolidsTest, ::testing::Range(0, 6));

TEST(Solids, LargestCoordinateAndPaddingGrowWithPlaceAndSize) {
  const Geometry ball{Sphere(0.5), {Mat3::Identity(), Vec3(0.0, -3.0, 0.0)}};
  EXPECT_EQ(gather({&ball, 1}).largestCoordinate(), 3.5);
  EXPECT_GT(padding(0.0, 0.0), 0.0);
  EXPECT_GT(padding(1.0, 1.0), 1e-14);
  EXPECT_LT(padding(1.0, 1.0), 1e-13);
  EXPECT_GT(padding(100.0, 1.0), padding(1.0, 1.0));
}

TEST(Solids, RefuseNothingAndHalfSpaces) {
  EXPECT_THROW(gather({}), InputError);
  const Geometry plane{HalfSpace(), {}};
  EXPECT_THROW(gather({&plane, 1}), InputError);
}

}  // namespace
}  // namespace allclear::fitting
