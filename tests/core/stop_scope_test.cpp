#include "allclear/core/stop_scope.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "allclear/core/parallel.h"

namespace allclear {
namespace {

/// Longer than the time between two questions.
void waitForAQuestion() { std::this_thread::sleep_for(std::chrono::milliseconds(3)); }

TEST(StopScope, EndsWorkOnceItsFunctionSaysSoAndNotBefore) {
  throwIfStopped();  // in no scope
  bool is_stopped = false;
  {
    const StopScope scope([&] { return is_stopped; });
    throwIfStopped();
    is_stopped = true;
    waitForAQuestion();
    EXPECT_TRUE(isStopped());
    EXPECT_THROW(throwIfStopped(), Stopped);
    is_stopped = false;
    EXPECT_THROW(throwIfStopped(), Stopped) << "there is no way back";
  }
  throwIfStopped();
}

TEST(StopScope, OfNestedOnesTheInnerCountsAlone) {
  const StopScope outer([] { return true; });
  {
    const StopScope inner({});
    throwIfStopped();
  }
  EXPECT_THROW(throwIfStopped(), Stopped);
}

TEST(StopScope, AsksItsFunctionAtMostOnceInAMillisecond) {
  int questions = 0;
  const StopScope scope([&] {
    ++questions;
    return false;
  });
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100000; ++i) throwIfStopped();
  const double milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  EXPECT_GE(questions, 1);
  EXPECT_LE(questions, milliseconds + 1.0);
}

TEST(StopScope, ReachesHelpersAndAsksOnItsOwnThreadOnly) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> other_asked{false};
  std::atomic<int> begun{0};
  const StopScope scope([&] {
    if (std::this_thread::get_id() != caller) other_asked = true;
    return begun >= 4;
  });
  // Every call goes on until it is stopped.
  EXPECT_THROW(parallelFor(4, 1000,
                           [&](int, int) {
                             ++begun;
                             for (;;) throwIfStopped();
                           }),
               Stopped);
  EXPECT_FALSE(other_asked);
  EXPECT_LE(begun, 4) << "what was not begun is not begun any more";
}

TEST(StopScope, IsAskedWhileItsThreadWaitsForHelpers) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> helper_works{false};
  const StopScope scope([&] { return helper_works.load(); });
  // The caller's own call returns; the helper's ends by the scope alone.
  EXPECT_THROW(parallelFor(2, 2,
                           [&](int, int) {
                             if (std::this_thread::get_id() == caller) {
                               while (!helper_works) std::this_thread::yield();
                               return;
                             }
                             helper_works = true;
                             for (;;) throwIfStopped();
                           }),
               Stopped);
}

TEST(StopScope, LeavesOtherErrorsAsTheyAre) {
  const StopScope scope([] { return false; });
  EXPECT_THROW(parallelFor(3, 10,
                           [](int i, int) {
                             if (i == 4) throw std::runtime_error("four");
                           }),
               std::runtime_error);
}

TEST(StopScope, KnowsTheLongestCallOfALibrary) {
  const StopScope outer({});
  {
    const StopScope inner({});
    noteLibraryCall("one", 0.5);
    parallelFor(2, 2, [](int i, int) { noteLibraryCall("two", i == 1 ? 0.75 : 0.25); });
    EXPECT_EQ(inner.longestCall().library, "two");
    EXPECT_EQ(outer.longestCall().seconds, 0.0);
  }
  EXPECT_EQ(outer.longestCall().seconds, 0.75) << "what was in an inner scope was in the outer";
  { const LibraryCallTimer timer("three"); }
  EXPECT_EQ(outer.longestCall().library, "two");
}

}  // namespace
}  // namespace allclear
