#include "allclear/config/problem_sets/planning_problems.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "allclear/core/input_error.h"
#include "config/task_fixture.h"

namespace allclear {
namespace {

using nlohmann::json;

/// Value of a named coordinate, as the file gives it; wrapping joints may differ by whole turns.
void expectValue(const Problem& problem, double actual, const std::string& joint, double expected) {
  const int c = problem.robot->findCoordinate(joint);
  ASSERT_GE(c, 0) << joint;
  const double difference = actual - expected;
  if (problem.robot->coordinates()[c].wraps) {
    EXPECT_NEAR(std::remainder(difference, 2.0 * std::numbers::pi), 0.0, 1e-12)
        << problem.name << " " << joint;
    EXPECT_LE(std::abs(actual - problem.start[c]), std::numbers::pi + 1e-12);
  } else {
    EXPECT_NEAR(difference, 0.0, 1e-5) << problem.name << " " << joint;
  }
}

void expectSame(const Problem& problem, const json& source) {
  EXPECT_EQ(problem.name, source["name"]);
  EXPECT_EQ(problem.obstacles.size(), source["obstacles"].size());
  const auto& goal = std::get<JointTarget>(problem.goal);
  const VecX q_goal = problem.configuration(goal.values);
  for (std::size_t j = 0; j < source["joint_names"].size(); ++j) {
    const std::string joint = source["joint_names"][j];
    const int c = problem.robot->findCoordinate(joint);
    expectValue(problem, problem.start[c], joint, source["start"][j]);
    expectValue(problem, q_goal[c], joint, source["goals"][0][j]);
  }
  for (const auto& [joint, value] : source["fixed_joints"].items()) {
    const int c = problem.robot->findCoordinate(joint);
    ASSERT_GE(c, 0) << joint;
    EXPECT_EQ(problem.start[c], value.get<double>()) << problem.name << " " << joint;
  }
  for (std::size_t k = 0; k < source["obstacles"].size(); ++k) {
    const json& from = source["obstacles"][k];
    const Obstacle& obstacle = problem.obstacles[k];
    EXPECT_EQ(obstacle.id, from["name"]);
    const std::string type = from["type"];
    EXPECT_EQ(shapeName(obstacle.geometry[0].shape), type);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(obstacle.X_WO.p[i], from["pose"]["xyz"][i]);
  }
}

TEST(PlanningProblems, AllOfTheSharedOnesLoadAsTheyAre) {
  ALLCLEAR_REQUIRE_DATA("problems");
  int count = 0;
  for (const char* robot : {"fetch", "panda", "ur5"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(test::dataFolder() / "problems" / robot)) {
      const ProblemSet set = ProblemSet::load(entry.path());
      std::ifstream in(entry.path());
      const json source = json::parse(in);
      EXPECT_EQ(set.robotName(), robot);
      ASSERT_EQ(set.count(), source["count"]);
      for (int i = 0; i < set.count(); ++i, ++count) {
        expectSame(set.problem(i), source["problems"][i]);
      }
    }
  }
  EXPECT_EQ(count, 1000);
}

TEST(PlanningProblems, QuaternionsAreReadScalarFirst) {
  const test::TaskFolder folder;
  const auto text = [](const std::string& quaternion) {
    return R"({"format":"planning_problems_v1","robot":"arm","urdf":"robot/arm.urdf",)"
           R"("srdf":"robot/arm.srdf","scene":"s","source_set":"x","group":"arm",)"
           R"("base_frame":"base_link","joint_names":["elbow","lift","shoulder","wrist"],)"
           R"("count":1,"problems":[)"
           "\n"
           R"({"name":"p","index":1,"robot":"arm","joint_names":["elbow","lift","shoulder","wrist"],)"
           R"("start":[0.5,0.1,0,0],"goals":[[1,0.2,0.3,6]],"fixed_joints":{"finger":0.06},)"
           R"("obstacles":[{"name":"o","type":"sphere","radius":0.1,"pose":{"xyz":[3,0,0],)"
           R"("quat_wxyz":)" +
           quaternion + "}}],\"checks\":{}}]}\n";
  };
  const auto robots = test::robotFolder().parent_path();
  const auto path = folder.write("p.json", text("[0,1,0,0]"));
  const Problem problem = ProblemSet::load(path, {.robots_folder = robots}).problem(0);
  EXPECT_TRUE(problem.obstacles[0].X_WO.R.col(2).isApprox(Vec3(0, 0, -1)));
  EXPECT_EQ(problem.start, (VecX(5) << 0.1, 0, 0.5, 0, 0.06).finished());
  EXPECT_NEAR(std::get<JointTarget>(problem.goal).values[3], 6 - 2 * std::numbers::pi, 1e-12);

  const auto broken = folder.write("q.json", text("[1,1,0,0]"));
  try {
    ProblemSet::load(broken, {.robots_folder = robots}).problem(0);
    FAIL() << "loaded";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("q.json:2: problems[0].obstacles[0].pose.quat_wxyz"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace allclear
