#pragma once

#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// Where a sequence is between two steps.
struct SequenceState {
  /// An object that was an obstacle and is carried now.
  struct Held {
    Obstacle obstacle;  ///< as it was
    Pose X_LO;          ///< in the frame of the link
  };
  VecX q;                           ///< of the robot, at rest
  double time = 0.0;                ///< [s] since the start of the sequence
  std::vector<Obstacle> obstacles;  ///< motions count from the start of the sequence
  std::vector<AttachedObject> attached;
  std::vector<Held> held;   ///< of `attached`, those that were obstacles
  Uncertainty uncertainty;  ///< of these obstacles, in their order
};

/// Steps that are no events.
int motionCount(const Sequence& sequence);

/// Before the first step.
SequenceState sequenceStart(const Sequence& sequence);

/// The state after an event: its object changes hands. Throws `InputError` where that cannot be: no
/// such obstacle (or carried object), one that moves, bends, is a plane or whose place is
/// uncertain.
SequenceState afterEvent(const Sequence& sequence, const SequenceStep& event,
                         const SequenceState& state);

/// The problem of a motion that begins in this state. Its obstacles' motions begin `state.time`
/// earlier. Where obstacles move on, all but the sequence's last motion claim nothing after their
/// end: the next one begins there. Throws `InputError`.
Problem segmentProblem(const Sequence& sequence, int step, const SequenceState& state);

/// The state after a motion of `problem` along `trajectory`.
SequenceState afterMotion(const Problem& problem, const Trajectory& trajectory,
                          const SequenceState& state);

}  // namespace allclear
