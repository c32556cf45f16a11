// Distance of two bodies at rest: branch and bound over pairs of bounding volumes.
//
// Everything is seen from B: A is placed by one affine map X. The distance of two sets is at least
// the room between them along any unit direction n,
//   room(n) = min_{a in A} n.a - max_{b in B} n.b,
// the width of the empty slab square to n, and is the room along the line of nearest points. A pair
// of volumes is therefore pruned when along *some* direction the room between what is in them
// reaches the best distance known (`upper_`); volume_bounds.h finds directions and allows for the
// rounding of single precision. Two triangles that are left are measured exactly.
//
// Invariant: every pair of triangles is below some pair on the stack, or was measured (then
// `upper_` is no larger than its distance), or was pruned (then its distance is at least
// `pruned_`). At the end the stack is empty: `upper_` is the distance when it is below `enough_`,
// else the distance is at least min(`pruned_`, `upper_`).

#include "allclear/distance/mesh/distance.h"

#include <cmath>
#include <utility>

#include "allclear/core/assert.h"
#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/distance/convex/convex_distance.h"
#include "allclear/distance/convex/gjk.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/mesh/tree_search.h"

namespace allclear {
namespace mesh {
namespace {

TriangleCorners placed(const TriangleCorners& t, const Affine& X) {
  TriangleCorners out;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      out.p[i][k] =
          X.R[3 * k] * t.p[i][0] + X.R[3 * k + 1] * t.p[i][1] + X.R[3 * k + 2] * t.p[i][2] + X.T[k];
    }
  }
  return out;
}

LeafDistance withPoints(double distance, const Vec3& a, const Vec3& b) {
  return {distance, {a.x(), a.y(), a.z()}, {b.x(), b.y(), b.z()}};
}

/// Distance of a triangle, placed in the core's frame, from a solid convex core (GJK): 0 and equal
/// points where they overlap.
LeafDistance triangleCoreDistance(const TriangleCorners& triangle, const MeshBody& round) {
  // The triangle relative to its own middle: corners far from the origin would lose digits.
  Vec3 center = Vec3::Zero();
  for (int i = 0; i < 3; ++i) center += triangle.corner(i) / 3.0;
  TriangleCorners local = triangle;
  ConvexCore corners;
  corners.kind = ConvexCore::Kind::kTriangle;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) local.p[i][k] -= center[k];
    corners.extent = std::max(corners.extent, local.corner(i).norm());
  }
  corners.triangle = &local;
  ConvexCore body = *round.core();
  body.offset.setZero();
  const CorePair pair(corners, {Mat3::Identity(), center}, body, Pose{});
  const GjkResult result = gjk(pair, pair.p.squaredNorm() > 0.0 ? pair.p : Vec3::UnitX());
  Vec3 a = result.witnessA() + center, b = result.witnessB() + center;
  double distance = result.overlap ? 0.0 : result.upper;
  // A flat simplex may seem to hold the origin although the triangle is apart; GJK's lower bound,
  // when it is clearly above its rounding, contradicts that. The slower solver decides then.
  constexpr double kClearlyAbove = 8.0;
  const bool contradicts = result.overlap && result.lower > kClearlyAbove * pair.rounding;
  if (contradicts || !result.converged) {
    const Shape corner_hull =
        ConvexMesh({triangle.corner(0), triangle.corner(1), triangle.corner(2)});
    const SignedDistance exact =
        convexDistance(corner_hull, {Mat3::Identity(), round.center()}, round.hull(), Pose{});
    distance = std::max(exact.distance, 0.0);
    a = exact.witness_A - round.center();
    b = exact.witness_B - round.center();
  }
  return withPoints(distance, a, distance > 0.0 ? b : a);
}

class StillSearch {
 public:
  StillSearch(const MeshBody& A, const MeshBody& B, const Pose& X_BA,
              const MeshDistanceOptions& options, MeshCache* cache)
      : A_(A),
        B_(B),
        stack_(cache->stack),
        X_BA_(X_BA),
        pose_(affine(X_BA)),
        enough_(options.enough) {
    const double thickness = A.thickness() + B.thickness();
    poses_ = coarsen(pose_, thickness, A.reach(), B.reach());
  }

  MeshDistance run(MeshCache* cache) {
    // The nearest triangles of the last query give a small upper bound at once.
    if (isKnown(A_, cache->triangle_A) && isKnown(B_, cache->triangle_B)) {
      testLeaves(cache->triangle_A, cache->triangle_B);
    }
    stack_.clear();
    MeshCache::Item root{};
    root.lower = -std::numeric_limits<double>::infinity();
    root.n[0] = 1.0F;
    root.a = root.b = kRoot;
    stack_.push_back(root);
    BestFirstMixer best_first;
    StopSteps steps;
    while (!stack_.empty() && upper_ > 0.0) {
      steps.step();
      if (upper_ < std::numeric_limits<double>::infinity()) best_first.mix(&stack_);
      const MeshCache::Item item = stack_.back();
      stack_.pop_back();
      if (item.lower >= cutoff()) {
        pruned_ = std::min(pruned_, item.lower);
      } else {
        open(item);
      }
    }
    return finished(cache);
  }

 private:
  static bool isKnown(const MeshBody& body, int leaf) {
    const int count = body.bvh() ? static_cast<int>(body.bvh()->triangles().size()) : 1;
    return leaf >= 0 && leaf < count;
  }

  double cutoff() const { return std::min(upper_, enough_); }

  /// Prunes a pair of volumes, or replaces one of them by its children, or measures two leaves.
  void open(const MeshCache::Item& item) {
    const std::int32_t a = below(A_, item.a), b = below(B_, item.b);
    if (isLeaf(a) && isLeaf(b)) {
      testLeaves(~a, ~b);
      return;
    }
    ++node_tests_;
    // Rounded up, so that a bound that reaches it in single precision reaches it in double.
    const float cut = roundUp(cutoff());
    Room room;
    stillRoomOfChildren(poses_, volumes_A_.children(item.a, a), reachOf(A_, item.a),
                        volumes_B_.children(item.b, b), item.n, cut, &room);
    double pruned = static_cast<double>(room.room);
    if (!(room.room >= cut)) {
      pruned = openPair<false>(poses_, &volumes_A_, &volumes_B_, item, opensA(item, a, b, room),
                               room, cut, &stack_);
    }
    pruned_ = std::min(pruned_, pruned);
  }

  /// Whether to open the volume of A: of two, the one that is thicker along the direction of the
  /// room, for that is what the bound may lose to it.
  bool opensA(const MeshCache::Item& item, std::int32_t a, std::int32_t b, const Room& room) {
    if (isLeaf(b)) return true;
    if (isLeaf(a)) return false;
    const Vector<float> n = vectorOf(room.n);
    const float thickness_A = thicknessAlong(turnedBack(poses_.middle.R, n),
                                             volumes_A_.volume(item.a), radiusOf(A_, item.a));
    return thickness_A >= thicknessAlong(n, volumes_B_.volume(item.b), radiusOf(B_, item.b));
  }

  /// The room between two triangles along the direction of the nearest points so far, thicknesses
  /// taken off. Between neighbouring triangles that direction is almost always good enough.
  double roomAlongBestDirection(int a, int b) const {
    const TriangleCorners &of_A = A_.bvh()->triangles()[a], &of_B = B_.bvh()->triangles()[b];
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (int v = 0; v < 3; ++v) {
      least = std::min(least, direction_in_A_.dot(of_A.corner(v)));
      most = std::max(most, direction_.dot(of_B.corner(v)));
    }
    return least - most + shift_;
  }

  /// n.(R a + p) - n.b = (R^T n).a - n.b + n.p: stores R^T n and n.p for `roomAlongBestDirection`.
  void keepDirection(const Vec3& gap) {
    direction_ = gap.squaredNorm() > 0.0 ? Vec3(gap.normalized()) : Vec3(Vec3::Zero());
    direction_in_A_ = X_BA_.R.transpose() * direction_;
    shift_ = direction_.dot(X_BA_.p) - A_.thickness() - B_.thickness();
  }

  /// Measures two leaves and keeps them when they are the nearest so far.
  void testLeaves(int a, int b) {
    // Ten operations often spare the exact test of two triangles, which takes hundreds.
    if (B_.core() == nullptr && upper_ < std::numeric_limits<double>::infinity()) {
      const double room = roomAlongBestDirection(a, b);
      if (room >= cutoff()) {
        pruned_ = std::min(pruned_, room);
        return;
      }
    }
    ++triangle_tests_;
    const LeafDistance leaf = leafDistance(A_, a, pose_, B_, b);
    if (!(leaf.distance < upper_)) return;
    upper_ = leaf.distance;
    keepDirection({leaf.a[0] - leaf.b[0], leaf.a[1] - leaf.b[1], leaf.a[2] - leaf.b[2]});
    best_ = leaf;
    triangle_A_ = a;
    triangle_B_ = b;
  }

  /// The answer in the frame of B's centre, its points moved from the cores (triangles, axes) to
  /// the surfaces of the thick bodies.
  MeshDistance finished(MeshCache* cache) {
    MeshDistance result;
    result.node_tests = node_tests_;
    result.triangle_tests = triangle_tests_;
    // Nothing is nearer than `enough`: how far exactly was not sought.
    if (upper_ > 0.0 && upper_ >= enough_) {
      result.distance = std::min(pruned_, upper_);
      result.evaluated = false;
      return result;
    }
    cache->triangle_A = result.triangle_A = triangle_A_;
    cache->triangle_B = result.triangle_B = triangle_B_;
    result.distance = std::max(upper_, 0.0);
    result.contact = upper_ <= 0.0;
    result.witness_A = Vec3(best_.a[0], best_.a[1], best_.a[2]);
    result.witness_B = Vec3(best_.b[0], best_.b[1], best_.b[2]);
    const Vec3 gap = result.witness_B - result.witness_A;
    const double length = gap.norm();
    if (length > 0.0) result.normal = gap / length;
    // Where thicknesses overlap, the bodies meet at one point between the cores, which divides the
    // gap as the thicknesses are to each other.
    const double thick = A_.thickness() + B_.thickness();
    const double share = thick > length ? length / thick : 1.0;
    result.witness_A += share * A_.thickness() * result.normal;
    result.witness_B -= share * B_.thickness() * result.normal;
    return result;
  }

  const MeshBody& A_;
  const MeshBody& B_;
  VolumeCache volumes_A_{A_}, volumes_B_{B_};
  std::vector<MeshCache::Item>& stack_;
  const Pose& X_BA_;
  Affine pose_;
  CoarsePoses poses_;
  double enough_;
  double upper_ = std::numeric_limits<double>::infinity();   ///< least distance measured
  double pruned_ = std::numeric_limits<double>::infinity();  ///< least bound of what was pruned
  LeafDistance best_{};
  Vec3 direction_, direction_in_A_;  ///< of best_, B to A; 0 in contact
  double shift_ = 0.0;
  int triangle_A_ = 0, triangle_B_ = 0;
  long node_tests_ = 0, triangle_tests_ = 0;
};

/// Whether a part of `inner` (placed by X into the frame of `outer`) is within a closed part of
/// `outer`. One point of each part decides: where surfaces are apart, a part is inside or outside
/// as a whole.
bool hasPartInside(const MeshBody& inner, const Pose& X, const MeshBody& outer) {
  if (!outer.hasInside()) return false;
  for (const Vec3& p : inner.representatives()) {
    if (outer.contains(X * p)) return true;
  }
  return false;
}

void swapSides(MeshDistance* result) {
  std::swap(result->witness_A, result->witness_B);
  std::swap(result->triangle_A, result->triangle_B);
  result->normal = -result->normal;
}

/// Distance of a mesh from a half-space. A plane sees a mesh as it sees the mesh's hull.
MeshDistance planeDistance(const Shape& mesh, const Pose& X_WM, const Pose& X_WH) {
  const SignedDistance plane = convexDistance(mesh::meshHull(mesh), X_WM, Shape(HalfSpace()), X_WH);
  MeshDistance result;
  result.distance = std::max(plane.distance, 0.0);
  result.contact = plane.distance <= 0.0;
  result.witness_A = plane.witness_A;
  result.witness_B = plane.witness_B;
  result.normal = plane.normal;
  return result;
}

}  // namespace

const Shape& meshHull(const Shape& shape) {
  if (const auto* mesh = std::get_if<TriangleMesh>(&shape)) return bodyOf(*mesh)->hull();
  return shape;
}

Affine affine(const Pose& X) {
  Affine out;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) out.R[3 * i + k] = X.R(i, k);
    out.T[i] = X.p[i];
  }
  return out;
}

Pose centred(const MeshBody& A, const Pose& X_WA, const MeshBody& B, const Pose& X_WB) {
  Pose X;
  X.R.noalias() = X_WB.R.transpose() * X_WA.R;
  const Vec3 between = (X_WA.p - X_WB.p) + X_WA.R * A.center() - X_WB.R * B.center();
  X.p.noalias() = X_WB.R.transpose() * between;
  return X;
}

LeafDistance leafDistance(const MeshBody& A, int leaf_A, const Affine& X, const MeshBody& B,
                          int leaf_B) {
  const TriangleCorners a = placed(A.bvh()->triangles()[leaf_A], X);
  LeafDistance leaf;
  if (B.core() != nullptr) {
    leaf = triangleCoreDistance(a, B);
  } else {
    const TriangleDistance pair = triangleDistance(a, B.bvh()->triangles()[leaf_B]);
    leaf.distance = pair.distance;
    for (int k = 0; k < 3; ++k) {
      leaf.a[k] = pair.a[k];
      leaf.b[k] = pair.b[k];
    }
  }
  // Both leaves are cores of bodies that are all points within their thickness.
  leaf.distance -= A.thickness() + B.thickness();
  return leaf;
}

bool isInside(const MeshBody& A, const Pose& X_BA, const MeshBody& B) {
  return hasPartInside(A, X_BA, B) || hasPartInside(B, X_BA.inverse(), A);
}

}  // namespace mesh

MeshDistance meshDistance(const MeshBody& A, const Pose& X_WA, const MeshBody& B, const Pose& X_WB,
                          const MeshDistanceOptions& options, MeshCache* cache) {
  MeshCache fresh;
  if (cache == nullptr) cache = &fresh;
  if (A.bvh() == nullptr) {
    // The search takes triangles on A's side and a convex core only on B's.
    ALLCLEAR_ASSERT(B.bvh() != nullptr);
    std::swap(cache->triangle_A, cache->triangle_B);
    MeshDistance result = meshDistance(B, X_WB, A, X_WA, options, cache);
    std::swap(cache->triangle_A, cache->triangle_B);
    mesh::swapSides(&result);
    return result;
  }
  const Pose X_BA = mesh::centred(A, X_WA, B, X_WB);
  MeshDistance result = mesh::StillSearch(A, B, X_BA, options, cache).run(cache);
  if (options.inside && !result.contact && mesh::isInside(A, X_BA, B)) {
    result.contact = result.contained = true;
    result.evaluated = true;
    result.distance = 0.0;
  }
  // Back from the frame C of B's centre to the world.
  const Pose X_WC{X_WB.R, X_WB.p + X_WB.R * B.center()};
  result.witness_A = X_WC * result.witness_A;
  result.witness_B = X_WC * result.witness_B;
  result.normal = X_WC.R * result.normal;
  return result;
}

bool meshesOverlap(const MeshBody& A, const Pose& X_WA, const MeshBody& B, const Pose& X_WB,
                   MeshCache* cache) {
  MeshDistanceOptions options;
  // Above 0: with 0 the search would drop volumes that touch, and surfaces that touch in them.
  options.enough = std::numeric_limits<double>::min();
  return meshDistance(A, X_WA, B, X_WB, options, cache).contact;
}

MeshDistance meshDistance(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                          const MeshDistanceOptions& options, MeshCache* cache) {
  if (!std::holds_alternative<TriangleMesh>(A) && !std::holds_alternative<TriangleMesh>(B)) {
    throw InputError("a mesh distance needs a triangle mesh");
  }
  if (std::holds_alternative<HalfSpace>(B)) return mesh::planeDistance(A, X_WA, X_WB);
  if (std::holds_alternative<HalfSpace>(A)) {
    MeshDistance result = mesh::planeDistance(B, X_WB, X_WA);
    mesh::swapSides(&result);
    return result;
  }
  return meshDistance(*bodyOf(A), X_WA, *bodyOf(B), X_WB, options, cache);
}

}  // namespace allclear
