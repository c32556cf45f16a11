#include "allclear/distance/mesh/holes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "distance/cover/cover_meshes.h"
#include "support/panel_meshes.h"

namespace allclear {
namespace {

using test::MeshParts;
using test::Random;

/// Edges that an odd number of triangles have, counted one by one.
std::size_t oddEdges(const std::vector<Triangle>& triangles) {
  std::map<mesh::Edge, int> uses;
  for (const Triangle& t : triangles) {
    for (int e = 0; e < 3; ++e) {
      const int u = t[e], v = t[(e + 1) % 3];
      if (u != v) ++uses[{std::min(u, v), std::max(u, v)}];
    }
  }
  return std::count_if(uses.begin(), uses.end(),
                       [](const auto& use) { return use.second % 2 == 1; });
}

TEST(Holes, FansTakeAwayTheWholeRimOfSmallHoles) {
  int holes = 0;
  for (int round = 0; round < 60; ++round) {
    Random random(round);
    MeshParts parts = test::sphereMesh(50, 70, random.logUniform(1e-3, 1e3));
    // Holes may touch at corners, and merge.
    std::erase_if(parts.triangles, [&](const Triangle&) { return random.chance(0.02); });
    if (random.chance(0.5)) test::cutSomeEdges(&parts, 0.1, random);
    const MeshTopology clean = cleaned(parts.vertices, parts.triangles);
    // Two triangles that holes cut off are no larger than their own lid.
    if (clean.part_closed.size() > 1) continue;
    EXPECT_EQ(mesh::rimOf(clean.triangles).size(), oddEdges(clean.triangles));
    const mesh::HoleFans fans = mesh::closeSmallHoles(clean);
    std::vector<Triangle> all = clean.triangles;
    all.insert(all.end(), fans.triangles.begin(), fans.triangles.end());
    EXPECT_EQ(oddEdges(all), 0u) << "seed " << round;
    EXPECT_EQ(fans.hole.size(), fans.triangles.size());
    std::size_t rim = 0;
    for (const ClosedHole& hole : fans.holes) rim += hole.edges;
    EXPECT_EQ(rim, oddEdges(clean.triangles)) << "seed " << round;
    holes += static_cast<int>(fans.holes.size());
  }
  EXPECT_GT(holes, 1500);
}

TEST(Holes, ALidOfABoxAndALoneTriangleAreNotClosed) {
  const MeshParts open = test::sheetBox(Vec3(1, 1, 1), 1U);
  EXPECT_TRUE(mesh::closeSmallHoles(cleaned(open.vertices, open.triangles)).triangles.empty());
  EXPECT_TRUE(mesh::closeSmallHoles(cleaned({{0, 0, 0}, {1, 0, 0}, {0, 1e-6, 0}}, {{0, 1, 2}}))
                  .triangles.empty());
}

TEST(Holes, MeasuresPartsByAreaVolumeAndBox) {
  MeshParts parts = test::boxMesh(Vec3(0, 0, 0), Vec3(1, 2, 3));
  parts.add(test::sheetBox(Vec3(1, 1, 1), 1U));
  const std::vector<mesh::PartSize> sizes =
      mesh::partSizes(cleaned(parts.vertices, parts.triangles));
  ASSERT_EQ(sizes.size(), 2u);
  EXPECT_NEAR(sizes[0].area, 22.0, 1e-12);
  EXPECT_NEAR(sizes[0].volume, 6.0, 1e-12);
  EXPECT_NEAR(sizes[0].diagonal(), std::sqrt(14.0), 1e-12);
  EXPECT_NEAR(sizes[1].area, 5.0, 1e-12);
}

}  // namespace
}  // namespace allclear
