// Checks a certificate: every claim of it must follow from the problem and the trajectory.
//
// What is trusted and what is not. The certificate's cells say where to cut time and along which
// direction to look, which is what took the search its time; both are hints, and a wrong hint can
// only make the check fail. Bodies, pairs, margins, motion and limits are made anew from the
// problem. A cell is accepted when the bound along its direction, computed here, reaches the bound
// that it claims, and the cells of each pair must cover [0, duration] without a gap. So what has to
// be right for a verdict to be right is: geometry.cpp (which pairs), motion.cpp (bounds),
// patch_motion.cpp, deforming.cpp, stray.cpp, limits.cpp, cable_limits.cpp, torque.cpp, ends.cpp,
// target_met.cpp, this file, and the link curves, support functions and search between exact meshes
// below them; not cover.cpp, nor anything of the planner.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "allclear/core/extremes.h"
#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"
#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/assumptions.h"
#include "allclear/planner/certificate/boundable.h"
#include "allclear/planner/certificate/contact_limits.h"
#include "allclear/planner/certificate/cover.h"
#include "allclear/planner/certificate/deforming.h"
#include "allclear/planner/certificate/follow_claim.h"
#include "allclear/planner/certificate/limits.h"
#include "allclear/planner/certificate/ranking_check.h"
#include "allclear/planner/certificate/refutation.h"
#include "allclear/planner/certificate/relief.h"
#include "allclear/planner/certificate/statements.h"
#include "allclear/planner/certificate/target_met.h"
#include "allclear/planner/certificate/torque_use.h"
#include "allclear/planner/certificate/tube.h"
#include "allclear/planner/problem/alternatives.h"
#include "allclear/planner/problem/claims.h"

namespace allclear {
namespace {

/// How often a stored cell is halved before its bound is refused. The motion is cut into cells
/// anew, and another machine may cut it elsewhere by a rounding, which makes a bound looser;
/// halving makes it tighter, up to 64 parts.
constexpr int kMostHalvings = 6;

/// How far from 1 the length of a stored direction may be. `lowerBound` normalises it, so this only
/// tells a damaged file.
constexpr double kUnitTolerance = 1e-6;

/// Relative: both sides are bounds that a search found. What is claimed may be less than what is
/// proven here, as rounding may have made that search less fine; and an instant may differ.
constexpr double kLimitTolerance = 1e-6;

/// Relative: what is claimed may be no more than what is proven here, but for the rounding of
/// another machine. That may also turn the last decision of a search, which is one of a tenth of
/// the tolerance of limits (limits.cpp); on one machine both are the same to the bit.
constexpr double kLimitRounding = 1e-10;

/// Whether the cell's bound holds during `time`, a part of the cell, halved where that helps.
bool followsFrom(const CertifiedMotion& motion, PieceIndex a, PieceIndex b, const CoverCell& cell,
                 Interval time, int depth) {
  if (motion.staysAbove(a, b, cell.normal, time, cell.lower)) return true;
  if (depth == kMostHalvings || !(time.length() > 0.0)) return false;
  const double middle = time.middle();
  return followsFrom(motion, a, b, cell, {time.lower, middle}, depth + 1) &&
         followsFrom(motion, a, b, cell, {middle, time.upper}, depth + 1);
}

/// Requires that the cells cover [0, duration], one after the other to the bit, and that each bound
/// is at least the margin and what may stray, and follows from its direction.
void checkCells(CertifiedMotion& motion, PieceIndex a, PieceIndex b, const CertificatePair& pair,
                const std::string& name) {
  // Times are compared exactly: a gap of one rounding would be an instant that nothing proves.
  double covered = 0.0;
  for (const CoverCell& cell : pair.cells) {
    const std::string at = " at t = " + formatted("%f", covered) + " s";
    require(cell.time.lower == covered, name + ": a cell is missing" + at);
    require(cell.time.upper > cell.time.lower, name + ": a cell is empty" + at);
    require(cell.normal.allFinite() && std::abs(cell.normal.norm() - 1.0) < kUnitTolerance,
            name + ": a direction is not a unit vector" + at);
    const double margin = pair.relief.marginDuring(cell.time, pair.margin);
    require(cell.lower >= margin + motion.allowance(a, b, cell.time),
            name + ": a bound is below the margin and what may stray" + at);
    require(followsFrom(motion, a, b, cell, cell.time, 0),
            name + ": a bound does not follow from its direction" + at);
    covered = cell.time.upper;
  }
  require(covered == motion.duration(), name + ": the cells end too early");
}

/// Collects what the cells prove of the claimed tube.
class TubeCheck {
 public:
  explicit TubeCheck(const std::optional<ProvenTube>& claimed) : claimed_(claimed) {}
  void add(PieceIndex a, PieceIndex b, const CertificatePair& pair, CertifiedMotion& motion) {
    constexpr TubeMeasure kToContact{TubeMeasure::Scale::kJoints, true};
    for (const CoverCell& cell : pair.cells) {
      const Stray stray = motion.stray(a, b, cell.time);
      const double margin = pair.relief.marginDuring(cell.time, pair.margin);
      meter_.add(pair.a, pair.b, margin, cell, stray);
      if (pair.a == claimed_->closest_a && pair.b == claimed_->closest_b &&
          cell.time.contains(claimed_->closest_t)) {
        at_closest_ = std::min(at_closest_, tubeWidth(kToContact, cell.lower, margin, stray));
      }
    }
  }
  void require() const {
    if (!claimed_) return;
    const std::string fault = tubeFault(*claimed_, meter_.tube(), at_closest_);
    allclear::require(fault.empty(), fault);
  }

 private:
  const std::optional<ProvenTube>& claimed_;
  TubeMeter meter_;
  double at_closest_ = std::numeric_limits<double>::infinity();
};

/// Requires every pair that the task demands, with every two pieces of it, once, and proven.
/// Returns the least bound of all cells, but those of pairs that touch at a contact.
double checkPairs(const CertifiedGeometry& geometry, CertifiedMotion& motion,
                  const Certificate& certificate, TubeCheck* tube) {
  std::map<std::tuple<std::string, std::string, MeshFidelity, int, int>, const CertificatePair*>
      stored;
  for (const CertificatePair& pair : certificate.pairs) {
    const int fidelity = static_cast<int>(pair.fidelity);
    require(fidelity >= 0 && fidelity < kMeshFidelityCount,
            "'" + pair.a + "' and '" + pair.b + "': there is no such fidelity");
    const auto key = std::tuple(pair.a, pair.b, pair.fidelity, pair.piece_a, pair.piece_b);
    require(stored.emplace(key, &pair).second, "'" + pair.a + "' and '" + pair.b + "' come twice");
  }
  // From the task's pairs to the stored ones, never the other way: what is not stored is noticed,
  // and so is what is stored but not needed, by the count.
  double least = std::numeric_limits<double>::infinity();
  std::size_t needed = 0;
  for (const CertifiedPair& pair : geometry.pairs) {
    if (pair.fixed) continue;
    const CertifiedBody &a = geometry.bodies[pair.a], &b = geometry.bodies[pair.b];
    const std::string name = "'" + a.name + "' and '" + b.name + "'";
    const auto fidelity = fidelityOf(certificate, a.name, b.name);
    require(fidelity.has_value(), name + ": the pair is missing");
    const int count_a = motion.ensurePieces(pair.a, *fidelity);
    const int count_b = motion.ensurePieces(pair.b, *fidelity);
    for (int i = 0; i < count_a; ++i) {
      for (int j = 0; j < count_b; ++j, ++needed) {
        const auto found = stored.find(std::tuple(a.name, b.name, *fidelity, i, j));
        require(found != stored.end(), name + ": the pair is missing");
        require(found->second->margin == pair.margin, name + ": not the margin of the task");
        const std::string fault = reliefFault(found->second->relief, pair, motion);
        require(fault.empty(), name + ": " + fault);
        const PieceIndex piece_a{pair.a, i, *fidelity}, piece_b{pair.b, j, *fidelity};
        checkCells(motion, piece_a, piece_b, *found->second, name);
        if (certificate.tube) tube->add(piece_a, piece_b, *found->second, motion);
        if (pair.touchesAtContact()) continue;
        for (const CoverCell& cell : found->second->cells) least = lowered(least, cell.lower);
      }
    }
  }
  require(needed == stored.size(), "there are pairs that the task does not have");
  return least;
}

/// Requires that the cells prove the lower end of the least distance, and that the distance at the
/// instant claimed is no more than the upper end.
void checkMinimum(const CertifiedGeometry& geometry, const Certificate& certificate, double proven,
                  CertifiedMotion& motion) {
  const Interval& minimum = certificate.minimum_clearance;
  require(minimum.lower <= proven, "the least distance is not proven by the cells");
  require(minimum.upper >= minimum.lower, "the bracket of the least distance is upside down");
  const auto touches = [](const CertificatePair& pair) { return pair.touchesAtContact(); };
  if (std::all_of(certificate.pairs.begin(), certificate.pairs.end(), touches)) {
    require(certificate.closest_a.empty() && certificate.closest_b.empty() &&
                certificate.closest_t == 0.0 && std::isinf(minimum.lower),
            "there are no pairs that could have a least distance");
    return;
  }
  require(certificate.closest_t >= 0.0 && certificate.closest_t <= motion.duration(),
          "the instant of the least distance is outside the trajectory");
  // The distance at one instant is an upper bound of the least distance, so the claim may not be
  // less.
  double least = std::numeric_limits<double>::infinity();
  for (const CertifiedPair& pair : geometry.pairs) {
    const CertifiedBody &a = geometry.bodies[pair.a], &b = geometry.bodies[pair.b];
    if (pair.fixed || a.name != certificate.closest_a || b.name != certificate.closest_b) continue;
    const auto fidelity = fidelityOf(certificate, a.name, b.name);
    least = lowered(least, motion.bodyDistanceAt(pair.a, pair.b, certificate.closest_t,
                                                 fidelity.value_or(MeshFidelity::kHull)));
  }
  require(std::isfinite(minimum.upper) && minimum.upper >= least - kInstantTolerance,
          "the least distance is not met at the instant given");
}

/// An infinite bound is near to itself alone.
bool isNear(double claimed, double proven) {
  return claimed == proven ||
         (std::isfinite(proven) &&
          std::abs(claimed - proven) <= kLimitTolerance * std::max(1.0, std::abs(proven)));
}

/// Whether an upper bound says no more than the one proven, and hardly less.
bool isUpperBound(double claimed, double proven) {
  return claimed == proven ||
         (isNear(claimed, proven) && std::isfinite(claimed) &&
          claimed >= proven - kLimitRounding * std::max(1.0, std::abs(proven)));
}

/// Requires that the limits found here are kept and are the ones claimed.
void checkLimits(const std::vector<CertifiedLimit>& found, const Certificate& certificate) {
  require(found.size() == certificate.limits.size(), "not the limits of the task");
  for (std::size_t i = 0; i < found.size(); ++i) {
    const CertifiedLimit &proven = found[i], &claimed = certificate.limits[i];
    const std::string name = "'" + proven.subject + "': " + proven.quantity;
    require(proven.subject == claimed.subject && proven.quantity == claimed.quantity,
            name + " is missing");
    require(proven.lower_limit == claimed.lower_limit && proven.upper_limit == claimed.upper_limit,
            name + ": not the limits of the task");
    // The verdict rests on what was proven here.
    require(proven.kept && claimed.kept, name + " exceeds its limits");
    require(
        isUpperBound(-claimed.lower, -proven.lower) && isUpperBound(claimed.upper, proven.upper),
        name + ": its bounds are not those proven");
    require(isNear(claimed.t, proven.t), name + ": not the instant where it is nearest its limit");
  }
}

/// Requires that what is said of torques that nobody limits is what they are.
void checkTorqueUse(const Problem& problem, const Certificate& certificate) {
  const std::optional<TorqueUse> found =
      torqueBeyondRating(problem, certificate.trajectory.trajectory);
  const std::optional<TorqueUse>& claimed = certificate.torque_beyond_rating;
  const bool is_same = found && claimed && found->joint == claimed->joint &&
                       found->effort == claimed->effort && isNear(claimed->torque, found->torque) &&
                       isNear(claimed->t, found->t);
  require(is_same || (!found && !claimed), "not the torque beyond its rating");
}

/// Requires that the certificate is about this robot, task and trajectory.
void checkIdentity(const Problem& problem, const Certificate& certificate) {
  require(certificate.clear && certificate.faults.empty(),
          "it does not claim that the trajectory is clear");
  require(certificate.robot_sha256 == problem.robot->sourceSha256(), "it is of another robot");
  require(certificate.task_sha256 == problem.source_sha256, "it is of another task");
  require(certificate.trajectory.joint_names == plannedNames(problem) &&
              certificate.trajectory.trajectory.dimension() == problem.plannedCount(),
          "its trajectory is of other joints");
  const auto& wrenches = certificate.trajectory.wrenches;
  require(!wrenches || wrenches->names == wrenchNames(problem),
          "its wrenches are of other contacts");
  require(certificate.trajectory_sha256 == trajectorySha256(certificate.trajectory),
          "its trajectory was changed");
}

/// The problem with the alternative of its goal that the trajectory ends at, found anew: the one
/// that the certificate has to name. All else is then proven of that alone. Nothing where the goal
/// has no alternatives.
std::optional<Problem> provenProblem(const Problem& problem, const Certificate& certificate,
                                     const CertificateOptions& options) {
  if (alternativesOf(problem) == nullptr) {
    require(!certificate.goal, "it names an alternative of a goal that has none");
    return std::nullopt;
  }
  ProvenGoal goal = provenGoal(problem, certificate.trajectory.trajectory, options.limits);
  require(goal.reached.has_value(), "its trajectory ends at no alternative of the goal");
  require(certificate.goal == goal.reached,
          "it does not name the alternative of the goal that its trajectory ends at");
  return std::move(goal.problem);
}

/// Makes every sentence anew, from the problem and from numbers that were verified, and requires
/// that the certificate says the same. Returns the verdict.
std::string checkStatements(const Problem& problem, const CertifiedGeometry& geometry,
                            const Certificate& certificate) {
  // Its numbers were verified before; only what is said about them is replaced here.
  Certificate said = certificate;
  const FixedPairSentences fixed = fixedPairSentences(problem, geometry);
  require(fixed.faults.empty(), fixed.faults.empty() ? "" : fixed.faults[0]);
  said.static_contacts = fixed.contacts;
  require(said.static_contacts == certificate.static_contacts,
          "its static contacts are not those of the task");
  said.not_covered = demandsNotCovered(problem, certificate.trajectory.trajectory,
                                       certificate.trajectory.wrenchCurve());
  require(said.not_covered == certificate.not_covered,
          "what it does not cover is not what the task demands beyond it");
  const std::string verdict = verdictOf(problem, said);
  require(verdict == certificate.message, "its message is not what it proves");
  return verdict;
}

}  // namespace

CertificateVerdict verifyCertificate(const Problem& whole, const Certificate& certificate,
                                     const CertificateOptions& options) {
  try {
    // The cheap checks first. All below starts from the problem and the trajectory alone.
    checkIdentity(whole, certificate);
    const std::optional<Problem> single = provenProblem(whole, certificate, options);
    const Problem& problem = single ? *single : whole;
    requireCertifiable(problem);
    const Trajectory& trajectory = certificate.trajectory.trajectory;
    requireBoundable(problem, trajectory);
    const Trajectory* wrenches = certificate.trajectory.wrenchCurve();
    requireMatchingWrenches(problem, trajectory, wrenches);
    const CertifiedGeometry geometry = certifiedGeometry(problem);
    Certificate scope{.trajectory = certificate.trajectory};
    declareScope(problem, geometry, trajectory, options, &scope);
    const std::string difference = scopeDifference(scope, certificate);
    require(difference.empty(), difference);
    CertifiedMotion motion(problem, geometry, trajectory, certifiedPoseTolerance(problem));
    TubeCheck tube(certificate.tube);
    const double proven = checkPairs(geometry, motion, certificate, &tube);
    tube.require();
    const auto inside = insideFindings(geometry, certificate.pairs, motion);
    require(inside.empty(), inside.empty() ? "" : inside[0]);
    checkMinimum(geometry, certificate, proven, motion);
    checkRanking(geometry, certificate, motion);
    checkTorqueUse(problem, certificate);
    checkLimits(certifiedLimits(problem, trajectory, wrenches, options.limits, motion),
                certificate);
    const auto findings = endAndJointFindings(problem, trajectory, options.limits, motion);
    require(findings.empty(), findings.empty() ? "" : findings[0]);
    const std::string follow_fault = followFault(certificate);
    require(follow_fault.empty(), follow_fault);
    const std::string verdict = checkStatements(problem, geometry, certificate);
    return {true, "The certificate holds: " + std::to_string(bodyPairCount(certificate)) +
                      " pairs and " + std::to_string(certificate.limits.size()) +
                      " limits were proven anew. " + verdict};
  } catch (const Refutation& refutation) {
    return {false, "The certificate does not hold: " + refutation.why() + "."};
  } catch (const InputError& error) {
    return {false, std::string("The certificate does not hold: ") + error.what() + "."};
  }
}

}  // namespace allclear
