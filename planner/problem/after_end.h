#pragma once

#include "allclear/planner/problem.h"

namespace allclear {

/// The last instant [s] at which an obstacle may still move, or where it may be still changes; 0
/// when none does, infinite where one's spread grows without end.
double lastMotion(const Problem& problem);

/// Whether the robot is known to rest from the end of the trajectory on, with something to claim of
/// it then: not where a spread grows without end.
bool restsAfterEnd(const Problem& problem);

/// Until when [s] the pairs of a trajectory of this duration have to be proven: its end, or the
/// stop of the last obstacle when that is later and the robot rests until then.
double coveredUntil(const Problem& problem, double duration);

}  // namespace allclear
