#pragma once

// Every form of global operator new, counted. For a program of its own: include it in one source.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace allclear::test {

/// What the program has asked for so far.
inline std::atomic<long> allocations{0};
inline std::atomic<std::size_t> allocated_bytes{0};

inline void* countedMemory(std::size_t size, std::size_t alignment) {
  ++allocations;
  allocated_bytes += size;
  void* memory = nullptr;
  if (posix_memalign(&memory, std::max(alignment, sizeof(void*)), size) != 0) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace allclear::test

void* operator new(std::size_t size) {
  return allclear::test::countedMemory(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size) {
  return allclear::test::countedMemory(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allclear::test::countedMemory(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allclear::test::countedMemory(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
