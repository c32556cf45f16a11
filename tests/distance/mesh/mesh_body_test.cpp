#include "allclear/distance/mesh/body.h"

#include <gtest/gtest.h>

#include "allclear/distance/mesh/topology.h"
#include "distance/minimum/mcd_motions.h"
#include "support/data.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

using test::Random;

std::vector<Triangle> turned(std::vector<Triangle> triangles) {
  for (Triangle& t : triangles) std::swap(t[1], t[2]);
  return triangles;
}

/// Both meshes in one.
TriangleMesh joined(const TriangleMesh& a, const TriangleMesh& b, bool turn_b) {
  std::vector<Vec3> vertices = a.vertices();
  std::vector<Triangle> triangles = a.triangles();
  const int first = static_cast<int>(vertices.size());
  vertices.insert(vertices.end(), b.vertices().begin(), b.vertices().end());
  for (Triangle t : turn_b ? turned(b.triangles()) : b.triangles()) {
    triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  return {vertices, triangles};
}

MeshTopology cleanedMesh(const TriangleMesh& mesh) {
  return cleaned(mesh.vertices(), mesh.triangles());
}

TEST(MeshTopology, MergesEqualVerticesAndDropsRepeats) {
  const TriangleMesh box = test::boxMesh({1, 2, 3});
  std::vector<Vec3> soup;
  std::vector<Triangle> triangles;
  Random draw(1);
  for (int copy = 0; copy < 2; ++copy) {
    for (const Triangle& t : box.triangles()) {
      const int n = static_cast<int>(soup.size());
      for (int k : t) soup.push_back(box.vertices()[k]);
      // Any corner first, any way round.
      triangles.push_back(draw.chance(0.5) ? Triangle{n + 1, n + 2, n} : Triangle{n + 1, n, n + 2});
    }
  }
  triangles.push_back({0, 0, 1});
  triangles.push_back({0, 0, 0});
  const MeshTopology mesh = cleaned(soup, triangles);
  EXPECT_EQ(mesh.vertices.size(), 8U);
  EXPECT_EQ(mesh.triangles.size(), 12U);
  EXPECT_TRUE(mesh.closed);
  EXPECT_NEAR(mesh.volume, 48.0, 1e-12);
  for (const auto& n : mesh.neighbours) {
    for (int k : n) EXPECT_GE(k, 0);
  }
}

TEST(MeshTopology, KeepsSegmentsAndPointsThatNothingElseCovers) {
  const std::vector<Vec3> p{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 5}, {0, 0, 9}};
  const MeshTopology mesh = cleaned(p, {{0, 1, 2}, {0, 0, 3}, {4, 4, 4}, {1, 1, 1}, {0, 1, 1}});
  EXPECT_EQ(mesh.triangles.size(), 3U);
  EXPECT_FALSE(mesh.closed);
}

TEST(MeshTopology, NeighboursShareTheEdge) {
  const MeshTopology mesh = cleanedMesh(test::torusMesh(1.0, 0.3, 12, 9));
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    for (int e = 0; e < 3; ++e) {
      const int j = mesh.neighbours[i][e];
      ASSERT_GE(j, 0);
      const int u = mesh.triangles[i][e], v = mesh.triangles[i][(e + 1) % 3];
      const Triangle& other = mesh.triangles[j];
      bool shared = false;
      for (int k = 0; k < 3; ++k) shared = shared || (other[k] == v && other[(k + 1) % 3] == u);
      EXPECT_TRUE(shared);
    }
  }
}

TEST(MeshTopology, TurnsTrianglesOutsideOut) {
  const TriangleMesh torus = test::torusMesh(1.0, 0.3, 20, 12);
  const double volume = cleanedMesh(torus).volume;
  EXPECT_GT(volume, 0.0);
  EXPECT_NEAR(cleanedMesh(TriangleMesh(torus.vertices(), turned(torus.triangles()))).volume, volume,
              1e-12);
  Random draw(2);
  std::vector<Triangle> mixed = torus.triangles();
  for (Triangle& t : mixed) {
    if (draw.chance(0.4)) std::swap(t[0], t[2]);
  }
  const MeshTopology mesh = cleaned(torus.vertices(), mixed);
  EXPECT_TRUE(mesh.closed);
  EXPECT_NEAR(mesh.volume, volume, 1e-12);
}

TEST(MeshTopology, KeepsCavitiesButNotPartsThatFaceInward) {
  const TriangleMesh outer = test::boxMesh({1, 1, 1});
  const TriangleMesh inner = test::boxMesh({0.5, 0.5, 0.5});
  TriangleMesh far = test::boxMesh({0.5, 0.5, 0.5});
  std::vector<Vec3> moved = far.vertices();
  for (Vec3& p : moved) p.x() += 3.0;
  far = TriangleMesh(moved, far.triangles());
  EXPECT_NEAR(cleanedMesh(joined(outer, inner, true)).volume, 7.0, 1e-12);
  EXPECT_NEAR(cleanedMesh(joined(outer, far, true)).volume, 9.0, 1e-12);
  const MeshBody hollow(Shape(joined(outer, inner, true)));
  EXPECT_FALSE(hollow.contains(Vec3(0.1, 0.2, 0.3)));
  EXPECT_TRUE(hollow.contains(Vec3(0.7, 0.2, 0.3)));
  // A whole hollow body inside out.
  const TriangleMesh hollow_mesh = joined(outer, inner, true);
  const MeshBody again(
      Shape(TriangleMesh(hollow_mesh.vertices(), turned(hollow_mesh.triangles()))));
  EXPECT_NEAR(again.topology().volume, 7.0, 1e-12);
  EXPECT_FALSE(again.contains(Vec3(0.1, 0.2, 0.3)));
  // Solid in solid: an overlap is solid.
  const MeshBody solid(Shape(joined(outer, inner, false)));
  EXPECT_TRUE(solid.contains(Vec3(0.1, 0.2, 0.3)));
}

TEST(MeshTopology, AMoebiusStripIsOpen) {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  constexpr int kSteps = 20;
  for (int i = 0; i < kSteps; ++i) {
    const double u = 2.0 * std::numbers::pi * i / kSteps;
    for (double w : {-0.2, 0.2}) {
      const double r = 1.0 + w * std::cos(0.5 * u);
      vertices.push_back({r * std::cos(u), r * std::sin(u), w * std::sin(0.5 * u)});
    }
  }
  for (int i = 0; i < kSteps; ++i) {
    const int a = 2 * i, b = 2 * i + 1;
    const bool last = i + 1 == kSteps;
    const int c = last ? 1 : a + 2, d = last ? 0 : b + 2;
    triangles.push_back({a, c, b});
    triangles.push_back({b, c, d});
  }
  EXPECT_FALSE(cleaned(vertices, triangles).closed);
}

TEST(MeshBody, ContainsAgreesWithTheWindingNumber) {
  Random draw(3);
  for (const TriangleMesh& mesh :
       {test::torusMesh(1.0, 0.3, 24, 12, 0.3), test::blobMesh(1.0, 15, 20, 0.4),
        joined(test::boxMesh({1, 1, 1}), test::blobMesh(0.6, 8, 9, 0.2), true),
        joined(test::boxMesh({1, 1, 1}), test::torusMesh(1.0, 0.4, 9, 8), false)}) {
    const MeshBody body((Shape(mesh)));
    for (int i = 0; i < 3000; ++i) {
      Vec3 p = draw.inBox(1.5);
      if (draw.chance(0.2)) p = (4.0 * p).array().round() / 4.0;  // rays along edges
      const double w = windingNumber(body.topology(), p);
      if (std::abs(w - std::round(w)) > 1e-9) continue;  // on the surface
      ASSERT_EQ(body.contains(p - body.center()), std::abs(w) > 0.5)
          << "seed 3, " << p.transpose() << " winding " << w;
    }
  }
}

void expectHeld(const MeshBvh& bvh, const MeshVolume& volume, int leaf) {
  Mat3 G;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) G(k, i) = volume.axis[i][k];
  }
  const Mat3 inverse = G.inverse();
  for (int k = 0; k < 3; ++k) {
    const Vec3 p = bvh.triangles()[leaf].corner(k);
    const Vec3 c(volume.center[0], volume.center[1], volume.center[2]);
    ASSERT_LE((p - c).norm(), volume.radius * (1.0 + 1e-15));
    ASSERT_GE(volume.length, c.norm() * (1.0 - 1e-15));
    const Vec3 b(volume.box[0], volume.box[1], volume.box[2]);
    ASSERT_LE((inverse * (p - b)).cwiseAbs().maxCoeff(), 1.0);
  }
}

/// Every volume holds all triangles below it; returns their number.
int walk(const MeshBvh& bvh, int node, std::vector<MeshVolume>& above, std::vector<int>& seen) {
  int count = 0;
  for (int k = 0; k < bvh.width(node); ++k) {
    above.push_back(bvh.volume(node, k));
    const int child = bvh.nodes()[node].child[k];
    if (child < 0) {
      ++seen[~child];
      ++count;
      for (const MeshVolume& volume : above) expectHeld(bvh, volume, ~child);
    } else {
      count += walk(bvh, child, above, seen);
    }
    above.pop_back();
  }
  return count;
}

void expectSound(const MeshBody& body) {
  const MeshBvh& bvh = *body.bvh();
  std::vector<MeshVolume> above{bvh.root()};
  std::vector<int> seen(bvh.triangles().size(), 0);
  EXPECT_EQ(walk(bvh, 0, above, seen), static_cast<int>(seen.size()));
  for (int n : seen) ASSERT_EQ(n, 1);
  for (int node = 0; node < static_cast<int>(bvh.nodes().size()); ++node) {
    const auto& child = bvh.nodes()[node].child;
    const bool leaves = std::all_of(child, child + MeshNode::kWidth, [](int c) { return c < 0; });
    const LeafCorners* corners = bvh.corners(node);
    ASSERT_EQ(corners != nullptr, leaves);
    for (int k = 0; leaves && k < 9 * MeshNode::kWidth; ++k) {
      const int row = k / MeshNode::kWidth, lane = k % MeshNode::kWidth;
      const double exact = bvh.triangles()[~child[lane]].p[row / 3][row % 3];
      ASSERT_NEAR(static_cast<double>(corners->corner[row][lane]), exact,
                  std::ldexp(std::abs(exact), -24) + 1e-45);
    }
  }
}

TEST(MeshBvh, VolumesHoldTheirTriangles) {
  expectSound(MeshBody(Shape(test::torusMesh(1.0, 0.3, 40, 20, 0.2))));
  Random draw(4);
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE("seed 4, case " + std::to_string(i));
    std::vector<Vec3> vertices;
    std::vector<Triangle> triangles;
    const Vec3 offset = draw.direction() * draw.logUniform(1e-3, 1e6);
    const double scale = draw.logUniform(1e-6, 1e6);
    const bool flat = draw.chance(0.2);
    for (int k = draw.integer(1, 200); k > 0; --k) {
      const int n = static_cast<int>(vertices.size());
      const Vec3 at = draw.inBox(scale),
                 edge = draw.direction() * scale * draw.logUniform(1e-9, 1.0);
      vertices.push_back(offset + at);
      vertices.push_back(offset + at + edge);
      vertices.push_back(offset + at + draw.direction() * edge.norm() * draw.logUniform(1e-9, 1.0));
      for (int j = n; flat && j < n + 3; ++j) vertices[j].z() = offset.z();
      triangles.push_back({n, n + 1, n + 2});
    }
    vertices[2] = vertices[0] + Vec3(0, scale, 0);
    vertices[1] = vertices[0] + Vec3(scale, 0, 0);
    expectSound(MeshBody(Shape(TriangleMesh(vertices, triangles))));
    if (HasFatalFailure()) return;
  }
}

TEST(MeshBody, TakesAtMost300BytesPerTriangleAndIsTheSameEachTime) {
  for (const TriangleMesh& mesh :
       {test::torusMesh(1.0, 0.3, 60, 40), test::blobMesh(1.0, 80, 150, 0.2)}) {
    const MeshBody body((Shape(mesh))), again((Shape(mesh)));
    EXPECT_LE(static_cast<double>(body.bytes()),
              300.0 * static_cast<double>(mesh.triangles().size()));
    EXPECT_EQ(body.order(), again.order());
    EXPECT_EQ(body.bvh()->nodes().size(), again.bvh()->nodes().size());
    for (std::size_t i = 0; i < body.bvh()->nodes().size(); ++i) {
      ASSERT_EQ(std::memcmp(&body.bvh()->nodes()[i], &again.bvh()->nodes()[i], sizeof(MeshNode)),
                0);
    }
  }
}

TEST(MeshBody, RealMeshesAreSoundAndWithinTheirMemory) {
  ALLCLEAR_REQUIRE_DATA("meshes/README.md");
  const auto folder = test::dataFolder() / "meshes";
  for (const char* file : {"koala/koala.obj", "hammer/hammer.obj", "wingnut/wingnut.obj",
                           "goathead/goathead.obj", "torus/torus.obj", "spot/spot.obj"}) {
    SCOPED_TRACE(file);
    const MeshBody body(Shape(test::readObj(folder / file)));
    EXPECT_TRUE(body.topology().closed);
    EXPECT_GT(body.topology().volume, 0.0);
    const double triangles = static_cast<double>(body.topology().triangles.size());
    EXPECT_LE(static_cast<double>(body.bytes()), 300.0 * triangles);
    RecordProperty(std::string(file) + " bytes per triangle",
                   std::to_string(static_cast<double>(body.bytes()) / triangles));
    expectSound(body);
  }
  const MeshBody soup(Shape(test::readObj(folder / "fcl_env_rob/env.obj")));
  EXPECT_EQ(soup.topology().closed, false);
}

}  // namespace
}  // namespace allclear
