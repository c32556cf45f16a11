#include "allclear/distance/cover/cut.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "distance/cover/cover_meshes.h"

namespace allclear {
namespace {

using test::Random;

fitting::Surface surfaceOf(const test::MeshParts& parts) {
  fitting::Surface surface;
  for (const Triangle& t : parts.triangles) {
    const Vec3 corners[] = {parts.vertices[t[0]], parts.vertices[t[1]], parts.vertices[t[2]]};
    surface.add(corners);
  }
  return surface;
}

TEST(CoverCut, AFacetInAPlaneBelongsToExactlyOneSide) {
  Random random(71);
  for (int i = 0; i < 1000; ++i) {
    const Mat3 R = random.rotationOfNormals();
    std::vector<Vec3> facet;
    for (int k = random.integer(1, 5); k > 0; --k) {
      facet.push_back(R * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), 0.0));
    }
    const Vec3 n = R.col(2);
    ASSERT_NE(cover::belongsBelow(facet, n), cover::belongsBelow(facet, Vec3(-n)))
        << "seed 71, case " << i;
  }
  // The solid is where the outward normal does not point.
  const std::vector<Vec3> top{Vec3(0, 0, 1), Vec3(1, 0, 1), Vec3(0, 1, 1)};
  EXPECT_TRUE(cover::belongsBelow(top, Vec3::UnitZ()));
  EXPECT_FALSE(cover::belongsBelow(top, -Vec3::UnitZ()));
}

/// Of an L, cutting along either inner face leaves its two boxes: no cut has a better score, and
/// that score is the L's own volume.
TEST(CoverCut, TheBestSingleCutOfAnLIsAtItsInnerCorner) {
  Random random(72);
  for (int i = 0; i < 50; ++i) {
    const double a = random.uniform(0.3, 0.7), b = random.uniform(0.3, 0.7);
    const test::MeshParts parts = test::gridSolid(
        {0, a, 1}, {0, b, 1}, {0, 1}, [](int x, int y, int) { return x == 0 || y == 0; });
    const std::vector<cover::Cut> cuts = cover::scoredCuts(surfaceOf(parts));
    const cover::Cut* best = nullptr;
    for (const cover::Cut& cut : cuts) {
      if (cut.second_offset) continue;
      if (best == nullptr || cut.score < best->score) best = &cut;
    }
    ASSERT_NE(best, nullptr);
    const double solid = 1.0 - (1.0 - a) * (1.0 - b);
    EXPECT_NEAR(best->score, solid, 1e-9) << "seed 72, case " << i;
    const bool along_x = std::abs(best->plane.normal.x()) > 0.999;
    EXPECT_NEAR(best->plane.offset, along_x ? a : b, 1e-9) << "seed 72, case " << i;
  }
}

TEST(CoverCut, AxesAreThoseOfTheFrameAndThePrincipalOnesOfTheCorners) {
  test::MeshParts bar = test::gridSolid({0, 5}, {0, 1}, {0, 1}, [](int, int, int) { return true; });
  const Pose X{rotationAbout(Vec3(1, 1, 1).normalized(), 0.7), Vec3(1, 2, 3)};
  bar.move(X, Vec3::Ones());
  const std::vector<Vec3> axes = cover::cutAxes(surfaceOf(bar));
  ASSERT_EQ(axes.size(), 6u);
  double longest = 0.0;
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(axes[k], Vec3::Unit(k));
    // Triangles share corners unevenly, so the spread of the corners leans a little.
    longest = std::max(longest, std::abs(axes[3 + k].dot(X.R.col(0))));
    EXPECT_NEAR(axes[3 + k].norm(), 1.0, 1e-12);
    EXPECT_NEAR(axes[3 + k].dot(axes[3 + (k + 1) % 3]), 0.0, 1e-12);
  }
  EXPECT_GT(longest, 0.99);
  EXPECT_LT(X.R.cwiseAbs().maxCoeff(), 0.95);  // none of the frame's axes is along the bar
}

}  // namespace
}  // namespace allclear
