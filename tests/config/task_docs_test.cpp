// docs/task.md is held to the code: its examples load, and it names every key that the code knows.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "allclear/config/scene_file.h"
#include "allclear/core/input_error.h"
#include "config/task_fixture.h"
#include "support/data.h"

namespace allclear {
namespace {

std::string docs() { return readFile(test::sourceFolder() / "docs" / "task.md"); }

/// The fenced blocks of the document whose fence line is exactly "```" and `kind`.
std::vector<std::string> blocks(const std::string& kind) {
  std::vector<std::string> out;
  std::istringstream in(docs());
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      out.back() += line + "\n";
    } else if (line == "```" + kind) {
      inside = true;
      out.emplace_back();
    }
  }
  return out;
}

TEST(TaskDocs, TheFirstExampleIsShortAndAllOfThemLoad) {
  const std::vector<std::string> examples = blocks("yaml");
  ASSERT_EQ(examples.size(), 2U);
  EXPECT_LE(std::count(examples[0].begin(), examples[0].end(), '\n'), 12);
  for (const std::string& example : examples) {
    const Problem problem = test::loadText(example);
    EXPECT_TRUE(validate(problem).empty());
    EXPECT_FALSE(problem.obstacles.empty());
  }
}

TEST(TaskDocs, TheSceneExampleLoads) {
  const std::vector<std::string> examples = blocks("yaml scene");
  ASSERT_EQ(examples.size(), 1U);
  const test::TaskFolder folder;
  const Problem task = test::loadText(blocks("yaml")[0]);
  const Scene scene = loadScene(folder.write("s.yaml", examples[0]), *task.robot, task.start);
  EXPECT_EQ(scene.obstacles.size(), 2U);
}

TEST(TaskDocs, TheUncertaintyExampleLoads) {
  const std::vector<std::string> examples = blocks("yaml uncertainty");
  ASSERT_EQ(examples.size(), 1U);
  const Problem problem = test::loadText(
      "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
      "start_state: {group_state: ready}\ngoal: {joint_constraints: {elbow: 0}}\n"
      "scene: {collision_objects: [{id: cart, type: sphere, dimensions: [0.1], pose: {position: "
      "[3, "
      "0, 0]}}]}\n" +
      examples[0]);
  EXPECT_TRUE(validate(problem).empty());
  EXPECT_TRUE(problem.obstacles[0].spread.growsWithoutEnd());
}

// They are of a humanoid: its names are put in place of those of the small arm.
TEST(TaskDocs, TheGoalExamplesLoad) {
  const std::vector<std::string> examples = blocks("yaml goal");
  ASSERT_EQ(examples.size(), 4U);
  for (std::string example : examples) {
    for (const auto& [name, own] : {std::pair<std::string, std::string>{"r_hand", "hand"},
                                    {"l_hand", "forearm"},
                                    {"half_sitting", "folded"},
                                    {"r_elbow", "elbow"},
                                    {"l_elbow", "wrist"}}) {
      for (std::size_t at = 0; (at = example.find(name, at)) != std::string::npos;) {
        example.replace(at, name.size(), own);
      }
    }
    const Problem problem = test::loadText(
        "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
        "start_state: {group_state: ready}\n" +
        example);
    EXPECT_TRUE(validate(problem).empty());
  }
}

TEST(TaskDocs, TheSegmentsExampleLoads) {
  const std::vector<std::string> examples = blocks("yaml segments");
  ASSERT_EQ(examples.size(), 1U);
  const test::TaskFolder folder;
  const Task task = loadTask(
      folder.write("task.yaml",
                   "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
                   "start_state: {group_state: ready}\n"
                   "scene: {collision_objects: [{id: box, type: box, dimensions: [0.1, 0.1, 0.1], "
                   "pose: {position: [3, 0, 0.05]}}, {id: table, type: box, dimensions: [1, 1, "
                   "0.1], pose: {position: [3, 0, -0.05]}}]}\n" +
                       examples[0]),
      {.allow_segments = true});
  ASSERT_NE(task.sequence, nullptr);
  EXPECT_EQ(task.sequence->steps.size(), 6U);
}

/// What the code says it knows at a place, when it meets a key that it does not know.
std::set<std::string> knownKeys(const std::string& extra) {
  try {
    test::loadText(
        "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
        "start_state: {group_state: ready}\n" +
        extra);
  } catch (const InputError& error) {
    std::set<std::string> keys;
    const std::string message = error.message();
    const std::size_t list = message.find("known here: ");
    if (list == std::string::npos) ADD_FAILURE() << error.what();
    for (std::size_t at = message.find('\'', list); at != std::string::npos;) {
      const std::size_t end = message.find('\'', at + 1);
      keys.insert(message.substr(at + 1, end - at - 1));
      at = message.find('\'', end + 1);
    }
    return keys;
  }
  ADD_FAILURE() << "loaded: " << extra;
  return {};
}

TEST(TaskDocs, NameEveryKeyThatTheCodeKnows) {
  const std::string text = docs();
  const std::string goal = "goal: {joint_constraints: {elbow: 0}}\n";
  const char* const places[] = {
      "qqqqqqqq: 1",
      "goal: {qqqqqqqq: 1}",
      "goal: {pose: {qqqqqqqq: 1}}",
      "goal: {pose: {link: hand, position: [0, 0, 0], tolerance: {qqqqqqqq: 1}}}",
      "goal: {look_at: {qqqqqqqq: 1}}",
      "goal: {any_of: [{qqqqqqqq: 1}]}",
      "waypoints: [{qqqqqqqq: 1}]",
      "path_constraints: [{keep_axis: x, qqqqqqqq: 1}]",
      "path_constraints: [{box: {}, qqqqqqqq: 1}]",
      "path_constraints: [{link: hand, box: {qqqqqqqq: 1}}]",
      "scene: {qqqqqqqq: 1}",
      "scene: {collision_objects: [{type: box, qqqqqqqq: 1}]}",
      "scene: {attached: [{qqqqqqqq: 1}]}",
      "collision: {qqqqqqqq: 1}",
      "uncertainty: {qqqqqqqq: 1}",
      "uncertainty: {base: {qqqqqqqq: 1}}",
      ("scene: {collision_objects: [{id: box, type: sphere, dimensions: [0.1], pose: {position: "
       "[3, "
       "0, 0]}}]}\nuncertainty: {obstacles: {box: {qqqqqqqq: 1}}}"),
      "limits: {qqqqqqqq: 1}",
      "duration: {qqqqqqqq: 1}",
      "objective: {qqqqqqqq: 1}",
      "balance: {qqqqqqqq: 1}",
      "contacts: [{qqqqqqqq: 1}]",
      "solver: {qqqqqqqq: 1}",
      "output: {qqqqqqqq: 1}",
  };
  std::size_t count = 0;
  for (const std::string place : places) {
    const bool has_goal = place.starts_with("goal");
    for (const std::string& key : knownKeys((has_goal ? "" : goal) + place + "\n")) {
      const bool named = text.find("`" + key + "`") != std::string::npos ||
                         text.find(key + ":") != std::string::npos;
      EXPECT_TRUE(named) << "docs/task.md does not name '" << key << "' of " << place;
      ++count;
    }
  }
  EXPECT_GT(count, 80U);
}

}  // namespace
}  // namespace allclear
