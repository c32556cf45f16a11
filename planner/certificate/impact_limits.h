#pragma once

#include <string>
#include <vector>

#include "allclear/planner/certificate.h"

namespace allclear {

/// Appends "contact force with NAME" [N] for every region that `LimitSettings::contact` names and
/// every body that it limits: proven for any point of its surface, any direction and any time.
void addImpactLimits(const Problem& problem, const Trajectory& trajectory,
                     std::vector<CertifiedLimit>* out);

/// Whether a limit is one of these.
bool isImpactLimit(const CertifiedLimit& limit);

/// What the certified limits say of each region, one sentence each: "Contact with a hand: at most
/// 279.4 N (limit 280 N) at t = 1.70 s, 'left_finger'; any point, any direction, any time".
/// Regions whose limit is exceeded are left out: they are faults.
std::vector<std::string> impactSentences(const Problem& problem,
                                         const std::vector<CertifiedLimit>& limits);

/// Why the limits are not kept, one phrase for each region, with the duration that would keep them.
std::vector<std::string> impactFaults(const Problem& problem,
                                      const std::vector<CertifiedLimit>& limits, double duration);

/// What the model of an unplanned contact leaves out; empty where no limit rests on it.
std::vector<Assumption> impactAssumptions(const Problem& problem);

}  // namespace allclear
