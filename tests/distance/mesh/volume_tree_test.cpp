// The steps that make a tree of volumes, each by itself: axes, splits, fitted volumes.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "allclear/distance/mesh/bvh.h"
#include "allclear/distance/mesh/principal_axes.h"
#include "allclear/distance/mesh/triangle_split.h"
#include "allclear/distance/mesh/volume_fit.h"
#include "distance/minimum/mcd_motions.h"

namespace allclear {
namespace {

using test::Random;

/// Triangles of all shapes, needles and single points among them, far from the origin or near.
std::vector<TriangleCorners> drawnTriangles(Random& draw, int count) {
  const Vec3 offset = draw.direction() * draw.logUniform(1e-6, 1e3);
  const double size = draw.logUniform(1e-6, 1e3);
  std::vector<TriangleCorners> triangles;
  for (int i = 0; i < count; ++i) {
    const Vec3 a = offset + draw.inBox(size);
    const Vec3 b = a + draw.direction() * size * draw.logUniform(1e-9, 1.0);
    const Vec3 c = draw.chance(0.1) ? a : b + draw.direction() * size * draw.logUniform(1e-9, 1.0);
    triangles.push_back(cornersOf(a, b, c));
  }
  return triangles;
}

TEST(PrincipalAxes, AreOrthonormalAndTheFirstHasTheLeastSpread) {
  Random draw(61);
  for (int i = 0; i < 500; ++i) {
    // A plate: thin along the third axis of a turned frame, long along the first.
    const Mat3 R = draw.rotation();
    const Vec3 size(1.0, draw.uniform(0.2, 0.5), draw.logUniform(1e-6, 0.05));
    std::vector<TriangleCorners> triangles;
    for (int k = 0; k < 60; ++k) {
      Vec3 p[3];
      for (Vec3& corner : p) corner = R * size.cwiseProduct(draw.inBox(1.0));
      triangles.push_back(cornersOf(p[0], p[1], p[2]));
    }
    const auto at = [&](int k) -> const TriangleCorners& { return triangles[k]; };
    const Mat3 axes = mesh::principalAxes(at, static_cast<int>(triangles.size()));
    ASSERT_LT((axes.transpose() * axes - Mat3::Identity()).cwiseAbs().maxCoeff(), 1e-12) << i;
    ASSERT_GT(std::abs(axes.col(0).dot(R.col(2))), 0.98) << "seed 61, case " << i;
  }
}

TEST(PrincipalAxes, OfOnePointAreThoseOfTheFrame) {
  const TriangleCorners point = cornersOf(Vec3(1, 2, 3), Vec3(1, 2, 3), Vec3(1, 2, 3));
  const auto at = [&](int) -> const TriangleCorners& { return point; };
  EXPECT_EQ(mesh::principalAxes(at, 1), Mat3(Mat3::Identity()));
}

TEST(TriangleSplit, HalvesEverySetIntoRunsOfTheOrderDownToSingleTriangles) {
  Random draw(62);
  for (int i = 0; i < 200; ++i) {
    const int count = draw.integer(1, 300);
    const std::vector<TriangleCorners> triangles = drawnTriangles(draw, count);
    std::vector<std::int32_t> order;
    const std::vector<mesh::BinaryNode> nodes = mesh::splitTriangles(triangles, &order);
    std::vector<std::int32_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::int32_t> all(count);
    std::iota(all.begin(), all.end(), 0);
    ASSERT_EQ(sorted, all) << "seed 62, case " << i;
    ASSERT_EQ(nodes.size(), 2 * static_cast<std::size_t>(count) - 1);
    ASSERT_EQ(nodes[0].first, 0);
    ASSERT_EQ(nodes[0].last, count);
    for (const mesh::BinaryNode& node : nodes) {
      ASSERT_GT(node.count(), 0);
      if (node.isLeaf()) {
        ASSERT_EQ(node.left, -1);
        continue;
      }
      ASSERT_EQ(nodes[node.left].first, node.first);
      ASSERT_EQ(nodes[node.left].last, nodes[node.right].first);
      ASSERT_EQ(nodes[node.right].last, node.last);
    }
  }
}

/// More triangles than are split by sorting: those of two far clusters are not mixed.
TEST(TriangleSplit, OfManyTrianglesSeparatesClusters) {
  Random draw(63);
  std::vector<TriangleCorners> triangles;
  for (int i = 0; i < 20000; ++i) {
    const Vec3 a = draw.inBox(0.1) + Vec3(i % 2 == 0 ? 0.0 : 10.0, 0.0, 0.0);
    triangles.push_back(cornersOf(a, a + draw.inBox(1e-3), a + draw.inBox(1e-3)));
  }
  std::vector<std::int32_t> order;
  const std::vector<mesh::BinaryNode> nodes = mesh::splitTriangles(triangles, &order);
  const mesh::BinaryNode& left = nodes[nodes[0].left];
  EXPECT_EQ(left.count(), 10000);
  for (std::int32_t i = left.first; i < left.last; ++i) {
    ASSERT_EQ(order[i] % 2, order[left.first] % 2) << "seed 63";
  }
}

TEST(VolumeFit, BallAndBoxHoldEveryCornerAndAreNotMuchTooLarge) {
  Random draw(64);
  mesh::VolumeFitter fitter;
  for (int i = 0; i < 3000; ++i) {
    const std::vector<TriangleCorners> triangles = drawnTriangles(draw, draw.integer(1, 20));
    MeshNode node{};
    const int slot = draw.integer(0, MeshNode::kWidth - 1);
    fitter.fit(triangles, &node, slot);
    const MeshVolume volume = childVolume(node, slot);
    const Vec3 center(volume.center[0], volume.center[1], volume.center[2]);
    const Vec3 box(volume.box[0], volume.box[1], volume.box[2]);
    Mat3 axes;
    for (int k = 0; k < 3; ++k) {
      axes.col(k) = Vec3(volume.axis[k][0], volume.axis[k][1], volume.axis[k][2]);
    }
    const Eigen::PartialPivLU<Mat3> solver(axes);
    double farthest = 0.0, size = 0.0;
    for (const TriangleCorners& t : triangles) {
      for (int k = 0; k < 3; ++k) {
        ASSERT_LE((t.corner(k) - center).norm(), volume.radius) << "seed 64, case " << i;
        ASSERT_LE(solver.solve(Vec3(t.corner(k) - box)).cwiseAbs().maxCoeff(), 1.0)
            << "seed 64, case " << i;
        farthest = std::max(farthest, (t.corner(k) - center).norm());
        size = std::max(size, t.corner(k).norm());
      }
    }
    // Single precision, and nothing else, makes them larger.
    ASSERT_LE(volume.radius, farthest * (1.0 + 1e-6)) << "seed 64, case " << i;
    ASSERT_LE(volume.length, size * 1.000001) << "seed 64, case " << i;
    ASSERT_LE(axes.colwise().norm().maxCoeff(), farthest * 2.01 + 1e-5 * size)
        << "seed 64, case " << i;
  }
}

TEST(MeshBvh, LeavesNameEveryTriangleOnce) {
  Random draw(65);
  for (const int count : {1, 2, 8, 9, 64, 500}) {
    std::vector<std::int32_t> order;
    const MeshBvh bvh(drawnTriangles(draw, count), &order);
    ASSERT_EQ(bvh.triangles().size(), static_cast<std::size_t>(count));
    std::vector<int> named(count, 0);
    for (int n = 0; n < static_cast<int>(bvh.nodes().size()); ++n) {
      for (int k = 0; k < bvh.width(n); ++k) {
        const std::int32_t child = bvh.nodes()[n].child[k];
        if (child < 0) ++named[~child];
      }
    }
    EXPECT_EQ(std::count(named.begin(), named.end(), 1), count) << count << " triangles";
  }
}

}  // namespace
}  // namespace allclear
