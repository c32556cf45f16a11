#pragma once

#include <cstdint>
#include <random>

namespace allclear {

/// Random numbers that are the same on every platform.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t stream);
  /// In [0, 1).
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  /// In [0, count).
  int below(int count) { return static_cast<int>(uniform() * count); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace allclear
