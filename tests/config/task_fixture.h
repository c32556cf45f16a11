#pragma once

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>

#include "allclear/config/task_file.h"
#include "allclear/core/file.h"
#include "support/data.h"

namespace allclear::test {

/// The small arm with its scene, meshes and motions.
inline std::filesystem::path robotFolder() { return testFolder() / "config" / "robot"; }

/// A folder of its own with a copy of the small arm's files; removed with this object.
class TaskFolder {
 public:
  TaskFolder() {
    static std::atomic<int> count{0};
    const std::string name =
        "allclear_task_" + std::to_string(::getpid()) + "_" + std::to_string(count++);
    folder_ = std::filesystem::temp_directory_path() / name;
    std::filesystem::copy(robotFolder(), folder_, std::filesystem::copy_options::recursive);
  }
  ~TaskFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TaskFolder(const TaskFolder&) = delete;
  TaskFolder& operator=(const TaskFolder&) = delete;

  const std::filesystem::path& path() const { return folder_; }
  std::filesystem::path write(const std::string& name, std::string_view text) const {
    writeFileAtomically(folder_ / name, text);
    return folder_ / name;
  }

 private:
  std::filesystem::path folder_;
};

/// Loads a task that stands beside the small arm's files.
inline Problem loadText(const std::string& text) {
  static const TaskFolder kFolder;
  return loadTask(kFolder.write("task.yaml", text)).problem;
}

}  // namespace allclear::test
