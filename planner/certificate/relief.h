#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allclear/planner/certificate/geometry.h"
#include "allclear/planner/certificate/motion.h"

namespace allclear {

/// Finds for how long a pair that starts or ends nearer than its margin keeps less than that: up to
/// the first bound of a cell of the motion from which on it is seen to keep its margin.
class ReliefSearch {
 public:
  /// Looks at the distance at the cells' bounds, where the pair is relaxed at all.
  ReliefSearch(const CertifiedPair& pair, MeshFidelity fidelity, CertifiedMotion& motion);

  /// The stretches of a trial, from 0: each is a cell longer than those of the trial before. None
  /// when they cannot be any longer.
  std::optional<EndRelief> stretches(int trial) const;

 private:
  const CertifiedPair& pair_;
  std::vector<double> until_;  ///< bounds at which the first stretch may end, the first one first
  std::vector<double> from_;   ///< at which the last may begin, the last one first
};

/// Why a relief is not one that the task gives this pair; empty when it is.
std::string reliefFault(const EndRelief& relief, const CertifiedPair& pair,
                        const CertifiedMotion& motion);

/// Whether the task lets the two touch near an end.
bool mayTouch(const CollisionSettings& settings, const CertificatePair& pair);

/// What pairs keep near the ends, in words: of those that are relaxed, and of those that may touch
/// (second: true). None where there are none.
std::vector<std::pair<std::string, bool>> reliefTexts(const CollisionSettings& settings,
                                                      const std::vector<CertificatePair>& pairs);

/// Sentences with "'a' and 'b' keep 0.4 mm during the first 0.31 s, 1 mm elsewhere", or "'a' and
/// 'b' may touch until t = 0.21 s (never more than 0.4 mm deep), 1 mm apart from then on", for
/// every two bodies with a relief; empty without one.
std::string reliefText(const CollisionSettings& settings,
                       const std::vector<CertificatePair>& pairs);

}  // namespace allclear
