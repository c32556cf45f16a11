#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "allclear/core/types.h"
#include "allclear/distance/convex_cover.h"
#include "allclear/planner/problem.h"
#include "allclear/trajectories/named_trajectory.h"

namespace allclear {

/// How far beyond a limit a proven bound may lie and the limit still count as kept.
struct CertifiedLimitOptions {
  /// For joint limits, torques and the duration, relative to the size of the limit (to 1 for
  /// smaller limits). A curve that runs along its limit exceeds it by rounding, 1e-13 or so: above
  /// that; and far below what an encoder or a drive can tell.
  double limit_tolerance = 1e-9;
  /// For path constraints [rad or m]: of the size of the error of the pose polynomials, which the
  /// bounds of path constraints include (`certifiedPoseTolerance`, 2e-6 m by default).
  double path_tolerance = 1e-6;
  /// For position, velocity and acceleration at both ends, in the units of the joint: a file with
  /// six decimals passes.
  double end_tolerance = 1e-6;
};

/// When the search for cells of time stops. Whatever these say, what is found is proven; with too
/// small a budget a plan is refused that could have been proven.
struct CoverOptions {
  /// [s]: cells as short as this are not divided further. In a microsecond a point at 10 m/s moves
  /// 10 um, so a bound that fails now fails by that much at most.
  double shortest_cell = 1e-6;
  int evaluations_per_pair = 5000;     ///< to decide one pair of pieces
  int evaluations_of_minimum = 20000;  ///< to bracket the least distance of all
  /// Also seek the widest tube that can be proven, where the motion is clear: takes several times
  /// as long. Always done where the problem has an uncertainty.
  bool widest_tube = false;
};

struct CertificateOptions {
  CertifiedLimitOptions limits;
  CoverOptions cover;
  /// How the file of the trajectory was read, where the claim rests on it
  /// (`NamedTrajectory::assumptions`): listed among the certificate's assumptions.
  std::vector<std::string> reading = {};
};

/// During `time` the signed distance is at least `lower` [m]: there is so much room along `normal`.
/// (Between exact meshes the normal is that of the closest instant, and proves nothing.)
struct CoverCell {
  Interval time;
  double lower = -std::numeric_limits<double>::infinity();
  Vec3 normal = Vec3::UnitX();
};

/// Two bodies that start or end nearer than their margin, and keep less of it near that end
/// (`EndMargin::kRelax`).
struct EndRelief {
  double start_margin = 0.0;                              ///< [m], until `until`
  double until = 0.0;                                     ///< [s]; 0: the margin from the start on
  double goal_margin = 0.0;                               ///< [m], from `from` on
  double from = std::numeric_limits<double>::infinity();  ///< [s]; infinite: the margin to the end

  bool isNeeded() const { return until > 0.0 || from < std::numeric_limits<double>::infinity(); }
  /// What is to be kept during `time`, where that is `margin` elsewhere. A time that reaches beyond
  /// a stretch near an end has the margin.
  double marginDuring(Interval time, double margin) const {
    if (until > 0.0 && time.upper <= until) return start_margin;
    return time.lower >= from ? goal_margin : margin;
  }
  bool operator==(const EndRelief&) const = default;
};

/// A stretch near an end is at most this share of the duration: beyond it bodies keep their margin.
inline constexpr double kLongestRelief = 0.25;

/// The proof for one pair of solids: consecutive cells from 0 to the duration.
struct CertificatePair {
  std::string a;  ///< names of the bodies
  std::string b;
  MeshFidelity fidelity = MeshFidelity::kHull;
  int piece_a = 0;  ///< index of the body's solid at this fidelity
  int piece_b = 0;
  /// [m]; below zero: the two touch at a contact, and are proven to be no deeper in one another.
  double margin = 0.0;
  bool touchesAtContact() const { return margin < 0.0; }
  std::vector<CoverCell> cells;
  EndRelief relief = {};  ///< the same for all solids of two bodies
};

/// A quantity that stays within [lower, upper] at every instant, and its limits.
struct CertifiedLimit {
  std::string subject;   ///< a joint, a link, or empty for the whole
  std::string quantity;  ///< "position", "velocity", "acceleration", "jerk", "torque", "duration",
                         ///< "angle of the kept axis", "x in the box", "contact force with hand"
  double lower = 0.0;    ///< proven bounds
  double upper = 0.0;
  double lower_limit = 0.0;
  double upper_limit = 0.0;
  double t = 0.0;     ///< [s] where it comes nearest to a limit, or goes farthest beyond
  bool kept = false;  ///< the bounds are within the limits (to the tolerance)
};

/// A path that the trajectory follows: at time t it is, in every joint, within `within` of the
/// path's point at s(t), where s runs through the whole path, never back. So the trajectory goes
/// nowhere else, leaves nothing out, and keeps the path's order.
struct FollowedPath {
  FollowedPath(const Trajectory& followed, double bound) : path(followed), within(bound) {}

  Trajectory path;  ///< over the planned coordinates; its times mean nothing
  double within;    ///< [rad; m for slides]
};

/// The version of the certificate as a file (exports/certificate_json.h).
inline constexpr int kCertificateFormat = 3;

/// Something that the certificate takes for granted.
struct Assumption {
  std::string kind;   ///< "geometry", "exempt pairs", "held joints", ... (assumptions.cpp)
  std::string text;   ///< the whole of it, one or more sentences
  std::string brief;  ///< a few words for one line; empty where the line can do without
};

/// Two bodies whose distance is not looked at, and why.
struct ExemptPair {
  std::string a;
  std::string b;
  std::string reason;
};

/// How far the real motion may stray from the certified one: a safe figure for tracking errors,
/// backlash and calibration. Infinite where nothing limits it.
///
/// "To contact": up to there no two bodies meet. "To margin": up to there they keep their margins.
struct ProvenTube {
  /// Every joint, planned or held, may stray by so much, each at every instant anew [rad; m for
  /// slides], beside the displacements of obstacles and base that the problem's uncertainty allows.
  double joints_to_contact = std::numeric_limits<double>::infinity();
  double joints_to_margin = std::numeric_limits<double>::infinity();
  /// Everything that the problem's uncertainty names may stray so many times as far as it says.
  double factor_to_contact = std::numeric_limits<double>::infinity();
  double factor_to_margin = std::numeric_limits<double>::infinity();
  std::string closest_a;  ///< the pair that limits `joints_to_contact`; empty without one
  std::string closest_b;
  double closest_t = 0.0;  ///< where it does [s]
};

/// The alternative of a goal (`AnyTarget`) that a trajectory ends at.
struct ReachedGoal {
  int alternative = 0;  ///< from 0, in the problem's order
  int count = 0;        ///< of all
  std::string name;     ///< of the alternative; may be empty
  bool operator==(const ReachedGoal&) const = default;
};

/// Where a pair of bodies comes nearest to its own margin.
struct RankedPair {
  std::string a;
  std::string b;
  /// [m] Bracket of the distance where the pair has the least slack: the lower end is proven of
  /// every instant (with `margin`: slack there is no less anywhere), the upper end is met at `t`.
  Interval distance;
  double margin = 0.0;  ///< [m] that the pair is to keep there
  double t = 0.0;       ///< [s]

  double slack() const { return distance.lower - margin; }  ///< proven [m]
};

/// So many pairs are ranked at the most: the ones that a reader looks at.
inline constexpr std::size_t kRankedPairs = 8;

/// The joint that needs most of its effort limit, where it needs more than all of it: sampled, so
/// it may need still more between the samples.
struct TorqueUse {
  std::string joint;
  double torque = 0.0;  ///< magnitude [N m or N]
  double effort = 0.0;  ///< the limit of the URDF
  double t = 0.0;       ///< [s]
};

/// The verdict about a trajectory of a problem, with its proof. A plain value.
///
/// `clear` says that for all t of [0, covered_until] every pair keeps its margin, whatever strays
/// within the problem's uncertainty, that for all t of [0, duration] every limit and path
/// constraint is kept, that the ends are those of the problem, and that position, velocity and
/// acceleration do not jump. Of rows without velocities or accelerations, which a controller joins
/// by straight lines or cubics, it says less: `not_covered` names what. It is proven from the
/// problem and the trajectory alone, by code that shares none with the search that found the
/// trajectory.
struct Certificate {
  NamedTrajectory trajectory;
  std::string trajectory_sha256 = {};  ///< of its JSON text
  std::string robot_sha256 = {};
  std::string task_sha256 = {};
  double margin = 0.0;     ///< of pairs without one of their own [m]
  double tolerance = 0.0;  ///< wanted width of `minimum_clearance` [m]
  CertifiedLimitOptions tolerances = {};
  std::string tool =
      {};  ///< name and version of the program that made it; says who, proves nothing
  bool clear = false;

  /// [s] The end of the cells: the duration, or when the last obstacle stops if that is later and
  /// the robot rests then.
  double covered_until = 0.0;
  /// [s] Until when pairs keep their margin: infinite when the robot rests after the end and
  /// nothing moves any more after `covered_until`; otherwise the duration.
  double valid_until = 0.0;
  std::vector<Assumption> assumptions = {};
  std::vector<ExemptPair> exempt_pairs = {};

  /// Where the problem's goal has alternatives: the first of those that the trajectory ends at.
  std::optional<ReachedGoal> goal = {};

  /// Bracket of the least distance of all pairs but those that touch at a contact
  /// (`CertificatePair::touchesAtContact`) [m]; infinite when there are no others.
  Interval minimum_clearance = {};
  std::string closest_a = {};  ///< the pair of the upper bound; empty without one
  std::string closest_b = {};
  double closest_t = 0.0;  ///< its instant [s]

  /// The pairs with the least slack to their own margins (those that touch at a contact have none),
  /// the least first, each two bodies once:
  /// every pair that is not listed has at least the slack of the last one, proven by the cells.
  /// Only where all pairs keep their margins; then not empty where there are pairs.
  std::vector<RankedPair> closest_pairs = {};

  /// Only where torques are not limited (`LimitSettings::torque`) and one is beyond its rating.
  std::optional<TorqueUse> torque_beyond_rating = {};

  /// Proven by the cells; only where it was asked for, or the problem has an uncertainty.
  std::optional<ProvenTube> tube = {};

  std::vector<CertificatePair> pairs = {};
  std::vector<CertifiedLimit> limits = {};
  std::vector<std::string> faults =
      {};  ///< why it is not clear, one sentence each, the worst first
  /// Constant pairs (no planned joint moves one body against the other) that touch or are nearer
  /// than their margin: no plan can change that, and none is refused for it.
  std::vector<std::string> static_contacts = {};
  /// Demands of the problem that the certificate says nothing about.
  std::vector<std::string> not_covered = {};
  std::string message = {};  ///< the verdict in words

  /// SHA-256 of the files that hold this trajectory for a controller, by kind: "csv", "ros2"
  /// (`writeOutputFiles`; `sentFault` checks them).
  std::map<std::string, std::string> sent = {};

  /// Only where the trajectory was made to follow a path (`certifyFollows`).
  std::optional<FollowedPath> follows = {};
};

/// Certifies `trajectory` (over `problem.planned`, in its order). Deterministic. Throws
/// `InputError` when the problem or the trajectory is beyond what can be certified (a plane that
/// turns, a trajectory of other joints, of too high a degree or too fast).
Certificate certify(const Problem& problem, const Trajectory& trajectory,
                    const CertificateOptions& options = {});

/// The same for a robot that stands on contacts, with the wrenches of all contacts besides the base
/// (rows as `wrenchNames` has them, and the trajectory's duration). Where forces at contacts are
/// part of the problem, the certificate says that with these wrenches, and what is then left for
/// the base to supply, every contact is within its friction and its sole and the torques within
/// their limits, for all t; without them (null) it says nothing of forces and torques
/// (`not_covered`).
Certificate certify(const Problem& problem, const Trajectory& trajectory,
                    const Trajectory* wrenches, const CertificateOptions& options = {});

/// Adds to a certificate that its trajectory follows the path (over the same coordinates) within
/// `tolerance` [rad; m for slides], to the bit what `verifyCertificate` proves again; the claim is
/// the least distance found provable. Without a proof the certificate is not clear any more, and
/// says why.
void certifyFollows(const Problem& problem, const Trajectory& path, double tolerance,
                    Certificate* certificate);

/// Whether a certificate proves what it claims.
struct CertificateVerdict {
  bool valid = false;
  std::string message;  ///< what is wrong, or what is proven
};

/// Rebuilds bodies, pairs and motion from the problem and the certificate's trajectory and checks
/// every claim: that each pair that there must be is there with its margin, that its cells cover
/// [0, duration] without a gap, that each cell's bound is at least the margin and follows from its
/// direction; that limits, ends and smoothness hold; that hashes, margin and trajectory match. A
/// certificate that does not claim `clear` is not valid.
CertificateVerdict verifyCertificate(const Problem& problem, const Certificate& certificate,
                                     const CertificateOptions& options = {});

/// How many times as long the motion has to take, along the same path, for every contact limit
/// (`LimitSettings::contact`) to be proven; 1 where they are. Energies fall with the square of the
/// duration, exactly, so this needs no search.
double provenContactStretch(const Problem& problem, const Trajectory& trajectory);

/// A proof that `allclear-verify` checks without any code of the planner (docs/proof.md).
struct Proof {
  std::string text;       ///< of the file
  std::size_t cells = 0;  ///< of all pairs
  /// Pairs and path constraints without a proof, for which the verifier refuses the text. Empty for
  /// a certified plan, unless it leaves less room beyond a margin than rounding may take.
  std::vector<std::string> unproven;
};

/// The proof of the trajectory that `certificate` (of `problem`) is about.
Proof makeProof(const Problem& problem, const Certificate& certificate);

/// The assumptions in one line: "Assumes: 12 pairs exempt; gripper held; ...". Empty without any.
std::string assumptionsInBrief(const Certificate& certificate);

/// The joint names of the planned coordinates, as trajectory files have them.
std::vector<std::string> plannedNames(const Problem& problem);

/// The names of the rows of contact wrenches, "r_foot/fx", ...: those of `problem`'s contacts
/// besides the base. Empty where forces at contacts are no part of it.
std::vector<std::string> wrenchNames(const Problem& problem);

/// Whether two trajectories are the same to the bit.
bool isSameTrajectory(const NamedTrajectory& a, const NamedTrajectory& b);

/// How many pairs of bodies the certificate is about: two bodies count once, however many solids
/// stand for them.
std::size_t bodyPairCount(const Certificate& certificate);

/// SHA-256 of the text of a trajectory's JSON.
std::string trajectorySha256(const NamedTrajectory& trajectory);

/// Error bound [m] of the polynomials that the poses of the bodies are replaced by: 2 % of the
/// wanted width of the bracket. Two bodies lose 4 % of it to their poses, where more precision is
/// cheap (the error falls with the eighth power of a cell's length); the rest is left to the
/// search.
inline double certifiedPoseTolerance(const Problem& problem) {
  return 0.02 * problem.collision.tolerance;
}

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

/// The verdict about segments that are all clear, in words: a line about all of them, one for each
/// segment and event, and what is taken for granted. Segments have messages of their own.
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
