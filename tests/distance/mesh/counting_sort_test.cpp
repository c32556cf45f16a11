#include "allclear/distance/mesh/counting_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "allclear/distance/mesh/merged_vertices.h"
#include "support/random.h"

namespace allclear {
namespace {

using test::Random;

TEST(CountingSort, KeepsTheOrderOfEqualKeys) {
  Random random(1);
  for (int count : {0, 1, 7, 1000}) {
    std::vector<std::array<int, 3>> items(count);
    for (int i = 0; i < count; ++i) items[i] = {random.index(5), random.index(9), i};
    auto expected = items;
    std::sort(expected.begin(), expected.end());
    mesh::countingSort(&items, 9, [](const auto& item) { return item[1]; });
    mesh::countingSort(&items, 5, [](const auto& item) { return item[0]; });
    EXPECT_EQ(items, expected);
  }
}

TEST(MergedVertices, AreThoseOfAComparisonOfAllPairs) {
  for (int round = 0; round < 40; ++round) {
    Random random(round);
    std::vector<Vec3> vertices(random.integer(0, 200));
    for (Vec3& p : vertices) {
      for (double& x : p) x = random.chance(0.2) ? -0.0 : random.integer(-2, 2) * 0.1;
    }
    const std::vector<int> first = mesh::mergedVertices(vertices);
    ASSERT_EQ(first.size(), vertices.size());
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const auto same = std::find(vertices.begin(), vertices.end(), vertices[i]);
      EXPECT_EQ(first[i], same - vertices.begin());
    }
  }
}

}  // namespace
}  // namespace allclear
