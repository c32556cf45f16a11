// Several capsules: space is cut by planes into convex cells, and a capsule encloses what of the
// solids lies in each. Every triangle is cut along with them, so that all surface is enclosed. The
// solids' insides are too: in a convex cell the part of a solid is the hull of its surface there
// and of those corners of the cell that lie inside the solid (any other point of it lies between
// two more), which are added. The cuts are searched on points sampled from the surface; what they
// lead to is then enclosed exactly.
#include <algorithm>
#include <cmath>
#include <map>

#include "allclear/distance/fit/enclose.h"
#include "allclear/distance/fit/partition.h"
#include "allclear/distance/fitting.h"
#include "allclear/distance/geometry/convex_hull.h"
#include "allclear/distance/volume.h"

namespace allclear {
namespace fitting {
namespace {

constexpr double kSpacing = 0.08;  // of the samples, in unit coordinates (half the extent is 1)
constexpr double kGrid = 0.04;     // samples that share a cell of this size count once
constexpr double kInside = 0.01;   // winding number above which a point counts as inside

// Samples of the solids, thinned.
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

  void addWhole(const Geometry& g) {
    const Vec3 key = frame_.toUnit(g.X_BG.p);
    Solids solid = gather({&g, 1});
    for (const Ball& b : solid.balls) {
      bits_.push_back({{frame_.toUnit(b.center), b.radius / frame_.scale}, key});
    }
    solid.balls.clear();
    for (const Vec3& p : samplePoints(solid)) bits_.push_back({{frame_.toUnit(p), 0.0}, key});
  }

  std::vector<Bit> take() {
    for (const auto& [cell, p] : thinned_) bits_.push_back({{p, 0.0}, p});
    return std::move(bits_);
  }

 private:
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
  // Of the points of one small cell the first one stays.
  void addPoint(const Vec3& p) {
    std::array<int, 3> cell;
    for (int k = 0; k < 3; ++k) cell[k] = static_cast<int>(std::floor(p[k] / kGrid));
    thinned_.try_emplace(cell, p);
  }

  const UnitFrame& frame_;
  std::map<std::array<int, 3>, Vec3> thinned_;
  std::vector<Bit> bits_;
};

double sampledHullVolume(std::span<const Geometry> shapes, const Solids& solids) {
  if (shapes.size() == 1 && !std::holds_alternative<TriangleMesh>(shapes[0].shape)) {
    return shapeVolume(shapes[0].shape);
  }
  return convexHull(samplePoints(solids)).volume;
}

// What of the solids lies in a cell; its keys decide for whole pieces.
Solids partIn(const Cuttable& pieces, std::span<const Plane> planes) {
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
  for (const Vec3& corner : cellCorners(planes)) {
    if (windingNumber(pieces.closed, corner) > kInside) part.points.push_back(corner);
  }
  return part;
}

bool isEmpty(const Solids& s) {
  return s.points.empty() && s.balls.empty() && s.ellipsoids.empty();
}

// Planes of the unit frame as planes of the body.
std::vector<Plane> planesInBody(const std::vector<Plane>& planes, const UnitFrame& frame) {
  std::vector<Plane> result;
  for (const Plane& plane : planes) {
    result.push_back({plane.normal, frame.scale * plane.offset + plane.normal.dot(frame.center)});
  }
  return result;
}

std::vector<Geometry> encloseCells(const Cuttable& pieces, const std::vector<Cell>& cells,
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
  const Cuttable pieces = cuttable(shapes);
  result.covers_inside = pieces.open.size() == 0;
  const double reference = std::max(result.solid_volume, 1e-6 * result.volume);
  if (options.max_count <= 1 || result.volume <= (1.0 + options.acceptable_excess) * reference) {
    return result;
  }

  const UnitFrame frame(solids);
  Sampler sampler(frame);
  sampler.addSurface(pieces.closed);
  sampler.addSurface(pieces.open);
  for (const Geometry& g : pieces.whole) sampler.addWhole(g);
  const double unit = reference / (frame.scale * frame.scale * frame.scale);
  const std::vector<Bit> bits = sampler.take();
  const std::vector<Partition> partitions =
      searchPartitions(bits, options.max_count, (1.0 + options.acceptable_excess) * unit);

  // Each capsule has its price: the sampled volumes say which partition is worth it.
  const auto price = [&](double volume, std::size_t count) {
    return volume / reference + options.minimum_gain * static_cast<double>(count);
  };
  const std::vector<Cell>* chosen = nullptr;
  double least = price(result.volume, 1);
  for (const Partition& partition : partitions) {
    if (partition.cells.size() < 2) continue;
    const double volume = unionVolume(partition.cells, 96) / unit * reference;
    const double now = price(volume, partition.cells.size());
    if (now < least) {
      least = now;
      chosen = &partition.cells;
    }
  }
  if (chosen == nullptr) return result;
  std::vector<Geometry> capsules = encloseCells(pieces, *chosen, frame);
  const double volume = capsuleUnionVolume(capsules);
  if (price(volume, capsules.size()) < price(result.volume, 1)) {
    result.capsules = std::move(capsules);
    result.volume = volume;
  }
  return result;
}

}  // namespace allclear
