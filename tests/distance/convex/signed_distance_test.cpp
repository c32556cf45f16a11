#include "allclear/distance/signed_distance.h"

#include <gtest/gtest.h>

#include <random>

#include "allclear/core/assert.h"
#include "allclear/distance/support.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

Pose at(double x, double y, double z, const Mat3& R = Mat3::Identity()) { return {R, {x, y, z}}; }

const double kPi = std::acos(-1.0);

TEST(SignedDistance, OfSpheresIsTheGapBetweenThem) {
  const SignedDistance r = signedDistance(Sphere(1.0), at(0, 0, 0), Sphere(2.0), at(5, 0, 0));
  EXPECT_DOUBLE_EQ(r.distance, 2.0);
  EXPECT_EQ(r.normal, Vec3::UnitX());
  EXPECT_EQ(r.witness_A, Vec3::UnitX());
  EXPECT_EQ(r.witness_B, Vec3(3, 0, 0));
  EXPECT_TRUE(r.unique());
}

TEST(SignedDistance, OfConcentricSpheresHasNoUniqueNormal) {
  const SignedDistance r = signedDistance(Sphere(1.0), at(0, 0, 0), Sphere(2.0), at(0, 0, 0));
  EXPECT_DOUBLE_EQ(r.distance, -3.0);
  EXPECT_FALSE(r.unique_normal);
}

TEST(SignedDistance, OfCrossingCapsulesIsTheSumOfRadii) {
  const Mat3 turned = rotationAbout(Vec3::UnitX(), kPi / 2.0);
  const SignedDistance r =
      signedDistance(Capsule(0.1, 2.0), at(0, 0, 0), Capsule(0.2, 2.0), at(0, 0, 0, turned));
  EXPECT_NEAR(r.distance, -0.3, 1e-15);
  EXPECT_NEAR(std::abs(r.normal.x()), 1.0, 1e-15);
}

TEST(SignedDistance, OfParallelCapsulesHasNoUniqueWitness) {
  const SignedDistance r =
      signedDistance(Capsule(0.1, 2.0), at(0, 0, 0), Capsule(0.1, 2.0), at(1, 0, 0.5));
  EXPECT_NEAR(r.distance, 0.8, 1e-15);
  EXPECT_TRUE(r.unique_normal);
  EXPECT_FALSE(r.unique_witness);
}

TEST(SignedDistance, OfABoxThroughABoxIsTheShortestWayOut) {
  const SignedDistance r =
      signedDistance(Box(Vec3(2, 2, 2)), at(0, 0, 0), Box(Vec3(1, 1, 1)), at(0, 0.2, 1.2));
  EXPECT_NEAR(r.distance, -0.3, 1e-15);
  EXPECT_NEAR(r.normal.z(), 1.0, 1e-15);
  EXPECT_TRUE(r.unique_normal);
  EXPECT_FALSE(r.unique_witness);
}

TEST(SignedDistance, OfABallAtTheMiddleOfABoxIsTheWayOutOfTheThinSide) {
  // Off the middle by roundings, found by a random search: an overlap that looks like a touch.
  const Capsule ball(0.0461011870004992, 0.0);
  const Box box(Vec3(0.01035204039783779, 0.011505268424493748, 0.43215451300255031));
  Pose X_ball, X_box;
  X_ball.R << -0.57939832439022843, 0.37907212607881313, 0.72152748036639924, -0.81468052323124651,
      -0.2428996359306185, -0.52658846543808457, -0.024356246867259609, -0.89291885974866836,
      0.44955832006946483;
  X_ball.p << -0.18832373342571468, 0.14411613458993572, -0.042845088189154328;
  X_box.R << 0.49233824252484304, 0.34998266165424502, 0.79694114681635042, -0.10005388879135053,
      0.93228614242493635, -0.34760864198140917, -0.86463418523979052, 0.091403967002759656,
      0.49401724719981333;
  X_box.p << -0.18832373342571501, 0.14411613458993558, -0.042845088189154515;
  const SignedDistance d = signedDistance(ball, X_ball, box, X_box);
  EXPECT_NEAR(d.distance, -ball.radius() - 0.5 * box.size().x(), 1e-14);
}

TEST(SignedDistance, OfACylinderInsideAnotherEscapesThroughTheNearerFace) {
  const SignedDistance r =
      signedDistance(Cylinder(1.0, 4.0), at(0, 0, 0), Cylinder(0.1, 0.2), at(0, 0, 1.5));
  EXPECT_NEAR(r.distance, -0.6, 1e-14);
  EXPECT_NEAR(r.normal.z(), 1.0, 1e-12);
}

TEST(SignedDistance, OfCoaxialCylindersHasACircleOfNormals) {
  const SignedDistance r =
      signedDistance(Cylinder(1.0, 9.0), at(0, 0, 0), Cylinder(0.5, 9.0), at(0, 0, 0));
  EXPECT_NEAR(r.distance, -1.5, 1e-14);
  EXPECT_FALSE(r.unique_normal);
}

// Two ways out, 0.03 rad and 1e-5 of their length apart: the search must not take them for one.
TEST(SignedDistance, TellsTwoWaysOutOfNearlyTheSameLengthApart) {
  const std::vector<Vec3> corners{
      {-0.0970226312, 0.0753165583, -0.197150541}, {0.193414248, -0.177597899, 0.18806643},
      {0.156619883, -0.194506021, 0.0830229684},   {0.129746468, -0.0848505981, -0.102058985},
      {0.0763826061, -0.163824646, -0.149588011},  {0.0323765115, -0.0766424147, 0.127727482},
      {0.00678388768, -0.149298288, -0.016789309}, {0.183731871, -0.0720596319, 0.169173495},
      {0.168757435, -0.090422734, -0.0789348925},  {0.0317050297, -0.0873010639, 0.0954974097},
      {-0.158976284, 0.171318047, 0.125840791},    {0.196261685, 0.168997347, 0.0314952661},
      {-0.109013275, 0.0372487686, 0.144091235},   {0.0045907187, -0.199429252, -0.0406922074},
      {-0.0942231749, 0.106389465, -0.0178789697}};
  const ConvexMesh A(corners);
  const Cylinder B(0.210872, 0.3644);
  Pose X;
  X.R << -0.635090178, -0.772263017, -0.0164407183, 0.157553304, -0.108672538, -0.981512728,
      0.756199327, -0.625939383, 0.190689451;
  X.R = Eigen::Quaterniond(X.R).normalized().toRotationMatrix();
  X.p = Vec3(0.000649091948, 0.000847179512, 0.000927911545);
  // Oracle: a climb from many directions.
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal;
  const auto step = [&] { return Vec3{normal(engine), normal(engine), normal(engine)}; };
  double shallowest = -HUGE_VAL;
  for (int start = 0; start < 300; ++start) {
    Vec3 best_n = step().normalized();
    double best = -HUGE_VAL;
    for (double size = 0.3; size > 1e-7; size *= 0.98) {
      const Vec3 n = (best_n + size * step()).normalized();
      const double s = n.dot(X.p) - supportValue(A, n) - supportValue(B, -(X.R.transpose() * n));
      if (s > best) {
        best = s;
        best_n = n;
      }
    }
    shallowest = std::max(shallowest, best);
  }
  const SignedDistance r = signedDistance(A, Pose(), B, X);
  EXPECT_GE(r.distance, shallowest - 1e-12);
  EXPECT_NEAR(r.distance, shallowest, 1e-7);
}

TEST(SignedDistance, OfHalfSpacesIsFiniteOnlyWhenTheyFaceEachOther) {
  const Mat3 down = rotationAbout(Vec3::UnitX(), kPi);
  EXPECT_NEAR(signedDistance(HalfSpace{}, at(1, 2, 0), HalfSpace{}, at(3, 4, 2, down)).distance,
              2.0, 1e-14);
  EXPECT_NEAR(signedDistance(HalfSpace{}, at(1, 2, 0), HalfSpace{}, at(3, 4, -2, down)).distance,
              -2.0, 1e-14);
  const SignedDistance r = signedDistance(HalfSpace{}, at(0, 0, 0), HalfSpace{},
                                          at(0, 0, 9, rotationFromRpy({1, 0, 0})));
  EXPECT_EQ(r.distance, -std::numeric_limits<double>::infinity());
  EXPECT_FALSE(r.unique());
}

TEST(SignedDistance, OfTriangleMeshesIsThatOfTheirSolids) {
  const Shape mesh = test::boxMesh(Vec3(0.5, 1.0, 1.5));
  const Shape box = Box(Vec3(1.0, 2.0, 3.0));
  for (double x : {0.7, 1.2, 1.5, 2.3}) {
    const Pose X = at(x, 0.1, 0.2, rotationFromRpy({0.3, 0.2, 0.1}));
    for (const Shape& other : {Shape(Sphere(0.8)), Shape(Box(Vec3(1, 1, 1))), Shape(HalfSpace())}) {
      const double expected = signedDistance(box, Pose{}, other, X).distance;
      EXPECT_NEAR(signedDistance(mesh, Pose{}, other, X).distance, expected, 1e-9) << x;
      EXPECT_NEAR(signedDistance(other, X, mesh, Pose{}).distance, expected, 1e-9) << x;
      EXPECT_FALSE(distanceAtLeast(mesh, Pose{}, other, X, expected + 1e-6)) << x;
      EXPECT_TRUE(distanceAtLeast(other, X, mesh, Pose{}, expected - 1e-6)) << x;
    }
  }
}

TEST(Support, IsThePointFarthestAlongTheDirection) {
  EXPECT_EQ(support(Sphere(2.0), Vec3(0, 3, 0)), Vec3(0, 2, 0));
  EXPECT_EQ(support(Capsule(1.0, 2.0), Vec3(0, 0, -5)), Vec3(0, 0, -2));
  EXPECT_EQ(support(Box(Vec3(2, 4, 6)), Vec3(1, -1, 1)), Vec3(1, -2, 3));
  EXPECT_EQ(support(Cone(1.0, 2.0), Vec3(0.1, 0, 1)), Vec3(0, 0, 1));
  EXPECT_DOUBLE_EQ(supportValue(Ellipsoid(Vec3(1, 2, 3)), Vec3(0, 0, 2)), 6.0);
  EXPECT_EQ(support(ConvexMesh({Vec3(1, 0, 0), Vec3(0, 5, 0)}), Vec3::UnitY()), Vec3(0, 5, 0));
  EXPECT_EQ(supportValue(HalfSpace{}, Vec3::UnitZ()), 0.0);
  EXPECT_EQ(supportValue(HalfSpace{}, Vec3::UnitX()), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace allclear
