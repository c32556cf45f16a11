#include "allclear/planner/run/random_stream.h"

#include <array>

namespace allclear {
namespace {

/// Seed and stream as four words: streams of one seed are independent of each other.
std::mt19937_64 engineOf(std::uint64_t seed, std::uint64_t stream) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  std::seed_seq sequence{low(seed), high(seed), low(stream), high(stream)};
  return std::mt19937_64(sequence);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t stream)
    : engine_(engineOf(seed, stream)) {}

}  // namespace allclear
