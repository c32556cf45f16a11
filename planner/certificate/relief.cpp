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
  // Of a pair that may touch, the task's margin there may be negative; of others it never is.
  if (at_start &&
      !(pair.ends.start < pair.margin && (relief.start_margin > 0.0 || pair.ends.leaves) &&
        relief.start_margin >= pair.ends.start - kRounding)) {
    return "not the margin that the task gives it at the start";
  }
  if (at_goal && !(pair.ends.goal < pair.margin && (relief.goal_margin > 0.0 || pair.ends.lands) &&
                   relief.goal_margin >= pair.ends.goal - kRounding)) {
    return "not the margin that the task gives it at the goal";
  }
  if ((at_start && !(relief.until <= kLongestRelief * end)) ||
      (at_goal && !(relief.from >= (1.0 - kLongestRelief) * end))) {
    return "its margin is relaxed for too long";
  }
  return "";
}

namespace {

/// "'a' and 'b' touch until 0.21 s (never more than 0.4 mm deep), 1 mm apart from then on".
std::string touchText(const CertificatePair& pair) {
  const EndRelief& relief = pair.relief;
  const bool at_start = relief.until > 0.0;
  const bool at_goal = relief.from < std::numeric_limits<double>::infinity();
  // Negative where they touch; at a pair that only comes near, a distance.
  const auto kept = [](double margin) {
    return margin < 0.0 ? " (never more than " + millimetres(-margin) + " deep)"
                        : " (at least " + millimetres(margin) + " apart)";
  };
  std::string text = "'" + pair.a + "' and '" + pair.b + "' may touch ";
  if (at_start) text += "until t = " + seconds(relief.until) + kept(relief.start_margin);
  if (at_start && at_goal) text += " and ";
  if (at_goal) text += "from t = " + seconds(relief.from) + " on" + kept(relief.goal_margin);
  return text + ", " + millimetres(pair.margin) + " apart " +
         (at_start && at_goal ? "in between"
          : at_start          ? "from then on"
                              : "before");
}

std::string relaxedText(const CertificatePair& pair) {
  const EndRelief& relief = pair.relief;
  std::string text = "'" + pair.a + "' and '" + pair.b + "' keep ";
  if (relief.until > 0.0) {
    text += millimetres(relief.start_margin) + " during the first " + seconds(relief.until) + ", ";
  }
  if (relief.from < std::numeric_limits<double>::infinity()) {
    text += millimetres(relief.goal_margin) + " from t = " + seconds(relief.from) + " on, ";
  }
  return text + millimetres(pair.margin) + " elsewhere";
}

/// The texts of the pairs with a relief, each two bodies once: their solids share one relief.
template <class Pick, class Say>
std::string reliefsJoined(const std::vector<CertificatePair>& pairs, const Pick& pick,
                          const Say& say) {
  std::string text;
  std::set<std::pair<std::string, std::string>> said;
  for (const CertificatePair& pair : pairs) {
    if (!pair.relief.isNeeded() || !pick(pair) || !said.insert({pair.a, pair.b}).second) continue;
    text += (text.empty() ? "" : "; ") + say(pair);
  }
  return text;
}

}  // namespace

bool mayTouch(const CollisionSettings& settings, const CertificatePair& pair) {
  return holdsPair(settings.leaves, pair.a, pair.b) || holdsPair(settings.lands, pair.a, pair.b);
}

std::vector<std::pair<std::string, bool>> reliefTexts(const CollisionSettings& settings,
                                                      const std::vector<CertificatePair>& pairs) {
  const auto relaxed = [&](const CertificatePair& pair) { return !mayTouch(settings, pair); };
  const auto touches = [&](const CertificatePair& pair) { return mayTouch(settings, pair); };
  std::vector<std::pair<std::string, bool>> texts;
  const std::string keep = reliefsJoined(pairs, relaxed, relaxedText);
  const std::string touch = reliefsJoined(pairs, touches, touchText);
  if (!keep.empty()) texts.emplace_back(keep, false);
  if (!touch.empty()) texts.emplace_back(touch, true);
  return texts;
}

std::string reliefText(const CollisionSettings& settings,
                       const std::vector<CertificatePair>& pairs) {
  std::string text;
  for (const auto& [words, is_touch] : reliefTexts(settings, pairs)) {
    text += text.empty() ? "" : " ";
    text += is_touch ? "Near the ends (leaves, lands) " : "Near the ends (end_margin: relax) ";
    text += words + ".";
  }
  return text;
}

}  // namespace allclear
