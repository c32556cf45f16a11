#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "allclear/core/input_error.h"
#include "allclear/planner/problem/uncertainty.h"
#include "config/task_fixture.h"

namespace allclear {
namespace {

Problem taskWith(const std::string& uncertainty) {
  return test::loadText(
      "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
      "start_state: {group_state: ready}\ngoal: {joint_constraints: {elbow: 0}}\n"
      "scene: {collision_objects: [\n"
      "  {id: box, type: box, dimensions: [0.1, 0.1, 0.1], pose: {position: [3, 0, 0]}},\n"
      "  {id: cart, type: box, dimensions: [0.1, 0.1, 0.1], pose: {position: [4, 0, 0]}}]}\n" +
      uncertainty);
}

std::string complaint(const std::string& uncertainty) {
  try {
    taskWith(uncertainty);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

int coordinate(const Problem& problem, const std::string& name) {
  for (int c = 0; c < problem.robot->dimension(); ++c) {
    if (problem.robot->coordinates()[c].name == name) return c;
  }
  return -1;
}

TEST(TaskUncertainty, IsNoneUnlessGiven) {
  const Problem problem = taskWith("");
  EXPECT_TRUE(problem.uncertainty.isZero());
  EXPECT_EQ(uncertaintyText(problem), "");
  EXPECT_TRUE(taskWith("uncertainty: {joints: 0, base: 0}\n").uncertainty.isZero());
}

TEST(TaskUncertainty, ADefaultHoldsForAllThatAreNotNamed) {
  const Problem problem = taskWith(
      "uncertainty: {joints: {default: 0.001, wrist: 0.002}, "
      "obstacles: {default: 0.002, cart: 0.01}, base: {position: 0.003, angle: 0.004}}\n");
  const Uncertainty& uncertainty = problem.uncertainty;
  EXPECT_EQ(uncertainty.joints[coordinate(problem, "wrist")], 0.002);
  EXPECT_EQ(uncertainty.joints[coordinate(problem, "elbow")], 0.001);
  EXPECT_EQ(uncertainty.joints[coordinate(problem, "finger")], 0.001);  // held ones stray too
  EXPECT_EQ(uncertainty.obstacles, (VecX(2) << 0.002, 0.01).finished());
  EXPECT_EQ(uncertainty.base_position, 0.003);
  EXPECT_EQ(uncertainty.base_angle, 0.004);
  EXPECT_FALSE(uncertainty.isZero());
  EXPECT_EQ(
      uncertaintyText(problem),
      "joints within 1 mrad, 'wrist' within 2 mrad; sliding joints within 1 mm; "
      "'box' within 2 mm, 'cart' within 10 mm; base within 3 mm and 4 mrad about the origin of '" +
          problem.robot->links().front().name + "'");
}

/// About the world's origin is not what a person means of a base that stands elsewhere.
TEST(TaskUncertainty, TheAngleOfABaseThatMovesIsThatOfItsJoint) {
  for (const auto& [base, joint] :
       {std::pair("planar", "virtual_joint/angle"), std::pair("floating", "virtual_joint/yaw")}) {
    const std::string own = std::string("joints: {") + joint + ": 0.02}";
    const std::string task = std::string("robot: {urdf: arm.urdf, srdf: arm.srdf, base: ") + base +
                             "}\ngroup_name: arm\nstart_state: {group_state: ready}\n"
                             "goal: {joint_constraints: {elbow: 0}}\nuncertainty: {";
    EXPECT_NO_THROW(test::loadText(task + "base: 0.02, " + own + "}\n"));
    try {
      test::loadText(task + "base: {angle: 0.02}}\n");
      ADD_FAILURE() << "accepted with a base that is " << base;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(own), std::string::npos) << error.what();
    }
  }
}

TEST(TaskUncertainty, ANumberHoldsForAllAndWithoutADefaultTheOthersAreCertain) {
  const Problem all = taskWith("uncertainty: {joints: 0.001, obstacles: 0.002, base: 0.003}\n");
  EXPECT_EQ(all.uncertainty.joints, VecX::Constant(all.robot->dimension(), 0.001));
  EXPECT_EQ(all.uncertainty.obstacles, VecX::Constant(2, 0.002));
  EXPECT_EQ(all.uncertainty.base_position, 0.003);
  EXPECT_EQ(all.uncertainty.base_angle, 0.0);
  const Problem one = taskWith("uncertainty: {joints: {wrist: 0.002}}\n");
  EXPECT_EQ(one.uncertainty.joints.sum(), 0.002);
  EXPECT_EQ(one.uncertainty.obstacles.size(), 0);
  EXPECT_EQ(uncertaintyText(one), "'wrist' within 2 mrad");
}

TEST(TaskUncertainty, MisspeltNamesAndBadNumbersAreErrors) {
  EXPECT_NE(complaint("uncertainty: {joints: {wirst: 0.1}}\n").find("did you mean 'wrist'"),
            std::string::npos);
  EXPECT_NE(complaint("uncertainty: {obstacles: {kart: 0.1}}\n").find("did you mean 'cart'"),
            std::string::npos);
  EXPECT_NE(complaint("uncertainty: {joints: -0.1}\n"), "");
  EXPECT_NE(complaint("uncertainty: {joints: {default: .nan}}\n"), "");
  EXPECT_NE(complaint("uncertainty: {base: {angel: 0.1}}\n").find("angle"), std::string::npos);
}

TEST(TaskUncertainty, APositionMayBeACovariance) {
  const Problem six = taskWith(
      "uncertainty: {obstacles: {default: 0.002, cart: {covariance: [4, 5, 6, 1, 2, 3], sigma: 2, "
      "frame: obstacle, distance: 0.01}}}\n");
  const PositionSpread& spread = six.obstacles[1].spread;
  const Mat3 C = (Mat3() << 4, 1, 2, 1, 5, 3, 2, 3, 6).finished();
  ASSERT_EQ(spread.knots.size(), 1U);
  EXPECT_EQ(spread.knots[0].covariance, C);
  EXPECT_EQ(spread.sigma, 2.0);
  EXPECT_TRUE(spread.in_obstacle);
  EXPECT_FALSE(spread.changes());
  EXPECT_EQ(spread.at(7.0), 4.0 * C);
  EXPECT_EQ(six.uncertainty.obstacles, (VecX(2) << 0.002, 0.01).finished());
  EXPECT_TRUE(six.obstacles[0].spread.isEmpty());
  EXPECT_TRUE(isUncertain(six));
  // Rows, the default sigma and frame; `default` is for those not named.
  const Problem rows = taskWith(
      "uncertainty: {obstacles: {box: 0, default: {covariance: [[4, 1, 2], [1, 5, 3], [2, 3, "
      "6]]}}}\n");
  EXPECT_TRUE(rows.obstacles[0].spread.isEmpty());
  EXPECT_EQ(rows.obstacles[1].spread.at(0.0), 9.0 * C);
  EXPECT_FALSE(rows.obstacles[1].spread.in_obstacle);
  EXPECT_TRUE(rows.uncertainty.isZero());
  EXPECT_TRUE(isUncertain(rows));
}

TEST(TaskUncertainty, ACovarianceMayChangeWithTime) {
  const Problem list = taskWith(
      "uncertainty: {obstacles: {cart: {sigma: 1, covariance: [{time: 1, covariance: [1, 0, 0, 0, "
      "0, 0]}, {time: 3, covariance: [3, 2, 0, 0, 0, 0]}]}}}\n");
  const Obstacle& cart = list.obstacles[1];
  EXPECT_TRUE(cart.moves());
  EXPECT_EQ(cart.lastChange(), 3.0);
  EXPECT_EQ(cart.spread.at(0.0)(0, 0), 1.0);
  EXPECT_EQ(cart.spread.at(2.0), Mat3(Vec3(2, 1, 0).asDiagonal()));
  EXPECT_EQ(cart.spread.at(9.0), Mat3(Vec3(3, 2, 0).asDiagonal()));
  const Problem grows = taskWith(
      "uncertainty: {obstacles: {cart: {sigma: 2, covariance: [1, 0, 0, 0, 0, 0], growth: [0, 1, "
      "0, 0, 0, 0]}}}\n");
  EXPECT_EQ(grows.obstacles[1].spread.at(3.0), Mat3(Vec3(4, 12, 0).asDiagonal()));
  EXPECT_TRUE(std::isinf(grows.obstacles[1].lastChange()));
  const Problem ends = taskWith(
      "uncertainty: {obstacles: {cart: {sigma: 2, covariance: [1, 0, 0, 0, 0, 0], growth: [0, 1, "
      "0, 0, 0, 0], until: 2}}}\n");
  EXPECT_EQ(ends.obstacles[1].spread.at(5.0), Mat3(Vec3(4, 8, 0).asDiagonal()));
  EXPECT_EQ(ends.obstacles[1].lastChange(), 2.0);
}

/// Six digits of a flat covariance leave an eigenvalue slightly below 0: it is raised.
TEST(TaskUncertainty, RoundedFlatCovariancesAreTaken) {
  const Problem problem = taskWith(
      "uncertainty: {obstacles: {cart: {covariance: [0.333333, 0.333333, 0.333333, 0.333334, "
      "0.333333, 0.333333]}}}\n");
  const Mat3 C = problem.obstacles[1].spread.knots[0].covariance;
  EXPECT_GE(Eigen::SelfAdjointEigenSolver<Mat3>(C).eigenvalues()[0], -1e-15);
  EXPECT_NEAR(C(0, 0), 0.333333, 1e-5);
}

TEST(TaskUncertainty, WrongCovariancesAreErrors) {
  const auto refused = [](const std::string& spread, const std::string& why) {
    const std::string said = complaint("uncertainty: {obstacles: {cart: " + spread + "}}\n");
    EXPECT_NE(said.find(why), std::string::npos) << spread << ": " << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  };
  refused("{covariance: [1, 1, 1, 2, 0, 0]}", "negative eigenvalues");
  refused("{covariance: [-1, 1, 1, 0, 0, 0]}", "negative eigenvalues");
  refused("{covariance: [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]}", "symmetric");
  refused("{covariance: [1, .nan, 1, 0, 0, 0]}", "nan");
  refused("{covariance: [1, 1, 1, 0, 0]}", "[xx, yy, zz, xy, xz, yz]");
  refused("{covariance: [1, 1, 1, 0, 0, 0], sigma: -1}", "sigma");
  refused("{covariance: [1, 1, 1, 0, 0, 0], frame: hand}", "frame");
  refused("{covariance: [1, 1, 1, 0, 0, 0], growth: [-1, 0, 0, 0, 0, 0]}", "growth");
  refused("{covariance: [1, 1, 1, 0, 0, 0], until: 3}", "growth");
  refused("{covariance: [1, 1, 1, 0, 0, 0], growth: [1, 0, 0, 0, 0, 0], until: -3}", "later");
  refused("{sigma: 3}", "covariance");
  refused("{covarianse: [1, 1, 1, 0, 0, 0]}", "covariance");
  refused(
      "{covariance: [{time: 1, covariance: [1, 1, 1, 0, 0, 0]}, {time: 1, covariance: [1, 1, 1, "
      "0, 0, 0]}]}",
      "ascend");
  EXPECT_NE(complaint("uncertainty: {obstacles: {kart: {covariance: [1, 1, 1, 0, 0, 0]}}}\n")
                .find("did you mean 'cart'"),
            std::string::npos);
  EXPECT_NE(complaint("collision: {end_margin: relax}\nuncertainty: {obstacles: {cart: "
                      "{covariance: [1, 1, 1, 0, 0, 0]}}}\n")
                .find("relax"),
            std::string::npos);
}

TEST(TaskUncertainty, WrongSpreadsFromCppAreFindings) {
  Problem problem = taskWith("");
  problem.obstacles[1].spread.knots = {{0.0, Vec3(1.0, -1.0, 1.0).asDiagonal()}};
  EXPECT_EQ(validate(problem).size(), 1U);
  problem.obstacles[1].spread.knots[0].covariance = Mat3::Constant(std::nan(""));
  EXPECT_FALSE(validate(problem).empty());
  problem.obstacles[1].spread.knots[0].covariance = Mat3::Identity();
  EXPECT_TRUE(validate(problem).empty());
  problem.obstacles[1].spread.sigma = std::nan("");
  EXPECT_FALSE(validate(problem).empty());
}

TEST(TaskUncertainty, WrongSizesAndValuesFromCppAreFindings) {
  Problem problem = taskWith("");
  problem.uncertainty.joints = VecX::Zero(1);
  EXPECT_EQ(validate(problem).size(), 1U);
  problem.uncertainty.joints = VecX::Constant(problem.robot->dimension(), std::nan(""));
  EXPECT_FALSE(validate(problem).empty());
  EXPECT_FALSE(problem.uncertainty.isZero());
}

}  // namespace
}  // namespace allclear
