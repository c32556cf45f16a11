#pragma once

#include <optional>

#include "allclear/planner/certificate.h"

namespace allclear {

/// The joint that is farthest beyond its effort limit at some sampled instant, of a problem that
/// does not limit torques; nothing where none is, or where torques mean nothing: planned joints
/// that move links without a mass, a base that floats or stands on contacts, velocities that jump.
/// What is found is certain, to rounding; between the samples a joint may need more.
std::optional<TorqueUse> torqueBeyondRating(const Problem& problem, const Trajectory& trajectory);

/// "'joint2' needs up to 93 N m at t = 0.4 s, 107 % of its rating ..", the sentence without its
/// end.
std::string torqueUseText(const Problem& problem, const TorqueUse& use);

}  // namespace allclear
