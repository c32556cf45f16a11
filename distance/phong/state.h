#pragma once

#include <cstdint>
#include <memory>

namespace allclear {

/// Base of what a method remembers about a pair besides its last solution.
struct SmoothMemory {
  virtual ~SmoothMemory() = default;
};

/// Where the last query of a pair found its result, so that the next one starts there. Belongs to
/// one pair and one method; start with a fresh one. A copy shares its `memory` with the original.
struct SmoothState {
  bool valid = false;
  /// Keeps the branch: queries use the same facets without a new search, so that values and
  /// gradients at nearby poses belong to one smooth function.
  bool frozen = false;
  std::int32_t feature_A[3] = {-1, -1, -1};
  std::int32_t feature_B[3] = {-1, -1, -1};
  double weight_A[3] = {0.0, 0.0, 0.0};
  double weight_B[3] = {0.0, 0.0, 0.0};
  std::shared_ptr<SmoothMemory> memory;  ///< made by the first query of a method that needs one
};

/// The state's memory as one of type `Memory`; a new one when the state has none of that type.
template <class Memory>
Memory& memoryOf(SmoothState* state) {
  auto memory = std::dynamic_pointer_cast<Memory>(state->memory);
  if (!memory) state->memory = memory = std::make_shared<Memory>();
  return *memory;
}

}  // namespace allclear
