#pragma once

// The certified search and its rivals, as a test runs through them all.

#include <optional>

#include "allclear/distance/minimum/reference/reference.h"

namespace allclear::test {

/// None: the certified search.
using McdMethod = std::optional<ReferenceAlgorithm>;

inline const char* methodName(McdMethod method) {
  return method ? referenceAlgorithmName(*method) : "certified";
}

inline bool isSound(McdMethod method) { return !method || allclear::isSound(*method); }

inline DistanceBracket minimumBy(McdMethod method, const MovingShape& a, const MovingShape& b,
                                 const McdOptions& options) {
  return method ? referenceMinimum(*method, a, b, options) : minimumDistance(a, b, options);
}

}  // namespace allclear::test
