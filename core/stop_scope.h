#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace allclear {

/// Thrown where long work was given up: nothing is known of its result. Not a `std::exception`, so
/// that no handler of broken input or libraries takes it for a fault.
struct Stopped {};

/// A call of a library that cannot be ended, and what it took.
struct LibraryCall {
  std::string library;
  double seconds = 0.0;
};

/// While it lives, long work of this thread, and of the threads that `parallelFor` starts for it,
/// is given up by `Stopped` soon after `stop` returns true. So one time limit and one Ctrl-C reach
/// every loop, however deep, without an argument of each function on the way.
///
/// Of nested scopes the inner one counts alone: what follows the end of a search, as its proof, may
/// be given time of its own. `stop` is called by this thread alone, once in a millisecond at most.
class StopScope {
 public:
  explicit StopScope(std::function<bool()> stop);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  /// The longest call of a library that this thread and its helpers made in the scope.
  LibraryCall longestCall() const;

  struct State;

 private:
  std::shared_ptr<State> state_;
  State* outer_;
};

/// Throws `Stopped` where this thread's scope says so. Every loop that may take over 10 ms calls it
/// more often than that. Takes some 30 ns; without a scope next to nothing.
void throwIfStopped();

/// The same as an answer, for code that may not throw.
bool isStopped();

/// `throwIfStopped` for loops of short steps: asks at every 256th call.
class StopSteps {
 public:
  void step() {
    if ((++count_ & 255U) == 0) throwIfStopped();
  }

 private:
  unsigned count_ = 0;
};

/// Notes how long a call of a library takes (`StopScope::longestCall`).
class LibraryCallTimer {
 public:
  explicit LibraryCallTimer(const char* library);
  ~LibraryCallTimer();
  LibraryCallTimer(const LibraryCallTimer&) = delete;
  LibraryCallTimer& operator=(const LibraryCallTimer&) = delete;

 private:
  const char* library_;
  std::chrono::steady_clock::time_point start_;
};

/// The same of a call that took so long [s].
void noteLibraryCall(const char* library, double seconds);

/// Makes another thread a helper of the one that was in this scope when `StopHelper` was made: what
/// it does ends with that scope. To be entered by the helper; the scope outlives it.
class StopHelper {
 public:
  StopHelper();  ///< on the thread that asks for help
  /// On the helper: until the returned value ends, `throwIfStopped` is the scope's.
  class Entered {
   public:
    explicit Entered(StopScope::State* state);
    ~Entered();
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

   private:
    StopScope::State* outer_;
  };
  Entered enter() const { return Entered(state_); }
  /// Asks `stop`, as helpers do not: for the thread that waits for them.
  void ask() const;

 private:
  StopScope::State* state_;
};

}  // namespace allclear
