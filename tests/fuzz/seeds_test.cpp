// The seeds of all fuzz targets, and mutants of them, in every build: broken promises end the
// program. What the fuzzer itself finds is far more; this keeps its targets alive.
#include <gtest/gtest.h>

#include "allclear/core/file.h"
#include "fuzz/targets.h"
#include "support/data.h"
#include "support/long_run.h"
#include "support/random.h"

namespace allclear {
namespace {

const char* const kExtremes[] = {"nan",    "inf",   "-1e308",  "1e154", "1e-308",
                                 "5e-324", "1e300", "-1e-300", "1e9",   "99999999999999999999",
                                 "-0",     "0"};

/// Some bytes changed, removed or doubled, or a number made an extreme one.
std::string mutant(std::string text, test::Random& random) {
  const int changes = 1 + static_cast<int>(random.uniform(0.0, 4.0));
  for (int i = 0; i < changes && !text.empty(); ++i) {
    const auto at =
        static_cast<std::size_t>(random.uniform(0.0, static_cast<double>(text.size()) - 1e-9));
    const double kind = random.uniform(0.0, 5.0);
    if (kind < 1.0) {
      text[at] = static_cast<char>(random.uniform(0.0, 256.0));
    } else if (kind < 2.0) {
      text.erase(at, 1 + static_cast<std::size_t>(random.uniform(0.0, 40.0)));
    } else if (kind < 3.0) {
      text.insert(at, text.substr(at, static_cast<std::size_t>(random.uniform(1.0, 60.0))));
    } else {
      const std::size_t begin = text.find_first_of("0123456789", at);
      if (begin == std::string::npos) continue;
      const std::size_t end = text.find_first_not_of("0123456789.e-", begin);
      const auto which = static_cast<std::size_t>(
          random.uniform(0.0, static_cast<double>(std::size(kExtremes)) - 1e-9));
      text.replace(begin, end == std::string::npos ? end : end - begin, kExtremes[which]);
    }
  }
  return text;
}

class FuzzSeeds : public testing::TestWithParam<const char*> {};

TEST_P(FuzzSeeds, AndMutantsOfThemKeepThePromisesOfTheirTarget) {
  const std::filesystem::path source = test::testFolder().parent_path();
  const int mutants = test::isLong() ? 20000 : 60;
  for (const fuzz::Target& target : fuzz::targets(source)) {
    if (target.name != GetParam()) continue;
    std::vector<std::string> seeds = target.texts;
    for (const std::string& file : target.seeds) seeds.push_back(readFile(source / file));
    ASSERT_FALSE(seeds.empty());
    EXPECT_TRUE(fuzz::runOn(target, seeds.front())) << "the first seed is a good one";
    test::Random random(7);
    for (const std::string& seed : seeds) {
      fuzz::runOn(target, seed);
      for (int i = 0; i < mutants; ++i) {
        const std::string input = mutant(seed, random);
        SCOPED_TRACE(input.substr(0, 2000));
        fuzz::runOn(target, input);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzSeeds,
                         testing::Values("yaml", "json", "motion", "points_pcd", "points_ply",
                                         "points_xyz", "octree", "picture", "grid", "sdf",
                                         "mesh_sequence", "trajectory_csv", "trajectory_json",
                                         "trajectory_ros2", "motion_yaml", "motion_json",
                                         "motion_matrix", "certificate_json", "robot", "mesh",
                                         "package", "task", "segments", "scene", "planned_motion",
                                         "retime", "certificate"),
                         [](const auto& target) { return std::string(target.param); });

}  // namespace
}  // namespace allclear
