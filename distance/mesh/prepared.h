#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/convex_cover.h"
#include "allclear/distance/mesh/body.h"
#include "allclear/distance/shape.h"
#include "allclear/distance/solid_and_shell.h"

namespace allclear {

class CoverCache;

/// The hull of the mesh's vertices.
const ConvexMesh& hullOf(const TriangleMesh& mesh);

/// The convex cover of the mesh with few or many pieces. Pre: `fidelity` is `kPieces` or
/// `kManyPieces`.
const std::vector<ConvexMesh>& coverOf(const TriangleMesh& mesh, MeshFidelity fidelity);

/// The mesh made ready for queries of its exact surface. Throws as the constructor of `MeshBody`.
const std::shared_ptr<const MeshBody>& bodyOf(const TriangleMesh& mesh);

/// The body of a shape: the shared one of a mesh, a new one of any other shape.
std::shared_ptr<const MeshBody> bodyOf(const Shape& shape);

/// Everything that queries derive from one mesh. A mesh holds it in an opaque slot, so that all
/// copies of the mesh share it; each part is made when first asked for and never changes
/// afterwards. All functions may be called from several threads at once.
class PreparedMesh {
 public:
  static const PreparedMesh& of(const TriangleMesh& mesh);
  /// A part of a mesh that was checked before: it may have no area (a stray segment).
  static TriangleMesh part(std::vector<Vec3> vertices, std::vector<Triangle> triangles);

  const ConvexMesh& hull(const TriangleMesh& mesh) const;
  const std::vector<ConvexMesh>& cover(const TriangleMesh& mesh, MeshFidelity fidelity) const;
  const std::shared_ptr<const MeshBody>& body(const TriangleMesh& mesh) const;
  const SolidAndShell& solidAndShell(const TriangleMesh& mesh) const;
  const std::vector<Vec3>& fewCorners(const TriangleMesh& mesh) const;

  /// Covers that are made from now on come from there.
  void keepCovers(std::shared_ptr<const CoverCache> cache) const;

 private:
  std::vector<ConvexMesh> makeCover(const TriangleMesh& mesh,
                                    const ConvexCoverOptions& options) const;

  /// A value that the first call of `get` makes; or a later one, where the first was stopped
  /// (core/stop_scope.h). Who waits for another thread's making may be stopped, too.
  template <class Value>
  struct Once {
    mutable std::atomic<bool> is_made{false};
    mutable std::timed_mutex making;
    mutable std::optional<Value> value;

    template <class Make>
    const Value& get(const Make& make) const {
      if (is_made.load(std::memory_order_acquire)) return *value;
      std::unique_lock<std::timed_mutex> lock(making, std::defer_lock);
      constexpr std::chrono::milliseconds kBetweenQuestions{5};
      while (!lock.try_lock_for(kBetweenQuestions)) throwIfStopped();
      if (!is_made) {
        value.emplace(make());
        is_made.store(true, std::memory_order_release);
      }
      return *value;
    }
  };

  Once<ConvexMesh> hull_;
  Once<std::vector<Vec3>> few_corners_;
  Once<std::vector<ConvexMesh>> cover_of_few_, cover_of_many_;
  Once<std::shared_ptr<const MeshBody>> body_;
  Once<SolidAndShell> solid_and_shell_;
  mutable std::mutex mutex_;  ///< guards `cache_`
  mutable std::shared_ptr<const CoverCache> cache_;
};

}  // namespace allclear
