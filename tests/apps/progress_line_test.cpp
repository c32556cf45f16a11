#include "allclear/apps/progress_line.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace allclear {
namespace {

TEST(ProgressLine, SaysTimeBestAttemptAndWorstPairAndFitsTheWidth) {
  PlanProgress progress{.attempt = 1, .worst = "tool and post: 2.80 mm at t = 1.300 s"};
  EXPECT_EQ(progressText(progress, 12.34, 200),
            "12.3 s  attempt 2  tool and post: 2.80 mm at t = 1.300 s");
  progress.best = 1.1642;
  EXPECT_EQ(progressText(progress, 0.0, 200),
            "0.0 s  best 1.164 s  attempt 2  tool and post: 2.80 mm at t = 1.300 s");
  EXPECT_EQ(progressText(progress, 0.0, 30).size(), 30u);
  progress.worst = "ärmchen und wändchen und noch mehr";
  // 40 characters, some of two bytes; none is cut in the middle.
  const std::string cut = progressText(progress, 0.0, 40);
  EXPECT_EQ(std::count_if(cut.begin(), cut.end(), [](char c) { return (c & 0xc0) != 0x80; }), 40);
}

TEST(ProgressLine, OfEveryIterationHasWhatTheSolverSays) {
  const PlanProgress progress{.attempt = 0,
                              .round = 2,
                              .iteration = 7,
                              .cost = 1.5,
                              .infeasibility = 1e-3,
                              .worst = "a and b: 1.00 mm at t = 0.500 s"};
  const std::string text = iterationText(progress);
  EXPECT_EQ(text.find("attempt 1 round 2 iteration   7  cost    1.5000"), 0u) << text;
  EXPECT_NE(text.find("a and b"), std::string::npos);
}

}  // namespace
}  // namespace allclear
