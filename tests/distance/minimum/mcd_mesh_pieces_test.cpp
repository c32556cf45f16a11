// The pieces of the search between moving meshes.

#include <gtest/gtest.h>

#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/minimum/mesh/depth.h"
#include "allclear/distance/minimum/mesh/relative_curve.h"
#include "allclear/distance/minimum/mesh/time_tree.h"
#include "allclear/distance/minimum/reference/mesh_searches.h"
#include "distance/minimum/mcd_motions.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

using mcd::MeshMotion;
using test::Random;

/// A mesh that moves past one at rest.
struct MeshPair {
  Shape shape = test::blobMesh(0.2, 9, 15, 0.3);
  test::ChainMotion chain;
  std::vector<BodyCurve> curves;
  BodyCurve still = BodyCurve::still(Pose{}, {0.0, 1.0});

  MeshPair(Random& draw, int cells) : chain(test::randomChain(draw, 2, 0.8)) {
    curves = chain.curves({0.0, 1.0}, cells);
  }
  MovingShape moving() const { return {&shape, Pose{}, curves}; }
  MovingShape resting() const { return {&shape, Pose{}, {&still, 1}}; }
};

TEST(PoseOf, IsTheAffineMap) {
  Random draw(1);
  const Pose X{draw.rotation(), draw.inBox(1.0)};
  const Pose same = mcd::poseOf(mesh::affine(X));
  EXPECT_EQ(same.R, X.R);
  EXPECT_EQ(same.p, X.p);
}

TEST(TimeTree, HalvesCoverTheirParentAndAreMadeOnce) {
  Random draw(2);
  const MeshPair pair(draw, 3);
  const auto body = bodyOf(pair.shape);
  const MovingShape a = pair.moving(), b = pair.resting();
  const MeshMotion motion(*body, a, *body, b);
  mcd::TimeTree times(motion, 0.0);
  EXPECT_FALSE(times.hasCell(1));
  const std::int32_t root = times.addCell(1);
  EXPECT_TRUE(times.hasCell(1));
  EXPECT_EQ(times[root].s0, -1.0);
  EXPECT_EQ(times[root].s1, 1.0);
  const std::int32_t halves = times.halvesOf(root);
  EXPECT_EQ(times.halvesOf(root), halves);
  EXPECT_EQ(times.size(), 3);
  EXPECT_EQ(times[halves].s1, times[halves + 1].s0);
  EXPECT_EQ(times[halves].s0, times[root].s0);
  EXPECT_EQ(times[halves + 1].s1, times[root].s1);
  // A shorter interval needs less of the error: the terms beyond the cubic shrink.
  EXPECT_LE(times[halves].poses.error, times[root].poses.error);
}

TEST(SampledMeshMotion, DistancesAreTheTrueOnesUpToTheError) {
  for (int i = 0; i < 20; ++i) {
    Random draw(100 + i);
    const MeshPair pair(draw, 2);
    const auto body = bodyOf(pair.shape);
    const MovingShape a = pair.moving(), b = pair.resting();
    const MeshMotion motion(*body, a, *body, b);
    mcd::SampledMeshMotion sampled(motion);
    MeshDistanceOptions surfaces;
    surfaces.inside = false;
    for (double s : {0.0, 0.37, 1.0}) {
      const mcd::Instant instant = sampled.at({1, s});
      const double truth =
          meshDistance(*body, pair.chain.pose(instant.t), *body, Pose{}, surfaces).distance;
      ASSERT_NEAR(instant.distance, truth, sampled.error()) << "seed " << 100 + i;
    }
    EXPECT_GT(sampled.node_tests(), 0);
  }
}

TEST(DeepestInstant, BoundsTheDepthOfBoxesThatPassThroughEachOther) {
  // A slides along x through B at an offset of 0.05 along z: the way out is along z, 0.15 m.
  const Shape box = test::boxMesh({0.1, 0.1, 0.1});
  const auto body = bodyOf(box);
  BodyCurve slide = BodyCurve::still(Pose{}, {0.0, 1.0});
  for (int k = 0; k <= BodyCurve::kDegree; ++k) {
    slide.control[k].p = Vec3(-0.5 + 1.0 * k / BodyCurve::kDegree, 0.0, 0.05);
  }
  slide.bounds.linear = {1.0, 0.0, 0.0};
  const BodyCurve still = BodyCurve::still(Pose{}, {0.0, 1.0});
  const MovingShape a{&box, Pose{}, {&slide, 1}}, b{&box, Pose{}, {&still, 1}};
  const MeshMotion motion(*body, a, *body, b);
  const mcd::DeepestInstant deepest = mcd::deepestInstant(motion, {0, 0.4});
  EXPECT_LE(deepest.lower, -0.15);
  EXPECT_NEAR(deepest.upper, -0.15, 1e-6);
  EXPECT_NEAR(deepest.when.s, 0.5, 0.06);
  EXPECT_NEAR(std::abs(deepest.there.normal.z()), 1.0, 1e-6);
  EXPECT_LT(deepest.motion_error, 1e-6);
}

}  // namespace
}  // namespace allclear
