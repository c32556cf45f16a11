#include "support/data.h"

namespace allclear::test {

std::filesystem::path sourceFolder() { return ALLCLEAR_SOURCE_DIR; }

std::string allclearCommand() { return ALLCLEAR_COMMAND; }

std::string verifierCommand() { return ALLCLEAR_VERIFIER; }

}  // namespace allclear::test
