#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "allclear/core/input_error.h"
#include "allclear/planner/certificate.h"
#include "allclear/planner/problem.h"
#include "allclear/trajectories/named_trajectory.h"

namespace allclear {

/// A stretch of motion of a sequence, from rest to rest.
struct SequenceMotion {
  std::string name;  ///< unique; in messages and names of folders
  /// Makes the problem of this segment from what all segments share: robot, settings, and the start
  /// and scene to which the steps before lead (motions of obstacles count from the segment's
  /// start). Adds the planned coordinates, the goal, and all else that is this segment's own. May
  /// throw `InputError`. Called with many starts.
  std::function<Problem(const Problem& shared)> problem;
};

/// An obstacle becomes an object that the robot carries, in the pose that it has then.
struct SequenceAttach {
  std::string object;
  int link = -1;
  std::vector<int> touch_links;    ///< besides `link`
  std::optional<Inertia> inertia;  ///< in the obstacle's frame
};

/// A carried object becomes an obstacle, where it is.
struct SequenceDetach {
  std::string object;
};

struct SequenceStep {
  std::variant<SequenceMotion, SequenceAttach, SequenceDetach> what;
  InputPlace where = {};  ///< in the task file
};

/// Motions one after the other, each from where the one before it ended, and between them objects
/// that are taken up and put down. Every motion begins and ends at rest.
struct Sequence {
  /// What all segments share: robot, start, scene, collision, limits. Its goal counts for nothing.
  Problem shared;
  std::vector<SequenceStep> steps;
};

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

/// "part" taken by "hand" at 2.4 s.
struct SequenceEvent {
  std::string object;
  std::string link;  ///< that takes it or lets go of it
  bool attaches = true;
  double time = 0.0;       ///< [s] since the start of the sequence
  int before_segment = 0;  ///< index of the motion that follows it; their number at the end
};

/// One motion of a sequence, planned or given.
struct SequenceSegment {
  std::string name;
  int step = -1;            ///< index into `Sequence::steps`
  double start_time = 0.0;  ///< [s] since the start of the sequence
  Problem problem;
  Certificate certificate;  ///< of its trajectory
};

/// The verdict about trajectories of all motions of a sequence. Clear only as a whole: when each
/// motion is certified for the problem that the steps before it lead to, the next one begins where
/// it ends, to the bit and at rest, and the events are the sequence's.
struct SequenceCertificate {
  bool clear = false;
  std::string message;
  std::vector<SequenceSegment> segments;
  std::vector<SequenceEvent> events;
  double duration = 0.0;  ///< [s]
};

/// Certifies motions one after the other, in the order of the sequence's; stops at the first that
/// is not clear. Throws `InputError` when there are too few or too many, or a segment's problem
/// cannot be made.
SequenceCertificate certifySequence(const Sequence& sequence,
                                    const std::vector<Trajectory>& trajectories,
                                    const CertificateOptions& options = {});

/// The segments' problems and start times for these trajectories, and the events: what
/// `certifySequence` and `verifySequence` judge, with certificates that claim nothing yet.
SequenceCertificate layOut(const Sequence& sequence, const std::vector<Trajectory>& trajectories);

/// Checks certificates of all motions as `verifyCertificate` does, each against the problem that
/// is made anew from the sequence and the trajectories before it; and that these join.
CertificateVerdict verifySequence(const Sequence& sequence,
                                  const std::vector<Certificate>& certificates,
                                  const CertificateOptions& options = {});

/// The verdict about segments that are all clear, in words; what stands behind each is in their own
/// messages.
std::string sequenceMessage(const Sequence& sequence, const SequenceCertificate& certificate);

/// All motions as one: the joints of all of them, each held while it does not move. Rows of
/// positions, velocities and accelerations; segments share the row where they join, at rest. Its
/// times are sums, so that between two rows it is a segment's polynomial but for a rounding of its
/// length in time. Pre: trajectories of quintic rows (as `plan` returns them) that join.
NamedTrajectory wholeTrajectory(const Problem& shared,
                                const std::vector<SequenceSegment>& segments);

/// The parts of a whole trajectory between these instants [s], each of its segment's joints: the
/// inverse of `wholeTrajectory`, to the rounding of times. Throws `InputError` when it has no row
/// at one of them, or is not rows with accelerations.
std::vector<Trajectory> cutAt(const NamedTrajectory& whole, const std::vector<double>& ends,
                              const std::vector<std::vector<std::string>>& joints);

}  // namespace allclear
