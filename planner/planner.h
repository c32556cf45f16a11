#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "allclear/planner/certificate.h"
#include "allclear/planner/problem.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

enum class PlanStatus {
  kCertified,    ///< a plan, proved clear
  kNotFound,     ///< every attempt ended in a local minimum, or the problem is infeasible
  kTimedOut,     ///< the time limit came first
  kInterrupted,  ///< the caller's `stop` returned true
};

const char* planStatusName(PlanStatus status);

/// What one iteration or step of the planner looked like.
struct PlanProgress {
  int attempt = 0;
  int round = 0;
  int iteration = 0;
  double cost = 0.0;
  double infeasibility = 0.0;
  std::string worst;  ///< the worst pair and its distance, or the current step
  double best = std::numeric_limits<double>::quiet_NaN();  ///< [s] duration of the best certified
                                                           ///< plan so far; NaN without one
};

/// A certified plan that was better than all before it, and what it took to find.
struct PlanStep {
  double seconds = 0.0;   ///< since the start
  int attempts = 0;       ///< first guesses so far
  int iterations = 0;     ///< of the solver so far
  double cost = 0.0;      ///< by the problem's objective (`PlanStatistics::cost`)
  double duration = 0.0;  ///< of the plan [s]
  std::string origin;     ///< the first guess that it came from, and what was done to it
};

struct PlanHooks {
  std::function<void(const PlanProgress&)> progress;
  std::function<bool()> stop;  ///< true to stop as soon as possible
  /// When the time limit began to run; none: when `plan` is called. A program that reads a task
  /// within the same limit says here when it began.
  std::optional<std::chrono::steady_clock::time_point> start;
};

struct PlanStatistics {
  double seconds = 0.0;
  double seed_seconds = 0.0;
  double solve_seconds = 0.0;
  double certify_seconds = 0.0;
  int attempts = 0;
  int rounds = 0;
  int iterations = 0;
  double cost = 0.0;  ///< of the plan by the problem's objective (docs/task.md): comparable between
                      ///< all plans of one problem
  std::string seed;   ///< the first guess that led to the plan, and what was done to it
  std::vector<PlanProgress> history;  ///< of the attempt that gave the trajectory
  /// The first certified plan, and each better one: what they took, and what they gained.
  std::vector<PlanStep> steps;
  /// The longest call of a library that cannot be ended (qhull, MUMPS), and what it took [s]: by so
  /// much a time limit may be overrun. Empty and 0 without one.
  std::string longest_call;
  double longest_call_seconds = 0.0;
  /// The time limit or `stop` ended the improvement: with more time the plan might be another one.
  bool cut_short = false;
};

/// An alternative of a goal (`AnyTarget`) that no plan can end at, or that none was found for.
struct LeftOutAlternative {
  int alternative = 0;  ///< from 0, in the problem's order
  std::string name;     ///< as messages have it: "'top' (2 of 5)"
  std::string why;      ///< "joint 'elbow' ..", "no configuration .."
};

struct Plan {
  PlanStatus status = PlanStatus::kNotFound;
  std::string
      message;  ///< one paragraph: the verdict and, when there is no plan, why and what to try
  /// Of the planned coordinates; the best one even if not certified. A certified one comes as rows
  /// for a controller (`controllerRows`), at the joints of the spline that was found.
  std::optional<Trajectory> trajectory;
  /// Forces at the contacts (`ContactSet`), where torques or balance of a standing robot ask for
  /// them: over the same time as the trajectory, and part of what the certificate is about.
  std::optional<Trajectory> wrenches;
  std::optional<Certificate> certificate;  ///< of `trajectory`
  /// Of a goal with alternatives; which one the plan ends at stands in the certificate (`goal`).
  std::vector<LeftOutAlternative> left_out;
  PlanOptions options;  ///< what it was planned with
  PlanStatistics statistics;
};

/// Plans. Deterministic for given options, except that the time limit may fall earlier or later. It
/// is kept, as `stop` is, to a few hundredths of a second and of the limit, but for single calls of
/// libraries (`PlanStatistics::longest_call`).
/// Throws `InputError` when the problem is not well posed (`validate`). A start or goal in contact
/// gives `kNotFound`, with a message that says so.
Plan plan(const Problem& problem, const PlanOptions& options = {}, const PlanHooks& hooks = {});

struct SequenceStatistics {
  double seconds = 0.0;
  int plans = 0;    ///< searches for a motion
  int returns = 0;  ///< times that the search went back to another end of an earlier motion
  int looks = 0;    ///< problems that the look-ahead asked for their ends
  /// The longest call of a library that cannot be ended, as of a plan (`PlanStatistics`).
  std::string longest_call;
  double longest_call_seconds = 0.0;
};

/// A plan of all motions of a sequence.
struct SequencePlan {
  PlanStatus status = PlanStatus::kNotFound;
  std::string message;  ///< the verdict; without a plan, the first motion that has none, and why
  /// Every motion with its problem and certificate, the events, the duration; clear as a whole or
  /// empty.
  SequenceCertificate certificate;
  std::optional<NamedTrajectory> trajectory;  ///< all motions as one; with the certificate
  /// Without a plan: the motion that failed, as it failed after the best motions before it.
  struct Failure {
    std::string segment;
    Problem problem;
    Plan plan;
  };
  std::optional<Failure> failure;
  PlanOptions options;
  SequenceStatistics statistics;
};

/// Plans all motions of a sequence, each as `plan` does. Where a motion may end in several
/// configurations, that one is tried first from which the motions after it look cheapest, and when
/// a later one has no plan, the search goes back to the next. Bounded by counts, so deterministic,
/// but for the time limit: `PlanOptions::time_limit` [s] is that of each motion, and that times the
/// number of motions is the limit of the whole, which is kept as closely as that of `plan`, as
/// `stop` is. Throws `InputError` as `plan` does.
SequencePlan planSequence(const Sequence& sequence, const PlanOptions& options = {},
                          const PlanHooks& hooks = {});

}  // namespace allclear
