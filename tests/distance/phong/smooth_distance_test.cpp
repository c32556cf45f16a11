// One interface to every smooth distance, and their minimum over time.

#include "allclear/distance/phong/smooth_distance.h"
#include "allclear/distance/mesh/prepared.h"

#include <gtest/gtest.h>
#include "allclear/distance/mesh_depth/depth.h"
#include "allclear/distance/phong/options.h"
#include "allclear/distance/phong/smooth_minimum.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/distance/soft/distance.h"
#include "allclear/distance/support.h"

#include "distance/minimum/mcd_shapes.h"
#include "support/mesh_samples.h"

namespace allclear::test {
namespace {

TriangleMesh ring() { return torusMesh(0.2, 0.06, 24, 12); }

TEST(SmoothDistanceInterface, ChoosesByTheShapes) {
  const SmoothBody box(Box(Vec3(0.1, 0.2, 0.3))), ball(Sphere(0.1));
  const SmoothBody torus(ring()), cube(boxMesh(Vec3(0.1, 0.1, 0.1)));
  const SmoothBody bumpy(test::blobMesh(0.1, 17, 27, 0.3));
  EXPECT_EQ(chosenMethod(box, ball), SmoothMethod::kSoft);
  EXPECT_EQ(chosenMethod(box, cube), SmoothMethod::kSoft);   // one convex piece
  EXPECT_EQ(chosenMethod(box, torus), SmoothMethod::kSoft);  // a few
  EXPECT_EQ(chosenMethod(box, bumpy), SmoothMethod::kDualPhong);
  EXPECT_EQ(chosenMethod(ball, bumpy), SmoothMethod::kSoft);  // a ball has no faces
  EXPECT_EQ(chosenMethod(ball, ball), SmoothMethod::kGauge);
  EXPECT_TRUE(cube.isWellCovered());
  EXPECT_TRUE(torus.isWellCovered());
  EXPECT_FALSE(bumpy.isWellCovered());
}

TEST(SmoothDistanceInterface, NamesItsMethods) {
  EXPECT_STREQ(smoothMethodName(SmoothMethod::kEuclidean), "euclidean");
  EXPECT_STREQ(smoothMethodName(SmoothMethod::kDualPhong), "dual_phong");
  EXPECT_STREQ(smoothMethodName(SmoothMethod::kGauge), "gauge");
  EXPECT_STREQ(smoothMethodName(SmoothMethod::kAutomatic), "automatic");
}

TEST(SmoothDistanceInterface, GivesWhatTheMethodsGive) {
  const SmoothBody box(Box(Vec3(0.1, 0.2, 0.3))), cone(Cone(0.1, 0.3)), torus(ring());
  const Pose X{rotationAbout(Vec3::UnitX(), 0.4), Vec3(0.08, 0.02, 0.05)};
  SmoothOptions options;
  options.method = SmoothMethod::kEuclidean;
  const SignedDistance exact = signedDistance(box.shape(), Pose(), cone.shape(), X);
  const SmoothDistance euclid = smoothDistance(box, Pose(), cone, X, options);
  EXPECT_EQ(euclid.distance, exact.distance);
  EXPECT_EQ(euclid.gradient.translation_B, exact.normal);
  EXPECT_EQ(smoothDistance(box, Pose(), torus, X, options).distance,
            signedMeshDistance(box.shape(), Pose(), torus.shape(), X).distance);
  options.method = SmoothMethod::kSoft;
  options.softness = 0.004;
  const SmoothDistance soft = smoothDistance(box, Pose(), cone, X, options);
  EXPECT_EQ(soft.distance, softDistance(box.soft(), Pose(), cone.soft(), X, 0.004).distance);
  EXPECT_FALSE(soft.fallback);
  options.method = SmoothMethod::kDualPhong;
  EXPECT_TRUE(smoothDistance(box, Pose(), cone, X, options).fallback);  // a cone has no facets
}

TEST(SmoothDistanceInterface, TakesPiecesThatAreGiven) {
  const std::vector<Geometry> halves{
      {Box(Vec3(0.1, 0.2, 0.2)), {Mat3::Identity(), Vec3(-0.05, 0.0, 0.0)}},
      {Box(Vec3(0.1, 0.2, 0.2)), {Mat3::Identity(), Vec3(0.05, 0.0, 0.0)}}};
  const SmoothBody whole(Box(Vec3(0.2, 0.2, 0.2))), parts(Box(Vec3(0.2, 0.2, 0.2)), halves);
  const SmoothBody ball(Sphere(0.05));
  const Pose X{Mat3::Identity(), Vec3(0.2, 0.0, 0.0)};
  SmoothOptions options;
  options.method = SmoothMethod::kSoft;
  EXPECT_EQ(parts.soft().pieces().size(), 2U);
  const double apart = smoothDistance(parts, Pose(), ball, X, options).distance;
  EXPECT_NEAR(apart, smoothDistance(whole, Pose(), ball, X, options).distance, 0.01);
}

TEST(SmoothDistanceInterface, APlaneSeesTheHullOfAMesh) {
  const SmoothBody plane{Shape(HalfSpace())}, torus(ring());
  const Pose X{rotationAbout(Vec3::UnitX(), 0.4), Vec3(0.0, 0.0, 0.1)};
  SmoothOptions options;
  options.method = SmoothMethod::kEuclidean;
  const double exact = smoothDistance(plane, Pose(), torus, X, options).distance;
  EXPECT_NEAR(
      exact,
      0.1 + supportValue(Shape(hullOf(ring())), Vec3(X.R.transpose() * -Vec3::UnitZ())) * -1.0,
      1e-12);
  options.method = SmoothMethod::kAutomatic;
  EXPECT_LE(smoothDistance(plane, Pose(), torus, X, options).distance, exact);
}

struct Passing {
  MovingSolid a, b;
  SmoothBody body_a, body_b;
  SmoothMover mover_a, mover_b;

  Passing(MovingSolid x, MovingSolid y)
      : a(std::move(x)), b(std::move(y)), body_a(a.shape), body_b(b.shape) {
    fitCurves(&a, &b, {0.0, 1.0}, 1e-4);
    mover_a = {&body_a, a.X_BG, a.curves};
    mover_b = {&body_b, b.X_BG, b.curves};
  }
  double at(double t, const SmoothOptions& options) const {
    return smoothDistance(body_a, cell(a.curves, t).pose(t) * a.X_BG, body_b,
                          cell(b.curves, t).pose(t) * b.X_BG, options)
        .distance;
  }
  static const BodyCurve& cell(const std::vector<BodyCurve>& curves, double t) {
    for (const BodyCurve& c : curves) {
      if (t <= c.time.upper) return c;
    }
    return curves.back();
  }
};

TEST(SmoothMinimum, LeadsDownFromTheEuclideanMinimum) {
  int lowest = 0, cases = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random draw(seed);
    const Passing pass(randomSolid(draw, draw.integer(0, 5)),
                       randomSolid(draw, draw.integer(0, 5)));
    McdOptions mcd;
    mcd.refine = true;
    const DistanceBracket bracket = minimumDistance(pass.a.moving(), pass.b.moving(), mcd);
    SmoothOptions options;
    options.method = SmoothMethod::kSoft;
    options.softness = 0.005;
    const SmoothMinimum found = smoothMinimum(pass.mover_a, pass.mover_b, bracket.t_star, options);
    EXPECT_LE(found.at.distance, pass.at(bracket.t_star, options) + 1e-12);
    EXPECT_NEAR(found.at.distance, pass.at(found.t_star, options), 1e-12);
    EXPECT_LE(found.at.distance, bracket.upper + 1e-3);  // never above the distance
    // No lower value just beside it.
    for (const double beside : {-1e-3, 1e-3}) {
      const double t = std::clamp(found.t_star + beside, 0.0, 1.0);
      EXPECT_GE(pass.at(t, options), found.at.distance - 1e-6);
    }
    double least = HUGE_VAL;
    for (int i = 0; i <= 300; ++i) least = std::min(least, pass.at(i / 300.0, options));
    lowest += found.at.distance <= least + 1e-6;
    ++cases;
  }
  EXPECT_GE(lowest, 9 * cases / 10);  // of all valleys nearly always the deepest
}

}  // namespace
}  // namespace allclear::test
