#include "allclear/planner/clearance/soft_clearance.h"

#include <gtest/gtest.h>

#include "allclear/planner/seeds/path_spline.h"
#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

/// Straight through the wall.
BSpline throughTheWall(const Problem& problem) {
  return straightSpline(problem.start, std::get<JointTarget>(problem.goal).values, 8, 2.0);
}

int pairNamed(const CollisionModel& model, const std::string& a, const std::string& b) {
  for (int p = 0; p < static_cast<int>(model.pairs.size()); ++p) {
    if (model.bodies[model.pairs[p].a].name == a && model.bodies[model.pairs[p].b].name == b) {
      return p;
    }
  }
  throw std::runtime_error("no pair " + a + ", " + b);
}

TEST(SoftClearance, IsNeverAboveTheDistanceAndNearItForLittleSoftness) {
  const Problem problem = test::wallProblem();
  const ClearanceEvaluator evaluator(problem);
  const SoftClearance soft(evaluator);
  ClearanceEvaluator::Workspace workspace(evaluator);
  const BSpline curve = throughTheWall(problem);
  const int pair = pairNamed(evaluator.model(), "link2", "wall");
  const double size = soft.pairSize(pair);
  for (int i = 0; i <= 40; ++i) {
    const double t = curve.duration() * i / 40;
    const Clearance exact = evaluator.atRest(curve.value(t), std::nullopt, workspace);
    if (exact.pair != pair) continue;
    const double coarse = soft.at(pair, curve, t, 0.1 * size, workspace).distance;
    const double fine = soft.at(pair, curve, t, 0.001 * size, workspace).distance;
    EXPECT_LE(coarse, exact.upper + 1e-12) << t;
    EXPECT_LE(fine, exact.upper + 1e-12) << t;
    EXPECT_GT(fine, exact.upper - 0.02 * size) << t;
  }
}

TEST(SoftClearance, HasTheGradientOfItsOwnValue) {
  const Problem problem = test::wallProblem();
  const ClearanceEvaluator evaluator(problem);
  const SoftClearance soft(evaluator);
  ClearanceEvaluator::Workspace workspace(evaluator);
  const int pair = pairNamed(evaluator.model(), "link1", "wall");
  const double softness = 0.05 * soft.pairSize(pair);
  test::Random random(9);
  for (int trial = 0; trial < 20; ++trial) {
    const VecX q = random.vectorX(3, 0.5);
    // A curve that stays where it is: value and gradient at a configuration.
    const auto at = [&](const VecX& here) {
      return soft.at(pair, BSpline(here.replicate(1, 8), 1.0), 0.5, softness, workspace);
    };
    const SoftClearance::Value value = at(q);
    for (int k = 0; k < 3; ++k) {
      const VecX step = 1e-6 * VecX::Unit(3, k);
      const double slope = (at(q + step).distance - at(q - step).distance) / 2e-6;
      EXPECT_NEAR(value.gradient[k], slope, 1e-5) << "trial " << trial << " joint " << k;
    }
    EXPECT_EQ(value.rate, 0.0);  // the wall stands still
  }
}

/// The arm carries a ball, and the wall is an ellipsoid.
Problem ballAndEllipsoid() {
  Problem problem = test::wallProblem();
  problem.obstacles[0].geometry = {{Ellipsoid(Vec3(0.4, 0.1, 0.3)), Pose()}};
  AttachedObject ball;
  ball.id = "ball";
  ball.link = 3;
  ball.geometry = {{Sphere(0.08), {Mat3::Identity(), Vec3(0.3, 0.05, 0.0)}}};
  ball.touch_links = {2};
  problem.attached.push_back(ball);
  return problem;
}

TEST(SoftClearance, OfABallAndAnEllipsoidIsByTheirGauge) {
  const Problem problem = ballAndEllipsoid();
  const ClearanceEvaluator evaluator(problem);
  const SoftClearance soft(evaluator);
  ClearanceEvaluator::Workspace workspace(evaluator);
  const int pair = pairNamed(evaluator.model(), "ball", "wall");
  EXPECT_TRUE(soft.hasGauge(pair));
  EXPECT_FALSE(soft.hasGauge(pairNamed(evaluator.model(), "link2", "wall")));
  test::Random random(10);
  for (int trial = 0; trial < 20; ++trial) {
    const VecX q = random.vectorX(3, 0.4);
    const auto at = [&](const VecX& here) {
      return soft.at(pair, BSpline(here.replicate(1, 8), 1.0), 0.5, 0.01, workspace);
    };
    const SoftClearance::Value value = at(q);
    for (int k = 0; k < 3; ++k) {
      const VecX step = 1e-6 * VecX::Unit(3, k);
      const double slope = (at(q + step).distance - at(q - step).distance) / 2e-6;
      EXPECT_NEAR(value.gradient[k], slope, 1e-6) << "trial " << trial << " joint " << k;
    }
    // The softness does not count.
    const BSpline still(q.replicate(1, 8), 1.0);
    EXPECT_EQ(soft.at(pair, still, 0.5, 0.1, workspace).distance, value.distance);
  }
}

}  // namespace
}  // namespace allclear
