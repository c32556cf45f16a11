#include "allclear/planner/retiming/retime.h"

#include <gtest/gtest.h>

#include "allclear/planner/certificate.h"
#include "allclear/planner/retiming/pace_rows.h"
#include "allclear/planner/seeds/path_spline.h"
#include "allclear/planner/timing.h"
#include "planner/seeds/seed_scenes.h"
#include "support/least_time.h"

namespace allclear {
namespace {

/// The arm of three joints alone, with the given limits, from the curve's start to its end.
Problem freeProblem(const Trajectory& curve, const VecX& a, const VecX& j) {
  Problem problem = test::wallProblem();
  problem.obstacles.clear();
  problem.collision.allowed = {{"link0", "link2"}};
  problem.start = curve.value(0.0);
  problem.goal = JointTarget{{0, 1, 2}, curve.value(curve.duration())};
  problem.limits.acceleration = a;
  problem.limits.jerk = j;
  problem.duration.min = 1e-3;
  return problem;
}

/// A curve from rest to rest whose inner control points are drawn.
BSpline randomCurve(test::Random& random, int spans, double size) {
  MatX control(3, spans + 5);
  for (Eigen::Index i = 0; i < control.cols(); ++i) control.col(i) = random.vectorX(3, size);
  for (int i = 1; i < 3; ++i) {
    control.col(i) = control.col(0);
    control.col(control.cols() - 1 - i) = control.col(control.cols() - 1);
  }
  return {control, random.logUniform(0.3, 30.0)};
}

/// Largest distance of samples of the retimed curve from the old one.
double distanceFromPath(const HermiteCurve& curve, const Trajectory& path) {
  std::vector<VecX> points;
  for (int i = 0; i <= 4000; ++i) points.push_back(path.value(path.duration() * i / 4000));
  double worst = 0.0;
  for (int i = 0; i <= 400; ++i) {
    const VecX q = curve.value(curve.duration() * i / 400);
    double nearest = HUGE_VAL;
    for (std::size_t k = 1; k < points.size(); ++k) {
      const VecX d = points[k] - points[k - 1];
      const double s =
          std::clamp((q - points[k - 1]).dot(d) / std::max(1e-300, d.squaredNorm()), 0.0, 1.0);
      nearest = std::min(nearest, (points[k - 1] + s * d - q).norm());
    }
    worst = std::max(worst, nearest);
  }
  return worst;
}

void expectCertified(const Problem& problem, const HermiteCurve& curve) {
  const Certificate certificate = certify(problem, controllerRows(curve));
  for (const CertifiedLimit& limit : certificate.limits) {
    EXPECT_TRUE(limit.kept) << limit.subject << " " << limit.quantity << " " << limit.lower << " "
                            << limit.upper << " of " << limit.upper_limit;
  }
  EXPECT_TRUE(certificate.clear) << certificate.message;
}

/// One joint that moves most, others that move less or not at all: the least time is known.
TEST(Retime, ReachesTheDoubleSOfAStraightLine) {
  test::Random random(11);
  for (int trial = 0; trial < 40; ++trial) {
    SCOPED_TRACE(trial);
    const double length = random.logUniform(1e-3, 2.5);
    const VecX from = random.vectorX(3, 0.1);
    const VecX to = from + length * Vec3(1.0, random.chance(0.5) ? 0.0 : 0.3, -0.1);
    const BSpline line = straightSpline(from, to, 8, random.logUniform(0.1, 20.0));
    const double a = random.logUniform(1.0, 30.0), j = a * random.logUniform(3.0, 30.0);
    const Problem problem = freeProblem(line, VecX::Constant(3, a), VecX::Constant(3, j));
    const auto fast = retimed(problem, line);
    ASSERT_TRUE(fast);
    const double least = test::doubleSTime(length, 2.0, a, j);
    EXPECT_GE(fast->curve.duration(), least * (1.0 - 1e-6));
    EXPECT_LE(fast->curve.duration(), least * 1.025);
    EXPECT_LT(distanceFromPath(fast->curve, line), 1e-6);
    expectCertified(problem, fast->curve);
  }
}

/// With jerk limits that matter little the pass within velocities and accelerations is the least.
TEST(Retime, IsNearTheTimeOptimalPassOfRandomPaths) {
  test::Random random(12);
  double sum = 0.0;
  constexpr int kTrials = 25;
  for (int trial = 0; trial < kTrials; ++trial) {
    SCOPED_TRACE(trial);
    const BSpline curve = randomCurve(random, random.integer(4, 12), random.logUniform(0.05, 1.0));
    const double a = random.logUniform(3.0, 30.0);
    const Problem problem =
        freeProblem(curve, VecX::Constant(3, a), VecX::Constant(3, a * random.logUniform(50, 500)));
    const auto fast = retimed(problem, curve, {.row_step = 0.02});
    ASSERT_TRUE(fast);
    const double least = test::TimeOptimalPass(plannedLimits(problem), curve).seconds();
    EXPECT_GE(fast->curve.duration(), 0.98 * least);
    EXPECT_LE(fast->curve.duration(), 1.3 * least);
    EXPECT_LE(fast->curve.duration(), 1.2 * fast->pass);
    sum += fast->curve.duration() / least;
    expectCertified(problem, fast->curve);
  }
  EXPECT_LT(sum / kTrials, 1.15);
}

/// Whatever the limits, the old pace never wins, and limits hold.
TEST(Retime, KeepsLimitsOfEverySize) {
  test::Random random(13);
  for (int trial = 0; trial < 30; ++trial) {
    SCOPED_TRACE(trial);
    const BSpline curve = randomCurve(random, random.integer(1, 16), random.logUniform(1e-3, 1.0));
    VecX a(3), j(3);
    for (int k = 0; k < 3; ++k) {
      a[k] = random.logUniform(1e-3, 1e3);
      j[k] = random.logUniform(1e-3, 1e3);
    }
    Problem problem = freeProblem(curve, a, j);
    problem.duration.max = 1e5;
    const auto fast = retimed(problem, curve);
    ASSERT_TRUE(fast);
    EXPECT_LT(fast->curve.duration(), 1.01 * neededDuration(problem, curve));
    EXPECT_LE(neededStretch(plannedLimits(problem), controllerRows(fast->curve)), 1.0 + 1e-6);
    EXPECT_LT(distanceFromPath(fast->curve, curve), 1e-3);
    expectCertified(problem, fast->curve);
  }
}

/// A motion that rests on its way: each leg becomes as fast as it can be, and rests stay rests.
TEST(Retime, PassesRestsAndCusps) {
  Problem problem = test::wallProblem();
  const std::vector<VecX> path{Vec3(0.0, 0.0, 0.0), Vec3(1.0, 0.2, 0.0), Vec3(1.0, 0.2, 0.3),
                               Vec3(0.2, 0.04, 0.3)};  // the last two legs go sideways, and back
  const HermiteCurve slow = restingAtCorners(problem, path);
  problem = freeProblem(slow, {}, {});
  const auto fast = retimed(problem, slow);
  ASSERT_TRUE(fast);
  double least = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    least += test::perJointLeastTime(plannedLimits(problem), path[i - 1], path[i]);
  }
  EXPECT_LT(fast->curve.duration(), 0.95 * slow.duration());
  EXPECT_GE(fast->curve.duration(), least * (1.0 - 1e-6));
  EXPECT_LE(fast->curve.duration(), least * 1.06);
  expectCertified(problem, fast->curve);
}

TEST(Retime, KeepsVelocitiesAtTheEnds) {
  MatX control(3, 13);
  for (int i = 0; i < 13; ++i) control.col(i) = Vec3(0.1 * i, 0.05 * i, 0.01 * i * i);
  const BSpline curve(control, 6.0);
  Problem problem = freeProblem(curve, {}, {});
  problem.start_velocity = curve.value(0.0, 1);
  problem.start_acceleration = curve.value(0.0, 2);
  problem.goal_velocity = curve.value(6.0, 1);
  problem.goal_acceleration = curve.value(6.0, 2);
  problem.after = AfterEnd::kUnknown;
  ASSERT_LT(neededStretch(plannedLimits(problem), curve), 1.0);
  const auto fast = retimed(problem, curve);
  ASSERT_TRUE(fast);
  EXPECT_LT(fast->curve.duration(), 0.8 * 6.0);
  expectCertified(problem, fast->curve);
}

TEST(Retime, KeepsTorques) {
  const BSpline curve = straightSpline(Vec3(-0.7, 0.2, 0.1), Vec3(0.7, -0.2, -0.1), 8, 3.0);
  Problem problem = freeProblem(curve, {}, {});
  RobotModel::Data data = problem.robot->data();
  for (Link& link : data.links) {
    link.inertia.mass = 2.0;
    link.inertia.p_LC = Vec3(0.2, 0.0, 0.0);
    link.inertia.I_C = 0.03 * Mat3::Identity();
  }
  problem.robot = std::make_shared<const RobotModel>(std::move(data));
  const double free = retimed(problem, curve)->curve.duration();
  problem.limits.torque = true;
  const TorqueFunction torques = torquesOf(problem);
  double most = 0.0;
  const HermiteCurve unlimited = retimed(problem, curve, {.torque_share = 1e6})->curve;
  for (int i = 0; i <= 200; ++i) {
    const double t = unlimited.duration() * i / 200;
    most = std::max(most, torques(unlimited.value(t), unlimited.value(t, 1), unlimited.value(t, 2))
                              .cwiseAbs()
                              .maxCoeff());
  }
  data = problem.robot->data();
  for (auto& coordinate : data.coordinates) coordinate.effort = 0.6 * most;
  problem.robot = std::make_shared<const RobotModel>(std::move(data));
  const auto limited = retimed(problem, curve, {.torque_share = 0.95});
  ASSERT_TRUE(limited);
  EXPECT_GT(limited->curve.duration(), 1.02 * free);
  expectCertified(problem, limited->curve);
}

TEST(Retime, LeavesWhatStandsStill) {
  const BSpline curve = straightSpline(Vec3::Zero(), Vec3::Zero(), 8, 1.0);
  EXPECT_FALSE(retimed(freeProblem(curve, {}, {}), curve));
}

TEST(Retime, IsSlowerWhereSmoothnessCounts) {
  const BSpline curve = straightSpline(Vec3::Zero(), Vec3(1.0, 0.4, -0.2), 8, 1.0);
  const Problem problem = freeProblem(curve, {}, {});
  const auto jerk = [](const HermiteCurve& c) {
    double sum = 0.0;
    for (int i = 0; i < 2000; ++i) {
      sum += c.value(c.duration() * (i + 0.5) / 2000, 3).squaredNorm() * c.duration() / 2000;
    }
    return sum;
  };
  const HermiteCurve fast = retimed(problem, curve)->curve;
  const HermiteCurve smooth =
      retimed(problem, curve, {.smoothness = 1.0, .gentleness = 0.2})->curve;
  EXPECT_GT(smooth.duration(), fast.duration());
  EXPECT_LT(jerk(smooth), 0.7 * jerk(fast));
}

}  // namespace
}  // namespace allclear
