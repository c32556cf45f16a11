// The hot queries allocate nothing: every form of global operator new is counted here.

#include <gtest/gtest.h>

#include "allclear/distance/minimum/capsule/capsule.h"
#include "allclear/distance/minimum/convex/convex.h"
#include "allclear/distance/signed_distance.h"
#include "distance/minimum/mcd_shapes.h"
#include "support/counted_memory.h"

namespace allclear {
namespace {

using test::MovingSolid;
using test::Random;

/// Allocations while `run` runs.
template <class Run>
long allocationsOf(const Run& run) {
  const long before = test::allocations;
  run();
  return test::allocations - before;
}

class Allocation : public testing::TestWithParam<int> {
 protected:
  int kindA() const { return GetParam() / 8; }
  int kindB() const { return GetParam() % 8; }
};

TEST(AllocationCount, SeesAVectorGrow) {
  EXPECT_GE(allocationsOf([] { std::vector<double>(100).push_back(1.0); }), 2);
}

TEST_P(Allocation, NoneBySignedDistancesNorByDecisions) {
  for (int i = 0; i < 100; ++i) {
    Random draw(1000 * i + GetParam());
    const Shape a = test::randomShape(draw, kindA()), b = test::randomShape(draw, kindB());
    const Pose X_A{draw.rotation(), draw.inBox(0.2)}, X_B{draw.rotation(), draw.inBox(0.2)};
    DistanceCache cache;
    EXPECT_EQ(allocationsOf([&] {
                signedDistance(a, X_A, b, X_B);
                signedDistance(a, X_A, b, X_B, &cache);
                distanceAtLeast(a, X_A, b, X_B, 0.05, &cache);
              }),
              0)
        << "seed " << 1000 * i + GetParam();
  }
}

TEST_P(Allocation, NoneByCertifiedMinimaOfGivenCurves) {
  for (int i = 0; i < 30; ++i) {
    Random draw(1000 * i + GetParam());
    MovingSolid a = test::randomSolid(draw, kindA()), b = test::randomSolid(draw, kindB());
    test::fitCurves(&a, &b, {0.0, 1.0}, 1e-4);
    std::vector<ConvexCurve> a_curves(a.curves.size()), b_curves(b.curves.size());
    McdOptions options;
    options.refine = draw.chance(0.5);
    if (draw.chance(0.5)) options.threshold = 0.02;
    EXPECT_EQ(allocationsOf([&] {
                convexCurves(a.curves, a.shape, a.X_BG, a_curves);
                convexCurves(b.curves, b.shape, b.X_BG, b_curves);
                minimumDistance(a_curves, b_curves, options);
              }),
              0)
        << "seed " << 1000 * i + GetParam();
  }
}

TEST(AllocationCount, NoneByTheCapsuleKernel) {
  for (int i = 0; i < 200; ++i) {
    Random draw(i);
    MovingSolid a = test::randomSolid(draw, 1), b = test::randomSolid(draw, i % 2);
    test::fitCurves(&a, &b, {0.0, 1.0}, 1e-5);
    const CapsuleAxis a_axis = capsuleAxis(a.shape, a.X_BG), b_axis = capsuleAxis(b.shape, b.X_BG);
    std::vector<CapsuleCurve> a_curves(a.curves.size()), b_curves(b.curves.size());
    EXPECT_EQ(allocationsOf([&] {
                capsuleCurves(a.curves, a_axis, a_curves);
                capsuleCurves(b.curves, b_axis, b_curves);
                capsuleMinimum(a_curves, b_curves, {});
                minimumDistance(a_curves, b_curves, McdOptions());
              }),
              0)
        << "seed " << i;
  }
}

std::vector<int> convexPairs() {
  std::vector<int> pairs;
  for (int pair = 0; pair < 64; ++pair) {
    if (pair != 6 * 8 + 6) pairs.push_back(pair);
  }
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(Pairs, Allocation, testing::ValuesIn(convexPairs()));

}  // namespace
}  // namespace allclear
