#include "allclear/distance/cover/enclosure.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "allclear/distance/cover/cells.h"
#include "allclear/distance/geometry/convex_hull.h"
#include "allclear/distance/solid_and_shell.h"
#include "distance/cover/cover_meshes.h"
#include "support/data.h"
#include "support/long_run.h"
#include "support/panel_meshes.h"

namespace allclear::cover {
namespace {

using fitting::Plane;
using test::isLong;
using test::MeshParts;
using test::Random;

double diagonalOf(const TriangleMesh& mesh) {
  Vec3 lower = mesh.vertices()[0], upper = lower;
  for (const Vec3& p : mesh.vertices()) {
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  return (upper - lower).norm();
}

/// Closed and open meshes, of any size and stretched, some to be filled.
TriangleMesh drawMesh(Random& random, int round) {
  bool closed = true;
  MeshParts parts =
      test::meshOfKind(static_cast<test::MeshKind>(round % test::kMeshKindCount), random, &closed);
  if (random.chance(0.3)) parts.turnInsideOut();
  if (random.chance(0.3)) test::addDegenerateTriangles(&parts, random);
  if (round % 4 == 3) {
    const Vec3 size(random.logUniform(0.1, 2.0), random.logUniform(0.1, 2.0),
                    random.logUniform(0.1, 2.0));
    parts = random.chance(0.5) ? test::sheetBox(size, 1U << random.integer(0, 5))
                               : test::wallBox(size, 0.02, 1U << random.integer(0, 5));
    if (random.chance(0.5)) test::cutSomeEdges(&parts, 0.2, random);
  }
  Vec3 scale = Vec3::Ones();
  for (int i = 0; i < 3; ++i) {
    if (random.chance(0.2)) scale[i] = random.logUniform(1e-4, 1.0);
  }
  const double size = random.logUniform(1e-3, 1e3);
  parts.move(random.chance(0.3) ? Pose{Mat3::Identity(), random.vector(size)}
                                : random.pose(random.logUniform(1e-2, 10.0) * size),
             size * scale);
  const TriangleMesh mesh = parts.mesh();
  return random.chance(0.2) ? mesh.withOpen(OpenMeshes::kFill) : mesh;
}

ConvexCoverOptions drawOptions(Random& random) {
  ConvexCoverOptions options;
  options.most_pieces = random.integer(2, 40);
  options.least_gain = random.logUniform(1e-4, 0.1);
  return options;
}

/// How often a closed surface winds about p: crossings of a ray, the middle of five counts.
int windsAround(const TriangleMesh& mesh, const Vec3& p, Random& random) {
  using Vec3L = Eigen::Matrix<long double, 3, 1>;
  std::array<int, 5> counts{};
  for (int& count : counts) {
    const Vec3L ray = random.directionOfNormals().cast<long double>();
    for (const Triangle& t : mesh.triangles()) {
      const Vec3L a = (mesh.vertices()[t[0]] - p).cast<long double>();
      const Vec3L b = (mesh.vertices()[t[1]] - p).cast<long double>();
      const Vec3L c = (mesh.vertices()[t[2]] - p).cast<long double>();
      const long double u = ray.dot(a.cross(b)), v = ray.dot(b.cross(c)), w = ray.dot(c.cross(a));
      const bool out = u > 0 && v > 0 && w > 0, in = u < 0 && v < 0 && w < 0;
      if ((out || in) && a.dot((b - a).cross(c - a)) / (u + v + w) > 0) count += out ? 1 : -1;
    }
  }
  std::sort(counts.begin(), counts.end());
  return counts[2];
}

/// What a plane leaves of a convex piece below it: its corners there, and where lines between two
/// corners cross the plane. Nothing left: a tiny piece far below.
ConvexMesh clipped(const ConvexMesh& piece, const Plane& plane, double size) {
  std::vector<Vec3> points;
  for (const Vec3& p : piece.points()) {
    if (plane.height(p) <= 0.0) points.push_back(p);
    for (const Vec3& q : piece.points()) {
      const double hp = plane.height(p), hq = plane.height(q);
      if (hp < 0.0 && hq > 0.0) points.push_back(p + hp / (hp - hq) * (q - p));
    }
  }
  if (points.empty()) points.push_back(piece.points()[0] - 10.0 * size * plane.normal);
  std::vector<Vec3> corners;
  for (int i : convexHull(points).vertices) corners.push_back(points[i]);
  return ConvexMesh(std::move(corners));
}

/// A point of what the cover is to enclose: of a triangle, often a corner, or inside.
std::optional<Vec3> pointOf(const TriangleMesh& mesh, bool inside, Random& random) {
  const int count = static_cast<int>(mesh.triangles().size());
  const auto onSurface = [&] {
    const int t = random.integer(0, count - 1);
    return random.chance(0.3) ? mesh.vertices()[mesh.triangles()[t][0]]
                              : test::pointOn(mesh, t, random);
  };
  if (!inside) return onSurface();
  for (int trial = 0; trial < 20; ++trial) {
    const Vec3 p = 0.5 * (onSurface() + onSurface());
    if (windsAround(mesh, p, random) != 0) return p;
  }
  return std::nullopt;
}

void spoilCuts(CoverCuts* cuts, Random& random) {
  const auto draw = [&](Plane* plane) {
    if (random.chance(0.5)) plane->normal = random.direction();
    if (random.chance(0.1)) plane->normal *= random.logUniform(1e-20, 1e20);
    if (random.chance(0.5)) plane->offset *= random.uniform(-1.5, 1.5);
    if (random.chance(0.05)) plane->offset = std::nan("");
  };
  for (CoverCuts::CellCut& cut : cuts->cells) {
    if (random.chance(0.3)) cut.cell = random.integer(-1, 5);
    if (random.chance(0.3)) draw(&cut.plane);
  }
  for (Plane& plane : cuts->sheets) draw(&plane);
}

TEST(Encloses, HoldsOfEveryCoverAsItWasMade) {
  const int rounds = isLong() ? 3000 : 60;
  int cut = 0, shells = 0;
  for (int round = 0; round < rounds; ++round) {
    Random random(round);
    const TriangleMesh mesh = drawMesh(random, round);
    CoverCuts cuts;
    const auto pieces = tracedCover(mesh, drawOptions(random), &cuts);
    EXPECT_TRUE(encloses(mesh, pieces, cuts)) << "seed " << round << ", " << pieces.size();
    cut += pieces.size() > 1;
    shells += coveredParts(mesh).shell.has_value();
  }
  EXPECT_GT(cut, rounds / 3);
  EXPECT_GT(shells, rounds / 10);
}

TEST(Encloses, IsRefusedWhenTheCoverMissesAPoint) {
  const int rounds = isLong() ? 20000 : 100;
  int inside_rounds = 0;
  for (int round = 0; round < rounds; ++round) {
    Random random(100000 + round);
    const TriangleMesh mesh = drawMesh(random, round);
    const double size = diagonalOf(mesh);
    CoverCuts cuts;
    std::vector<ConvexMesh> pieces = tracedCover(mesh, drawOptions(random), &cuts);
    // A point of the mesh that no piece holds any more, not by `miss`.
    const CoveredParts parts = coveredParts(mesh);
    const bool inside = parts.solid && parts.is_closed && random.chance(0.5);
    const auto p = pointOf(inside ? *parts.solid : mesh, inside, random);
    if (!p) continue;
    inside_rounds += inside;
    const double miss = random.logUniform(1e-8, 0.3) * size;
    for (ConvexMesh& piece : pieces) {
      const Vec3 normal = random.direction();
      piece = clipped(piece, {normal, normal.dot(*p) - miss}, size);
    }
    if (random.chance(0.3)) spoilCuts(&cuts, random);
    if (random.chance(0.1)) std::swap(pieces.front(), pieces.back());
    if (random.chance(0.1)) pieces.pop_back();
    EXPECT_FALSE(encloses(mesh, pieces, cuts))
        << "seed " << 100000 + round << (inside ? ", inside" : "") << ", missed by " << miss / size
        << " of the size";
  }
  EXPECT_GT(inside_rounds, rounds / 20);
}

/// Pieces that hold the whole surface, but not what is inside: only the corners of cells show it.
TEST(Encloses, IsRefusedOfABoxWhoseMiddleIsMissing) {
  const MeshParts parts = test::boxMesh(Vec3::Constant(-1.0), Vec3::Constant(1.0));
  CoverCuts cuts;
  std::vector<ConvexMesh> pieces;
  const auto slab = [](Vec3 lower, Vec3 upper) {
    return ConvexMesh(test::boxMesh(lower, upper).vertices);
  };
  // Cell 0 loses a slab on each of the six sides; what is left is the middle.
  Vec3 lower = Vec3::Constant(-1.0), upper = Vec3::Constant(1.0);
  pieces.push_back(slab(Vec3::Constant(-0.5), Vec3::Constant(0.5)));
  for (int i = 0; i < 3; ++i) {
    Vec3 low = lower;
    low[i] = 0.5;
    pieces.push_back(slab(low, upper));
    cuts.cells.push_back({0, {Vec3::Unit(i), 0.5}});
    upper[i] = 0.5;
    Vec3 high = upper;
    high[i] = -0.5;
    pieces.push_back(slab(lower, high));
    cuts.cells.push_back({0, {-Vec3::Unit(i), 0.5}});
    lower[i] = -0.5;
  }
  const TriangleMesh mesh = parts.mesh();
  EXPECT_TRUE(encloses(mesh, pieces, cuts));
  pieces[0] = slab(Vec3::Constant(0.4), Vec3::Constant(0.5));
  EXPECT_FALSE(encloses(mesh, pieces, cuts));
}

TEST(Encloses, HoldsOfTheMeshesOfRobots) {
  ALLCLEAR_REQUIRE_DATA("robots");
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::dataFolder() / "robots")) {
    std::string ending = entry.path().extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(), ::tolower);
    if (ending == ".stl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i < files.size(); i += isLong() ? 1 : 8) {
    const MeshParts parts = test::readBinaryStl(files[i]);
    if (parts.triangles.empty()) continue;  // in text
    CoverCuts cuts;
    const TriangleMesh mesh = parts.mesh();
    const auto pieces = tracedCover(mesh, {}, &cuts);
    EXPECT_TRUE(encloses(mesh, pieces, cuts)) << files[i];
  }
}

}  // namespace
}  // namespace allclear::cover
