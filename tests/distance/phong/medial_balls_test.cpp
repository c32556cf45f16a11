#include "allclear/distance/phong/medial_balls.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "allclear/distance/geometry/triangles.h"
#include "allclear/distance/mesh_depth/depth.h"
#include "allclear/distance/phong/surface.h"
#include "distance/phong/phong_motions.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

using test::moved;
using test::randomPose;

struct Bodies {
  PhongBody box{Shape(test::boxMesh({0.5, 0.35, 0.2}))};
  PhongBody slab{Shape(test::boxMesh({0.6, 0.5, 0.04}))};
  PhongBody blob{Shape(test::blobMesh(0.5, 14, 20, 0.08, 3))};
  PhongBody torus{Shape(test::torusMesh(0.4, 0.15, 24, 16))};

  const PhongBody& convex(int i) const { return i % 2 == 0 ? box : slab; }
  const PhongBody& any(int i) const { return i % 3 == 0 ? blob : i % 3 == 1 ? torus : slab; }
};

const Bodies& bodies() {
  static const Bodies all;
  return all;
}

/// The largest depth that is proven, to 1e-4; below 0 when not even a contact is.
double mostProven(phong::DepthProof* proof, const PhongBody& A, const PhongBody& B,
                  const Pose& X_AB) {
  double least = -1.0, most = 2.0;
  while (most - least > 1e-4) {
    const double middle = 0.5 * (least + most);
    if (proof->atLeast(std::max(middle, 0.0), A.medialBalls(), B.medialBalls(), X_AB)) {
      least = middle;
    } else {
      most = middle;
    }
  }
  return least;
}

TEST(PhongBalls, AreInsideOfTheBody) {
  for (const PhongBody* body : {&bodies().box, &bodies().slab, &bodies().blob, &bodies().torus}) {
    const phong::MedialBalls& balls = body->medialBalls();
    ASSERT_GT(balls.count(), 8u);
    ASSERT_LE(balls.count(), 96u);
    for (int i = 0; i < static_cast<int>(balls.count()); ++i) {
      const Vec3 c = balls.center(i);
      EXPECT_TRUE(body->body().contains(c - body->body().center())) << i;
      double nearest = std::numeric_limits<double>::infinity();
      for (std::size_t t = 0; t < body->mesh().triangles.size(); ++t) {
        const int k = static_cast<int>(t);
        const Vec3 q =
            nearestOnTriangle(cornersOf(body->mesh().corner(k, 0), body->mesh().corner(k, 1),
                                        body->mesh().corner(k, 2)),
                              c);
        nearest = std::min(nearest, (q - c).norm());
      }
      EXPECT_LE(balls.radius[i], nearest) << i;
    }
  }
}

TEST(PhongBalls, NoneOfWhatHasNoInside) {
  const PhongBody sheet{Shape(TriangleMesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}))};
  EXPECT_EQ(sheet.medialBalls().count(), 0u);
  phong::DepthProof proof;
  EXPECT_FALSE(proof.atLeast(0.0, sheet.medialBalls(), bodies().box.medialBalls(), Pose()));
}

TEST(PhongBalls, ProveNoMoreThanTheExactDepthOfConvexBodies) {
  std::mt19937_64 random(41);
  const int count = test::phongSamples(60, 1500);
  double share = 0.0;
  int deep = 0;
  for (int i = 0; i < count; ++i) {
    const PhongBody &A = bodies().convex(i), &B = bodies().convex(i / 2);
    Pose X = randomPose(&random, 0.25);
    phong::DepthProof proof;
    for (int step = 0; step < 3; ++step) {  // what is remembered must not prove more either
      X = moved(X, randomPose(&random, 0.05).p, randomPose(&random, 0.1).p);
      const SignedDistance exact = signedMeshDistance(A.body(), Pose(), B.body(), X);
      const double proven = mostProven(&proof, A, B, X);
      EXPECT_LE(proven, std::max(-exact.distance, 0.0) + 1e-9) << i;
      EXPECT_FALSE(exact.distance > 0.0 && proof.atLeast(0.0, A.medialBalls(), B.medialBalls(), X))
          << i;
      if (exact.distance > -0.1) continue;
      ++deep;
      share += proven / -exact.distance;
    }
  }
  std::printf("proven on average %.2f of %d depths\n", share / deep, deep);
  EXPECT_GT(deep, count / 4);
  EXPECT_GE(share, 0.5 * deep);
}

TEST(PhongBalls, NoTranslationShorterThanWhatIsProvenSeparates) {
  std::mt19937_64 random(42);
  std::normal_distribution<double> normal(0.0, 1.0);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  int proven_some = 0;
  const int count = test::phongSamples(60, 1500);
  for (int i = 0; i < count; ++i) {
    const PhongBody &A = bodies().any(i), &B = bodies().any(i / 3);
    const Pose X = randomPose(&random, 0.25);
    phong::DepthProof proof;
    const double proven = mostProven(&proof, A, B, X);
    if (proven <= 0.0) continue;
    ++proven_some;
    MeshCache cache;
    for (int k = 0; k < 60; ++k) {
      const Vec3 d = Vec3(normal(random), normal(random), normal(random)).normalized();
      const Pose Y{X.R, X.p + proven * std::cbrt(uniform(random)) * d};
      EXPECT_TRUE(meshesOverlap(A.body(), Pose(), B.body(), Y, &cache)) << i << " " << k;
    }
    // Its way out is verified, so never shorter than what is proven.
    const SignedDistance exact = signedMeshDistance(A.body(), Pose(), B.body(), X);
    EXPECT_GE(-exact.distance, proven - 1e-9) << i;
  }
  EXPECT_GT(proven_some, count / 2);
}

}  // namespace
}  // namespace allclear
