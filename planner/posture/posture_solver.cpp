// One start of the posture program, stage by stage. Bodies that are deep in each other have poor
// gradients, and clearances that ask for much at once lead the solver into corners. So the first
// stage does without them, and each later one starts from the solution before and asks for a little
// more. Where the last stage asks for more than there is, its solution still counts when it keeps
// the margins themselves.
#include "allclear/planner/posture/posture_solver.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "allclear/planner/program/nlp_wait.h"
#include "allclear/planner/program/static_wrenches.h"
#include "allclear/planner/run/random_stream.h"

namespace allclear {
namespace {

/// Clearance that the stages ask for beyond the demands [m]. The last one leaves the motion room to
/// leave from; the one after it, for narrow places, twice the tolerance of the planner's distances.
constexpr std::array kStages{-0.040, -0.020, -0.008, 0.005};
constexpr double kNarrow = 2e-4;

// Restarts: joints that move a contact are led back onto it anyway, and far from the reference a
// robot does not stand; the others are free. Every few starts the places are farther away.
constexpr double kSpreadOfLegs = 0.15;  // [rad or m]
constexpr double kSpreadOfArms = 0.6;
constexpr int kStartsPerSpread = 4;
constexpr std::uint64_t kStream = 0x706f7374u;  // "post" in ASCII

constexpr double kTolerance = 1e-4;     // of Ipopt's optimality error
constexpr double kRowTolerance = 1e-7;  // [m, rad or of order one]
/// Rows count as met when they are missed by no more: poses still keep their tolerances, demands
/// their reserve.
constexpr double kMet = 1e-5;
/// Contacts are met to rounding, by the last steps onto them.
constexpr double kContactsMet = 1e-10;

}  // namespace

PostureSolver::PostureSolver(const ClearanceEvaluator& evaluator, const PostureTarget& target,
                             const RunContext& context, const PostureOptions& options)
    : target_(target),
      context_(context),
      options_(options),
      rows_(evaluator, target, options.exact),
      program_(rows_, target),
      projection_(evaluator.problem(), evaluator.builder().kinematics()) {}

VecX PostureSolver::start(int i) const {
  VecX x = VecX::Zero(rows_.variables());
  const PlannedLimits limits = plannedLimits(rows_.problem());
  RandomStream random(context_.seed, kStream + static_cast<std::uint64_t>(i));
  // Numbers are drawn for start 0 too, whose spread is nothing: one rule for all.
  const double spread = i == 0 ? 0.0 : 1.0 + (i - 1) / kStartsPerSpread;
  for (int k = 0; k < rows_.joints(); ++k) {
    const double size = projection_.moves(k) ? kSpreadOfLegs : kSpreadOfArms;
    const double at = target_.reference.values[k] + spread * size * (2.0 * random.uniform() - 1.0);
    x[k] = std::clamp(at, limits.lower[k], limits.upper[k]);
  }
  if (rows_.wrenches() > 0) {
    const VecX wrenches = staticWrenches(rows_.problem(), x.head(rows_.joints()));
    x.tail(rows_.wrenches()) = wrenches / rows_.weight();
  }
  return x;
}

VecX PostureSolver::solveStage(const VecX& start, bool is_warm) {
  NlpOptions options;
  options.tolerance = kTolerance;
  options.constraint_tolerance = kRowTolerance;
  options.max_iterations = options_.iterations;
  options.warm = is_warm;
  return solveNlpUnlessStopped(
             program_, start, options, [&](const NlpIteration&) { return !mustEnd(); },
             [this] { return mustEnd(); })
      .x;
}

/// The least distance of a pair beyond its demand.
double PostureSolver::leastBeyond() {
  for (const PostureRows::Part& part : rows_.parts()) {
    if (part.kind != PostureRows::Kind::kClearances) continue;
    return rows_.values().segment(part.first, part.count).minCoeff();
  }
  return HUGE_VAL;
}

/// Whether the parts that are not soft are met, where the rows are placed.
bool PostureSolver::isMet(const std::vector<int>& soft) {
  const auto& parts = rows_.parts();
  for (int i = 0; i < static_cast<int>(parts.size()); ++i) {
    if (std::find(soft.begin(), soft.end(), i) != soft.end()) continue;
    const PostureRows::Kind kind = parts[i].kind;
    const bool is_strict = kind == PostureRows::Kind::kClearances;
    const double most = kind == PostureRows::Kind::kContacts ? kContactsMet
                        : is_strict                          ? 0.0
                                                             : kMet;
    if (!(rows_.miss(parts[i]) <= most)) return false;
  }
  return true;
}

/// From `x` into the clear, then towards the poses without leaving it.
VecX PostureSolver::solveClearancesFirst(VecX x, const std::vector<int>& soft) {
  std::vector<int> later = soft;
  for (int i = 0; i < static_cast<int>(rows_.parts().size()); ++i) {
    if (rows_.parts()[i].kind == PostureRows::Kind::kPose) later.push_back(i);
  }
  program_.useClearances(true);
  rows_.setClearance(kStages.back());
  program_.setSoft(later, PostureProgram::Soft::kLeastMissed);
  x = solveStage(x, false);
  program_.setSoft(soft, PostureProgram::Soft::kLeftOut);
  const VecX outside = x;
  for (double beyond : {kStages.back(), kNarrow}) {
    if (mustEnd()) break;
    rows_.setClearance(beyond);
    x = solveStage(outside, true);
    if (finished(x, soft)) break;
  }
  return x;
}

/// Stage by stage from `x`, with the program's soft parts.
VecX PostureSolver::solvePosesFirst(VecX x) {
  // Where the poses lead, bodies or not.
  program_.useClearances(false);
  x = solveStage(x, false);
  program_.useClearances(true);
  const auto reach = [&](double beyond) {
    rows_.place(x);
    if (leastBeyond() >= beyond - kMet) return true;
    rows_.setClearance(beyond);
    x = solveStage(x, true);
    rows_.place(x);
    return leastBeyond() >= beyond - kMet;
  };
  // Then as far out of contact as it goes.
  VecX best = x;
  for (double beyond : kStages) {
    if (mustEnd()) break;
    if (reach(beyond)) {
      best = x;
      continue;
    }
    x = best;
    reach(kNarrow);
    break;
  }
  return x;
}

/// The last steps onto the contacts; empty when a part that is not soft is missed after them.
std::optional<VecX> PostureSolver::finished(VecX x, const std::vector<int>& soft) {
  const bool has_contacts = std::none_of(soft.begin(), soft.end(), [&](int part) {
    return rows_.parts()[part].kind == PostureRows::Kind::kContacts;
  });
  VecX q = x.head(rows_.joints());
  if (has_contacts && !projection_.project(&q)) return std::nullopt;
  x.head(rows_.joints()) = q;
  rows_.place(x);
  if (!isMet(soft)) return std::nullopt;
  return x;
}

std::optional<VecX> PostureSolver::solve(const VecX& start, const std::vector<int>& soft,
                                         Order order) {
  using Soft = PostureProgram::Soft;
  program_.setSoft(soft, Soft::kLeftOut);
  VecX x = order == Order::kPosesFirst ? solvePosesFirst(start) : solveClearancesFirst(start, soft);
  const std::optional<VecX> without = finished(std::move(x), soft);
  if (!without || soft.empty()) return without;
  // From a posture without the soft parts, towards them.
  program_.setSoft(soft, Soft::kLeastMissed);
  rows_.setClearance(kNarrow);
  const std::optional<VecX> nearest = finished(solveStage(*without, false), soft);
  return nearest ? nearest : without;
}

bool PostureSolver::solvesWithoutBodies(const VecX& start) {
  std::vector<int> clearances;
  for (int i = 0; i < static_cast<int>(rows_.parts().size()); ++i) {
    if (rows_.parts()[i].kind == PostureRows::Kind::kClearances) clearances.push_back(i);
  }
  program_.setSoft({}, PostureProgram::Soft::kLeftOut);
  program_.useClearances(false);
  return finished(solveStage(start, false), clearances).has_value();
}

Posture PostureSolver::postureOf(const VecX& x) const {
  return {x.head(rows_.joints()), rows_.weight() * x.tail(rows_.wrenches()), program_.distance(x)};
}

}  // namespace allclear
