#include "allclear/planner/search/row_budget.h"

#include <algorithm>

namespace allclear {
namespace {

/// Control points of a span, each with all joints: the entries of a row.
constexpr std::size_t kControlsOfRow = 6;

}  // namespace

std::vector<Clearance> affordableRows(const std::vector<Clearance>& near,
                                      const std::set<std::pair<int, int>>& known, int joints,
                                      std::size_t most) {
  const std::size_t rows = most / (kControlsOfRow * static_cast<std::size_t>(std::max(1, joints)));
  if (known.size() + near.size() <= rows) return near;
  std::vector<Clearance> lacking;
  for (const Clearance& c : near) {
    if (!known.contains({c.span, c.pair})) lacking.push_back(c);
  }
  std::stable_sort(lacking.begin(), lacking.end(), [](const Clearance& a, const Clearance& b) {
    return a.upper - a.demand < b.upper - b.demand;
  });
  lacking.resize(std::min(lacking.size(), rows - std::min(rows, known.size())));
  return lacking;
}

}  // namespace allclear
