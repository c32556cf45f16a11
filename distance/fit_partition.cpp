#include "allclear/distance/fit_partition.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "allclear/distance/fit_enclose.h"
#include "allclear/distance/volume.h"

namespace allclear::fitting {
namespace {

constexpr int kOffsets = 9;     // parallel planes tried per direction
constexpr int kRefined = 6;     // of the rough cuts
constexpr int kManyBits = 120;  // above, only extreme ones are enclosed while searching
constexpr int kExtremeDirections = 32;
constexpr double kSmallestMove = 0.02;  // of the cell's size, of a plane

struct Cut {
  Plane plane;
  Cell below, above;
  double volume = std::numeric_limits<double>::infinity();
};

std::vector<Ball> hullBalls(const std::vector<Bit>& bits) {
  std::vector<Ball> balls;
  if (bits.size() <= kManyBits) {
    for (const Bit& b : bits) balls.push_back(b.ball);
    return balls;
  }
  std::vector<Vec3> points;
  std::vector<int> index;
  for (int i = 0; i < static_cast<int>(bits.size()); ++i) {
    if (bits[i].ball.radius > 0.0) {
      balls.push_back(bits[i].ball);
    } else {
      points.push_back(bits[i].ball.center);
    }
  }
  if (points.empty()) return balls;
  for (int i : extremePoints(points, kExtremeDirections)) balls.push_back({points[i], 0.0});
  return balls;
}

bool divide(const Cell& cell, const Plane& plane, Cut* cut) {
  cut->plane = plane;
  cut->below.bits.clear();
  cut->above.bits.clear();
  for (const Bit& b : cell.bits) {
    (plane.height(b.key) <= 0.0 ? cut->below : cut->above).bits.push_back(b);
  }
  return !cut->below.bits.empty() && !cut->above.bits.empty();
}

CapsuleFit roughFit(std::span<const Ball> balls, const Vec3& axis, const Vec3& normal) {
  const Mat3 principal = principalAxes(balls);
  CapsuleFit best;
  double volume = std::numeric_limits<double>::infinity();
  for (const Vec3& d :
       {Vec3(principal.col(0)), Vec3(principal.col(1)), Vec3(principal.col(2)), axis, normal}) {
    const CapsuleFit fit = roughCapsule(balls, d);
    if (fit.volume() < volume) {
      volume = fit.volume();
      best = fit;
    }
  }
  return best;
}

Vec3 axisDirection(const CapsuleFit& fit) {
  const double length = fit.segment.length();
  return length > 1e-6 ? Vec3((fit.segment.b - fit.segment.a) / length) : Vec3(Vec3::UnitZ());
}

void fitRoughly(const Vec3& axis, Cut* cut) {
  cut->below.fit = roughFit(hullBalls(cut->below.bits), axis, cut->plane.normal);
  cut->above.fit = roughFit(hullBalls(cut->above.bits), axis, cut->plane.normal);
  cut->volume = cut->below.fit.volume() + cut->above.fit.volume();
}

void fitWell(const Vec3& axis, Cut* cut) {
  const Vec3 axes[] = {axis, cut->plane.normal};
  const CapsuleSearchEffort effort{2, 14, false};
  for (Cell* side : {&cut->below, &cut->above}) {
    side->fit = searchCapsule(hullBalls(side->bits), axes, effort);
  }
  const Cell pair[] = {cut->below, cut->above};
  cut->volume = unionVolume(pair, 32);
}

// The same bits but for a few: the present capsules are good starts.
void fitAgain(const Cut& before, Cut* cut) {
  cut->below.fit = refineCapsule(hullBalls(cut->below.bits), before.below.fit, 8);
  cut->above.fit = refineCapsule(hullBalls(cut->above.bits), before.above.fit, 8);
  const Cell pair[] = {cut->below, cut->above};
  cut->volume = unionVolume(pair, 32);
}

std::vector<Vec3> cutNormals(const Cell& cell) {
  std::vector<Ball> balls;
  for (const Bit& b : cell.bits) balls.push_back(b.ball);
  const Mat3 principal = principalAxes(balls);
  std::vector<Vec3> normals;
  const auto add = [&](const Vec3& n) {
    for (const Vec3& other : normals) {
      if (std::abs(n.dot(other)) > 0.985) return;
    }
    normals.push_back(n);
  };
  add(axisDirection(cell.fit));
  for (int k = 0; k < 3; ++k) add(principal.col(k));
  for (int k = 0; k < 3; ++k) add(Vec3::Unit(k));
  for (const Vec3& n : {Vec3(1, 1, 0), Vec3(1, -1, 0), Vec3(1, 0, 1), Vec3(1, 0, -1), Vec3(0, 1, 1),
                        Vec3(0, 1, -1)}) {
    add(n.normalized());
  }
  return normals;
}

Interval spread(const Cell& cell, const Vec3& normal) {
  Interval range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const Bit& b : cell.bits) {
    range.lower = std::min(range.lower, normal.dot(b.key));
    range.upper = std::max(range.upper, normal.dot(b.key));
  }
  return range;
}

// Moves and tilts the plane while that helps.
void improve(const Cell& cell, Cut* best) {
  const double size = std::max(1e-12, spread(cell, best->plane.normal).length());
  Vec3 middle = Vec3::Zero();
  for (const Bit& b : cell.bits) middle += b.key;
  middle /= static_cast<double>(cell.bits.size());
  for (double move = 0.08; move > kSmallestMove; move *= 0.5) {
    for (int i = 0; i < 6; ++i) {
      const double sign = i % 2 == 0 ? 1.0 : -1.0;
      Plane plane = best->plane;
      if (i < 2) {
        plane.offset += sign * move * size;
      } else {  // about the point of the plane below the middle
        const Vec3 pivot = middle - plane.height(middle) * plane.normal;
        const Mat3 R = poseAlong(Vec3::Zero(), plane.normal).R;
        plane.normal = (plane.normal + sign * 2.0 * move * R.col(i / 2 - 1)).normalized();
        plane.offset = plane.normal.dot(pivot);
      }
      Cut next;
      if (!divide(cell, plane, &next)) continue;
      fitAgain(*best, &next);
      if (next.volume < best->volume) *best = std::move(next);
    }
  }
}

std::optional<Cut> bestCut(const Cell& cell) {
  const Vec3 axis = axisDirection(cell.fit);
  std::vector<Cut> cuts;
  for (const Vec3& normal : cutNormals(cell)) {
    const Interval range = spread(cell, normal);
    for (int i = 1; i <= kOffsets; ++i) {
      const double offset = range.lower + range.length() * i / (kOffsets + 1.0);
      Cut cut;
      if (!divide(cell, {normal, offset}, &cut)) continue;
      fitRoughly(axis, &cut);
      cuts.push_back(std::move(cut));
    }
  }
  if (cuts.empty()) return std::nullopt;
  const auto smaller = [](const Cut& a, const Cut& b) { return a.volume < b.volume; };
  std::stable_sort(cuts.begin(), cuts.end(), smaller);
  if (cuts.size() > kRefined) cuts.resize(kRefined);
  for (Cut& cut : cuts) fitWell(axis, &cut);
  Cut best = *std::min_element(cuts.begin(), cuts.end(), smaller);
  improve(cell, &best);
  best.below.planes = best.above.planes = cell.planes;
  best.below.planes.push_back(best.plane);
  best.above.planes.push_back(best.plane.flipped());
  return best;
}

}  // namespace

double unionVolume(std::span<const Cell> cells, int lines) {
  std::vector<Geometry> capsules;
  for (const Cell& cell : cells) {
    const Segment& s = cell.fit.segment;
    const double length = s.length();
    const Vec3 d = length > 0.0 ? Vec3((s.b - s.a) / length) : Vec3(Vec3::UnitZ());
    capsules.push_back(
        {Capsule(std::max(cell.fit.radius, 1e-12), length), poseAlong(0.5 * (s.a + s.b), d)});
  }
  return capsuleUnionVolume(capsules, lines);
}

std::vector<std::vector<Cell>> growPartitions(
    std::vector<Bit> bits, int max_count,
    const std::function<bool(const std::vector<Cell>&)>& enough) {
  Cell all{{}, std::move(bits), {}};
  all.fit = searchCapsule(hullBalls(all.bits), {}, {3, 30, true});
  std::vector<std::vector<Cell>> partitions{{all}};
  std::vector<std::optional<Cut>> cuts{std::nullopt};
  if (max_count > 1 && !enough(partitions.back())) cuts[0] = bestCut(all);
  while (static_cast<int>(partitions.back().size()) < max_count && !enough(partitions.back())) {
    const std::vector<Cell>& now = partitions.back();
    std::vector<Cell> best;
    std::size_t chosen = 0;
    double best_volume = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (!cuts[i]) continue;
      std::vector<Cell> next = now;
      next[i] = cuts[i]->below;
      next.push_back(cuts[i]->above);
      const double volume = unionVolume(next, 48);
      if (volume < best_volume) {
        best_volume = volume;
        best = std::move(next);
        chosen = i;
      }
    }
    if (best.empty()) break;
    partitions.push_back(std::move(best));
    const std::vector<Cell>& grown = partitions.back();
    cuts.resize(grown.size());
    if (static_cast<int>(grown.size()) == max_count) break;
    cuts[chosen] = bestCut(grown[chosen]);
    cuts.back() = bestCut(grown.back());
  }
  return partitions;
}

}  // namespace allclear::fitting
