// Covers on disk, as the command keeps them.
#include <gtest/gtest.h>
#include <stdlib.h>

#include "allclear/apps/cache_options.h"
#include "allclear/core/file.h"
#include "support/data.h"
#include "support/run_command.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;

/// Sets a variable of the environment until it ends.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = ::getenv(name)) before_ = before;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

std::shared_ptr<const CoverCache> coversOf(const std::string& words) {
  CLI::App app;
  CacheOptions options;
  options.addTo(app);
  app.parse(words);
  return options.covers();
}

TEST(CacheOptions, AreOnUnlessSwitchedOff) {
  const Variable folder("XDG_CACHE_HOME", "/some/where"), wanted("ALLCLEAR_NO_CACHE", nullptr);
  ASSERT_TRUE(coversOf(""));
  EXPECT_EQ(coversOf("")->folder(), "/some/where/allclear/covers");
  EXPECT_FALSE(coversOf("--no-cache"));
  const Variable unwanted("ALLCLEAR_NO_CACHE", "1");
  EXPECT_FALSE(coversOf(""));
  const Variable empty("ALLCLEAR_NO_CACHE", "");
  EXPECT_TRUE(coversOf(""));
}

/// A ring about the elbow's way: its hull is in the way, its cover is not.
std::string ringTask() {
  std::string vertices, triangles;
  constexpr int kAround = 16;
  for (int i = 0; i < kAround; ++i) {
    const double angle = 6.283185307179586 * i / kAround;
    for (const auto& [radius, z] : {std::pair(0.25, 0.0), {0.35, 0.0}, {0.35, 0.1}, {0.25, 0.1}}) {
      vertices += (vertices.empty() ? "[" : ", [") + std::to_string(radius * std::cos(angle)) +
                  ", " + std::to_string(radius * std::sin(angle)) + ", " + std::to_string(z) + "]";
    }
    for (int k = 0; k < 4; ++k) {
      const int a = 4 * i + k, b = 4 * i + (k + 1) % 4;
      const int c = (a + 4) % (4 * kAround), d = (b + 4) % (4 * kAround);
      for (const auto& t : {std::array{a, c, b}, {b, c, d}}) {
        triangles += (triangles.empty() ? "[" : ", [") + std::to_string(t[0]) + ", " +
                     std::to_string(t[1]) + ", " + std::to_string(t[2]) + "]";
      }
    }
  }
  const std::string shelf = (test::sourceFolder() / "examples" / "shelf").string();
  return "robot: {urdf: " + shelf + "/seven.urdf, srdf: " + shelf +
         "/seven.srdf}\ngroup_name: arm\n"
         "start_state: {joint1: -1.2, joint2: 0.6, joint3: 0, joint4: 1.2, joint5: 0, joint6: 0.8, "
         "joint7: 0}\n"
         "goal: {joint_constraints: {joint1: 1.2, joint2: 0.6, joint3: 0, joint4: 1.2, joint5: 0, "
         "joint6: 0.8, joint7: 0}}\nscene:\n  collision_objects:\n"
         "    - {id: ring, type: mesh, vertices: [" +
         vertices + "], triangles: [" + triangles +
         "], pose: {position: [0.0, 0.0, 0.2]}}\nsolver: {improve: none, time_limit: 60}\n";
}

TEST(Covers, OnDiskChangeNoByteOfAPlan) {
  const test::TemporaryFolder folder;
  const fs::path cache = folder.path() / "cache";
  const Variable place("XDG_CACHE_HOME", cache.c_str()), wanted("ALLCLEAR_NO_CACHE", nullptr);
  const fs::path task = folder.write("task.yaml", ringTask());
  std::vector<std::string> outputs;
  for (const bool is_off : {true, false, false}) {
    const fs::path out = folder.path() / ("out" + std::to_string(outputs.size()));
    std::vector<std::string> words{test::allclearCommand(), "plan", task.string(), "-o",
                                   out.string()};
    if (is_off) words.push_back("--no-cache");
    test::Process run(words, folder.path() / "log");
    ASSERT_EQ(run.wait(), 0) << run.output();
    EXPECT_EQ(fs::exists(cache), !is_off || !outputs.empty());
    std::string bytes;
    for (const char* name :
         {"trajectory.csv", "trajectory.json", "certificate.json", "plan.proof"}) {
      bytes += readFile(out / name);
    }
    outputs.push_back(bytes);
  }
  EXPECT_EQ(outputs[0], outputs[1]);
  EXPECT_EQ(outputs[0], outputs[2]);
  EXPECT_FALSE(fs::is_empty(cache / "allclear" / "covers"));
}

}  // namespace
}  // namespace allclear
