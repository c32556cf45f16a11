// Sections of a task, read one by one.
#include "allclear/config/task/sections.h"

#include <gtest/gtest.h>

#include <cmath>

#include "allclear/config/document/yaml.h"
#include "allclear/core/input_error.h"
#include "allclear/planner/problem/velocity_findings.h"
#include "config/task_fixture.h"

namespace allclear {
namespace {

Value yaml(const std::string& text) { return parseYaml(text, "x.yaml"); }

/// A problem with the small arm and all of its joints planned.
Problem armProblem() {
  Problem problem;
  const Value task = yaml("robot: arm.urdf");
  readRobot(task, InputFiles({}, test::robotFolder() / "x.yaml"), false, problem);
  readGroup(task, problem);
  problem.start = problem.robot->neutralConfiguration();
  return problem;
}

TEST(TaskSections, AFixedDurationIsARangeOfOneValue) {
  Problem problem;
  readDuration(yaml("duration: {fixed: 2.5}"), problem);
  EXPECT_TRUE(problem.duration.isFixed());
  EXPECT_EQ(problem.duration.min, 2.5);
  EXPECT_THROW(readDuration(yaml("duration: {min: 3, max: 2}"), problem), InputError);
  EXPECT_THROW(readDuration(yaml("duration: {fixed: 3, max: 4}"), problem), InputError);
}

TEST(TaskSections, AnObjectiveMayBeAWord) {
  Problem problem;
  readObjective(yaml("objective: smooth"), problem);
  EXPECT_EQ(problem.objective.jerk, ObjectiveWeights::smooth().jerk);
  readObjective(yaml("objective: min_time"), problem);
  EXPECT_EQ(problem.objective.jerk, 0.0);
  readObjective(yaml("objective: short"), problem);
  EXPECT_EQ(problem.objective.velocity, ObjectiveWeights::shortest().velocity);
  readObjective(yaml("objective: balanced"), problem);
  EXPECT_EQ(problem.objective.jerk, ObjectiveWeights{}.jerk);
  EXPECT_THROW(readObjective(yaml("objective: fast"), problem), InputError);
}

TEST(TaskSections, ImprovementIsAWord) {
  EXPECT_EQ(readSolver(yaml("solver: {seed: 3}")).improve, Improve::kSome);
  EXPECT_EQ(readSolver(yaml("solver: {improve: none}")).improve, Improve::kNone);
  EXPECT_EQ(readSolver(yaml("solver: {improve: all}")).improve, Improve::kAll);
  EXPECT_THROW(readSolver(yaml("solver: {improve: most}")), InputError);
}

TEST(TaskSections, ASectionThatIsMissingLeavesTheDefaults) {
  Problem problem = armProblem();
  const Value task = yaml("name: x");
  readDuration(task, problem);
  readObjective(task, problem);
  readLimits(task, problem);
  readCollision(task, problem);
  EXPECT_EQ(problem.duration.max, DurationBounds{}.max);
  EXPECT_EQ(problem.objective.duration, ObjectiveWeights{}.duration);
  EXPECT_EQ(problem.collision.margin, CollisionSettings{}.margin);
  EXPECT_EQ(readSolver(task).seed, PlanOptions{}.seed);
  EXPECT_EQ(readOutput(task, *problem.robot).rate, OutputSettings{}.rate);
}

TEST(TaskSections, MarginsAreRelaxedAtTheEndsOnlyWhenAskedFor) {
  Problem problem = armProblem();
  readCollision(yaml("collision: {margin: 0.002}"), problem);
  EXPECT_EQ(problem.collision.end_margin, EndMargin::kStrict);
  readCollision(yaml("collision: {end_margin: relax}"), problem);
  EXPECT_EQ(problem.collision.end_margin, EndMargin::kRelax);
  readCollision(yaml("collision: {end_margin: strict}"), problem);
  EXPECT_EQ(problem.collision.end_margin, EndMargin::kStrict);
  EXPECT_THROW(readCollision(yaml("collision: {end_margin: relaxed}"), problem), InputError);
}

TEST(TaskSections, AMarginMayBeGivenOncePerPairInAnyOrder) {
  Problem problem = armProblem();
  readCollision(yaml("collision: {pair_margins: {hand: 0.01, column: {forearm: 0.02}}}"), problem);
  ASSERT_EQ(problem.collision.pair_margins.size(), 2u);
  EXPECT_EQ(problem.collision.pair_margins[0].b, "");
  EXPECT_EQ(problem.collision.pair_margins[1].margin, 0.02);
  EXPECT_THROW(readCollision(yaml("collision: {pair_margins: {column: {forearm: 0.02}, forearm: "
                                  "{column: 0.03}}}"),
                             problem),
               InputError);
}

TEST(TaskSections, AGoalThatNamesSomeJointsKeepsTheOthersAtTheStart) {
  Problem problem = armProblem();
  const Frames frames(*problem.robot, problem.start);
  readGoal(yaml("goal: {joint_constraints: {elbow: 1}}"), frames, problem);
  const auto& goal = std::get<JointTarget>(problem.goal);
  ASSERT_EQ(goal.coordinates.size(), problem.planned.size());
  for (std::size_t k = 0; k < goal.coordinates.size(); ++k) {
    const int c = goal.coordinates[k];
    const bool is_elbow = c == problem.robot->findCoordinate("elbow");
    EXPECT_EQ(goal.values[static_cast<int>(k)], is_elbow ? 1.0 : problem.start[c]);
  }
}

TEST(TaskSections, AGoalOfSeveralPosesHasAReferenceWithWeights) {
  Problem problem = test::loadText(
      "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
      "start_state: {group_state: ready}\ngoal: {joint_constraints: {elbow: 0.5}}\n");
  const Frames frames(*problem.robot, problem.start);
  const std::string poses =
      "goal: {poses: [{link: hand, position: [0.3, 0, 0.5]}, "
      "{link: forearm, rpy: [0, 0, 1], tolerance: {angle: 0.2}}]";
  readGoal(yaml(poses + "}"), frames, problem);
  const auto& plain = std::get<PostureTarget>(problem.goal);
  ASSERT_EQ(plain.poses.size(), 2u);
  EXPECT_TRUE(std::isinf(plain.poses[0].angle_tolerance));
  EXPECT_EQ(plain.poses[1].angle_tolerance, 0.2);
  EXPECT_EQ(plain.reference.coordinates, problem.planned);
  EXPECT_EQ(plain.reference.values, problem.plannedPart(problem.start));
  EXPECT_EQ(plain.weights, VecX::Ones(problem.plannedCount()));

  readGoal(yaml(poses + ", reference: {group_state: ready, elbow: 1}}"), frames, problem);
  const auto& named = std::get<PostureTarget>(problem.goal);
  for (int k = 0; k < problem.plannedCount(); ++k) {
    const bool is_elbow = problem.planned[k] == problem.robot->findCoordinate("elbow");
    EXPECT_EQ(named.weights[k], is_elbow ? 10.0 : 1.0);
    if (is_elbow) {
      EXPECT_EQ(named.reference.values[k], 1.0);
    }
  }
  readGoal(yaml(poses + ", reference: ready}"), frames, problem);
  EXPECT_EQ(std::get<PostureTarget>(problem.goal).weights, VecX::Ones(problem.plannedCount()));
  for (const char* wrong : {", reference: redy}", ", reference: {elbwo: 1}}", ", refrence: ready}",
                            ", pose: {link: hand, position: [0, 0, 1]}}"}) {
    EXPECT_THROW(readGoal(yaml(poses + wrong), frames, problem), InputError) << wrong;
  }
  EXPECT_THROW(readGoal(yaml("goal: {group_state: ready, reference: ready}"), frames, problem),
               InputError);
}

TEST(TaskSections, APathConstraintThatTheStartBreaksIsRefused) {
  Problem problem = armProblem();
  const Frames frames(*problem.robot, problem.start);
  const std::string box = "path_constraints: [{link: column, box: {size: [1, 1, 1], pose: ";
  readPathConstraints(yaml(box + "{position: [0, 0, 0]}}}]"), frames, problem);
  EXPECT_EQ(problem.path_constraints.size(), 1u);
  EXPECT_THROW(readPathConstraints(yaml(box + "{position: [5, 0, 0]}}}]"), frames, problem),
               InputError);
}

/// A sheet and a closed tetrahedron; the object's own rule wins over that of the task.
TEST(TaskSections, OpenMeshesHaveTheirRuleAndAreNamed) {
  const std::string sheet =
      "type: mesh, vertices: [[5, 0, 0], [6, 0, 0], [5, 1, 0]], triangles: [[0, 1, 2]]";
  const std::string solid =
      "type: mesh, vertices: [[3, 0, 0], [4, 0, 0], [3, 1, 0], [3, 0, 1]], triangles: "
      "[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]";
  const std::string objects = "scene: {collision_objects: [{id: a, " + sheet + "}, {id: b, " +
                              sheet + ", open: fill}, {id: c, " + solid + ", open: error}]}\n";
  const std::string rest =
      "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
      "start_state: {group_state: ready}\ngoal: {joint_constraints: {shoulder: 0.8}}\n";
  const auto ruleOf = [](const Problem& problem, int i) {
    return std::get<TriangleMesh>(problem.obstacles[i].geometry[0].shape).open();
  };
  const Problem problem = test::loadText(rest + objects);
  EXPECT_EQ(ruleOf(problem, 0), OpenMeshes::kShell);
  EXPECT_EQ(ruleOf(problem, 1), OpenMeshes::kFill);
  const auto warned = [&](const std::string& what) {
    return std::any_of(problem.warnings.begin(), problem.warnings.end(),
                       [&](const std::string& w) { return w.find(what) != std::string::npos; });
  };
  EXPECT_TRUE(warned("'a': mesh of 1 triangles: open (3 open edges); it stands for a surface"));
  EXPECT_TRUE(warned("'b': mesh of 1 triangles: open (3 open edges); it stands for convex pieces"));
  EXPECT_FALSE(warned("'c'"));
  const Problem filled = test::loadText("collision: {open_meshes: fill}\n" + rest + objects);
  EXPECT_EQ(ruleOf(filled, 0), OpenMeshes::kFill);
  std::size_t surfaces = 0;
  for (const MeshStance& mesh : meshStances(filled)) surfaces += mesh.has_surface;
  EXPECT_EQ(surfaces, 0u);
}

TEST(TaskSections, VelocitiesMayBeLowered) {
  Problem problem = armProblem();
  const VecX own = plannedLimits(problem).velocity;
  // A number caps all joints, and those that are slower keep their own limit.
  readLimits(yaml("limits: {velocity: 1.0}"), problem);
  EXPECT_EQ(plannedLimits(problem).velocity, own.cwiseMin(1.0));
  EXPECT_TRUE(velocityFindings(problem).empty());
  // A joint that is named is meant.
  readLimits(yaml("limits: {velocity: {elbow: 0.5}, max_velocity_scaling_factor: 0.5}"), problem);
  const int elbow = problem.robot->findCoordinate("elbow");
  EXPECT_EQ(plannedLimits(problem).velocity[elbow], 0.25);
  EXPECT_EQ(plannedLimits(problem).acceleration[elbow],
            LimitSettings::kAccelerationPerVelocity * own[elbow]);
  EXPECT_THROW(readLimits(yaml("limits: {velocity: {elbow: 3.5}}"), problem), InputError);
  EXPECT_THROW(readLimits(yaml("limits: {velocity: 0}"), problem), InputError);
  problem.limits.velocity[elbow] = 99.0;
  ASSERT_EQ(velocityFindings(problem).size(), 1u);
  EXPECT_EQ(velocityFindings(problem)[0].limit, own[elbow]);
  problem.limits.velocity[elbow] = -1.0;
  EXPECT_EQ(velocityFindings(problem).size(), 1u);
}

TEST(TaskSections, WithoutALimitOfJerkAccelerationsSwitchInMilliseconds) {
  Problem problem = armProblem();
  for (const char* text : {"limits: {jerk: .inf}", "limits: {jerk: {elbow: .inf}}"}) {
    readLimits(yaml(text), problem);
    const PlannedLimits limits = plannedLimits(problem);
    const int elbow = problem.robot->findCoordinate("elbow");
    EXPECT_EQ(limits.jerk[elbow], limits.acceleration[elbow] / LimitSettings::kSwitch);
    EXPECT_TRUE(limits.jerk.allFinite());
  }
  EXPECT_THROW(readLimits(yaml("limits: {acceleration: .inf}"), problem), InputError);
  EXPECT_THROW(readLimits(yaml("limits: {jerk: -.inf}"), problem), InputError);
}

TEST(TaskSections, AToolsMotionIsAnOutput) {
  const Problem problem = armProblem();
  const auto output = readOutput(
      yaml("output: {tool_csv: {file: tool.csv, link: hand, offset: {position: [0, 0, 0.1]}, "
           "rate: 50}}"),
      *problem.robot);
  ASSERT_TRUE(output.tool_csv);
  EXPECT_EQ(output.tool_csv->link, "hand");
  EXPECT_EQ(output.tool_csv->X_LP.p, Vec3(0.0, 0.0, 0.1));
  EXPECT_EQ(output.tool_csv->rate, 50.0);
  for (const char* text :
       {"{link: hand}", "{file: x}", "{file: x, link: hnad}", "{file: x, link: hand, rate: 0}"}) {
    EXPECT_THROW(readOutput(yaml(std::string("output: {tool_csv: ") + text + "}"), *problem.robot),
                 InputError);
  }
}

}  // namespace
}  // namespace allclear
