// Solutions of the dual Phong distance's equations.

#include "allclear/distance/phong/dual_walk.h"

#include <gtest/gtest.h>

#include <random>

#include "distance/phong/phong_motions.h"
#include "support/mesh_samples.h"

namespace allclear::phong {
namespace {

struct Scene {
  PhongBody A{Shape(test::blobMesh(0.5, 14, 20, 0.08, 3))};
  PhongBody B{Shape(test::torusMesh(0.4, 0.15, 24, 16))};

  PointPair start(const Pose& X_AB) const {
    const Vec3 from_B = X_AB.p, from_A = X_AB.inverse().p;
    return {offCorner(A.tree().nearest(A.mesh(), from_B)),
            offCorner(B.tree().nearest(B.mesh(), from_A))};
  }
};

TEST(DualWalk, SolutionsHaveParallelNormalsAlongTheLineBetweenThePoints) {
  const Scene scene;
  std::mt19937_64 random(11);
  int solved = 0;
  for (int sample = 0; sample < 60; ++sample) {
    const Pose X_AB = test::randomPose(&random, 0.6);
    const DualWalk walk(scene.A.surface(-1.0), scene.B.surface(-1.0), X_AB, 1.0);
    PointPair at = scene.start(X_AB);
    DualEquations e;
    if (!walk.solve(&at, true, &e)) continue;
    ++solved;
    EXPECT_LE(e.x.cross(e.n).norm(), 1e-9);
    EXPECT_LE(e.m.cross(e.n).norm(), 1e-9);
    const Vec3 a = position(scene.A.mesh(), at.a), b = position(scene.B.mesh(), at.b);
    EXPECT_LE((a - X_AB * b - e.x).norm(), 1e-14);
  }
  EXPECT_GE(solved, 20);
}

TEST(DualWalk, WithoutWalkingStaysOnItsTwoTriangles) {
  const Scene scene;
  std::mt19937_64 random(12);
  for (int sample = 0; sample < 30; ++sample) {
    const Pose X_AB = test::randomPose(&random, 0.6);
    const DualWalk walk(scene.A.surface(-1.0), scene.B.surface(-1.0), X_AB, 1.0);
    const PointPair start = scene.start(X_AB);
    PointPair at = start;
    DualEquations e;
    walk.solve(&at, false, &e);
    EXPECT_EQ(at.a.triangle, start.a.triangle);
    EXPECT_EQ(at.b.triangle, start.b.triangle);
    EXPECT_NEAR(at.a.weights.sum(), 1.0, 1e-9);
  }
}

TEST(DualWalk, GradientIsTheDifferenceOfNearbySolutions) {
  const Scene scene;
  std::mt19937_64 random(13);
  int checked = 0;
  for (int sample = 0; sample < 60; ++sample) {
    const Pose X_AB = test::randomPose(&random, 0.6);
    const auto distance = [&](const Pose& X, PointPair at, bool walking, PointPair* out) {
      const DualWalk walk(scene.A.surface(-1.0), scene.B.surface(-1.0), X, 1.0);
      DualEquations e;
      if (!walk.solve(&at, walking, &e)) return std::optional<DualEquations>();
      if (out != nullptr) *out = at;
      return std::optional(e);
    };
    PointPair solution;
    const auto here = distance(X_AB, scene.start(X_AB), true, &solution);
    if (!here) continue;
    const auto gradient = gradientByB(*here);
    ASSERT_TRUE(gradient.has_value());
    if ((*gradient)[0].norm() > 3.0) continue;  // bends too strongly for differences
    constexpr double kStep = 1e-6;
    for (int k = 0; k < 3; ++k) {
      const Vec3 step = kStep * Vec3::Unit(k);
      const auto up = distance({X_AB.R, X_AB.p + step}, solution, false, nullptr);
      const auto down = distance({X_AB.R, X_AB.p - step}, solution, false, nullptr);
      if (!up || !down) continue;
      const double slope = (down->n.dot(down->x) - up->n.dot(up->x)) / (2.0 * kStep);
      EXPECT_NEAR(slope, (*gradient)[0][k], 1e-4 * (1.0 + (*gradient)[0].norm()));
      ++checked;
    }
  }
  EXPECT_GE(checked, 30);
}

}  // namespace
}  // namespace allclear::phong
