#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "allclear/core/input_error.h"
#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/cover.h"
#include "allclear/planner/certificate/limits.h"

namespace allclear {
namespace {

/// Halvings of a stored cell, should this machine's cells of motion lie elsewhere than the ones
/// that the certificate was made with: the bound along a direction gets tighter with each.
constexpr int kDeepest = 6;

/// Thrown inside this file only: the first claim that does not hold.
struct Refuted {
  std::string why;
};

void require(bool condition, const std::string& why) {
  if (!condition) throw Refuted{why};
}

bool followsFrom(const CertifiedMotion& motion, PieceIndex a, PieceIndex b, const CoverCell& cell,
                 Interval time, int depth) {
  if (motion.staysAbove(a, b, cell.normal, time, cell.lower)) return true;
  if (depth == kDeepest || !(time.length() > 0.0)) return false;
  const double middle = time.middle();
  return followsFrom(motion, a, b, cell, {time.lower, middle}, depth + 1) &&
         followsFrom(motion, a, b, cell, {middle, time.upper}, depth + 1);
}

void checkCells(const CertifiedMotion& motion, PieceIndex a, PieceIndex b,
                const CertificatePair& pair, const std::string& name) {
  double covered = 0.0;
  for (const CoverCell& cell : pair.cells) {
    const std::string at = " at t = " + std::to_string(covered) + " s";
    require(cell.time.lower == covered, name + ": a cell is missing" + at);
    require(cell.time.upper > cell.time.lower, name + ": a cell is empty" + at);
    require(cell.normal.allFinite() && std::abs(cell.normal.norm() - 1.0) < 1e-6,
            name + ": a direction is not a unit vector" + at);
    require(cell.lower >= pair.margin, name + ": a bound is below the margin" + at);
    require(followsFrom(motion, a, b, cell, cell.time, 0),
            name + ": a bound does not follow from its direction" + at);
    covered = cell.time.upper;
  }
  require(covered == motion.duration(), name + ": the cells end before the trajectory");
}

/// Of the solids that a pair is proven with: one fidelity, as the count of its solids shows.
std::optional<MeshFidelity> fidelityOf(const Certificate& certificate, const std::string& a,
                                       const std::string& b) {
  for (const CertificatePair& pair : certificate.pairs) {
    if (pair.a == a && pair.b == b) return pair.fidelity;
  }
  return std::nullopt;
}

/// Every pair that there must be is there, once, and proven.
double checkPairs(const CertifiedGeometry& geometry, CertifiedMotion& motion,
                  const Certificate& certificate) {
  std::map<std::tuple<std::string, std::string, MeshFidelity, int, int>, const CertificatePair*>
      stored;
  for (const CertificatePair& pair : certificate.pairs) {
    const auto key = std::tuple(pair.a, pair.b, pair.fidelity, pair.piece_a, pair.piece_b);
    require(stored.emplace(key, &pair).second, "'" + pair.a + "' and '" + pair.b + "' come twice");
  }
  double least = std::numeric_limits<double>::infinity();
  std::size_t needed = 0;
  for (const CertifiedPair& pair : geometry.pairs) {
    if (pair.fixed) continue;
    const CertifiedBody &a = geometry.bodies[pair.a], &b = geometry.bodies[pair.b];
    const std::string name = "'" + a.name + "' and '" + b.name + "'";
    const auto fidelity = fidelityOf(certificate, a.name, b.name);
    require(fidelity.has_value(), name + ": the pair is missing");
    const int count_a = motion.pieceCount(pair.a, *fidelity);
    const int count_b = motion.pieceCount(pair.b, *fidelity);
    for (int i = 0; i < count_a; ++i) {
      for (int j = 0; j < count_b; ++j, ++needed) {
        const auto found = stored.find(std::tuple(a.name, b.name, *fidelity, i, j));
        require(found != stored.end(), name + ": the pair is missing");
        require(found->second->margin == pair.margin, name + ": not the margin of the task");
        checkCells(motion, {pair.a, i, *fidelity}, {pair.b, j, *fidelity}, *found->second, name);
        for (const CoverCell& cell : found->second->cells) least = std::min(least, cell.lower);
      }
    }
  }
  require(needed == stored.size(), "there are pairs that the task does not have");
  return least;
}

/// The least distance claimed is one that the cells prove and that an instant shows.
void checkMinimum(const CertifiedGeometry& geometry, const Certificate& certificate, double proven,
                  CertifiedMotion& motion) {
  const Interval& minimum = certificate.minimum_clearance;
  require(minimum.lower <= proven, "the least distance is not proven by the cells");
  require(minimum.upper >= minimum.lower, "the bracket of the least distance is upside down");
  if (certificate.closest_a.empty()) return;
  require(certificate.closest_t >= 0.0 && certificate.closest_t <= motion.duration(),
          "the instant of the least distance is outside the trajectory");
  double least = std::numeric_limits<double>::infinity();
  for (const CertifiedPair& pair : geometry.pairs) {
    const CertifiedBody &a = geometry.bodies[pair.a], &b = geometry.bodies[pair.b];
    if (a.name != certificate.closest_a || b.name != certificate.closest_b) continue;
    const auto fidelity = fidelityOf(certificate, a.name, b.name);
    least = std::min(least, motion.bodyDistanceAt(pair.a, pair.b, certificate.closest_t,
                                                  fidelity.value_or(MeshFidelity::kHull)));
  }
  require(minimum.upper >= least - 1e-6, "the least distance is not met at the instant given");
}

void checkLimits(const std::vector<CertifiedLimit>& found, const Certificate& certificate) {
  require(found.size() == certificate.limits.size(), "not the limits of the task");
  for (std::size_t i = 0; i < found.size(); ++i) {
    const CertifiedLimit &mine = found[i], &claimed = certificate.limits[i];
    const std::string name = "'" + mine.subject + "': " + mine.quantity;
    require(mine.subject == claimed.subject && mine.quantity == claimed.quantity,
            name + " is missing");
    require(mine.lower_limit == claimed.lower_limit && mine.upper_limit == claimed.upper_limit,
            name + ": not the limits of the task");
    require(mine.kept, name + " exceeds its limits");
    // Both are bounds; they may differ by how finely a machine's rounding made them search.
    const double slack = 1e-6 * std::max({1.0, std::abs(mine.lower), std::abs(mine.upper)});
    require(
        claimed.kept && claimed.lower <= mine.lower + slack && claimed.upper >= mine.upper - slack,
        name + ": its bounds are tighter than proven");
  }
}

void checkIdentity(const Problem& problem, const Certificate& certificate) {
  require(certificate.clear, "it does not claim that the trajectory is clear");
  require(certificate.robot_sha256 == problem.robot->sourceSha256(), "it is of another robot");
  require(certificate.task_sha256 == problem.source_sha256, "it is of another task");
  require(certificate.margin == problem.collision.margin, "not the margin of the task");
  require(certificate.tolerance == problem.collision.tolerance, "not the tolerance of the task");
  require(certificate.trajectory.joint_names == plannedNames(problem),
          "its trajectory is of other joints");
  require(certificate.trajectory_sha256 == trajectorySha256(certificate.trajectory),
          "its trajectory was changed");
}

}  // namespace

CertificateVerdict verifyCertificate(const Problem& problem, const Certificate& certificate,
                                     const CertificateOptions& options) {
  try {
    checkIdentity(problem, certificate);
    const Trajectory& trajectory = certificate.trajectory.trajectory;
    const CertifiedGeometry geometry = certifiedGeometry(problem);
    CertifiedMotion motion(problem, geometry, trajectory, certifiedPoseTolerance(problem));
    const double proven = checkPairs(geometry, motion, certificate);
    checkMinimum(geometry, certificate, proven, motion);
    checkLimits(certifiedLimits(problem, trajectory, options.limits, motion), certificate);
    const auto findings = endAndJointFindings(problem, trajectory, options.limits, motion);
    require(findings.empty(), findings.empty() ? "" : findings[0]);
    return {true, "The certificate holds: " + std::to_string(certificate.pairs.size()) +
                      " pairs and " + std::to_string(certificate.limits.size()) +
                      " limits were proven anew."};
  } catch (const Refuted& refuted) {
    return {false, "The certificate does not hold: " + refuted.why + "."};
  } catch (const InputError& error) {
    return {false, std::string("The certificate does not hold: ") + error.what() + "."};
  }
}

}  // namespace allclear
