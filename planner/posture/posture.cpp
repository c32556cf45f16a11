// Postures from one start after the other, and the causes where there is none: each part of what
// is asked for is left out in turn.
#include "allclear/planner/posture/posture.h"

#include <algorithm>

#include "allclear/planner/posture/posture_solver.h"

namespace allclear {
namespace {

/// Starts from which the cause of a failure is looked for, without one part at a time.
constexpr int kStartsWithout = 4;
/// Starts of which one at least leads to the poses when bodies do not count: each is one solve.
constexpr int kStartsWithoutBodies = 16;
/// A part that is missed by less than this [m, rad or of order one] is no cause.
constexpr double kNoMiss = 1e-5;

using Part = PostureRows::Part;

/// The cause by one part: how a posture without it misses it. Empty where it makes no difference.
std::string textWithout(PostureSolver& solver, int part) {
  const Part& without = solver.rows().parts()[part];
  for (int i = 0; i < kStartsWithout && !solver.mustEnd(); ++i) {
    const std::optional<VecX> x = solver.solve(solver.start(i), {part});
    if (!x) continue;
    solver.rows().place(*x);
    const bool is_limit = without.kind == PostureRows::Kind::kLimits;
    if (!is_limit && solver.rows().miss(without) <= kNoMiss) return "";
    return " Without " + without.name + " there is one, in which " +
           solver.rows().missText(without) + ".";
  }
  return "";
}

/// Where no single part is the cause: what is missed when all but the contacts and the limits give
/// way.
std::string textOfAll(PostureSolver& solver) {
  const auto& parts = solver.rows().parts();
  // What remains hard says where the robot can be at all; the rest is a wish.
  std::vector<int> soft;
  for (int i = 0; i < static_cast<int>(parts.size()); ++i) {
    const PostureRows::Kind kind = parts[i].kind;
    if (kind == PostureRows::Kind::kContacts || kind == PostureRows::Kind::kLimits) continue;
    soft.push_back(i);
  }
  for (int i = 0; i < kStartsWithout && !solver.mustEnd(); ++i) {
    const std::optional<VecX> x = solver.solve(solver.start(i), soft);
    if (!x) continue;
    solver.rows().place(*x);
    std::string text;
    for (int part : soft) {
      if (solver.rows().miss(parts[part]) <= kNoMiss) continue;
      text += (text.empty() ? " " : "; ") + solver.rows().missText(parts[part]);
    }
    if (!text.empty()) return " Several things are in the way at once. At best" + text + ".";
  }
  return " The contacts and the joint limits alone may not agree with each other.";
}

}  // namespace

std::vector<Posture> findPostures(const ClearanceEvaluator& evaluator, const PostureTarget& target,
                                  const RunContext& context, const PostureOptions& options) {
  PostureSolver solver(evaluator, target, context, options);
  // A start that fails costs little; most work at once.
  std::vector<Posture> found;
  for (int i = 0; i < options.tries && !context.mustEnd(); ++i) {
    // Each start in both orders.
    const auto order =
        i % 2 == 0 ? PostureSolver::Order::kPosesFirst : PostureSolver::Order::kClearancesFirst;
    const std::optional<VecX> x = solver.solve(solver.start(i / 2), {}, order);
    if (!x) continue;
    found.push_back(solver.postureOf(*x));
    if (i == 0 || static_cast<int>(found.size()) >= options.enough) break;
  }
  if (found.empty() && options.exact && !context.mustEnd()) {
    PostureOptions loose = options;
    loose.exact = false;
    return findPostures(evaluator, target, context, loose);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Posture& a, const Posture& b) { return a.cost < b.cost; });
  return found;
}

bool hasPostureWithoutBodies(const ClearanceEvaluator& evaluator, const PostureTarget& target,
                             const RunContext& context) {
  PostureOptions options;
  options.exact = false;  // the poses' whole tolerances
  PostureSolver solver(evaluator, target, context, options);
  for (int i = 0; i < kStartsWithoutBodies && !context.mustEnd(); ++i) {
    if (solver.solvesWithoutBodies(solver.start(i))) return true;
  }
  return false;
}

std::vector<Posture> findPostures(const Problem& problem, const PostureTarget& target,
                                  const RunContext& context,
                                  std::unique_ptr<ClearanceEvaluator>* evaluator) {
  const GeometryMode mode = problem.collision.geometry;
  const bool has_finer =
      hasMeshes(problem) && (mode == GeometryMode::kAuto || mode == GeometryMode::kMesh);
  FidelityPolicy policy = firstPolicy(problem);
  while (true) {
    *evaluator = std::make_unique<ClearanceEvaluator>(problem, policy, context.threads);
    // While finer geometry is left, a few starts are enough to see that this one is in the way.
    const bool is_last = !has_finer || policy >= FidelityPolicy::kSurfaces;
    PostureOptions options;
    if (!is_last) options.tries = options.enough;
    std::vector<Posture> found = findPostures(**evaluator, target, context, options);
    if (!found.empty() || is_last || context.mustEnd()) return found;
    if (!hasPostureWithoutBodies(**evaluator, target, context)) return found;
    policy = policy < FidelityPolicy::kEverywhere ? FidelityPolicy::kEverywhere
                                                  : FidelityPolicy::kSurfaces;
  }
}

PostureTarget postureTarget(const Problem& problem, const PoseTarget& pose) {
  return {{pose},
          {problem.planned, problem.plannedPart(problem.start)},
          VecX::Ones(problem.plannedCount())};
}

std::string postureFault(const ClearanceEvaluator& evaluator, const PostureTarget& target,
                         const RunContext& context, const PostureOptions& options) {
  PostureSolver solver(evaluator, target, context, options);
  std::string text = "no posture meets the goal.";
  std::string causes;
  for (int i = 0; i < static_cast<int>(solver.rows().parts().size()); ++i) {
    causes += textWithout(solver, i);
  }
  if (context.mustEnd() && causes.empty())
    return text + " There was no time to look for the cause.";
  return text + (causes.empty() ? textOfAll(solver) : causes);
}

}  // namespace allclear
