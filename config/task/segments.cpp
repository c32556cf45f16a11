// The section `segments` of a task: motions one after the other, and objects that change hands
// between them.
//
// A motion's goal may depend on where the robot is when it begins ("joints that the goal does not
// name stay", frames of links, the axis that a link keeps), and that is known only when the motions
// before it are planned. So a segment keeps its section of the file, and is read again for each
// start that the planner asks about. Before anything is planned every segment is read once, from
// the start as far as it is known without planning: mistakes show at their lines, all but those
// that only the true start can tell.
#include <algorithm>
#include <memory>
#include <set>

#include "allclear/config/task/sections.h"
#include "allclear/config/values/scene.h"
#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/planner/problem/sequence_state.h"

namespace allclear {
namespace {

const std::vector<std::string> kMotionKeys = {"name",      "group_name",       "joints",   "goal",
                                              "waypoints", "path_constraints", "duration", "limits",
                                              "objective", "allowed",          "avoid",    "leaves",
                                              "lands"};
const std::vector<std::string> kAttachKeys = {"attach", "link", "touch_links",
                                              "mass",   "com",  "inertia"};

/// The time limit of a sequence is that of a motion times their number: more are a program of their
/// own.
constexpr std::size_t kMostSegments = 1000;

/// What the closures of all segments share.
struct SegmentContext {
  Frames frames;  ///< of the scene file; links where the start of the task puts them
  std::shared_ptr<const RobotModel> robot;  ///< that `frames` refers to
};

/// In (0, 1].
double readFactor(const Value& value) {
  const double factor = value.positive();
  if (factor > 1.0) value.fail("must not exceed 1");
  return factor;
}

/// A segment may be slower than the task's limits; all else about them is the task's.
void readScaling(const Value& section, Problem& problem) {
  const auto limits = section.find("limits");
  if (!limits) return;
  limits->only({"max_velocity_scaling_factor", "max_acceleration_scaling_factor"});
  LimitSettings& set = problem.limits;
  if (const auto value = limits->find("max_velocity_scaling_factor")) {
    set.max_velocity_scaling_factor = readFactor(*value);
  }
  if (const auto value = limits->find("max_acceleration_scaling_factor")) {
    set.max_acceleration_scaling_factor = readFactor(*value);
  }
}

/// All pairs with this body that task, scene or touch links let touch.
void avoidBody(const std::string& name, Problem& problem) {
  CollisionSettings& set = problem.collision;
  const auto add = [&](const std::string& a, const std::string& b) {
    if (a == name || b == name) set.avoided.emplace_back(a, b);
  };
  for (const auto& [a, b] : set.allowed) add(a, b);
  for (const auto& [a, b] : set.allowed_by_scene) add(a, b);
  for (const AttachedObject& object : problem.attached) {
    for (int link : object.touch_links) add(object.id, problem.robot->links()[link].name);
  }
}

/// Names stand for what is let touch; pairs for themselves.
void readAvoid(const Value& list, Problem& problem) {
  for (const Value& item : list.items()) {
    if (item.isList()) continue;
    requireBodyOf(item, problem);
    avoidBody(item.text(), problem);
  }
  // After the names: these look at what is allowed.
  for (const Value& item : list.items()) {
    if (item.isList()) readPair(item, problem, &problem.collision.avoided);
  }
}

/// The lists of pairs of one segment.
void readTouching(const Value& section, Problem& problem) {
  CollisionSettings& set = problem.collision;
  if (const auto avoid = section.find("avoid")) readAvoid(*avoid, problem);
  for (const auto& [key, pairs] :
       {std::pair("allowed", &set.allowed), std::pair("leaves", &set.leaves),
        std::pair("lands", &set.lands)}) {
    if (const auto list = section.find(key)) readPairs(*list, problem, pairs);
  }
}

/// The keys that a goal has elsewhere.
void refuseSpeedAtTheEnd(const Value& section) {
  const Value goal = section.need("goal");
  for (const char* key : {"velocity", "acceleration"}) {
    if (goal.isMap() && goal.has(key)) {
      goal.failAtKey(key, "a segment ends at rest, for the next one to begin there");
    }
  }
}

/// The problem of a segment whose start and scene are those of `shared`.
Problem readSegment(const Value& section, const SegmentContext& context, const Problem& shared) {
  Problem problem = shared;
  Frames frames = context.frames.at(problem.start);
  for (const Obstacle& obstacle : problem.obstacles) {
    if (obstacle.motion.empty()) frames.defineIfNew(obstacle.id, obstacle.X_WO);
  }
  // Without joints of its own a segment moves those of the task.
  if (section.has("group_name") || section.has("joints")) {
    problem.group.clear();
    readGroup(section, problem);
  }
  problem.goal = JointTarget{};
  refuseSpeedAtTheEnd(section);
  readGoal(section, frames, problem);
  readWaypoints(section, frames, problem);
  readPathConstraints(section, frames, problem);
  readTouching(section, problem);
  readScaling(section, problem);
  readDuration(section, problem);
  readObjective(section, problem);
  chooseNearestTurns(problem);
  return problem;
}

/// Keeps the section, to be read for each start.
SequenceStep readMotion(const Value& section, const std::string& name,
                        const std::shared_ptr<const SegmentContext>& context) {
  section.only(kMotionKeys);
  section.need("goal");
  SequenceMotion motion;
  motion.name = name;
  motion.problem = [section, context, name](const Problem& shared) {
    Problem problem = readSegment(section, *context, shared);
    problem.name = (shared.name.empty() ? "" : shared.name + ": ") + name;
    return problem;
  };
  return {std::move(motion), {section.file(), section.line(), section.path(), ""}};
}

/// Names of objects are looked at when the scene of the moment is known.
SequenceStep readEvent(const Value& section, const RobotModel& robot) {
  const InputPlace where{section.file(), section.line(), section.path(), ""};
  if (section.has("detach")) {
    section.only({"detach"});
    return {SequenceDetach{section.need("detach").text()}, where};
  }
  section.only(kAttachKeys);
  SequenceAttach event;
  event.object = section.need("attach").text();
  event.link = readLink(section.need("link"), robot);
  if (const auto links = section.find("touch_links")) event.touch_links = readLinks(*links, robot);
  event.inertia = readInertia(section, Pose());
  return {std::move(event), where};
}

/// What the parts that all segments share may not say.
void refuseWholeKeys(const Value& task) {
  for (const char* key : {"goal", "waypoints", "path_constraints", "duration"}) {
    if (task.has(key)) task.failAtKey(key, "with 'segments' this belongs to a segment");
  }
  if (task.has("contacts")) {
    task.failAtKey("contacts", "a robot that stands on contacts cannot have 'segments'");
  }
  const auto start = task.find("start_state");
  for (const char* key : {"velocity", "acceleration"}) {
    if (start && start->isMap() && start->has(key)) {
      start->failAtKey(key, "a task with 'segments' starts at rest");
    }
  }
}

/// Whether an error may be of the start alone, which here is not the true one.
bool dependsOnStart(const InputError& error) {
  const std::string& message = error.message();
  return message.find("the start") != std::string::npos ||
         message.find("does not start") != std::string::npos;
}

/// Reads every segment once, from its start where that is known without planning: after goals of
/// joints. Beyond the first other goal the robot is taken to be where it was, and what that start
/// has to do with an error is not held against the task.
void tryAll(const Sequence& sequence) {
  SequenceState state = sequenceStart(sequence);
  bool is_known = true;
  for (int s = 0; s < static_cast<int>(sequence.steps.size()); ++s) {
    throwIfStopped();
    const SequenceStep& step = sequence.steps[s];
    if (!std::holds_alternative<SequenceMotion>(step.what)) {
      state = afterEvent(sequence, step, state);
      continue;
    }
    try {
      const Problem problem = segmentProblem(sequence, s, state);
      for (const Finding& finding : validate(problem)) {
        if (!is_known && finding.what.starts_with("start")) continue;
        throw InputError(step.where, finding.message);
      }
      // A goal of joints is where the next segment begins; of others the planner knows first.
      const auto* joints = std::get_if<JointTarget>(&problem.goal);
      if (joints != nullptr) {
        state.q = problem.configuration(joints->values);
      } else {
        is_known = false;
      }
    } catch (const InputError& error) {
      if (is_known || !dependsOnStart(error)) throw;
    }
  }
}

}  // namespace

/// In their order; a segment without a name gets its number.
void readSegments(const Value& task, const Frames& frames, const Problem& shared,
                  std::shared_ptr<const Sequence>* sequence) {
  const auto list = task.find("segments");
  if (!list) return;
  refuseWholeKeys(task);
  const auto read = std::make_shared<Sequence>();
  read->shared = shared;
  const auto context = std::make_shared<const SegmentContext>(SegmentContext{frames, shared.robot});
  std::set<std::string> names;
  if (list->isList() && list->size() > kMostSegments) {
    list->fail("has more than " + std::to_string(kMostSegments) + " entries");
  }
  for (const Value& section : list->items()) {
    if (section.isMap() && (section.has("attach") || section.has("detach"))) {
      read->steps.push_back(readEvent(section, *shared.robot));
      continue;
    }
    const auto given = section.only(kMotionKeys).find("name");
    const std::string name = given ? given->text() : "segment " + std::to_string(names.size() + 1);
    if (!names.insert(name).second) section.failAtKey("name", "two segments have this name");
    read->steps.push_back(readMotion(section, name, context));
  }
  if (names.empty()) list->fail("has no segment that moves");
  *sequence = read;
}

/// As far as it shows without planning.
void requireSegments(const Sequence& sequence) { tryAll(sequence); }

}  // namespace allclear
