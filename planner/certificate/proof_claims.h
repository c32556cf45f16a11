#pragma once

#include "allclear/planner/certificate/proof_model.h"
#include "allclear/planner/certificate/proof_text.h"

namespace allclear {

/// Appends the lines `limit` and `pose` of a proof: joint limits, start, goal, and the waypoints
/// that have a time.
void writeLimitsAndEnds(const Problem& problem, const Trajectory& trajectory,
                        const ProofModel& model, ProofText* text);

/// Appends lines `outside` for waypoints without a time and for cables.
void writeOutside(const Problem& problem, ProofText* text);

}  // namespace allclear
