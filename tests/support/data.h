#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace allclear::test {

/// Folder of the shared test data: `ALLCLEAR_DATA`, else ../shared/data beside the source tree.
inline std::filesystem::path dataFolder() {
  if (const char* folder = std::getenv("ALLCLEAR_DATA")) return folder;
  return std::filesystem::path(ALLCLEAR_SOURCE_DIR).parent_path() / "shared" / "data";
}

/// A folder under `tests/` with the project's own small inputs.
inline std::filesystem::path testFolder() {
  return std::filesystem::path(ALLCLEAR_SOURCE_DIR) / "tests";
}

}  // namespace allclear::test

/// Skips the running test, saying so, when `relative` is not found in the shared data.
#define ALLCLEAR_REQUIRE_DATA(relative)                                                          \
  do {                                                                                           \
    if (!std::filesystem::exists(::allclear::test::dataFolder() / (relative)))                   \
      GTEST_SKIP() << "shared data not found: " << (::allclear::test::dataFolder() / (relative)) \
                   << " (set ALLCLEAR_DATA)";                                                    \
  } while (false)
