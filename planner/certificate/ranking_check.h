#pragma once

#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/motion.h"

namespace allclear {

/// Requires that the pairs said to be nearest to their margins are, by what the cells prove: throws
/// a `Refutation` where they are not. Pre: the cells were verified.
void checkRanking(const CertifiedGeometry& geometry, const Certificate& certificate,
                  CertifiedMotion& motion);

}  // namespace allclear
