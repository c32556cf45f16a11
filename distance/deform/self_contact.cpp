// Proves that a mesh which bends does not touch itself, or names two features that touch.
//
// Per step, each stage proves most of what the stage before has left to be free:
// 1. patches certified as a whole (patch_test.h), and pairs of boxes of the tree (step_boxes.h);
// 2. boxes of features, and the signs of the cubic of coplanarity (feature_pairs.h);
// 3. a search over (t, u, v) for each pair that is left (geometry/vertex_motion.h).
//
// Why this is complete: let the mesh be free at t = 0, edges against triangles included. Two
// triangles without contact that come into contact do so first in a vertex and a triangle, or in
// two edges, that share no vertex: where an edge leaves a triangle that it shares a vertex with,
// its other end lies in the triangle, or it passes the opposite edge. So only the start needs the
// test of edges against triangles.
#include "allclear/distance/self_contact.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/input_error.h"
#include "allclear/distance/deform/feature_pairs.h"
#include "allclear/distance/deform/patch_cull.h"
#include "allclear/distance/deform/step_check.h"
#include "allclear/distance/deforming_mesh.h"

namespace allclear {
namespace {

using deform::FeaturePair;

constexpr int kMostTrees = 3;

/// The first contact of candidates, or the first pair without an answer.
void decideAll(const deform::FeatureSide& side, const std::vector<FeaturePair>& pairs,
               const VertexMotionOptions& options, SelfContact* result) {
  for (const FeaturePair& pair : pairs) {
    const FeatureMeeting meeting = deform::decide(side, side, pair, options);
    if (meeting.verdict == FeatureMeeting::Verdict::kApart) continue;
    // A contact counts more than a pair without an answer, an early one more than a late one.
    const bool touches = meeting.verdict == FeatureMeeting::Verdict::kTouching;
    const bool is_first =
        touches ? result->verdict != ContactVerdict::kTouches || meeting.time < result->time
                : result->verdict == ContactVerdict::kFree;
    if (!is_first) continue;
    result->verdict = touches ? ContactVerdict::kTouches : ContactVerdict::kUndecided;
    result->a = pair.a;
    result->b = pair.b;
    result->time = meeting.time;
  }
  result->feature_pairs += static_cast<long>(pairs.size());
}

std::string describe(const SelfContact& result, bool at_rest) {
  if (result.verdict == ContactVerdict::kFree) return "free of self-contact";
  std::string text = featureName(result.a) + " and " + featureName(result.b);
  text += result.verdict == ContactVerdict::kTouches ? " touch" : " may touch (search ended early)";
  if (at_rest) return text;
  return text + " between keyframes " + std::to_string(result.step) + " and " +
         std::to_string(result.step + 1);
}

}  // namespace

std::string featureName(const MeshFeature& feature) {
  const int count = feature[1] < 0 ? 1 : feature[2] < 0 ? 2 : 3;
  std::string text = count == 1 ? "vertex " : count == 2 ? "edge " : "triangle ";
  for (int k = 0; k < count; ++k) text += (k ? "-" : "") + std::to_string(feature[k]);
  return text;
}

struct SelfContactSearch::Data {
  deform::BendingMesh mesh;
  SelfContactOptions options;
};

SelfContactSearch::SelfContactSearch(std::vector<Triangle> triangles, std::span<const Vec3> rest,
                                     const SelfContactOptions& options) {
  deform::requireStep({triangles, rest, rest});
  const int trees = std::clamp(options.trees, 1, kMostTrees);
  data_ = std::make_shared<const Data>(
      Data{deform::BendingMesh(std::move(triangles), rest, trees), options});
}

SelfContact SelfContactSearch::step(std::span<const Vec3> start, std::span<const Vec3> end,
                                    bool start_is_free) const {
  // Culling, then edges against triangles at the start, then features over the step.
  const deform::BendingMesh& mesh = data_->mesh;
  const MeshStep step{mesh.triangles, start, end};
  if (start.size() != mesh.vertices) {
    throw InputError("a step has " + std::to_string(start.size()) + " vertices, its mesh " +
                     std::to_string(mesh.vertices));
  }
  deform::requireStep(step);
  deform::PatchCull cull;
  cull.run(step, mesh, static_cast<int>(mesh.trees.size()));
  SelfContact result;
  result.verdict = ContactVerdict::kFree;
  result.triangle_pairs = static_cast<long>(cull.pairs.size());
  const deform::FeatureSide side{step, mesh.owned, cull.boxes};
  const VertexMotionOptions limits{.max_boxes = data_->options.max_boxes};
  std::vector<FeaturePair> pairs;
  if (!start_is_free) {
    deform::startCandidates(side, side, cull.pairs, &pairs);
    decideAll(side, pairs, limits, &result);
  }
  if (result.verdict != ContactVerdict::kTouches) {
    deform::candidates(side, side, cull.pairs, &pairs);
    decideAll(side, pairs, limits, &result);
  }
  result.message = describe(result, start.data() == end.data());
  return result;
}

SelfContact selfContact(const MeshStep& step, const SelfContactOptions& options) {
  const SelfContactSearch search({step.triangles.begin(), step.triangles.end()}, step.start,
                                 options);
  return search.step(step.start, step.end);
}

namespace {

/// Step by step, until one is not free. `keyframe(k)` is the k-th of `count` shapes.
template <class Keyframe>
SelfContact ofSequence(std::span<const Triangle> triangles, int count, const Keyframe& keyframe,
                       const SelfContactOptions& options) {
  if (count == 0) throw InputError("a sequence of meshes needs a keyframe");
  const SelfContactSearch search({triangles.begin(), triangles.end()}, keyframe(0), options);
  if (count == 1) return search.step(keyframe(0), keyframe(0));
  // The end of a free step is a free start.
  SelfContact all;
  for (int k = 0; k + 1 < count; ++k) {
    SelfContact here = search.step(keyframe(k), keyframe(k + 1), k > 0);
    here.step = k;
    here.triangle_pairs += all.triangle_pairs;
    here.feature_pairs += all.feature_pairs;
    all = here;
    if (all.verdict != ContactVerdict::kFree) break;
  }
  all.message = describe(all, false);
  return all;
}

}  // namespace

SelfContact selfContact(std::span<const Triangle> triangles,
                        std::span<const std::vector<Vec3>> keyframes,
                        const SelfContactOptions& options) {
  const auto keyframe = [&](int k) -> const std::vector<Vec3>& { return keyframes[k]; };
  return ofSequence(triangles, static_cast<int>(keyframes.size()), keyframe, options);
}

SelfContact selfContact(const DeformingMesh& mesh, const SelfContactOptions& options) {
  const auto keyframe = [&](int k) -> const std::vector<Vec3>& { return mesh.keyframe(k); };
  return ofSequence(mesh.triangles(), mesh.keyframeCount(), keyframe, options);
}

SelfContact touches(const TriangleMesh& mesh, const SelfContactOptions& options) {
  const SelfContactSearch search(mesh.triangles(), mesh.vertices(), options);
  return search.step(mesh.vertices(), mesh.vertices());
}

}  // namespace allclear
