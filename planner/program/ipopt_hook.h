#pragma once

namespace allclear {

/// Whether this build of Ipopt takes a linear solver of the caller (Ipopt 3.11 to 3.13).
bool hasCondensedSolver();

/// While it lives, Ipopt's solves with `linear_solver` "ma27" on this thread use `CondensedSystem`.
/// Threads do not share anything. Pre: `hasCondensedSolver()`; one at a time per thread.
class CondensedSolverScope {
 public:
  CondensedSolverScope();
  ~CondensedSolverScope();
  CondensedSolverScope(const CondensedSolverScope&) = delete;
  CondensedSolverScope& operator=(const CondensedSolverScope&) = delete;
};

}  // namespace allclear
