#include "allclear/planner/seeds/contact_fit.h"

#include <gtest/gtest.h>

#include "support/biped.h"
#include "support/random.h"

namespace allclear {
namespace {

/// The biped on its left foot, its right foot a contact.
Problem standingBiped() { return standOn(test::bipedProblem()); }

double worstError(ContactFit& fit, const BSpline& curve) {
  double worst = 0.0;
  for (int i = 0; i <= 2000; ++i) {
    const VecX e = fit.projection().error(curve.value(curve.duration() * i / 2000.0));
    worst = std::max(worst, e.cwiseAbs().maxCoeff());
  }
  return worst;
}

/// A posture near `q` on the contacts, random but for the rounding of both.
VecX postureNear(ContactFit& fit, const VecX& q, double spread, test::Random& random) {
  VecX out = q + random.vectorX(static_cast<int>(q.size()), spread);
  EXPECT_TRUE(fit.projection().project(&out));
  return out;
}

TEST(ContactProjection, ErrorHasTheJacobianOfDifferences) {
  Problem problem = standingBiped();
  problem.contacts.push_back(problem.contacts[1]);
  problem.contacts.back().link = problem.robot->findLink("l_hand");
  problem.contacts.back().kind = Contact::Kind::kPoint;
  const Kinematics kinematics(*problem.robot);
  ContactProjection projection(problem, kinematics);
  const VecX start = problem.plannedPart(problem.start);
  EXPECT_LT(projection.error(start).norm(), 1e-14);
  ASSERT_EQ(projection.error(start).size(), 9);
  test::Random random(71);
  for (int trial = 0; trial < 10; ++trial) {
    const VecX q = start + random.vectorX(static_cast<int>(start.size()), 0.5);
    MatX J;
    projection.error(q, &J);
    for (int k = 0; k < q.size(); ++k) {
      constexpr double kStep = 1e-6;
      const VecX step = kStep * VecX::Unit(q.size(), k);
      const VecX slope = (projection.error(q + step) - projection.error(q - step)) / (2.0 * kStep);
      EXPECT_LT((J.col(k) - slope).norm(), 1e-7) << problem.robot->coordinates()[k + 6].name;
      EXPECT_EQ(!J.col(k).isZero(0.0), projection.moves(k));
    }
  }
}

TEST(ContactProjection, PutsPosturesOntoTheContactsByLegJointsAlone) {
  const Problem problem = standingBiped();
  const Kinematics kinematics(*problem.robot);
  ContactProjection projection(problem, kinematics);
  const VecX start = problem.plannedPart(problem.start);
  test::Random random(72);
  for (int trial = 0; trial < 50; ++trial) {
    const VecX q = start + random.vectorX(static_cast<int>(start.size()), 0.3);
    VecX on = q;
    ASSERT_TRUE(projection.project(&on));
    EXPECT_LT(projection.error(on).cwiseAbs().maxCoeff(), 1e-12);
    for (int k = 0; k < q.size(); ++k) {
      EXPECT_TRUE(projection.moves(k) || on[k] == q[k]);
    }
  }
  // The legs' joints, and no others.
  int moving = 0;
  for (int k = 0; k < start.size(); ++k) moving += projection.moves(k) ? 1 : 0;
  EXPECT_EQ(moving, 12);
}

TEST(ContactProjection, LeavesWhatItCannotPutThere) {
  const Problem problem = standingBiped();
  const Kinematics kinematics(*problem.robot);
  ContactProjection projection(problem, kinematics);
  VecX q = problem.plannedPart(problem.start);
  q[3] = std::nan("");
  EXPECT_FALSE(projection.project(&q));
  EXPECT_TRUE(std::isnan(q[3]));
}

/// The problem with a limit of a planned coordinate changed.
Problem withUpperLimit(Problem problem, int planned, double upper) {
  RobotModel::Data data = problem.robot->data();
  data.coordinates[problem.planned[planned]].upper = upper;
  problem.robot = std::make_shared<RobotModel>(std::move(data));
  return problem;
}

TEST(ContactProjection, LeavesNoJointBeyondItsLimitAndMovesNoneThatIsHeld) {
  const Problem free = standingBiped();
  const Kinematics kinematics(*free.robot);
  ContactProjection unlimited(free, kinematics);
  const VecX start = free.plannedPart(free.start);
  const int n = static_cast<int>(start.size());
  test::Random random(75);
  int kept = 0, would_leave = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const VecX q = start + random.vectorX(n, 0.2);
    VecX there = q;
    ASSERT_TRUE(unlimited.project(&there));
    // A limit that the joint that moves most would pass: half way, where it is, or behind it.
    Eigen::Index most = 0;
    (there - q).maxCoeff(&most);
    const double share = trial % 3 == 0 ? 0.5 : trial % 3 == 1 ? 0.0 : -0.2;
    const double upper = q[most] + share * (there[most] - q[most]);
    const Problem problem = withUpperLimit(free, static_cast<int>(most), upper);
    ContactProjection projection(problem, kinematics);
    std::vector<bool> held(n, false);
    held[trial % n] = true;
    VecX on = q;
    would_leave += there[most] > std::max(upper, q[most]);
    if (!projection.project(&on, &held)) {
      EXPECT_EQ(on, q);
      continue;
    }
    ++kept;
    EXPECT_LT(projection.error(on).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LE(on[most], std::max(upper, q[most]));
    EXPECT_EQ(on[trial % n], q[trial % n]);
  }
  EXPECT_EQ(would_leave, 200);
  EXPECT_GT(kept, 180);  // twelve joints for six equations, less two
}

TEST(ContactFit, LeavesAJointAtItsLimitAsItIs) {
  const Problem free = standingBiped();
  const Kinematics kinematics(*free.robot);
  ContactFit fit(free, kinematics);
  const VecX start = free.plannedPart(free.start);
  test::Random random(76);
  int at_limits = 0;
  for (int trial = 0; trial < 5; ++trial) {
    const VecX goal = postureNear(fit, start, 0.3, random);
    const VecX bend = random.vectorX(static_cast<int>(start.size()), 0.3);
    const auto curve = fit.along(start, goal, bend, 12, 2.0);
    ASSERT_TRUE(curve.has_value());
    const auto without = fit.refitted(*curve);
    ASSERT_TRUE(without.has_value());
    for (int k = 0; k < curve->dimension(); ++k) {
      if (!fit.projection().moves(k)) continue;
      // The limit is the curve's own highest point, and the fit without it may go beyond.
      double highest = -HUGE_VAL, highest_without = -HUGE_VAL;
      const Problem problem = withUpperLimit(free, k, curve->control().row(k).maxCoeff());
      ContactFit limited(problem, kinematics);
      const auto half = limited.refitted(*curve);
      ASSERT_TRUE(half.has_value());
      for (int i = 0; i <= 500; ++i) {
        const double t = curve->duration() * i / 500.0;
        highest = std::max(highest, half->value(t)[k] - curve->value(t)[k]);
        highest_without = std::max(highest_without, without->value(t)[k] - curve->value(t)[k]);
      }
      EXPECT_LT(highest, 1e-14);
      at_limits += highest_without > 1e-9;
      EXPECT_LT(worstError(limited, *half), worstError(fit, *curve) / 25.0);
    }
  }
  EXPECT_GT(at_limits, 30);
}

TEST(ContactFit, StraightLinesAreOnTheContactsAtTheirGrevillePoints) {
  const Problem problem = standingBiped();
  const Kinematics kinematics(*problem.robot);
  ContactFit fit(problem, kinematics);
  const VecX start = problem.plannedPart(problem.start);
  test::Random random(73);
  for (int trial = 0; trial < 5; ++trial) {
    const VecX goal = postureNear(fit, start, 0.3, random);
    const VecX bend = trial == 0 ? VecX(VecX::Zero(start.size()))
                                 : random.vectorX(static_cast<int>(start.size()), 0.3);
    const auto curve = fit.along(start, goal, bend, 8, 2.0);
    ASSERT_TRUE(curve.has_value());
    for (double s : freeGrevillePoints(curve->basis())) {
      EXPECT_LT(fit.projection().error(curve->value(2.0 * s)).cwiseAbs().maxCoeff(), 1e-11);
    }
    EXPECT_LT((curve->value(0.0) - start).norm(), 1e-13);
    EXPECT_LT((curve->value(2.0) - goal).norm(), 1e-13);
    EXPECT_LT(curve->value(0.0, 1).norm() + curve->value(2.0, 2).norm(), 1e-10);
  }
}

TEST(ContactFit, DriftFallsThirtyfoldWithEachHalvingOfTheSpans) {
  const Problem problem = standingBiped();
  const Kinematics kinematics(*problem.robot);
  ContactFit fit(problem, kinematics);
  const VecX start = problem.plannedPart(problem.start);
  test::Random random(74);
  for (int trial = 0; trial < 5; ++trial) {
    const VecX goal = postureNear(fit, start, 0.3, random);
    const auto curve = fit.along(start, goal, VecX::Zero(start.size()), 12, 2.0);
    ASSERT_TRUE(curve.has_value());
    const auto half = fit.refitted(*curve);
    ASSERT_TRUE(half.has_value());
    const auto quarter = fit.refitted(*half);
    ASSERT_TRUE(quarter.has_value());
    const double first = worstError(fit, *curve), second = worstError(fit, *half);
    const double third = worstError(fit, *quarter);
    RecordProperty("drift", std::to_string(first));
    EXPECT_LT(second, first / 30.0) << first << " " << second;
    EXPECT_LT(third, second / 30.0) << second << " " << third;
    EXPECT_EQ(half->spanCount(), 24);
  }
}

TEST(ContactFit, DriftFallsAtAStraightKneeToo) {
  const Problem problem = standingBiped();
  const Kinematics kinematics(*problem.robot);
  ContactFit fit(problem, kinematics);
  const VecX start = problem.plannedPart(problem.start);
  // The right leg stretched out, the left one bent: the pelvis leans.
  const auto joint = [&](const char* name) { return problem.robot->findCoordinate(name) - 6; };
  VecX goal = start;
  goal[joint("l_hip_yaw")] = 0.2;
  goal[joint("l_hip_roll")] = 0.1;
  for (int i = 0; i < 200; ++i) {
    goal[joint("r_knee")] = 0.0;
    ASSERT_TRUE(fit.projection().project(&goal));
  }
  EXPECT_LT(std::abs(goal[joint("r_knee")]), 1e-3);
  EXPECT_GT(std::abs(goal[joint("l_knee")]), 0.1);
  const auto curve = fit.along(start, goal, VecX::Zero(start.size()), 8, 2.0);
  ASSERT_TRUE(curve.has_value());
  const auto half = fit.refitted(*curve);
  ASSERT_TRUE(half.has_value());
  EXPECT_LT(worstError(fit, *half), worstError(fit, *curve) / 30.0)
      << worstError(fit, *curve) << " " << worstError(fit, *half);
}

TEST(ContactFit, ARefitKeepsTheEndsAndAllOtherJoints) {
  const Problem problem = standingBiped();
  const Kinematics kinematics(*problem.robot);
  ContactFit fit(problem, kinematics);
  const VecX start = problem.plannedPart(problem.start);
  test::Random random(75);
  const VecX goal = postureNear(fit, start, 0.3, random);
  const auto curve = fit.along(start, goal, VecX::Zero(start.size()), 8, 2.0);
  ASSERT_TRUE(curve.has_value());
  // As a solver leaves it: on the contacts to some micrometres.
  MatX control = curve->control();
  for (int l = 3; l + 3 < control.cols(); ++l) {
    control.col(l) += random.vectorX(static_cast<int>(start.size()), 1e-5);
  }
  const BSpline solved = curve->withControl(control);
  const auto fitted = fit.refitted(solved);
  ASSERT_TRUE(fitted.has_value());
  for (double t : {0.0, 2.0}) {
    for (int order = 0; order < 3; ++order) {
      EXPECT_LT((fitted->value(t, order) - solved.value(t, order)).norm(), 1e-10);
    }
  }
  double change = 0.0, change_of_others = 0.0;
  for (int i = 0; i <= 100; ++i) {
    const VecX off = fitted->value(0.02 * i) - solved.value(0.02 * i);
    for (int k = 0; k < off.size(); ++k) {
      double& most = fit.projection().moves(k) ? change : change_of_others;
      most = std::max(most, std::abs(off[k]));
    }
  }
  EXPECT_LT(change_of_others, 1e-13);
  EXPECT_LT(change, 1e-3);
  EXPECT_GT(change, 1e-7);
}

}  // namespace
}  // namespace allclear
