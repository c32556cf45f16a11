// Trajectories of rows, as a controller runs them that is sent their columns.
#include "allclear/planner/certificate/interpolation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "allclear/core/input_error.h"
#include "allclear/planner/certificate/limits.h"
#include "allclear/trajectories/spline_fit.h"
#include "allclear/trajectories/trajectory_files.h"
#include "planner/certificate/certificate_fixture.h"

namespace allclear {
namespace {

using test::armTask;
using test::boxAt;
using test::boxScene;
using test::InstantOracle;
using test::loadText;
using test::Random;

const char* kAcross = "{lift: 0.1, shoulder: 1.2, elbow: -0.5, wrist: 0.5}";

bool mentions(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

/// Rows from start to goal, `step` seconds apart; those between are up to `bend` off the straight
/// line.
struct Rows {
  std::vector<double> times;
  MatX positions;
  MatX velocities;

  Trajectory linear() const { return HermiteCurve(times, positions); }
  Trajectory cubic() const { return HermiteCurve(times, positions, velocities); }
};

Rows rowsOf(const Problem& problem, int count, double step, Random& random, double bend) {
  const VecX from = problem.plannedPart(problem.start);
  const VecX to = std::get<JointTarget>(problem.goal).values;
  Rows rows;
  rows.positions.resize(from.size(), count);
  rows.velocities = MatX::Zero(from.size(), count);
  for (int i = 0; i < count; ++i) {
    const double s = i / (count - 1.0);
    rows.times.push_back(step * i);
    rows.positions.col(i) = (1.0 - s) * from + s * to;
    if (i == 0 || i + 1 == count) continue;
    VecX offset = random.vectorX(static_cast<int>(from.size()), bend);
    offset[0] *= 0.1;
    rows.positions.col(i) += offset;
    rows.velocities.col(i) = random.vectorX(static_cast<int>(from.size()), bend / step);
    rows.velocities(0, i) *= 0.1;
  }
  return rows;
}

/// A post stands where the controller's straight line leads the hand; the smooth spline through the
/// same rows passes it, now and then by centimetres.
TEST(Interpolation, ThePostThatTheSplinePassesAndTheStraightLineHitsIsSeen) {
  Problem problem =
      loadText(armTask(kAcross, boxScene(boxAt("post", {0.02, 0.02, 0.1}, {9.0, 9.0, 9.0}))));
  const MotionTree tree(*problem.robot);
  int passed = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Rows rows = rowsOf(problem, 4, 10.0, random, 2.0);
    // From the file that a controller is sent: no column but the positions.
    const std::string csv =
        formatTrajectoryCsv(HermiteCurve(rows.times, rows.positions), plannedNames(problem));
    const Trajectory line = parseTrajectoryCsv(csv, "x.csv").trajectory;
    const VecX q = problem.configuration(line.value(random.uniform(3.0, 27.0)));
    const auto X_WL = linkPosesOf(tree, std::vector<double>(q.begin(), q.end()));
    problem.obstacles[0].X_WO.p = X_WL[problem.robot->findLink("hand")].p;
    const Certificate of_spline =
        certify(problem, interpolatePositions(rows.times, rows.positions));
    if (of_spline.minimum_clearance.lower < 0.02) continue;
    ++passed;
    const Certificate of_line = certify(problem, line);
    EXPECT_FALSE(of_line.clear) << of_line.message;
    EXPECT_TRUE(
        std::any_of(of_line.faults.begin(), of_line.faults.end(),
                    [](const std::string& fault) { return mentions(fault, "'post' overlap"); }))
        << of_line.message;
  }
  EXPECT_GE(passed, 3);
}

TEST(Interpolation, StraightLinesAreCertifiedAndTheVerdictSaysWhatIsNotCovered) {
  Problem problem = loadText(armTask(kAcross));
  Random random(3);
  const Rows rows = rowsOf(problem, 5, 2.0, random, 0.1);
  const Certificate certificate = certify(problem, rows.linear());
  ASSERT_TRUE(certificate.clear) << certificate.message;
  EXPECT_TRUE(mentions(certificate.message,
                       "Clear at every instant of 8 s as piecewise linear motion between its 5 "
                       "rows: "))
      << certificate.message;
  ASSERT_EQ(certificate.not_covered.size(), 1u);
  EXPECT_TRUE(mentions(certificate.not_covered[0],
                       "acceleration, jerk, velocity at the ends and continuity of velocity "
                       "(linear between its rows: the velocity of '"))
      << certificate.not_covered[0];
  EXPECT_TRUE(mentions(certificate.message, "Not covered: acceleration, jerk, "));
  for (const CertifiedLimit& limit : certificate.limits) {
    EXPECT_TRUE(limit.quantity == "duration" || limit.quantity == "position" ||
                limit.quantity == "velocity")
        << limit.quantity;
  }
  const CertificateVerdict verdict = verifyCertificate(problem, certificate);
  EXPECT_TRUE(verdict.valid) << verdict.message;

  // The greatest jump is the one named.
  double most = 0.0;
  const HermiteCurve line = *rows.linear().hermite();
  for (int i = 0; i <= line.spanCount(); ++i) {
    const VecX before = i == 0 ? VecX::Zero(4).eval() : line.value(2.0 * i - 1.0, 1);
    const VecX after = i == line.spanCount() ? VecX::Zero(4).eval() : line.value(2.0 * i + 1.0, 1);
    most = std::max(most, (after - before).cwiseAbs().maxCoeff());
  }
  char text[32];
  std::snprintf(text, sizeof text, "jumps by %.4g at", most);
  EXPECT_TRUE(mentions(certificate.not_covered[0], text)) << certificate.not_covered[0];

  problem.limits.torque = true;
  EXPECT_TRUE(mentions(certify(problem, rows.linear()).message, "torque (linear between"));
}

TEST(Interpolation, AStraightLineThatIsTooFastIsRefused) {
  const Problem problem = loadText(armTask(kAcross));
  Random random(3);
  const Certificate certificate = certify(problem, rowsOf(problem, 5, 0.1, random, 0.1).linear());
  EXPECT_FALSE(certificate.clear);
  EXPECT_TRUE(
      mentions(certificate.message, "Not clear as piecewise linear motion between its 5 rows: "))
      << certificate.message;
  EXPECT_TRUE(mentions(certificate.message, "velocity")) << certificate.message;
}

TEST(Interpolation, OfCubicsTheAccelerationIsBoundedByPieceAndTheJerkIsNotCovered) {
  const Problem problem = loadText(armTask(kAcross));
  Random random(4);
  const Rows rows = rowsOf(problem, 6, 2.0, random, 0.1);
  const Certificate certificate = certify(problem, rows.cubic());
  ASSERT_TRUE(certificate.clear) << certificate.message;
  ASSERT_EQ(certificate.not_covered.size(), 1u);
  EXPECT_TRUE(mentions(certificate.not_covered[0],
                       "jerk, acceleration at the ends and continuity of acceleration (cubic "));
  int accelerations = 0;
  for (const CertifiedLimit& limit : certificate.limits) {
    EXPECT_NE(limit.quantity, "jerk");
    if (limit.quantity != "acceleration") continue;
    double least = 0.0, most = 0.0;
    const Trajectory cubic = rows.cubic();
    for (int i = 0; i < cubic.spanCount(); ++i) {  // linear by piece: its ends tell
      const MatX ends = cubic.derivativeSpan(i, 2).control().row(accelerations);
      least = std::min(least, ends.minCoeff());
      most = std::max(most, ends.maxCoeff());
    }
    EXPECT_NEAR(limit.lower, least, 1e-9 * (1.0 - least));
    EXPECT_NEAR(limit.upper, most, 1e-9 * (1.0 + most));
    ++accelerations;
  }
  EXPECT_EQ(accelerations, problem.plannedCount());
  const CertificateVerdict verdict = verifyCertificate(problem, certificate);
  EXPECT_TRUE(verdict.valid) << verdict.message;
  // A start with a velocity is not the rest that the task asks for.
  MatX velocities = rows.velocities;
  velocities(1, 0) = 0.01;
  EXPECT_TRUE(
      mentions(certify(problem, HermiteCurve(rows.times, rows.positions, velocities)).message,
               "at the start the velocity"));
}

TEST(Interpolation, QuinticRowsAndSplinesKeepTheFullDemand) {
  const Problem problem = loadText(armTask(kAcross));
  Random random(5);
  const Trajectory spline = test::splineOf(problem, 4.0, random, 0.05);
  for (const Trajectory& curve : {spline, Trajectory(controllerRows(spline))}) {
    EXPECT_EQ(requiredContinuity(curve), 2);
    EXPECT_TRUE(demandsLeftOpen(problem, curve).empty());
    const Certificate certificate = certify(problem, curve);
    EXPECT_TRUE(certificate.clear) << certificate.message;
    EXPECT_TRUE(certificate.not_covered.empty());
  }
  // A B-spline of degree 1 is no row of positions that somebody sends: nothing is left open.
  const MatX corners = rowsOf(problem, 4, 1.0, random, 0.3).positions;
  const std::vector<std::string> faults = certify(problem, BSpline(corners, 8.0, 1)).faults;
  EXPECT_TRUE(std::any_of(faults.begin(), faults.end(), [](const std::string& fault) {
    return mentions(fault, "the velocity of joint 'elbow' jumps by");
  }));
}

TEST(Interpolation, RandomRowsAreClearOnlyIfNoSampleIsTooNear) {
  int clear = 0, refused = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Vec3 at(random.uniform(0.3, 0.8), random.uniform(0.1, 0.8), random.uniform(0.4, 0.8));
    const Problem problem = loadText(armTask(kAcross, boxScene(boxAt("box", {0.1, 0.1, 0.1}, at))));
    const Rows rows = rowsOf(problem, 4, 2.0, random, 0.4);
    for (const Trajectory& curve : {rows.linear(), rows.cubic()}) {
      const Certificate certificate = certify(problem, curve);
      const InstantOracle oracle(problem, curve);
      double least = 1e300;
      for (int i = 0; i <= 600; ++i) least = std::min(least, oracle.leastDistance(0.01 * i));
      EXPECT_GE(least, certificate.minimum_clearance.lower - 1e-9);
      if (certificate.minimum_clearance.lower >= problem.collision.margin) {
        ++clear;
        EXPECT_GE(least, problem.collision.margin);
      } else {
        ++refused;
        EXPECT_LE(oracle.leastDistance(certificate.closest_t), 2.0 * problem.collision.margin);
      }
    }
  }
  EXPECT_GT(clear, 10);
  EXPECT_GT(refused, 10);
}

TEST(Interpolation, OddNumbersAreRefusedOrRightlyClear) {
  const Problem problem = loadText(armTask(kAcross));
  const std::string header = "time,lift,shoulder,elbow,wrist\n", start = "0,0.1,0,0.5,0\n";
  const auto verdictOf = [&](const std::string& rows) -> std::string {
    try {
      const Trajectory curve = parseTrajectoryCsv(header + start + rows, "x.csv").trajectory;
      const Certificate certificate = certify(problem, curve);
      if (!certificate.clear) return "refuted";
      EXPECT_TRUE(verifyCertificate(problem, certificate).valid) << rows;
      return "clear";
    } catch (const InputError&) {
      return "refused";
    }
  };
  const std::string goal = ",0.1,1.2,-0.5,0.5\n";
  EXPECT_EQ(verdictOf("8" + goal), "clear");
  EXPECT_EQ(verdictOf("8" + goal + "8.000000002" + goal), "clear") << "at rest for 2 ns";
  EXPECT_EQ(verdictOf("4,0.1,0,0.5,5e-324\n8" + goal), "clear");
  EXPECT_EQ(verdictOf("1.1e-9" + goal), "refuted") << "1e9 rad/s";
  EXPECT_EQ(verdictOf("4,0.1,0.5,0.5,99\n8" + goal), "refuted");
  EXPECT_EQ(verdictOf("4,0.1,0.5,0.5,1e9\n8" + goal), "refused") << "turns without end";
  EXPECT_EQ(verdictOf("8,0.1,1.2,-0.5,1e10\n"), "refused");
  EXPECT_EQ(verdictOf("8,0.1,1.2,-0.5,nan\n"), "refused");
  EXPECT_EQ(verdictOf("8,0.1,1.2,-0.5,inf\n"), "refused");
  EXPECT_EQ(verdictOf("1e-10" + goal), "refused");
  EXPECT_EQ(verdictOf("-1" + goal), "refused");
}

}  // namespace
}  // namespace allclear
