#include "allclear/planner/certificate/torque_use.h"

#include <gtest/gtest.h>

#include "allclear/planner/certificate/statements.h"
#include "allclear/robot_models/kinematics.h"
#include "planner/certificate/certificate_fixture.h"

namespace allclear {
namespace {

using test::armTask;
using test::loadText;

const char* const kAcross = "{lift: 0.2, shoulder: 1.2, elbow: -0.4, wrist: 0.5}";

/// The small arm with this share of its ratings.
Problem armWithEffort(double share, const std::string& more = "") {
  Problem problem = loadText(armTask(kAcross, more));
  RobotModel::Data data = problem.robot->data();
  for (Coordinate& coordinate : data.coordinates) coordinate.effort *= share;
  problem.robot = std::make_shared<const RobotModel>(std::move(data));
  return problem;
}

TEST(TorqueUse, NamesTheWorstJointItsShareAndItsInstant) {
  test::Random random(2);
  const Problem problem = armWithEffort(0.1);  // the lift carries 7.7 kg with 50 N
  const Trajectory trajectory = test::splineOf(problem, 2.0, random, 0.0);
  const auto use = torqueBeyondRating(problem, trajectory);
  ASSERT_TRUE(use.has_value());
  EXPECT_EQ(use->joint, "lift");
  EXPECT_DOUBLE_EQ(use->effort, 50.0);
  // What inverse dynamics says at that instant.
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  VecX v = VecX::Zero(problem.robot->dimension()), a = v, tau = v;
  for (int k = 0; k < problem.plannedCount(); ++k) {
    v[problem.planned[k]] = trajectory.value(use->t, 1)[k];
    a[problem.planned[k]] = trajectory.value(use->t, 2)[k];
  }
  kinematics.inverseDynamics(problem.configuration(trajectory.value(use->t)), v, a, workspace, tau);
  EXPECT_NEAR(std::abs(tau[problem.robot->findCoordinate("lift")]), use->torque, 1e-9);
  const Certificate certificate = certify(problem, trajectory);
  EXPECT_NE(certificate.message.find("Beyond its rating: 'lift' needs"), std::string::npos)
      << certificate.message;
  EXPECT_TRUE(certificate.clear) << "nobody asked for torques: " << certificate.message;
  // It is verified with the rest.
  EXPECT_TRUE(verifyCertificate(problem, certificate).valid);
  Certificate forged = certificate;
  forged.torque_beyond_rating.reset();
  forged.message = verdictOf(problem, forged);
  EXPECT_FALSE(verifyCertificate(problem, forged).valid);
  forged = certificate;
  forged.torque_beyond_rating->torque *= 0.99;
  forged.message = verdictOf(problem, forged);
  EXPECT_FALSE(verifyCertificate(problem, forged).valid);
}

TEST(TorqueUse, SaysNothingWithinTheRatingsOrWhereTorquesAreLimitedOrMeanNothing) {
  test::Random random(2);
  const Problem strong = armWithEffort(1.0);
  const Trajectory trajectory = test::splineOf(strong, 4.0, random, 0.0);
  EXPECT_FALSE(torqueBeyondRating(strong, trajectory).has_value());
  EXPECT_FALSE(
      torqueBeyondRating(armWithEffort(0.1, "limits: {torque: true}\n"), trajectory).has_value());
  Problem weightless = armWithEffort(0.1);
  RobotModel::Data data = weightless.robot->data();
  for (Link& link : data.links) link.inertia = Inertia{};
  weightless.robot = std::make_shared<const RobotModel>(std::move(data));
  EXPECT_FALSE(torqueBeyondRating(weightless, trajectory).has_value());
}

}  // namespace
}  // namespace allclear
