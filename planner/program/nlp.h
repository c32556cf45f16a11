#pragma once

#include <functional>
#include <string>
#include <vector>

#include "allclear/core/types.h"

namespace allclear {

/// The place of a value in a sparse matrix.
struct Entry {
  int row = 0;
  int column = 0;
};

/// minimise cost(x) subject to x in [x_lower, x_upper], constraints(x) in [g_lower, g_upper].
///
/// The solver calls `setPoint` before any evaluation at a new point.
class NonlinearProgram {
 public:
  virtual ~NonlinearProgram() = default;

  struct Bounds {
    VecX x_lower, x_upper;
    VecX g_lower, g_upper;
  };
  virtual Bounds bounds() const = 0;
  virtual std::vector<Entry> jacobianEntries() const = 0;
  virtual std::vector<Entry> hessianEntries() const = 0;  ///< lower triangle

  virtual void setPoint(const VecX& x) = 0;
  virtual double cost() = 0;
  virtual void costGradient(Eigen::Ref<VecX> gradient) = 0;
  virtual void constraints(Eigen::Ref<VecX> g) = 0;
  virtual void jacobian(Eigen::Ref<VecX> values) = 0;
  /// Of factor * cost + multipliers . constraints, in the order of `hessianEntries`.
  virtual void hessian(double factor, const VecX& multipliers, Eigen::Ref<VecX> values) = 0;
};

/// What solves Ipopt's linear systems.
enum class LinearSolver {
  kAuto,       ///< `kCondensed` where Ipopt takes it and the program is small, else `kMumps`
  kCondensed,  ///< `CondensedSystem`, in any thread
  kMumps,      ///< one solve at a time in the whole process: others wait
};

struct NlpOptions {
  double tolerance = 1e-3;             ///< of Ipopt's scaled optimality error
  double constraint_tolerance = 1e-6;  ///< absolute, in the constraints' units
  int max_iterations = 100;
  bool warm = false;  ///< the start is near the solution
  /// Estimate the curvature from the steps taken (limited memory) and never call `hessian`: for
  /// programs with few variables and strongly curved rows.
  bool quasi_newton = false;
  LinearSolver linear_solver = LinearSolver::kAuto;
  /// "name value name value ...": options of Ipopt over those set here, to measure what they do.
  std::string ipopt_options;
};

struct NlpIteration {
  int number = 0;
  double cost = 0.0;
  double infeasibility = 0.0;
};

struct NlpResult {
  enum class Status { kSolved, kStalled, kIterationLimit, kInfeasible, kStopped, kFailed };
  Status status = Status::kFailed;
  VecX x;
  double cost = 0.0;
  int iterations = 0;
};

/// Local minimum near `start`. `observe` sees every iteration and returns false to stop.
NlpResult solveNlp(NonlinearProgram& program, const VecX& start, const NlpOptions& options,
                   const std::function<bool(const NlpIteration&)>& observe);

}  // namespace allclear
