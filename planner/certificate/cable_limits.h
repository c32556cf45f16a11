#pragma once

#include <string>
#include <vector>

#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/motion.h"

namespace allclear {

/// Appends for every stretch of every cable, at every instant and whatever shape the cable takes,
/// - "cable span from link3 to link7": the bracket of the greatest distance of its clips, which is
///   to be at most its length less its reserve;
/// - "cable room to post from link3 to link7", for every body that the stretch may not touch: the
///   bracket of the least room (distance/minimum/cable/cable.h), which is to be at least the
///   margin. Its upper end is infinite for a body that is far away.
/// What may stray within the problem's uncertainty is counted.
void addCableLimits(const Problem& problem, const Trajectory& trajectory,
                    const CertifiedMotion& motion, std::vector<CertifiedLimit>* out);

/// Whether a limit is one of these.
bool isCableLimit(const CertifiedLimit& limit);

/// What the certified limits say of each cable that keeps them, one sentence each.
std::vector<std::string> cableSentences(const Problem& problem,
                                        const std::vector<CertifiedLimit>& limits);

/// Why a cable's limits are not kept: "cable 'hose': 12 mm short at t = 1.31 s between link3 and
/// link7". The worst first.
std::vector<std::string> cableFaults(const Problem& problem, const CertifiedGeometry& geometry,
                                     const std::vector<CertifiedLimit>& limits);

/// What the model of cables leaves out, and what each may touch; empty without cables.
std::vector<Assumption> cableAssumptions(const Problem& problem, const CertifiedGeometry& geometry);

}  // namespace allclear
