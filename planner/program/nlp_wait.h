#pragma once

#include <functional>

#include "allclear/planner/program/nlp.h"

namespace allclear {

/// `solveNlp` that neither begins nor waits for another thread's MUMPS once `stop` returns true (it
/// is asked every few milliseconds): then the result is `kStopped`, at the start. Empty: waits.
NlpResult solveNlpUnlessStopped(NonlinearProgram& program, const VecX& start,
                                const NlpOptions& options,
                                const std::function<bool(const NlpIteration&)>& observe,
                                const std::function<bool()>& stop);

}  // namespace allclear
