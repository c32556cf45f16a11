#include "allclear/planner/search/usable_iterate.h"

#include <gtest/gtest.h>

namespace allclear {
namespace {

VecX at(double x) { return VecX::Constant(1, x); }

TEST(UsableIterate, KeepsTheCheapestAndNeverTheStart) {
  UsableIterate usable(3);
  usable.offer(0, at(0.0), 0.1);
  EXPECT_FALSE(usable.exists());
  usable.offer(1, at(1.0), HUGE_VAL);  // not usable
  EXPECT_FALSE(usable.exists());
  usable.offer(2, at(2.0), 5.0);
  usable.offer(3, at(3.0), 4.0);
  usable.offer(4, at(4.0), 4.5);
  usable.offer(5, at(5.0), std::nan(""));
  ASSERT_TRUE(usable.exists());
  EXPECT_EQ(usable.point()[0], 3.0);
}

TEST(UsableIterate, IsFinalAfterIterationsWithoutAGainThatCounts) {
  UsableIterate usable(3);
  EXPECT_FALSE(usable.isFinal(100));  // nothing to return
  usable.offer(1, at(1.0), 1.0);
  usable.offer(2, at(2.0), 0.9);
  EXPECT_FALSE(usable.isFinal(4));
  usable.offer(4, at(4.0), 0.8999);  // cheaper, but by too little to go on for
  EXPECT_EQ(usable.point()[0], 4.0);
  EXPECT_TRUE(usable.isFinal(5));
}

}  // namespace
}  // namespace allclear
