#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace allclear::test {

/// The project's source folder, and the programs `allclear` and `allclear-verify`. Defined in a
/// source of their own: the paths differ from clone to clone, and no other test has to be compiled
/// again for them.
std::filesystem::path sourceFolder();
std::string allclearCommand();
std::string verifierCommand();

/// Folder of the shared test data: `ALLCLEAR_DATA`, else ../shared/data beside the source tree.
inline std::filesystem::path dataFolder() {
  if (const char* folder = std::getenv("ALLCLEAR_DATA")) return folder;
  return sourceFolder().parent_path() / "shared" / "data";
}

/// A folder under `tests/` with the project's own small inputs.
inline std::filesystem::path testFolder() { return sourceFolder() / "tests"; }

}  // namespace allclear::test

/// Skips the running test, saying so, when `relative` is not found in the shared data.
#define ALLCLEAR_REQUIRE_DATA(relative)                                                          \
  do {                                                                                           \
    if (!std::filesystem::exists(::allclear::test::dataFolder() / (relative)))                   \
      GTEST_SKIP() << "shared data not found: " << (::allclear::test::dataFolder() / (relative)) \
                   << " (set ALLCLEAR_DATA)";                                                    \
  } while (false)
