// Gives Ipopt `CondensedSystem` as its linear solver.
//
// Ipopt 3.11 can use HSL's MA27, which is not free: its header HSLLoader.h lets a program hand over
// the four routines of MA27 (I. S. Duff, J. K. Reid, "MA27", AERE R10533, 1982) at run time. The
// routines here have their signatures:
//   ma27id  sets the defaults of the controls
//   ma27ad  gets the structure, once per program: makes the system
//   ma27bd  factors: values come in and factors go out in the array A
//   ma27cd  solves for one right side
// The real MA27 keeps all it knows in the arrays that the caller passes along. Here these hold only
// the number of the system, which lives in a list of this thread for as long as the scope does.
//
// No exception crosses Ipopt: what can run out of memory says so by MA27's own codes. The routines
// stay with Ipopt for the rest of the process. A program that uses Ipopt with "ma27" beside this
// library finds them, too: outside of a scope they refuse, and its solve ends with an error.
#include "allclear/planner/program/ipopt_hook.h"

#include "allclear/core/assert.h"

#ifdef ALLCLEAR_IPOPT_TAKES_SOLVER
#include <IpTypes.hpp>

extern "C" {
#include <HSLLoader.h>
}

#include <memory>
#include <new>
#include <vector>

#include "allclear/planner/program/condensed_system.h"

namespace allclear {
namespace {

// Places in MA27's arrays (counted from 0) that Ipopt reads.
constexpr int kFlag = 0;            // of INFO: 0 when all is well
constexpr int kRealsNeeded = 4;     // of INFO: length of A
constexpr int kIntegersNeeded = 5;  // of INFO: length of IW
constexpr int kNegative = 14;       // of INFO: negative eigenvalues
constexpr int kInfoLength = 20;     // of INFO
constexpr int kPivotTolerance = 0;  // of CNTL
constexpr int kSingular = -5;       // of INFO's flag
constexpr int kFailed = -7;         // of INFO's flag: no code of MA27's own, so that Ipopt gives up
constexpr double kDefaultPivot = 0.1;  // MA27's; Ipopt sets its own
constexpr int kControls = 30, kRealControls = 5;

using Systems = std::vector<std::unique_ptr<CondensedSystem>>;

/// The systems of this thread's innermost scope; null outside of one.
thread_local Systems* systems = nullptr;

void setDefaults(ipfint* icntl, double* cntl) {
  for (int i = 0; i < kControls; ++i) icntl[i] = 0;
  for (int i = 0; i < kRealControls; ++i) cntl[i] = 0.0;
  cntl[kPivotTolerance] = kDefaultPivot;
}

void analyse(ipfint* n, ipfint* count, const ipfint* rows, const ipfint* columns, ipfint*, ipfint*,
             ipfint* keep, ipfint*, ipfint* steps, ipfint*, ipfint*, double*, ipfint* info,
             double* operations) {
  for (int i = 0; i < kInfoLength; ++i) info[i] = 0;
  *steps = 1;
  *operations = 0.0;
  info[kRealsNeeded] = *count;
  info[kIntegersNeeded] = 1;
  // Fortran counts from 1.
  if (systems == nullptr) {
    info[kFlag] = kFailed;
    return;
  }
  try {
    std::vector<Entry> entries(*count);
    for (int k = 0; k < *count; ++k) entries[k] = {rows[k] - 1, columns[k] - 1};
    systems->push_back(std::make_unique<CondensedSystem>(*n, entries));
    keep[0] = static_cast<ipfint>(systems->size()) - 1;
  } catch (...) {
    info[kFlag] = kFailed;
  }
}

void factor(ipfint*, ipfint*, const ipfint*, const ipfint*, double* values, ipfint*, ipfint* memory,
            ipfint*, ipfint* keep, ipfint*, ipfint* front, ipfint*, ipfint*, double* cntl,
            ipfint* info) {
  for (int i = 0; i < kInfoLength; ++i) info[i] = 0;
  *front = 1;
  memory[0] = keep[0];
  if (systems == nullptr) {
    info[kFlag] = kFailed;
    return;
  }
  try {
    CondensedSystem& system = *(*systems)[keep[0]];
    if (!system.factor(values, cntl[kPivotTolerance])) info[kFlag] = kSingular;
    info[kNegative] = system.negativeEigenvalues();
  } catch (...) {
    info[kFlag] = kFailed;
  }
}

void solve(ipfint*, double*, ipfint*, ipfint* memory, ipfint*, double*, ipfint*, double* rhs,
           ipfint*, ipfint*, ipfint*, double*) {
  if (systems != nullptr) (*systems)[memory[0]]->solve(rhs);
}

}  // namespace

bool hasCondensedSolver() { return true; }

CondensedSolverScope::CondensedSolverScope() {
  // The same four pointers each time: threads that write them at once write the same.
  static const bool is_set = (LSL_setMA27(analyse, factor, solve, setDefaults), true);
  ALLCLEAR_ASSERT(is_set);
  outer_ = systems;
  systems = new Systems;
}

CondensedSolverScope::~CondensedSolverScope() {
  delete systems;
  systems = static_cast<Systems*>(outer_);
}

}  // namespace allclear

#else

namespace allclear {

bool hasCondensedSolver() { return false; }
CondensedSolverScope::CondensedSolverScope() { ALLCLEAR_ASSERT(hasCondensedSolver()); }
CondensedSolverScope::~CondensedSolverScope() = default;

}  // namespace allclear
#endif
