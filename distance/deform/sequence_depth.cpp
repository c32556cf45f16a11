// Depth in contact: a sheet has no inside, so a way out is that off the few triangles that the body
// is deepest in. It changes steadily with the pose, which is what an optimiser needs.
#include "allclear/distance/deform/sequence_depth.h"

#include <limits>

#include "allclear/distance/convex/convex_distance.h"

namespace allclear::deform {
namespace {

/// The axis-aligned box of the shape in O.
void boxOf(const RigidShape& shape, const Pose& X_OG, Vec3* lower, Vec3* upper) {
  const RigidPart& root = shape.root();
  const Vec3 center = X_OG * root.center;
  const Vec3 half = (X_OG.R * root.half).cwiseAbs().rowwise().sum();
  *lower = center - half;
  *upper = center + half;
}

}  // namespace

SignedDistance depthAt(const RigidShape& shape, const Pose& X_OG, const DeformingMesh& mesh,
                       double t) {
  if (mesh.hasInside()) {
    return convexDistance(shape.hull(), X_OG, ConvexMesh(mesh.positions(t)), Pose());
  }
  const DeformingMesh::Instant when = mesh.at(t);
  Vec3 lower, upper;
  boxOf(shape, X_OG, &lower, &upper);
  SignedDistance deepest;
  deepest.distance = std::numeric_limits<double>::infinity();
  for (const DeformingMesh::Node& node : mesh.nodes()) {
    if (node.child >= 0) continue;
    std::vector<Vec3> points;
    for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
      for (const int v : mesh.triangles()[mesh.order()[i]]) {
        points.push_back(mesh.position(v, when));
      }
    }
    Vec3 low = points[0], high = points[0];
    for (const Vec3& p : points) {
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
    // A leaf beside the shape's box is not met.
    if ((low.array() > upper.array()).any() || (high.array() < lower.array()).any()) continue;
    const SignedDistance d =
        convexDistance(shape.hull(), X_OG, ConvexMesh(std::move(points)), Pose());
    if (d.distance < deepest.distance) deepest = d;
  }
  return deepest;
}

}  // namespace allclear::deform
