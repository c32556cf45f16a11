// Tasks that cannot be solved, given to the command as a user would: the exit code and a message
// that names the true cause.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/data.h"
#include "support/run_command.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

constexpr int kBadInput = 2;
constexpr int kNoPlan = 3;
constexpr int kOutOfTime = 4;

/// The parts of a task; what a case leaves alone makes a task that is solved.
struct Task {
  std::string robot = "{urdf: SHELF/seven.urdf, srdf: SHELF/seven.srdf}";
  std::string group = "arm";
  std::string start =
      "{joint1: -1.2, joint2: 0.6, joint3: 0, joint4: 1.2, joint5: 0, joint6: 0.8, joint7: 0}";
  std::string goal = "{joint_constraints: {joint1: 1.2}}";
  std::vector<std::string> objects;
  std::string more;  ///< further sections
};

std::string textOf(const Task& task) {
  std::string text = "robot: " + task.robot + "\ngroup_name: " + task.group +
                     "\nstart_state: " + task.start + "\ngoal: " + task.goal + "\n";
  if (!task.objects.empty()) text += "scene:\n  collision_objects:\n";
  for (const std::string& object : task.objects) text += "    - " + object + "\n";
  text += task.more;
  const std::string shelf = (test::testFolder().parent_path() / "examples/shelf").string();
  for (std::size_t at; (at = text.find("SHELF")) != std::string::npos;) text.replace(at, 5, shelf);
  return text;
}

struct Outcome {
  int exit_code;
  std::string output;
};

Outcome runPlan(const test::TemporaryFolder& folder, const Task& task) {
  const auto file = folder.write("task.yaml", textOf(task));
  const auto csv = folder.path() / "plan.csv";
  test::Process process(
      {test::allclearCommand(), "plan", file.string(), "--quiet", "--csv", csv.string()},
      folder.path() / "output.txt");
  const int code = process.wait();
  EXPECT_EQ(std::filesystem::exists(csv), code == 0)
      << "a file is written for a plan, and only then";
  std::filesystem::remove(csv);
  return {code, process.output()};
}

struct Case {
  const char* name;
  int exit_code;
  std::vector<std::string> causes;  ///< all of them are to be in the message
  Task task;
};

std::string box(const std::string& id, const std::string& size, const std::string& position) {
  return "{id: " + id + ", type: box, dimensions: [" + size + "], pose: {position: [" + position +
         "]}}";
}

/// A wall across the arm's way; no arm passes it.
std::vector<std::string> wall() {
  return {box("front", "3.0, 0.02, 6.0", "1.62, 0, 0"),
          box("behind", "3.0, 0.02, 6.0", "-1.62, 0, 0"),
          box("above", "6.0, 0.02, 4.0", "0, 0, 2.6")};
}

std::vector<Case> cases() {
  std::vector<Case> out;
  const auto add = [&](const char* name, int code, std::vector<std::string> causes, Task task) {
    out.push_back({name, code, std::move(causes), std::move(task)});
  };
  const std::string crate_at_start = box("crate", "0.2, 0.2, 0.2", "0.22, -0.57, 0.6");
  const std::string crate_at_goal = box("crate", "0.2, 0.2, 0.2", "0.22, 0.57, 0.6");

  add("start in contact", kNoPlan,
      {"at the start", "'crate'", "overlap by", "or 'crate'", "collision.allowed: [["},
      {.objects = {crate_at_start}});
  add("goal in contact", kNoPlan, {"at the goal", "'crate'", "overlap by"},
      {.objects = {crate_at_goal}});
  add("start nearer than a pair's margin", kNoPlan,
      {"at the start", "'crate'", "apart", "margin of 500 mm", "pair_margins"},
      {.objects = {box("crate", "0.2, 0.2, 0.2", "0.22, -0.57, 0.95")},
       .more = "collision: {pair_margins: {crate: 0.5}}\n"});
  add("start beyond a limit", kBadInput, {"start_state", "'joint2'", "beyond", "upper limit 2.05"},
      {.start = "{joint1: -1.2, joint2: 2.3, joint3: 0, joint4: 1.2, joint5: 0, joint6: 0.8, "
                "joint7: 0}"});
  add("goal beyond a limit", kBadInput, {"goal", "'joint4'", "beyond", "lower limit -2.05"},
      {.goal = "{joint_constraints: {joint4: -2.2}}"});
  add("waypoint beyond a limit", kBadInput, {"waypoints[0]", "'joint6'", "beyond", "upper limit"},
      {.more = "waypoints:\n  - joint_constraints: {joint6: 3.0}\n"});
  add("pose out of reach", kNoPlan, {"the goal is out of reach", "gets no farther than"},
      {.goal = "{pose: {link: tool, position: [3.0, 0, 0.5]}}"});
  add("pose inside an obstacle", kNoPlan, {"goal's pose", "'crate'", "overlap by"},
      {.goal = "{pose: {link: tool, position: [0.55, 0.3, 0.5]}}",
       .objects = {box("crate", "0.3, 0.3, 0.3", "0.55, 0.3, 0.5")}});
  add("goal behind walls", kOutOfTime, {"Out of time", "No way around", "'front'"},
      {.objects = wall(), .more = "solver: {time_limit: 2, attempts: 1000000}\n"});
  add("misspelt joint", kBadInput, {"goal", "'jiont1'", "did you mean 'joint1'"},
      {.goal = "{joint_constraints: {jiont1: 0.3}}"});
  add("wrong group", kBadInput, {"group_name", "'amr'", "did you mean 'arm'"}, {.group = "amr"});
  add("no such group state", kBadInput, {"start_state", "'redy'", "did you mean 'ready'"},
      {.start = "{group_state: redy}"});
  add("negative margin", kBadInput, {"collision.margin", "-0.01", "negative"},
      {.more = "collision: {margin: -0.01}\n"});
  add("a number that is none", kBadInput, {"joint3", ".nan", "must be a number"},
      {.start = "{joint1: -1.2, joint2: 0.6, joint3: .nan, joint4: 1.2, joint5: 0, joint6: 0.8, "
                "joint7: 0}"});
  add("mesh that is missing", kBadInput, {"statue.stl", "no such file"},
      {.objects = {"{id: statue, type: mesh, file: statue.stl}"}});
  add("mesh that is none", kBadInput, {"task.yaml"},
      {.objects = {"{id: statue, type: mesh, file: task.yaml}"}});
  add("robot that is missing", kBadInput, {"sevn.urdf", "no such file"},
      {.robot = "{urdf: SHELF/sevn.urdf}"});
  add("start too fast", kBadInput, {"start", "velocity", "velocity.joint1", "beyond", "1.8"},
      {.start = "{joint1: -1.2, joint2: 0.6, joint3: 0, joint4: 1.2, joint5: 0, joint6: 0.8, "
                "joint7: 0, velocity: {joint1: 2.5}}"});
  add("fixed duration too short", kNoPlan, {"'joint1'", "duration", "0.7 s"},
      {.more = "duration: {fixed: 0.7}\n"});
  add("longest duration too short", kNoPlan, {"'joint1'", "duration", "1.4 s"},
      {.more = "duration: {max: 1.4}\n"});
  add("links in each other at the goal", kNoPlan, {"at the goal", "'link", "overlap by"},
      {.goal = "{joint_constraints: {joint2: 2.0, joint4: 2.05, joint6: 2.05}}"});
  add("attached object in contact", kNoPlan, {"at the start", "'rod'", "'crate'"},
      {.objects = {box("crate", "0.1, 0.1, 0.1", "0.3164, -0.8138, 0.171")},
       .more = "  attached:\n    - {id: rod, link: tool, type: cylinder, dimensions: [0.8, 0.02], "
               "pose: {position: [0, 0, 0.4]}}\n"});
  add("moving obstacle in the start", kNoPlan, {"at the start", "'agv'"},
      {.objects = {"{id: agv, type: sphere, dimensions: [0.1], motion: through_start.csv}"}});
  add("moving obstacle that runs over the start", kNoPlan, {"'agv'", "t = 0."},
      {.objects = {"{id: agv, type: box, dimensions: [0.6, 0.6, 2.0], motion: onto_start.csv}"},
       .more = "solver: {time_limit: 20, attempts: 2}\n"});
  add("moving obstacle that ends in the goal", kNoPlan, {"at the goal", "'agv'"},
      {.objects = {"{id: agv, type: sphere, dimensions: [0.1], motion: into_goal.csv}"},
       .more = "duration: {fixed: 6}\nsolver: {time_limit: 20, attempts: 2}\n"});
  add("unknown link in an allowed pair", kBadInput, {"allowed", "'lnk3'", "did you mean 'link3'"},
      {.more = "collision: {allowed: [[lnk3, tool]]}\n"});
  add("goal that breaks a path constraint", kNoPlan, {"at the goal", "'tool'", "axis"},
      {.goal = "{joint_constraints: {joint6: -0.8}}",
       .more = "path_constraints:\n  - {link: tool, keep_axis: z, tolerance: 0.2}\n"});
  add("waypoint in contact", kNoPlan, {"waypoint 1", "'crate'"},
      {.objects = {box("crate", "0.2, 0.2, 0.2", "0.62, 0, 0.6")},
       .more =
           "waypoints:\n  - joint_constraints: {joint1: 0, joint2: 0.6, joint3: 0, joint4: 1.2, "
           "joint5: 0, joint6: 0.8, joint7: 0}\n"});
  return out;
}

TEST(InfeasibleTasks, AreExplainedByTheirTrueCause) {
  const test::TemporaryFolder folder;
  const std::string header = "time,x,y,z,qx,qy,qz,qw\n";
  folder.write("through_start.csv", header + "0,0.22,-0.57,0.6,0,0,0,1\n2,2,-0.57,0.6,0,0,0,1\n");
  folder.write("onto_start.csv", header + "0,0.3,-1.6,0.6,0,0,0,1\n0.15,0.3,-0.6,0.6,0,0,0,1\n");
  folder.write("into_goal.csv", header + "0,2,0.57,0.6,0,0,0,1\n4,0.22,0.57,0.6,0,0,0,1\n");
  ASSERT_GE(cases().size(), 20u);
  for (const Case& c : cases()) {
    const Outcome outcome = runPlan(folder, c.task);
    EXPECT_EQ(outcome.exit_code, c.exit_code) << c.name << "\n" << outcome.output;
    for (const std::string& cause : c.causes) {
      EXPECT_NE(outcome.output.find(cause), std::string::npos)
          << c.name << " is to say \"" << cause << "\"; it says\n"
          << outcome.output;
    }
  }
}

TEST(InfeasibleTasks, AreSolvedWithoutTheirFault) {
  const test::TemporaryFolder folder;
  const Outcome outcome = runPlan(folder, {});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
}

/// The straight arm swings through a slot that leaves it a few centimetres on either side.
Task slotTask(const std::string& margin) {
  return {.start =
              "{joint1: -1, joint2: 1.5708, joint3: 0, joint4: 0, joint5: 0, joint6: 0, "
              "joint7: 0}",
          .goal = "{joint_constraints: {joint1: 1}}",
          .objects = {box("upper", "6.0, 0.04, 3.0", "0, 0, 2.0"),
                      box("lower", "1.2, 0.04, 1.0", "0.95, 0, -0.24"),
                      box("behind", "3.0, 0.04, 1.4", "-1.85, 0, -0.1")},
          .more = "collision: {margin: " + margin + "}\nsolver: {time_limit: 20, attempts: 1}\n"};
}

TEST(InfeasibleTasks, TheLargestFeasibleMarginFoundIsFeasible) {
  const test::TemporaryFolder folder;
  const Outcome outcome = runPlan(folder, slotTask("0.069"));
  EXPECT_EQ(outcome.exit_code, kNoPlan) << outcome.output;
  const std::string before = "margin of ";
  const std::size_t at = outcome.output.rfind(before);
  ASSERT_NE(at, std::string::npos) << outcome.output;
  const double margin = 1e-3 * std::atof(outcome.output.c_str() + at + before.size());  // [mm]
  EXPECT_GT(margin, 0.01) << outcome.output;
  EXPECT_LT(margin, 0.069) << outcome.output;
  const Outcome within = runPlan(folder, slotTask(std::to_string(margin - 1e-4)));
  EXPECT_EQ(within.exit_code, 0) << within.output;
}

}  // namespace
}  // namespace allclear
