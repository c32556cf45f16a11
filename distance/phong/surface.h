#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "allclear/distance/mesh/body.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/phong/medial_balls.h"
#include "allclear/distance/phong/mesh.h"
#include "allclear/distance/phong/tree.h"
#include "allclear/distance/phong/triangle.h"

namespace allclear {

/// A mesh with tangent planes that vary continuously over it (Def. 5.2 of the thesis). The normals
/// at the vertices are averages over the triangles nearby.
class PhongSurface {
 public:
  /// `radius` [m]: how far from a vertex triangles count, 0 for those at the vertex alone. Only
  /// triangles connected with the vertex by such triangles count, so that the other side of a thin
  /// wall does not.
  PhongSurface(std::shared_ptr<const phong::PhongMesh> mesh, double radius);

  const phong::PhongMesh& mesh() const { return *mesh_; }
  double radius() const { return radius_; }
  const std::vector<Vec3>& vertexNormals() const { return vertex_normals_; }
  const phong::PhongTriangle& triangle(int i) const { return triangles_[i]; }

  phong::PhongPlane plane(const phong::SurfacePoint& point) const;
  /// Outward.
  phong::PhongNormal normal(const phong::SurfacePoint& point) const;

  /// The point moved half-way to its projections on the corners' tangent planes, weighted: a curved
  /// patch that is about tangent to the planes. Continuous across edges.
  Vec3 halfPhongPosition(const phong::SurfacePoint& point) const;

  /// Phong projection (5.2): a point q of the surface with p - q along the normal at q, by Newton's
  /// method from `start` over the triangles. Nothing when it does not converge: farther from the
  /// surface than its radii of curvature there may be no such point.
  std::optional<phong::SurfacePoint> project(const Vec3& p, const phong::SurfacePoint& start) const;

 private:
  std::shared_ptr<const phong::PhongMesh> mesh_;
  double radius_;
  std::vector<Vec3> vertex_normals_;
  std::vector<phong::PhongTriangle> triangles_;
};

namespace phong {

/// Unit normals at the vertices, as above.
std::vector<Vec3> vertexNormals(const PhongMesh& mesh, double radius);

/// Newton's method for Psi(w) (q(w) - p) = 0 (5.4) on the planes of one triangle, from `w` on. The
/// solution may be outside the triangle, but by no more than its size.
bool solveOnTriangle(const PhongTriangle& planes, const std::array<Vec3, 3>& corners, const Vec3& p,
                     Vec3* w);

/// Phong projection of p on one triangle (Def. 5.1), by Newton's method from its centre; nothing
/// when the solution is outside the triangle.
std::optional<Vec3> projectOnTriangle(const PhongTriangle& planes,
                                      const std::array<Vec3, 3>& corners, const Vec3& p);

}  // namespace phong

/// A body with its Phong surfaces, each made when its radius is first used. Share it freely, also
/// between threads.
class PhongBody {
 public:
  /// Throws `InputError` for a body without triangles or rounded by a thickness (spheres, capsules,
  /// cylinders, cones, ellipsoids: use the softened distance).
  explicit PhongBody(std::shared_ptr<const MeshBody> body);
  explicit PhongBody(const Shape& shape) : PhongBody(bodyOf(shape)) {}

  const MeshBody& body() const { return *body_; }
  double size() const { return size_; }  ///< [m], diagonal of its axis-aligned box
  /// The averaging radius chosen for the shape [m]: 0 for smooth shapes, small for thin ones,
  /// larger for chunky ones with sharp edges.
  double smoothing() const { return smoothing_; }
  /// The surface of the radius nearest to the one given, of 0, 0.05, 0.1, 0.2, 0.35 times `size()`;
  /// negative for `smoothing()`.
  const PhongSurface& surface(double radius) const;

  const phong::SphereTree& tree() const { return *tree_; }  ///< of the working mesh
  const phong::PhongMesh& mesh() const { return *mesh_; }
  const phong::MedialBalls& medialBalls() const;

  /// Makes everything that queries with the chosen radius may need (tens of milliseconds). Else the
  /// first queries do.
  void prepare() const;

 private:
  static constexpr int kLevels = 5;
  static constexpr double kLevel[kLevels] = {0.0, 0.05, 0.1, 0.2, 0.35};
  double chosenSmoothing() const;

  std::shared_ptr<const MeshBody> body_;
  std::shared_ptr<const phong::PhongMesh> mesh_;
  std::unique_ptr<const phong::SphereTree> tree_;
  double size_ = 0.0;
  double smoothing_ = 0.0;
  struct Level {
    std::once_flag made;
    std::unique_ptr<PhongSurface> surface;
  };
  mutable Level levels_[kLevels];
  mutable std::once_flag balls_made_;
  mutable phong::MedialBalls balls_;
};

}  // namespace allclear
