#include "allclear/planner/run/proof_time.h"

#include <gtest/gtest.h>

namespace allclear {
namespace {

using Clock = RunContext::Clock;

TEST(GraceTime, EndsSoonAfterTheDeadlineOrTheStopButNotAtOnce) {
  double now = 0.0;
  bool is_stopped = false;
  RunContext context;
  context.clock = [&] {
    return context.start +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(now));
  };
  context.stop = [&] { return is_stopped; };
  GraceTime endless(context, kGraceOfProof);
  now = 1e6;
  EXPECT_FALSE(endless()) << "without a deadline";
  const RunContext limited = context.endingAfter(1.0, context.start);
  GraceTime at_deadline(limited, kGraceOfProof);
  now = 1.05;
  EXPECT_FALSE(at_deadline());
  now = 1.2;
  EXPECT_TRUE(at_deadline());
  now = 0.1;
  GraceTime stopped(limited, kGraceOfProof);
  EXPECT_FALSE(stopped());
  is_stopped = true;
  EXPECT_FALSE(stopped()) << "a short proof may end";
  now = 0.2;
  EXPECT_FALSE(stopped());
  now = 0.3;
  EXPECT_TRUE(stopped()) << "0.2 s after it was first seen";
}

TEST(GraceTime, OfASearchIsShorterThanThatOfAProof) {
  EXPECT_LT(kGraceOfSearch.after_stop, kGraceOfProof.after_stop);
  EXPECT_LT(kGraceOfSearch.after_deadline, kGraceOfProof.after_deadline);
  EXPECT_LT(kGraceOfSearch.share_after_deadline, kGraceOfProof.share_after_deadline);
}

}  // namespace
}  // namespace allclear
