// The slot of a mesh and what is in it. Each part has a flag of its own, so that asking for the
// hull does not make the cover, and two threads that ask for one part make it once.

#include "allclear/distance/mesh/prepared.h"

#include "allclear/core/assert.h"
#include "allclear/distance/cover_cache.h"
#include "allclear/distance/geometry/convex_hull.h"
#include "allclear/distance/geometry/few_corners.h"

namespace allclear {
namespace {

/// A fine cover follows the mesh until a cut would take off less than this share of its hull.
constexpr ConvexCoverOptions kManyPieces{.most_pieces = 64, .least_gain = 5e-4};

}  // namespace

const PreparedMesh& PreparedMesh::of(const TriangleMesh& mesh) {
  const TriangleMesh::Data& data = *mesh.data_;
  std::call_once(data.prepared_once, [&] { data.prepared = std::make_shared<PreparedMesh>(); });
  return *data.prepared;
}

TriangleMesh PreparedMesh::part(std::vector<Vec3> vertices, std::vector<Triangle> triangles) {
  return TriangleMesh(std::make_shared<const TriangleMesh::Data>(
      std::move(vertices), std::move(triangles), OpenMeshes::kShell));
}

const ConvexMesh& PreparedMesh::hull(const TriangleMesh& mesh) const {
  return hull_.get([&] {
    std::vector<Vec3> corners;
    for (int i : convexHull(mesh.vertices()).vertices) corners.push_back(mesh.vertices()[i]);
    return ConvexMesh(std::move(corners));
  });
}

const std::vector<ConvexMesh>& PreparedMesh::cover(const TriangleMesh& mesh,
                                                   MeshFidelity fidelity) const {
  ALLCLEAR_ASSERT(fidelity == MeshFidelity::kPieces || fidelity == MeshFidelity::kManyPieces);
  return fidelity == MeshFidelity::kPieces
             ? cover_of_few_.get([&] { return makeCover(mesh, {}); })
             : cover_of_many_.get([&] { return makeCover(mesh, kManyPieces); });
}

std::vector<ConvexMesh> PreparedMesh::makeCover(const TriangleMesh& mesh,
                                                const ConvexCoverOptions& options) const {
  std::shared_ptr<const CoverCache> cache;
  {
    const std::lock_guard lock(mutex_);
    cache = cache_;
  }
  return cache ? cache->cover(mesh, options) : convexCover(mesh, options);
}

void PreparedMesh::keepCovers(std::shared_ptr<const CoverCache> cache) const {
  const std::lock_guard lock(mutex_);
  cache_ = std::move(cache);
}

const std::shared_ptr<const MeshBody>& PreparedMesh::body(const TriangleMesh& mesh) const {
  // The body keeps no reference to the mesh: the slot would own itself.
  return body_.get([&] { return std::make_shared<const MeshBody>(Shape(mesh)); });
}

const SolidAndShell& PreparedMesh::solidAndShell(const TriangleMesh& mesh) const {
  // Where the mesh stands for itself the value holds no mesh: the slot would own itself.
  return solid_and_shell_.get([&] { return allclear::solidAndShell(mesh); });
}

const std::vector<Vec3>& PreparedMesh::fewCorners(const TriangleMesh& mesh) const {
  return few_corners_.get([&] { return allclear::fewCorners(hull(mesh).points()); });
}

const SolidAndShell& solidAndShellOf(const TriangleMesh& mesh) {
  return PreparedMesh::of(mesh).solidAndShell(mesh);
}

bool isFilled(const TriangleMesh& mesh) {
  return mesh.open() == OpenMeshes::kFill && solidAndShellOf(mesh).open_parts > 0;
}

const ConvexMesh& hullOf(const TriangleMesh& mesh) { return PreparedMesh::of(mesh).hull(mesh); }

const std::vector<ConvexMesh>& coverOf(const TriangleMesh& mesh, MeshFidelity fidelity) {
  return PreparedMesh::of(mesh).cover(mesh, fidelity);
}

const std::shared_ptr<const MeshBody>& bodyOf(const TriangleMesh& mesh) {
  return PreparedMesh::of(mesh).body(mesh);
}

std::shared_ptr<const MeshBody> bodyOf(const Shape& shape) {
  if (const auto* mesh = std::get_if<TriangleMesh>(&shape)) return bodyOf(*mesh);
  return std::make_shared<const MeshBody>(shape);
}

}  // namespace allclear
