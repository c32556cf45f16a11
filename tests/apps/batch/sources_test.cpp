#include "allclear/apps/batch/sources.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "allclear/apps/batch/sweep.h"
#include "allclear/config/task/read_task.h"
#include "allclear/config/values/input_cache.h"
#include "allclear/core/input_error.h"
#include "allclear/robot_models/files/recorded_robot.h"
#include "config/task_fixture.h"

namespace allclear::batch {
namespace {

const char* const kTask =
    "name: a sweep\n"
    "robot: {urdf: arm.urdf, srdf: arm.srdf}\n"
    "group_name: arm\n"
    "start_state: {group_state: ready}\n"
    "goal: {joint_constraints: {shoulder: 0.5}}\n"
    "scene:\n"
    "  collision_objects:\n"
    "    - {id: can, type: sphere, dimensions: [0.05], pose: {position: [2, 0, 0.5]}}\n";

Sweep sweepOf(const test::TaskFolder& folder, const std::string& text) {
  folder.write("task.yaml", kTask);
  return Sweep::load(folder.write("sweep.yaml", "task: task.yaml\n" + text));
}

/// The message of the error that `text` gives.
std::string errorOf(const test::TaskFolder& folder, const std::string& text) {
  try {
    sweepOf(folder, text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Sweep, ProductsChangeTheLastKeyFirst) {
  const test::TaskFolder folder;
  const Sweep sweep =
      sweepOf(folder,
              "values:\n  goal.joint_constraints.shoulder: [0.25, 0.5, 0.75]\n"
              "  'scene.collision_objects.can.pose.position[2]': {from: 0, to: 1, count: 3}\n");
  ASSERT_EQ(sweep.count(), 9);
  const Sweep::Variant variant = sweep.variant(5);
  const auto task = nlohmann::json::parse(variant.text);
  EXPECT_EQ(task["goal"]["joint_constraints"]["shoulder"], 0.5);
  EXPECT_EQ(task["scene"]["collision_objects"][0]["pose"]["position"][2], 1.0);
  EXPECT_EQ(variant.parameters, R"({"goal.joint_constraints.shoulder":0.5,)"
                                R"("scene.collision_objects.can.pose.position[2]":1.0})");
  EXPECT_EQ(nlohmann::json::parse(sweep.variant(1).text)["goal"]["joint_constraints"]["shoulder"],
            0.25);
}

TEST(Sweep, ZipsGoThroughTheListsTogether) {
  const test::TaskFolder folder;
  const Sweep sweep = sweepOf(folder,
                              "combine: zip\nvalues:\n  start_state.lift: [0, 0.1]\n"
                              "  goal.joint_constraints: [{shoulder: 1}, {elbow: 1}]\n");
  ASSERT_EQ(sweep.count(), 2);
  const auto task = nlohmann::json::parse(sweep.variant(1).text);
  EXPECT_EQ(task["start_state"]["lift"], 0.1);
  EXPECT_EQ(task["goal"]["joint_constraints"], (nlohmann::json{{"elbow", 1}}));
  EXPECT_NE(errorOf(folder, "combine: zip\nvalues: {start_state.lift: [0], group_name: [a, b]}\n")
                .find("has 2 values, but the others have 1"),
            std::string::npos);
}

TEST(Sweep, NamesWhatIsWrongAndWhere) {
  const test::TaskFolder folder;
  const auto expect = [&](const std::string& text, const std::string& part) {
    const std::string error = errorOf(folder, text);
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  expect("values: {scene.collision_objects.cup.pose: [1]}\n", "leads nowhere");
  expect("values: {name.first: [1]}\n", "leads nowhere");
  expect("values: {a..b: [1]}\n", "leads nowhere");
  expect("values: {name: []}\n", "at least one value");
  expect("values: {name: 1}\n", "a list of values");
  expect("values: {}\n", "at least one key");
  expect("valus: {}\n", "did you mean 'values'");
  expect("values:\n  a: {from: 0, to: 1, count: 100000}\n  b: {from: 0, to: 1, count: 100000}\n",
         "more than 10^9");
}

TEST(Sweep, AVariantIsReadAsTheTaskItself) {
  const test::TaskFolder folder;
  const Sweep sweep = sweepOf(folder, "values: {goal.joint_constraints.shoulder: [0.5]}\n");
  const Task plain = loadTask(folder.path() / "task.yaml");
  const Task varied = readTask(sweep.task(), {.text = sweep.variant(0).text});
  EXPECT_EQ(varied.problem.start, plain.problem.start);
  EXPECT_EQ(varied.problem.name, plain.problem.name);
  EXPECT_EQ(std::get<JointTarget>(varied.problem.goal).values,
            std::get<JointTarget>(plain.problem.goal).values);
  ASSERT_EQ(varied.problem.obstacles.size(), 1U);
  EXPECT_EQ(varied.problem.obstacles[0].X_WO.p, plain.problem.obstacles[0].X_WO.p);
}

TEST(Sources, NumberTheQueriesOfAllInputs) {
  const test::TaskFolder folder;
  folder.write("task.yaml", kTask);
  const auto other = folder.write("other.yaml", kTask);
  const auto sweep = folder.write(
      "s.yaml", "task: task.yaml\nvalues: {start_state.lift: {from: 0, to: 0.2, count: 11}}\n");
  const Inputs inputs{{other}, {}, {sweep}};
  const Sources sources = Sources::open(inputs);
  ASSERT_EQ(sources.count(), 12);
  EXPECT_EQ(sources.query(0).file, other.string());
  EXPECT_TRUE(sources.query(0).text.empty());
  EXPECT_EQ(sources.query(3).number, 3);
  EXPECT_EQ(sources.query(3).id.substr(sources.query(3).id.size() - 5), "/s/02");
  EXPECT_EQ(sources.query(1).bundle, sources.query(11).bundle) << "numbers name no files";
  EXPECT_EQ(inputsJson(parseInputs(inputsJson(inputs))), inputsJson(inputs));

  const std::string before = sources.sha256();
  folder.write("task.yaml", std::string(kTask) + "# changed\n");
  EXPECT_NE(Sources::open(inputs).sha256(), before) << "the task of a sweep counts";
  EXPECT_THROW(Sources::open({{other, other}, {}, {}}), InputError);
}

TEST(InputCache, GivesTheSameRobotUntilAFileChanges) {
  const test::TaskFolder folder;
  const auto path = folder.write("task.yaml", kTask);
  InputCache cache;
  const TaskReading reading{.cache = &cache};
  const auto first = readTask(path, reading).problem.robot;
  EXPECT_EQ(readTask(path, reading).problem.robot, first);
  EXPECT_EQ(cache.robotsLoaded(), 1);
  folder.write("arm.srdf", readFile(folder.path() / "arm.srdf") + "<!-- other -->");
  EXPECT_NE(readTask(path, reading).problem.robot, first);
  EXPECT_EQ(cache.robotsLoaded(), 2);
  EXPECT_EQ(loadTask(path).problem.robot->sourceSha256(),
            readTask(path, reading).problem.robot->sourceSha256());
}

TEST(InputCache, RecordsEveryFileThatATaskReads) {
  const test::TaskFolder folder;
  const auto path =
      folder.write("task.yaml", std::string(kTask) +
                                    "    - {id: statue, type: mesh, file: statue.obj, scale: "
                                    "0.001, pose: {position: [0, -2, 0]}}\n"
                                    "  file: scene.yaml\n");
  std::vector<std::filesystem::path> files;
  const Task task = readTask(path, {.files_read = &files});
  std::set<std::string> names;
  for (const auto& file : files) names.insert(file.filename().string());
  for (const char* name : {"task.yaml", "arm.urdf", "arm.srdf", "scene.yaml", "statue.obj"}) {
    EXPECT_EQ(names.count(name), 1U) << name;
  }
}

}  // namespace
}  // namespace allclear::batch
