#include "allclear/distance/geometry/few_corners.h"

#include <gtest/gtest.h>

#include "allclear/distance/convex_cover.h"
#include "allclear/distance/signed_distance.h"
#include "support/mesh_samples.h"
#include "support/random.h"

namespace allclear {
namespace {

using test::Random;

TEST(FewCorners, HoldAllPoints) {
  int fewer = 0;
  for (int round = 0; round < 60; ++round) {
    Random random(round);
    std::vector<Vec3> points;
    const int count = random.integer(1, 600);
    Vec3 scale = Vec3::Ones();
    for (int i = 0; i < 3; ++i) {
      if (random.chance(0.3)) scale[i] = random.chance(0.2) ? 0.0 : random.logUniform(1e-6, 1.0);
    }
    const double size = random.logUniform(1e-3, 1e3);
    for (int i = 0; i < count; ++i) {
      const Vec3 p = random.chance(0.8) ? random.direction() : random.inBox(1.0);
      points.push_back(size * (scale.cwiseProduct(p) + 0.1 * Vec3::Ones()));
    }
    const std::vector<Vec3> few = fewCorners(points);
    fewer += few.size() < points.size();
    const ConvexMesh hull(few);
    for (const Vec3& p : points) {
      const double radius = 1e-10 * size;
      const double outside =
          signedDistance(Sphere(radius), {Mat3::Identity(), p}, hull, {}).distance + radius;
      EXPECT_LE(outside, 1e-9 * size) << "seed " << round;
    }
  }
  EXPECT_GT(fewer, 10);
}

TEST(FewCorners, OfAMeshAreThoseOfItsHull) {
  const TriangleMesh mesh = test::blobMesh(0.3, 20, 30, 0.1);
  const auto hull = enclosingSolids({{mesh, Pose()}}, MeshFidelity::kHull);
  EXPECT_EQ(fewCornersOf(mesh), fewCorners(std::get<ConvexMesh>(hull[0].shape).points()));
  EXPECT_EQ(&fewCornersOf(mesh), &fewCornersOf(TriangleMesh(mesh)));
}

}  // namespace
}  // namespace allclear
