#pragma once

#include <string>

#include "allclear/planner/certificate.h"

namespace allclear {

/// What the certificate says of the path that it follows, one sentence; empty without one.
std::string followSentence(const Certificate& certificate);

/// Why the claim does not follow from the two curves; empty when it does, and without one.
std::string followFault(const Certificate& certificate);

}  // namespace allclear
