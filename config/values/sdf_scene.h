#pragma once

#include <filesystem>

#include "allclear/config/values/scene.h"

namespace allclear {

/// Whether a scene's file is an SDF world, by its suffix (`.sdf`, `.world`).
bool isSdfWorld(const std::filesystem::path& path);

/// Adds the links of a world's models to the scene; `X_WS` is the pose of its frame. `name` is what
/// the file is called where it is named, for hashes.
void readSdfScene(const std::filesystem::path& path, const std::string& name, const Pose& X_WS,
                  SceneContext& context);

}  // namespace allclear
