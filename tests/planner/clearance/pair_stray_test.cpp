// What the planner thinks may stray is what the certificate bounds, at rest.
#include "allclear/planner/clearance/pair_stray.h"

#include <gtest/gtest.h>

#include "allclear/planner/certificate/stray.h"
#include "allclear/planner/problem/stray_reach.h"
#include "config/task_fixture.h"
#include "support/random_robot.h"

namespace allclear {
namespace {

Problem uncertainTask() {
  Problem problem = test::loadText(
      "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
      "start_state: {group_state: ready}\ngoal: {joint_constraints: {elbow: 0}}\n"
      "scene: {collision_objects: [\n"
      "  {id: box, type: box, dimensions: [0.1, 0.1, 0.1], pose: {position: [3, 0, 0]}}]}\n");
  problem.uncertainty.joints = VecX::LinSpaced(problem.robot->dimension(), 1e-3, 5e-3);
  problem.uncertainty.obstacles = VecX::Constant(1, 2e-3);
  problem.uncertainty.base_position = 1e-3;
  problem.uncertainty.base_angle = 2e-3;
  return problem;
}

TEST(PairStray, IsTheCertificatesBoundAtRest) {
  const Problem problem = uncertainTask();
  const CollisionModel model = collisionModel(problem, FidelityPolicy::kHulls);
  const PairStray stray(problem, model);
  ASSERT_TRUE(stray.isNeeded());
  test::Random random(3);
  for (int i = 0; i < 20; ++i) {
    const VecX q = problem.plannedPart(test::randomConfiguration(random, *problem.robot));
    const Trajectory rest = BSpline(q.replicate(1, 6), 1.0);
    StrayBound bound(problem, rest);
    const auto placement = stray.place(problem.configuration(q));
    for (std::size_t p = 0; p < model.pairs.size(); ++p) {
      const CollisionBody& a = model.bodies[model.pairs[p].a];
      const CollisionBody& b = model.bodies[model.pairs[p].b];
      double most = 0.0;
      for (const Geometry& solid_a : a.solids(MeshFidelity::kHull)) {
        for (const Geometry& solid_b : b.solids(MeshFidelity::kHull)) {
          const int of_a = bound.addSolid(a.link, a.obstacle, solid_a);
          const int of_b = bound.addSolid(b.link, b.obstacle, solid_b);
          most = std::max(most, bound.between(of_a, of_b, {0.0, 1.0}).total());
        }
      }
      EXPECT_NEAR(stray.of(static_cast<int>(p), placement), most, 0.1 * most);
      EXPECT_GE(stray.of(static_cast<int>(p), placement), most - 1e-9);
    }
  }
}

TEST(PairStray, IsNotNeededWithoutUncertainty) {
  Problem problem = uncertainTask();
  problem.uncertainty = {};
  const CollisionModel model = collisionModel(problem, FidelityPolicy::kHulls);
  EXPECT_FALSE(PairStray(problem, model).isNeeded());
}

TEST(StrayReach, IsTheFarthestDistanceFromTheAxis) {
  const Problem problem = uncertainTask();
  const StrayReach reach(*problem.robot);
  test::Random random(4);
  for (int i = 0; i < 50; ++i) {
    const VecX q = test::randomConfiguration(random, *problem.robot);
    const auto placement = reach.place(q);
    const int link = random.index(static_cast<int>(problem.robot->links().size()));
    const double radius = random.logUniform(0.01, 0.5);
    const Geometry ball{Sphere(radius), random.pose(0.5)};
    const StraySolid solid = reach.solid(link, ball);
    for (std::size_t k = 0; k < solid.path.size(); ++k) {
      const MotionNode& node = reach.tree().nodes()[solid.path[k]];
      const Pose& X_WA = placement.X_WN[solid.path[k]];
      const Vec3 center = placement.X_WN[solid.path.back()] * solid.ball_N.center;
      const double expected =
          node.turns ? (center - X_WA.p).cross(X_WA.R.col(node.axis)).norm() + radius : 1.0;
      EXPECT_NEAR(reach.reach(placement, solid, k), expected, 1e-9);
    }
  }
}

}  // namespace
}  // namespace allclear
