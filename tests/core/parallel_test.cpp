#include "allclear/core/parallel.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace allclear {
namespace {

TEST(ParallelFor, CallsEveryIndexOnceWithWorkersOfTheirOwn) {
  for (int threads : {1, 2, 5}) {
    for (int count : {0, 1, 3, 1000}) {
      std::vector<int> calls(count, 0);
      std::vector<int> by_worker(threads, 0);
      parallelFor(threads, count, [&](int i, int worker) {
        ++calls[i];
        ++by_worker.at(worker);  // not shared: a race shows in the sum
      });
      EXPECT_EQ(calls, std::vector<int>(count, 1));
      int sum = 0;
      for (int n : by_worker) sum += n;
      EXPECT_EQ(sum, count);
    }
  }
}

TEST(ParallelFor, PassesOnTheExceptionOfTheLowestIndex) {
  try {
    parallelFor(3, 100, [](int i, int) {
      if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
    });
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "7");
  }
}

TEST(ParallelFor, ZeroThreadsMeansOnePerProcessor) {
  EXPECT_GE(threadCount(0), 1);
  EXPECT_EQ(threadCount(3), 3);
}

}  // namespace
}  // namespace allclear
