#include "allclear/planner/planner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <sstream>

#include "allclear/core/input_error.h"
#include "allclear/core/parallel.h"
#include "allclear/planner/problem/support_polygon.h"
#include "allclear/planner/search/end_faults.h"
#include "allclear/planner/search/refinement.h"
#include "allclear/planner/seeds/goal_configurations.h"
#include "allclear/planner/seeds/seed_maker.h"
#include "allclear/planner/seeds/segment_certifier.h"

namespace allclear {
namespace {

using Clock = std::chrono::steady_clock;

/// The straight line and two trees: where hulls leave no way, meshes are then followed more
/// closely.
constexpr int kAttemptsBeforeCloser = 3;
constexpr double kShareOfTimeBeforeFiner = 0.4;  // of what is left, for one search
constexpr int kMarginTrials = 6;                 // smaller margins tried when there is no plan
constexpr int kMarginAttempts = 3;               // first guesses for each
constexpr double kMostUnclear = 0.05;  // share of a straight line in contact, to be tried at all

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string number(double value, int digits = 4) {
  std::ostringstream out;
  out.precision(digits);
  out << value;
  return out.str();
}

FidelityPolicy firstPolicy(const Problem& problem) {
  switch (problem.collision.geometry) {
    case GeometryMode::kMesh:
      return FidelityPolicy::kEverywhere;
    case GeometryMode::kAuto:
      return FidelityPolicy::kWhereNeeded;
    default:
      return FidelityPolicy::kHulls;
  }
}

bool hasMeshes(const Problem& problem) {
  const auto isMesh = [](const Geometry& part) {
    return std::holds_alternative<TriangleMesh>(part.shape);
  };
  const auto any = [&](const auto& bodies, const auto& geometryOf) {
    return std::any_of(bodies.begin(), bodies.end(), [&](const auto& body) {
      const std::vector<Geometry>& geometry = geometryOf(body);
      return std::any_of(geometry.begin(), geometry.end(), isMesh);
    });
  };
  const auto geometryOf = [](const auto& body) -> const auto& { return body.geometry; };
  return any(
             problem.robot->links(),
             [](const Link& link) -> const auto& { return link.collision; }) ||
         any(problem.attached, geometryOf) || any(problem.obstacles, geometryOf);
}

/// One call of `plan`.
class Planning {
 public:
  Planning(const Problem& problem, const PlanOptions& options, const PlanHooks& hooks)
      : problem_(problem),
        options_(options),
        hooks_(hooks),
        start_(Clock::now()),
        fidelity_policy_(firstPolicy(problem)),
        has_meshes_(hasMeshes(problem)),
        evaluator_(std::make_unique<ClearanceEvaluator>(problem, fidelity_policy_)) {}

  Plan run() {
    plan_.options = options_;
    if (!isEndAtFault()) {
      search();
      if (plan_.status == PlanStatus::kNotFound && plan_.message.empty()) tryLessMargin();
    }
    plan_.statistics.seconds = secondsSince(start_);
    if (plan_.message.empty()) plan_.message = verdict();
    return std::move(plan_);
  }

 private:
  SearchBudget budget() const {
    const auto limit = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(std::min(options_.time_limit, 1e7)));
    return {start_ + limit, hooks_.stop};
  }
  bool isOutOfTime() const { return secondsSince(start_) > options_.time_limit; }
  bool isStopped() const { return hooks_.stop && hooks_.stop(); }
  bool mustEnd() {
    if (isStopped()) {
      plan_.status = PlanStatus::kInterrupted;
    } else if (isOutOfTime()) {
      plan_.status = PlanStatus::kTimedOut;
    } else {
      return false;
    }
    return true;
  }

  /// A start or goal in contact is the user's to mend: say so and solve nothing.
  bool isEndAtFault() {
    plan_.message = endFault(problem_, *evaluator_);
    return !plan_.message.empty();
  }

  void search() {
    GoalOptions goal_options;
    goal_options.seed = options_.seed;
    goal_options.budget = budget();
    std::vector<VecX> goals = goalConfigurations(*evaluator_, goal_options);
    std::optional<VecX> in_contact;
    while (goals.empty() && useFinerGeometry()) {
      goals = goalConfigurations(*evaluator_, goal_options, &in_contact);
    }
    if (goals.empty()) {
      if (!mustEnd()) plan_.status = PlanStatus::kNotFound;
      plan_.message =
          "No plan: no configuration within the limits and clear of everything reaches the "
          "goal's pose. Loosen its tolerance, or move it.";
      ClearanceEvaluator::Workspace workspace(*evaluator_);
      if (in_contact) {
        plan_.message += " Where it is reached, " +
                         contactText(evaluator_->model(),
                                     evaluator_->atRest(*in_contact, std::nullopt, workspace)) +
                         ".";
      }
      return;
    }
    goal_ = goals.front();
    for (int attempt = 0; attempt < std::max(1, options_.attempts); ++attempt) {
      if (mustEnd()) return;
      const bool is_time = attempt > 0 && attempt % kAttemptsBeforeCloser == 0;
      if (is_time || !way_found_) useFinerGeometry();
      if (tryOnce(attempt, goals)) return;
    }
    mustEnd();
  }

  bool mayUseFinerGeometry() const {
    const GeometryMode mode = problem_.collision.geometry;
    if (mode != GeometryMode::kAuto && mode != GeometryMode::kMesh) return false;
    return fidelity_policy_ < FidelityPolicy::kSurfaces && has_meshes_;
  }

  /// From now on meshes are followed more closely in all pairs: by pieces, at last as they are.
  bool useFinerGeometry() {
    if (!mayUseFinerGeometry()) return false;
    fidelity_policy_ = fidelity_policy_ < FidelityPolicy::kEverywhere ? FidelityPolicy::kEverywhere
                                                                      : FidelityPolicy::kSurfaces;
    evaluator_ = std::make_unique<ClearanceEvaluator>(problem_, fidelity_policy_);
    return true;
  }

  /// True when the plan is certified or the search is over.
  bool tryOnce(int attempt, const std::vector<VecX>& goals) {
    plan_.statistics.attempts = attempt + 1;
    const auto seed_start = Clock::now();
    SeedOptions seed_options;
    seed_options.seed = options_.seed;
    seed_options.spans = options_.spans;
    seed_options.time_limit = options_.time_limit - secondsSince(start_);
    // What hulls and pieces close may be open.
    if (mayUseFinerGeometry()) seed_options.time_limit *= kShareOfTimeBeforeFiner;
    // Where the meshes themselves are asked the way is narrow.
    if (fidelity_policy_ == FidelityPolicy::kSurfaces)
      seed_options.extra = 2.0 * SegmentCertifier::kResolution;
    seed_options.stop = hooks_.stop;
    const VecX& goal = goals[static_cast<std::size_t>(attempt) % goals.size()];
    if (!chooseVia(attempt, goal, &seed_options.via)) return false;
    const std::optional<Seed> seed = makeSeed(*evaluator_, goal, attempt, seed_options);
    plan_.statistics.seed_seconds += secondsSince(seed_start);
    way_found_ = seed.has_value();
    if (!seed) return false;
    const BSpline guess = seed->curve.withDuration(feasibleDuration(problem_, seed->curve));
    std::vector<PlanProgress> history;
    RefinementOptions refinement;
    refinement.threads = threadCount(options_.threads);
    refinement.waypoint_times = passingTimes(guess, seed_options.via);
    // A straight line through the thick of it costs more than a search; but a search knows nothing
    // of path constraints.
    if (attempt == 0 && options_.attempts > 1 && problem_.path_constraints.empty()) {
      if (seed->unclear_share > kMostUnclear) return false;
      refinement.iterations = 60;
      refinement.hopeless = 0.01;
    }
    const Refinement result =
        refine(*evaluator_, guess, refinement, [&](const PlanProgress& progress) {
          history.push_back(progress);
          history.back().attempt = attempt;
          if (hooks_.progress) hooks_.progress(history.back());
          return !isStopped() && !isOutOfTime();
        });
    plan_.statistics.solve_seconds += result.solve_seconds;
    plan_.statistics.iterations += result.iterations;
    plan_.statistics.rounds += result.rounds;
    if (!result.clear) {
      remember(result, history);
    } else if (accept(result.curve, result.cost, seed->origin, history)) {
      return true;
    }
    return restAtCorners(*seed, history) || mustEnd();
  }

  /// What is left when the curve along a path of certified segments cannot be used. Its cost is not
  /// one of the program.
  bool restAtCorners(const Seed& seed, const std::vector<PlanProgress>& history) {
    if (!seed.certified_path || !isRestToRest(problem_) || !problem_.path_constraints.empty()) {
      return false;
    }
    const Trajectory along_path(restingAtCorners(problem_, seed.path));
    return along_path.duration() <= problem_.duration.max &&
           accept(along_path, 0.0, seed.origin + ", resting at its corners", history);
  }

  /// Whether smaller margins help, and how large they may be: halves what is between a share of
  /// them that leads to a plan and one that does not. Takes about as long as the search did.
  void tryLessMargin() {
    double feasible = 0.0, infeasible = 1.0, most = problem_.collision.margin;
    for (const PairMargin& pair : problem_.collision.pair_margins) {
      most = std::max(most, pair.margin);
    }
    if (most == 0.0 || !worst_demand_.empty() || !unreachable_.empty()) return;
    const double until = std::min(options_.time_limit, 2.0 * secondsSince(start_) + 0.5);
    const PlanHooks hooks{nullptr, hooks_.stop};
    for (int i = 0; i < kMarginTrials && secondsSince(start_) < until && !isStopped(); ++i) {
      const double share = i == 0 ? 0.0 : 0.5 * (feasible + infeasible);
      Problem relaxed = problem_;
      relaxed.collision.margin *= share;
      for (PairMargin& pair : relaxed.collision.pair_margins) pair.margin *= share;
      PlanOptions options = options_;
      options.attempts = std::min(options_.attempts, kMarginAttempts);
      options.time_limit = until - secondsSince(start_);
      Planning trial(relaxed, options, hooks);
      trial.search();
      const Plan& found = trial.plan_;
      if (found.status == PlanStatus::kCertified) {
        feasible = share;
        less_margin_ = problem_.collision.pair_margins.empty()
                           ? "It would do for a margin of " +
                                 number(found.certificate->minimum_clearance.lower) + " m."
                           : "It would do with every margin at " + number(100.0 * share, 3) +
                                 " % of what it is.";
      } else {
        infeasible = share;
        if (i > 0) continue;
        if (found.status == PlanStatus::kNotFound) less_margin_ = "Nor was one without margins.";
        return;
      }
    }
  }

  /// A configuration for each waypoint; false when one cannot be reached.
  bool chooseVia(int attempt, const VecX& goal, std::vector<VecX>* via) {
    const auto count = static_cast<double>(problem_.waypoints.size());
    VecX from = problem_.plannedPart(problem_.start);
    GoalOptions options;
    options.seed = options_.seed;
    options.budget = budget();
    for (std::size_t i = 0; i < problem_.waypoints.size(); ++i) {
      const VecX otherwise = from + (goal - from) / (count - static_cast<double>(i) + 1.0);
      const auto found =
          targetConfigurations(*evaluator_, problem_.waypoints[i].target, from, otherwise, options);
      if (found.empty()) {
        unreachable_ = "waypoint " + std::to_string(i + 1);
        return false;
      }
      from = found[static_cast<std::size_t>(attempt) % found.size()];
      via->push_back(from);
    }
    return true;
  }

  /// When the guess comes nearest to the waypoints without a time: normalised, in their order.
  std::vector<double> passingTimes(const BSpline& guess, const std::vector<VecX>& via) const {
    std::vector<double> times;
    double after = 0.0;
    for (std::size_t i = 0; i < via.size(); ++i) {
      constexpr int kSamples = 400;
      double least = HUGE_VAL, best = after;
      for (int k = 1; k < kSamples; ++k) {
        const double s = static_cast<double>(k) / kSamples;
        if (s <= after) continue;
        const double away = (guess.value(s * guess.duration()) - via[i]).norm();
        if (away < least) {
          least = away;
          best = s;
        }
      }
      after = best;
      if (!problem_.waypoints[i].time) times.push_back(best);
    }
    return times;
  }

  bool accept(const Trajectory& trajectory, double cost, const std::string& origin,
              const std::vector<PlanProgress>& history) {
    const auto start = Clock::now();
    Certificate certificate = certify(problem_, trajectory);
    plan_.statistics.certify_seconds += secondsSince(start);
    const bool clear = certificate.clear;
    if (clear || !plan_.certificate) {
      plan_.trajectory = trajectory;
      plan_.certificate = std::move(certificate);
      plan_.statistics.history = history;
    }
    if (!clear) return false;
    plan_.status = isStopped() ? PlanStatus::kInterrupted : PlanStatus::kCertified;
    plan_.statistics.seed = origin;
    plan_.statistics.cost = cost;
    return true;
  }

  void remember(const Refinement& result, const std::vector<PlanProgress>& history) {
    if (plan_.certificate || result.violation >= least_violation_) return;
    least_violation_ = result.violation;
    worst_ = result.worst;
    worst_demand_ = result.worst_demand;
    plan_.trajectory = result.curve;
    plan_.statistics.history = history;
  }

  std::string verdict() const {
    const PlanStatistics& s = plan_.statistics;
    if (plan_.certificate && plan_.certificate->clear) {
      const bool is_whole = plan_.status == PlanStatus::kCertified;
      return std::string(is_whole ? "" : "Interrupted while making the plan better. ") +
             "Certified: clear at every instant of " + number(plan_.trajectory->duration()) +
             " s. " + plan_.certificate->message + " Found from the " + s.seed + " in " +
             number(s.seconds, 3) + " s (" + std::to_string(s.iterations) + " iterations).";
    }
    std::string text = plan_.status == PlanStatus::kTimedOut      ? "Out of time"
                       : plan_.status == PlanStatus::kInterrupted ? "Interrupted"
                                                                  : "No certified plan";
    text += " after " + number(s.seconds, 3) + " s and " + std::to_string(s.attempts) +
            (s.attempts == 1 ? " attempt." : " attempts.");
    if (plan_.certificate) {
      text +=
          " The best trajectory found is refused by its certificate: " + plan_.certificate->message;
    } else if (!unreachable_.empty()) {
      text += " No configuration within the limits and clear of everything meets " + unreachable_ +
              ". Loosen its tolerance, or move it.";
    } else if (!worst_demand_.empty()) {
      text += " In the best attempt this is not kept: " + worst_demand_ +
              ". Loosen it, or give the plan more time or attempts.";
    } else if (worst_) {
      const CollisionModel& model = evaluator_->model();
      text += " In the best attempt, " + contactText(model, *worst_) +
              " at t = " + number(worst_->t_star) + " s. ";
      const double feasible = worst_->lower - 2.0 * problem_.collision.tolerance;
      if (!less_margin_.empty()) {
        text += less_margin_;
      } else if (feasible > 0.0) {
        text += "It would do for a margin of " + number(feasible) + " m.";
      } else {
        text += "Try more attempts or time (solver), or give the way more room.";
      }
    } else {
      text += " No way around the obstacles was found. ";
      if (!less_margin_.empty()) text += less_margin_ + " ";
      const std::string on_the_way = goal_ ? straightWayText(*evaluator_, *goal_) : "";
      if (!on_the_way.empty()) text += on_the_way + " ";
      text += "Try more attempts or time (solver).";
    }
    return text;
  }

  const Problem& problem_;
  const PlanOptions& options_;
  const PlanHooks& hooks_;
  Clock::time_point start_;
  FidelityPolicy fidelity_policy_;
  bool has_meshes_;
  std::unique_ptr<ClearanceEvaluator> evaluator_;
  bool way_found_ = true;  ///< by the last attempt's search
  Plan plan_;
  double least_violation_ = HUGE_VAL;
  std::optional<Clearance> worst_;
  std::string worst_demand_;
  std::string unreachable_;  ///< a waypoint
  std::string less_margin_;  ///< what smaller margins would do
  std::optional<VecX> goal_;
};

}  // namespace

namespace {

/// Demands that the optimiser has no rows for: better refused than forgotten.
void refuseWhatIsNotPlanned(const Problem& problem) {
  const auto refuse = [&](bool asked, const char* key) {
    if (asked) {
      throw InputError(
          {problem.source_file, 0, key, ""},
          "cannot be planned for; `allclear certify` takes it into account where it can");
    }
  };
  for (const FixedLink& contact : problem.contacts) {
    refuse(isMoved(problem, contact.link), "contacts: a link that planned joints move");
  }
}

}  // namespace

const char* planStatusName(PlanStatus status) {
  static constexpr const char* kNames[] = {"certified", "not found", "timed out", "interrupted"};
  return kNames[static_cast<int>(status)];
}

Plan plan(const Problem& problem, const PlanOptions& options, const PlanHooks& hooks) {
  const std::vector<Finding> findings = validate(problem);
  if (!findings.empty()) {
    throw InputError({problem.source_file, 0, findings.front().what, ""}, findings.front().message);
  }
  refuseWhatIsNotPlanned(problem);
  return Planning(problem, options, hooks).run();
}

}  // namespace allclear
