// Rows of the optimiser to clouds: their distances against sampling, and their gradients against
// differences.
#include "allclear/planner/clearance/cloud_clearance.h"

#include <gtest/gtest.h>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/clearance/soft_clearance.h"
#include "allclear/robot_models/kinematics.h"
#include "config/task_fixture.h"
#include "distance/cloud/cloud_scenes.h"
#include "support/random_robot.h"

namespace allclear {
namespace {

using test::Random;

constexpr double kTolerance = 1e-4;

/// A cloud beside the robot's hand at q; moving by chance.
Problem problemAt(Random& random, VecX* q) {
  Problem problem = test::loadText(
      "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
      "start_state: {group_state: ready}\ngoal: {joint_constraints: {elbow: 0}}\n");
  *q = problem.plannedPart(test::randomConfiguration(random, *problem.robot));
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.configuration(*q), workspace, X_WL);
  Obstacle scan;
  scan.id = "scan";
  scan.X_WO.R = random.rotation();
  scan.X_WO.p =
      X_WL[problem.robot->findLink("hand")].p + random.uniform(0.0, 0.9) * random.direction();
  scan.cloud = std::make_shared<const Cloud>(
      Cloud::balls(test::randomPoints(random, 100), random.logUniform(1e-3, 0.1)));
  if (random.chance(0.3)) {
    scan.motion = {{0.0, scan.X_WO}, {2.0, {random.rotation(), scan.X_WO.p + random.vector(0.3)}}};
  }
  problem.obstacles = {scan};
  return problem;
}

double exactDistance(const Problem& problem, const CollisionBody& body, const VecX& q_planned,
                     double t) {
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.configuration(q_planned), workspace, X_WL);
  const Obstacle& scan = problem.obstacles[0];
  double least = HUGE_VAL;
  for (const Geometry& solid : body.solids(MeshFidelity::kHull)) {
    least = std::min(least, test::bruteDistance(solid.shape, X_WL[body.link] * solid.X_BG,
                                                *scan.cloud, scan.pose(t)));
  }
  return least;
}

TEST(CloudRows, AreTheLeastDistanceOverTheSpan) {
  int near = 0, deep = 0;
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(100 + seed);
    VecX from;
    const Problem problem = problemAt(random, &from);
    const ClearanceEvaluator evaluator(problem, FidelityPolicy::kHulls);
    ClearanceEvaluator::Workspace workspace(evaluator);
    MatX control(from.size(), 2);
    control << from, from + random.vectorX(static_cast<int>(from.size()), 0.3);
    const Interval time{0.5, 1.5};
    const BernsteinSpan span(time, control);
    std::vector<Clearance> found;
    evaluator.nearPairs(span, 0, 0.3, kTolerance, workspace, &found);
    // The parts of the cloud are bodies of their own: together they have the least distance.
    std::map<int, Interval> by_link;
    for (const Clearance& clearance : found) {
      const CollisionPair& pair = evaluator.model().pairs[clearance.pair];
      if (evaluator.model().bodies[pair.b].obstacle < 0) continue;
      auto [entry, is_new] = by_link.try_emplace(pair.a, Interval{HUGE_VAL, HUGE_VAL});
      entry->second.lower = std::min(entry->second.lower, clearance.lower);
      entry->second.upper = std::min(entry->second.upper, clearance.upper);
    }
    for (const auto& [a, bracket] : by_link) {
      double least = HUGE_VAL;
      for (int i = 0; i <= 100; ++i) {
        const double t = time.lower + time.length() * i / 100;
        least =
            std::min(least, exactDistance(problem, evaluator.model().bodies[a], span.value(t), t));
      }
      (least > 0.0 ? near : deep) += 1;
      EXPECT_LE(bracket.lower, least + 1e-9);
      EXPECT_GE(bracket.upper, bracket.lower);
      const double most = least > 0.0 ? least + 2.0 * kTolerance : HUGE_VAL;
      EXPECT_LE(bracket.upper, most);
    }
  }
  EXPECT_GT(near, 10);
  EXPECT_GT(deep, 2);
}

TEST(CloudRows, GradientIsTheDifference) {
  int probed = 0, deep = 0;
  for (int seed = 0; seed < 80; ++seed) {
    Random random(300 + seed);
    VecX q;
    const Problem problem = problemAt(random, &q);
    const ClearanceEvaluator evaluator(problem, FidelityPolicy::kHulls);
    ClearanceEvaluator::Workspace workspace(evaluator);
    const double t = random.uniform(0.3, 0.9), h = 1e-5;
    std::vector<Clearance> found;
    evaluator.pairsAtRest(q, t, 0.5, workspace, &found);
    for (const Clearance& clearance : found) {
      const CollisionPair& pair = evaluator.model().pairs[clearance.pair];
      if (evaluator.model().bodies[pair.b].obstacle < 0) continue;
      EXPECT_FALSE(SoftClearance(evaluator).isKnown(clearance.pair));
      const auto distance = [&](const VecX& x, double time) {
        std::vector<Clearance> others;
        evaluator.pairsAtRest(x, time, 1.0, workspace, &others);
        for (const Clearance& other : others) {
          if (other.pair == clearance.pair) return other.upper;
        }
        return std::nan("");
      };
      double value = 0.0, rate = 0.0;
      const VecX gradient = evaluator.gradient(clearance, q, workspace, &value, &rate);
      EXPECT_NEAR(value, clearance.upper, 1e-8);
      bool smooth = true;
      for (int k = 0; k < q.size(); ++k) {
        const VecX step = h * VecX::Unit(q.size(), k);
        const double up = (distance(q + step, t) - value) / h,
                     down = (value - distance(q - step, t)) / h;
        smooth = smooth && std::abs(up - down) < 1e-2;
        if (!smooth) break;
        EXPECT_NEAR(gradient[k], 0.5 * (up + down), 2e-3) << "seed " << seed;
      }
      if (!smooth) continue;
      ++probed;
      deep += value < 0.0 ? 1 : 0;
      const double up = (distance(q, t + h) - value) / h, down = (value - distance(q, t - h)) / h;
      if (std::abs(up - down) > 1e-2) continue;
      EXPECT_NEAR(rate, 0.5 * (up + down), 2e-3) << "seed " << seed;
    }
  }
  EXPECT_GT(probed, 20);
  EXPECT_GT(deep, 2);
}

}  // namespace
}  // namespace allclear
