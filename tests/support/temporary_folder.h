#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "allclear/core/file.h"

namespace allclear::test {

/// A new folder for the files of one test, gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "allclear_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file, and the folders above it; returns its path.
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    writeFileAtomically(file, content);
    return file;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace allclear::test
