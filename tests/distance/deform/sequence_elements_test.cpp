// Rigid bodies against meshes that bend: brackets against brute force over all triangles.
#include <gtest/gtest.h>

#include "allclear/core/input_error.h"
#include "allclear/distance/deform/sequence_depth.h"
#include "allclear/distance/deform/sequence_elements.h"
#include "allclear/distance/deforming_mesh.h"
#include "distance/deform/sequence_scenes.h"
#include "distance/minimum/mcd_oracle.h"
#include "distance/minimum/mcd_shapes.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

using test::bruteDistance;
using test::MovingSolid;
using test::Random;

constexpr Interval kTime{0.0, 1.0};

struct Scene {
  MovingSolid a;
  DeformingMesh mesh;
  Pose X_WO;

  double distance(double t) const { return bruteDistance(a.shape, a.pose(t), mesh, X_WO, t); }
};

Shape drawShape(Random& random) {
  const int kind = random.integer(0, 7);
  if (kind == 6) return test::boxMesh({0.05, 0.1, 0.2});  // a half-space elsewhere
  return test::randomShape(random, kind);
}

/// The body near the sheet, and moving fast.
Scene drawScene(std::uint64_t seed) {
  Random random(seed);
  Scene scene{{},
              test::wavingSheet(random, random.integer(1, 7), random.integer(1, 6),
                                random.uniform(-0.2, 0.4), random.uniform(0.5, 1.2)),
              {random.rotation(), random.vector(0.4)}};
  scene.a = test::randomSolid(random, 1);
  scene.a.shape = drawShape(random);
  scene.a.chain.move(random.direction() * random.logUniform(0.05, 2.0));
  scene.a.curves =
      scene.a.chain.curves(kTime, scene.a.chain.cellsFor(kTime, 1e-7, scene.a.reach(), 20));
  return scene;
}

double curveError(const MovingSolid& a) {
  double error = 0.0;
  for (const BodyCurve& curve : a.curves) error = std::max(error, curve.error(a.reach() + 1.0));
  return error;
}

TEST(MeshSequence, BracketsHoldTheTrueMinimum) {
  int bracketed = 0, contacts = 0;
  const int count = test::samplesOf(300, 10000);
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scene scene = drawScene(1000u + seed);
    McdOptions options;
    options.tolerance = 1e-4;
    const DistanceBracket bracket =
        minimumDistance(scene.a.moving(), scene.mesh, scene.X_WO, options);
    const double slack = 1e-9 + curveError(scene.a);
    double least = HUGE_VAL;
    for (int i = 0; i <= 30; ++i) least = std::min(least, scene.distance(i / 30.0));
    for (int i = -4; i <= 4; ++i) {
      const double t = std::clamp(bracket.t_star + 0.002 * i, 0.0, 1.0);
      least = std::min(least, scene.distance(t));
    }
    ASSERT_LE(bracket.lower, std::max(least, bracket.penetrating ? 0.0 : -HUGE_VAL) + 1e-9);
    ASSERT_LE(bracket.lower, bracket.upper);
    if (bracket.penetrating) {
      ++contacts;
      ASSERT_LE(bracket.lower, 0.0);
      continue;
    }
    ASSERT_GT(least, -slack);  // no contact is missed
    ASSERT_GE(bracket.upper, scene.distance(bracket.t_star) - slack);
    ASSERT_EQ(bracket.status, McdStatus::kBracketed);
    ASSERT_NEAR((bracket.witness_B - bracket.witness_A).norm(), bracket.upper, slack + 1e-6);
    ++bracketed;
  }
  EXPECT_GT(bracketed, count / 3);
  EXPECT_GT(contacts, count / 20);
}

/// The bound has to be too high for some scenes when E is left out, and for none with it.
TEST(MeshSequence, NeedsTheRemainder) {
  int wrong[2] = {0, 0};
  for (int seed = 0; seed < 400; ++seed) {
    Random random(50000u + seed);
    // Few keyframes and one curve, so that stretches of time are long; a fast turn past the sheet.
    Scene scene{{},
                test::wavingSheet(random, random.integer(1, 3), random.integer(1, 2), 0.0, 1.0),
                {random.rotation(), random.vector(0.1)}};
    scene.a.shape = Capsule(0.01, random.uniform(0.2, 0.6));
    scene.a.chain = test::randomChain(random, 2, random.uniform(1.0, 4.0), 0.4);
    scene.a.chain.move(random.direction() * 0.7);
    scene.a.curves = scene.a.chain.curves(kTime, 6);
    double least = HUGE_VAL;
    for (int i = 0; i <= 200; ++i) least = std::min(least, scene.distance(i / 200.0));
    for (const int with : {0, 1}) {
      const tree::RigidShape shape(scene.a.shape);
      const MovingShape moving = scene.a.moving();
      const deform::SequenceElements elements(scene.mesh, scene.X_WO);
      tree::BoundTerms terms;
      terms.remainder_a = with;
      deform::SequenceSearch search(shape, moving, elements, terms);
      McdOptions options;
      options.tolerance = 1e-4;
      const tree::SearchResult found = search.run(options);
      if (!found.contact && found.lower > least + 1e-6) ++wrong[with];
    }
  }
  EXPECT_EQ(wrong[1], 0);
  EXPECT_GT(wrong[0], 0);
}

TEST(MeshSequence, DecidesThresholds) {
  int above = 0, below = 0;
  for (int seed = 0; seed < test::samplesOf(300, 5000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scene scene = drawScene(9000u + seed);
    Random random(seed);
    double least = HUGE_VAL;
    for (int i = 0; i <= 40; ++i) least = std::min(least, scene.distance(i / 40.0));
    McdOptions options;
    options.tolerance = 1e-4;
    options.threshold = least + random.uniform(-0.05, 0.05);
    options.decide_only = true;
    const DistanceBracket bracket =
        minimumDistance(scene.a.moving(), scene.mesh, scene.X_WO, options);
    if (bracket.status == McdStatus::kCertifiedAbove) {
      ++above;
      ASSERT_GE(least, *options.threshold - 1e-9);
    } else if (bracket.status == McdStatus::kBelow) {
      ++below;
      ASSERT_LT(bracket.upper, *options.threshold);
    }
  }
  EXPECT_GT(above, 30);
  EXPECT_GT(below, 30);
}

TEST(MeshSequence, ThatTranslatesEqualsTheMovingMesh) {
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(700 + seed);
    const TriangleMesh ball = test::blobMesh(0.2, 7, 9, 0.3);
    const Vec3 from = random.vector(0.5) + Vec3(0.9, 0, 0),
               to = random.vector(0.5) + Vec3(0.9, 0, 0);
    std::vector<Vec3> last;
    for (const Vec3& p : ball.vertices()) last.push_back(p + (to - from));
    const DeformingMesh mesh(ball.triangles(), {ball.vertices(), last}, {0.0, 1.0});
    MovingSolid a = test::randomSolid(random, random.integer(0, 2));
    a.curves = a.chain.curves(kTime, a.chain.cellsFor(kTime, 1e-9, a.reach(), 40));
    // The same motion of a rigid mesh.
    test::ChainMotion slide;
    test::ChainJoint joint;
    joint.X_PJ.p = from;
    joint.revolute = false;
    joint.axis = (to - from).normalized();
    joint.polynomial = {0.0, (to - from).norm()};
    slide.joints = {joint};
    const std::vector<BodyCurve> curves = slide.curves(kTime, static_cast<int>(a.curves.size()));
    const Shape rigid = ball;
    McdOptions options;
    options.tolerance = 1e-9;
    const DistanceBracket bent =
        minimumDistance(a.moving(), mesh, {Mat3::Identity(), from}, options);
    const DistanceBracket other = minimumDistance(a.moving(), {&rigid, Pose(), curves}, options);
    ASSERT_EQ(bent.penetrating, other.penetrating);
    if (bent.penetrating) continue;
    EXPECT_NEAR(bent.upper, other.upper, 1e-8);
    EXPECT_NEAR(bent.lower, other.lower, 1e-7);  // each search stops where it likes
  }
}

TEST(MeshSequence, SeesBodiesInsideOfOneAnother) {
  const std::vector<Vec3> corners = test::boxCorners({0.5, 0.5, 0.5});
  const DeformingMesh box(test::boxTriangles(), {corners, corners}, {0.0, 1.0});
  std::vector<Triangle> open = test::boxTriangles();
  open.pop_back();
  const DeformingMesh hollow(open, {corners, corners}, {0.0, 1.0});
  const BodyCurve still = BodyCurve::still(Pose(), kTime);
  const Shape ball = Sphere(0.1);
  const MovingShape inside{&ball, Pose(), {&still, 1}};
  EXPECT_TRUE(minimumDistance(inside, box, Pose(), {}).penetrating);
  EXPECT_LT(minimumDistance(inside, box, Pose(), {}).upper, -0.1);
  EXPECT_FALSE(minimumDistance(inside, hollow, Pose(), {}).penetrating);
  EXPECT_NEAR(minimumDistance(inside, hollow, Pose(), {}).upper, 0.4, 1e-3);
  // A solid around a sheet.
  const Shape shell = test::boxMesh({2.0, 2.0, 2.0});
  EXPECT_TRUE(minimumDistance({&shell, Pose(), {&still, 1}}, hollow, Pose(), {}).penetrating);
  EXPECT_LE(signedDistance(shell, Pose(), hollow, Pose(), 0.5).distance, 0.0);
}

TEST(MeshSequence, WitnessesAreGradients) {
  int probed = 0;
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Scene scene = drawScene(31000u + seed);
    McdOptions options;
    options.tolerance = 1e-6;
    options.refine = true;
    const DistanceBracket at = minimumDistance(scene.a.moving(), scene.mesh, scene.X_WO, options);
    if (at.penetrating || at.upper < 1e-3) continue;
    // Moving the mesh by e changes the minimum by normal . e.
    Random random(seed);
    const Vec3 e = random.direction();
    const double h = 1e-6;
    const auto value = [&](double step) {
      const Pose X{scene.X_WO.R, scene.X_WO.p + step * e};
      return minimumDistance(scene.a.moving(), scene.mesh, X, options).upper;
    };
    const double forward = (value(h) - at.upper) / h, backward = (at.upper - value(-h)) / h;
    if (std::abs(forward - backward) > 1e-2) continue;  // two minima are equal here
    EXPECT_NEAR(at.normal.dot(e), 0.5 * (forward + backward), 2e-3);
    ++probed;
  }
  EXPECT_GT(probed, 20);
}

TEST(MeshSequence, AtOneInstantIsTheDistanceAtRest) {
  for (int seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = drawScene(77000u + seed);
    Random random(seed);
    const double t = random.uniform(-0.5, 1.5);
    const double truth = scene.distance(t);
    const SignedDistance d =
        signedDistance(scene.a.shape, scene.a.pose(t), scene.mesh, scene.X_WO, t);
    if (truth > 1e-9) {
      EXPECT_NEAR(d.distance, truth, 1e-8);
      EXPECT_NEAR((d.witness_B - d.witness_A).norm(), truth, 1e-6);
    } else {
      EXPECT_LE(d.distance, 1e-8);
    }
  }
}

TEST(MeshSequence, RefusesWhatItCannotAnswer) {
  Random random(1);
  const DeformingMesh mesh = test::wavingSheet(random, 2, 2, 0.0, 1.0);
  const BodyCurve still = BodyCurve::still(Pose(), kTime);
  const Shape plane = HalfSpace(), ball = Sphere(0.1);
  const MovingShape moving{&ball, Pose(), {&still, 1}};
  EXPECT_THROW(minimumDistance({&plane, Pose(), {&still, 1}}, mesh, Pose(), {}), InputError);
  EXPECT_THROW(minimumDistance({&ball, Pose(), {}}, mesh, Pose(), {}), InputError);
  McdOptions bad;
  bad.tolerance = 0.0;
  EXPECT_THROW(minimumDistance(moving, mesh, Pose(), bad), InputError);
}

}  // namespace
}  // namespace allclear
