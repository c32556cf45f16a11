// Several capsules: planes cut space into convex cells, and a capsule encloses the part of the
// solids in each cell.
//
// Why all is enclosed. Triangles are cut along the planes, so each cell holds its part of the
// surface exactly. The inside is enclosed too: in a convex cell, the part of a solid is within the
// convex hull of its surface there and of the cell's corners that are inside the solid, and these
// corners are added. (A point of the solid that is no such corner lies on a segment within the cell
// and the solid, whose ends are more extreme: on the surface, or on a face of the cell of lower
// dimension. Repeat with the ends.)
//
// The cuts are searched on points sampled from the surface (partition.cpp); the cells found are
// then enclosed exactly, and the result is kept only when its exact volume is worth it.
#include <algorithm>
#include <cmath>
#include <map>

#include "allclear/distance/fit/enclose.h"
#include "allclear/distance/fit/partition.h"
#include "allclear/distance/fitting.h"
#include "allclear/distance/geometry/convex_hull.h"
#include "allclear/distance/shape.h"

namespace allclear {
namespace fitting {
namespace {

constexpr double kSpacing = 0.08;  // of the samples, in unit coordinates (half the extent is 1)
constexpr double kGrid = 0.04;     // samples that share a cell of this size count once
// Winding number above which a cell's corner counts as inside. 0 outside and 1 inside but for
// rounding and small gaps; a corner too many only makes a capsule larger.
constexpr double kInside = 0.01;
constexpr int kUnionLines = 96;  // of the grid that compares partitions; the search uses fewer
// Of the capsule's volume: what flat solids without volume count as.
constexpr double kLeastVolume = 1e-6;

// Samples of the solids, thinned to about one per cell of a grid.
class Sampler {
 public:
  explicit Sampler(const UnitFrame& frame) : frame_(frame) {}

  void addSurface(const Surface& surface) {
    for (int i = 0; i < surface.size(); ++i) {
      const std::span<const Vec3> corner = surface.polygon(i);
      for (const Vec3& p : corner) addPoint(frame_.toUnit(p));
      if (corner.size() == 2) {
        addTriangle(frame_.toUnit(corner[0]), frame_.toUnit(corner[1]), frame_.toUnit(corner[1]));
      }
      for (std::size_t k = 2; k < corner.size(); ++k) {
        addTriangle(frame_.toUnit(corner[0]), frame_.toUnit(corner[k - 1]),
                    frame_.toUnit(corner[k]));
      }
    }
  }

  // A piece that is not cut: all its samples go to the side of its centre.
  void addWhole(const Geometry& g) {
    const Vec3 key = frame_.toUnit(g.X_BG.p);
    Solids solid = gather({&g, 1});
    for (const Ball& b : solid.balls) {
      samples_.push_back({{frame_.toUnit(b.center), b.radius / frame_.scale}, key});
    }
    solid.balls.clear();
    for (const Vec3& p : samplePoints(solid)) samples_.push_back({{frame_.toUnit(p), 0.0}, key});
  }

  std::vector<Sample> releaseSamples() {
    for (const auto& [cell, p] : thinned_) samples_.push_back({{p, 0.0}, p});
    return std::move(samples_);
  }

 private:
  // A grid of points over the triangle, at most kSpacing apart.
  void addTriangle(const Vec3& a, const Vec3& b, const Vec3& c) {
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    const int n = std::max(1, static_cast<int>(std::ceil(longest / kSpacing)));
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; i + j <= n; ++j) {
        addPoint(a + (b - a) * (static_cast<double>(i) / n) +
                 (c - a) * (static_cast<double>(j) / n));
      }
    }
  }
  // The first point in each small cell stays.
  void addPoint(const Vec3& p) {
    std::array<int, 3> cell;
    for (int k = 0; k < 3; ++k) cell[k] = static_cast<int>(std::floor(p[k] / kGrid));
    thinned_.try_emplace(cell, p);
  }

  const UnitFrame& frame_;
  std::map<std::array<int, 3>, Vec3> thinned_;
  std::vector<Sample> samples_;
};

// Volume of the convex hull: exact of one convex shape, else of points on the solids.
double sampledHullVolume(std::span<const Geometry> shapes, const Solids& solids) {
  if (shapes.size() == 1 && !std::holds_alternative<TriangleMesh>(shapes[0].shape)) {
    return shapeVolume(shapes[0].shape);
  }
  return convexHull(samplePoints(solids)).volume;
}

// The part of the solids in a cell. Whole pieces belong to it when their centres do.
Solids partIn(const CuttableSolids& pieces, std::span<const Plane> planes) {
  Solids part;
  for (const Surface* surface : {&pieces.closed, &pieces.open}) {
    Surface cut = *surface;
    for (const Plane& plane : planes) cut = cut.below(plane);
    part.points.insert(part.points.end(), cut.corners.begin(), cut.corners.end());
  }
  std::vector<Geometry> whole;
  for (const Geometry& g : pieces.whole) {
    const bool inside = std::all_of(planes.begin(), planes.end(), [&](const Plane& plane) {
      return plane.height(g.X_BG.p) <= 0.0;
    });
    if (inside) whole.push_back(g);
  }
  if (!whole.empty()) {
    Solids curved = gather(whole);
    part.balls = std::move(curved.balls);
    part.ellipsoids = std::move(curved.ellipsoids);
  }
  // The cell's corners inside the solids: see the file's opening.
  for (const Vec3& corner : cellCorners(planes)) {
    if (windingNumber(pieces.closed, corner) > kInside) part.points.push_back(corner);
  }
  return part;
}

bool isEmpty(const Solids& s) {
  return s.points.empty() && s.balls.empty() && s.ellipsoids.empty();
}

// Planes given in the unit frame, in the body's frame.
std::vector<Plane> planesInBody(const std::vector<Plane>& planes, const UnitFrame& frame) {
  std::vector<Plane> result;
  for (const Plane& plane : planes) {
    result.push_back({plane.normal, frame.scale * plane.offset + plane.normal.dot(frame.center)});
  }
  return result;
}

// A capsule about the part of the solids in each cell, exactly; cells may turn out empty.
std::vector<Geometry> encloseCells(const CuttableSolids& pieces, const std::vector<Cell>& cells,
                                   const UnitFrame& frame) {
  std::vector<Geometry> capsules;
  for (const Cell& cell : cells) {
    const Solids part = partIn(pieces, planesInBody(cell.planes, frame));
    if (isEmpty(part)) continue;
    const Vec3 axis = (cell.fit.segment.b - cell.fit.segment.a).normalized();
    const Vec3 axes[] = {axis};
    capsules.push_back(encloseByCapsule(part, axes, {4, 60, true}));
  }
  return capsules;
}

// The rating of partitions: the volume relative to `reference`, and a price for each
// capsule.
struct Price {
  double reference;
  double of_capsule;

  double operator()(double volume, std::size_t count) const {
    return volume / reference + of_capsule * static_cast<double>(count);
  }
};

std::vector<Sample> sampled(const CuttableSolids& pieces, const UnitFrame& frame) {
  Sampler sampler(frame);
  sampler.addSurface(pieces.closed);
  sampler.addSurface(pieces.open);
  for (const Geometry& g : pieces.whole) sampler.addWhole(g);
  return sampler.releaseSamples();
}

// The partition into two cells and more with the lowest price below `limit`; null without one.
// `unit`: the reference in unit coordinates.
const Partition* cheapest(const std::vector<Partition>& partitions, const Price& price, double unit,
                          double limit) {
  const Partition* chosen = nullptr;
  for (const Partition& partition : partitions) {
    if (partition.cells.size() < 2) continue;
    const double volume = unionVolume(partition.cells, kUnionLines) / unit * price.reference;
    const double now = price(volume, partition.cells.size());
    if (now < limit) {
      limit = now;
      chosen = &partition;
    }
  }
  return chosen;
}

}  // namespace
}  // namespace fitting

CapsuleSet fitCapsules(std::span<const Geometry> shapes, const CapsuleSetOptions& options) {
  using namespace fitting;
  const Solids solids = gather(shapes);
  CapsuleSet result;
  result.capsules = {fitCapsule(shapes)};
  result.volume = capsuleUnionVolume(result.capsules);
  result.hull_volume = sampledHullVolume(shapes, solids);
  result.solid_volume = std::min(solidVolume(shapes), result.hull_volume);
  const CuttableSolids pieces = cuttableSolids(shapes);
  result.covers_inside = pieces.open.size() == 0;
  const double reference = std::max(result.solid_volume, kLeastVolume * result.volume);
  if (options.max_count <= 1 || result.volume <= (1.0 + options.acceptable_excess) * reference) {
    return result;
  }

  const UnitFrame frame(solids);
  const double unit = reference / (frame.scale * frame.scale * frame.scale);
  const std::vector<Partition> partitions = searchPartitions(
      sampled(pieces, frame), options.max_count, (1.0 + options.acceptable_excess) * unit);
  const Price price{reference, options.minimum_gain};
  const Partition* chosen = cheapest(partitions, price, unit, price(result.volume, 1));
  if (chosen == nullptr) return result;
  // The price again, by the exact capsules.
  std::vector<Geometry> capsules = encloseCells(pieces, chosen->cells, frame);
  const double volume = capsuleUnionVolume(capsules);
  if (price(volume, capsules.size()) < price(result.volume, 1)) {
    result.capsules = std::move(capsules);
    result.volume = volume;
  }
  return result;
}

}  // namespace allclear
