#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allclear/config/values/frames.h"
#include "allclear/config/values/input_files.h"
#include "allclear/config/values/robot_names.h"
#include "allclear/core/text/value.h"
#include "allclear/exports/output_settings.h"
#include "allclear/planner/problem.h"

namespace allclear {

// One function per section of a task. Each adds what it reads, and its warnings, to the problem;
// those below the line need `robot`, `planned` and `start` there.

/// The `package_map` of the robot section, its folders taken relative to the task's.
PackageMap readPackageMap(const Value& task, const std::filesystem::path& task_folder);
void readRobot(const Value& task, const InputFiles& files, bool load_visuals, Problem& problem);
void readGroup(const Value& task, Problem& problem);
/// `scene_state` is the robot's state in the scene file, used for what the task does not name.
void readStart(const Value& task, const JointValues& scene_state, Problem& problem);
/// `start_state: {project: true}`: before anything is read that depends on the start.
void projectStartAsAsked(const Value& task, Problem& problem);

// ------------------------------------------------------------------------------------------------

/// A pose of a frame on a link: `{link: , position: , ..}`.
PoseTarget readPoseTarget(const Value& section, const Frames& frames, const RobotModel& robot);
/// An axis of a link that points at a place: `{link: , axis: , point: , ..}`. Needs the obstacles.
LookAtTarget readLookAt(const Value& section, const Frames& frames, const Problem& problem);
/// A goal of `poses` or `look_at`, and a `reference`.
PostureTarget readPostureTarget(const Value& section, const Frames& frames, Problem& problem);
/// The line of `section` (`link`, `offset`, `tolerance`), whose way is in `way`: the section itself
/// or a map in it. It starts where the start has the link.
KeepOnLine readLine(const Value& section, const Value& way, const Frames& frames,
                    const RobotModel& robot);
/// A held `pose`, `position` or `orientation`, as `kind` says.
KeepPose readKeepPose(const Value& section, const std::string& kind, const Frames& frames,
                      const RobotModel& robot);
void readGoal(const Value& task, const Frames& frames, Problem& problem);
void readWaypoints(const Value& task, const Frames& frames, Problem& problem);
void readPathConstraints(const Value& task, const Frames& frames, Problem& problem);
/// Needs the obstacles and attached objects too, whose names it checks.
void readCollision(const Value& task, Problem& problem);
using NamePairs = std::vector<std::pair<std::string, std::string>>;
/// A list of pairs of bodies, `[[a, b], ..]`. Needs obstacles and attached objects.
void readPairs(const Value& list, const Problem& problem, NamePairs* pairs);
void readPair(const Value& pair, const Problem& problem, NamePairs* pairs);
/// The name of one link or object; else an error.
void requireBodyOf(const Value& name, const Problem& problem);
/// `segments`, last: `shared` is what all sections before say. Nothing without it.
void readSegments(const Value& task, const Frames& frames, const Problem& shared,
                  std::shared_ptr<const Sequence>* sequence);
/// Reads every segment once, so that mistakes show before the planning.
void requireSegments(const Sequence& sequence);
/// Needs the obstacles too.
void readUncertainty(const Value& task, Problem& problem);
void readLimits(const Value& task, Problem& problem);
/// `contact`, `slow_down` and `gaps` of the section `limits`.
void readContactLimits(const Value& limits, Problem& problem);
void readDuration(const Value& task, Problem& problem);
void readAfter(const Value& task, Problem& problem);
void readObjective(const Value& task, Problem& problem);
/// What the frame of a flat contact means.
enum class ContactFrames {
  kAtStart,  ///< its z is turned to the contact's normal at the start, by the least rotation
  kOfSole,   ///< it is the sole's own, as it is written
};
void readContacts(const Value& task, Problem& problem,
                  ContactFrames frames = ContactFrames::kAtStart);
/// Needs the obstacles and attached objects too, whose names it checks.
void readCables(const Value& task, Problem& problem);
/// Last, when all else is read: what a task with contacts is planned as.
void settleContacts(Problem& problem);
/// Needs the contacts too, which it may name.
void readBalance(const Value& task, Problem& problem);
/// `collision: missing`, which the robot needs before the rest of its section can be read.
MissingCollision readMissingCollision(const Value& task);
/// `collision: open_meshes`, which robot and scene need before.
OpenMeshes readOpenMeshesOf(const Value& task);
PlanOptions readSolver(const Value& task);
/// Needs the robot, a link of which it may name.
OutputSettings readOutput(const Value& task, const RobotModel& robot);

}  // namespace allclear
