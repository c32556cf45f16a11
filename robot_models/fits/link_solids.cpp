// Overlap of two links, part by part. Balls about links and parts come first: of the many pairs of
// a robot few are near each other at one configuration. Then primitives are compared as solids by
// the convex distance, and pairs with a mesh by the exact search over the meshes' trees of volumes,
// which are kept with the mesh and used again by the planner.
#include "allclear/robot_models/fits/link_solids.h"

#include <algorithm>
#include <limits>

#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/signed_distance.h"

namespace allclear {
namespace {

/// A ball about some balls, around the mean of their centres.
Ball ballAbout(const std::vector<Ball>& balls) {
  Ball all;
  for (const Ball& ball : balls) all.center += ball.center / static_cast<double>(balls.size());
  for (const Ball& ball : balls) {
    all.radius = std::max(all.radius, (ball.center - all.center).norm() + ball.radius);
  }
  return all;
}

bool ballsOverlap(const Ball& a, const Pose& X_WA, const Ball& b, const Pose& X_WB) {
  return (X_WA * a.center - X_WB * b.center).norm() <= a.radius + b.radius;
}

/// [m] The search for contact opens volumes that are nearer than this: with 0, it might leave out
/// surfaces that touch without crossing.
constexpr double kSearchedGap = 1e-9;

}  // namespace

LinkSolids::LinkSolids(const std::vector<Geometry>& geometry) {
  std::vector<Ball> balls;
  for (const Geometry& item : geometry) {
    const Ball ball = boundingBall(item.shape);
    balls.push_back({item.X_BG * ball.center, ball.radius});
    const bool is_mesh = std::holds_alternative<TriangleMesh>(item.shape);
    parts_.push_back({item, balls.back(), is_mesh, bodyOf(item.shape)});
  }
  ball_ = ballAbout(balls);
}

/// Surfaces of a and b, at least one of them a mesh. The faces of a box are a surface to the mesh
/// search, so a mesh wholly inside of a box is looked for by one point of each of its parts; other
/// primitives are solid to the search itself.
bool LinkSolids::surfaceMeetsSolid(const Part& a, const Pose& X_WA, const Part& b,
                                   const Pose& X_WB) {
  MeshDistanceOptions surfaces;
  surfaces.enough = kSearchedGap;
  surfaces.inside = false;
  if (meshDistance(*a.body, X_WA, *b.body, X_WB, surfaces).contact) return true;
  if (a.is_mesh && b.is_mesh) return false;
  // One mesh and one primitive, with surfaces apart: is a part of the mesh inside?
  const MeshBody& mesh = a.is_mesh ? *a.body : *b.body;
  const MeshBody& primitive = a.is_mesh ? *b.body : *a.body;
  if (!primitive.hasInside()) return false;
  const Pose X_PM = a.is_mesh ? X_WB.inverse() * X_WA : X_WA.inverse() * X_WB;
  return std::ranges::any_of(mesh.representatives(), [&](const Vec3& p) {
    return primitive.contains(X_PM * (mesh.center() + p) - primitive.center());
  });
}

bool LinkSolids::partsOverlap(const Part& a, const Pose& X_WA, const Part& b, const Pose& X_WB) {
  if (!ballsOverlap(a.ball, X_WA, b.ball, X_WB)) return false;
  const Pose X_WGa = X_WA * a.geometry.X_BG;
  const Pose X_WGb = X_WB * b.geometry.X_BG;
  if (a.is_mesh || b.is_mesh) return surfaceMeetsSolid(a, X_WGa, b, X_WGb);
  // Any positive distance is a gap.
  constexpr double kGap = std::numeric_limits<double>::min();
  return !distanceAtLeast(a.geometry.shape, X_WGa, b.geometry.shape, X_WGb, kGap);
}

bool LinkSolids::overlap(const LinkSolids& A, const Pose& X_WA, const LinkSolids& B,
                         const Pose& X_WB) {
  if (!ballsOverlap(A.ball_, X_WA, B.ball_, X_WB)) return false;
  for (const Part& a : A.parts_) {
    for (const Part& b : B.parts_) {
      if (partsOverlap(a, X_WA, b, X_WB)) return true;
    }
  }
  return false;
}

}  // namespace allclear
