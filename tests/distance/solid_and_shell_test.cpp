#include "allclear/distance/solid_and_shell.h"

#include <gtest/gtest.h>

#include "allclear/distance/convex_cover.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/signed_distance.h"
#include "distance/cover/cover_meshes.h"
#include "support/long_run.h"
#include "support/panel_meshes.h"

namespace allclear {
namespace {

using test::isLong;
using test::MeshKind;
using test::MeshParts;
using test::Random;

/// The bodies that stand for a mesh in exact searches.
std::vector<TriangleMesh> exactBodies(const TriangleMesh& mesh) {
  std::vector<TriangleMesh> out;
  for (const Geometry& g : enclosingSolids({{mesh, Pose()}}, MeshFidelity::kSurface)) {
    out.push_back(std::get<TriangleMesh>(g.shape));
  }
  return out;
}

bool isInside(const std::vector<TriangleMesh>& bodies, const Vec3& p) {
  return std::any_of(bodies.begin(), bodies.end(), [&](const TriangleMesh& mesh) {
    return bodyOf(mesh)->contains(p - bodyOf(mesh)->center());
  });
}

/// How far random points of the mesh are from the triangles of the bodies, at most.
double farthestFrom(const std::vector<TriangleMesh>& bodies, const TriangleMesh& mesh, int count,
                    Random& random) {
  double most = 0.0;
  for (int i = 0; i < count; ++i) {
    const Vec3 p =
        test::pointOn(mesh, random.index(static_cast<int>(mesh.triangles().size())), random);
    double least = HUGE_VAL;
    for (const TriangleMesh& body : bodies) least = std::min(least, test::distanceFrom(body, p));
    most = std::max(most, least);
  }
  return most;
}

MeshParts closedMesh(Random& random, int round) {
  const MeshKind kinds[] = {MeshKind::kL, MeshKind::kU, MeshKind::kDumbbell, MeshKind::kTorus,
                            MeshKind::kSphere};
  bool closed = false;
  return test::meshOfKind(kinds[round % 5], random, &closed);
}

/// Inside and outside as the faultless mesh has them, by the winding number of its own.
TEST(SolidAndShell, FaultsOfTrianglesLeaveAClosedMeshASolid) {
  int inside = 0, seams = 0;
  for (int round = 0; round < (isLong() ? 2000 : 100); ++round) {
    Random random(round);
    MeshParts parts = closedMesh(random, round);
    const MeshTopology truth = cleaned(parts.vertices, parts.triangles);
    if (random.chance(0.5)) test::cutSomeEdges(&parts, 0.2, random);
    if (random.chance(0.5)) test::flipSome(&parts, random.uniform(0.0, 1.0), random);
    if (random.chance(0.5)) test::repeatSome(&parts, 0.3, random);
    if (random.chance(0.3)) test::addDegenerateTriangles(&parts, random);
    const TriangleMesh mesh = parts.mesh();
    const SolidAndShell found = solidAndShell(mesh);
    EXPECT_TRUE(!found.is_shell && !found.shell)
        << "seed " << round << ": " << closednessText(found);
    seams += static_cast<int>(found.closed_holes.size());
    const auto bodies = exactBodies(mesh);
    EXPECT_LT(farthestFrom(bodies, mesh, 30, random), 1e-9) << "seed " << round;
    for (int i = 0; i < 60; ++i) {
      const Vec3 p =
          test::pointOn(mesh, random.index(static_cast<int>(mesh.triangles().size())), random) +
          random.logUniform(1e-3, 0.5) * random.directionOfNormals();
      if (test::distanceFrom(mesh, p) < 1e-6) continue;
      const bool is_in = std::abs(windingNumber(truth, p)) > 0.5;
      EXPECT_EQ(isInside(bodies, p), is_in) << "seed " << round;
      inside += is_in;
    }
  }
  EXPECT_GT(inside, 500);
  EXPECT_GT(seams, 100) << "hardly any T-junction";
}

TEST(SolidAndShell, BoxesThatLackSheetsAreShells) {
  for (int round = 0; round < 200; ++round) {
    Random random(1000 + round);
    const Vec3 size(random.logUniform(0.05, 2), random.logUniform(0.05, 2),
                    random.logUniform(0.05, 2));
    const unsigned lacking = 1U + random.index(62);
    MeshParts parts = test::sheetBox(size, lacking);
    test::flipSome(&parts, 0.3, random);
    if (random.chance(0.5)) test::repeatSome(&parts, 0.5, random);
    parts.move(random.pose(1.0), Vec3::Ones());
    const SolidAndShell found = solidAndShell(parts.mesh());
    // A sliver of an opening is a small hole; those of a box of about unit size are not.
    if (!found.closed_holes.empty()) continue;
    EXPECT_TRUE(found.is_shell) << "seed " << 1000 + round << " " << closednessText(found);
    EXPECT_GT(found.open_edges, 0) << "seed " << 1000 + round;
    EXPECT_FALSE(bodyOf(parts.mesh())->hasInside());
  }
}

TEST(SolidAndShell, WallsThatLackOneQuadAreShellsAndFilledOnlyIfAsked) {
  for (int round = 0; round < 6; ++round) {
    Random random(2000 + round);
    const Vec3 size(random.uniform(0.5, 1), random.uniform(0.5, 1), random.uniform(0.5, 1));
    MeshParts parts = test::wallBox(size, 0.02, 1U << random.index(6));
    EXPECT_TRUE(solidAndShell(parts.mesh()).is_solid);
    test::takeLargestQuad(&parts);
    const TriangleMesh mesh = parts.mesh();
    EXPECT_TRUE(solidAndShell(mesh).is_shell) << "seed " << 2000 + round;
    EXPECT_EQ(solidAndShell(mesh).open_edges, 4) << "seed " << 2000 + round;
    EXPECT_EQ(exactBodies(mesh).size(), 1u);
    // To be filled: convex pieces, of which one holds the middle.
    const auto filled =
        enclosingSolids({{mesh.withOpen(OpenMeshes::kFill), {}}}, MeshFidelity::kSurface);
    for (const Geometry& g : filled) EXPECT_TRUE(std::holds_alternative<ConvexMesh>(g.shape));
  }
}

TEST(SolidAndShell, SmallHolesCountAsClosedAndLargeOnesDoNot) {
  for (int round = 0; round < 12; ++round) {
    Random random(3000 + round);
    const double radius = random.logUniform(0.01, 10.0);
    MeshParts fine = test::sphereMesh(40, 60, radius);
    const MeshTopology truth = cleaned(fine.vertices, fine.triangles);
    // Around one vertex: a hole of some edges.
    const int corner = random.index(static_cast<int>(fine.vertices.size()));
    std::erase_if(fine.triangles, [&](const Triangle& t) {
      return std::find(t.begin(), t.end(), corner) != t.end();
    });
    const TriangleMesh mesh = fine.mesh();
    const SolidAndShell found = solidAndShell(mesh);
    if (found.closed_holes.size() != 1) continue;  // the poles have a large one
    EXPECT_EQ(found.open_parts, 0);
    const ClosedHole& hole = found.closed_holes[0];
    EXPECT_LT(hole.across, 0.5 * radius);
    EXPECT_NEAR((hole.place - truth.vertices[0]).norm(),
                (fine.vertices[corner] - truth.vertices[0]).norm(), 0.1 * radius);
    const auto bodies = exactBodies(mesh);
    EXPECT_TRUE(isInside(bodies, 0.5 * radius * random.direction()));
    EXPECT_FALSE(isInside(bodies, 1.5 * radius * random.direction()));
    // The capped body contains the surface: every triangle is there.
    EXPECT_LT(farthestFrom(bodies, mesh, 50, random), 1e-12 * radius);

    MeshParts cut = test::sphereMesh(20, 20, radius);
    const double height = radius * random.uniform(-0.5, 0.8);
    std::erase_if(cut.triangles,
                  [&](const Triangle& t) { return cut.vertices[t[0]].z() > height; });
    EXPECT_TRUE(solidAndShell(cut.mesh()).is_shell) << "seed " << 3000 + round;
  }
}

TEST(SolidAndShell, EachComponentIsDecidedOnItsOwn) {
  for (int round = 0; round < 60; ++round) {
    Random random(4000 + round);
    MeshParts parts = test::boxMesh(Vec3(-1, -1, -1), Vec3(1, 1, 1));
    MeshParts sheet = test::sheetBox(Vec3(0.6, 0.7, 0.8), 1U << random.index(6));
    sheet.move({Mat3::Identity(), Vec3(round % 2 == 0 ? 0.0 : 3.0, 0, 0)}, Vec3::Ones());
    parts.add(sheet);  // inside of the solid, or beside
    MeshParts ball = test::sphereMesh(8, 9, 0.3);
    if (random.chance(0.5)) ball.turnInsideOut();
    ball.move({Mat3::Identity(), Vec3(-3, 0, 0)}, Vec3::Ones());
    parts.add(ball);
    test::flipSome(&parts, round % 3 == 0 ? 0.2 : 0.0, random);
    const SolidAndShell found = solidAndShell(parts.mesh());
    ASSERT_TRUE(found.solid && found.shell) << "seed " << 4000 + round;
    EXPECT_EQ(found.parts, 3);
    EXPECT_EQ(found.open_parts, 1);
    EXPECT_EQ(found.open_edges, 4);
    EXPECT_EQ(found.shell->triangles().size(), 10u);
    const auto bodies = exactBodies(parts.mesh());
    EXPECT_TRUE(isInside(bodies, Vec3(0.9, 0.9, 0.9)));
    EXPECT_TRUE(isInside(bodies, Vec3(-3, 0.1, 0.1)));
    EXPECT_FALSE(isInside(bodies, Vec3(3, 0, 0)));
  }
}

TEST(SolidAndShell, ACavityStaysFree) {
  MeshParts parts = test::boxMesh(Vec3(-2, -2, -2), Vec3(2, 2, 2));
  MeshParts inner = test::boxMesh(Vec3(-1, -1, -1), Vec3(1, 1, 1));
  inner.turnInsideOut();
  parts.add(inner);
  Random random(1);
  test::cutSomeEdges(&parts, 0.4, random);
  const auto bodies = exactBodies(parts.mesh());
  EXPECT_FALSE(isInside(bodies, Vec3::Zero()));
  EXPECT_TRUE(isInside(bodies, Vec3(1.5, 0, 0)));
}

/// A wall inside of a box and a fin on it have edges of three triangles.
TEST(SolidAndShell, WallsWithinASolidAndFinsAreSheetsBesideIt) {
  for (int round = 0; round < 40; ++round) {
    Random random(5000 + round);
    // Two cells with a common wall, which both have: as files of several solids do.
    MeshParts parts =
        test::gridSolid({0, 1, 2}, {0, 1}, {0, 1}, [](int, int, int) { return true; });
    const auto at = [&](double x, double y, double z) {
      for (std::size_t i = 0; i < parts.vertices.size(); ++i) {
        if (parts.vertices[i] == Vec3(x, y, z)) return static_cast<int>(i);
      }
      parts.vertices.push_back({x, y, z});
      return static_cast<int>(parts.vertices.size()) - 1;
    };
    const int q[] = {at(1, 0, 0), at(1, 1, 0), at(1, 1, 1), at(1, 0, 1)};
    parts.triangles.push_back({q[0], q[1], q[2]});
    parts.triangles.push_back({q[0], q[2], q[3]});
    if (round % 2 == 0) parts.triangles.push_back({at(0, 0, 1), at(0, 1, 1), at(-0.5, 0.5, 2)});
    test::flipSome(&parts, 0.3, random);
    const SolidAndShell found = solidAndShell(parts.mesh());
    ASSERT_TRUE(found.solid && found.shell) << "seed " << 5000 + round << closednessText(found);
    EXPECT_EQ(found.shell->triangles().size(), round % 2 == 0 ? 3u : 2u);
    const auto bodies = exactBodies(parts.mesh());
    EXPECT_TRUE(isInside(bodies, Vec3(0.5, 0.5, 0.5)));
    EXPECT_TRUE(isInside(bodies, Vec3(1.5, 0.5, 0.5)));
    EXPECT_FALSE(isInside(bodies, Vec3(-0.2, 0.5, 0.9)));
    EXPECT_LT(farthestFrom(bodies, parts.mesh(), 100, random), 1e-12);
  }
}

TEST(SolidAndShell, ASheetWithTwoSidesIsNoSolid) {
  MeshParts parts;
  parts.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  parts.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
  EXPECT_TRUE(solidAndShell(parts.mesh()).is_shell);
  EXPECT_EQ(closednessText(solidAndShell(parts.mesh())), "open (0 open edges)");
  parts.triangles = {{0, 1, 2}, {0, 2, 1}};
  EXPECT_TRUE(solidAndShell(parts.mesh()).is_shell);
}

TEST(SolidAndShell, HoldsEveryTriangleOfAnything) {
  for (int round = 0; round < (isLong() ? 2000 : 150); ++round) {
    Random random(6000 + round);
    bool closed = false;
    MeshParts parts =
        test::meshOfKind(static_cast<MeshKind>(round % test::kMeshKindCount), random, &closed);
    test::flipSome(&parts, 0.2, random);
    if (random.chance(0.5)) test::addDegenerateTriangles(&parts, random);
    if (random.chance(0.3)) test::cutSomeEdges(&parts, 0.2, random);
    const TriangleMesh mesh = parts.mesh();
    EXPECT_LT(farthestFrom(exactBodies(mesh), mesh, 60, random), 1e-9) << "seed " << 6000 + round;
  }
}

/// A small solid about an open box with faults, also wholly within it: triangle against triangle.
TEST(SolidAndShell, DistancesOfSurfacesAreThoseOfTheirTriangles) {
  int within = 0, met = 0;
  for (int round = 0; round < (isLong() ? 2000 : 200); ++round) {
    Random random(7000 + round);
    const unsigned lacking = 1U << random.index(6);
    MeshParts parts = round % 2 == 0 ? test::sheetBox(Vec3(1, 1, 1), lacking)
                                     : test::wallBox(Vec3(1, 1, 1), 0.05, lacking);
    if (round % 2 == 1) test::takeLargestQuad(&parts);
    test::flipSome(&parts, 0.3, random);
    test::repeatSome(&parts, 0.2, random);
    test::cutSomeEdges(&parts, 0.2, random);
    const TriangleMesh open = parts.mesh();
    MeshParts small = test::sphereMesh(4, 5, 1.0);
    small.move(random.pose(0.7), random.logUniform(0.03, 0.3) * Vec3::Ones());
    const TriangleMesh solid = small.mesh();
    double least = HUGE_VAL;
    for (const Triangle& s : open.triangles()) {
      for (const Triangle& t : solid.triangles()) {
        const auto of = [](const TriangleMesh& mesh, const Triangle& triangle) {
          return cornersOf(mesh.vertices()[triangle[0]], mesh.vertices()[triangle[1]],
                           mesh.vertices()[triangle[2]]);
        };
        least = std::min(least, triangleDistance(of(open, s), of(solid, t)).distance);
      }
    }
    double found = HUGE_VAL;
    for (const TriangleMesh& body : exactBodies(open)) {
      found = std::min(found, signedDistance(body, {}, solid, {}).distance);
    }
    if (least == 0.0) {
      EXPECT_LE(found, 1e-12) << "seed " << 7000 + round;
      ++met;
    } else {
      EXPECT_NEAR(found, least, 1e-12) << "seed " << 7000 + round;
      within += solid.vertices()[0].cwiseAbs().maxCoeff() < 0.5;
    }
  }
  EXPECT_GT(within, 20);
  EXPECT_GT(met, 20);
}

TEST(SolidAndShell, SaysInWordsWhatItFound) {
  MeshParts parts = test::sheetBox(Vec3(1, 1, 1), 0);
  EXPECT_EQ(closednessText(solidAndShell(parts.mesh())), "closed");
  EXPECT_EQ(stanceText(solidAndShell(parts.mesh()), OpenMeshes::kShell), "a solid");
  parts = test::sheetBox(Vec3(1, 1, 1), 1);
  EXPECT_EQ(closednessText(solidAndShell(parts.mesh())), "open (4 open edges)");
  EXPECT_EQ(stanceText(solidAndShell(parts.mesh()), OpenMeshes::kFill),
            "convex pieces that fill it");
  EXPECT_EQ(stanceText(solidAndShell(parts.mesh()), OpenMeshes::kShell),
            "a surface, its triangles alone");
}

}  // namespace
}  // namespace allclear
