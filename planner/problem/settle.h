#pragma once

#include "allclear/planner/problem.h"

namespace allclear {

/// What a task with contacts is planned as: the robot stands on its first flat contact (`standOn`),
/// and a joint goal that is off the contacts by the rounding of its numbers (1e-4 rad of any joint)
/// is put onto them. Adds warnings: of soles that do not lie flat at the start, of joints moved,
/// and of values of the base at the goal that do not agree with those of the joints.
Problem settledOnContacts(const Problem& problem);

}  // namespace allclear
