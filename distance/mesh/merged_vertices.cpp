// Vertices at the same place, found by a hash table: sorting them by three coordinates took longer
// than all else that is done to a mesh.
#include "allclear/distance/mesh/merged_vertices.h"

#include <bit>
#include <cstdint>

#include "allclear/core/stop_scope.h"

namespace allclear::mesh {
namespace {

/// Mixes the bits of a coordinate into a hash (the multiplier of Fowler, Noll and Vo, 64 bits, and
/// a shift for the upper bits, which tell most coordinates apart). 0 and -0 are one place.
std::uint64_t mixed(std::uint64_t hash, double x) {
  hash = (hash ^ std::bit_cast<std::uint64_t>(x + 0.0)) * 0x100000001b3ULL;
  return hash ^ hash >> 29;
}

}  // namespace

std::vector<int> mergedVertices(const std::vector<Vec3>& vertices) {
  // A hash table of twice as many places, at the least: a vertex whose place is taken by another
  // one goes to the next that is free.
  const std::size_t mask = std::bit_ceil(2 * vertices.size() + 1) - 1;
  std::vector<int> table(mask + 1, -1);
  std::vector<int> first(vertices.size());
  StopSteps steps;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    steps.step();
    const Vec3& p = vertices[i];
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (int k = 0; k < 3; ++k) hash = mixed(hash, p[k]);
    std::size_t place = (hash ^ hash >> 32) & mask;
    while (table[place] >= 0 && vertices[table[place]] != p) place = (place + 1) & mask;
    if (table[place] < 0) table[place] = static_cast<int>(i);
    first[i] = table[place];
  }
  return first;
}

}  // namespace allclear::mesh
