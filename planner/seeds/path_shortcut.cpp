#include "allclear/planner/seeds/path_shortcut.h"

#include <algorithm>

namespace allclear {
namespace {

/// Points nearer than this [rad or m] count as one vertex: rounding of a point on a segment.
constexpr double kSamePoint = 1e-12;
// Shares of the path's length: a cut that gains less is not made, and one that gains less than
// `kNotableGain` does not renew the patience.
constexpr double kLeastGain = 1e-3;
constexpr double kNotableGain = 1e-2;

/// A point of a path: on the segment after vertex `segment`.
struct PathPoint {
  int segment;
  VecX q;
};

/// The point at the length `at` [m] from the start.
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

/// Goes straight from each kept vertex to a far one that it can reach. Tries the last vertex, then
/// half the way to it, and so on: few proofs, most of which fail early.
std::vector<VecX> withoutDetours(FreeMotion& motion, const std::vector<VecX>& path,
                                 const RunContext& context) {
  std::vector<VecX> out{path.front()};
  const int last = static_cast<int>(path.size()) - 1;
  for (int i = 0; i < last;) {
    int next = i + 1;
    // Halve the stride until the segment is proved; the next vertex needs no proof.
    for (int stride = last - i; stride > 1 && !context.mustEnd(); stride /= 2) {
      if (!motion.allows(path[i], path[i + stride])) continue;
      next = i + stride;
      break;
    }
    out.push_back(path[next]);
    i = next;
  }
  return out;
}

/// Replaces the part between two points of the path by a straight segment.
std::vector<VecX> cut(const std::vector<VecX>& path, const PathPoint& a, const PathPoint& b) {
  std::vector<VecX> out(path.begin(), path.begin() + a.segment + 1);
  if ((a.q - out.back()).norm() > kSamePoint) out.push_back(a.q);
  if ((b.q - path[b.segment + 1]).norm() > kSamePoint) out.push_back(b.q);
  out.insert(out.end(), path.begin() + b.segment + 1, path.end());
  return out;
}

}  // namespace

std::vector<VecX> shortened(FreeMotion& motion, std::vector<VecX> path,
                            const ShortcutOptions& options, const RunContext& context,
                            RandomStream& random) {
  if (path.size() <= 2) return path;
  const ConfigurationSpace& space = motion.space();
  path = withoutDetours(motion, path, context);
  // Random cuts between two points of the path, wherever these lie on its segments.
  double length = pathLength(space, path);
  int idle = 0;
  for (int round = 0; round < options.rounds && idle < options.patience; ++round, ++idle) {
    if (path.size() <= 2 || context.mustEnd()) break;
    double from = length * random.uniform();
    double to = length * random.uniform();
    if (from > to) std::swap(from, to);
    const PathPoint a = pointAt(space, path, from);
    const PathPoint b = pointAt(space, path, to);
    const double gain = (to - from) - space.length(b.q - a.q);
    if (a.segment == b.segment || gain < kLeastGain * length) continue;
    if (!motion.allows(a.q, b.q)) continue;
    path = cut(path, a, b);
    if (gain > kNotableGain * length) idle = 0;
    length = pathLength(space, path);
  }
  return withoutDetours(motion, path, context);
}

}  // namespace allclear
