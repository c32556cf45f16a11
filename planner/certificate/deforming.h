#pragma once

#include <string>
#include <vector>

#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/motion.h"

namespace allclear {

/// The cells of a pair bound its distance to the surface of a mesh that bends. A closed one is a
/// solid as well: a body that keeps away from its surface all the time is inside of it always or
/// never. So one instant tells, t = 0, and one point of each piece of the body, which is connected.
///
/// One sentence for each body that is not shown to start outside: from pairs whose cells keep them
/// off the surface. Builds the pieces that it needs.
std::vector<std::string> insideFindings(const CertifiedGeometry& geometry,
                                        const std::vector<CertificatePair>& pairs,
                                        CertifiedMotion& motion);

}  // namespace allclear
