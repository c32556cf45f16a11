#include <gtest/gtest.h>

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
  EXPECT_EQ(uncertaintyText(problem),
            "joints within 1 mrad, 'wrist' within 2 mrad; sliding joints within 1 mm; "
            "'box' within 2 mm, 'cart' within 10 mm; base within 3 mm and 4 mrad");
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
