// What the search for a sequence does to the rows of each motion before it joins them.

#include "allclear/planner/search/sequence_search.h"

#include <gtest/gtest.h>

#include <limits>

namespace allclear {
namespace {

/// Two joints that go from 0 to 1 with these values of both in the first row.
Trajectory rows(double position, double velocity, double acceleration) {
  MatX q(2, 2), v = MatX::Zero(2, 2), a = MatX::Zero(2, 2);
  q << position, 1.0, position, 1.0;
  v.col(0).setConstant(velocity);
  a.col(0).setConstant(acceleration);
  return HermiteCurve({0.0, 1.0}, q, v, a);
}

TEST(RestingAtEnds, PutsRoundingsRight) {
  const VecX start = VecX::Constant(2, 0.1);
  const auto out = restingAtEnds(rows(0.1 + 1e-15, 1e-15, -1e-15), start);
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ(out->hermite()->positions().col(0), start);
  EXPECT_TRUE(out->hermite()->velocities().isZero(0.0));
  EXPECT_TRUE(out->hermite()->accelerations().isZero(0.0));
}

TEST(RestingAtEnds, RefusesWhatIsNoRounding) {
  const VecX start = VecX::Constant(2, 0.1);
  EXPECT_FALSE(restingAtEnds(rows(0.101, 0.0, 0.0), start).has_value());
  EXPECT_FALSE(restingAtEnds(rows(0.1, 0.01, 0.0), start).has_value());
  EXPECT_FALSE(restingAtEnds(rows(0.1, 0.0, 0.01), start).has_value());
  // Rows of positions alone do not rest: the controller goes straight on.
  const Trajectory straight(HermiteCurve({0.0, 1.0}, MatX::Constant(2, 2, 0.1)));
  EXPECT_FALSE(restingAtEnds(straight, start).has_value());
}

}  // namespace
}  // namespace allclear
