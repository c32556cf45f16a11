#include "allclear/planner/certificate/stoppable.h"

#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "planner/certificate/certificate_fixture.h"

namespace allclear {
namespace {

TEST(StoppableProof, IsTheSameWhenItIsNotStoppedAndNothingWhenItIs) {
  const Problem problem = test::loadText(
      test::armTask("{shoulder: 0.6, elbow: 0.4}",
                    test::boxScene(test::boxAt("post", {0.1, 0.1, 1.0}, {0.9, 0.6, 0.5}))));
  test::Random random(3);
  const Trajectory motion = test::splineOf(problem, 2.0, random, 0.05);
  const Certificate expected = certify(problem, motion);
  int questions = 0;
  const Certificate found = certifyUnlessStopped(problem, motion, nullptr, {}, [&] {
    ++questions;
    return false;
  });
  EXPECT_EQ(found.message, expected.message);
  ASSERT_EQ(found.pairs.size(), expected.pairs.size());
  ASSERT_GT(questions, 0);
  // At the first question, and at a later one: there are some in every millisecond.
  EXPECT_THROW(certifyUnlessStopped(problem, motion, nullptr, {}, [] { return true; }), Stopped);
  int left = questions / 2;
  EXPECT_THROW(certifyUnlessStopped(problem, motion, nullptr, {}, [&] { return left-- <= 0; }),
               Stopped);
}

TEST(StoppableProof, OfMoreRowsThanMemoryHoldsIsRefused) {
  const Problem problem = test::loadText(test::armTask("{shoulder: 0.6}"));
  constexpr Eigen::Index kRows = 400'000;
  std::vector<double> times;
  for (Eigen::Index i = 0; i < kRows; ++i) times.push_back(1e-3 * static_cast<double>(i));
  const MatX rest = problem.plannedPart(problem.start).replicate(1, kRows);
  EXPECT_THROW(certify(problem, Trajectory(HermiteCurve(times, rest, MatX(), MatX()))), InputError);
}

}  // namespace
}  // namespace allclear
