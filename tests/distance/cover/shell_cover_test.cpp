#include "allclear/distance/cover/shell_cover.h"

#include <gtest/gtest.h>

#include "allclear/distance/cover/group.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/signed_distance.h"
#include "support/long_run.h"
#include "support/panel_meshes.h"

namespace allclear {
namespace {

using test::isLong;
using test::MeshKind;
using test::MeshParts;
using test::Random;

/// How far p is from the nearest piece [m]; at most 0 inside.
double outside(const std::vector<ConvexMesh>& pieces, const Vec3& p) {
  constexpr double kRadius = 1e-9;
  double least = HUGE_VAL;
  for (const ConvexMesh& piece : pieces) {
    const Pose X{Mat3::Identity(), p};
    least = std::min(least, signedDistance(Sphere(kRadius), X, piece, {}).distance + kRadius);
  }
  return least;
}

TEST(ShellCover, HoldsEveryTriangleOfRandomShells) {
  for (int round = 0; round < (isLong() ? 1000 : 80); ++round) {
    Random random(round);
    bool closed = false;
    MeshParts parts;
    if (round % 3 == 0) {
      parts = test::sheetBox(Vec3(1, 1, 1), 1U + random.index(62));
    } else {
      parts = test::meshOfKind(round % 3 == 1 ? MeshKind::kOpenSphere : MeshKind::kSoup, random,
                               &closed);
    }
    const double size = random.logUniform(1e-2, 1e2);
    parts.move(random.pose(size), Vec3(size, size * random.logUniform(1e-3, 1.0), size));
    const MeshTopology clean = cleaned(parts.vertices, parts.triangles);
    const TriangleMesh mesh = PreparedMesh::part(clean.vertices, clean.triangles);
    ConvexCoverOptions options;
    options.most_pieces = random.integer(1, 20);
    options.least_gain = random.logUniform(1e-4, 0.3);
    const auto pieces = shellCover(mesh, options);
    EXPECT_LE(pieces.size(), static_cast<std::size_t>(options.most_pieces));
    for (int i = 0; i < 200; ++i) {
      const int t = random.index(static_cast<int>(mesh.triangles().size()));
      const Vec3 p = test::pointOn(mesh, t, random);
      EXPECT_LE(outside(pieces, p), 1e-8 * size) << "seed " << round;
    }
  }
}

/// Points of the hollow that are far from all panels, by brute force.
TEST(ShellCover, LeavesTheHollowOfPanelBoxesFree) {
  int probed = 0;
  for (int round = 0; round < (isLong() ? 400 : 60); ++round) {
    Random random(1000 + round);
    const Vec3 size(random.uniform(0.3, 1), random.uniform(0.3, 1), random.uniform(0.3, 1));
    const unsigned lacking = round % 4 == 0 ? 1U + random.index(62) : 1U << random.index(6);
    MeshParts parts =
        round % 2 == 0 ? test::sheetBox(size, lacking) : test::wallBox(size, 0.02, lacking);
    if (round % 2 == 1) test::takeLargestQuad(&parts);
    if (random.chance(0.5)) parts.move(random.pose(1.0), Vec3::Ones());
    test::flipSome(&parts, random.chance(0.5) ? 0.3 : 0.0, random);
    const TriangleMesh mesh = parts.mesh();
    for (MeshFidelity fidelity : {MeshFidelity::kPieces, MeshFidelity::kManyPieces}) {
      const auto& pieces = coverOf(mesh, fidelity);
      for (int i = 0; i < 100; ++i) {
        const Vec3 p = mesh.vertices()[random.index(static_cast<int>(mesh.vertices().size()))] +
                       random.vector(1.0);
        if (test::distanceFrom(mesh, p) < 0.021) continue;
        EXPECT_GT(outside(pieces, p), 0.0) << "seed " << 1000 + round;
        ++probed;
      }
    }
  }
  EXPECT_GT(probed, 4000);
}

TEST(ShellCover, LeavesTheHollowOfACurvedCupFree) {
  MeshParts cup = test::sphereMesh(24, 24, 1.0);
  std::erase_if(cup.triangles, [&](const Triangle& t) { return cup.vertices[t[0]].z() > 0.2; });
  const TriangleMesh mesh = cup.mesh();
  const auto& pieces = coverOf(mesh, MeshFidelity::kManyPieces);
  EXPECT_LE(pieces.size(), 64u);
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    EXPECT_GT(outside(pieces, random.uniform(0.0, 0.80) * random.direction()), 0.0);
  }
}

TEST(ShellCover, FlatPanelsBecomeFlatPieces) {
  const TriangleMesh box = test::sheetBox(Vec3(1, 0.7, 0.4), 1U << 5).mesh();
  EXPECT_EQ(coverOf(box, MeshFidelity::kPieces).size(), 5u);
  // A window in a wall of one sheet: no piece closes it.
  MeshParts wall = test::gridSolid({0, 0.3, 0.7, 1}, {0, 0.3, 0.7, 1}, {0, 0.01},
                                   [](int i, int j, int) { return i != 1 || j != 1; });
  std::erase_if(wall.triangles, [&](const Triangle& t) {
    return wall.vertices[t[0]].z() + wall.vertices[t[1]].z() + wall.vertices[t[2]].z() > 0.0;
  });
  const TriangleMesh window = wall.mesh();
  const auto& pieces = coverOf(window, MeshFidelity::kPieces);
  EXPECT_EQ(pieces.size(), 4u);
  EXPECT_GT(outside(pieces, Vec3(0.5, 0.5, 0.0)), 0.15);
}

TEST(ShellCover, IsTheSameEveryTime) {
  Random random(7);
  bool closed = false;
  const TriangleMesh mesh = test::meshOfKind(MeshKind::kOpenSphere, random, &closed).mesh();
  const auto first = convexCover(mesh), second = convexCover(mesh);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].points(), second[i].points());
}

TEST(Group, FillsWhatItsHullAdds) {
  fitting::Surface two;
  const Vec3 a[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  two.add(a);
  EXPECT_NEAR(cover::Group(two).filled, 0.0, 1e-12);
  const Vec3 b[] = {{2, 0, 0}, {3, 0, 0}, {3, 1, 0}, {2, 1, 0}};
  fitting::Surface other;
  other.add(b);
  // One square of nothing between two: half of a cube.
  EXPECT_NEAR(cover::Group(cover::Group(two), cover::Group(other)).filled, 0.5, 1e-12);
  const Vec3 c[] = {{0, 0, 0.5}, {0, 1, 0.5}, {1, 1, 0.5}, {1, 0, 0.5}};
  fitting::Surface above;
  above.add(c);
  const cover::Group slab{cover::Group(two), cover::Group(above)};
  EXPECT_NEAR(slab.filled, 0.5, 1e-12);
  EXPECT_NEAR(slab.box.gap(cover::Group(other).box), 1.0, 1e-12);
  EXPECT_NEAR(slab.box.size().norm(), 1.5, 1e-12);
}

}  // namespace
}  // namespace allclear
