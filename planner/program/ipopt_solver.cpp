// The only file that knows Ipopt (A. Waechter, L. T. Biegler, "On the implementation of an
// interior-point filter line-search algorithm for large-scale nonlinear programming", Mathematical
// Programming 2006): adapts a `NonlinearProgram` to its interface and sets its options.
//
// Its linear systems are solved by `CondensedSystem` (ipopt_hook.h): dense, with as many unknowns
// as the program has variables, and independent of other threads. MUMPS, which Ipopt brings along,
// takes programs of more variables than a dense matrix is good for, and all of them where Ipopt
// takes no other solver. MUMPS is not thread-safe: two solves at once crash, so one mutex of the
// process is held around each.
//
// Invariant: no exception crosses Ipopt. A callback that throws keeps the exception and makes Ipopt
// stop; `solveNlp` throws it again.
#ifndef HAVE_CSTDDEF
#define HAVE_CSTDDEF  // Ipopt 3.11's headers test for it without including their configuration
#endif
#include <IpIpoptApplication.hpp>
#include <IpTNLP.hpp>

#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <sstream>

#include "allclear/core/assert.h"
#include "allclear/core/stop_scope.h"
#include "allclear/planner/program/ipopt_hook.h"
#include "allclear/planner/program/nlp.h"
#include "allclear/planner/program/nlp_wait.h"

namespace allclear {
namespace {

using Ipopt::Index;
using Ipopt::Number;

constexpr double kInfinity = 2e19;  // Ipopt takes 1e19 and more for no bound

// A point is "acceptable", and ends the solve after three in a row, when its optimality error is
// within ten times the tolerance and the cost changes by less than a thousandth: the planner wants
// a good curve now, not the last digits.
constexpr double kAcceptableShare = 10.0;
constexpr double kAcceptableCostChange = 1e-3;
constexpr int kAcceptableIterations = 3;

// A warm start is near the solution: begin with a small barrier, and do not push the start away
// from bounds on which it may lie.
constexpr double kWarmBarrier = 1e-3;
constexpr double kWarmPush = 1e-6;

/// Variables and equations up to which a dense matrix is faster than MUMPS (docs/performance.md).
constexpr int kLargestDense = 400;
/// The same for programs whose rows reach most variables, such as those of a robot that stands:
/// MUMPS finds little to leave out there (leaning on a hand: a third of its time).
constexpr int kLargestOfFullRows = 700;
constexpr double kFullRows = 0.25;  // share of the Jacobian that is not zero
/// Robots of many joints have rows of more entries than this, and of those so many in all: then
/// every size is dense. MUMPS makes a dense block of each such row; with 160 joints that took 1.7
/// GB and 12 s for one step, which nothing can end.
constexpr int kLongRow = 300;
constexpr long kManyInLongRows = 50000;

VecX clampedToIpopt(const VecX& v) { return v.cwiseMax(-kInfinity).cwiseMin(kInfinity); }

using Clock = std::chrono::steady_clock;

class Adapter : public Ipopt::TNLP {
 public:
  Adapter(NonlinearProgram& program, std::vector<Entry> jacobian, const VecX& start,
          bool uses_mumps, const std::function<bool(const NlpIteration&)>& observe)
      : program_(program),
        bounds_(program.bounds()),
        jacobian_(std::move(jacobian)),
        hessian_(program.hessianEntries()),
        start_(start),
        uses_mumps_(uses_mumps),
        observe_(observe) {
    ALLCLEAR_ASSERT(start_.size() == bounds_.x_lower.size());
    result.x = start;
  }

  NlpResult result;
  std::exception_ptr error;  ///< of a callback; none may cross Ipopt

  /// Between two evaluations Ipopt works, most of that time in MUMPS.
  void noteSolver() const {
    if (!uses_mumps_ || !returned_) return;
    noteLibraryCall("MUMPS", std::chrono::duration<double>(Clock::now() - *returned_).count());
  }

  bool get_nlp_info(Index& n, Index& m, Index& jacobian_count, Index& hessian_count,
                    IndexStyleEnum& style) override {
    n = static_cast<Index>(bounds_.x_lower.size());
    m = static_cast<Index>(bounds_.g_lower.size());
    jacobian_count = static_cast<Index>(jacobian_.size());
    hessian_count = static_cast<Index>(hessian_.size());
    style = C_STYLE;
    return true;
  }

  bool get_bounds_info(Index n, Number* x_l, Number* x_u, Index m, Number* g_l,
                       Number* g_u) override {
    Eigen::Map<VecX>(x_l, n) = clampedToIpopt(bounds_.x_lower);
    Eigen::Map<VecX>(x_u, n) = clampedToIpopt(bounds_.x_upper);
    Eigen::Map<VecX>(g_l, m) = clampedToIpopt(bounds_.g_lower);
    Eigen::Map<VecX>(g_u, m) = clampedToIpopt(bounds_.g_upper);
    return true;
  }

  bool get_starting_point(Index n, bool, Number* x, bool, Number*, Number*, Index, bool,
                          Number*) override {
    Eigen::Map<VecX>(x, n) = start_;
    return true;
  }

  bool eval_f(Index n, const Number* x, bool is_new, Number& value) override {
    return guarded(n, x, is_new, [&] { value = program_.cost(); });
  }
  bool eval_grad_f(Index n, const Number* x, bool is_new, Number* gradient) override {
    return guarded(n, x, is_new, [&] { program_.costGradient(Eigen::Map<VecX>(gradient, n)); });
  }
  bool eval_g(Index n, const Number* x, bool is_new, Index m, Number* g) override {
    return guarded(n, x, is_new, [&] { program_.constraints(Eigen::Map<VecX>(g, m)); });
  }
  bool eval_jac_g(Index n, const Number* x, bool is_new, Index, Index count, Index* rows,
                  Index* columns, Number* values) override {
    if (values == nullptr) return structure(jacobian_, rows, columns);
    return guarded(n, x, is_new, [&] { program_.jacobian(Eigen::Map<VecX>(values, count)); });
  }
  bool eval_h(Index n, const Number* x, bool is_new, Number factor, Index m, const Number* lambda,
              bool, Index count, Index* rows, Index* columns, Number* values) override {
    if (values == nullptr) return structure(hessian_, rows, columns);
    return guarded(n, x, is_new, [&] {
      program_.hessian(factor, Eigen::Map<const VecX>(lambda, m), Eigen::Map<VecX>(values, count));
    });
  }

  bool intermediate_callback(Ipopt::AlgorithmMode, Index iteration, Number cost,
                             Number infeasibility, Number, Number, Number, Number, Number, Number,
                             Index, const Ipopt::IpoptData*,
                             Ipopt::IpoptCalculatedQuantities*) override {
    result.iterations = iteration;
    if (error) return false;
    try {
      return !observe_ || observe_({iteration, cost, infeasibility});
    } catch (...) {
      error = std::current_exception();
      return false;
    }
  }

  void finalize_solution(Ipopt::SolverReturn, Index n, const Number* x, const Number*,
                         const Number*, Index, const Number*, const Number*, Number cost,
                         const Ipopt::IpoptData*, Ipopt::IpoptCalculatedQuantities*) override {
    result.x = Eigen::Map<const VecX>(x, n);
    result.cost = cost;
  }

 private:
  /// Runs one evaluation at x. Ipopt says when x is new; the first time it is new in any case.
  template <class Evaluate>
  bool guarded(Index n, const Number* x, bool is_new, const Evaluate& evaluate) {
    if (error) return false;  // nothing more is to be done: Ipopt gives up soon
    noteSolver();
    try {
      throwIfStopped();
      if (is_new || !placed_) program_.setPoint(Eigen::Map<const VecX>(x, n));
      placed_ = true;
      evaluate();
      returned_ = Clock::now();
      return true;
    } catch (...) {
      error = std::current_exception();
      return false;
    }
  }

  static bool structure(const std::vector<Entry>& entries, Index* rows, Index* columns) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      rows[i] = entries[i].row;
      columns[i] = entries[i].column;
    }
    return true;
  }

  NonlinearProgram& program_;
  NonlinearProgram::Bounds bounds_;
  std::vector<Entry> jacobian_;
  std::vector<Entry> hessian_;
  VecX start_;
  const bool uses_mumps_;
  std::optional<Clock::time_point> returned_;  ///< from the last evaluation
  const std::function<bool(const NlpIteration&)>& observe_;
  bool placed_ = false;
};

/// What Ipopt's many ends mean to the planner. A stalled solve may still have ended at a good
/// curve; the planner judges curves itself.
NlpResult::Status meaning(Ipopt::ApplicationReturnStatus status) {
  using Status = NlpResult::Status;
  switch (status) {
    case Ipopt::Solve_Succeeded:
    case Ipopt::Solved_To_Acceptable_Level:
      return Status::kSolved;
    case Ipopt::Search_Direction_Becomes_Too_Small:
    case Ipopt::Feasible_Point_Found:
    case Ipopt::Restoration_Failed:
    case Ipopt::Error_In_Step_Computation:
      return Status::kStalled;
    case Ipopt::Maximum_Iterations_Exceeded:
    case Ipopt::Maximum_CpuTime_Exceeded:
      return Status::kIterationLimit;
    case Ipopt::Infeasible_Problem_Detected:
      return Status::kInfeasible;
    case Ipopt::User_Requested_Stop:
      return Status::kStopped;
    default:
      return Status::kFailed;
  }
}

long entriesOfLongRows(const std::vector<Entry>& jacobian, Eigen::Index rows) {
  std::vector<int> length(static_cast<std::size_t>(rows), 0);
  for (const Entry& entry : jacobian) ++length[static_cast<std::size_t>(entry.row)];
  long sum = 0;
  for (int n : length) sum += n > kLongRow ? n : 0;
  return sum;
}

/// Whether to use `CondensedSystem` for a program.
bool isCondensed(const NonlinearProgram& program, const std::vector<Entry>& jacobian,
                 LinearSolver solver) {
  if (solver == LinearSolver::kMumps || !hasCondensedSolver()) return false;
  if (solver == LinearSolver::kCondensed) return true;
  const NonlinearProgram::Bounds bounds = program.bounds();
  const auto equations = (bounds.g_lower.array() == bounds.g_upper.array()).count();
  const auto size = bounds.x_lower.size() + equations;
  if (entriesOfLongRows(jacobian, bounds.g_lower.size()) >= kManyInLongRows) return true;
  if (size <= kLargestDense || size > kLargestOfFullRows) return size <= kLargestDense;
  const auto cells = static_cast<double>(bounds.x_lower.size() * bounds.g_lower.size());
  return static_cast<double>(jacobian.size()) >= kFullRows * cells;
}

void setOptions(Ipopt::IpoptApplication& ipopt, const NlpOptions& options, bool is_condensed) {
  auto set = ipopt.Options();
  set->SetStringValue("linear_solver", is_condensed ? "ma27" : "mumps");
  if (is_condensed) set->SetStringValue("linear_system_scaling", "none");
  set->SetStringValue("sb", "yes");  // no banner
  set->SetIntegerValue("print_level", 0);
  set->SetIntegerValue("max_iter", options.max_iterations);
  set->SetNumericValue("tol", options.tolerance);
  set->SetNumericValue("constr_viol_tol", options.constraint_tolerance);
  set->SetNumericValue("acceptable_tol", kAcceptableShare * options.tolerance);
  set->SetNumericValue("acceptable_constr_viol_tol", options.constraint_tolerance);
  set->SetNumericValue("acceptable_obj_change_tol", kAcceptableCostChange);
  set->SetIntegerValue("acceptable_iter", kAcceptableIterations);
  // Bounds are limits of the robot: keep them exactly.
  set->SetNumericValue("bound_relax_factor", 0.0);
  // Rows are of order one as they are made: Ipopt's scaling costs a Jacobian and changes nothing.
  set->SetStringValue("nlp_scaling_method", "none");
  // The dense factors are exact to rounding: refine only where a residual asks for it.
  if (is_condensed) set->SetIntegerValue("min_refinement_steps", 0);
  if (options.quasi_newton) set->SetStringValue("hessian_approximation", "limited-memory");
  if (options.warm) {
    set->SetNumericValue("mu_init", kWarmBarrier);
    set->SetNumericValue("bound_push", kWarmPush);
    set->SetNumericValue("bound_frac", kWarmPush);
  } else {
    set->SetStringValue("mu_strategy", "adaptive");
  }
  std::istringstream more(options.ipopt_options);
  set->ReadFromStream(*ipopt.Jnlst(), more);
}

/// Waits for MUMPS; false when `stop` ended the waiting.
bool lockUnlessStopped(std::unique_lock<std::recursive_timed_mutex>* lock,
                       const std::function<bool()>& stop) {
  constexpr std::chrono::milliseconds kBetweenQuestions{5};
  while (!lock->try_lock_for(kBetweenQuestions)) {
    if (isStopped() || (stop && stop())) return false;
  }
  return true;
}

}  // namespace

NlpResult solveNlp(NonlinearProgram& program, const VecX& start, const NlpOptions& options,
                   const std::function<bool(const NlpIteration&)>& observe) {
  return solveNlpUnlessStopped(program, start, options, observe, {});
}

NlpResult solveNlpUnlessStopped(NonlinearProgram& program, const VecX& start,
                                const NlpOptions& options,
                                const std::function<bool(const NlpIteration&)>& observe,
                                const std::function<bool()>& stop) {
  NlpResult failed;
  failed.x = start;
  if (stop && stop()) {  // the first iteration may take long
    failed.status = NlpResult::Status::kStopped;
    return failed;
  }
  std::vector<Entry> jacobian = program.jacobianEntries();
  const bool is_condensed = isCondensed(program, jacobian, options.linear_solver);
  static std::recursive_timed_mutex mumps;  // an observer may plan, on this thread
  std::unique_lock<std::recursive_timed_mutex> lock(mumps, std::defer_lock);
  std::optional<CondensedSolverScope> scope;
  if (is_condensed) {
    scope.emplace();
  } else if (!lockUnlessStopped(&lock, stop)) {
    failed.status = NlpResult::Status::kStopped;
    return failed;
  }
  Ipopt::SmartPtr<Ipopt::IpoptApplication> ipopt = IpoptApplicationFactory();
  setOptions(*ipopt, options, is_condensed);
  if (ipopt->Initialize("") != Ipopt::Solve_Succeeded) return failed;
  // Ipopt's smart pointer owns the adapter; the plain one reads its result.
  Adapter* adapter = new Adapter(program, std::move(jacobian), start, !is_condensed, observe);
  Ipopt::SmartPtr<Ipopt::TNLP> owner(adapter);
  const Ipopt::ApplicationReturnStatus status = ipopt->OptimizeTNLP(owner);
  adapter->noteSolver();
  if (adapter->error) std::rethrow_exception(adapter->error);
  throwIfStopped();  // where the condensed solver was stopped, Ipopt says no more than that it
                     // failed
  adapter->result.status = meaning(status);
  return adapter->result;
}

}  // namespace allclear
