// Checks the list of the pairs that come nearest to their own margins. Every entry must be proven
// by the cells, met at its instant, and in its order; and no pair with less slack may be missing.
#include "allclear/planner/certificate/ranking_check.h"

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "allclear/core/extremes.h"
#include "allclear/planner/certificate/refutation.h"

namespace allclear {
namespace {

/// [m]: a distance is written as margin plus slack, which rounds.
constexpr double kRankRounding = 1e-12;

/// The least slack to their margin that the cells prove of each two bodies.
std::map<std::pair<std::string, std::string>, double> provenSlacks(const Certificate& certificate) {
  std::map<std::pair<std::string, std::string>, double> slacks;
  for (const CertificatePair& pair : certificate.pairs) {
    if (pair.touchesAtContact()) continue;
    double& least =
        slacks.try_emplace({pair.a, pair.b}, std::numeric_limits<double>::infinity()).first->second;
    for (const CoverCell& cell : pair.cells) {
      least = lowered(least, cell.lower - pair.relief.marginDuring(cell.time, pair.margin));
    }
  }
  return slacks;
}

/// Requires that the distance at the instant of a ranked pair is no more than claimed, and the
/// margin the one that it has there.
void checkRankedInstant(const CertifiedGeometry& geometry, const Certificate& certificate,
                        const RankedPair& ranked, CertifiedMotion& motion) {
  const std::string name = "'" + ranked.a + "' and '" + ranked.b + "'";
  require(ranked.t >= 0.0 && ranked.t <= motion.duration(),
          name + ": the instant of their least slack is outside the trajectory");
  for (const CertificatePair& pair : certificate.pairs) {
    if (pair.a != ranked.a || pair.b != ranked.b) continue;
    const double margin = pair.relief.marginDuring({ranked.t, ranked.t}, pair.margin);
    require(ranked.margin == margin, name + ": not the margin of the task at their least slack");
  }
  // A distance at one instant is an upper bound of the least one: the claim may not be below it.
  double least = std::numeric_limits<double>::infinity();
  for (const CertifiedPair& pair : geometry.pairs) {
    const CertifiedBody &a = geometry.bodies[pair.a], &b = geometry.bodies[pair.b];
    if (pair.fixed || a.name != ranked.a || b.name != ranked.b) continue;
    const auto fidelity = fidelityOf(certificate, a.name, b.name);
    least = lowered(least, motion.bodyDistanceAt(pair.a, pair.b, ranked.t,
                                                 fidelity.value_or(MeshFidelity::kHull)));
  }
  require(
      std::isfinite(ranked.distance.upper) && ranked.distance.upper >= least - kInstantTolerance,
      name + ": their distance is not met at the instant given");
}

}  // namespace

/// Requires that the pairs said to be nearest to their margins are, by what the cells prove.
void checkRanking(const CertifiedGeometry& geometry, const Certificate& certificate,
                  CertifiedMotion& motion) {
  std::map<std::pair<std::string, std::string>, double> slacks = provenSlacks(certificate);
  const std::vector<RankedPair>& ranking = certificate.closest_pairs;
  require(ranking.size() <= kRankedPairs && ranking.empty() == slacks.empty(),
          "not as many nearest pairs as there must be");
  double before = -std::numeric_limits<double>::infinity();
  for (const RankedPair& ranked : ranking) {
    const std::string name = "'" + ranked.a + "' and '" + ranked.b + "'";
    const auto proven = slacks.find({ranked.a, ranked.b});
    require(proven != slacks.end(), name + " come twice among the nearest pairs, or are no pair");
    require(ranked.distance.lower <= ranked.distance.upper &&
                ranked.slack() <= proven->second + kRankRounding,
            name + ": their least slack is not proven by the cells");
    require(ranked.slack() >= before, "the nearest pairs are not in their order");
    before = ranked.slack();
    checkRankedInstant(geometry, certificate, ranked, motion);
    slacks.erase(proven);
  }
  // What is left has at least the slack of the last one listed.
  for (const auto& [pair, slack] : slacks) {
    require(slack >= before - kRankRounding,
            "'" + pair.first + "' and '" + pair.second + "' are missing among the nearest pairs");
  }
}

}  // namespace allclear
