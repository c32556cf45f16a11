// The scope that a thread is in hangs on a pointer of that thread. Its owner asks `stop` and keeps
// the answer in a flag, which helpers read: `stop` may be a host program's own, which expects the
// thread that it was given on (Python's signals).
#include "allclear/core/stop_scope.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

namespace allclear {

using Clock = std::chrono::steady_clock;

struct StopScope::State {
  std::function<bool()> stop;
  const std::thread::id owner = std::this_thread::get_id();
  std::atomic<bool> is_stopped{false};
  Clock::time_point next_question{};  ///< to `stop`; of the owner alone
  bool is_asking = false;             ///< the same
  std::mutex mutex;                   ///< guards `longest`
  LibraryCall longest;

  bool ask() {
    if (is_stopped.load(std::memory_order_relaxed)) return true;
    if (std::this_thread::get_id() != owner) return false;
    constexpr std::chrono::milliseconds kBetweenQuestions{1};
    const Clock::time_point now = Clock::now();
    if (is_asking || now < next_question) return false;
    is_asking = true;  // what `stop` itself does is not ended by it
    const bool answer = stop && stop();
    is_asking = false;
    next_question = now + kBetweenQuestions;
    if (answer) is_stopped = true;
    return is_stopped;
  }

  void note(const char* library, double seconds) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (seconds > longest.seconds) longest = {library, seconds};
  }
};

namespace {

thread_local StopScope::State* current = nullptr;

}  // namespace

StopScope::StopScope(std::function<bool()> stop)
    : state_(std::make_shared<State>()), outer_(current) {
  state_->stop = std::move(stop);
  current = state_.get();
}

StopScope::~StopScope() {
  current = outer_;
  const LibraryCall longest = longestCall();
  if (outer_ != nullptr && !longest.library.empty()) {
    outer_->note(longest.library.c_str(), longest.seconds);
  }
}

LibraryCall StopScope::longestCall() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->longest;
}

bool isStopped() { return current != nullptr && current->ask(); }

void throwIfStopped() {
  if (isStopped()) throw Stopped();
}

LibraryCallTimer::LibraryCallTimer(const char* library) : library_(library), start_(Clock::now()) {}

LibraryCallTimer::~LibraryCallTimer() {
  noteLibraryCall(library_, std::chrono::duration<double>(Clock::now() - start_).count());
}

void noteLibraryCall(const char* library, double seconds) {
  if (current != nullptr) current->note(library, seconds);
}

StopHelper::StopHelper() : state_(current) {}

StopHelper::Entered::Entered(StopScope::State* state) : outer_(current) { current = state; }

StopHelper::Entered::~Entered() { current = outer_; }

void StopHelper::ask() const {
  if (state_ != nullptr) state_->ask();
}

}  // namespace allclear
