#pragma once

#include <optional>

#include "allclear/planner/problem.h"
#include "allclear/trajectories/bspline.h"

namespace allclear {

/// The wrenches at contacts besides the base (`ContactSet`) with which the least of all demands on
/// forces (`ContactDemands`) is greatest in a state of the planned coordinates: the surest way to
/// stand there. Empty where there are no such contacts. Pre: `usesWrenches(problem)`.
VecX bestWrenches(const Problem& problem, const VecX& q, const VecX& v, const VecX& a);

/// The same at rest.
VecX staticWrenches(const Problem& problem, const VecX& q);

/// A first guess of the curve of wrenches along `curve`, with its basis and duration: straight from
/// the best wrenches at its start to those at its end. Empty where the problem asks for none.
std::optional<BSpline> guessWrenches(const Problem& problem, const BSpline& curve);

}  // namespace allclear
