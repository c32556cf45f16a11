#include "allclear/config/task_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>

#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/core/sha256.h"
#include "config/task_fixture.h"

namespace allclear {
namespace {

using test::loadText;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const Obstacle& obstacle(const Problem& problem, const std::string& id) {
  for (const Obstacle& candidate : problem.obstacles) {
    if (candidate.id == id) return candidate;
  }
  throw std::runtime_error("no obstacle " + id);
}

/// A point of an object's first shape, in the world.
Vec3 inWorld(const Obstacle& object, const Vec3& p_G, std::size_t shape = 0) {
  return object.X_WO * (object.geometry[shape].X_BG * p_G);
}

bool near(const Vec3& a, const Vec3& b) { return (a - b).norm() < 1e-12; }

class FullTask : public testing::Test {
 protected:
  static const Task& task() {
    static const Task kTask = loadTask(test::robotFolder() / "full.yaml");
    return kTask;
  }
  static const Problem& problem() { return task().problem; }
};

TEST_F(FullTask, SaysWhatMovesAndWhereItStarts) {
  const Problem& p = problem();
  EXPECT_EQ(p.name, "everything");
  EXPECT_EQ(p.group, "arm");
  EXPECT_EQ(p.robot->dimension(), 5);
  EXPECT_EQ(p.planned, (std::vector<int>{0, 1, 2, 3}));
  VecX start(5);
  start << 0.1, 0.0, 0.5, 0.0, 0.065;  // the finger beyond its limit, as given
  EXPECT_EQ(p.start, start);
  EXPECT_EQ(p.start_velocity, (VecX(4) << 0, 0.1, 0, 0).finished());
  EXPECT_EQ(p.start_acceleration, (VecX(4) << 0, 0, -0.2, 0).finished());
  EXPECT_EQ(p.source_sha256.size(), 64U);
}

TEST_F(FullTask, GoalKeepsUnnamedJointsAndTurnsTheShorterWay) {
  const auto& goal = std::get<JointTarget>(problem().goal);
  EXPECT_EQ(goal.coordinates, problem().planned);
  EXPECT_DOUBLE_EQ(goal.values[0], 0.1);
  EXPECT_DOUBLE_EQ(goal.values[1], 0.8);
  EXPECT_DOUBLE_EQ(goal.values[2], 0.5);
  EXPECT_NEAR(goal.values[3], 7.0 - 2.0 * std::numbers::pi, 1e-12);
  EXPECT_EQ(problem().goal_velocity, (VecX(4) << 0, 0.2, 0, 0).finished());
  EXPECT_EQ(problem().goal_acceleration, (VecX(4) << 0.01, 0, 0, 0).finished());
}

TEST_F(FullTask, WaypointsLeaveUnnamedJointsFree) {
  const auto& waypoints = problem().waypoints;
  ASSERT_EQ(waypoints.size(), 3U);
  const auto& first = std::get<JointTarget>(waypoints[0].target);
  EXPECT_EQ(first.coordinates, (std::vector<int>{2}));
  EXPECT_EQ(first.values[0], 1.0);
  EXPECT_EQ(waypoints[0].time, 0.7);
  const auto& second = std::get<PoseTarget>(waypoints[1].target);
  EXPECT_EQ(second.link, problem().robot->findLink("hand"));
  EXPECT_EQ(second.X_WP.p, Vec3(0.5, 0.4, 0.65));
  EXPECT_EQ(second.position_tolerance, 0.01);
  EXPECT_EQ(second.angle_tolerance, kInfinity);
  EXPECT_FALSE(waypoints[1].time.has_value());
  EXPECT_EQ(std::get<JointTarget>(waypoints[2].target).values[1], -1.0);
}

TEST_F(FullTask, PathConstraintsAreRead) {
  ASSERT_EQ(problem().path_constraints.size(), 2U);
  const auto& axis = std::get<KeepAxis>(problem().path_constraints[0]);
  EXPECT_EQ(axis.axis_L, Vec3::UnitX());
  EXPECT_TRUE(near(axis.direction_W, Vec3(0.9, 0.4, 0).normalized()));
  EXPECT_EQ(axis.tolerance, 3.0);
  const auto& box = std::get<KeepInBox>(problem().path_constraints[1]);
  EXPECT_EQ(box.p_L, Vec3(0.1, 0, 0));
  EXPECT_EQ(box.size, Vec3(4, 4, 4));
  EXPECT_TRUE(near(box.X_WB.p, Vec3(0, 0, 1.2)));  // the column stands at 0.1 + lift 0.1
}

TEST_F(FullTask, ObjectsOfItsOwnAreRead) {
  const Problem& p = problem();
  ASSERT_EQ(p.obstacles.size(), 12U);
  EXPECT_EQ(std::get<Box>(obstacle(p, "box").geometry[0].shape).size(), Vec3(.1, .2, .3));
  // tool_tip at the start: shoulder 0, elbow 0.5, then 0.45 along x of the forearm; 1 m further on
  const Vec3 box(0.45 + 1.45 * std::cos(0.5), 1.45 * std::sin(0.5), 0.65);
  EXPECT_TRUE(near(inWorld(obstacle(p, "box"), Vec3::Zero()), box));
  const auto& agv = obstacle(p, "agv");
  EXPECT_EQ(std::get<Cylinder>(agv.geometry[0].shape).radius(), 0.3);
  EXPECT_EQ(std::get<Cylinder>(agv.geometry[0].shape).length(), 1.0);
  ASSERT_EQ(agv.motion.size(), 3U);
  EXPECT_TRUE(near(agv.pose(2.0).p, Vec3(2, 1, 0.5)));
  EXPECT_TRUE(near(agv.pose(0.5).R.col(0),
                   Vec3(std::cos(std::numbers::pi / 4), std::sin(std::numbers::pi / 4), 0)));
  const auto& statue = std::get<TriangleMesh>(obstacle(p, "statue").geometry[0].shape);
  EXPECT_EQ(statue.triangles().size(), 4U);
  EXPECT_NEAR(boundingBall(statue).radius, 0.0866, 1e-3);  // millimetres scaled to metres
  const auto& hull = std::get<ConvexMesh>(obstacle(p, "hull").geometry[0].shape);
  double top = 0.0;
  for (const Vec3& v : hull.points()) top = std::max(top, v.z());
  EXPECT_NEAR(top, 0.2, 1e-9);
  EXPECT_TRUE(near(obstacle(p, "hull").X_WO.R.col(0), Vec3(std::cos(1.0), std::sin(1.0), 0)));
  EXPECT_EQ(std::get<Sphere>(obstacle(p, "ball").geometry[0].shape).radius(), 0.1);
  EXPECT_EQ(std::get<Cone>(obstacle(p, "hat").geometry[0].shape).length(), 0.4);
  EXPECT_EQ(std::get<Capsule>(obstacle(p, "pill").geometry[0].shape).length(), 0.4);
  EXPECT_EQ(std::get<Ellipsoid>(obstacle(p, "egg").geometry[0].shape).radii(), Vec3(.1, .2, .3));
}

TEST_F(FullTask, PlanesAreSolidAgainstTheirNormal) {
  const Obstacle& floor = obstacle(problem(), "floor");
  ASSERT_TRUE(std::holds_alternative<HalfSpace>(floor.geometry[0].shape));
  EXPECT_TRUE(near(inWorld(floor, Vec3::Zero()), Vec3(0, 0, -0.5)));
  EXPECT_TRUE(near(floor.X_WO.R * floor.geometry[0].X_BG.R.col(2), Vec3::UnitZ()));
  const Obstacle& ground = obstacle(problem(), "ground");  // 2 z + 0.2 = 0
  EXPECT_TRUE(near(inWorld(ground, Vec3::Zero()), Vec3(0, 0, -0.1)));
}

TEST_F(FullTask, MoveItSceneIsRead) {
  const Obstacle& shelf = obstacle(problem(), "shelf");  // in the frame `map`, 1 m along x
  ASSERT_EQ(shelf.geometry.size(), 2U);
  EXPECT_TRUE(near(inWorld(shelf, Vec3::Zero(), 0), Vec3(1, 0, 0.5)));
  EXPECT_TRUE(near(inWorld(shelf, Vec3::Zero(), 1), Vec3(1, 0, 0.8)));
  EXPECT_EQ(std::get<Cylinder>(shelf.geometry[1].shape).radius(), 0.1);
  const Obstacle& wedge = obstacle(problem(), "wedge");
  EXPECT_TRUE(near(inWorld(wedge, Vec3::Zero()), Vec3(0, 3, 1)));
  EXPECT_EQ(std::get<TriangleMesh>(wedge.geometry[0].shape).triangles()[0], (Triangle{0, 2, 1}));
}

TEST_F(FullTask, AttachedObjectsAreInTheirLinksFrame) {
  ASSERT_EQ(problem().attached.size(), 1U);
  const AttachedObject& tool = problem().attached[0];
  EXPECT_EQ(tool.link, problem().robot->findLink("hand"));
  EXPECT_EQ(tool.geometry[0].X_BG.p, Vec3(0.1, 0, 0));
  EXPECT_EQ(tool.touch_links.size(), 2U);
}

TEST_F(FullTask, CollisionSettingsAreRead) {
  const CollisionSettings& set = problem().collision;
  EXPECT_EQ(set.geometry, GeometryMode::kPrimitive);
  EXPECT_EQ(set.distance, DistanceMode::kSoft);
  EXPECT_EQ(set.margin, 0.002);
  EXPECT_EQ(set.tolerance, 2e-4);
  ASSERT_EQ(set.pair_margins.size(), 3U);
  EXPECT_EQ(set.pair_margins[0].a, "floor");
  EXPECT_EQ(set.pair_margins[0].b, "");
  EXPECT_EQ(set.pair_margins[2].b, "agv");
  EXPECT_EQ(set.pair_margins[2].margin, 0.1);
  // From the scene's matrix: not the pair the SRDF disables, not the unknown link.
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(set.allowed_by_scene, (std::vector<Pair>{{"base_link", "shelf"}}));
  EXPECT_EQ(set.allowed, (std::vector<Pair>{{"tool", "floor"}, {"forearm", "statue"}}));
  EXPECT_EQ(set.missing, MissingCollision::kIgnore);
  EXPECT_EQ(problem().after, AfterEnd::kUnknown);
}

TEST_F(FullTask, LimitsScaleAndDefault) {
  const PlannedLimits limits = plannedLimits(problem());
  EXPECT_DOUBLE_EQ(limits.velocity[1], 0.5 * 2.0);
  EXPECT_DOUBLE_EQ(limits.acceleration[1], 0.25 * 8.0);
  EXPECT_DOUBLE_EQ(limits.acceleration[2], 0.25 * 5.0 * 3.0);
  EXPECT_DOUBLE_EQ(limits.jerk[2], 90.0);
  EXPECT_DOUBLE_EQ(limits.jerk[1], 50.0 * 2.0);
  EXPECT_EQ(limits.lower[3], -kInfinity);
  EXPECT_EQ(limits.effort[1], 50.0);
}

TEST_F(FullTask, OtherSettingsAreRead) {
  const Problem& p = problem();
  EXPECT_EQ(p.duration.min, 0.5);
  EXPECT_EQ(p.duration.max, 10.0);
  EXPECT_EQ(p.objective.duration, 2.0);
  EXPECT_EQ(p.objective.velocity, 0.3);
  EXPECT_EQ(p.objective.acceleration, 0.1);
  EXPECT_EQ(p.objective.jerk, 0.2);
  EXPECT_EQ(p.objective.torque, 0.4);
  ASSERT_TRUE(p.balance.has_value());
  EXPECT_EQ(p.balance->support_links.size(), 2U);
  EXPECT_EQ(p.balance->criterion, Balance::Criterion::kCom);
  EXPECT_EQ(p.balance->margin, 0.01);
  ASSERT_EQ(p.contacts.size(), 1U);  // `fixed: false` asks for nothing
  EXPECT_EQ(p.contacts[0].link, 0);
  EXPECT_EQ(task().options.time_limit, 3.0);
  EXPECT_EQ(task().options.attempts, 5);
  EXPECT_EQ(task().options.seed, 42U);
  EXPECT_EQ(task().options.threads, 2);
  EXPECT_EQ(task().options.spans, 12);
  EXPECT_EQ(task().output.csv, "out.csv");
  EXPECT_EQ(task().output.rate, 500.0);
  EXPECT_EQ(task().output.trajectory, "out.json");
  EXPECT_EQ(task().output.certificate, "cert.json");
  EXPECT_EQ(task().output.report, "out.html");
  EXPECT_EQ(task().output.ros2, "out.yaml");
}

TEST_F(FullTask, PassesValidation) { EXPECT_TRUE(validate(problem()).empty()); }

TEST(Task, MayLeaveNearlyEverythingOut) {
  const Problem p = loadText(
      "robot: arm.urdf\n"
      "start_state: {lift: 0, shoulder: 0, elbow: 0, wrist: 0, finger: 0}\n"
      "goal: {joint_constraints: {shoulder: 1}}\n");
  EXPECT_EQ(p.plannedCount(), p.robot->dimension());
  EXPECT_TRUE(p.obstacles.empty());
  EXPECT_EQ(p.collision.margin, CollisionSettings().margin);
  EXPECT_EQ(p.limits.acceleration.size(), 0);
}

const char* const kArm =
    "robot: {urdf: arm.urdf, srdf: arm.srdf}\n"
    "group_name: arm\n"
    "goal: {joint_constraints: {shoulder: 1}}\n";

TEST(Task, TakesTheStartFromTheSceneWhenItGivesNone) {
  const Problem p = loadText(std::string(kArm) + "scene: {file: scene.yaml}\n");
  EXPECT_EQ(p.start, (VecX(5) << 0.2, 0.1, 0.2, 0.3, 0.05).finished());
}

TEST(Task, MovesEndpointsARoundingBeyondALimitBackWithAWarning) {
  const Problem p =
      loadText(std::string(kArm) + "start_state: {group_state: ready, elbow: 2.500009}\n");
  EXPECT_EQ(p.start[2], 2.5);
  bool warned = false;
  for (const std::string& warning : p.warnings) {
    warned |= warning.find("'elbow' at 2.500009 is 9e-06 rad beyond its upper limit 2.5; moved") !=
              std::string::npos;
  }
  EXPECT_TRUE(warned);
  EXPECT_THROW(loadText(std::string(kArm) + "start_state: {group_state: ready, elbow: 2.500011}\n"),
               InputError);
}

TEST(Task, AcceptsAMimicJointThatAgreesAndWarnsOfOneThatDoesNot) {
  const std::string start = std::string(kArm) + "start_state: {group_state: ready, finger: 0.02, ";
  const auto mimicWarnings = [](const Problem& p) {
    return std::count_if(p.warnings.begin(), p.warnings.end(), [](const std::string& warning) {
      return warning.find("follows joint 'finger'") != std::string::npos;
    });
  };
  EXPECT_EQ(mimicWarnings(loadText(start + "finger_mirror: 0.02}\n")), 0);
  const Problem other = loadText(start + "finger_mirror: 0.03}\n");
  EXPECT_EQ(mimicWarnings(other), 1);
  EXPECT_EQ(other.start[4], 0.02);
}

TEST(Task, NormalisesNearlyUnitQuaternions) {
  const Problem p = loadText(
      "robot: {urdf: arm.urdf, srdf: arm.srdf}\n"
      "group_name: arm\n"
      "start_state: {group_state: ready}\n"
      "goal: {pose: {link: hand, orientation: [0, 0, 0.7075, 0.7075], offset: {position: [0.1, 0, "
      "0]}}}\n");
  const auto& goal = std::get<PoseTarget>(p.goal);
  EXPECT_TRUE(goal.X_WP.R.isUnitary(1e-14));
  EXPECT_TRUE(near(goal.X_WP.R.col(0), Vec3::UnitY()));
  EXPECT_EQ(goal.position_tolerance, kInfinity);
  EXPECT_EQ(goal.angle_tolerance, PoseTarget().angle_tolerance);
  EXPECT_EQ(goal.X_LP.p, Vec3(0.1, 0, 0));
}

TEST(Task, KeepsTheAxisOfTheStartWhenNoDirectionIsGiven) {
  const Problem p = loadText(std::string(kArm) + "start_state: {group_state: ready}\n" +
                             "path_constraints: [{link: hand, keep_axis: -x}]\n");
  const auto& keep = std::get<KeepAxis>(p.path_constraints[0]);
  EXPECT_TRUE(near(keep.direction_W, Vec3(-std::cos(0.5), -std::sin(0.5), 0)));
}

TEST(Task, FixedDurationIsFixed) {
  const Problem p =
      loadText(std::string(kArm) + "start_state: {group_state: ready}\nduration: {fixed: 3.0}\n");
  EXPECT_TRUE(p.duration.isFixed());
  EXPECT_EQ(p.duration.max, 3.0);
}

TEST(Task, SameBytesGiveTheSameHashAndOtherBytesAnother) {
  const std::string text = std::string(kArm) + "start_state: {group_state: ready}\n";
  EXPECT_EQ(loadText(text).source_sha256, loadText(text).source_sha256);
  EXPECT_NE(loadText(text).source_sha256, loadText(text + "# \n").source_sha256);
}

// The recipe of docs/task.md, by hand.
TEST(Task, HashIsThatOfTheFilesThatItNamesUnderTheNamesThatItGives) {
  const test::TaskFolder folder;
  const std::string scene =
      "collision_objects: [{id: rock, type: mesh, file: statue.obj, pose: {position: [9, 0, "
      "0]}}]\n";
  const std::string text =
      std::string(kArm) +
      "start_state: {group_state: ready}\nscene:\n  file: more/rocks.yaml\n  collision_objects:\n"
      "    - {id: statue, type: mesh, file: statue.obj, pose: {position: [5, 0, 0]}}\n";
  const std::string statue = readFile(folder.path() / "statue.obj");
  std::filesystem::create_directory(folder.path() / "more");
  folder.write("more/rocks.yaml", scene);
  folder.write("more/statue.obj", statue + "\n");
  FilesSha256 files;
  files.add("task", text);
  files.add("statue.obj", statue);
  files.add("more/rocks.yaml", scene);
  files.add("more/rocks.yaml: statue.obj", statue + "\n");
  const std::string hash = loadTask(folder.write("t.yaml", text)).problem.source_sha256;
  EXPECT_EQ(hash, files.hex());
  // Two files of one name that change places.
  folder.write("more/statue.obj", statue);
  folder.write("statue.obj", statue + "\n");
  EXPECT_NE(loadTask(folder.path() / "t.yaml").problem.source_sha256, hash);
}

TEST(Task, SaysWhatToDoWithLinksThatHaveVisualsOnly) {
  const test::TaskFolder folder;
  std::string urdf = readFile(folder.path() / "arm.urdf");
  const std::string shape = "<collision><geometry><sphere radius=\"0.04\"/></geometry></collision>";
  const auto at = urdf.find(shape);
  ASSERT_NE(at, std::string::npos);
  urdf.replace(at, shape.size(),
               "<visual><geometry><mesh filename=\"statue.obj\"/></geometry></visual>");
  folder.write("arm.urdf", urdf);
  const std::string text = std::string(kArm) + "start_state: {group_state: ready}\n";
  const auto load = [&](const std::string& word) {
    return loadTask(folder.write("t.yaml", text + "collision: {missing: " + word + "}\n")).problem;
  };
  const auto hand = [](const Problem& p) { return p.robot->links()[p.robot->findLink("hand")]; };
  for (const std::string& refused : {text, text + "collision: {missing: error}\n"}) {
    try {
      loadTask(folder.write("t.yaml", refused));
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("link 'hand' moves and has visuals"),
                std::string::npos)
          << error.what();
    }
  }
  EXPECT_TRUE(hand(load("ignore")).collision.empty());
  EXPECT_EQ(hand(load("visual")).collision.size(), 1U);
  EXPECT_THROW(load("hide"), InputError);
}

TEST(Task, SharesAliases) {
  const Problem p = loadText(
      std::string(kArm) +
      "start_state: {group_state: ready}\n"
      "scene:\n"
      "  collision_objects:\n"
      "    - {id: a, type: box, dimensions: &size [1, 1, 1], pose: {position: [3, 0, 0]}}\n"
      "    - {id: b, type: box, dimensions: *size, pose: {position: [5, 0, 0]}}\n");
  EXPECT_EQ(std::get<Box>(p.obstacles[1].geometry[0].shape).size(), Vec3(1, 1, 1));
}

}  // namespace
}  // namespace allclear
