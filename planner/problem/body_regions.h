#pragma once

#include <string>
#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// The regions of the human body that tasks may name, with the values of docs/contact-limits.md.
/// These are defaults to be checked against the standard that applies.
const std::vector<ContactLimit>& bodyRegions();

/// Where the values come from, for certificates.
extern const char* const kBodyRegionSource;

/// The region of this name; null where there is none.
const ContactLimit* findBodyRegion(const std::string& name);

/// The force [N] at which a region of this mass that moves at `human_speed` meets a robot at rest:
/// taken off its limit, what is left bounds the force of the robot's own motion.
double ownForce(const ContactLimit& limit);

/// What is wrong with `LimitSettings::contact` and the gaps: values that are not positive, or a
/// human speed that leaves nothing for the robot.
std::vector<Finding> contactLimitFindings(const Problem& problem);

}  // namespace allclear
