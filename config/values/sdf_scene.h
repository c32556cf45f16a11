#pragma once

#include <filesystem>
#include <string>

#include "allclear/config/values/scene.h"

namespace allclear {

/// Whether a scene's file is an SDF world, by its suffix (`.sdf`, `.world`).
bool isSdfWorld(const std::filesystem::path& path);

/// Adds the links of a world's models to the scene; `X_WS` is the pose of its frame. `content` is
/// that of the file at `path`, which the caller has read.
void readSdfScene(const std::string& content, const std::filesystem::path& path, const Pose& X_WS,
                  SceneContext& context);

}  // namespace allclear
