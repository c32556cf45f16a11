// The guard of the Phong distances, and the memory of a pair.

#include "allclear/distance/phong/pair_memory.h"

#include <gtest/gtest.h>

#include <random>

#include "allclear/distance/phong/state.h"
#include "distance/phong/phong_motions.h"
#include "support/mesh_samples.h"

namespace allclear::phong {
namespace {

struct Counter : SmoothMemory {
  int count = 0;
};

TEST(SmoothState, KeepsMemoryOfOneTypeAndReplacesAnother) {
  SmoothState state;
  memoryOf<Counter>(&state).count = 7;
  EXPECT_EQ(memoryOf<Counter>(&state).count, 7);
  const SmoothState copy = state;
  EXPECT_EQ(copy.memory, state.memory);
  memoryOf<PairMemory>(&state).euclidean_queries = 3;
  EXPECT_EQ(memoryOf<PairMemory>(&state).euclidean_queries, 3);
  EXPECT_EQ(memoryOf<Counter>(&state).count, 0);  // the first one is gone
  EXPECT_NE(copy.memory, state.memory);
}

TEST(PairMemory, AgreesWithTheSignAndTheLimit) {
  EXPECT_TRUE(PairMemory::agrees(0.1, 0.1, 1.0));
  EXPECT_TRUE(PairMemory::agrees(-0.2, -0.1, 1.0));
  EXPECT_FALSE(PairMemory::agrees(0.1, -0.1, 1.0));
  EXPECT_FALSE(PairMemory::agrees(-0.22, -0.1, 1.0));  // 1.6 * 0.1 + 0.05
}

TEST(PairMemory, AcceptsOnlyWhatTheEuclideanDistanceAllows) {
  const PhongBody A{Shape(test::blobMesh(0.5, 8, 12, 0.05, 3))};
  const PhongBody B{Shape(test::torusMesh(0.4, 0.15, 16, 10))};
  const double size = std::min(A.size(), B.size());
  std::mt19937_64 random(21);
  std::uniform_real_distribution<double> share(-0.5, 2.5);
  int accepted = 0, refused = 0;
  for (int sample = 0; sample < 40; ++sample) {
    PairMemory memory;  // the same over a few small steps
    Pose X_B = test::randomPose(&random, 0.5);
    for (int step = 0; step < 4; ++step) {
      X_B = test::moved(X_B, Vec3(0.004, -0.003, 0.002), Vec3(0.01, 0.0, -0.01));
      const SignedDistance exact = signedMeshDistance(A.body(), Pose(), B.body(), X_B);
      const double claim = share(random) * exact.distance;
      const bool yes = memory.accepts(claim, exact.witness_A, exact.witness_B, A, Pose(), B, X_B);
      (yes ? accepted : refused) += 1;
      if (!yes) continue;
      EXPECT_EQ(claim > 0.0, exact.distance > 0.0);
      EXPECT_LE(std::fabs(claim), 1.6 * std::fabs(exact.distance) + 0.05 * size + 1e-9);
    }
  }
  EXPECT_GT(accepted, 20);
  EXPECT_GT(refused, 20);
}

TEST(PairMemory, KnowsWhetherBodiesMeetWithoutAskingAgainWhileTheyHardlyMove) {
  const PhongBody A{Shape(test::boxMesh({0.1, 0.1, 0.1}))};
  PairMemory memory;
  const Pose apart{Mat3::Identity(), Vec3(0.3, 0.0, 0.0)};
  EXPECT_GT(memory.euclidean(A, Pose(), A, apart).distance, 0.0);
  EXPECT_FALSE(memory.overlap(A, Pose(), A, {Mat3::Identity(), Vec3(0.25, 0.0, 0.0)}));
  EXPECT_TRUE(memory.overlap(A, Pose(), A, {Mat3::Identity(), Vec3(0.19, 0.0, 0.0)}));
  EXPECT_EQ(memory.euclidean_queries, 1);
}

TEST(GradientFromMotionOfB, IsZeroForMotionsOfBothBodiesTogether) {
  std::mt19937_64 random(22);
  for (int sample = 0; sample < 20; ++sample) {
    const Pose X_A = test::randomPose(&random, 1.0), X_B = test::randomPose(&random, 1.0);
    const DistanceGradient g = gradientFromMotionOfB(test::randomPose(&random, 1.0).p,
                                                     test::randomPose(&random, 1.0).p, X_A, X_B);
    // A turn about the world's origin by a small angle: velocities of the bodies' origins.
    const Vec3 spin = test::randomPose(&random, 1.0).p, shift = test::randomPose(&random, 1.0).p;
    const double rate = g.translation_A.dot(shift + spin.cross(X_A.p)) + g.rotation_A.dot(spin) +
                        g.translation_B.dot(shift + spin.cross(X_B.p)) + g.rotation_B.dot(spin);
    EXPECT_NEAR(rate, 0.0, 1e-13);
  }
}

}  // namespace
}  // namespace allclear::phong
