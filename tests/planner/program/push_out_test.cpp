// The softened distance leads a body out of another one by Ipopt, from deep inside, every time.

#include <gtest/gtest.h>

#include "support/push_out.h"

namespace allclear::test {
namespace {

TEST(PushOut, ConvergesWithTheSoftDistanceFromNearlyEveryStart) {
  SmoothOptions soft;
  soft.method = SmoothMethod::kSoft;
  soft.softness = 0.01;
  const int starts = std::getenv("ALLCLEAR_LONG") ? 40 : 4;
  int converged = 0, all = 0;
  for (const PushOutPair& pair : pushOutPairs()) {
    const PushOutScore score = pushOut(pair, soft, starts, 2, 300);
    EXPECT_GE(score.converged, starts - 1) << pair.name;
    EXPECT_LT(score.iterations, 80.0) << pair.name;
    converged += score.converged;
    all += score.starts;
  }
  EXPECT_GE(converged, 0.95 * all);
}

TEST(PushOut, ConvergesWithTheGaugeOfEllipsoids) {
  SmoothOptions gauge;
  gauge.method = SmoothMethod::kGauge;
  const int starts = 6;
  for (const PushOutPair& pair : ellipsoidPushOutPairs()) {
    const PushOutScore score = pushOut(pair, gauge, starts, 4, 300);
    EXPECT_GE(score.converged, starts - 1) << pair.name;
  }
}

TEST(PushOut, TheEuclideanDistanceGetsStuckOnAFaceOfABox) {
  SmoothOptions euclidean, soft;
  euclidean.method = SmoothMethod::kEuclidean;
  soft.method = SmoothMethod::kSoft;
  soft.softness = 0.01;
  const auto box = std::make_shared<const SmoothBody>(Shape(Box(Vec3(0.6, 0.5, 0.4))));
  const PushOutPair pair{"box", box, box};
  const int starts = 6;
  EXPECT_LT(pushOut(pair, euclidean, starts, 3, 100).converged,
            pushOut(pair, soft, starts, 3, 100).converged);
}

}  // namespace
}  // namespace allclear::test
