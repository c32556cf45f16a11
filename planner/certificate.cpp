// Certifies a trajectory: puts together what the parts of planner/certificate/ prove, and says it
// in words.
//
// Order. Geometry (what must stay apart), motion (polynomials with error bounds), cover
// (distances), limits, ends. Each fault found on the way is one sentence in `faults`; a trajectory
// is clear when there is none. A fault always names what, when and by how much, because that is
// what has to be changed.
#include "allclear/planner/certificate.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"
#include "allclear/core/sha256.h"
#include "allclear/core/stop_scope.h"
#include "allclear/planner/certificate/assumptions.h"
#include "allclear/planner/certificate/boundable.h"
#include "allclear/planner/certificate/cable_limits.h"
#include "allclear/planner/certificate/contact_limits.h"
#include "allclear/planner/certificate/cover.h"
#include "allclear/planner/certificate/deforming.h"
#include "allclear/planner/certificate/fidelity.h"
#include "allclear/planner/certificate/follow_claim.h"
#include "allclear/planner/certificate/impact_limits.h"
#include "allclear/planner/certificate/interpolation.h"
#include "allclear/planner/certificate/limits.h"
#include "allclear/planner/certificate/statements.h"
#include "allclear/planner/certificate/stoppable.h"
#include "allclear/planner/certificate/target_met.h"
#include "allclear/planner/certificate/torque_use.h"
#include "allclear/planner/certificate/tube.h"
#include "allclear/planner/problem/alternatives.h"
#include "allclear/planner/problem/claims.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/trajectories/trajectory_files.h"

namespace allclear {
namespace {

std::string pairName(const std::string& a, const std::string& b) {
  return "'" + a + "' and '" + b + "'";
}

/// Of two bodies that may touch near an end. Pre: they are not clear.
std::string touchFault(const PieceCover& piece) {
  if (!piece.relief.isNeeded()) {
    return formatted(
        ", which may touch near an end only (leaves, lands), are nearer than their margin "
        "of %.4g mm beyond a quarter of the motion from it (%.4g mm at t = %.6g s)",
        1e3 * piece.margin, 1e3 * piece.least, piece.t_least);
  }
  if (piece.least_room < 0.0) {
    return formatted(
        ", which may touch near an end only (leaves, lands), come %.4g mm nearer at t = %.6g s "
        "than they may",
        -1e3 * piece.least_room, piece.t_room);
  }
  return formatted(
      ", which may touch near an end (leaves, lands), cannot be shown to keep what they are to "
      "keep: their distance is proven to %.4g mm only",
      1e3 * piece.lower());
}

/// One sentence on a pair that is not clear: who, how near, and when.
std::string pairFault(const CertifiedGeometry& geometry, const PieceCover& piece, double end) {
  const CertifiedPair& pair = geometry.pairs[piece.pair];
  const std::string at_rest =
      piece.t_least > end ? ", while the robot rests after the end of the trajectory" : "";
  const std::string name = pairName(geometry.bodies[pair.a].name, geometry.bodies[pair.b].name);
  // Cases: seen overlapping, seen too near, with too little room for what may stray, and none of
  // these but not proven either.
  const double millimetres = 1e3 * piece.least;
  if (pair.ends.leaves || pair.ends.lands) {
    return name + touchFault(piece) + at_rest;
  }
  if (piece.touchesAtContact()) {
    return name +
           (piece.least < piece.margin
                ? formatted(" overlap by %.4g mm at t = %.6g s, deeper than the %.4g mm of their "
                            "contact (contacts: depth)",
                            -millimetres, piece.t_least, -1e3 * piece.margin)
                : formatted(", which touch at a contact, cannot be shown to be no deeper in one "
                            "another than %.4g mm (contacts: depth): %.4g mm are proven",
                            -1e3 * piece.margin, -1e3 * piece.lower())) +
           at_rest;
  }
  if (piece.least < 0.0) {
    return name + formatted(" overlap by %.4g mm at t = %.6g s", -millimetres, piece.t_least) +
           at_rest;
  }
  if (piece.relief.isNeeded() && piece.least_room < 0.0) {
    return name +
           formatted(
               " come %.4g mm nearer at t = %.6g s than they are to be (end_margin: relax "
               "lessens their margin of %.4g mm near the ends only)",
               -1e3 * piece.least_room, piece.t_room, 1e3 * piece.margin) +
           at_rest;
  }
  if (piece.least < piece.margin) {
    return name + formatted(" come within %.4g mm at t = %.6g s", millimetres, piece.t_least) +
           at_rest + formatted(", nearer than their margin of %.4g mm", 1e3 * piece.margin);
  }
  if (piece.least_room < 0.0) {
    return name + formatted(
                      " come within their margin of %.4g mm at t = %.6g s when what is uncertain "
                      "strays (by %.4g mm too much)",
                      1e3 * piece.margin, piece.t_room, -1e3 * piece.least_room);
  }
  return name + formatted(
                    " cannot be shown to keep their margin of %.4g mm: their distance is proven "
                    "to %.4g mm only, %.4g mm at t = %.6g s",
                    1e3 * piece.margin, 1e3 * piece.lower(), millimetres, piece.t_least);
}

/// One sentence on a limit that is not kept, by the side that is exceeded the most.
std::string limitFault(const CertifiedLimit& limit) {
  const bool above = limit.upper - limit.upper_limit >= limit.lower_limit - limit.lower;
  const std::string subject = limit.subject.empty() ? "" : "'" + limit.subject + "': ";
  return subject + limit.quantity +
         formatted(" %.6g at t = %.6g s is beyond its limit of %.6g",
                   above ? limit.upper : limit.lower, limit.t,
                   above ? limit.upper_limit : limit.lower_limit);
}

/// Moves the cover into the certificate, which names bodies instead of indices.
void addPairs(const CertifiedGeometry& geometry, Cover cover, Certificate* certificate) {
  certificate->minimum_clearance = cover.minimum;
  if (cover.closest >= 0) {
    const PieceCover& closest = cover.pieces[cover.closest];
    const CertifiedPair& pair = geometry.pairs[closest.pair];
    certificate->closest_a = geometry.bodies[pair.a].name;
    certificate->closest_b = geometry.bodies[pair.b].name;
    certificate->closest_t = closest.t_least;
  }
  for (const PairRank& rank : cover.ranking) {
    const CertifiedPair& pair = geometry.pairs[rank.pair];
    certificate->closest_pairs.push_back({geometry.bodies[pair.a].name,
                                          geometry.bodies[pair.b].name, rank.distance, rank.margin,
                                          rank.t});
  }
  // The worst first: the message shows the first few only. Of two bodies the worst pieces speak
  // for all: the others say the same at other instants.
  std::vector<const PieceCover*> failed;
  for (const PieceCover& piece : cover.pieces) {
    if (!piece.isClear()) failed.push_back(&piece);
  }
  std::stable_sort(failed.begin(), failed.end(), [](const PieceCover* x, const PieceCover* y) {
    return x->least - x->margin < y->least - y->margin;
  });
  std::set<int> named;
  for (const PieceCover* piece : failed) {
    if (!named.insert(piece->pair).second) continue;
    certificate->faults.push_back(
        pairFault(geometry, *piece, certificate->trajectory.trajectory.duration()));
  }
  for (PieceCover& piece : cover.pieces) {
    const CertifiedPair& pair = geometry.pairs[piece.pair];
    certificate->pairs.push_back({geometry.bodies[pair.a].name, geometry.bodies[pair.b].name,
                                  piece.a.fidelity, piece.a.piece, piece.b.piece, piece.margin,
                                  std::move(piece.cells), piece.relief});
  }
}

}  // namespace

std::size_t bodyPairCount(const Certificate& certificate) {
  std::set<std::pair<std::string_view, std::string_view>> pairs;
  for (const CertificatePair& pair : certificate.pairs) pairs.insert({pair.a, pair.b});
  return pairs.size();
}

std::vector<std::string> plannedNames(const Problem& problem) {
  std::vector<std::string> names;
  for (int c : problem.planned) names.push_back(problem.robot->coordinates()[c].name);
  return names;
}

std::vector<std::string> wrenchNames(const Problem& problem) {
  if (!usesWrenches(problem)) return {};
  return ContactSet(problem).wrenchNames(*problem.robot);
}

std::string trajectorySha256(const NamedTrajectory& trajectory) {
  return sha256(formatTrajectoryJson(trajectory));
}

bool isSameTrajectory(const NamedTrajectory& a, const NamedTrajectory& b) {
  return formatTrajectoryJson(a) == formatTrajectoryJson(b);
}

Certificate certify(const Problem& problem, const Trajectory& trajectory,
                    const CertificateOptions& options) {
  return certify(problem, trajectory, nullptr, options);
}

Certificate certify(const Problem& problem, const Trajectory& trajectory,
                    const Trajectory* wrenches, const CertificateOptions& options) {
  return certifyUnlessStopped(problem, trajectory, wrenches, options, {});
}

namespace {

/// What is found beside the pairs: limits, ends, bodies that nothing parts, what is left open.
void addFindings(const Problem& problem, const Trajectory& trajectory, const Trajectory* wrenches,
                 const CertifiedLimitOptions& options, const CertifiedGeometry& geometry,
                 CertifiedMotion& motion, Certificate* out) {
  Certificate& certificate = *out;
  certificate.limits = certifiedLimits(problem, trajectory, wrenches, options, motion);
  for (const CertifiedLimit& limit : certificate.limits) {
    if (limit.kept || isImpactLimit(limit) || isCableLimit(limit)) continue;
    certificate.faults.push_back(limitFault(limit));
  }
  // Of contacts the whole region is one fault: they fail together, and one cure helps all.
  for (std::string& fault : impactFaults(problem, certificate.limits, trajectory.duration())) {
    certificate.faults.push_back(std::move(fault));
  }
  for (std::string& fault : cableFaults(problem, geometry, certificate.limits)) {
    certificate.faults.push_back(std::move(fault));
  }
  for (std::string& finding : endAndJointFindings(problem, trajectory, options, motion)) {
    certificate.faults.push_back(std::move(finding));
  }
  FixedPairSentences fixed = fixedPairSentences(problem, geometry);
  certificate.static_contacts = std::move(fixed.contacts);
  for (std::string& fault : fixed.faults) certificate.faults.push_back(std::move(fault));
  certificate.not_covered = demandsNotCovered(problem, trajectory, wrenches);
  certificate.torque_beyond_rating = torqueBeyondRating(problem, trajectory);
}

/// The certificate for the alternative that the trajectory ends at says all that the problem asks
/// for: any of them would do.
Certificate certifyAlternative(const Problem& problem, const Trajectory& trajectory,
                               const Trajectory* wrenches, const CertificateOptions& options,
                               const std::function<bool()>& stop) {
  const ProvenGoal goal = provenGoal(problem, trajectory, options.limits);
  Certificate certificate = certifyUnlessStopped(goal.problem, trajectory, wrenches, options, stop);
  certificate.goal = goal.reached;
  if (!goal.reached) {
    const AnyTarget& any = *alternativesOf(problem);
    certificate.clear = false;  // as it is already, by the nearest's own faults
    certificate.faults.insert(certificate.faults.begin(),
                              "at the goal none of its " + std::to_string(any.alternatives.size()) +
                                  " alternatives is met; nearest is " +
                                  alternativeName(any, goal.alternative));
  }
  certificate.message = verdictOf(goal.problem, certificate);
  return certificate;
}

}  // namespace

Certificate certifyUnlessStopped(const Problem& problem, const Trajectory& trajectory,
                                 const Trajectory* wrenches, const CertificateOptions& options,
                                 std::function<bool()> stop) {
  if (trajectory.dimension() != problem.plannedCount()) {
    throw InputError("the trajectory has " + std::to_string(trajectory.dimension()) +
                     " joints where the task plans " + std::to_string(problem.plannedCount()));
  }
  if (alternativesOf(problem) != nullptr) {
    return certifyAlternative(problem, trajectory, wrenches, options, stop);
  }
  std::optional<StopScope> scope;
  if (stop) scope.emplace(std::move(stop));
  requireBoundable(problem, trajectory);
  requireCertifiable(problem);
  requireMatchingWrenches(problem, trajectory, wrenches);
  // What the certificate is about, so that it cannot be taken for another robot's or task's.
  Certificate certificate{.trajectory = {trajectory, plannedNames(problem), {}}};
  if (wrenches != nullptr) {
    certificate.trajectory.wrenches = ContactWrenches{*wrenches, wrenchNames(problem)};
  }
  certificate.trajectory_sha256 = trajectorySha256(certificate.trajectory);
  certificate.robot_sha256 = problem.robot->sourceSha256();
  certificate.task_sha256 = problem.source_sha256;
  certificate.tool = "allclear " ALLCLEAR_VERSION;
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  declareScope(problem, geometry, trajectory, options, &certificate);

  // The proof.
  CertifiedMotion motion(problem, geometry, trajectory, certifiedPoseTolerance(problem));
  CoverOptions cover_options = options.cover;
  cover_options.widest_tube = options.cover.widest_tube || !problem.uncertainty.isZero();
  Cover cover = coverPairs(geometry, certificate.tolerance, cover_options, motion);
  if (cover_options.widest_tube && cover.isClear()) {
    certificate.tube = tubeOf(geometry, cover, motion);
  }
  addPairs(geometry, std::move(cover), &certificate);
  for (std::string& finding : insideFindings(geometry, certificate.pairs, motion)) {
    certificate.faults.push_back(std::move(finding));
  }
  addFindings(problem, trajectory, wrenches, options.limits, geometry, motion, &certificate);
  certificate.clear = certificate.faults.empty();
  certificate.message = verdictOf(problem, certificate);
  return certificate;
}

}  // namespace allclear
