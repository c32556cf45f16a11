// The subcommands and the options that they share, called without a process of their own.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "allclear/apps/assumptions_json.h"
#include "allclear/apps/commands.h"
#include "allclear/apps/inspect.h"
#include "allclear/apps/robot_options.h"
#include "allclear/apps/table.h"
#include "allclear/apps/trajectory_options.h"
#include "allclear/core/input_error.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/load_robot.h"
#include "allclear/trajectories/trajectory_files.h"
#include "config/task_fixture.h"

namespace allclear {
namespace {

/// Parses the words as the command line of `app`.
void parse(CLI::App& app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  app.parse(words);
}

/// Keeps what is printed until it ends, by an exception too.
class PrintedText {
 public:
  PrintedText() { testing::internal::CaptureStdout(); }
  ~PrintedText() {
    if (!is_taken_) testing::internal::GetCapturedStdout();
  }
  std::string take() {
    is_taken_ = true;
    return testing::internal::GetCapturedStdout();
  }

 private:
  bool is_taken_ = false;
};

TEST(Table, AlignsColumnsByCharactersAndSkipsEmptyOnes) {
  Table table({"name", ">size", "nothing"});
  EXPECT_TRUE(table.empty());
  table.addRow({"⌀ 5", "12"});
  table.addRow({"box", "7", ""});
  std::ostringstream out;
  table.print(out, 0);
  EXPECT_EQ(out.str(), "name  size\n⌀ 5     12\nbox      7\n");
}

TEST(Table, NumbersAreShort) {
  EXPECT_EQ(shortNumber(0.5), "0.5");
  EXPECT_EQ(shortNumber(-0.0), "0");
  EXPECT_EQ(shortNumber(1.0 / 3.0, 3), "0.333");
  EXPECT_EQ(shortNumber(std::numeric_limits<double>::infinity()), "-");
  EXPECT_EQ(groupedNumber(999), "999");
  EXPECT_EQ(groupedNumber(1234567), "1 234 567");
}

TEST(RobotOptions, PackagesAreNameEqualsPath) {
  CLI::App app;
  RobotOptions options;
  options.addTo(app);
  parse(app, {"r.urdf", "--package", "a=b=c", "--base", "planar"});
  const RobotSource source = options.source();
  EXPECT_EQ(source.package_map.at("a"), "b=c");
  EXPECT_EQ(source.base, BaseJoint::kPlanar);
  parse(app, {"r.urdf", "--package", "nopath="});
  EXPECT_THROW(options.source(), InputError);
  EXPECT_THROW(parse(app, {"r.urdf", "--base", "flying"}), CLI::ParseError);
}

TEST(TrajectoryOptions, TheLimitToleranceReachesTheCertificate) {
  CLI::App app;
  TrajectoryOptions options;
  options.addTo(app);
  parse(app, {"task.yaml", "t.csv"});
  EXPECT_EQ(options.certificateOptions().limits.limit_tolerance,
            CertifiedLimitOptions{}.limit_tolerance);
  parse(app, {"task.yaml", "t.csv", "--limit-tolerance", "0.01"});
  EXPECT_EQ(options.certificateOptions().limits.limit_tolerance, 0.01);
  EXPECT_EQ(options.trajectoryFile(), "t.csv");
  EXPECT_THROW(options.read(), InputError) << "there is no such task";
}

TEST(TrajectoryOptions, ATubeMayHaveAWidth) {
  CLI::App app;
  TrajectoryOptions options;
  options.addTo(app);
  parse(app, {"task.yaml", "t.csv"});
  EXPECT_FALSE(options.certificateOptions().cover.widest_tube);
  parse(app, {"task.yaml", "t.csv", "--tube"});
  EXPECT_TRUE(options.certificateOptions().cover.widest_tube);
  EXPECT_EQ(options.tubeWidth(), 0.0);
  parse(app, {"--tube=0.002", "task.yaml", "t.csv"});
  EXPECT_TRUE(options.certificateOptions().cover.widest_tube);
  EXPECT_EQ(options.tubeWidth(), 0.002);
  EXPECT_THROW(parse(app, {"task.yaml", "t.csv", "--tube", "-1"}), CLI::ParseError);
}

TEST(Inspect, ShowsEveryLinkJointAndCoordinate) {
  RobotSource source;
  source.urdf = test::robotFolder() / "arm.urdf";
  const RobotModel robot = loadRobot(source);
  std::ostringstream text, json;
  printRobot(robot, true, text);
  printRobotJson(robot, json);
  for (const Link& link : robot.links()) {
    EXPECT_NE(text.str().find(link.name), std::string::npos) << link.name;
  }
  for (const Coordinate& c : robot.coordinates()) {
    EXPECT_NE(json.str().find("\"" + c.name + "\""), std::string::npos) << c.name;
  }
  EXPECT_EQ(json.str().find("inf"), std::string::npos) << "JSON has no infinity";
}

TEST(Subcommands, CheckTellsATaskThatCannotBePlannedByItsExitCode) {
  const test::TaskFolder folder;
  const auto exitCodeFor = [&](const std::string& goal) {
    folder.write("task.yaml",
                 "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
                 "start_state: {group_state: ready}\ngoal: {joint_constraints: {" +
                     goal + "}}\n");
    CLI::App app;
    int exit_code = -1;
    addCheck(app, exit_code);
    const PrintedText printed;
    parse(app, {"check", (folder.path() / "task.yaml").string(), "--json"});
    return exit_code;
  };
  EXPECT_EQ(exitCodeFor("elbow: 0.5"), kDone);
  EXPECT_EQ(exitCodeFor("elbow: 2.6"), kNoPlan) << "beyond its limit";
  EXPECT_THROW(exitCodeFor("elbwo: 0.5"), InputError) << "bad input";
}

TEST(Subcommands, PostureFindsTheGoalAndSaysWhatIsInTheWay) {
  const test::TaskFolder folder;
  const auto answerFor = [&](const std::string& goal, int* exit_code) {
    folder.write("task.yaml",
                 "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
                 "start_state: {group_state: ready}\ngoal: {" +
                     goal + "}\n");
    CLI::App app;
    addPosture(app, *exit_code);
    PrintedText printed;
    parse(app, {"posture", (folder.path() / "task.yaml").string(), "--json"});
    return nlohmann::json::parse(printed.take());
  };
  int exit_code = -1;
  const auto given = answerFor("joint_constraints: {elbow: 0.5}", &exit_code);
  EXPECT_EQ(exit_code, kDone);
  EXPECT_EQ(given["joints"]["elbow"], 0.5);
  // Where the hand is at those joints, it can be again.
  RobotSource source;
  source.urdf = folder.path() / "arm.urdf";
  source.srdf = folder.path() / "arm.srdf";
  const RobotModel robot = loadRobot(source);
  const Kinematics kinematics(robot);
  auto workspace = kinematics.makeWorkspace();
  VecX q = robot.neutralConfiguration();
  for (int c = 0; c < q.size(); ++c) {
    const std::string& name = robot.coordinates()[c].name;
    if (given["joints"].contains(name)) q[c] = given["joints"][name];
  }
  std::vector<Pose> X_WL;
  kinematics.linkPoses(q, workspace, X_WL);
  const Vec3 p = X_WL[robot.findLink("hand")].p;
  std::ostringstream place;
  place.precision(12);
  place << "poses: [{link: hand, position: [" << p.x() << ", " << p.y() << ", " << p.z() << "]}]";
  const auto found = answerFor(place.str(), &exit_code);
  EXPECT_EQ(exit_code, kDone);
  EXPECT_LE(found["poses"][0]["position"], 1e-3);
  const auto fault = answerFor("poses: [{link: hand, position: [9, 0, 0]}]", &exit_code);
  EXPECT_EQ(exit_code, kNoPlan);
  EXPECT_NE(fault["fault"].get<std::string>().find("Without the pose of link 'hand'"),
            std::string::npos)
      << fault["fault"];
}

TEST(Subcommands, PlanAndCertifySayWhatTheyAssume) {
  const test::TaskFolder folder;
  const std::string task = folder
                               .write("task.yaml",
                                      "robot: {urdf: arm.urdf, srdf: arm.srdf}\n"
                                      "group_name: arm\nstart_state: {group_state: ready}\n"
                                      "goal: {joint_constraints: {elbow: 0.5}}\n")
                               .string();
  const std::string out = (folder.path() / "out").string();
  const auto printed = [&](std::vector<std::string> words) {
    CLI::App app;
    int exit_code = -1;
    addPlan(app, exit_code);
    addCertify(app, exit_code);
    PrintedText text;
    parse(app, std::move(words));
    EXPECT_EQ(exit_code, kDone);
    return text.take();
  };
  const std::string trajectory = out + "/trajectory.json";
  EXPECT_NE(printed({"plan", task, "-o", out, "--quiet"}).find("\nAssumes: 7 pairs exempt; finger"),
            std::string::npos);
  EXPECT_NE(printed({"certify", task, trajectory}).find("\nAssumes: "), std::string::npos);
  EXPECT_NE(printed({"certify", task, trajectory, "--verify", out + "/certificate.json"})
                .find("\nAssumes: "),
            std::string::npos);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"plan", task, "--json"},
                                                {"certify", task, trajectory, "--json"}}) {
    const auto json = nlohmann::json::parse(printed(words));
    EXPECT_TRUE(json["valid_until"].is_null()) << "it rests, and nothing moves";
    ASSERT_FALSE(json["assumptions"].empty());
    EXPECT_EQ(json["assumptions"][0]["kind"], "exempt pairs");
    EXPECT_EQ(json["assumptions"][0]["pairs"].size(), 7u);
  }
}

TEST(Subcommands, CertifyTellsHowFarTheJointsMayStray) {
  const test::TaskFolder folder;
  const auto task =
      folder.write("task.yaml",
                   "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
                   "start_state: {group_state: ready}\ngoal: {joint_constraints: {wrist: 0.1}}\n"
                   "scene: {collision_objects: [{id: box, type: box, dimensions: [0.1, 0.1, 0.1],\n"
                   "  pose: {position: [0.7, 0.8, 0.45]}}]}\n");
  const Problem problem = loadTask(task).problem;
  const VecX from = problem.plannedPart(problem.start);
  MatX control(from.size(), 12);
  for (int i = 0; i < 12; ++i) {
    const double s = std::clamp((i - 2.0) / 7.0, 0.0, 1.0);
    control.col(i) = (1.0 - s) * from + s * std::get<JointTarget>(problem.goal).values;
  }
  const auto trajectory =
      folder.write("t.json", formatTrajectoryJson(BSpline(control, 4.0), plannedNames(problem)));
  const auto certified = [&](const std::string& tube, std::string* printed) {
    CLI::App app;
    int exit_code = -1;
    addCertify(app, exit_code);
    PrintedText text;
    parse(app, {"certify", task.string(), trajectory.string(), "--json", tube});
    *printed = text.take();
    return exit_code;
  };
  std::string text;
  EXPECT_EQ(certified("--tube", &text), kDone) << text;
  EXPECT_NE(text.find("\"joints_to_contact\": 0."), std::string::npos) << text;
  EXPECT_NE(text.find("No bodies meet while every joint stays within"), std::string::npos);
  EXPECT_EQ(certified("--tube=0.0001", &text), kDone);
  EXPECT_EQ(certified("--tube=1.0", &text), kNotClear) << "wider than proven";
}

}  // namespace
}  // namespace allclear
