#pragma once

#include <functional>

namespace allclear {

/// The number of threads to use: `wanted`, or one per processor when that is 0 (or less).
int threadCount(int wanted);

/// Calls work(index, worker) once for every index of [0, count), on up to `threads` threads, each
/// with its own number `worker` of [0, threads). Returns when all calls have returned. If calls
/// threw, rethrows the exception of the lowest index. Starts new threads each time: worth it for
/// work of 100 us and more.
void parallelFor(int threads, int count, const std::function<void(int index, int worker)>& work);

}  // namespace allclear
