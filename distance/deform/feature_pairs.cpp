// Features of two moving triangles that may touch: a vertex and a face, or two edges.
//
// Two features of a continuous motion touch for the first time where a vertex meets a face or two
// edges meet (or they touch at the start). At that instant their four vertices a, b, c, d are
// coplanar: det(b - a, c - a, d - a) = 0. With linear motion that is a cubic of t. Where its four
// Bernstein coefficients have one sign there is no such instant.
#include "allclear/distance/deform/feature_pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace allclear::deform {
namespace {

/// Bound of a determinant's rounding over the product of its columns' lengths: three differences (2
/// roundings each), products and sums (6), and the mixed coefficients' sums of three (4), in double
/// precision; 64 of them leave room.
constexpr double kCubicRounding = 64 * 1.2e-16;

bool isIn(const Triangle& t, int v) { return t[0] == v || t[1] == v || t[2] == v; }

/// Whether the four points may lie in one plane at some t of [0, 1].
bool mayBeCoplanar(const std::array<MovingPoint, 4>& p) {
  const Vec3 a0 = p[1].start - p[0].start, a1 = p[1].end - p[0].end;
  const Vec3 b0 = p[2].start - p[0].start, b1 = p[2].end - p[0].end;
  const Vec3 c0 = p[3].start - p[0].start, c1 = p[3].end - p[0].end;
  const Vec3 start = b0.cross(c0), mixed = b0.cross(c1) + b1.cross(c0), end = b1.cross(c1);
  const double k0 = a0.dot(start), k3 = a1.dot(end);
  const double k1 = a1.dot(start) + a0.dot(mixed), k2 = a1.dot(mixed) + a0.dot(end);  // times 3
  const double squares = std::max(a0.squaredNorm(), a1.squaredNorm()) *
                         std::max(b0.squaredNorm(), b1.squaredNorm()) *
                         std::max(c0.squaredNorm(), c1.squaredNorm());
  // The smallest normal number covers products that underflow.
  const double least = kCubicRounding * std::sqrt(squares) + std::numeric_limits<double>::min();
  const bool is_above = k0 > least && k3 > least && k1 > 3 * least && k2 > 3 * least;
  const bool is_below = k0 < -least && k3 < -least && k1 < -3 * least && k2 < -3 * least;
  return !is_above && !is_below;
}

MovingPoint moving(const FeatureSide& side, int v) {
  return {side.step.start[v], side.step.end[v]};
}

class Collector {
 public:
  Collector(const FeatureSide& a, const FeatureSide& b, std::vector<FeaturePair>* out,
            FeatureCounts* counts)
      : a_(a), b_(b), is_one_mesh_(&a == &b), out_(out), counts_(counts) {}

  void add(const TrianglePair& pair) {
    const Triangle &A = a_.step.triangles[pair[0]], &B = b_.step.triangles[pair[1]];
    const SweptBox box_A = boxOf(a_, A), box_B = boxOf(b_, B);
    addVertices(a_, A, a_.owned[pair[0]], b_, B, box_B, false);
    addVertices(b_, B, b_.owned[pair[1]], a_, A, box_A, true);
    addEdges(A, a_.owned[pair[0]], box_B, B, b_.owned[pair[1]], box_A);
  }

  /// Edges that may pierce faces at t = 0.
  void addAtStart(const TrianglePair& pair) {
    const Triangle &A = a_.step.triangles[pair[0]], &B = b_.step.triangles[pair[1]];
    addPiercing(a_, A, a_.owned[pair[0]], b_, B, false);
    addPiercing(b_, B, b_.owned[pair[1]], a_, A, true);
  }

 private:
  static SweptBox boxOf(const FeatureSide& side, const Triangle& t) {
    const std::vector<SweptBox>& box = side.boxes.vertices;
    return unionOf(unionOf(box[t[0]], box[t[1]]), box[t[2]]);
  }
  bool share(int v, const Triangle& t) const { return is_one_mesh_ && isIn(t, v); }

  bool survives(const std::array<MovingPoint, 4>& points) {
    if (counts_) ++counts_->boxes;
    if (!mayBeCoplanar(points)) return false;
    if (counts_) ++counts_->cubics;
    return true;
  }

  void addVertices(const FeatureSide& of, const Triangle& t, std::uint8_t owned,
                   const FeatureSide& to, const Triangle& face, const SweptBox& box, bool swapped) {
    for (int k = 0; k < 3; ++k) {
      const int v = t[k];
      if (!(owned >> k & 1) || share(v, face) || !meet(of.boxes.vertices[v], box)) continue;
      if (!survives({moving(of, v), moving(to, face[0]), moving(to, face[1]), moving(to, face[2])}))
        continue;
      out_->push_back({{v, -1, -1}, face, 1, 3, swapped});
    }
  }

  void addEdges(const Triangle& A, std::uint8_t owned_A, const SweptBox& box_B, const Triangle& B,
                std::uint8_t owned_B, const SweptBox& box_A) {
    // Owned edges of both, where boxes meet: first of an edge and the other triangle, then of
    // edges.
    const std::vector<SweptBox>&boxes_a = a_.boxes.vertices, &boxes_b = b_.boxes.vertices;
    SweptBox edges_B[3];
    bool is_near_B[3];
    for (int j = 0; j < 3; ++j) {
      is_near_B[j] = owned_B >> (3 + j) & 1;
      if (!is_near_B[j]) continue;
      edges_B[j] = unionOf(boxes_b[B[j]], boxes_b[B[(j + 1) % 3]]);
      is_near_B[j] = meet(edges_B[j], box_A);
    }
    for (int i = 0; i < 3; ++i) {
      if (!(owned_A >> (3 + i) & 1)) continue;
      const int p = A[i], q = A[(i + 1) % 3];
      const SweptBox edge_A = unionOf(boxes_a[p], boxes_a[q]);
      if (!meet(edge_A, box_B)) continue;
      for (int j = 0; j < 3; ++j) {
        const int r = B[j], s = B[(j + 1) % 3];
        const bool have_common = is_one_mesh_ && (p == r || p == s || q == r || q == s);
        if (!is_near_B[j] || have_common || !meet(edge_A, edges_B[j])) continue;
        if (!survives({moving(a_, p), moving(a_, q), moving(b_, r), moving(b_, s)})) continue;
        out_->push_back({{p, q, -1}, {r, s, -1}, 2, 2, false});
      }
    }
  }

  void addPiercing(const FeatureSide& of, const Triangle& t, std::uint8_t owned,
                   const FeatureSide& to, const Triangle& face, bool swapped) {
    const auto still = [](const FeatureSide& side, int v) {
      return MovingPoint{side.step.start[v], side.step.start[v]};
    };
    for (int k = 0; k < 3; ++k) {
      const int p = t[k], q = t[(k + 1) % 3];
      if (!(owned >> (3 + k) & 1) || share(p, face) || share(q, face)) continue;
      // A point that goes along the edge: where it never comes into the face's plane, the edge is
      // clear of the face.
      const MovingPoint along{of.step.start[p], of.step.start[q]};
      if (!mayBeCoplanar({along, still(to, face[0]), still(to, face[1]), still(to, face[2])}))
        continue;
      out_->push_back({{p, q, -1}, face, 2, 3, swapped});
    }
  }

  const FeatureSide& a_;
  const FeatureSide& b_;
  bool is_one_mesh_;
  std::vector<FeaturePair>* out_;
  FeatureCounts* counts_;
};

}  // namespace

std::vector<std::uint8_t> ownedFeatures(std::span<const Triangle> triangles, std::size_t vertices) {
  // A vertex goes to the first triangle that has it, an edge too: uses of an edge are sorted
  // together.
  std::vector<std::uint8_t> owned(triangles.size(), 0);
  std::vector<char> is_taken(vertices, 0);
  struct Use {
    std::uint64_t edge;
    int half_edge;
  };
  std::vector<Use> uses;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int p = triangles[t][k], q = triangles[t][(k + 1) % 3];
      if (!is_taken[p]) owned[t] |= static_cast<std::uint8_t>(1 << k);
      is_taken[p] = 1;
      const auto u = static_cast<std::uint64_t>(p), v = static_cast<std::uint64_t>(q);
      uses.push_back({std::min(u, v) << 32 | std::max(u, v), static_cast<int>(3 * t) + k});
    }
  }
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
    return a.edge != b.edge ? a.edge < b.edge : a.half_edge < b.half_edge;
  });
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (i > 0 && uses[i].edge == uses[i - 1].edge) continue;
    owned[uses[i].half_edge / 3] |= static_cast<std::uint8_t>(1 << (3 + uses[i].half_edge % 3));
  }
  return owned;
}

void candidates(const FeatureSide& a, const FeatureSide& b, std::span<const TrianglePair> pairs,
                std::vector<FeaturePair>* out, FeatureCounts* counts) {
  out->clear();
  Collector collector(a, b, out, counts);
  for (const TrianglePair& pair : pairs) collector.add(pair);
}

void startCandidates(const FeatureSide& a, const FeatureSide& b,
                     std::span<const TrianglePair> pairs, std::vector<FeaturePair>* out) {
  out->clear();
  Collector collector(a, b, out, nullptr);
  for (const TrianglePair& pair : pairs) collector.addAtStart(pair);
}

FeatureMeeting decide(const FeatureSide& a, const FeatureSide& b, const FeaturePair& pair,
                      const VertexMotionOptions& options) {
  // An edge and a face at t = 0: a point that goes along the edge is a vertex against a face at
  // rest.
  const FeatureSide& first = pair.is_swapped ? b : a;
  const FeatureSide& second = pair.is_swapped ? a : b;
  const auto of_first = [&](int k) { return moving(first, pair.a[k]); };
  const auto of_second = [&](int k) { return moving(second, pair.b[k]); };
  if (pair.count_a == 2 && pair.count_b == 3) {
    const auto still = [&](int k) {
      const Vec3& p = second.step.start[pair.b[k]];
      return MovingPoint{p, p};
    };
    const MovingPoint along{first.step.start[pair.a[0]], first.step.start[pair.a[1]]};
    FeatureMeeting meeting = meetingVertexFace(along, {still(0), still(1), still(2)}, options);
    meeting.time = 0.0;
    return meeting;
  }
  if (pair.count_a == 1) {
    return meetingVertexFace(of_first(0), {of_second(0), of_second(1), of_second(2)}, options);
  }
  return meetingEdgeEdge({of_first(0), of_first(1)}, {of_second(0), of_second(1)}, options);
}

}  // namespace allclear::deform
