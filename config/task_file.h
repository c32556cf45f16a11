#pragma once

#include <filesystem>

#include "allclear/planner/problem.h"

namespace allclear {

/// Reads a task and everything that it names: robot, scene, meshes, motions. docs/task.md lists
/// every key.
///
/// Strict: an unknown key, a value of the wrong type or length, a name that the robot does not have
/// throws `InputError` with file, line, key and value, and the nearest spelling. The problem that
/// is returned passes `validate`. What was read with a grain of salt stands in `Problem::warnings`.
Problem loadTask(const std::filesystem::path& path);

}  // namespace allclear
