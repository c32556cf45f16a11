// A step of an interior point method with slacks s for the rows g(x) - s = 0 solves
//
//   [ H         J^T ] [dx]
//   [     S    -1   ] [ds]  =  b,        S = diag(z / s) > 0, and small entries in place of the
//   [ J  -1         ] [dy]               zeros,
//
// with many more rows than variables x. The pair (s, y) of a row is a 2x2 block
// B = [ss sy; sy yy] that only y links to the rest, by the row v of J. Its Schur complement adds
//
//   - v (B^-1)_yy v^T  =  v v^T S / (1 + ...)
//
// to H: positive where det B < 0, so rows add curvature and what is left is about as large as x.
//
// Stability. Eliminating a block multiplies entries by up to max |B^-1| |v|. Where that exceeds
// 1 / u, as for the slack of a row at its limit near the end of a solve (S without bound), the pair
// stays in the dense matrix, where diagonal pivoting deals with it. u is Ipopt's tolerance for
// pivots of MA27, which Ipopt raises when its own residuals are too large.
//
// Inertia. By Sylvester's law it is that of the blocks plus that of the dense matrix; a block with
// det B < 0 has one eigenvalue of each sign, and no other block is eliminated.
//
// The structure is found, not given: a slack is an unknown linked to one other.
#include "allclear/planner/program/condensed_system.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/assert.h"
#include "allclear/core/stop_scope.h"

namespace allclear {
namespace {

/// The other unknowns that each one shares an entry with; sorted.
std::vector<std::vector<int>> neighboursOf(int size, const std::vector<Entry>& entries) {
  std::vector<std::vector<int>> neighbours(size);
  for (const Entry& e : entries) {
    if (e.row == e.column) continue;
    neighbours[e.row].push_back(e.column);
    neighbours[e.column].push_back(e.row);
  }
  for (std::vector<int>& list : neighbours) {
    throwIfStopped();
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return neighbours;
}

}  // namespace

CondensedSystem::CondensedSystem(int size, const std::vector<Entry>& entries)
    : pair_of_(size, -1), place_(size, -1) {
  const std::vector<std::vector<int>> neighbours = neighboursOf(size, entries);
  findPairs(neighbours);
  // Whatever is in no pair keeps its order in the dense matrix.
  for (int i = 0; i < size; ++i) {
    if (pair_of_[i] < 0) place_[i] = core_size_++;
  }
  for (Pair& pair : pairs_) {
    pair.first = static_cast<int>(links_.size());
    for (int i : neighbours[pair.row]) {
      if (i != pair.slack) links_.push_back({place_[i], 0.0});
    }
    pair.last = static_cast<int>(links_.size());
  }
  makeTargets(entries);
}

/// A slack has one neighbour, its row; no neighbour of a row is in another pair, so that pairs can
/// be eliminated in any order.
void CondensedSystem::findPairs(const std::vector<std::vector<int>>& neighbours) {
  std::vector<bool> must_stay(neighbours.size(), false);
  StopSteps steps;
  for (std::size_t s = 0; s < neighbours.size(); ++s) {
    steps.step();
    if (neighbours[s].size() != 1 || must_stay[s] || pair_of_[s] >= 0) continue;
    const int row = neighbours[s].front();
    if (must_stay[row] || pair_of_[row] >= 0) continue;
    const auto is_other = [&](int i) { return i != static_cast<int>(s); };
    const bool is_free = std::all_of(neighbours[row].begin(), neighbours[row].end(),
                                     [&](int i) { return !is_other(i) || pair_of_[i] < 0; });
    if (!is_free) continue;
    // What a row is linked to stays dense: as the slack or row of another pair it would change when
    // this pair is eliminated.
    for (int i : neighbours[row]) {
      if (is_other(i)) must_stay[i] = true;
    }
    pair_of_[s] = pair_of_[row] = static_cast<int>(pairs_.size());
    Pair& pair = pairs_.emplace_back();
    pair.slack = static_cast<int>(s);
    pair.row = row;
  }
}

void CondensedSystem::makeTargets(const std::vector<Entry>& entries) {
  targets_.reserve(entries.size());
  StopSteps steps;
  for (const Entry& e : entries) {
    steps.step();
    targets_.push_back(targetOf(e.row, e.column));
  }
}

CondensedSystem::Target CondensedSystem::targetOf(int i, int j) const {
  using Kind = Target::Kind;
  if (pair_of_[i] < 0 && pair_of_[j] < 0) return {Kind::kCore, place_[i], place_[j]};
  const int pair = std::max(pair_of_[i], pair_of_[j]);
  const Pair& p = pairs_[pair];
  if (i == j) return {i == p.slack ? Kind::kSlack : Kind::kRow, pair, 0};
  if (pair_of_[i] == pair_of_[j]) return {Kind::kCross, pair, 0};
  // The links of a row are sorted by place.
  const int place = std::max(place_[i], place_[j]);
  const auto link = std::lower_bound(links_.begin() + p.first, links_.begin() + p.last, place,
                                     [](const Link& l, int wanted) { return l.place < wanted; });
  ALLCLEAR_ASSERT(link != links_.begin() + p.last && link->place == place);
  return {Kind::kLink, static_cast<int>(link - links_.begin()), 0};
}

bool CondensedSystem::factor(const double* values, double pivot_tolerance) {
  scatterPairs(values);
  dense_.reset(placeKept(pivot_tolerance));
  scatterCore(values);
  // The dense matrix needs its size first, and with it the decision which pairs stay in it.
  negative_ = 0;
  StopSteps steps;
  for (const Pair& pair : pairs_) {
    steps.step();
    if (pair.kept_at >= 0) {
      keep(pair);
    } else {
      eliminate(pair);
      ++negative_;
    }
  }
  if (!dense_.factor()) return false;
  negative_ += dense_.negativeEigenvalues();
  return true;
}

void CondensedSystem::scatterPairs(const double* values) {
  for (Pair& pair : pairs_) pair.ss = pair.sy = pair.yy = 0.0;
  for (Link& link : links_) link.value = 0.0;
  // Entries at one place add up, so all places start from zero.
  for (std::size_t k = 0; k < targets_.size(); ++k) {
    const Target& target = targets_[k];
    switch (target.kind) {
      case Target::Kind::kCore:
        break;
      case Target::Kind::kSlack:
        pairs_[target.i].ss += values[k];
        break;
      case Target::Kind::kCross:
        pairs_[target.i].sy += values[k];
        break;
      case Target::Kind::kRow:
        pairs_[target.i].yy += values[k];
        break;
      case Target::Kind::kLink:
        links_[target.i].value += values[k];
    }
  }
}

void CondensedSystem::scatterCore(const double* values) {
  for (std::size_t k = 0; k < targets_.size(); ++k) {
    const Target& target = targets_[k];
    if (target.kind == Target::Kind::kCore) dense_.add(target.i, target.j, values[k]);
  }
}

/// Gives the pairs that cannot be eliminated their places after the core. Returns the size of the
/// dense matrix.
int CondensedSystem::placeKept(double pivot_tolerance) {
  int size = core_size_;
  for (Pair& pair : pairs_) {
    pair.kept_at = -1;
    if (canEliminate(pair, pivot_tolerance)) continue;
    pair.kept_at = size;
    size += 2;
  }
  return size;
}

/// What is not finite stays in the dense matrix, which finds it.
bool CondensedSystem::canEliminate(const Pair& pair, double pivot_tolerance) const {
  const double det = pair.ss * pair.yy - pair.sy * pair.sy;
  double largest = 0.0;
  for (int k = pair.first; k < pair.last; ++k) {
    largest = std::max(largest, std::fabs(links_[k].value));
  }
  const double growth = std::max(std::fabs(pair.sy), std::fabs(pair.ss)) * largest;
  return std::isfinite(det) && det < 0.0 && pivot_tolerance * growth <= -det;
}

/// Subtracts v (B^-1)_yy v^T, with (B^-1)_yy = ss / det B.
void CondensedSystem::eliminate(const Pair& pair) {
  const double weight = pair.ss / (pair.sy * pair.sy - pair.ss * pair.yy);
  for (int k = pair.first; k < pair.last; ++k) {
    const double factor = weight * links_[k].value;
    double* const column = dense_.column(links_[k].place);
    for (int l = k; l < pair.last; ++l) column[links_[l].place] += factor * links_[l].value;
  }
}

void CondensedSystem::keep(const Pair& pair) {
  const int s = pair.kept_at, y = pair.kept_at + 1;
  dense_.add(s, s, pair.ss);
  dense_.add(s, y, pair.sy);
  dense_.add(y, y, pair.yy);
  for (int k = pair.first; k < pair.last; ++k) dense_.add(y, links_[k].place, links_[k].value);
}

// For an eliminated pair with right sides (b_s, b_y): the dense right side gets less
// v (B^-1 b)_y; then (ds, dy) = B^-1 (b_s, b_y - v . dx).
void CondensedSystem::solve(double* b) {
  dense_rhs_.assign(dense_.size(), 0.0);
  for (std::size_t i = 0; i < place_.size(); ++i) {
    if (place_[i] >= 0) dense_rhs_[place_[i]] = b[i];
  }
  for (const Pair& pair : pairs_) {
    if (pair.kept_at >= 0) {
      dense_rhs_[pair.kept_at] = b[pair.slack];
      dense_rhs_[pair.kept_at + 1] = b[pair.row];
      continue;
    }
    const double det = pair.ss * pair.yy - pair.sy * pair.sy;
    const double y = (pair.ss * b[pair.row] - pair.sy * b[pair.slack]) / det;
    for (int k = pair.first; k < pair.last; ++k) dense_rhs_[links_[k].place] -= links_[k].value * y;
  }
  dense_.solve(dense_rhs_.data());
  // Back from the dense unknowns to the pairs.
  for (std::size_t i = 0; i < place_.size(); ++i) {
    if (place_[i] >= 0) b[i] = dense_rhs_[place_[i]];
  }
  for (const Pair& pair : pairs_) {
    if (pair.kept_at >= 0) {
      b[pair.slack] = dense_rhs_[pair.kept_at];
      b[pair.row] = dense_rhs_[pair.kept_at + 1];
      continue;
    }
    double b_y = b[pair.row];
    for (int k = pair.first; k < pair.last; ++k)
      b_y -= links_[k].value * dense_rhs_[links_[k].place];
    const double det = pair.ss * pair.yy - pair.sy * pair.sy;
    const double b_s = b[pair.slack];
    b[pair.slack] = (pair.yy * b_s - pair.sy * b_y) / det;
    b[pair.row] = (pair.ss * b_y - pair.sy * b_s) / det;
  }
}

}  // namespace allclear
