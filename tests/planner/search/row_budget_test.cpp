#include "allclear/planner/search/row_budget.h"

#include <gtest/gtest.h>

namespace allclear {
namespace {

std::vector<Clearance> nearOnes() {
  std::vector<Clearance> near;
  for (int i = 0; i < 5; ++i) {
    Clearance c;
    c.pair = i;
    c.span = 0;
    c.demand = 0.001;
    c.upper = 0.001 * ((3 * i) % 5);  // 0, 3, 1, 4, 2 mm
    near.push_back(c);
  }
  return near;
}

TEST(RowBudget, TakesAllWhileThereIsRoom) {
  const std::vector<Clearance> near = nearOnes();
  const std::vector<Clearance> taken = affordableRows(near, {}, 7, 5 * 6 * 7);
  ASSERT_EQ(taken.size(), 5U);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(taken[i].pair, i);
}

TEST(RowBudget, TakesTheNearestThatHaveNone) {
  const std::vector<Clearance> near = nearOnes();
  // Room for three, one of which is there: the nearest two of the others.
  const std::vector<Clearance> taken = affordableRows(near, {{0, 0}}, 7, 3 * 6 * 7);
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].pair, 2);
  EXPECT_EQ(taken[1].pair, 4);
  EXPECT_TRUE(affordableRows(near, {{0, 0}, {0, 1}, {0, 2}}, 7, 3 * 6 * 7).empty());
}

}  // namespace
}  // namespace allclear
