// Convex bodies that stand for a mesh that bends: hulls of patches at an instant, and boxes about
// all places that a patch passes. Both are conservative: a vertex between two keyframes is between
// its positions there, and a triangle is in the hull of its corners.
#include "allclear/planner/problem/deforming_pieces.h"

#include <limits>
#include <numeric>

namespace allclear {
namespace {

/// Added to the sizes of boxes, relative to the coordinates: more than their rounding. A box may
/// not be flat.
constexpr double kBoxPadding = 1e-9;

Geometry sweptBox(const DeformingMesh& mesh, const std::vector<std::int32_t>& patch) {
  Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity()), upper = -lower;
  for (int k = 0; k < mesh.keyframeCount(); ++k) {
    for (const std::int32_t v : patch) {
      lower = lower.cwiseMin(mesh.keyframe(k)[v]);
      upper = upper.cwiseMax(mesh.keyframe(k)[v]);
    }
  }
  const double padding =
      kBoxPadding * (1.0 + lower.cwiseAbs().maxCoeff() + upper.cwiseAbs().maxCoeff());
  return {Box(upper - lower + Vec3::Constant(2.0 * padding)),
          {Mat3::Identity(), 0.5 * (lower + upper)}};
}

}  // namespace

std::vector<std::vector<std::int32_t>> patchesOf(const DeformingMesh& mesh, MeshFidelity fidelity) {
  switch (fidelity) {
    case MeshFidelity::kHull:
      return mesh.patches(16);
    case MeshFidelity::kPieces:
      return mesh.patches(128);
    default:
      return mesh.patches(1024);
  }
}

std::vector<Geometry> sweptBoxes(const DeformingMesh& mesh,
                                 const std::vector<std::vector<std::int32_t>>& patches) {
  std::vector<Geometry> boxes;
  for (const auto& patch : patches) boxes.push_back(sweptBox(mesh, patch));
  return boxes;
}

Geometry sweptBox(const DeformingMesh& mesh) {
  std::vector<std::int32_t> all(mesh.vertexCount());
  std::iota(all.begin(), all.end(), 0);
  return sweptBox(mesh, all);
}

Geometry hullAt(const DeformingMesh& mesh, const std::vector<std::int32_t>& patch, double t) {
  const DeformingMesh::Instant when = mesh.at(t);
  std::vector<Vec3> points;
  points.reserve(patch.size());
  for (const std::int32_t v : patch) points.push_back(mesh.position(v, when));
  return {ConvexMesh(std::move(points)), Pose()};
}

std::vector<Geometry> hullsAt(const DeformingMesh& mesh, MeshFidelity fidelity, double t) {
  std::vector<Geometry> hulls;
  for (const auto& patch : patchesOf(mesh, fidelity)) hulls.push_back(hullAt(mesh, patch, t));
  return hulls;
}

}  // namespace allclear
