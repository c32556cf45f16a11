#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "allclear/distance/deform/patch_rows.h"
#include "allclear/distance/deform/step_boxes.h"
#include "allclear/distance/geometry/vertex_motion.h"

namespace allclear::deform {

/// Two features by their vertices: a vertex and a face (1 and 3 of them), two edges (2 and 2), or
/// an edge and a face (2 and 3).
struct FeaturePair {
  std::array<int, 3> a{-1, -1, -1}, b{-1, -1, -1};
  std::uint8_t count_a = 0, count_b = 0;
  bool is_swapped = false;  ///< of two meshes: `a` belongs to the second one
};

/// Each vertex and each edge belongs to one of its triangles, so that each pair of features is
/// tested once. Bit k: vertex k; bit 3 + k: the edge from vertex k.
std::vector<std::uint8_t> ownedFeatures(std::span<const Triangle> triangles, std::size_t vertices);

/// One side of a pair: a mesh in a step, with what was derived from it.
struct FeatureSide {
  const MeshStep& step;
  const std::vector<std::uint8_t>& owned;
  const StepBoxes& boxes;
};

struct FeatureCounts {
  long boxes = 0;   ///< pairs of features whose boxes meet
  long cubics = 0;  ///< of these, pairs that may become coplanar
};

/// Pairs of features of the triangles' pairs that share no vertex, and may touch over the step: the
/// boxes meet and the four vertices may become coplanar. With one mesh `a` and `b` are the same
/// object.
void candidates(const FeatureSide& a, const FeatureSide& b, std::span<const TrianglePair> pairs,
                std::vector<FeaturePair>* out, FeatureCounts* counts = nullptr);

/// The same at t = 0 for edges and faces, which a step does not test: an edge that is through a
/// face from the start need not meet a feature of lower dimension later.
void startCandidates(const FeatureSide& a, const FeatureSide& b,
                     std::span<const TrianglePair> pairs, std::vector<FeaturePair>* out);

/// Decides one pair. For an edge and a face `time` is 0.
FeatureMeeting decide(const FeatureSide& a, const FeatureSide& b, const FeaturePair& pair,
                      const VertexMotionOptions& options = {});

}  // namespace allclear::deform
