// Convex polyhedra given by planes: {x: n_i . x <= d_i}.
//
// Corners are points where three planes meet that no other plane cuts off. All triples are tried:
// there are few planes. Six far planes are added first, so that every polyhedron has an end; a
// corner on one of these says that without them it has none.

#include "allclear/config/values/polyhedron.h"

#include <algorithm>
#include <limits>

#include "allclear/config/values/pose.h"

namespace allclear {
namespace {

constexpr int kMostPlanes = 64;  // all triples: a few million tests
/// Half the edge [m] of the cube that stands for no end: far beyond any robot, yet so near that
/// corners on it are known to a micrometre.
constexpr double kFar = 1e4;
/// Normals as near to a common plane as this (volume of the three unit vectors) meet in no corner.
constexpr double kLeastVolume = 1e-9;
/// A corner counts as on a plane up to this [m] and per metre of its distance from the origin.
constexpr double kOnPlane = 1e-9;
/// Least radius [m] of the ball about the corners' middle: less is no solid but a modelling error.
constexpr double kLeastBall = 1e-6;

struct Plane {
  Vec3 normal;  ///< unit
  double offset;
};

/// `[a, b, c, d]`: a x + b y + c z <= d; or as of an object of type plane.
Plane readPlane(const Value& item) {
  if (item.isMap()) {
    item.only({"normal", "offset"});
    const auto offset = item.find("offset");
    return {readDirection(item.need("normal")), offset ? offset->number() : 0.0};
  }
  const VecX abcd = item.numbers(4, "[a, b, c, d] of a x + b y + c z <= d");
  const double norm = abcd.head<3>().norm();
  if (!(norm > 0.0)) item.fail("a plane's normal [a, b, c] must not be zero");
  return {abcd.head<3>() / norm, abcd[3] / norm};
}

std::vector<Plane> readPlanes(const Value& list) {
  if (list.size() == 0) list.fail("must have at least one plane");
  if (list.size() > kMostPlanes) {
    list.fail("has more than " + std::to_string(kMostPlanes) + " planes; give it as a mesh");
  }
  std::vector<Plane> planes;
  for (const Value& item : list.items()) planes.push_back(readPlane(item));
  return planes;
}

/// The corners of the polyhedron, some of them several times.
std::vector<Vec3> cornersOf(const std::vector<Plane>& planes) {
  std::vector<Vec3> corners;
  const std::size_t count = planes.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = 0; k < j; ++k) {
        Mat3 normals;
        normals << planes[i].normal.transpose(), planes[j].normal.transpose(),
            planes[k].normal.transpose();
        if (std::abs(normals.determinant()) < kLeastVolume) continue;
        const Vec3 p = normals.partialPivLu().solve(
            Vec3(planes[i].offset, planes[j].offset, planes[k].offset));
        const double slack = kOnPlane * (1.0 + p.norm());
        const bool is_corner = std::all_of(planes.begin(), planes.end(), [&](const Plane& plane) {
          return plane.normal.dot(p) <= plane.offset + slack;
        });
        if (is_corner) corners.push_back(p);
      }
    }
  }
  return corners;
}

/// The corners, with those of the far cube where the polyhedron has no end. Fails when nothing is
/// inside.
std::vector<Vec3> closedCorners(const Value& list, const std::vector<Plane>& planes) {
  std::vector<Plane> closed = planes;
  for (int axis = 0; axis < 3; ++axis) {
    closed.push_back({Vec3::Unit(axis), kFar});
    closed.push_back({-Vec3::Unit(axis), kFar});
  }
  const std::vector<Vec3> corners = cornersOf(closed);
  Vec3 middle = Vec3::Zero();
  for (const Vec3& p : corners) middle += p / static_cast<double>(corners.size());
  double room = corners.empty() ? -1.0 : std::numeric_limits<double>::infinity();
  for (const Plane& plane : planes) room = std::min(room, plane.offset - plane.normal.dot(middle));
  if (!(room >= kLeastBall)) {
    list.fail(
        "no point is inside of all planes [a, b, c, d], a x + b y + c z <= d: turn those whose "
        "normal points inward");
  }
  return corners;
}

}  // namespace

Geometry halfSpace(const Vec3& n, double offset) {
  return {HalfSpace{},
          {Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), n).toRotationMatrix(), offset * n}};
}

std::vector<Geometry> readKeepIn(const Value& planes) {
  const std::vector<Plane> inside = readPlanes(planes);
  closedCorners(planes, inside);
  std::vector<Geometry> outside;
  for (const Plane& plane : inside) outside.push_back(halfSpace(-plane.normal, -plane.offset));
  return outside;
}

Geometry readKeepOut(const Value& list) {
  const std::vector<Plane> planes = readPlanes(list);
  if (planes.size() == 1) return halfSpace(planes[0].normal, planes[0].offset);
  const std::vector<Vec3> corners = closedCorners(list, planes);
  for (const Vec3& p : corners) {
    Eigen::Index axis;
    if (!(p.cwiseAbs().maxCoeff(&axis) > 0.5 * kFar)) continue;
    list.fail(std::string("the solid has no end towards ") + (p[axis] < 0.0 ? "-" : "") +
              "xyz"[axis] + ": add a plane there, beyond the robot's reach");
  }
  return {ConvexMesh(corners), Pose()};
}

}  // namespace allclear
