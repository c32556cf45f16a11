#include "allclear/planner/problem/pair_margin.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "allclear/planner/certificate/geometry.h"
#include "allclear/planner/clearance/collision_model.h"
#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

CollisionSettings settingsWith(std::vector<PairMargin> entries) {
  CollisionSettings settings;
  settings.margin = 0.01;
  settings.pair_margins = std::move(entries);
  return settings;
}

TEST(PairMargin, OfTwoEntriesForOnePairTheLargestWinsInEitherOrder) {
  std::vector<PairMargin> entries{{"a", "b", 0.02}, {"b", "a", 0.05}, {"a", "b", 0.03}};
  std::sort(entries.begin(), entries.end(),
            [](const PairMargin& x, const PairMargin& y) { return x.margin < y.margin; });
  do {
    const CollisionSettings settings = settingsWith(entries);
    EXPECT_EQ(pairMargin(settings, "a", "b"), 0.05);
    EXPECT_EQ(pairMargin(settings, "b", "a"), 0.05);
    EXPECT_EQ(pairMargin(settings, "a", "c"), 0.01);
  } while (std::next_permutation(
      entries.begin(), entries.end(),
      [](const PairMargin& x, const PairMargin& y) { return x.margin < y.margin; }));
}

TEST(PairMargin, OfBothWinsOverThatOfOneEvenIfItIsSmaller) {
  const CollisionSettings settings =
      settingsWith({{"a", "", 0.05}, {"a", "b", 0.0}, {"c", "", 0.002}, {"b", "", 0.03}});
  EXPECT_EQ(pairMargin(settings, "b", "a"), 0.0);
  EXPECT_EQ(pairMargin(settings, "a", "c"), 0.05);  // the larger of two for one body each
  EXPECT_EQ(pairMargin(settings, "c", "d"), 0.002);
  EXPECT_EQ(pairMargin(settings, "d", "e"), 0.01);
}

TEST(PairMargin, IsTheSameForPlannerAndCertificate) {
  Problem problem = test::wallProblem();
  problem.collision.pair_margins = {
      {"wall", "link2", 0.002}, {"link2", "wall", 0.02}, {"wall", "link2", 0.01}};
  const CollisionModel model = collisionModel(problem, FidelityPolicy::kHulls);
  const CertifiedGeometry certified = certifiedGeometry(problem);
  int compared = 0;
  for (const CollisionPair& pair : model.pairs) {
    const std::string &a = model.bodies[pair.a].name, &b = model.bodies[pair.b].name;
    const bool is_named = a == "link2" && b == "wall";
    EXPECT_EQ(pair.margin, is_named ? 0.02 : problem.collision.margin) << a << " " << b;
    for (const CertifiedPair& other : certified.pairs) {
      if (certified.bodies[other.a].name != a || certified.bodies[other.b].name != b) continue;
      EXPECT_EQ(pair.margin, other.margin) << a << " " << b;
      ++compared;
    }
  }
  EXPECT_EQ(compared, static_cast<int>(model.pairs.size()));
}

}  // namespace
}  // namespace allclear
