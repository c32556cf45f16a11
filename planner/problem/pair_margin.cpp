#include "allclear/planner/problem/pair_margin.h"

#include <algorithm>
#include <optional>

namespace allclear {

double pairMargin(const CollisionSettings& settings, const std::string& a, const std::string& b) {
  std::optional<double> of_both, of_one;  // the largest so far; margins are not negative
  for (const PairMargin& entry : settings.pair_margins) {
    if (entry.b.empty()) {
      if (entry.a == a || entry.a == b) of_one = std::max(of_one.value_or(0.0), entry.margin);
    } else if ((entry.a == a && entry.b == b) || (entry.a == b && entry.b == a)) {
      of_both = std::max(of_both.value_or(0.0), entry.margin);
    }
  }
  if (of_both) return *of_both;
  // A gap is a margin of all pairs: what is asked of one body may only add to it.
  double margin = of_one.value_or(settings.margin);
  for (const MinimumGap& gap : settings.gaps) margin = std::max(margin, gap.gap);
  return margin;
}

}  // namespace allclear
