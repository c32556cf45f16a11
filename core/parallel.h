#pragma once

#include <functional>

namespace allclear {

/// As many as asked for; 0: one per processor.
int threadCount(int wanted);

/// Calls work(index, worker) once for every index of [0, count), on up to `threads` threads, each
/// with its own number `worker` of [0, threads). Returns when all calls have; an exception of the
/// lowest index that threw is passed on. Threads are made anew: for work of 100 us and more.
void parallelFor(int threads, int count, const std::function<void(int index, int worker)>& work);

}  // namespace allclear
