#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allclear/config/task_file.h"

namespace allclear {

class InputCache;

/// What `readTask` can do beyond `loadTask`.
struct TaskReading {
  bool load_visuals = false;
  /// Read instead of the file's own text; names in it are relative to the file's folder.
  std::optional<std::string> text = {};
  /// As of `TaskOptions`.
  std::shared_ptr<const CoverCache> covers = {};
  std::function<void(const PlanOptions&)> solver_read = {};
  /// Robots and meshes that earlier tasks have loaded.
  InputCache* cache = nullptr;
  /// The path of every file that the task rests on is added here, read now or in the cache.
  std::vector<std::filesystem::path>* files_read = nullptr;
  bool allow_segments = false;
};

/// As `loadTask`.
Task readTask(const std::filesystem::path& path, const TaskReading& reading);

}  // namespace allclear
