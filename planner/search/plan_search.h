#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/problem/impact_share.h"
#include "allclear/planner/retiming/retime.h"
#include "allclear/planner/run/run_context.h"
#include "allclear/planner/search/plan_cost.h"
#include "allclear/planner/search/refinement.h"
#include "allclear/planner/search/verdict.h"
#include "allclear/planner/seeds/goal_configurations.h"
#include "allclear/planner/seeds/line_motion.h"
#include "allclear/planner/seeds/seed_maker.h"

namespace allclear {

/// One search for a plan: attempt after attempt, each a first guess, its refinement and the
/// certificate, over geometry that becomes finer when coarse geometry leaves no way. After the
/// first certified plan it looks for better ones (`PlanOptions::improve`), and keeps the best.
class PlanSearch {
 public:
  /// All are to outlive the search.
  PlanSearch(const Problem& problem, const PlanOptions& options, const RunContext& context)
      : PlanSearch(problem, problem, options, context) {}
  /// Searches for `problem`, which may ask for more than `claimed`, and certifies for `claimed`.
  PlanSearch(const Problem& problem, const Problem& claimed, const PlanOptions& options,
             const RunContext& context);

  /// The first guess: an earlier plan of the same coordinates. To outlive the search.
  void startFrom(const Trajectory& earlier) { earlier_ = &earlier; }

  /// Searches until a plan is certified or the attempts or `context` end the search; then improves
  /// the plan.
  void run();

  /// Status, trajectory, certificate and statistics; `message` only where no attempt was possible.
  Plan& plan() { return plan_; }
  const SearchFindings& findings() const { return findings_; }
  SearchFindings& findings() { return findings_; }
  const ClearanceEvaluator& evaluator() const { return *evaluator_; }

 private:
  /// The first guess that something came from.
  struct Root {
    std::string origin;
    double seconds = 0.0;          ///< `secondsAtSpeed`
    std::vector<VecX> via;         ///< configurations of the waypoints
    double unpolished = HUGE_VAL;  ///< cost before any polish
    int alternative = -1;          ///< of the goal, that it ends at; -1 where there is but one
  };
  /// One alternative of the goal, and what is made of it when it is first needed: programs are
  /// about one goal.
  struct Alternative {
    std::unique_ptr<ClearanceEvaluator> evaluator;
    std::unique_ptr<ClearanceEvaluator> polisher;
    double rest_from = 0.0;  ///< [s] before which the robot cannot rest there
  };
  struct Candidate {
    int attempt = 0;
    std::optional<Seed> seed;
    double seconds = HUGE_VAL;
    std::vector<VecX> via;
  };

  /// Instants per span at which forces of unplanned contacts are looked at.
  static constexpr int kImpactSamples = 8;

  void search();
  void endAtOnce();
  bool mustEnd();
  std::vector<VecX> findGoals();
  void keepGoalsInTime();
  bool mayNeedFinerGeometry(const PostureTarget* posture, const RunContext& context) const;
  std::vector<VecX> findSingleGoal();
  std::vector<VecX> findAnyGoal();
  std::vector<VecX> orderedByTime(std::vector<std::pair<int, VecX>> found);
  std::string addGoalsOf(int alternative, const GoalOptions& options,
                         std::vector<std::pair<int, VecX>>* found);
  int alternativeAt(const VecX& end) const;
  Alternative& prepared(int alternative);
  const Problem& ownProblem();
  const ClearanceEvaluator& ownEvaluator();
  Root rootOf(const Seed& seed) const;
  const VecX& straightestGoal(const std::vector<VecX>& goals);
  bool mayBeBetter(const VecX& goal) const;
  std::optional<Seed> guessTo(int alternative, const VecX& goal);
  void tryAlternatives();
  void pursueGuess(int attempt, const Seed& seed);
  bool mayUseFinerGeometry() const;
  bool useFinerGeometry();

  void followLine(const KeepOnLine& line);
  void paceLines(const std::vector<LineMotion>& motions);
  void bendLines(const std::vector<LineMotion>& motions);

  bool findFirst(const std::vector<VecX>& goals);
  bool isCertified() const { return plan_.certificate && plan_.certificate->clear; }
  bool mayImprove() const;
  void improve(const std::vector<VecX>& goals);
  bool mayTryOthers(int in_vain);
  bool attemptsLeft() const;
  double leastTime();
  RetimingOptions asObjective(RetimingOptions options) const;
  const ImpactFunction& paceImpacts();
  void tryOthers(const std::vector<VecX>& goals);
  void tryOtherOnContacts(const std::vector<VecX>& goals);
  void pursueOnContacts();
  const ClearanceEvaluator& polisher();
  Candidate guessOf(int attempt, const VecX& goal);
  double secondsAtSpeed(const Seed& seed) const;
  bool isBetter(const Trajectory& curve) const;
  Trajectory offer(const Trajectory& curve, const std::string& origin);
  Trajectory offerFirst(const Trajectory& curve);
  void pursue(Trajectory curve);

  bool lacksTime(const Refinement& result) const;
  bool tryEarlier(const std::vector<VecX>& goals);
  bool tryOnce(int attempt, const VecX& goal);
  std::optional<Seed> seedOf(int attempt, const VecX& goal);
  std::optional<Seed> findSeed(int attempt, const VecX& goal, const std::vector<VecX>& via);
  Refinement refineSeed(int attempt, const Seed& seed);
  RunContext recording(int attempt);
  void count(const Refinement& result);
  bool isStraightTrial(int attempt) const;
  bool restAtCorners(const Seed& seed);
  bool accept(const Trajectory& curve, const std::string& origin,
              const std::optional<BSpline>& wrenches = {});
  std::optional<Certificate> certifyInTime(const Trajectory& trajectory,
                                           const Trajectory* wrenches);
  Trajectory slowedForPeople(const Trajectory& trajectory);
  bool acceptResult(const Refinement& result, const std::string& origin);
  bool acceptOnContacts(const Refinement& result, const std::string& origin);
  void take(const std::string& origin);
  void remember(const Refinement& result);

  const Problem& problem_;
  const Problem& claimed_;
  const PlanOptions& options_;
  const RunContext& context_;
  const Trajectory* earlier_ = nullptr;
  FidelityPolicy fidelity_policy_;
  bool has_meshes_;
  bool has_contacts_;  ///< that planned joints move
  bool has_wrenches_;  ///< curves of forces are part of the plan
  std::unique_ptr<ClearanceEvaluator> evaluator_;
  std::vector<VecX> goals_;                       ///< configurations that meet the goal
  std::vector<int> alternative_of_;               ///< of each of `goals_`; empty without any
  std::vector<Alternative> alternatives_;         ///< empty where the goal has none
  int alternatives_tried_ = 0;                    ///< attempts that were spent on them
  std::unique_ptr<ClearanceEvaluator> polisher_;  ///< the same, with the objective of `polished`
  std::optional<PlanCost> cost_;
  bool ran_out_of_proof_ = false;       ///< the run had to end before a proof did
  std::optional<ImpactShare> impacts_;  ///< of `claimed_`; made when needed
  ImpactFunction pace_impacts_;         ///< of `problem_`, likewise
  double least_time_ = 0.0;             ///< [s] `leastTime` under contact limits; 0: not yet
  std::vector<VecX> via_;               ///< configurations of the waypoints, of the latest guess
  int rounds_of_guesses_ = 0;
  std::optional<Refinement>
      solved_;             ///< what the best plan was made from: fewer spans than its own
  Root current_, best_;    ///< of what is being worked on, and of the best plan
  bool way_found_ = true;  ///< by the last attempt's search
  std::vector<PlanProgress> history_;  ///< of the current attempt
  double least_violation_ = HUGE_VAL;  ///< [m], of the trajectory in `plan_`
  Plan plan_;
  SearchFindings findings_;
};

}  // namespace allclear
