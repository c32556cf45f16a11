#pragma once

namespace allclear {

/// Which signed distance to compute: all are positive apart and negative in penetration.
enum class SmoothMethod {
  kEuclidean,  ///< the exact one; its direction jumps on edges and on medial surfaces
  kPhong,      ///< projection of the origin on the Minkowski sum's facets (the thesis's method)
  kDualPhong,  ///< two surface points with a common Phong normal, found by a walk (meshes)
  kSoft,       ///< softened least support over directions (convex solids); never above the distance
  kGauge,      ///< by the gauge (spheres and ellipsoids); never below the distance where apart
  kAutomatic,  ///< `kGauge` for those; `kDualPhong` where few convex pieces do not match a mesh;
               ///< else `kSoft`
};

const char* smoothMethodName(SmoothMethod method);

struct SmoothOptions {
  SmoothMethod method = SmoothMethod::kAutomatic;
  /// `kSoft`: tau [m]. The value is about 7 tau below the distance. The default, 2 mm, is the last
  /// step of the usual schedule (0.03, 0.01, 0.002 of a body of 1 m): close to the distance, and
  /// still wide enough that the direction turns over several millimetres of motion.
  double softness = 2e-3;
  /// `kPhong`, `kDualPhong`: radius over which surface normals are averaged [m]; 0 for the
  /// triangles at a vertex alone, negative to let the body choose (`PhongBody::smoothing`).
  double smoothing = -1.0;
};

}  // namespace allclear
