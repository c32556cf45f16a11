#pragma once

#include <string>

#include "allclear/planner/problem.h"

namespace allclear {

/// What putting a start onto its contacts changed.
struct StartProjection {
  double turned = 0.0;  ///< [rad] by which the robot was turned to stand upright
  double moved = 0.0;   ///< [rad or m] of the joint that moved most
  std::string joint;    ///< its name; empty where none moved
};

/// Puts the start of a problem onto its contacts, as they are meant by one who writes rounded
/// numbers: all soles of flat contacts parallel to that of the first one, and in its plane where
/// they are nearly in it (a foot on a step keeps its height). Joints between the soles move, by as
/// little as possible; soles keep their place along the plane and their turn in it. A base that is
/// planned then moves so that the first sole stays in its place, and its normal points straight up
/// where it nearly did. Point contacts stay as they are given.
///
/// To be called before `standOn`. Throws `InputError` where there is no flat contact, or where the
/// joints cannot bring the soles together within their limits.
StartProjection projectStart(Problem& problem);

}  // namespace allclear
