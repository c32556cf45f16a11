// Beam search over cuts by planes: the few best partitions of each count are cut further, in the
// few best ways for each of their cells; equal slabs, columns and blocks compete with them, for
// single cuts that lead there may look poor.
#include "allclear/distance/fit/partition.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "allclear/distance/fit/enclose.h"
#include "allclear/distance/volume.h"

namespace allclear::fitting {
namespace {

constexpr int kOffsets = 9;           // parallel planes tried per direction
constexpr int kRefined = 6;           // of the rough cuts
constexpr std::size_t kBranches = 3;  // cuts of a cell that are followed
constexpr std::size_t kBeam = 3;      // partitions that are followed
constexpr int kManyBits = 120;        // above, only extreme ones are enclosed while searching
constexpr int kExtremeDirections = 32;
constexpr std::size_t kPolished = 2;
constexpr int kLines = 32;  // for unions

double unionVolume(const std::vector<const CapsuleFit*>& fits, int lines) {
  std::vector<Geometry> capsules;
  for (const CapsuleFit* fit : fits) {
    const Segment& s = fit->segment;
    const double length = s.length();
    const Vec3 d = length > 0.0 ? Vec3((s.b - s.a) / length) : Vec3(Vec3::UnitZ());
    capsules.push_back(
        {Capsule(std::max(fit->radius, 1e-12), length), poseAlong(0.5 * (s.a + s.b), d)});
  }
  return capsuleUnionVolume(capsules, lines);
}

struct Cut {
  Plane plane;
  Cell below, above;
  double volume = std::numeric_limits<double>::infinity();
};

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
  for (Cell* side : {&cut->below, &cut->above}) side->fit = quickCapsule(side->bits, axes);
  cut->volume = unionVolume({&cut->below.fit, &cut->above.fit}, 24);
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

// The best cuts of a cell, their directions differing, the best first.
std::vector<Cut> bestCuts(const Cell& cell) {
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
  const auto smaller = [](const Cut& a, const Cut& b) { return a.volume < b.volume; };
  std::stable_sort(cuts.begin(), cuts.end(), smaller);
  if (cuts.size() > kRefined) cuts.resize(kRefined);
  for (Cut& cut : cuts) fitWell(axis, &cut);
  std::stable_sort(cuts.begin(), cuts.end(), smaller);
  std::vector<Cut> best;
  for (Cut& cut : cuts) {
    const bool new_direction = std::none_of(best.begin(), best.end(), [&](const Cut& other) {
      return std::abs(other.plane.normal.dot(cut.plane.normal)) > 0.9;
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

// A cell that several partitions may share, with its cuts once they are asked for.
struct Node {
  Cell cell;
  bool is_cut = false;
  std::vector<std::pair<std::shared_ptr<Node>, std::shared_ptr<Node>>> children;

  explicit Node(Cell c) : cell(std::move(c)) {}
  void cut() {
    if (is_cut) return;
    is_cut = true;
    for (Cut& c : bestCuts(cell)) {
      children.emplace_back(std::make_shared<Node>(std::move(c.below)),
                            std::make_shared<Node>(std::move(c.above)));
    }
  }
};

struct Branch {
  std::vector<std::shared_ptr<Node>> nodes;
  double volume = 0.0;

  Partition partition() const {
    Partition result{{}, volume};
    for (const auto& node : nodes) result.cells.push_back(node->cell);
    return result;
  }
};

// All partitions that one more cut leads to, the best first, only the first few.
std::vector<Branch> furtherCut(const std::vector<Branch>& beam) {
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
                           return std::abs(a.volume - b.volume) < 1e-9 * a.volume;
                         }),
             next.end());
  if (next.size() > kBeam) next.resize(kBeam);
  return next;
}

Partition bestPolished(const std::vector<Bit>& bits, std::vector<Partition> partitions) {
  const auto smaller = [](const Partition& a, const Partition& b) { return a.volume < b.volume; };
  std::stable_sort(partitions.begin(), partitions.end(), smaller);
  if (partitions.size() > kPolished) partitions.resize(kPolished);
  for (Partition& partition : partitions) polishPartition(bits, &partition);
  return *std::min_element(partitions.begin(), partitions.end(), smaller);
}

}  // namespace

std::vector<Ball> hullBalls(const std::vector<Bit>& bits) {
  std::vector<Ball> balls;
  if (bits.size() <= kManyBits) {
    for (const Bit& b : bits) balls.push_back(b.ball);
    return balls;
  }
  std::vector<Vec3> points;
  for (const Bit& b : bits) {
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

CapsuleFit quickCapsule(const std::vector<Bit>& bits, std::span<const Vec3> axes) {
  return searchCapsule(hullBalls(bits), axes, {2, 14, false});
}

double unionVolume(std::span<const Cell> cells, int lines) {
  std::vector<const CapsuleFit*> fits;
  for (const Cell& cell : cells) fits.push_back(&cell.fit);
  return unionVolume(fits, lines);
}

std::vector<Partition> searchPartitions(const std::vector<Bit>& bits, int max_count,
                                        double enough_volume) {
  Cell all{{}, bits, {}};
  const std::vector<Ball> balls = hullBalls(bits);
  all.fit = searchCapsule(balls, {}, {3, 30, true});
  std::vector<Partition> grids = gridPartitions(bits, principalAxes(balls), max_count);
  for (Partition& grid : gridPartitions(bits, Mat3::Identity(), max_count)) {
    grids.push_back(std::move(grid));
  }
  std::vector<Branch> beam{{{std::make_shared<Node>(std::move(all))}, 0.0}};
  beam[0].volume = unionVolume({&beam[0].nodes[0]->cell.fit}, kLines);
  std::vector<Partition> best{beam[0].partition()};
  while (static_cast<int>(best.size()) < max_count && best.back().volume > enough_volume) {
    beam = furtherCut(beam);
    std::vector<Partition> next;
    for (const Branch& branch : beam) next.push_back(branch.partition());
    for (const Partition& grid : grids) {
      if (grid.cells.size() == best.size() + 1) next.push_back(grid);
    }
    if (next.empty()) break;
    best.push_back(bestPolished(bits, std::move(next)));
  }
  return best;
}

}  // namespace allclear::fitting
