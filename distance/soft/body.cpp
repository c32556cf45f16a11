// Prepares convex solids for the softened distance: which directions each contributes, and its
// support values along them.
//
// The softened distance is a soft maximum over a finite set of directions (soft/distance.h). It is
// near the distance when the set holds a direction near the best one. For polytopes in contact face
// to face that is a face normal, so each piece contributes its own normals; for everything else a
// fan of directions spread over the sphere serves. A fan fixed to the piece turns with it, so its
// supports are computed once, here.
//
// Invariant: a piece encloses its solid. What is dropped (corners of a fine mesh) is made up for by
// a larger ball; that the softened distance never exceeds the distance rests on this.

#include "allclear/distance/soft/body.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "allclear/distance/convex/convex_distance.h"
#include "allclear/distance/convex_cover.h"

namespace allclear {
namespace {

constexpr int kFanDirections = 384;  // 10 degrees between neighbours
constexpr int kRingDirections = 24;  // 15 degrees between neighbours
constexpr int kMostNormals = 64;
constexpr int kMostCorners = 64;
static_assert(kMostPairDirections == kFanDirections + 2 * kMostNormals);
/// Largest excess of the soft supports of shapes without corners, by their softness (softSupport).
constexpr double kMostSmoothExcess = 3.0;
/// Of the extent: the radius of a corner as a ball; far below the padding.
constexpr double kTinyBall = 1e-12;
/// Of the extent: over the error of a distance from a convex mesh, about 1e-12 of the size.
constexpr double kReachPadding = 1e-10;

/// Direction k of a spiral: equal steps of height, turned by the golden angle each. Equal areas of
/// the sphere get equal numbers of directions (Fibonacci lattice).
Vec3 fanDirection(int k, int count) {
  const double z = 1.0 - (2.0 * k + 1.0) / count;
  const double angle = k * std::numbers::pi * (3.0 - std::sqrt(5.0));
  const double rho = std::sqrt(1.0 - z * z);
  return {rho * std::cos(angle), rho * std::sin(angle), z};
}

/// A ring of normals about the z axis: of a cylinder's side (slope 0) or a cone's (slope is the
/// z component by the horizontal one).
void addRing(double slope, Columns* out) {
  for (int i = 0; i < kRingDirections; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kRingDirections;
    out->add(Vec3(std::cos(angle), std::sin(angle), slope).normalized());
  }
}

void addAxes(int first, Columns* out) {
  for (int i = first; i < 3; ++i) {
    out->add(Vec3::Unit(i));
    out->add(-Vec3::Unit(i));
  }
}

/// Normals of the faces, without near duplicates. Directions left out only lower the soft distance.
void addFaces(const PointCloud& cloud, Columns* out) {
  constexpr double kSame = 0.998;  // cosine of 4 degrees: less than half of the fan's spacing
  for (int i = 0; i < cloud.count(); ++i) {
    cloud.forFaces(i, [&](const Vec3& normal) {
      if (out->count() >= kMostNormals) return;
      for (int k = 0; k < out->count(); ++k) {
        if ((*out)[k].dot(normal) > kSame) return;
      }
      out->add(normal.normalized());
    });
  }
}

/// Where the distance of two polytopes is often reached: the normals of their faces. Round parts
/// get a ring.
Columns ownNormals(const ConvexCore& core) {
  Columns out;
  switch (core.kind) {
    case ConvexCore::Kind::kPoint:
      break;
    case ConvexCore::Kind::kSegment:
      addRing(0.0, &out);
      break;
    case ConvexCore::Kind::kBox:
    case ConvexCore::Kind::kEllipsoid:
      addAxes(0, &out);
      break;
    case ConvexCore::Kind::kCylinder:
      addAxes(2, &out);
      addRing(0.0, &out);
      break;
    case ConvexCore::Kind::kCone:
      out.add(-Vec3::UnitZ());
      addRing(0.5 * core.size.x() / core.size.z(), &out);
      break;
    case ConvexCore::Kind::kPoints:
      addFaces(*core.points, &out);
      break;
    case ConvexCore::Kind::kTriangle:
      break;
  }
  return out;
}

std::vector<double> supportsAlong(const SoftCore& body, const Columns& directions) {
  std::vector<double> out(directions.count());
  if (!out.empty()) hardSupports(body, directions, out.data());
  return out;
}

/// Marks the corners that are farthest along directions spread over the sphere.
std::vector<bool> extremeCorners(const PointCloud& points) {
  std::vector<bool> is_extreme(points.count());
  for (int k = 0; k < kMostCorners; ++k) {
    is_extreme[points.farthest(fanDirection(k, kMostCorners))] = true;
  }
  return is_extreme;
}

/// Upper bound of how far [m] the dropped corners reach out of the hull of the kept ones. A corner
/// is a tiny ball to the distance query, because a sphere must have a radius; `gap` and the padding
/// make up for the query's error.
double reachOfDropped(const ConvexCore& core, const std::vector<Vec3>& kept,
                      const std::vector<bool>& is_kept) {
  const Shape hull = ConvexMesh(kept);
  double reach = 0.0;
  for (int i = 0; i < core.points->count(); ++i) {
    if (is_kept[i]) continue;
    const double tiny = kTinyBall * core.extent;
    const Pose X{Mat3::Identity(), core.points->corner(i)};
    const SignedDistance d = convexDistance(hull, Pose(), Sphere(tiny), X);
    reach = std::max(reach, d.distance + d.gap + kReachPadding * core.extent);
  }
  return reach;
}

/// Fills the piece's corners: those of the convex mesh or, of a mesh with many, the extreme ones.
/// The core's ball grows by what the dropped ones reach out of the kept ones' hull, so that the
/// piece still encloses the mesh.
void addCorners(SoftCore* body) {
  ConvexCore& core = body->core;
  std::vector<Vec3> kept;
  if (core.points->count() <= kMostCorners) {
    for (int i = 0; i < core.points->count(); ++i) kept.push_back(core.points->corner(i));
  } else {
    const std::vector<bool> is_kept = extremeCorners(*core.points);
    for (int i = 0; i < core.points->count(); ++i) {
      if (is_kept[i]) kept.push_back(core.points->corner(i));
    }
    core.radius += reachOfDropped(core, kept, is_kept);  // encloses all corners again
  }
  for (const Vec3& corner : kept) body->corners.add(corner);
  body->corner_count = body->corners.count();
  while (body->corners.count() % SoftCore::kBlock != 0) body->corners.add(kept.back());
}

SoftPiece pieceOf(const Shape& shape, const Pose& X_BG) {
  SoftPiece piece;
  piece.X_BC = X_BG;
  if (std::holds_alternative<HalfSpace>(shape)) {
    // The room along any other direction is unbounded below: its normal is the only one to ask.
    piece.is_half_space = true;
    piece.own.add(Vec3::UnitZ());
    piece.fan = piece.own;
    piece.own_supports = piece.fan_supports = {0.0};
    return piece;
  }
  ConvexCore& core = piece.body.core = coreOf(shape);
  piece.X_BC.p = X_BG * core.offset;
  if (core.kind == ConvexCore::Kind::kPoints) {
    addCorners(&piece.body);
    piece.log_corners = std::log(piece.body.corner_count);
  } else {
    piece.log_corners = kMostSmoothExcess;
  }
  piece.own = ownNormals(core);
  for (int k = 0; k < kFanDirections; ++k) piece.fan.add(fanDirection(k, kFanDirections));
  for (int k = 0; k < piece.own.count(); ++k) piece.fan.add(piece.own[k]);
  piece.own_supports = supportsAlong(piece.body, piece.own);
  piece.fan_supports = supportsAlong(piece.body, piece.fan);
  return piece;
}

}  // namespace

SoftBody::SoftBody(const std::vector<Geometry>& solids)
    : solids_(enclosingSolids(solids, MeshFidelity::kPieces)) {
  for (const Geometry& solid : solids_) pieces_.push_back(pieceOf(solid.shape, solid.X_BG));
}

}  // namespace allclear
