#include "allclear/planner/certificate/limits.h"

#include <gtest/gtest.h>

#include <cmath>

#include "allclear/planner/certificate/torque.h"
#include "allclear/robot_models/kinematics.h"
#include "planner/certificate/certificate_fixture.h"

namespace allclear {
namespace {

using test::armTask;
using test::loadText;
using test::Random;
using test::splineOf;

const char* kAcross = "{lift: 0.1, shoulder: 1.2, elbow: -0.5, wrist: 0.5}";

bool mentions(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

TEST(CertifiedLimits, BoundsAreTheTrueExtremes) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Problem problem = loadText(armTask(kAcross));
    const Trajectory trajectory = splineOf(problem, 4.0, random, 0.4);
    const Certificate certificate = certify(problem, trajectory);
    std::size_t next = 1;  // after the duration
    for (int k = 0; k < problem.plannedCount(); ++k) {
      for (int order = 0; order < 4; ++order, ++next) {
        const CertifiedLimit& limit = certificate.limits[next];
        double least = 1e300, most = -1e300;
        for (int i = 0; i <= 20000; ++i) {
          const double x = trajectory.value(2e-4 * i, order)[k];
          least = std::min(least, x);
          most = std::max(most, x);
        }
        const double size = std::max({1.0, std::abs(least), std::abs(most)});
        EXPECT_LE(limit.lower, least + 1e-12 * size) << limit.subject << " " << limit.quantity;
        EXPECT_GE(limit.upper, most - 1e-12 * size);
        EXPECT_NEAR(limit.lower, least, 1e-4 * size) << limit.subject << " " << limit.quantity;
        EXPECT_NEAR(limit.upper, most, 1e-4 * size);
      }
    }
  }
}

TEST(CertifiedLimits, AJointThatIsTooFastIsNamedWithLimitAndTime) {
  const Problem problem = loadText(armTask(kAcross));
  Random random(1);
  const Trajectory trajectory = splineOf(problem, 0.6, random, 0.0);
  const Certificate certificate = certify(problem, trajectory);
  EXPECT_FALSE(certificate.clear);
  const auto fault =
      std::find_if(certificate.faults.begin(), certificate.faults.end(),
                   [](const std::string& text) { return mentions(text, "'shoulder': velocity"); });
  ASSERT_NE(fault, certificate.faults.end()) << certificate.message;
  EXPECT_TRUE(mentions(*fault, "limit of 2")) << *fault;
  for (const CertifiedLimit& limit : certificate.limits) {
    if (limit.subject != "shoulder" || limit.quantity != "velocity") continue;
    EXPECT_FALSE(limit.kept);
    EXPECT_NEAR(trajectory.value(limit.t, 1)[1], limit.upper, 1e-6);
    EXPECT_NEAR(limit.upper_limit, 2.0, 1e-12);
  }
}

TEST(CertifiedLimits, ACurveAlongItsLimitKeepsIt) {
  Problem problem = loadText(armTask(kAcross));
  Random random(1);
  const Trajectory trajectory = splineOf(problem, 4.0, random, 0.0);
  const Certificate first = certify(problem, trajectory);
  double fastest = 0.0;
  for (const CertifiedLimit& limit : first.limits) {
    if (limit.subject == "shoulder" && limit.quantity == "acceleration") {
      fastest = std::max(limit.upper, -limit.lower);
    }
  }
  problem.limits.acceleration = VecX::Constant(problem.robot->dimension(), std::nan(""));
  const int shoulder = problem.robot->findCoordinate("shoulder");
  problem.limits.acceleration[shoulder] = fastest;
  EXPECT_TRUE(certify(problem, trajectory).clear);
  problem.limits.acceleration[shoulder] = fastest * (1.0 - 1e-6) - 1e-8;
  EXPECT_FALSE(certify(problem, trajectory).clear);
}

TEST(CertifiedLimits, WrongEndsAreNamed) {
  const Problem problem = loadText(armTask(kAcross));
  const Problem other = loadText(armTask("{lift: 0.1, shoulder: 1.3, elbow: -0.5, wrist: 0.5}"));
  Random random(1);
  const Certificate goal = certify(problem, splineOf(other, 4.0, random, 0.0));
  EXPECT_FALSE(goal.clear);
  EXPECT_TRUE(mentions(goal.message, "at the goal joint 'shoulder' is at 1.3, not at 1.2"))
      << goal.message;
  Problem moved = problem;
  moved.start[problem.planned[2]] += 0.01;
  const Certificate start = certify(moved, splineOf(problem, 4.0, random, 0.0));
  EXPECT_TRUE(mentions(start.message, "at the start joint 'elbow'")) << start.message;
}

TEST(CertifiedLimits, AWholeTurnOfAContinuousJointStillArrives) {
  Problem problem = loadText(armTask(kAcross));
  Random random(1);
  Problem turned = problem;
  std::get<JointTarget>(turned.goal).values[3] += 2.0 * M_PI;
  EXPECT_TRUE(certify(problem, splineOf(turned, 8.0, random, 0.0)).clear);
}

TEST(CertifiedLimits, AJumpOfTheAccelerationIsSeen) {
  const Problem problem = loadText(armTask(kAcross));
  const VecX from = problem.plannedPart(problem.start);
  const VecX to = std::get<JointTarget>(problem.goal).values;
  MatX control(from.size(), 9);  // a cubic spline with a threefold knot: a corner in velocity
  for (int i = 0; i < 9; ++i) {
    const double s = std::clamp((i - 2.0) / 4.0, 0.0, 1.0);
    control.col(i) = (1.0 - s) * from + s * to;
  }
  auto basis = std::make_shared<const BSplineBasis>(
      std::vector<double>{0, 0, 0, 0, 0.3, 0.5, 0.5, 0.5, 0.8, 1, 1, 1, 1}, 3);
  const Certificate certificate = certify(problem, BSpline(basis, control, 6.0));
  EXPECT_FALSE(certificate.clear);
  bool seen = false;
  for (const std::string& fault : certificate.faults) {
    seen = seen ||
           (mentions(fault, "acceleration of joint 'shoulder' jumps") && mentions(fault, "t = 3"));
  }
  EXPECT_TRUE(seen) << certificate.message;
}

TEST(CertifiedLimits, PathConstraintsHoldBetweenSamples) {
  const std::string tight =
      "path_constraints: [{link: hand, keep_axis: x, direction: [1, 0, 0], tolerance: 0.8},\n"
      "  {link: hand, point: [0.1, 0, 0], box: {size: [4, 4, 0.5], pose: {position: [0, 0, "
      "0.65]}}}]\n";
  const Problem problem = loadText(armTask(kAcross, tight));
  Random random(4);
  const Trajectory trajectory = splineOf(problem, 5.0, random, 0.1);
  const Certificate certificate = certify(problem, trajectory);
  const int hand = problem.robot->findLink("hand");
  MotionTree tree(*problem.robot);
  double widest = 0.0, highest = -1e300;
  for (int i = 0; i <= 5000; ++i) {
    const VecX q = problem.configuration(trajectory.value(1e-3 * i));
    const Pose X = linkPosesOf(tree, std::vector<double>(q.begin(), q.end()))[hand];
    widest = std::max(widest, std::acos(std::clamp(X.R(0, 0), -1.0, 1.0)));
    highest = std::max(highest, (X * Vec3(0.1, 0, 0)).z() - 0.65);
  }
  int found = 0;
  for (const CertifiedLimit& limit : certificate.limits) {
    if (limit.quantity == "angle of the kept axis") {
      ++found;
      EXPECT_GE(limit.upper, widest - 1e-9);
      EXPECT_NEAR(limit.upper, widest, 1e-4);
      EXPECT_EQ(limit.kept, widest <= 0.8);
    }
    if (limit.quantity == "z in the box") {
      ++found;
      EXPECT_GE(limit.upper, highest - 1e-9);
      EXPECT_NEAR(limit.upper, highest, 1e-4);
    }
  }
  EXPECT_EQ(found, 2);
}

TEST(TorqueBounds, HoldTheTorquesOfAllInstantsAndAreTightNearTheLimit) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Problem problem = loadText(armTask(kAcross));
    const Trajectory trajectory = splineOf(problem, random.uniform(1.0, 3.0), random, 0.4);
    const Kinematics kinematics(*problem.robot);
    auto workspace = kinematics.makeWorkspace();
    VecX tau, least = VecX::Constant(4, 1e300), most = -least;
    for (int i = 0; i <= 5000; ++i) {
      const double t = trajectory.duration() * i / 5000;
      VecX v = VecX::Zero(problem.robot->dimension()), a = v;
      for (int k = 0; k < 4; ++k) {
        v[problem.planned[k]] = trajectory.value(t, 1)[k];
        a[problem.planned[k]] = trajectory.value(t, 2)[k];
      }
      kinematics.inverseDynamics(problem.configuration(trajectory.value(t)), v, a, workspace, tau);
      for (int k = 0; k < 4; ++k) {
        least[k] = std::min(least[k], tau[problem.planned[k]]);
        most[k] = std::max(most[k], tau[problem.planned[k]]);
      }
    }
    // Limits a little above what is reached: the bounds must show that they are kept.
    VecX limits(4);
    for (int k = 0; k < 4; ++k) limits[k] = 1.02 * std::max(std::abs(least[k]), std::abs(most[k]));
    const std::vector<DynamicsBound> bounds = torqueBounds(problem, trajectory, limits);
    for (int k = 0; k < 4; ++k) {
      EXPECT_LE(bounds[k].bound.lower, least[k]);
      EXPECT_GE(bounds[k].bound.upper, most[k]);
      EXPECT_LE(bounds[k].bound.upper, limits[k]);
      EXPECT_GE(bounds[k].bound.lower, -limits[k]);
    }
  }
}

}  // namespace
}  // namespace allclear
