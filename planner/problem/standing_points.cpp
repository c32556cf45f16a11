#include "allclear/planner/problem/standing_points.h"

#include <cmath>
#include <numbers>
#include <type_traits>

namespace allclear {
namespace {

/// Points that stand for the rim of a round face. Their polygon lies inside of the circle: the
/// support is never overestimated, and by less than half a percent of the radius underestimated.
constexpr int kRimPoints = 32;

void addRim(double radius, double z, std::vector<Vec3>* out) {
  for (int i = 0; i < kRimPoints; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kRimPoints;
    out->push_back({radius * std::cos(angle), radius * std::sin(angle), z});
  }
}

/// Points of a shape, its lowest ones among them when it stands on a face or rolls on a round side.
struct StandingPoints {
  const Mat3& R_WG;
  std::vector<Vec3> operator()(const Box& box) const {
    std::vector<Vec3> out;
    for (int i = 0; i < 8; ++i) {
      out.push_back(
          box.halfSize().cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
    }
    return out;
  }
  std::vector<Vec3> operator()(const Cylinder& cylinder) const {
    std::vector<Vec3> out;
    addRim(cylinder.radius(), -0.5 * cylinder.length(), &out);
    addRim(cylinder.radius(), 0.5 * cylinder.length(), &out);
    return out;
  }
  std::vector<Vec3> operator()(const Cone& cone) const {
    std::vector<Vec3> out{Vec3(0, 0, 0.5 * cone.length())};
    addRim(cone.radius(), -0.5 * cone.length(), &out);
    return out;
  }
  std::vector<Vec3> operator()(const ConvexMesh& mesh) const { return mesh.points(); }
  std::vector<Vec3> operator()(const TriangleMesh& mesh) const { return mesh.vertices(); }
  std::vector<Vec3> operator()(const HalfSpace&) const { return {}; }
  template <class Round>
  std::vector<Vec3> operator()(const Round& shape) const {
    // The world's downward direction in the shape's frame; the support point of a round shape.
    const Vec3 down = -R_WG.row(2).transpose();
    if constexpr (std::is_same_v<Round, Sphere>) {
      return {shape.radius() * down};
    } else if constexpr (std::is_same_v<Round, Capsule>) {
      const Vec3 end(0, 0, 0.5 * shape.length());
      return {end + shape.radius() * down, shape.radius() * down - end};
    } else {
      const Vec3 scaled = shape.radii().cwiseProduct(down);
      return {shape.radii().cwiseProduct(scaled) / scaled.norm()};
    }
  }
};

}  // namespace

std::vector<Vec3> standingPoints(const Shape& shape, const Mat3& R_WG) {
  return std::visit(StandingPoints{R_WG}, shape);
}

}  // namespace allclear
