// Rows of cables: gradients against differences, by joints and by time, beside bodies, in contact
// and where a straight cable would cross a body; and segments against samples.
#include "allclear/planner/program/cable_demands.h"

#include <gtest/gtest.h>

#include "allclear/planner/clearance/cable_model.h"
#include "allclear/planner/seeds/cable_segments.h"
#include "support/example_arm.h"
#include "support/random.h"

namespace allclear {
namespace {

Problem hoseProblem(test::Random& random) {
  Problem problem;
  problem.robot = test::exampleArm();
  for (int k = 0; k < 7; ++k) problem.planned.push_back(k);
  problem.start = random.vectorX(7, 1.0);
  problem.goal = JointTarget{problem.planned, problem.start};
  const auto clip = [&](const char* link) {
    return CableClip{problem.robot->findLink(link), random.inBox(0.1)};
  };
  problem.cables.push_back(
      {"hose", {clip("link2"), clip("link4"), clip("tool")}, {1.0, 1.1}, 0.01, 0.0, {}});
  const Shape shapes[] = {Sphere(0.1), Box({0.2, 0.1, 0.3}), Cylinder(0.1, 0.4),
                          Ellipsoid({0.1, 0.2, 0.15}), Capsule(0.05, 0.3)};
  for (int i = 0; i < 5; ++i) {
    Obstacle obstacle;
    obstacle.id = "body" + std::to_string(i);
    obstacle.X_WO = {random.rotation(), random.inBox(0.8)};
    obstacle.geometry = {{shapes[i], {}}};
    if (i > 2) {
      obstacle.motion = {{0.0, obstacle.X_WO}, {2.0, {random.rotation(), random.inBox(0.8)}}};
    }
    problem.obstacles.push_back(obstacle);
  }
  return problem;
}

TEST(CableDemands, GradientsAreThoseOfTheValues) {
  test::Random random(31);
  int compared = 0, crossing = 0;
  for (int trial = 0; trial < 12; ++trial) {
    Problem problem = hoseProblem(random);
    const Kinematics kinematics(*problem.robot);
    Kinematics::Workspace workspace = kinematics.makeWorkspace();
    std::vector<Pose> poses;
    // In half of the trials a straight cable would go through the ball.
    const bool is_crossed = trial % 2 == 0;
    if (is_crossed) {
      kinematics.linkPoses(problem.start, workspace, poses);
      const auto& clips = problem.cables[0].clips;
      const Vec3 a = poses[clips[0].link] * clips[0].p_L, b = poses[clips[1].link] * clips[1].p_L;
      problem.obstacles[0].X_WO.p = 0.5 * (a + b) + random.inBox(0.03);
    }
    CableDemands demands(problem);
    const std::vector<bool> all(demands.count(), true);
    const auto valuesAt = [&](const VecX& q, double t) {
      std::vector<Pose> at;
      kinematics.linkPoses(q, workspace, at);
      VecX values(demands.count());
      demands.values(q, at, t, values, &all);
      return values;
    };
    const VecX q = problem.start;
    const double t = random.uniform(0.5, 1.5);
    const VecX here = valuesAt(q, t);
    kinematics.linkPoses(q, workspace, poses);
    MatX by_q(demands.count(), 7);
    VecX by_t(demands.count());
    demands.gradients(kinematics, workspace, poses, t, by_q, by_t, &all);
    const double h = 1e-5;
    for (int k = 0; k <= 7; ++k) {
      const VecX step = k < 7 ? VecX(h * VecX::Unit(7, k)) : VecX(VecX::Zero(7));
      const double dt = k < 7 ? 0.0 : h;
      const VecX high = valuesAt(q + step, t + dt), low = valuesAt(q - step, t - dt);
      for (int d = 0; d < demands.count(); ++d) {
        const double right = (high[d] - here[d]) / h, left = (here[d] - low[d]) / h;
        if (std::abs(right - left) > 1e-2) continue;  // a kink: the nearest solid changes
        const double given = k < 7 ? by_q(d, k) : by_t[d];
        EXPECT_NEAR(given, 0.5 * (right + left), 1e-3 + 1e-3 * std::abs(given))
            << demands.name(d) << " by " << k;
        ++compared;
        crossing += is_crossed && demands.name(d).find("'body0'") != std::string::npos;
      }
    }
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(crossing, 50);
}

TEST(CableDemands, RoughValuesAreBelowTheExactOnes) {
  test::Random random(32);
  const Problem problem = hoseProblem(random);
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  const CableDemands demands(problem);
  const std::vector<bool> all(demands.count(), true);
  for (int i = 0; i < 50; ++i) {
    const VecX q = random.vectorX(7, 1.5);
    std::vector<Pose> poses;
    kinematics.linkPoses(q, workspace, poses);
    VecX rough(demands.count()), exact(demands.count()), at_rest(demands.count());
    demands.values(q, poses, 0.3, rough);
    demands.values(q, poses, 0.3, exact, &all);
    demands.values(q, poses, std::nullopt, at_rest);
    EXPECT_TRUE((rough.array() <= exact.array() + 1e-9).all());
    for (int d = 0; d < demands.count(); ++d) {
      if (exact[d] < 0.25) {
        EXPECT_NEAR(rough[d], exact[d], 1e-9);
      }
    }
  }
}

TEST(CableSegments, ProvenOnesKeepAllDemands) {
  test::Random random(33);
  int proven = 0;
  for (int trial = 0; trial < 150; ++trial) {
    Problem problem = hoseProblem(random);
    for (Obstacle& obstacle : problem.obstacles) obstacle.X_WO.p *= 2.0;
    problem.cables[0].allowed = {"link0", "link1", "link3", "link5", "link6"};
    {  // with little slack
      const CableModel loose(problem);
      const auto poses = loose.linkPoses(loose.reach().place(problem.start));
      const auto stretches = loose.summaries(poses, std::nullopt);
      for (std::size_t i = 0; i < 2; ++i) problem.cables[0].lengths[i] = stretches[i].span + 0.06;
    }
    const CableSegments segments(problem);
    const CableModel model(problem);
    const VecX from = problem.start, to = from + random.vectorX(7, 0.15);
    if (!segments.isClear(from, to, 0.0, 1e-5)) continue;
    ++proven;
    for (int i = 0; i <= 100; ++i) {
      const VecX q = from + i / 100.0 * (to - from);
      EXPECT_TRUE(segments.isClear(q, 0.0));
      const auto poses = model.linkPoses(model.reach().place(problem.configuration(q)));
      for (int d = 0; d < static_cast<int>(model.demands().size()); ++d) {
        EXPECT_GE(model.measure(d, poses, std::nullopt, 1.0).value, 0.0) << model.name(d);
      }
    }
  }
  EXPECT_GT(proven, 3);
}

}  // namespace
}  // namespace allclear
