#include "allclear/distance/mesh/point_bounds.h"

#include <gtest/gtest.h>

#include "allclear/distance/mesh/body.h"
#include "distance/minimum/mcd_motions.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

using test::Random;

std::vector<int> leavesBelow(const MeshBvh& bvh, int below) {
  if (below < 0) return {~below};
  std::vector<int> leaves;
  for (int k = 0; k < bvh.width(below); ++k) {
    for (const int leaf : leavesBelow(bvh, bvh.nodes()[below].child[k])) leaves.push_back(leaf);
  }
  return leaves;
}

std::vector<MeshBody> bodies() {
  std::vector<MeshBody> all;
  for (const TriangleMesh& mesh :
       {test::blobMesh(0.2, 9, 16, 0.3), test::torusMesh(0.3, 0.1, 24, 12),
        test::boxMesh({0.3, 1e-7, 0.2}), test::blobMesh(2e-4, 20, 25, 0.2),
        test::blobMesh(4e9, 12, 12, 0.1)}) {
    all.emplace_back(Shape(mesh));
  }
  // Segments and points have boxes without thickness.
  all.emplace_back(Shape(Capsule(0.1, 0.5)));
  all.emplace_back(Shape(Sphere(0.1)));
  return all;
}

TEST(MeshPoint, BoundsAreBelowEveryDistanceAndRaysAreNotLost) {
  Random draw(90);
  const std::vector<MeshBody> all = bodies();
  const int cases = test::samplesOf(20000, 1000000);
  double tightest = HUGE_VAL;
  int lanes = 0, passed = 0;
  for (int i = 0; i < cases; ++i) {
    SCOPED_TRACE("seed 90, case " + std::to_string(i));
    const MeshBody& body = all[draw.integer(0, static_cast<int>(all.size()) - 1)];
    const MeshBvh& bvh = *body.bvh();
    const int number = draw.integer(0, static_cast<int>(bvh.nodes().size()) - 1);
    const MeshNode& node = bvh.nodes()[number];
    const Vec3 p = draw.direction() * body.reach() * draw.logUniform(1e-3, 30.0);
    const mesh::CoarsePoint from = mesh::coarsePoint(p, body.reach());
    float lower[MeshNode::kWidth];
    mesh::childrenBeyond(node, from, lower);
    const int child = draw.integer(0, bvh.width(number) - 1);
    const std::vector<int> leaves = leavesBelow(bvh, node.child[child]);
    double least = HUGE_VAL;
    for (const int leaf : leaves) {
      least = std::min(least, (nearestOnTriangle(bvh.triangles()[leaf], p) - p).norm());
    }
    ASSERT_LE(static_cast<double>(lower[child]), least * (1.0 + 1e-15));
    tightest = std::min(tightest, (least - static_cast<double>(lower[child])) / least);
    // A ray to a point of a triangle below, or away from it.
    const TriangleCorners& t =
        bvh.triangles()[leaves[draw.integer(0, static_cast<int>(leaves.size()) - 1)]];
    const double u = draw.uniform(0.0, 1.0), v = (1.0 - u) * draw.uniform(0.0, 1.0);
    const Vec3 at = t.corner(0) + u * (t.corner(1) - t.corner(0)) + v * (t.corner(2) - t.corner(0));
    const Eigen::Vector3f along = Vec3((at - p).normalized()).cast<float>();
    ASSERT_TRUE(mesh::childrenAlong(node, from, along.data()) >> child & 1U);
    const Eigen::Vector3f any = draw.direction().cast<float>();
    const unsigned met = mesh::childrenAlong(node, from, any.data());
    for (int k = 0; k < bvh.width(number); ++k, ++lanes) passed += (met >> k & 1U) == 0U;
  }
  EXPECT_LT(tightest, 0.01);
  EXPECT_GT(passed, 0.5 * lanes);
}

}  // namespace
}  // namespace allclear
