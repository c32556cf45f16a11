#include "allclear/distance/convex_cover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "allclear/distance/geometry/convex_hull.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/shape.h"
#include "allclear/distance/signed_distance.h"
#include "distance/cover/cover_meshes.h"
#include "support/data.h"
#include "support/long_run.h"
#include "support/mesh_samples.h"
#include "support/push_out.h"

namespace allclear {
namespace {

using test::isLong;
using test::MeshKind;
using test::MeshParts;
using test::Random;

double sizeOf(const std::vector<Vec3>& points) {
  Vec3 lower = points[0], upper = points[0];
  for (const Vec3& p : points) {
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  return (upper - lower).norm();
}

/// Whether convex pieces hold points, by the facets of the pieces' hulls. A point that facets
/// refuse (those of slivers have noisy normals, flat pieces have none) is put to the distance of a
/// tiny ball.
class Pieces {
 public:
  Pieces(const std::vector<ConvexMesh>& pieces, double tolerance) : tolerance_(tolerance) {
    for (const ConvexMesh& mesh : pieces) {
      Piece piece{&mesh, {}, {}};
      const ConvexHull hull = convexHull(mesh.points());
      for (const Triangle& t : hull.facets) {
        const Vec3& a = mesh.points()[t[0]];
        const Vec3 normal = (mesh.points()[t[1]] - a).cross(mesh.points()[t[2]] - a).normalized();
        piece.normals.push_back(normal);
        piece.offsets.push_back(normal.dot(a));
      }
      pieces_.push_back(std::move(piece));
    }
  }

  bool hold(const Vec3& p) const {
    return std::any_of(pieces_.begin(), pieces_.end(),
                       [&](const Piece& piece) { return inFacets(piece, p); }) ||
           outside(p) <= tolerance_;
  }

  /// How far a point is from the nearest piece [m]: at most 0 inside.
  double outside(const Vec3& p) const {
    const double radius = 0.25 * tolerance_;
    double least = HUGE_VAL;
    for (const Piece& piece : pieces_) {
      const double d =
          signedDistance(Sphere(radius), {Mat3::Identity(), p}, *piece.mesh, {}).distance;
      least = std::min(least, d + radius);
    }
    return least;
  }

 private:
  struct Piece {
    const ConvexMesh* mesh;
    std::vector<Vec3> normals;
    std::vector<double> offsets;
  };
  bool inFacets(const Piece& piece, const Vec3& p) const {
    if (piece.normals.empty()) return false;
    for (std::size_t i = 0; i < piece.normals.size(); ++i) {
      if (piece.normals[i].dot(p) - piece.offsets[i] > 0.5 * tolerance_) return false;
    }
    return true;
  }

  double tolerance_;
  std::vector<Piece> pieces_;
};

/// How often the surface goes around p: signed crossings of a ray, the middle of five rays' counts.
/// Shares nothing with the solid angles of the cover.
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

struct Probes {
  int on_surface = 0;
  int inside = 0;
  int lost = 0;
  double worst = 0.0;  ///< [m] outside of all pieces
};

/// Random points of the mesh and, of a closed one, inside it.
Probes probe(const TriangleMesh& mesh, const std::vector<ConvexMesh>& cover, bool closed, int count,
             Random& random) {
  const double size = sizeOf(mesh.vertices());
  const Pieces pieces(cover, 1e-9 * size);
  Probes out;
  const auto expectHeld = [&](const Vec3& p) {
    if (pieces.hold(p)) return;
    ++out.lost;
    out.worst = std::max(out.worst, pieces.outside(p));
  };
  const auto& triangles = mesh.triangles();
  std::vector<double> areas;  // summed
  for (const Triangle& t : triangles) {
    const Vec3& a = mesh.vertices()[t[0]];
    const double area = (mesh.vertices()[t[1]] - a).cross(mesh.vertices()[t[2]] - a).norm();
    areas.push_back((areas.empty() ? 0.0 : areas.back()) + area);
  }
  for (int i = 0; i < count; ++i) {
    // By area or any triangle, anywhere on it or at its rim.
    const std::size_t by_area =
        std::lower_bound(areas.begin(), areas.end(), random.uniform(0.0, areas.back())) -
        areas.begin();
    const std::size_t any = random.integer(0, static_cast<int>(triangles.size()) - 1);
    const Triangle& t = triangles[std::min(i % 2 == 0 ? by_area : any, triangles.size() - 1)];
    Vec3 w(random.uniform(0, 1), random.uniform(0, 1), i % 3 == 0 ? 0.0 : random.uniform(0, 1));
    if (i % 7 == 0) w = Vec3::Unit(i % 3);
    w /= w.sum();
    const Vec3 p =
        w[0] * mesh.vertices()[t[0]] + w[1] * mesh.vertices()[t[1]] + w[2] * mesh.vertices()[t[2]];
    expectHeld(p);
    ++out.on_surface;
    if (!closed) continue;
    // From the surface inwards, near and far: most of these are inside even of thin solids.
    const Vec3 q = p + random.logUniform(1e-4, 1.0) * size * random.directionOfNormals();
    if (windsAround(mesh, q, random) == 0) continue;
    expectHeld(q);
    ++out.inside;
  }
  return out;
}

double volumeOf(const std::vector<ConvexMesh>& pieces) {
  double sum = 0.0;
  for (const ConvexMesh& piece : pieces) sum += convexHull(piece.points()).volume;
  return sum;
}

struct Drawn {
  TriangleMesh mesh;
  bool closed;
};

Drawn drawMesh(Random& random, int round) {
  bool closed = true;
  MeshParts parts =
      test::meshOfKind(static_cast<MeshKind>(round % test::kMeshKindCount), random, &closed);
  if (random.chance(0.3)) parts.turnInsideOut();
  if (random.chance(0.4)) test::addDegenerateTriangles(&parts, random);
  Vec3 scale = Vec3::Ones();
  for (int i = 0; i < 3; ++i) {
    if (random.chance(0.3)) scale[i] = random.logUniform(1e-5, 1.0);  // slabs and needles
  }
  const double size = random.logUniform(1e-3, 1e3);
  const Pose X = random.chance(0.3) ? Pose{Mat3::Identity(), random.vector(size)}
                                    : random.pose(random.logUniform(1e-2, 10.0) * size);
  parts.move(X, size * scale);
  return {parts.mesh(), closed};
}

TEST(ConvexCover, HoldsEveryPointOfRandomMeshes) {
  const int rounds = isLong() ? 4000 : 120;
  long surface = 0, inside = 0, many = 0;
  for (int round = 0; round < rounds; ++round) {
    Random random(round);
    const Drawn drawn = drawMesh(random, round);
    ConvexCoverOptions options;
    options.most_pieces = random.integer(1, 20);
    options.least_gain = random.logUniform(1e-4, 0.3);
    const auto cover = convexCover(drawn.mesh, options);
    ASSERT_FALSE(cover.empty());
    EXPECT_LE(cover.size(), static_cast<std::size_t>(options.most_pieces));
    const Probes probes = probe(drawn.mesh, cover, drawn.closed, 300, random);
    EXPECT_EQ(probes.lost, 0) << "seed " << round << ": as far out as "
                              << probes.worst / sizeOf(drawn.mesh.vertices()) << " of the size, "
                              << cover.size() << " pieces";
    surface += probes.on_surface;
    inside += probes.inside;
    many += cover.size() > 1;
  }
  EXPECT_GT(inside, surface / 20) << "the oracle finds hardly any point inside";
  EXPECT_GT(many, rounds / 4) << "hardly any mesh was cut";
}

/// Cuts run along the plates, so that a plate is on neither side but by decision.
TEST(ConvexCover, HoldsLoosePlatesThatCutsRunAlong) {
  int many = 0;
  for (int round = 0; round < 60; ++round) {
    Random random(6000 + round);
    MeshParts parts;
    double height = 0.0;
    for (int n = random.integer(2, 6); n > 0; --n) {
      const double half = random.logUniform(0.05, 1.0);
      const int at = static_cast<int>(parts.vertices.size());
      for (const auto& [x, y] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
        parts.vertices.push_back({half * x, half * y, height});
      }
      const bool down = random.chance(0.5);
      parts.triangles.push_back({at, down ? at + 2 : at + 1, down ? at + 1 : at + 2});
      parts.triangles.push_back({at, down ? at + 3 : at + 2, down ? at + 2 : at + 3});
      height += random.uniform(0.3, 1.0);
    }
    if (round % 2 == 0) parts.move(random.pose(1.0), Vec3::Ones());
    const TriangleMesh mesh = parts.mesh();
    const auto cover = convexCover(mesh);
    const Probes probes = probe(mesh, cover, false, 400, random);
    EXPECT_EQ(probes.lost, 0) << "seed " << 6000 + round << ": as far out as " << probes.worst;
    many += cover.size() > 1;
  }
  EXPECT_GT(many, 10);
}

TEST(ConvexCover, HoldsTheMeshesOfRobots) {
  ALLCLEAR_REQUIRE_DATA("robots");
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::dataFolder() / "robots")) {
    std::string ending = entry.path().extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(), ::tolower);
    if (ending == ".stl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  int covered = 0;
  for (std::size_t i = 0; i < files.size(); i += isLong() ? 1 : 4) {
    const MeshParts parts = test::readBinaryStl(files[i]);
    if (parts.triangles.empty()) continue;  // in text
    const TriangleMesh mesh = parts.mesh();
    Random random(static_cast<unsigned>(i));
    const bool closed = isClosed(mesh);
    for (const MeshFidelity fidelity : {MeshFidelity::kPieces, MeshFidelity::kManyPieces}) {
      const auto* cover = &coverOf(mesh, fidelity);
      const Probes probes = probe(mesh, *cover, closed, isLong() ? 1000 : 100, random);
      EXPECT_EQ(probes.lost, 0) << files[i] << ": as far out as " << probes.worst << " m, "
                                << cover->size() << " pieces";
      EXPECT_LE(volumeOf(*cover), 1.0000001 * convexHull(mesh.vertices()).volume) << files[i];
      if (isLong()) continue;
      break;
    }
    ++covered;
  }
  EXPECT_GE(covered, 8);
}

TEST(ConvexCover, TakesLessVolumeWhenSmallerGainsCount) {
  int fell = 0;
  for (int round = 0; round < (isLong() ? 400 : 40); ++round) {
    Random random(1000 + round);
    bool closed = true;
    const MeshKind kinds[] = {MeshKind::kL,     MeshKind::kU,     MeshKind::kDumbbell,
                              MeshKind::kCells, MeshKind::kTorus, MeshKind::kSphere};
    MeshParts parts = test::meshOfKind(kinds[round % 6], random, &closed);
    if (random.chance(0.5)) parts.move(random.pose(1.0), Vec3::Ones());
    const TriangleMesh mesh = parts.mesh();
    double before = convexHull(mesh.vertices()).volume;
    const double least = shapeVolume(mesh), tolerance = 1e-9 * before;
    for (const double gain : {0.3, 0.1, 0.03, 0.01, 0.003}) {
      const double volume = volumeOf(convexCover(mesh, {.most_pieces = 12, .least_gain = gain}));
      EXPECT_LE(volume, before + tolerance) << "seed " << 1000 + round << " gain " << gain;
      EXPECT_GE(volume, least - tolerance) << "seed " << 1000 + round << " gain " << gain;
      fell += volume < before - tolerance;
      before = volume;
    }
  }
  EXPECT_GT(fell, 20);
}

TEST(ConvexCover, CutsAnLIntoItsTwoBoxes) {
  for (int round = 0; round < 50; ++round) {
    Random random(2000 + round);
    const double scale = random.logUniform(1e-3, 1e3);
    const auto lines = [&] {
      const double a = scale * random.uniform(0.3, 1.0);
      return std::vector<double>{0.0, a, a + scale * random.uniform(0.3, 1.0)};
    };
    const auto xs = lines(), ys = lines();
    const std::vector<double> zs{0.0, scale * random.uniform(0.2, 2.0)};
    const TriangleMesh mesh =
        test::gridSolid(xs, ys, zs, [](int i, int j, int) { return i == 0 || j == 0; }).mesh();
    const double solid = (xs[2] * ys[2] - (xs[2] - xs[1]) * (ys[2] - ys[1])) * zs[1];
    const auto cover = convexCover(mesh);
    EXPECT_EQ(cover.size(), 2u) << "seed " << 2000 + round;
    EXPECT_NEAR(volumeOf(cover), solid, 1e-9 * solid) << "seed " << 2000 + round;
    for (const ConvexMesh& piece : cover) {
      EXPECT_EQ(convexHull(piece.points()).vertices.size(), 8u) << "seed " << 2000 + round;
    }
  }
}

/// No single plane takes anything off their hulls.
TEST(ConvexCover, CutsRingsAndCups) {
  const TriangleMesh meshes[] = {test::torusMesh(0.3, 0.1, 40, 24),
                                 test::torusMesh(0.3, 0.03, 60, 12), test::cupMesh()};
  for (int i = 0; i < 3; ++i) {
    Random random(3500 + i);
    const TriangleMesh& mesh = meshes[i];
    const auto cover = convexCover(mesh);
    EXPECT_GE(cover.size(), 8u) << i;
    const Probes probes = probe(mesh, cover, true, 300, random);
    EXPECT_EQ(probes.lost, 0) << i;
    const double solid = shapeVolume(mesh), hull = convexHull(mesh.vertices()).volume;
    EXPECT_LT(volumeOf(cover) - solid, 0.5 * (hull - solid)) << i;
  }
}

TEST(ConvexCover, LeavesConvexMeshesWhole) {
  for (int round = 0; round < 60; ++round) {
    Random random(3000 + round);
    MeshParts parts;
    if (round % 2 == 0) {
      for (int i = random.integer(4, 60); i > 0; --i) parts.vertices.push_back(random.vector(1.0));
      parts.triangles = convexHull(parts.vertices).facets;
    } else {
      parts = test::sphereMesh(random.integer(3, 15), random.integer(3, 15), 1.0);
    }
    if (round % 3 == 0) test::addDegenerateTriangles(&parts, random);
    parts.move(random.pose(1.0), Vec3(1.0, random.logUniform(1e-2, 1.0), 1.0));
    const TriangleMesh mesh = parts.mesh();
    const auto cover = convexCover(mesh);
    ASSERT_EQ(cover.size(), 1u) << "seed " << 3000 + round;
    const double volume = convexHull(mesh.vertices()).volume;
    EXPECT_NEAR(volumeOf(cover), volume, 1e-12 + 1e-9 * volume) << "seed " << 3000 + round;
  }
}

bool isSame(const std::vector<ConvexMesh>& a, const std::vector<ConvexMesh>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const ConvexMesh& x, const ConvexMesh& y) { return x.points() == y.points(); });
}

TEST(ConvexCover, IsTheSameEveryTimeAndFromEveryThread) {
  for (int round = 0; round < 20; ++round) {
    Random random(4000 + round);
    const TriangleMesh mesh = drawMesh(random, round).mesh;
    const auto expected = convexCover(mesh);
    EXPECT_TRUE(isSame(expected, convexCover(mesh))) << "seed " << 4000 + round;
    std::array<const std::vector<ConvexMesh>*, 4> covers{}, fine{};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        const TriangleMesh copy = mesh;
        covers[i] = &coverOf(copy, MeshFidelity::kPieces);
        if (round < 5) fine[i] = &coverOf(copy, MeshFidelity::kManyPieces);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(covers[i], covers[0]);
      EXPECT_EQ(fine[i], fine[0]);
    }
    EXPECT_TRUE(isSame(expected, *covers[0])) << "seed " << 4000 + round;
  }
}

TEST(ConvexCover, SolidsStandForMeshesAndLeaveTheRestAlone) {
  Random random(5000);
  const TriangleMesh mesh = test::gridSolid({0, 1, 3}, {0, 1, 3}, {0, 1}, [](int i, int j, int) {
                              return i == 0 || j == 0;
                            }).mesh();
  const Pose X = random.pose(1.0);
  const std::vector<Geometry> geometry{{Sphere(0.1), {}}, {mesh, X}};
  EXPECT_EQ(enclosingSolids(geometry, MeshFidelity::kHull).size(), 2u);
  for (const MeshFidelity fidelity : {MeshFidelity::kPieces, MeshFidelity::kManyPieces}) {
    const auto solids = enclosingSolids(geometry, fidelity);
    ASSERT_EQ(solids.size(), 3u);
    EXPECT_TRUE(std::holds_alternative<Sphere>(solids[0].shape));
    for (int i : {1, 2}) {
      EXPECT_TRUE(std::holds_alternative<ConvexMesh>(solids[i].shape));
      EXPECT_EQ(solids[i].X_BG.p, X.p);
    }
  }
}

}  // namespace
}  // namespace allclear
