#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "allclear/core/types.h"
#include "allclear/distance/shape.h"

namespace allclear {

class DeformingMesh;

// Contact of meshes that bend: of a mesh with itself, and of two meshes.
//
// A vertex moves on a straight line at constant rate between two keyframes. Features are vertices,
// edges and triangles. Two features of one mesh touch when they have a point in common and no
// vertex. Vertices at the same place are different features; vertices of no triangle are none.

/// The triangles of a mesh whose vertices go from `start` (t = 0) to `end` (t = 1). A view.
struct MeshStep {
  std::span<const Triangle> triangles;
  std::span<const Vec3> start, end;
};

/// A vertex, an edge or a triangle, by its 1, 2 or 3 vertices; the others are -1.
using MeshFeature = std::array<int, 3>;

/// "vertex 3", "edge 3-7", "triangle 3-7-8".
std::string featureName(const MeshFeature& feature);

enum class ContactVerdict {
  kFree,       ///< proved: no contact at any t
  kTouches,    ///< `a` and `b` touch (or come nearer than 1e-17 of the coordinates) at `time`
  kUndecided,  ///< `a` and `b` may touch: the search about them took too long
};

struct SelfContact {
  ContactVerdict verdict = ContactVerdict::kUndecided;
  MeshFeature a{-1, -1, -1}, b{-1, -1, -1};
  int step = 0;             ///< from keyframe `step` to the next one
  double time = 0.0;        ///< in [0, 1] of that step: the first instant of contact that was found
  std::string message;      ///< one line
  long triangle_pairs = 0;  ///< that no patch test and no boxes ruled out, over all steps
  long feature_pairs = 0;   ///< of them, that had to be decided one by one
};

struct SelfContactOptions {
  /// Trees whose patches are certified, 1 to 3: more leave fewer pairs, but each takes time.
  int trees = 2;
  /// Boxes that the decision of one pair of features may take.
  int max_boxes = 200000;
};

/// What depends on the triangles alone, made once for many steps. Copies share it.
class SelfContactSearch {
 public:
  /// `rest` is any shape of the mesh in which its triangles have their usual sizes: the trees are
  /// cut by it. Throws `InputError` on an index out of range and coordinates that are not finite.
  /// O(n log^2 n).
  SelfContactSearch(std::vector<Triangle> triangles, std::span<const Vec3> rest,
                    const SelfContactOptions& options = {});

  /// One step. `start_is_free`: the shape at `start` is known to be free of contact (from the step
  /// before), so that edges and triangles at t = 0 need no test. Throws `InputError` on a wrong
  /// number of vertices and coordinates that are not finite.
  SelfContact step(std::span<const Vec3> start, std::span<const Vec3> end,
                   bool start_is_free = false) const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

/// One step.
SelfContact selfContact(const MeshStep& step, const SelfContactOptions& options = {});

/// All steps of a sequence, up to the first with a contact or without an answer. One keyframe is a
/// mesh at rest.
SelfContact selfContact(std::span<const Triangle> triangles,
                        std::span<const std::vector<Vec3>> keyframes,
                        const SelfContactOptions& options = {});
SelfContact selfContact(const DeformingMesh& mesh, const SelfContactOptions& options = {});

/// A mesh at one instant: `time` is 0.
SelfContact touches(const TriangleMesh& mesh, const SelfContactOptions& options = {});

struct MeshContactOptions {
  double threshold = 0.0;  ///< distance [m] to keep; 0: contact
  /// Instants are found to this part of the step.
  double time_resolution = 1e-6;
  /// Parts of [0, 1] that the decision of one pair of triangles may take.
  int max_intervals = 4000;
  int max_boxes = 200000;  ///< as of `SelfContactOptions`
};

/// Of two meshes over one step.
struct MeshContact {
  ContactVerdict verdict = ContactVerdict::kUndecided;  ///< kFree: at least `threshold` apart
  /// Of the first and the second mesh. With a threshold: triangles.
  MeshFeature a{-1, -1, -1}, b{-1, -1, -1};
  /// kTouches: the surfaces are nearer than the threshold (or touch) at this instant. kUndecided:
  /// where the search ended.
  double time = 1.0;
  /// kTouches: proved that they are not before `time - 2 time_resolution`.
  bool is_first = false;
};

/// Whether two meshes that bend keep a distance between their surfaces, and when they first do not.
/// A mesh wholly inside a closed one does not touch it. Throws `InputError` as above.
MeshContact contactOf(const MeshStep& a, const MeshStep& b, const MeshContactOptions& options = {});

}  // namespace allclear
