// Retiming from end to end: what is certified, what is said of the rest, and how far from the least
// time it is.
#include "allclear/planner/retime.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "allclear/core/input_error.h"
#include "allclear/planner/certificate/follow_claim.h"
#include "allclear/planner/retiming/given_path.h"
#include "allclear/planner/retiming/path_motion.h"
#include "allclear/planner/timing.h"
#include "allclear/robot_models/robot.h"
#include "allclear/trajectories/spline_fit.h"
#include "planner/seeds/seed_scenes.h"
#include "support/time_optimal_bound.h"

namespace allclear {
namespace {

using test::freeProblem;

MatX randomPath(test::Random& random, int count) {
  MatX path(3, count);
  path.col(0) = random.vectorX(3, 1.0);
  for (int i = 1; i < count; ++i) {
    path.col(i) = path.col(i - 1) + random.vectorX(3, random.logUniform(1e-2, 1.0));
    path.col(i) = path.col(i).cwiseMax(-2.5).cwiseMin(2.5);
  }
  return path;
}

void expectCertified(const Problem& problem, const RetimedPath& done, double tolerance) {
  ASSERT_EQ(done.status, RetimeStatus::kCertified) << done.message;
  ASSERT_TRUE(done.certificate->follows);
  EXPECT_LE(done.certificate->follows->within, tolerance);
  EXPECT_NE(done.message.find("It follows the given path"), std::string::npos) << done.message;
  const CertificateVerdict verdict = verifyCertificate(problem, *done.certificate);
  EXPECT_TRUE(verdict.valid) << verdict.message;
}

TEST(RetimePath, CertifiesPolylinesWithinTheToleranceAndExactly) {
  test::Random random(23);
  for (int trial = 0; trial < 6; ++trial) {
    SCOPED_TRACE(trial);
    const MatX path = randomPath(random, random.integer(2, 9));
    const Problem problem = freeProblem(path);
    const RetimedPath rounded = retime(problem, path, {.tolerance = 0.02});
    expectCertified(problem, rounded, 0.02);
    EXPECT_EQ(rounded.rests, 0);
    const RetimedPath exact = retime(problem, path, {.tolerance = 0.0});
    expectCertified(problem, exact, 1e-9);
    EXPECT_EQ(exact.rests, path.cols() - 2);
    EXPECT_LE(rounded.trajectory->duration(), exact.trajectory->duration());
  }
}

TEST(RetimePath, IsNearTheTimeOptimalBoundWithoutJerkLimits) {
  test::Random random(29);
  std::vector<double> ratios;
  for (int trial = 0; trial < 7; ++trial) {
    SCOPED_TRACE(trial);
    const MatX path = randomPath(random, trial % 7 + 2);
    Problem problem = freeProblem(path);
    problem.limits.jerk = VecX::Constant(3, std::numeric_limits<double>::infinity());
    const RetimedPath done = retime(problem, path);
    expectCertified(problem, done, 0.01);
    const double least = test::timeOptimalBound(plannedLimits(problem), *done.trajectory);
    ratios.push_back(done.trajectory->duration() / least);
    EXPECT_GT(ratios.back(), 0.995);  // the bound's own grid
    EXPECT_LT(ratios.back(), 1.05);   // a motion of 0.1 s has ramps of 4 ms
  }
  std::sort(ratios.begin(), ratios.end());
  EXPECT_LT(ratios[ratios.size() / 2], 1.01);
}

/// The bound itself, where the least time is known.
TEST(TimeOptimalBound, IsThatOfAStraightLine) {
  const MatX ends = (MatX(3, 2) << 0.0, 1.5, 0.0, 0.3, 0.0, 0.0).finished();
  const Problem problem = freeProblem(ends);
  const PlannedLimits limits = plannedLimits(problem);
  const Trajectory slow = restingAtCorners(problem, {ends.col(0), ends.col(1)});
  // L / v + v / a of the first joint.
  const double v = limits.velocity[0], a = limits.acceleration[0];
  EXPECT_NEAR(test::timeOptimalBound(limits, slow, 2000), 1.5 / v + v / a, 2e-3);
}

TEST(RetimePath, ThousandsOfRowsRepeatedAndNoisyAreNoHindrance) {
  MatX path(3, 3000);
  for (Eigen::Index i = 0; i < path.cols(); ++i) {
    const double s = 2.0 * static_cast<double>(i / 3) / 1000.0;  // each row three times
    path.col(i) = Vec3(std::sin(s), 0.5 * std::cos(2.0 * s), 0.2 * s);
    if (i > 0 && i < 2999) path(2, i) += i % 2 == 0 ? 1e-9 : 0.0;
  }
  const Problem problem = freeProblem(path);
  const RetimedPath done = retime(problem, path, {.tolerance = 0.005});
  expectCertified(problem, done, 0.005);
  EXPECT_EQ(done.rests, 0);
  // At the tolerance of a smooth curve, not at the pace of its thousand corners.
  EXPECT_LT(done.trajectory->duration(), 4.0);
}

TEST(RetimePath, ACoordinateThatWrapsGoesOn) {
  const MatX path =
      (MatX(3, 4) << 2.9, 3.1, -3.1, -2.9, 0.0, 0.1, 0.1, 0.0, 0.0, 0.0, 0.1, 0.2).finished();
  const Problem problem = freeProblem(path, true);
  const RetimedPath done = retime(problem, path);
  expectCertified(problem, done, 0.01);
  EXPECT_NEAR(done.trajectory->value(done.trajectory->duration())[0], 2.0 * std::numbers::pi - 2.9,
              1e-9);
}

TEST(RetimePath, ATooFastTrajectoryIsSlowedDownOnItsPath) {
  test::Random random(31);
  const MatX path = randomPath(random, 4);
  const Problem problem = freeProblem(path);
  const HermiteCurve smooth = interpolatePositions({0.0, 0.01, 0.02, 0.03}, path);
  ASSERT_FALSE(certify(problem, smooth).clear);
  const RetimedPath done = retime(problem, Trajectory(smooth), {.tolerance = 0.0});
  expectCertified(problem, done, 1e-4);
  // A cubic curve, whose acceleration jumps, needs a tolerance.
  MatX v = MatX::Zero(3, 4);
  v.col(1) = Vec3(1.0, 2.0, 3.0);
  const Trajectory cubic = HermiteCurve({0.0, 0.1, 0.2, 0.3}, path, v);
  EXPECT_THROW(retime(problem, cubic, {.tolerance = 0.0}), InputError);
  expectCertified(problem, retime(problem, cubic), 0.01);
}

/// A ball in the way of the rounded motion, but not of the path: only a smaller rounding is clear.
TEST(RetimePath, RoundsLessWhereARoundingWouldTouch) {
  test::Random random(43);
  int found = 0;
  for (int trial = 0; trial < 12 && found < 3; ++trial) {
    SCOPED_TRACE(trial);
    const MatX path = randomPath(random, 4);
    Problem problem = freeProblem(path);
    const RetimedPath wide = retime(problem, path, {.tolerance = 0.3});
    const RetimedPath exact = retime(problem, path, {.tolerance = 0.0});
    const Robot robot(problem.robot);
    Obstacle ball;
    ball.id = "ball";
    ball.geometry = {{Sphere(0.02), Pose()}};
    for (int i = 1; i < 40; ++i) {
      // On the last link's end, where it is when corners are rounded.
      const VecX q = wide.trajectory->value(wide.trajectory->duration() * i / 40);
      ball.X_WO.p = robot.pose(q, "link2") * Vec3(0.38, i % 2 == 0 ? 0.025 : -0.025, 0.0);
      problem.obstacles = {ball};
      if (!certify(problem, *exact.trajectory).clear) continue;
      const RetimedPath around = retime(problem, path, {.tolerance = 0.3});
      expectCertified(problem, around, 0.3);
      EXPECT_GT(around.rounds, 1);
      EXPECT_LE(around.trajectory->duration(), exact.trajectory->duration());
      ++found;
      break;
    }
  }
  EXPECT_GT(found, 0);
}

TEST(RetimePath, APathThatTouchesIsNamedWithPairPlaceAndDepth) {
  const Problem problem = test::wallProblem();
  const MatX path = (MatX(3, 3) << -0.7, 0.0, 0.7, 0.2, 0.0, -0.2, 0.1, 0.0, -0.1).finished();
  const RetimedPath done = retime(problem, path);
  EXPECT_EQ(done.status, RetimeStatus::kPathNotClear);
  EXPECT_NE(done.message.find("the path itself is not clear"), std::string::npos) << done.message;
  EXPECT_NE(done.message.find("'wall'"), std::string::npos) << done.message;
  EXPECT_NE(done.message.find("of the path"), std::string::npos) << done.message;
  EXPECT_NE(done.message.find(" mm"), std::string::npos) << done.message;
}

TEST(RetimePath, AClaimThatIsTooBoldIsRefused) {
  test::Random random(37);
  const MatX path = randomPath(random, 4);
  const Problem problem = freeProblem(path);
  const RetimedPath done = retime(problem, path);
  ASSERT_EQ(done.status, RetimeStatus::kCertified) << done.message;
  Certificate bold = *done.certificate;
  bold.follows->within *= 0.5;
  EXPECT_FALSE(verifyCertificate(problem, bold).valid);
  EXPECT_FALSE(followFault(bold).empty());
  EXPECT_TRUE(followFault(*done.certificate).empty());
  EXPECT_NE(followSentence(bold), followSentence(*done.certificate));
  Certificate other = *done.certificate;
  MatX moved = path;
  moved(0, 1) += 0.1;
  other.follows->path = HermiteCurve({0.0, 1.0, 2.0, 3.0}, moved);
  EXPECT_FALSE(verifyCertificate(problem, other).valid);
}

TEST(RetimePath, WhatCannotBeRetimedIsSaid) {
  const MatX path = (MatX(3, 2) << 0.0, 1.0, 0.0, 0.0, 0.0, 0.0).finished();
  Problem problem = freeProblem(path);
  EXPECT_THROW(retime(problem, MatX::Zero(3, 1)), InputError);
  EXPECT_THROW(retime(problem, MatX::Zero(3, 4)), InputError);
  EXPECT_THROW(retime(problem, MatX::Zero(2, 2)), InputError);
  EXPECT_THROW(retime(problem, path, {.tolerance = -1.0}), InputError);
  problem.start_velocity = Vec3(0.1, 0.0, 0.0);
  EXPECT_THROW(retime(problem, path), InputError);
}

TEST(GivenPath, EndsThatAreNearlyRightAreMoved) {
  MatX path = (MatX(3, 3) << 0.0, 0.5, 1.0, 0.0, 0.3, 0.0, 0.0, 0.0, 0.0).finished();
  const Problem problem = freeProblem(path);
  path(0, 0) += 1e-3;
  path(1, 2) -= 1e-3;
  const GivenPath given = givenPath(problem, polyline(path), 0.01);
  EXPECT_EQ(given.points.col(0), problem.start);
  EXPECT_EQ(given.points.col(2), std::get<JointTarget>(problem.goal).values);
  EXPECT_EQ(given.path.value(0.0), path.col(0)) << "the claim is about the path as given";
  EXPECT_LT(given.room_share, 1.0);
  expectCertified(problem, retime(problem, path), 0.01);
  EXPECT_EQ(givenPath(problem, polyline(path), 1e-4).points, path) << "too far for this tolerance";
}

/// Each row is on the path at the place that is said.
TEST(PathMotion, KnowsWhereItsRowsAre) {
  test::Random random(41);
  const MatX path = randomPath(random, 6);
  const Problem problem = freeProblem(path);
  const auto stretches = roundedPath(path, {0.01, 0.01, 0.01, 0.0, 0.01, 0.01});
  ASSERT_EQ(stretches.size(), 2u);
  const PathMotion motion = fastestAlong(problem, stretches);
  ASSERT_EQ(motion.places.size(), motion.curve.times().size());
  for (std::size_t i = 0; i < motion.places.size(); ++i) {
    const PathMotion::Place& place = motion.places[i];
    const PathStretch& stretch = stretches[static_cast<std::size_t>(place.stretch)];
    const VecX q = stretch.at(stretch.pieceAt(place.s), place.s)[0];
    EXPECT_LT((q - motion.curve.positions().col(static_cast<Eigen::Index>(i))).norm(), 1e-4) << i;
  }
}

}  // namespace
}  // namespace allclear
