#pragma once

#include "allclear/config/values/scene.h"

namespace allclear {

/// Leaves out of each cloud that asks for it what is nearer to the robot at the start, or to what
/// it carries, than it says, with a warning and a note that count it. To be called when the whole
/// scene is read.
void filterRobot(SceneContext& context);

}  // namespace allclear
