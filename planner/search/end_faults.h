#pragma once

#include <optional>
#include <string>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/run/run_context.h"

namespace allclear {

/// "'a' and 'b' overlap by 12 mm" or "... are 0.4 mm apart, nearer than their margin of 1 mm".
std::string contactText(const CollisionModel& model, const Clearance& clearance);

/// The cable that is tautest or has the least room at these planned coordinates, where it has less
/// than it must: "cable 'hose': 12 mm short at t = 0 s between link3 and link7". Without a time,
/// obstacles that move do not count. Empty when all is kept.
std::string cableFault(const Problem& problem, const VecX& q, std::optional<double> t);

/// Why no plan can exist, from the start, the goal, the waypoints and the duration alone: one of
/// them is in contact (pairs, depths), out of reach or violates a path constraint or a cable, a
/// joint cannot bear its load at start or goal, cannot stop before its limit (or come to its goal's
/// speed from it), or cannot cover its way in the longest duration allowed. A sentence or two that
/// say what the user has to change; empty when there is no such cause. All of it is certain, except
/// for the rounding of distances.
std::string endFault(const Problem& problem, const ClearanceEvaluator& evaluator);

/// The same without bodies and cables in contact, and without "No plan: ": for who has measured
/// these.
std::string endFaultBesideContacts(const Problem& problem, const ClearanceEvaluator& evaluator);

/// The part of `endFault` about a goal of joints; empty for other goals. `problem` is that of the
/// evaluator.
std::string goalFault(const ClearanceEvaluator& evaluator);

/// That a joint cannot cover its way to `goal` (planned coordinates) in the longest duration: its
/// velocity limit, or from rest to rest its acceleration limit, keeps it from that. Empty when none
/// is kept from it for certain.
std::string durationFault(const Problem& problem, const VecX& goal);

/// The way [rad or m] in which a coordinate that moves at `velocity` > 0, with `acceleration` at
/// first, comes to rest when it brakes as hard as its limits allow.
double stoppingDistance(double velocity, double acceleration, double acceleration_limit,
                        double jerk_limit);

/// The pair that is deepest below its margin on the straight line from start to `goal`, as a
/// sentence: a hint to what is in the way. Empty when all pairs keep theirs at the samples. Says so
/// when `context` ended the look before its last sample.
std::string straightWayText(const ClearanceEvaluator& evaluator, const VecX& goal,
                            const RunContext& context = {});

}  // namespace allclear
