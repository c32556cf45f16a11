#pragma once

#include <cstdlib>

namespace allclear::test {

/// Whether the long form of the randomised tests was asked for (ALLCLEAR_LONG is set).
inline bool isLong() { return std::getenv("ALLCLEAR_LONG") != nullptr; }

}  // namespace allclear::test
