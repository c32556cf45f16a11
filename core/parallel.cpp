#include "allclear/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "allclear/core/stop_scope.h"

namespace allclear {
namespace {

/// More threads than any machine that this runs on; each costs memory of its own.
constexpr int kMostThreads = 1024;

}  // namespace

int threadCount(int wanted) {
  if (wanted > 0) return std::min(wanted, kMostThreads);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Workers take the next index from one counter, so that a slow call holds up nobody else. The
// caller's own thread is worker 0. After an exception the other calls still run: which exception is
// passed on then depends on the indices alone, not on timing.
//
// Helpers are in the caller's `StopScope`, but only its own thread may ask whether to stop: it does
// so while it waits for them, too.
void parallelFor(int threads, int count, const std::function<void(int, int)>& work) {
  std::atomic<int> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  int failed = count;
  const auto run = [&](int worker) {
    for (int i = next++; i < count; i = next++) {
      try {
        throwIfStopped();
        work(i, worker);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (i < failed) error = std::current_exception();
        failed = std::min(failed, i);
      }
    }
  };
  const StopHelper scope;
  int running = 0;  // of the others
  std::condition_variable done;
  std::vector<std::jthread> others;
  for (int worker = 1; worker < std::min(threads, count); ++worker) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      ++running;
    }
    others.emplace_back([&, worker] {
      const StopHelper::Entered entered = scope.enter();
      run(worker);
      const std::lock_guard<std::mutex> lock(mutex);
      if (--running == 0) done.notify_all();
    });
  }
  run(0);
  {
    constexpr std::chrono::milliseconds kBetweenQuestions{5};
    std::unique_lock<std::mutex> lock(mutex);
    while (!done.wait_for(lock, kBetweenQuestions, [&] { return running == 0; })) {
      lock.unlock();
      scope.ask();
      lock.lock();
    }
  }
  others.clear();  // joins
  if (error) std::rethrow_exception(error);
}

}  // namespace allclear
