#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/core/types.h"

namespace allclear {

// Solids in their own geometry frame G, metres. Constructors throw `InputError` when a size is not
// finite, not positive or not between 1e-30 and 1e30 m, and say which.

/// Ball about the origin of G.
class Sphere {
 public:
  explicit Sphere(double radius);
  double radius() const { return radius_; }

 private:
  double radius_;
};

/// Points within `radius` of the segment from (0, 0, -length/2) to (0, 0, length/2); length may be
/// 0.
class Capsule {
 public:
  Capsule(double radius, double length);
  double radius() const { return radius_; }
  double length() const { return length_; }

 private:
  double radius_;
  double length_;
};

/// Box of full edge lengths `size`, centred.
class Box {
 public:
  explicit Box(const Vec3& size);
  const Vec3& size() const { return size_; }
  Vec3 halfSize() const { return 0.5 * size_; }

 private:
  Vec3 size_;
};

/// Cylinder about z, centred.
class Cylinder {
 public:
  Cylinder(double radius, double length);
  double radius() const { return radius_; }
  double length() const { return length_; }

 private:
  double radius_;
  double length_;
};

/// Cone about z: base of `radius` at z = -length/2, apex at z = length/2.
class Cone {
 public:
  Cone(double radius, double length);
  double radius() const { return radius_; }
  double length() const { return length_; }

 private:
  double radius_;
  double length_;
};

/// Ellipsoid with semi-axes `radii` along x, y, z.
class Ellipsoid {
 public:
  explicit Ellipsoid(const Vec3& radii);
  const Vec3& radii() const { return radii_; }

 private:
  Vec3 radii_;
};

/// Everything below the plane z = 0 of G; the outward normal is +z.
class HalfSpace {};

/// The points of a convex mesh made ready for distance queries (point_cloud.h).
class PointCloud;

/// Convex hull of points. Copies share the (immutable) points.
class ConvexMesh {
 public:
  /// Throws `InputError` when there are no points or one is not finite. Flat sets are allowed.
  explicit ConvexMesh(std::vector<Vec3> points);
  const std::vector<Vec3>& points() const { return *points_; }
  const PointCloud& cloud() const { return *cloud_; }

 private:
  std::shared_ptr<const std::vector<Vec3>> points_;
  std::shared_ptr<const PointCloud> cloud_;
};

using Triangle = std::array<int, 3>;

/// What stands for the connected parts of a mesh that are not closed and so bound no solid. (Small
/// holes are closed first: solid_and_shell.h.)
enum class OpenMeshes {
  kShell,  ///< their triangles alone: a surface, whose hollow is free
  kFill,   ///< convex pieces that fill hollows too: what is inside counts as solid
  kError,  ///< such a mesh is refused when it is read
};

/// What queries derive from a triangle mesh and keep with it (mesh/prepared.h).
class PreparedMesh;

/// Triangle mesh, outward normals by the right-hand rule. Copies share the (immutable) data, and
/// with it whatever is derived from it.
class TriangleMesh {
 public:
  /// Throws `InputError` when there is no triangle, a vertex is not finite, an index is out of
  /// range or no triangle has an area. Open and self-crossing meshes are accepted: see
  /// `whyNotClosed`; `open` says what stands for parts that are not closed.
  TriangleMesh(std::vector<Vec3> vertices, std::vector<Triangle> triangles,
               OpenMeshes open = OpenMeshes::kShell);
  const std::vector<Vec3>& vertices() const { return data_->vertices; }
  const std::vector<Triangle>& triangles() const { return data_->triangles; }
  OpenMeshes open() const { return data_->open; }
  /// The same mesh with another rule for open parts; it shares nothing with this one.
  TriangleMesh withOpen(OpenMeshes open) const;

 private:
  friend class PreparedMesh;
  struct Data {
    Data(std::vector<Vec3> v, std::vector<Triangle> t, OpenMeshes o)
        : vertices(std::move(v)), triangles(std::move(t)), open(o) {}
    std::vector<Vec3> vertices;
    std::vector<Triangle> triangles;
    OpenMeshes open;
    // `PreparedMesh::of` fills the slot at its first call; the mesh itself never looks inside.
    mutable std::once_flag prepared_once;
    mutable std::shared_ptr<const PreparedMesh> prepared;
  };
  explicit TriangleMesh(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

/// Empty when the mesh is the boundary of a solid, each edge shared by two triangles that agree on
/// the outside; else what is wrong with which edge. Equal vertices count as different.
std::string whyNotClosed(const TriangleMesh& mesh);

/// Whether the mesh bounds a solid: every edge is used as often in one sense as in the other, where
/// vertices at equal places count as one.
bool isClosed(const TriangleMesh& mesh);

using Shape = std::variant<Sphere, Capsule, Box, Cylinder, Cone, Ellipsoid, HalfSpace, ConvexMesh,
                           TriangleMesh>;

/// "sphere", "capsule", ... for messages.
std::string shapeName(const Shape& shape);

/// Volume of a shape [m^3]: exact; of a convex mesh that of its hull; of a triangle mesh the sum of
/// signed tetrahedra, which is meaningful for closed meshes only; of a half-space infinity.
double shapeVolume(const Shape& shape);

/// A shape fixed to a body frame B.
struct Geometry {
  Shape shape;
  Pose X_BG;
};

/// Smallest known ball about a shape, in G.
struct Ball {
  Vec3 center = Vec3::Zero();
  double radius = 0.0;
};
/// Half-spaces have no ball: its radius is infinite.
Ball boundingBall(const Shape& shape);

/// A ball about points (not the smallest: the centre is that of their axis-aligned box).
Ball ballAbout(const std::vector<Vec3>& points);

}  // namespace allclear
