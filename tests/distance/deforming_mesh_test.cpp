#include "allclear/distance/deforming_mesh.h"

#include <gtest/gtest.h>

#include <set>

#include "allclear/core/input_error.h"
#include "distance/deform/sequence_scenes.h"

namespace allclear {
namespace {

using test::Random;

std::string messageOf(std::vector<Triangle> triangles, std::vector<std::vector<Vec3>> keyframes,
                      std::vector<double> times) {
  try {
    DeformingMesh(std::move(triangles), std::move(keyframes), std::move(times));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(DeformingMesh, RefusesWhatIsNoMesh) {
  const std::vector<Vec3> corners{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY()};
  const std::vector<Triangle> one{{0, 1, 2}};
  EXPECT_EQ(messageOf(one, {corners}, {0.0}), "");
  EXPECT_NE(messageOf({}, {corners}, {0.0}), "");
  EXPECT_NE(messageOf(one, {}, {}), "");
  EXPECT_NE(messageOf(one, {corners}, {0.0, 1.0}), "");
  EXPECT_NE(messageOf(one, {corners, corners}, {1.0, 1.0}), "");
  EXPECT_NE(messageOf(one, {corners, corners}, {0.0, std::nan("")}), "");
  EXPECT_NE(messageOf({{0, 1, 3}}, {corners}, {0.0}), "");
  EXPECT_NE(messageOf(one, {corners, {Vec3::Zero()}}, {0.0, 1.0}), "");
  std::vector<Vec3> bad = corners;
  bad[1].y() = std::nan("");
  EXPECT_EQ(messageOf(one, {corners, bad}, {0.0, 1.0}),
            "keyframe 1: a vertex is not finite or beyond 1e9 m");
}

TEST(DeformingMesh, ClosedPartsFaceOutward) {
  std::vector<Triangle> box = test::boxTriangles();
  const std::vector<Vec3> corners = test::boxCorners({0.1, 0.2, 0.3});
  const DeformingMesh mesh(box, {corners}, {0.0});
  EXPECT_TRUE(mesh.hasInside());
  EXPECT_NEAR(mesh.windingNumber(Vec3(0.01, 0.02, 0.05), 0.0), 1.0, 1e-12);
  EXPECT_NEAR(mesh.windingNumber(Vec3(0.2, 0.02, 0.05), 0.0), 0.0, 1e-12);
  for (Triangle& t : box) std::swap(t[0], t[1]);
  EXPECT_NE(messageOf(box, {corners}, {0.0}).find("inside out"), std::string::npos);
  // One that turns inside out on the way.
  std::vector<Vec3> mirrored = corners;
  for (Vec3& p : mirrored) p.x() = -p.x();
  EXPECT_NE(messageOf(test::boxTriangles(), {corners, mirrored}, {0.0, 1.0}).find("keyframe 1"),
            std::string::npos);
  box.pop_back();
  EXPECT_FALSE(DeformingMesh(box, {corners}, {0.0}).hasInside());
}

TEST(DeformingMesh, RestsBeforeAndAfterItsKeyframes) {
  Random random(5);
  const DeformingMesh mesh = test::wavingSheet(random, 5, 4, 1.0, 2.0);
  EXPECT_EQ(mesh.positions(-3.0), mesh.keyframe(0));
  EXPECT_EQ(mesh.positions(1.0), mesh.keyframe(0));
  EXPECT_EQ(mesh.positions(2.0), mesh.keyframe(3));
  EXPECT_EQ(mesh.positions(7.0), mesh.keyframe(3));
  EXPECT_TRUE(mesh.velocity(2, 0.5).isZero(0.0));
  EXPECT_TRUE(mesh.velocity(2, 2.5).isZero(0.0));
  EXPECT_EQ(mesh.breaks({0.0, 9.0}).size(), 4u);
  EXPECT_EQ(mesh.breaks({1.0, 2.0}).size(), 2u);
  const double h = 1e-6;
  for (const double t : {1.1, 1.5, 1.9}) {
    for (int v = 0; v < mesh.vertexCount(); ++v) {
      const Vec3 slope =
          (mesh.position(v, mesh.at(t + h)) - mesh.position(v, mesh.at(t - h))) / (2 * h);
      EXPECT_NEAR((mesh.velocity(v, t) - slope).norm(), 0.0, 1e-7);
    }
    const Vec3 p = mesh.position(7, mesh.at(t));
    EXPECT_NEAR((mesh.velocityNear(p, t) - mesh.velocity(7, t)).norm(), 0.0, 1e-9);
  }
}

TEST(DeformingMesh, BoxesAndPatchesHoldTheirTriangles) {
  for (int seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(100 + seed);
    const DeformingMesh mesh =
        test::wavingSheet(random, random.integer(2, 20), random.integer(1, 6), 0.0, 1.0);
    std::vector<char> seen(mesh.triangles().size(), 0);
    for (std::size_t i = 0; i < mesh.nodes().size(); ++i) {
      const DeformingMesh::Node& node = mesh.nodes()[i];
      for (int k = 0; k < mesh.keyframeCount(); ++k) {
        const DeformingMesh::NodeBox& box = mesh.box(static_cast<int>(i), k);
        for (int t = node.first; t < node.first + node.count; ++t) {
          if (node.child < 0) seen[mesh.order()[t]] = 1;
          for (const int v : mesh.triangles()[mesh.order()[t]]) {
            for (int axis = 0; axis < 3; ++axis) {
              ASSERT_LE(static_cast<double>(box.lower[axis]), mesh.keyframe(k)[v][axis]);
              ASSERT_GE(static_cast<double>(box.upper[axis]), mesh.keyframe(k)[v][axis]);
            }
          }
        }
      }
      if (node.child < 0) {
        ASSERT_LE(node.count, DeformingMesh::kLeaf);
      }
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<long>(seen.size()));
    for (const int most : {1, 4, 1000}) {
      const auto patches = mesh.patches(most);
      EXPECT_LE(static_cast<int>(patches.size()), most);
      for (const Triangle& t : mesh.triangles()) {
        EXPECT_TRUE(std::any_of(patches.begin(), patches.end(), [&](const auto& patch) {
          return std::all_of(t.begin(), t.end(), [&](int v) {
            return std::binary_search(patch.begin(), patch.end(), v);
          });
        }));
      }
    }
  }
}

TEST(DeformingMesh, KeepsFewBytes) {
  Random random(3);
  const DeformingMesh mesh = test::wavingSheet(random, 40, 50, 0.0, 1.0);
  const std::size_t kept = mesh.nodes().size() * static_cast<std::size_t>(mesh.keyframeCount());
  EXPECT_LE(mesh.treeBytes(), 60 * kept);
}

}  // namespace
}  // namespace allclear
