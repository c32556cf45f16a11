// Partitions of space into convex cells, so that capsules about what is in each have a small union.
//
// A partition of n + 1 cells comes from one of n by cutting a cell with a plane. All sequences of
// cuts are too many, and taking the best cut at each step leads into dead ends. A beam search is
// between the two: it keeps the few best partitions of each count and cuts each of their cells in
// its few best ways. Equal slabs, columns and blocks compete in addition: the single cuts that lead
// to them may look poor. The best few of each count are polished (partition_polish.cpp).
//
// Fits are rough at first and better for what remains: rough capsules for all cuts of a cell, good
// ones for the few best, the union's volume for whole partitions. All of it works on samples:
// nothing here has to enclose anything. capsule_set.cpp encloses the solids exactly along the cuts
// found.
#include "allclear/distance/fit/partition.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "allclear/distance/fit/enclose.h"
#include "allclear/distance/fitting.h"

namespace allclear::fitting {
namespace {

constexpr int kOffsets = 9;           // parallel planes tried per direction
constexpr int kRefined = 6;           // of the rough cuts
constexpr std::size_t kBranches = 3;  // cuts of a cell that are followed
constexpr std::size_t kBeam = 3;      // partitions that are followed
constexpr int kManySamples = 120;     // above, only extreme ones are enclosed while searching
constexpr int kExtremeDirections = 32;
constexpr std::size_t kPolished = 2;
constexpr double kLeastRadius = 1e-12;  // unit coordinates: a capsule about one point needs one
constexpr double kPointLike = 1e-6;     // unit coordinates: a shorter axis has no direction
constexpr double kSameVolume = 1e-9;    // relative: the same cuts in another order
constexpr double kSameNormal = 0.985;   // cosine of 10 degrees: cuts that differ by less compete
constexpr double kNewDirection =
    0.9;                    // cosine of 26 degrees: the cuts that are followed differ more
constexpr int kLines = 32;  // for unions

double unionVolume(const std::vector<const CapsuleFit*>& fits, int lines) {
  std::vector<Geometry> capsules;
  for (const CapsuleFit* fit : fits) {
    const Segment& s = fit->segment;
    const double length = s.length();
    const Vec3 d = length > 0.0 ? Vec3((s.b - s.a) / length) : Vec3(Vec3::UnitZ());
    capsules.push_back(
        {Capsule(std::max(fit->radius, kLeastRadius), length), poseAlong(0.5 * (s.a + s.b), d)});
  }
  return capsuleUnionVolume(capsules, lines);
}

struct Cut {
  Plane plane;
  Cell below, above;
  double volume = std::numeric_limits<double>::infinity();
};

/// Distributes the cell's samples to the sides of the plane. False when one side stays empty.
bool divide(const Cell& cell, const Plane& plane, Cut* cut) {
  cut->plane = plane;
  cut->below.samples.clear();
  cut->above.samples.clear();
  for (const Sample& b : cell.samples) {
    (plane.height(b.key) <= 0.0 ? cut->below : cut->above).samples.push_back(b);
  }
  return !cut->below.samples.empty() && !cut->above.samples.empty();
}

/// The best rough capsule of a few likely axes.
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
  return length > kPointLike ? Vec3((fit.segment.b - fit.segment.a) / length) : Vec3(Vec3::UnitZ());
}

/// Rates a cut by the sum of two rough capsules' volumes.
void fitRoughly(const Vec3& axis, Cut* cut) {
  cut->below.fit = roughFit(hullBalls(cut->below.samples), axis, cut->plane.normal);
  cut->above.fit = roughFit(hullBalls(cut->above.samples), axis, cut->plane.normal);
  cut->volume = cut->below.fit.volume() + cut->above.fit.volume();
}

/// Rates a cut by the union of two good capsules. 24 lines tell cuts apart well enough.
void fitWell(const Vec3& axis, Cut* cut) {
  const Vec3 axes[] = {axis, cut->plane.normal};
  for (Cell* side : {&cut->below, &cut->above}) side->fit = quickCapsule(side->samples, axes);
  cut->volume = unionVolume({&cut->below.fit, &cut->above.fit}, 24);
}

/// Normals of the cuts to try: across the cell's capsule, the samples' principal axes, the body's
/// axes and the diagonals between them.
std::vector<Vec3> cutNormals(const Cell& cell) {
  std::vector<Ball> balls;
  for (const Sample& b : cell.samples) balls.push_back(b.ball);
  const Mat3 principal = principalAxes(balls);
  std::vector<Vec3> normals;  // no two within 10 degrees
  const auto add = [&](const Vec3& n) {
    for (const Vec3& other : normals) {
      if (std::abs(n.dot(other)) > kSameNormal) return;
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

/// Range of the samples' keys along a direction.
Interval spread(const Cell& cell, const Vec3& normal) {
  Interval range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const Sample& b : cell.samples) {
    range.lower = std::min(range.lower, normal.dot(b.key));
    range.upper = std::max(range.upper, normal.dot(b.key));
  }
  return range;
}

// The best cuts of a cell, the best first. Their directions differ: three versions of one cut would
// waste the beam.
std::vector<Cut> bestCuts(const Cell& cell) {
  const Vec3 axis = axisDirection(cell.fit);
  std::vector<Cut> cuts;
  // Rough fits of many cuts, good fits of the best of these.
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
  const auto smaller = [](const Cut& a, const Cut& b) { return a.volume < b.volume; };
  std::stable_sort(cuts.begin(), cuts.end(), smaller);
  if (cuts.size() > kRefined) cuts.resize(kRefined);
  for (Cut& cut : cuts) fitWell(axis, &cut);
  std::stable_sort(cuts.begin(), cuts.end(), smaller);
  std::vector<Cut> best;
  for (Cut& cut : cuts) {
    const bool new_direction = std::none_of(best.begin(), best.end(), [&](const Cut& other) {
      return std::abs(other.plane.normal.dot(cut.plane.normal)) > kNewDirection;
    });
    if (new_direction && best.size() < kBranches) best.push_back(std::move(cut));
  }
  for (Cut& cut : best) {
    cut.below.planes = cut.above.planes = cell.planes;
    cut.below.planes.push_back(cut.plane);
    cut.above.planes.push_back(cut.plane.flipped());
  }
  return best;
}

// A cell with its best cuts, computed when first used: several partitions may share it.
struct CellNode {
  Cell cell;
  bool is_cut = false;
  std::vector<std::pair<std::shared_ptr<CellNode>, std::shared_ptr<CellNode>>> children;

  explicit CellNode(Cell c) : cell(std::move(c)) {}
  void cut() {
    if (is_cut) return;
    is_cut = true;
    for (Cut& c : bestCuts(cell)) {
      children.emplace_back(std::make_shared<CellNode>(std::move(c.below)),
                            std::make_shared<CellNode>(std::move(c.above)));
    }
  }
};

/// A partition during the search.
struct Branch {
  std::vector<std::shared_ptr<CellNode>> nodes;
  double volume = 0.0;

  Partition partition() const {
    Partition result{{}, volume};
    for (const auto& node : nodes) result.cells.push_back(node->cell);
    return result;
  }
};

// The best few partitions that one more cut of those in the beam leads to, the best first.
std::vector<Branch> cutFurther(const std::vector<Branch>& beam) {
  std::vector<Branch> next;
  for (const Branch& now : beam) {
    for (std::size_t i = 0; i < now.nodes.size(); ++i) {
      now.nodes[i]->cut();
      for (const auto& [below, above] : now.nodes[i]->children) {
        Branch branch = now;
        branch.nodes[i] = below;
        branch.nodes.push_back(above);
        std::vector<const CapsuleFit*> fits;
        for (const auto& node : branch.nodes) fits.push_back(&node->cell.fit);
        branch.volume = unionVolume(fits, kLines);
        next.push_back(std::move(branch));
      }
    }
  }
  std::stable_sort(next.begin(), next.end(),
                   [](const Branch& a, const Branch& b) { return a.volume < b.volume; });
  // The same cuts in another order give the same volume.
  next.erase(std::unique(next.begin(), next.end(),
                         [](const Branch& a, const Branch& b) {
                           return std::abs(a.volume - b.volume) < kSameVolume * a.volume;
                         }),
             next.end());
  if (next.size() > kBeam) next.resize(kBeam);
  return next;
}

/// Polishes the best few partitions and returns the best of these.
Partition bestPolished(const std::vector<Sample>& samples, std::vector<Partition> partitions) {
  const auto smaller = [](const Partition& a, const Partition& b) { return a.volume < b.volume; };
  std::stable_sort(partitions.begin(), partitions.end(), smaller);
  if (partitions.size() > kPolished) partitions.resize(kPolished);
  for (Partition& partition : partitions) polishPartition(samples, &partition);
  return *std::min_element(partitions.begin(), partitions.end(), smaller);
}

}  // namespace

std::vector<Ball> hullBalls(const std::vector<Sample>& samples) {
  std::vector<Ball> balls;
  // Of many samples: all that are balls, and the extreme points.
  if (samples.size() <= kManySamples) {
    for (const Sample& b : samples) balls.push_back(b.ball);
    return balls;
  }
  std::vector<Vec3> points;
  for (const Sample& b : samples) {
    if (b.ball.radius > 0.0) {
      balls.push_back(b.ball);
    } else {
      points.push_back(b.ball.center);
    }
  }
  if (points.empty()) return balls;
  for (int i : extremePoints(points, kExtremeDirections)) balls.push_back({points[i], 0.0});
  return balls;
}

CapsuleFit quickCapsule(const std::vector<Sample>& samples, std::span<const Vec3> axes) {
  return searchCapsule(hullBalls(samples), axes, {2, 14, false});
}

double unionVolume(std::span<const Cell> cells, int lines) {
  std::vector<const CapsuleFit*> fits;
  for (const Cell& cell : cells) fits.push_back(&cell.fit);
  return unionVolume(fits, lines);
}

std::vector<Partition> searchPartitions(const std::vector<Sample>& samples, int max_count,
                                        double enough_volume) {
  // One cell: all of space.
  Cell all{{}, samples, {}};
  const std::vector<Ball> balls = hullBalls(samples);
  all.fit = searchCapsule(balls, {}, {3, 30, true});
  std::vector<Partition> grids = gridPartitions(samples, principalAxes(balls), max_count);
  for (Partition& grid : gridPartitions(samples, Mat3::Identity(), max_count)) {
    grids.push_back(std::move(grid));
  }
  std::vector<Branch> beam{{{std::make_shared<CellNode>(std::move(all))}, 0.0}};
  beam[0].volume = unionVolume({&beam[0].nodes[0]->cell.fit}, kLines);
  std::vector<Partition> best{beam[0].partition()};
  while (static_cast<int>(best.size()) < max_count && best.back().volume > enough_volume) {
    beam = cutFurther(beam);
    // The best partition of the next count: from the beam, or a grid of so many cells.
    std::vector<Partition> next;
    for (const Branch& branch : beam) next.push_back(branch.partition());
    for (const Partition& grid : grids) {
      if (grid.cells.size() == best.size() + 1) next.push_back(grid);
    }
    if (next.empty()) break;
    best.push_back(bestPolished(samples, std::move(next)));
  }
  return best;
}

}  // namespace allclear::fitting
