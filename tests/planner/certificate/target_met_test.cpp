#include "allclear/planner/certificate/target_met.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "allclear/planner/problem/alternatives.h"
#include "allclear/planner/problem/pose_error.h"
#include "planner/certificate/certificate_fixture.h"
#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

using test::Random;

std::vector<Pose> posesAt(const Problem& problem, const VecX& q) {
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.configuration(q), workspace, X_WL);
  return X_WL;
}

/// The rotation vector of the whole turn from the target to P; with a free turn about axis k, of
/// the least rotation among those that differ by such a turn: tried one by one.
Vec3 turnByTrial(const Mat3& R_TP, const AxisBounds& axes) {
  const auto vectorOf = [](const Mat3& R) -> Vec3 {
    const Eigen::AngleAxisd turn(R);
    return turn.angle() * turn.axis();
  };
  int k = -1;
  for (int i = 0; i < 3; ++i) {
    if (axes.is_free[static_cast<std::size_t>(i)]) k = i;
  }
  if (k < 0) return vectorOf(R_TP);
  // The swing S with R_TP = S * (turn about k): S = R_TP * turn(phi), of the least angle.
  const auto swing = [&](double phi) {
    return Mat3(R_TP * Eigen::AngleAxisd(phi, Vec3::Unit(k)).toRotationMatrix());
  };
  double best = 0.0, least = HUGE_VAL;
  for (int i = 0; i < 720; ++i) {
    const double phi = i * M_PI / 360.0, angle = Eigen::AngleAxisd(swing(phi)).angle();
    if (angle < least) least = angle, best = phi;
  }
  double a = best - M_PI / 300.0, b = best + M_PI / 300.0;
  for (int i = 0; i < 100; ++i) {
    const double c = a + (b - a) / 3.0, d = b - (b - a) / 3.0;
    const bool left = Eigen::AngleAxisd(swing(c)).angle() < Eigen::AngleAxisd(swing(d)).angle();
    (left ? b : a) = left ? d : c;
  }
  return vectorOf(swing(0.5 * (a + b)));
}

/// The definition of docs/task.md, word by word: how far beyond the tolerances, at most.
double beyondByDefinition(const PoseTarget& target, const Pose& X_WP) {
  Vec3 place = target.X_WP.R.transpose() * (X_WP.p - target.X_WP.p);
  Vec3 turn = turnByTrial(target.X_WP.R.transpose() * X_WP.R, target.angle_axes);
  double beyond = -HUGE_VAL;
  const auto check = [&](Vec3 off, double together, const AxisBounds& axes) {
    double square = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      if (axes.is_free[k]) continue;
      const double size = std::abs(off[static_cast<int>(k)]);
      square += size * size;
      beyond = std::max(beyond, size - axes.most[static_cast<int>(k)]);
    }
    beyond = std::max(beyond, std::sqrt(square) - together);
  };
  check(place, target.position_tolerance, target.position_axes);
  check(turn, target.angle_tolerance, target.angle_axes);
  return beyond;
}

AxisBounds randomAxes(Random& random, double scale, int most_free) {
  AxisBounds axes;
  for (int k = 0; k < 3; ++k) {
    if (random.chance(0.6)) axes.most[k] = random.logUniform(1e-3, 1.0) * scale;
  }
  for (int i = 0; i < most_free; ++i) {
    axes.is_free[static_cast<std::size_t>(random.index(3))] = random.chance(0.5);
  }
  return axes;
}

TEST(TargetMet, AgreesWithTheDefinitionOfTolerancesByAxis) {
  const Problem problem = test::wallProblem();
  Random random(71);
  int met = 0, missed = 0, trials = 4000;
  for (int trial = 0; trial < trials; ++trial) {
    const VecX q = random.vectorX(3, 2.0);
    const std::vector<Pose> X_WL = posesAt(problem, q);
    PoseTarget target;
    target.link = 3;
    target.X_LP = random.pose(0.3);
    // Around where the frame is, log-uniformly near: so that tolerances decide.
    const Pose X_WP = X_WL[3] * target.X_LP;
    target.X_WP.p = X_WP.p + random.vector(random.logUniform(1e-4, 1.0));
    target.X_WP.R =
        X_WP.R * Eigen::AngleAxisd(random.logUniform(1e-4, 3.0), random.directionOfNormals())
                     .toRotationMatrix();
    target.position_axes = randomAxes(random, 0.5, 2);
    target.angle_axes = randomAxes(random, 1.0, 1);
    target.position_tolerance = random.chance(0.5) ? HUGE_VAL : random.logUniform(1e-3, 1.0);
    target.angle_tolerance = random.chance(0.5) ? HUGE_VAL : random.logUniform(1e-3, 3.0);
    if (target.angle_axes.freeCount() == 1 && random.chance(0.5)) {  // any turn about the free axis
      const int k = target.angle_axes.is_free[0] ? 0 : target.angle_axes.is_free[1] ? 1 : 2;
      target.X_WP.R =
          target.X_WP.R *
          Eigen::AngleAxisd(random.uniform(-3.1, 3.1), Vec3::Unit(k)).toRotationMatrix();
    }
    const double beyond = beyondByDefinition(target, X_WP);
    if (std::abs(beyond) < 1e-5) continue;  // the trial's own resolution
    const auto faults = faultsOf(askedOf(problem, target, q, X_WL), 1e-9);
    EXPECT_EQ(faults.empty(), beyond < 0.0) << "trial " << trial << ": beyond by " << beyond;
    (faults.empty() ? met : missed) += 1;
    EXPECT_EQ(missOf(askedOf(problem, target, q, X_WL), 1e-9) <= 1.0, faults.empty());
  }
  EXPECT_GT(met, trials / 20);
  EXPECT_GT(missed, trials / 20);
}

// The planner's rows and the certificate have two sources: they mean the same.
TEST(TargetMet, AgreesWithTheErrorThatThePlannerReduces) {
  const Problem problem = test::wallProblem();
  const Kinematics kinematics(*problem.robot);
  PoseError pose_error(problem, kinematics);
  Random random(72);
  for (int trial = 0; trial < 500; ++trial) {
    const VecX q = random.vectorX(3, 2.0);
    PoseTarget target;
    target.link = 3;
    target.X_LP = random.pose(0.3);
    target.X_WP = random.pose(1.0);
    target.position_axes = randomAxes(random, 0.5, 2);
    target.angle_axes = randomAxes(random, 1.0, 1);
    const PoseError::Vec6 error = pose_error.error(target, q, nullptr);
    double most = 0.0;
    if (!target.hasFreePosition()) most = error.head<3>().norm() / target.position_tolerance;
    most = std::max(most, error.tail<3>().norm() / target.angle_tolerance);
    const Eigen::Matrix<double, 6, 1> room = poseRoom(target, HUGE_VAL, 1.0);
    if (!target.hasFreePosition() && !target.position_axes.bindNothing()) {
      most =
          std::max(most, (error.head<3>().cwiseAbs().array() / room.head<3>().array()).maxCoeff());
    }
    most = std::max(most, (error.tail<3>().cwiseAbs().array() / room.tail<3>().array()).maxCoeff());
    const double miss = missOf(askedOf(problem, target, q, posesAt(problem, q)), 1e-9);
    EXPECT_NEAR(miss, most, 1e-6 * (1.0 + most)) << "trial " << trial;
  }
}

TEST(TargetMet, OfADirectionIsTheAngleToThePoint) {
  const Problem problem = test::wallProblem();
  Random random(73);
  for (int trial = 0; trial < 500; ++trial) {
    const VecX q = random.vectorX(3, 2.0);
    const std::vector<Pose> X_WL = posesAt(problem, q);
    LookAtTarget look;
    look.link = 2;
    look.p_L = random.vector(0.2);
    look.axis_L = random.directionOfNormals();
    const double angle = random.logUniform(1e-4, 3.0), far = random.logUniform(1e-2, 10.0);
    const Vec3 across = look.axis_L.unitOrthogonal();
    look.point_W =
        X_WL[2] * (look.p_L + far * (std::cos(angle) * look.axis_L + std::sin(angle) * across));
    for (const double share : {0.999, 1.001}) {
      look.tolerance = angle / share;
      PostureTarget target;
      target.looks = {look};
      EXPECT_EQ(faultsOf(askedOf(problem, target, q, X_WL), 1e-9).empty(), share < 1.0);
    }
  }
  // A point at the axis' own origin is in no direction.
  LookAtTarget blind;
  blind.link = 2;
  const VecX q = VecX::Zero(3);
  blind.point_W = posesAt(problem, q)[2].p;
  blind.tolerance = 3.2;
  PostureTarget target;
  target.looks = {blind};
  EXPECT_FALSE(faultsOf(askedOf(problem, target, q, posesAt(problem, q)), 1e-6).empty());
}

std::string anyTask(const std::string& alternatives) {
  return "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
         "start_state: {group_state: ready, finger: 0.02}\ngoal: {any_of: [" +
         alternatives + "]}\n" +
         test::boxScene(test::boxAt("box", Vec3(0.1, 0.1, 0.1), Vec3(2, 2, 2)));
}

const char* const kAlternatives =
    "{joint_constraints: {elbow: 0.9}, name: up}, {joint_constraints: {elbow: 0.2}, name: down}, "
    "[0.2, 0.1, 0.5, 0.0]";

/// From the start of the task to the given joints.
Trajectory motionTo(const Problem& problem, const VecX& to) {
  Problem single = problem;
  single.goal = JointTarget{problem.planned, to};
  Random random(5);
  return test::splineOf(single, 3.0, random, 0.0);
}

VecX valuesOf(const Problem& problem, int alternative) {
  return std::get<JointTarget>(withAlternative(problem, alternative).goal).values;
}

TEST(ReachedGoal, IsNamedAndVerified) {
  const Problem problem = test::loadText(anyTask(kAlternatives));
  for (int i = 0; i < 3; ++i) {
    const Certificate certificate = certify(problem, motionTo(problem, valuesOf(problem, i)));
    ASSERT_TRUE(certificate.clear) << certificate.message;
    EXPECT_EQ(certificate.goal, (ReachedGoal{i, 3, i == 0 ? "up" : i == 1 ? "down" : ""}));
    EXPECT_NE(certificate.message.find(reachedText(*certificate.goal)), std::string::npos);
    const CertificateVerdict verdict = verifyCertificate(problem, certificate);
    EXPECT_TRUE(verdict.valid) << verdict.message;
    EXPECT_TRUE(makeProof(problem, certificate).unproven.empty());
  }
}

TEST(ReachedGoal, AtNoneOfThemIsRefusedWithTheNearest) {
  const Problem problem = test::loadText(anyTask(kAlternatives));
  VecX off = valuesOf(problem, 1);
  off[2] += 1e-4;
  const Certificate certificate = certify(problem, motionTo(problem, off));
  EXPECT_FALSE(certificate.clear);
  EXPECT_FALSE(certificate.goal.has_value());
  EXPECT_NE(
      certificate.message.find("none of its 3 alternatives is met; nearest is 'down' (2 of 3)"),
      std::string::npos)
      << certificate.message;
  // Nor can it be made to say so.
  Certificate forged = certify(problem, motionTo(problem, valuesOf(problem, 1)));
  Certificate other = certificate;
  other.clear = true;
  other.faults.clear();
  other.goal = forged.goal;
  other.message = forged.message;
  EXPECT_FALSE(verifyCertificate(problem, other).valid);
}

TEST(ReachedGoal, OfAnotherNameOrPlaceIsRefused) {
  const Problem problem = test::loadText(anyTask(kAlternatives));
  const Certificate honest = certify(problem, motionTo(problem, valuesOf(problem, 1)));
  const auto refused = [&](const ReachedGoal& goal) {
    Certificate forged = honest;
    forged.goal = goal;
    const std::size_t at = forged.message.find(reachedText(*honest.goal));
    forged.message.replace(at, reachedText(*honest.goal).size(), reachedText(goal));
    const CertificateVerdict verdict = verifyCertificate(problem, forged);
    EXPECT_FALSE(verdict.valid);
    EXPECT_NE(verdict.message.find("does not name the alternative"), std::string::npos)
        << verdict.message;
  };
  refused({0, 3, "up"});
  refused({1, 3, "up"});
  refused({2, 3, "down"});
  refused({1, 2, "down"});
  Certificate silent = honest;
  silent.goal.reset();
  EXPECT_FALSE(verifyCertificate(problem, silent).valid);
  // A goal without alternatives has no name.
  const Problem single = withAlternative(problem, 1);
  EXPECT_FALSE(verifyCertificate(single, honest).valid);
}

TEST(ReachedGoal, IsTheFirstOfThoseThatAreMet) {
  const Problem problem = test::loadText(
      anyTask("{joint_constraints: {elbow: 0.9}}, {joint_constraints: {elbow: 0.9}, name: same}"));
  const Certificate certificate = certify(problem, motionTo(problem, valuesOf(problem, 1)));
  EXPECT_EQ(certificate.goal, (ReachedGoal{0, 2, ""}));
}

}  // namespace
}  // namespace allclear
