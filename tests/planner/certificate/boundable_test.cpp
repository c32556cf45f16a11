// Numbers that overflow, and NaN, on their way from a problem and a trajectory to a claim: each is
// an `InputError`, never "clear" and never an internal error.
#include "allclear/planner/certificate/boundable.h"

#include <gtest/gtest.h>

#include <cmath>

#include "allclear/core/extremes.h"
#include "allclear/core/input_error.h"
#include "allclear/planner/problem/boundable_values.h"
#include "planner/certificate/certificate_fixture.h"

namespace allclear {
namespace {

using test::armTask;
using test::boxAt;
using test::boxScene;
using test::loadText;
using test::Random;
using test::splineOf;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Extremes, NanProvesNothingWhereverItComes) {
  EXPECT_EQ(lowered(1.0, 2.0), 1.0);
  EXPECT_EQ(lowered(2.0, 1.0), 1.0);
  EXPECT_EQ(raised(1.0, 2.0), 2.0);
  EXPECT_EQ(raised(2.0, 1.0), 2.0);
  for (double value : {-kInfinity, -1.0, 3.0, kInfinity}) {
    EXPECT_EQ(lowered(value, kNan), -kInfinity);
    EXPECT_EQ(lowered(kNan, value), -kInfinity);
    EXPECT_EQ(raised(value, kNan), kInfinity);
    EXPECT_EQ(raised(kNan, value), kInfinity);
  }
}

class Boundable : public ::testing::Test {
 protected:
  Boundable()
      : problem_(loadText(armTask("{lift: 0.1, shoulder: 1.2, elbow: -0.5, wrist: 0.5}",
                                  boxScene(boxAt("cart", {0.1, 0.1, 0.1}, {3, 0, 0.5}))))) {
    Random random(3);
    trajectory_ = splineOf(problem_, 4.0, random, 0.0);
  }

  /// The robot with another data; the first mimic joint of the arm is its right finger.
  void changeRobot(const std::function<void(RobotModel::Data&)>& change) {
    const RobotModel& robot = *problem_.robot;
    RobotModel::Data data{robot.name(),          robot.links(),       robot.joints(),
                          robot.coordinates(),   robot.groups(),      robot.groupStates(),
                          robot.disabledPairs(), robot.warnings(),    robot.assumptions(),
                          robot.sourceFile(),    robot.sourceSha256()};
    change(data);
    problem_.robot = std::make_shared<const RobotModel>(std::move(data));
  }
  void setMimic(double multiplier) {
    changeRobot([&](RobotModel::Data& data) {
      for (Joint& joint : data.joints) {
        if (joint.mimic) joint.mimic->multiplier = multiplier;
      }
    });
  }

  void expectRefused(const std::string& word) {
    try {
      const Certificate certificate = certify(problem_, *trajectory_);
      FAIL() << certificate.message;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }

  Problem problem_;
  std::optional<Trajectory> trajectory_;
};

TEST_F(Boundable, AnOrdinaryProblemIs) {
  EXPECT_TRUE(unboundableValues(problem_).empty());
  EXPECT_TRUE(certify(problem_, *trajectory_).clear);
}

TEST_F(Boundable, AnObstacleThatTurnsInNoTimeIsRefused) {
  problem_.obstacles[0].motion = {{0.0, {Mat3::Identity(), {3, 0, 0.5}}},
                                  {1e-41, {rotationAbout(Vec3::UnitZ(), 1.0), {3, 0, 0.5}}},
                                  {4.0, {rotationAbout(Vec3::UnitZ(), 1.0), {3, 0, 0.5}}}};
  EXPECT_FALSE(validate(problem_).empty());
  expectRefused("cart");
}

TEST_F(Boundable, AHugeMimicFactorIsRefusedByName) {
  for (double factor : {1e300, kNan, kInfinity}) {
    setMimic(factor);
    EXPECT_FALSE(validate(problem_).empty());
    expectRefused("mimic");
  }
}

TEST_F(Boundable, AMimicJointThatTravelsTooFarIsRefusedByName) {
  // The arm's own joints stay as they are; one that follows the wrist turns a million times as far.
  changeRobot([&](RobotModel::Data& data) {
    for (Joint& joint : data.joints) {
      if (joint.name.find("finger") == std::string::npos || !joint.mimic) continue;
      joint.mimic->coordinate = problem_.planned.back();
      joint.mimic->multiplier = 1e6;
    }
  });
  expectRefused("finger");
}

TEST_F(Boundable, NanInTheSceneOrTheStartIsRefused) {
  Problem honest = problem_;
  problem_.obstacles[0].X_WO.p.x() = kNan;
  expectRefused("cart");
  problem_ = honest;
  problem_.start[problem_.robot->findCoordinate("finger")] = kNan;
  expectRefused("finger");
  problem_ = honest;
  problem_.obstacles[0].geometry[0].X_BG.p.x() = 1e200;
  expectRefused("cart");
  problem_ = honest;
  problem_.collision.margin = kNan;
  expectRefused("margin");
}

TEST_F(Boundable, TrajectoriesMustKeepTheLimitsThatFilesKeep) {
  const BSpline spline = *trajectory_->bspline();
  MatX control = spline.control();
  control(0, 5) = 1e300;
  trajectory_ = spline.withControl(control);
  expectRefused("control point");
  // Knots 1e-41 of the duration apart.
  std::vector<double> knots = spline.basis().knots();
  knots[6] = 1e-41;
  trajectory_ = BSpline(std::make_shared<const BSplineBasis>(knots, 5), spline.control(), 4.0);
  expectRefused("shorter than 1e-9 s");
  const MatX zero = MatX::Zero(problem_.plannedCount(), 3);
  trajectory_ = HermiteCurve({0.0, 1e-41, 1.0}, zero, zero, zero);
  expectRefused("shorter than 1e-9 s");
}

TEST_F(Boundable, APieceThatTravelsTooFarIsRefusedByName) {
  const BSpline spline = *trajectory_->bspline();
  MatX control = spline.control();
  control(1, 5) = 1e4;
  trajectory_ = spline.withControl(control);
  expectRefused("shoulder");
}

}  // namespace
}  // namespace allclear
