#include "allclear/planner/seeds/path_shortcut.h"

#include <algorithm>

namespace allclear {
namespace {

/// A point of a path: on the segment after vertex `segment`.
struct PathPoint {
  int segment;
  VecX q;
};

PathPoint pointAt(const ConfigurationSpace& space, const std::vector<VecX>& path, double at) {
  const int last = static_cast<int>(path.size()) - 2;
  for (int i = 0; i <= last; ++i) {
    const VecX step = path[i + 1] - path[i];
    const double length = space.length(step);
    if (at <= length || i == last) {
      return {i, path[i] + (length > 0.0 ? std::min(1.0, at / length) : 0.0) * step};
    }
    at -= length;
  }
  return {last, path.back()};
}

/// From every vertex kept, straight to the farthest one that can be reached (by halving).
std::vector<VecX> withoutDetours(SegmentCertifier& certifier, const std::vector<VecX>& path,
                                 double extra, const SearchBudget& budget) {
  std::vector<VecX> out{path.front()};
  const int last = static_cast<int>(path.size()) - 1;
  for (int i = 0; i < last;) {
    int next = i + 1;
    for (int stride = last - i; stride > 1 && !budget.over(); stride /= 2) {
      if (!certifier.isClear(path[i], path[i + stride], extra)) continue;
      next = i + stride;
      break;
    }
    out.push_back(path[next]);
    i = next;
  }
  return out;
}

/// Replaces what lies between two points of the path by a straight segment.
std::vector<VecX> cut(const std::vector<VecX>& path, const PathPoint& a, const PathPoint& b) {
  std::vector<VecX> out(path.begin(), path.begin() + a.segment + 1);
  if ((a.q - out.back()).norm() > 1e-12) out.push_back(a.q);
  if ((b.q - path[b.segment + 1]).norm() > 1e-12) out.push_back(b.q);
  out.insert(out.end(), path.begin() + b.segment + 1, path.end());
  return out;
}

}  // namespace

std::vector<VecX> shortened(const ConfigurationSpace& space, SegmentCertifier& certifier,
                            std::vector<VecX> path, const ShortcutOptions& options,
                            const SearchBudget& budget, RandomStream& random) {
  if (path.size() <= 2) return path;
  path = withoutDetours(certifier, path, options.extra, budget);
  double length = pathLength(space, path);
  int idle = 0;
  for (int round = 0; round < options.rounds && idle < options.patience; ++round, ++idle) {
    if (path.size() <= 2 || budget.over()) break;
    double from = length * random.uniform();
    double to = length * random.uniform();
    if (from > to) std::swap(from, to);
    const PathPoint a = pointAt(space, path, from);
    const PathPoint b = pointAt(space, path, to);
    const double gain = (to - from) - space.length(b.q - a.q);
    if (a.segment == b.segment || gain < 1e-3 * length) continue;
    if (!certifier.isClear(a.q, b.q, options.extra)) continue;
    path = cut(path, a, b);
    if (gain > 1e-2 * length) idle = 0;
    length = pathLength(space, path);
  }
  return withoutDetours(certifier, path, options.extra, budget);
}

}  // namespace allclear
