// What the steps of a sequence lead to: who carries what, where things stand, and so the problem of
// each motion. Planner, certificate and checker all ask here, and start from the sequence and the
// trajectories alone.
#include "allclear/planner/problem/sequence_state.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "allclear/core/input_error.h"
#include "allclear/distance/deforming_mesh.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {
namespace {

/// Forward kinematics of one link.
Pose linkPose(const RobotModel& robot, const VecX& q, int link) {
  const Kinematics kinematics(robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(q, workspace, X_WL);
  return X_WL[link];
}

/// Of obstacles and carried objects.
template <class List>
auto findById(List& list, const std::string& id) {
  return std::find_if(list.begin(), list.end(), [&](const auto& item) { return item.id == id; });
}

/// At the event's place in the task.
[[noreturn]] void refuse(const SequenceStep& step, const std::string& object,
                         const std::string& why) {
  throw InputError(step.where, "'" + object + "' " + why);
}

/// Why an obstacle cannot be carried; empty when it can.
std::string whyNotCarried(const Obstacle& obstacle, double distance) {
  if (obstacle.deforming != nullptr) return "bends: it cannot be carried";
  if (obstacle.cloud != nullptr) return "is a cloud of points or boxes: it cannot be carried";
  if (obstacle.moves()) return "moves by itself: it cannot be carried";
  if (!obstacle.spread.isEmpty() || distance > 0.0) {
    return "is not surely where it is (uncertainty): it cannot be carried";
  }
  for (const Geometry& part : obstacle.geometry) {
    if (std::holds_alternative<HalfSpace>(part.shape)) return "is a plane: it cannot be carried";
  }
  return "";
}

/// The obstacle leaves the scene; its shapes, and its mass, are now in the frame of the link.
void attach(const Sequence& sequence, const SequenceStep& step, const SequenceAttach& event,
            SequenceState& state) {
  const auto it = findById(state.obstacles, event.object);
  if (it == state.obstacles.end()) {
    const bool is_carried = findById(state.attached, event.object) != state.attached.end();
    refuse(step, event.object, is_carried ? "is carried already" : "is no obstacle then");
  }
  const auto index = it - state.obstacles.begin();
  VecX& strays = state.uncertainty.obstacles;
  const std::string why = whyNotCarried(*it, strays.size() > 0 ? strays[index] : 0.0);
  if (!why.empty()) refuse(step, event.object, why);
  const RobotModel& robot = *sequence.shared.robot;
  const Pose X_LO = linkPose(robot, state.q, event.link).inverse() * it->X_WO;
  AttachedObject object{event.object, event.link, it->geometry, event.touch_links, std::nullopt};
  for (Geometry& part : object.geometry) part.X_BG = X_LO * part.X_BG;
  if (event.inertia) {
    const Inertia& of = *event.inertia;
    object.inertia = Inertia{of.mass, X_LO * of.p_LC, X_LO.R * of.I_C * X_LO.R.transpose()};
  }
  state.held.push_back({*it, X_LO});
  state.attached.push_back(std::move(object));
  state.obstacles.erase(it);
  if (strays.size() == 0) return;
  // The other obstacles keep theirs.
  VecX left(strays.size() - 1);
  left << strays.head(index), strays.tail(strays.size() - 1 - index);
  strays = left;
}

/// The object comes back as an obstacle: as it was, where it is.
void detach(const Sequence& sequence, const SequenceStep& step, const SequenceDetach& event,
            SequenceState& state) {
  const auto it = findById(state.attached, event.object);
  if (it == state.attached.end()) refuse(step, event.object, "is not carried then");
  const Pose X_WL = linkPose(*sequence.shared.robot, state.q, it->link);
  const auto held = std::find_if(state.held.begin(), state.held.end(),
                                 [&](const auto& h) { return h.obstacle.id == event.object; });
  Obstacle obstacle;
  if (held == state.held.end()) {
    // It was carried from the outset: its shapes are known in the frame of the link.
    obstacle.id = it->id;
    obstacle.geometry = it->geometry;
    obstacle.X_WO = X_WL;
  } else {
    obstacle = held->obstacle;
    obstacle.X_WO = X_WL * held->X_LO;
    state.held.erase(held);
  }
  state.attached.erase(it);
  state.obstacles.push_back(std::move(obstacle));
  VecX& strays = state.uncertainty.obstacles;
  if (strays.size() == 0) return;
  strays.conservativeResize(strays.size() + 1);
  strays[strays.size() - 1] = 0.0;
}

/// The same motion with its time counted from `start` on.
void shiftTime(double start, Obstacle& obstacle) {
  for (PoseKnot& knot : obstacle.motion) knot.time -= start;
  for (PositionSpread::Knot& knot : obstacle.spread.knots) knot.time -= start;
  if (obstacle.deforming != nullptr) {
    const DeformingMesh& mesh = *obstacle.deforming;
    std::vector<double> times = mesh.times();
    for (double& t : times) t -= start;
    std::vector<std::vector<Vec3>> keyframes;
    for (int k = 0; k < mesh.keyframeCount(); ++k) keyframes.push_back(mesh.keyframe(k));
    obstacle.deforming =
        std::make_shared<const DeformingMesh>(mesh.triangles(), std::move(keyframes), times);
  }
}

/// Whether only events follow.
bool isLastMotion(const Sequence& sequence, int step) {
  return std::none_of(sequence.steps.begin() + step + 1, sequence.steps.end(),
                      [](const auto& s) { return std::holds_alternative<SequenceMotion>(s.what); });
}

/// Motions join at rest, so none may begin or end at speed.
void requireRest(const Problem& problem, const SequenceStep& step) {
  if (isRestToRest(problem)) return;
  throw InputError(step.where,
                   "a segment begins and ends at rest: it cannot have velocities or "
                   "accelerations at its ends");
}

}  // namespace

/// What the task says.
int motionCount(const Sequence& sequence) {
  return static_cast<int>(std::count_if(
      sequence.steps.begin(), sequence.steps.end(),
      [](const SequenceStep& step) { return std::holds_alternative<SequenceMotion>(step.what); }));
}

SequenceState sequenceStart(const Sequence& sequence) {
  const Problem& shared = sequence.shared;
  return {shared.start, 0.0, shared.obstacles, shared.attached, {}, shared.uncertainty};
}

/// Nothing changes at a motion.
SequenceState afterEvent(const Sequence& sequence, const SequenceStep& event,
                         const SequenceState& state) {
  SequenceState after = state;
  if (const auto* taken = std::get_if<SequenceAttach>(&event.what)) {
    attach(sequence, event, *taken, after);
  } else if (const auto* left = std::get_if<SequenceDetach>(&event.what)) {
    detach(sequence, event, *left, after);
  }
  return after;
}

/// The shared parts with this state put in, completed by the segment.
Problem segmentProblem(const Sequence& sequence, int step, const SequenceState& state) {
  Problem shared = sequence.shared;
  shared.start = state.q;
  shared.obstacles = state.obstacles;
  shared.attached = state.attached;
  shared.uncertainty = state.uncertainty;
  if (state.time > 0.0) {
    for (Obstacle& obstacle : shared.obstacles) shiftTime(state.time, obstacle);
  }
  Problem problem = std::get<SequenceMotion>(sequence.steps[step].what).problem(shared);
  const bool world_moves = std::any_of(problem.obstacles.begin(), problem.obstacles.end(),
                                       [](const Obstacle& obstacle) { return obstacle.moves(); });
  // The next motion takes over at once: what moves on is its business.
  if (world_moves && !isLastMotion(sequence, step)) problem.after = AfterEnd::kUnknown;
  requireRest(problem, sequence.steps[step]);
  return problem;
}

/// The robot is where the trajectory ends; nobody else has moved but by the clock.
SequenceState afterMotion(const Problem& problem, const Trajectory& trajectory,
                          const SequenceState& state) {
  SequenceState after = state;
  after.q = problem.configuration(trajectory.value(trajectory.duration()));
  // Whole nanoseconds, as the rows of all files.
  after.time = std::round((state.time + trajectory.duration()) * 1e9) / 1e9;
  return after;
}

}  // namespace allclear
