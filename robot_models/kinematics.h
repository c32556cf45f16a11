#pragma once

#include "allclear/robot_models/kinematics/builtin.h"
#ifdef ALLCLEAR_HAVE_PINOCCHIO
#include "allclear/robot_models/kinematics/pinocchio.h"
#endif

namespace allclear {

/// The kinematics that this build uses: over pinocchio where CMake found it
/// (`ALLCLEAR_WITH_PINOCCHIO`), else the built-in one. Both offer the same calls.
#ifdef ALLCLEAR_HAVE_PINOCCHIO
using Kinematics = PinocchioKinematics;
#else
using Kinematics = BuiltinKinematics;
#endif

}  // namespace allclear
