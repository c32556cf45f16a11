#pragma once

#include <memory>
#include <vector>

#include "allclear/distance/phong/options.h"
#include "allclear/distance/phong/state.h"
#include "allclear/distance/shape.h"
#include "allclear/distance/soft/result.h"

namespace allclear {

class PhongBody;
class SoftBody;

/// A shape prepared for every method, each when it is first used. Share it freely, also between
/// threads.
class SmoothBody {
 public:
  explicit SmoothBody(Shape shape);
  /// Uses `pieces` (convex, in the shape's frame, together enclosing it; not checked) instead of
  /// the computed cover.
  SmoothBody(Shape shape, std::vector<Geometry> pieces);
  ~SmoothBody();
  SmoothBody(const SmoothBody&) = delete;
  SmoothBody& operator=(const SmoothBody&) = delete;

  const Shape& shape() const { return shape_; }
  /// At most 16 pieces cover the shape, and they fill at most 10 % more than it does.
  bool isWellCovered() const;
  /// For `kSoft`. A mesh is represented by its convex pieces: the given ones, or its cover
  /// (`TriangleMesh::cover`).
  const SoftBody& soft() const;
  /// For the Phong methods. Pre: a mesh, a convex mesh or a box; else `InputError`.
  const PhongBody& phong() const;

 private:
  struct Prepared;
  Shape shape_;
  std::unique_ptr<Prepared> prepared_;
};

/// The method that `kAutomatic` selects for the pair.
SmoothMethod chosenMethod(const SmoothBody& A, const SmoothBody& B);

/// Signed distance of two bodies by `options.method`. Each method's header says what it
/// guarantees: signed_distance.h, mesh_depth/depth.h, phong/sum.h, phong/dual.h, soft/distance.h.
/// Pass the same `state` to all queries of one pair, or null. The Phong methods need facets: for a
/// pair without them the result is that of `kSoft`, which accepts every shape, with `fallback` set.
SmoothDistance smoothDistance(const SmoothBody& A, const Pose& X_WA, const SmoothBody& B,
                              const Pose& X_WB, const SmoothOptions& options,
                              SmoothState* state = nullptr);

}  // namespace allclear
