// Demands of contact limits among the others: their values, and their gradients by differences.
#include "allclear/planner/program/impact_demands.h"

#include <gtest/gtest.h>

#include "allclear/planner/planner.h"
#include "allclear/planner/problem/impact_share.h"
#include "allclear/planner/program/state_demands.h"
#include "allclear/planner/retiming/retime.h"
#include "allclear/planner/timing.h"
#include "support/example_arm.h"
#include "support/touched_robot.h"

namespace allclear {
namespace {

using test::Random;

TEST(ImpactDemands, GradientsAreThoseOfDifferences) {
  Random random(21);
  for (int i = 0; i < 25; ++i) {
    Problem problem = test::touchedRobot(random);
    // One point for each body: the greatest of several has corners.
    RobotModel::Data data = problem.robot->data();
    for (Link& link : data.links) {
      if (!link.collision.empty()) link.collision = {{Sphere(0.05), link.collision[0].X_BG}};
    }
    problem.robot = std::make_shared<const RobotModel>(std::move(data));
    problem.duration = {2.0, 2.0};  // else the pace keeps these limits, and there are no rows
    const Kinematics kinematics(*problem.robot);
    StateDemands demands(problem, kinematics);
    const int n = problem.plannedCount();
    if (demands.count() == 0) continue;
    VecX q = problem.plannedPart(problem.start), v(n), a = VecX::Zero(n);
    const double size = random.logUniform(0.01, 2.0);
    for (double& x : v) x = random.uniform(-size, size);
    StateDemands::Gradients gradients;
    demands.gradients(q, v, a, VecX(), &gradients);
    VecX d(n), e(n);
    for (int k = 0; k < n; ++k) d[k] = random.uniform(-1.0, 1.0), e[k] = random.uniform(-1.0, 1.0);
    constexpr double kStep = 2e-5;
    std::vector<int> all;
    for (int row = 0; row < demands.count(); ++row) all.push_back(row);
    demands.computeOnly(all);  // none of them roughly
    const auto at = [&](double s) {
      VecX out;
      demands.values(q + s * kStep * d, v + s * kStep * e, a, VecX(), &out);
      return out;
    };
    // Richardson's combination of two central differences.
    const VecX slope = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * kStep);
    const VecX given = gradients.by_q * d + gradients.by_v * e;
    for (int row = 0; row < demands.count(); ++row) {
      const double scale = std::max({1.0, std::abs(slope[row]), 1.0 - at(0.0)[row]});
      EXPECT_NEAR(given[row], slope[row], 1e-6 * scale) << demands.name(row);
    }
    EXPECT_NE(demands.name(0).find("force of a contact with hand"), std::string::npos);
  }
}

/// The seven-joint arm swings across.
Problem swing() {
  Problem problem;
  problem.robot = test::exampleArm();
  for (int k = 0; k < 7; ++k) problem.planned.push_back(k);
  problem.start = VecX::Zero(7);
  problem.start << -1.3, 1.0, 0.0, 0.6, 0.0, 0.6, 0.0;
  VecX goal(7);
  goal << 1.3, 1.0, 0.0, 0.6, 0.0, 0.6, 0.0;
  problem.goal = JointTarget{problem.planned, goal};
  return problem;
}

PlanOptions quick() {
  PlanOptions options;
  options.time_limit = 60.0;
  options.attempts = 1;  // other first guesses would only be better
  return options;
}

TEST(Plan, KeepsForcesOfUnplannedContacts) {
  Problem problem = swing();
  const Plan fast = plan(problem, quick());
  ASSERT_EQ(fast.status, PlanStatus::kCertified) << fast.message;
  problem.limits.contact.push_back({"hand", 75e3, 0.6, 200.0, {}, {}, 0.0, {}});
  const double needed = provenContactStretch(problem, *fast.trajectory);
  ASSERT_GT(needed, 1.05) << "at full speed the limit is exceeded";
  const Certificate refused = certify(problem, *fast.trajectory);
  EXPECT_FALSE(refused.clear);
  for (const char* part : {"contact with a hand: up to", "beyond its limit", "would keep it"}) {
    EXPECT_NE(refused.message.find(part), std::string::npos) << refused.message;
  }

  const Plan gentle = plan(problem, quick());
  ASSERT_EQ(gentle.status, PlanStatus::kCertified) << gentle.message;
  EXPECT_GT(gentle.trajectory->duration(), fast.trajectory->duration());
  EXPECT_LT(gentle.trajectory->duration(), 1.02 * needed * fast.trajectory->duration());
  for (const char* part :
       {"Contact with a hand: at most", "(limit 200 N)", "any point", "rotors of 7 joints"}) {
    EXPECT_NE(gentle.message.find(part), std::string::npos) << gentle.message;
  }
  EXPECT_TRUE(verifyCertificate(problem, *gentle.certificate).valid);

  // The same path, slower.
  problem.limits.slow_down = true;
  const Plan slowed = plan(problem, quick());
  ASSERT_EQ(slowed.status, PlanStatus::kCertified) << slowed.message;
  EXPECT_EQ(provenContactStretch(problem, *slowed.trajectory), 1.0);
}

// A swing that nothing hinders is near its least time, with a limit as without: no other first
// guess is tried, which would take several times as long.
TEST(Plan, KnowsWhatContactLimitsLeaveToGain) {
  Problem problem = swing();
  PlanOptions options = quick();
  options.attempts = 50;
  const Plan fast = plan(problem, options);
  ASSERT_EQ(fast.status, PlanStatus::kCertified) << fast.message;
  EXPECT_EQ(fast.statistics.attempts, 1);
  problem.limits.contact.push_back({"hand", 75e3, 0.6, 120.0, {}, {}, 0.0, {}});
  const Plan gentle = plan(problem, options);
  ASSERT_EQ(gentle.status, PlanStatus::kCertified) << gentle.message;
  EXPECT_GT(gentle.trajectory->duration(), 1.2 * fast.trajectory->duration());
  EXPECT_EQ(gentle.statistics.attempts, 1);
}

// One model for several retimings says the same as one for each.
TEST(Retime, SharedImpactsChangeNothing) {
  Problem problem = swing();
  problem.limits.contact.push_back({"hand", 75e3, 0.6, 120.0, {}, {}, 0.0, {}});
  const VecX& goal = std::get<JointTarget>(problem.goal).values;
  const Trajectory line(restingAtCorners(problem, {problem.start, goal}));
  const ImpactFunction impacts = impactsOf(problem);
  const auto own = retimed(problem, line);
  ASSERT_TRUE(own);
  for (int i = 0; i < 2; ++i) {
    const auto shared = retimed(problem, line, {}, impacts);
    ASSERT_TRUE(shared);
    EXPECT_EQ(shared->curve.times(), own->curve.times());
    EXPECT_EQ(shared->curve.positions(), own->curve.positions());
  }
  // At the limit nowhere exceeded, and nearly reached.
  const double most = ImpactShare(problem).along(own->curve, 16);
  EXPECT_LT(most, 1.0);
  EXPECT_GT(most, 0.9);
}

/// A certificate that says less force than is proven, or leaves a body out, does not hold.
TEST(Plan, CertificatesOfContactForcesAreChecked) {
  Problem problem = swing();
  problem.limits.contact.push_back({"hand", 75e3, 0.6, 280.0, {}, {}, 0.0, {}});
  problem.limits.slow_down = true;
  const Plan made = plan(problem, quick());
  ASSERT_EQ(made.status, PlanStatus::kCertified) << made.message;
  const auto isContact = [](const CertifiedLimit& l) {
    return l.quantity.starts_with("contact force");
  };
  Certificate less = *made.certificate;
  std::find_if(less.limits.begin(), less.limits.end(), isContact)->upper *= 0.9;
  EXPECT_FALSE(verifyCertificate(problem, less).valid);
  Certificate fewer = *made.certificate;
  fewer.limits.erase(std::find_if(fewer.limits.begin(), fewer.limits.end(), isContact));
  EXPECT_FALSE(verifyCertificate(problem, fewer).valid);
  Certificate silent = *made.certificate;
  std::erase_if(silent.assumptions, [](const Assumption& a) { return a.kind == "rotor inertia"; });
  EXPECT_FALSE(verifyCertificate(problem, silent).valid);
}

}  // namespace
}  // namespace allclear
