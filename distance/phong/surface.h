#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "allclear/distance/mesh/body.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/phong/inner_balls.h"
#include "allclear/distance/phong/mesh.h"
#include "allclear/distance/phong/tree.h"
#include "allclear/distance/phong/triangle.h"

namespace allclear {

/// A mesh with tangent planes that vary continuously over it (Def. 5.2 of the thesis): the normals
/// of the planes at the vertices are those of the triangles nearby, averaged.
class PhongSurface {
 public:
  /// `radius` [m]: how far from a vertex triangles count (along the surface, so that the other side
  /// of a thin wall does not); 0 for those at the vertex alone.
  PhongSurface(std::shared_ptr<const phong::PhongMesh> mesh, double radius);

  const phong::PhongMesh& mesh() const { return *mesh_; }
  double radius() const { return radius_; }
  const std::vector<Vec3>& vertexNormals() const { return vertex_normals_; }
  const phong::PhongTriangle& triangle(int i) const { return triangles_[i]; }

  phong::PhongPlane plane(const phong::SurfacePoint& point) const;
  /// Outward.
  phong::PhongNormal normal(const phong::SurfacePoint& point) const;

  /// The point moved half-way to where the corners' tangent planes are: the curved patch is about
  /// tangent to the planes. Continuous across edges.
  Vec3 halfPhongPosition(const phong::SurfacePoint& point) const;

  /// Phong projection: a point q of the surface with p - q along the normal at q, by Newton's
  /// method from `start` over the triangles. Nothing when it does not converge: far from a surface
  /// (farther than its curvature radii) there may be none.
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

/// Newton's method for Psi(w) (q(w) - p) = 0 on the planes of one triangle, from `w` on; the
/// solution may be outside of the triangle, not by more than its size.
bool solveOnTriangle(const PhongTriangle& planes, const std::array<Vec3, 3>& corners, const Vec3& p,
                     Vec3* w);

/// Phong projection of p on one triangle (Def. 5.1): by Newton's method from its centre; nothing
/// when the solution is outside of the triangle.
std::optional<Vec3> projectOnTriangle(const PhongTriangle& planes,
                                      const std::array<Vec3, 3>& corners, const Vec3& p);

}  // namespace phong

/// A body with its Phong surfaces, made at the first use of their radius; to be shared, safe to use
/// from several threads.
class PhongBody {
 public:
  /// Throws `InputError` for a body without triangles or rounded by a thickness (spheres, capsules,
  /// cylinders, cones, ellipsoids: the softened distance is theirs).
  explicit PhongBody(std::shared_ptr<const MeshBody> body);
  explicit PhongBody(const Shape& shape) : PhongBody(bodyOf(shape)) {}

  const MeshBody& body() const { return *body_; }
  double size() const { return size_; }  ///< [m], diagonal of the box about it
  /// The radius chosen for the shape [m]: small for smooth ones and thin ones, larger for chunky
  /// ones with sharp edges.
  double smoothing() const { return smoothing_; }
  /// The surface of the radius nearest to the one given, of 0, 0.05, 0.1, 0.2, 0.35 times `size()`;
  /// negative for `smoothing()`.
  const PhongSurface& surface(double radius) const;

  const phong::SphereTree& tree() const { return *tree_; }  ///< of the working mesh
  const phong::PhongMesh& mesh() const { return *mesh_; }
  const phong::InnerBalls& innerBalls() const;

  /// Makes all that queries with the chosen radius may ask for, which they else make when they
  /// first do: tens of milliseconds.
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
  mutable phong::InnerBalls balls_;
};

}  // namespace allclear
