#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "allclear/config/values/joint_trajectory.h"
#include "allclear/planner/problem.h"

namespace allclear {

/// Judges what a file says of joints beside the planned ones, and returns the names that are no
/// joint of the robot. Held joints must be where the problem holds them, to the rounding of files
/// or within `Problem::uncertainty`, which becomes an assumption of the motion; mimic joints and a
/// base that follows from the joints must be where these put them. Throws `InputError` with joint
/// or column, and both values.
std::vector<std::string> judgedBeside(const Problem& problem, JointMotion* found);

/// The same of the columns that a reader of CSV leaves out: the base that follows from the joints.
/// `motion` is that of the planned joints.
void judgeDerivedColumns(const Problem& problem, std::string_view csv, const std::string& file,
                         const Trajectory& motion);

/// Refuses a file whose joints beside the planned ones are of no robot where that means that its
/// times were not found: "t" is a path's joint only by mistake.
void requireNoHiddenTimes(const JointMotion& found, const std::vector<std::string>& unknown,
                          bool is_csv);

}  // namespace allclear
