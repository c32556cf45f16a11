// Stretches of time near the ends in which two bodies keep less than their margin.
//
// The distance at the cells' bounds is looked at from the limit of a stretch (`kLongestRelief`)
// towards the end: the last bound at which the margin is kept, all the way there, is where the
// shortest stretch may end. That the margin is kept beyond it, and the lesser one before, is proven
// by the cells like all else; a wrong choice here can only refuse a plan.
#include "allclear/planner/certificate/relief.h"

#include <algorithm>
#include <set>

#include "allclear/core/formatted.h"

namespace allclear {
namespace {

/// [m] Two machines may differ by the rounding of a distance.
constexpr double kRounding = 1e-9;

/// The times that are followed by no loss of the margin, walking from the limit towards the end.
std::vector<double> keptFrom(const std::vector<double>& towards_end, const CertifiedPair& pair,
                             MeshFidelity fidelity, CertifiedMotion& motion) {
  std::vector<double> kept;
  for (double t : towards_end) {
    if (!(motion.bodyDistanceAt(pair.a, pair.b, t, fidelity) >= pair.margin)) break;
    kept.push_back(t);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

std::string millimetres(double metres) { return formatted("%.4g mm", 1e3 * metres); }

std::string seconds(double time) { return formatted("%.4g s", time); }

}  // namespace

ReliefSearch::ReliefSearch(const CertifiedPair& pair, MeshFidelity fidelity,
                           CertifiedMotion& motion)
    : pair_(pair) {
  if (!(std::min(pair.ends.start, pair.ends.goal) < pair.margin)) return;
  const double end = motion.trajectoryEnd();
  std::vector<double> first, last;  // from the limit of the stretch towards the end
  for (const Interval& cell : motion.cells()) {
    if (cell.upper <= kLongestRelief * end) first.insert(first.begin(), cell.upper);
    if (cell.lower >= (1.0 - kLongestRelief) * end && cell.lower < end) last.push_back(cell.lower);
  }
  if (pair.ends.start < pair.margin) until_ = keptFrom(first, pair, fidelity, motion);
  if (pair.ends.goal < pair.margin) from_ = keptFrom(last, pair, fidelity, motion);
}

std::optional<EndRelief> ReliefSearch::stretches(int trial) const {
  EndRelief relief;
  const auto choose = [&](const std::vector<double>& times) {
    return times[std::min(static_cast<std::size_t>(trial), times.size() - 1)];
  };
  // A pair that does not come to its margin in time gets no stretch, and its cells refute it.
  if (!until_.empty()) {
    relief.start_margin = pair_.ends.start;
    relief.until = choose(until_);
  }
  if (!from_.empty()) {
    relief.goal_margin = pair_.ends.goal;
    relief.from = choose(from_);
  }
  const std::size_t longest = std::max(until_.size(), from_.size());
  if (trial > 0 && static_cast<std::size_t>(trial) >= longest) return std::nullopt;
  return relief;
}

std::string reliefFault(const EndRelief& relief, const CertifiedPair& pair,
                        const CertifiedMotion& motion) {
  if (!relief.isNeeded()) return relief == EndRelief{} ? "" : "a relief for no time";
  // Each end by itself: the pair must be too near there, and keep no less than it is given.
  const double end = motion.trajectoryEnd();
  const bool at_start = relief.until > 0.0;
  const bool at_goal = relief.from < std::numeric_limits<double>::infinity();
  if (at_start && !(pair.ends.start < pair.margin && relief.start_margin > 0.0 &&
                    relief.start_margin >= pair.ends.start - kRounding)) {
    return "not the margin that the task gives it at the start";
  }
  if (at_goal && !(pair.ends.goal < pair.margin && relief.goal_margin > 0.0 &&
                   relief.goal_margin >= pair.ends.goal - kRounding)) {
    return "not the margin that the task gives it at the goal";
  }
  if ((at_start && !(relief.until <= kLongestRelief * end)) ||
      (at_goal && !(relief.from >= (1.0 - kLongestRelief) * end))) {
    return "its margin is relaxed for too long";
  }
  return "";
}

std::string reliefText(const std::vector<CertificatePair>& pairs) {
  std::string text;
  std::set<std::pair<std::string, std::string>> said;
  for (const CertificatePair& pair : pairs) {
    // The solids of two bodies share one relief: it is said once.
    const EndRelief& relief = pair.relief;
    if (!relief.isNeeded() || !said.insert({pair.a, pair.b}).second) continue;
    text += (text.empty() ? "'" : "; '") + pair.a + "' and '" + pair.b + "' keep ";
    if (relief.until > 0.0) {
      text +=
          millimetres(relief.start_margin) + " during the first " + seconds(relief.until) + ", ";
    }
    if (relief.from < std::numeric_limits<double>::infinity()) {
      text += millimetres(relief.goal_margin) + " from t = " + seconds(relief.from) + " on, ";
    }
    text += millimetres(pair.margin) + " elsewhere";
  }
  return text;
}

}  // namespace allclear
