// Depth in contact: a sheet has no inside, so a way out is that off the few triangles that the body
// is deepest in. It changes steadily with the pose, which is what an optimiser needs.
#include "allclear/distance/deform/sequence_depth.h"

#include <limits>

#include "allclear/distance/convex/convex_distance.h"
#include "allclear/distance/minimum/tree/boxes.h"

namespace allclear::deform {

SignedDistance depthAt(const tree::RigidShape& shape, const Pose& X_OG, const DeformingMesh& mesh,
                       double t) {
  if (mesh.hasInside()) {
    return convexDistance(shape.hull(), X_OG, ConvexMesh(mesh.positions(t)), Pose());
  }
  const DeformingMesh::Instant when = mesh.at(t);
  const AlignedBox about = tree::boxAbout(shape.root(), X_OG);
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
    if (!tree::meet(about, {low, high})) continue;
    const SignedDistance d =
        convexDistance(shape.hull(), X_OG, ConvexMesh(std::move(points)), Pose());
    if (d.distance < deepest.distance) deepest = d;
  }
  return deepest;
}

}  // namespace allclear::deform
