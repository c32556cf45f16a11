#include "support/data.h"

#include <cstdlib>

namespace allclear::test {

namespace {
/// Tests leave the user's cache of covers alone, and results of other builds out of the way.
[[maybe_unused]] const int kNoCache = ::setenv("ALLCLEAR_NO_CACHE", "1", 0);
}  // namespace

std::filesystem::path sourceFolder() { return ALLCLEAR_SOURCE_DIR; }

std::string allclearCommand() { return ALLCLEAR_COMMAND; }

std::string verifierCommand() { return ALLCLEAR_VERIFIER; }

}  // namespace allclear::test
