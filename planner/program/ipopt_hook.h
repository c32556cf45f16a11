#pragma once

namespace allclear {

/// Whether this build of Ipopt takes a linear solver of the caller (Ipopt 3.11 to 3.13).
bool hasCondensedSolver();

/// While it lives, Ipopt's solves with `linear_solver` "ma27" on this thread use `CondensedSystem`.
/// Threads do not share anything. Scopes may be nested: a caller's hook may solve another program.
/// Pre: `hasCondensedSolver()`.
class CondensedSolverScope {
 public:
  CondensedSolverScope();
  ~CondensedSolverScope();
  CondensedSolverScope(const CondensedSolverScope&) = delete;
  CondensedSolverScope& operator=(const CondensedSolverScope&) = delete;

 private:
  [[maybe_unused]] void* outer_ = nullptr;  ///< the systems of the scope around this one
};

}  // namespace allclear
