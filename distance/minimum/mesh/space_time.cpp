// The certified minimum over time of the distance of two surfaces: branch and bound in space and
// time.
//
// An item of the search is a pair of bounding volumes, one of each body, and an interval of time.
// Its lower bound is the room along a direction that is left between all that the volumes hold
// during the whole interval (distance/mesh/volume_bounds.h). An item whose bound reaches `cutoff_`
// is pruned; else it is divided,
// - in time, while the motion costs the bound more than the size of the volumes does
//   (`isTimeDividedFirst`),
// - else in space: the volume that is thicker along the direction is replaced by its children.
// Two leaves are two triangles (or a triangle and a convex core): their exact distance at one
// instant, followed in time by Newton steps, is the upper end of the bracket.
//
// Invariant: pruned and pending items cover all pairs of points at all times; no distance is below
// the least of their bounds, `pruned_` or an item's `lower`, and one not above `result_.upper`
// occurs (both for the true motion: the errors of the poses are part of each).
//
// Order: depth first, the nearest child first, which finds a small upper bound early; now and then
// the item with the least bound of all (`BestFirstMixer`). The order changes the effort, not the
// proof.

#include <algorithm>
#include <cmath>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/mesh/tree_search.h"
#include "allclear/distance/minimum/mesh/mesh.h"
#include "allclear/distance/minimum/mesh/time_tree.h"

namespace allclear::mcd {
namespace {

using mesh::CoarsePoses;
using Item = MeshCache::Item;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Intervals shorter than this [of a cell's 2] are not divided: their bound is final.
constexpr double kShortest = 1e-7;
/// Unit vectors are shortened by this: a direction of length 1 + epsilon would prove too much room.
constexpr double kUnit = 1.0 - 1e-15;
/// Single precision: how far a radius in it may be below its true value.
constexpr double kSingleRounding = 1e-6;

double dot(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// In double precision; zero stays as it is.
void toUnit(const float* from, double* n) {
  for (int c = 0; c < 3; ++c) n[c] = static_cast<double>(from[c]);
  const double length = std::sqrt(dot(n, n));
  for (int c = 0; c < 3 && length > 0.0; ++c) n[c] *= kUnit / length;
}

/// Unit vector from B's nearest point to A's; `n` stays as it is in contact.
void directionOf(const mesh::LeafDistance& leaf, double* n) {
  const Vec3 w = Eigen::Map<const Vec3>(leaf.a) - Eigen::Map<const Vec3>(leaf.b);
  const double length = w.norm();
  if (length > 0.0) Eigen::Map<Vec3>{n} = w * (kUnit / length);
}

class SpaceTimeSearch {
 public:
  SpaceTimeSearch(const MeshMotion& motion, const McdOptions& options, MeshCache* cache,
                  MeshMcdCounts* counts)
      : motion_(motion),
        A_(motion.A()),
        B_(motion.B()),
        cache_(*cache),
        stack_(cache->stack),
        counts_(*counts),
        times_(motion, A_.thickness() + B_.thickness()),
        tolerance_(options.tolerance),
        threshold_(options.threshold.value_or(kInfinity)),
        decide_only_(options.decide_only && options.threshold),
        budget_(options.max_evaluations),
        thickness_(A_.thickness() + B_.thickness()) {}

  MeshSearchResult run() {
    stack_.clear();
    if (!addCells()) return finished();
    warmStart();
    mesh::BestFirstMixer best_first;
    StopSteps steps;
    while (!stack_.empty() && !isOver()) {
      steps.step();
      if (result_.evaluated) best_first.mix(&stack_);
      const Item item = stack_.back();
      stack_.pop_back();
      if (item.lower >= cutoff_) {  // the cutoff may have fallen since the item was pushed
        prune(item.lower);
      } else {
        visit(item);
      }
    }
    return finished();
  }

 private:
  void prune(double lower) { pruned_ = std::min(pruned_, lower); }

  /// Contact, or decided, or out of evaluations.
  bool isOver() {
    if (result_.contact) return true;
    if (decide_only_ && result_.upper < threshold_) return true;
    if (counts_.node_tests + counts_.triangle_tests >= budget_) result_.spent = true;
    return result_.spent;
  }

  /// One item per cell that the balls alone do not keep above the threshold; false without any.
  bool addCells() {
    for (int cell = 0; cell < motion_.cells(); ++cell) {
      const double swept = motion_.sweptBound(cell);
      if (swept >= threshold_) {
        prune(swept);
        continue;
      }
      const std::int32_t time = times_.addCell(cell);
      pose_error_ = std::max(pose_error_, errorIn(cell));
      Item& item = stack_.emplace_back();
      item = {swept, {1.0F, 0.0F, 0.0F}, mesh::kRoot, mesh::kRoot, time};
      // The first direction to try: along the line of centres, from B to A.
      const Vec3 between(Eigen::Map<const Vec3>(times_[time].poses.middle.T));
      if (between.squaredNorm() > 0.0) {
        Eigen::Map<Eigen::Vector3f>(item.n) = between.normalized().cast<float>();
      }
    }
    std::sort(stack_.begin(), stack_.end(),
              [](const auto& x, const auto& y) { return x.lower > y.lower; });
    return !stack_.empty();
  }

  /// How far [m] any point of A may be from its place by the cell's curve.
  double errorIn(int cell) const {
    const RelativeCurve& curve = times_.curve(cell);
    return curve.error + curve.error_slope * A_.reach();
  }

  /// Offers the triangles that were nearest in the previous query, at their time.
  void warmStart() {
    const auto isKnown = [](const MeshBody& body, int leaf) {
      const int count = body.bvh() ? static_cast<int>(body.bvh()->triangles().size()) : 1;
      return leaf >= 0 && leaf < count;
    };
    if (!isKnown(A_, cache_.triangle_A) || !isKnown(B_, cache_.triangle_B)) return;
    const TimePoint when = timePointAt(motion_, cache_.t);
    if (!times_.hasCell(when.cell)) return;
    constexpr double kWholeCell = 2.0;
    const double s = 2.0 * when.s - 1.0;
    mesh::LeafDistance leaf = testLeaves(cache_.triangle_A, cache_.triangle_B, when.cell, s);
    improve(&leaf, cache_.triangle_A, cache_.triangle_B, when.cell, s, kWholeCell);
  }

  /// Prunes, divides in time, or divides in space.
  void visit(const Item& item) {
    const std::int32_t a = mesh::below(A_, item.a), b = mesh::below(B_, item.b);
    if (mesh::isLeaf(a) && mesh::isLeaf(b)) {
      visitLeaves(item, ~a, ~b);
      return;
    }
    ++counts_.node_tests;
    const CoarsePoses& coarse = times_[item.time].coarse;
    mesh::Room room;
    roomOfChildren(coarse, volumes_A_.children(item.a, a), mesh::reachOf(A_, item.a),
                   volumes_B_.children(item.b, b), item.n, coarse_cutoff_, &room);
    if (room.room >= coarse_cutoff_) {
      prune(static_cast<double>(room.room));
      return;
    }
    // How much a bound may gain when a volume is opened; below zero for a leaf, never opened.
    const mesh::Vector<float> n = mesh::vectorOf(room.n);
    float size = 0.0F, thick_A = -1.0F, thick_B = -1.0F;
    if (!mesh::isLeaf(a)) {
      size = mesh::radiusOf(A_, item.a);
      const mesh::Vector<float> back = mesh::turnedBack(coarse.middle.R, n);
      thick_A = mesh::thicknessAlong(back, volumes_A_.volume(item.a), size);
    }
    if (!mesh::isLeaf(b)) {
      const float radius = mesh::radiusOf(B_, item.b);
      size = std::max(size, radius);
      thick_B = mesh::thicknessAlong(n, volumes_B_.volume(item.b), radius);
    }
    if (size < coarse.motion && mayHalve(item.time) &&
        isTimeDividedFirst(coarse, item.a, room, size, std::max(thick_A, thick_B))) {
      divideTime(item, room);
      return;
    }
    prune(mesh::openPair<true>(coarse, &volumes_A_, &volumes_B_, item, thick_A >= thick_B, room,
                               coarse_cutoff_, &stack_));
  }

  bool mayHalve(std::int32_t time) const { return times_[time].s1 - times_[time].s0 > kShortest; }

  /// Whether the motion costs a bound more than the volumes do. With v the velocity of A's volume
  /// per half interval, |v| is how far it moves from the middle. The motion costs
  /// - the remainder: what the bound subtracts for the poses' errors and for the cubic term;
  /// - the turning loss: while B is passed sideways by w, |w|^2 = |v|^2 - (v.n)^2, at a distance d
  /// the
  ///   true distance grows to sqrt(d^2 + |w|^2), but the room along a fixed n does not. The loss is
  ///   |w|^2 / 2d, continued by its tangent |w| - d/2 from |w| = d on.
  /// Opening a volume gains its thickness along n at most, and some quarter of that in practice;
  /// below half of the tolerance nothing need be gained. Volumes that move by more than their size
  /// are always divided in time.
  bool isTimeDividedFirst(const CoarsePoses& poses, std::int32_t of_A, const mesh::Room& room,
                          float size, float thickness) {
    constexpr float kShareOfThickness = 0.25F;
    constexpr float kLeastDistance = 1e-9F;  // avoids a division by zero
    const mesh::Vector<float> center = mesh::vectorOf(volumes_A_.volume(of_A).center);
    const mesh::Vector<float> n = mesh::vectorOf(room.n);
    const mesh::Vector<float> v = mesh::placed(poses.velocity, center);
    float remainder = room.error - static_cast<float>(thickness_);
    for (int c = 0; c < 3; ++c) {  // C3 / 4 at the centre
      remainder +=
          std::abs(poses.controls[3 * c][3] * center.x + poses.controls[3 * c + 1][3] * center.y +
                   poses.controls[3 * c + 2][3] * center.z + poses.controls[9 + c][3]);
    }
    const float allowed = size - remainder;
    const float squared_move = mesh::dot(v, v), approach = mesh::dot(v, n);
    if (allowed < 0.0F || squared_move > allowed * allowed) return true;
    const float squared_sideways = std::max(squared_move - approach * approach, 0.0F);
    const float distance = std::max(coarse_cutoff_, kLeastDistance);
    const float turning_loss = squared_sideways < distance * distance
                                   ? 0.5F * squared_sideways / distance
                                   : std::sqrt(squared_sideways) - 0.5F * distance;
    return remainder + turning_loss >
           std::max(kShareOfThickness * thickness, 0.5F * static_cast<float>(tolerance_));
  }

  /// The half in which the volumes come nearer is visited first.
  void divideTime(const Item& item, const mesh::Room& room) {
    const std::int32_t halves = times_.halvesOf(item.time);
    Item half = item;
    half.lower = std::max(item.lower, static_cast<double>(room.room));
    std::copy_n(room.n, 3, half.n);
    const int nearer = room.s > 0.0F ? 1 : 0;
    half.time = halves + (1 - nearer);
    stack_.push_back(half);
    half.time = halves + nearer;
    stack_.push_back(half);
  }

  /// Bounds two leaves along the directions known, then along that of their nearest points at the
  /// middle and where they come nearest; divides the time if none prunes them.
  void visitLeaves(const Item& item, int a, int b) {
    TimeNode& node = times_[item.time];
    double n[3];
    toUnit(item.n, n);
    // The direction of the pair before is most often as good as the own one, and costs nothing.
    for (const double* known : {node.n, n}) {
      const double lower = leafBound(node, item.a, a, b, known);
      if (lower >= cutoff_) {
        prune(lower);
        return;
      }
    }
    const double s = 0.5 * (node.s0 + node.s1), width = 0.5 * (node.s1 - node.s0);
    mesh::LeafDistance leaf = testLeaves(a, b, node.cell, s);
    directionOf(leaf, n);
    double at = improve(&leaf, a, b, node.cell, s, width);
    double lower = std::max(item.lower, leafBound(node, item.a, a, b, n));
    if (at == s && lower < cutoff_) {
      // The middle did not improve the upper bound; try where the pair is about nearest.
      constexpr double kWorthwhile = 0.05;  // of the interval's half: nearer is as good as here
      const double next = nextInstant(times_.curve(node.cell), leaf, s, width).s;
      if (std::abs(next - s) > kWorthwhile * width) {
        leaf = testLeaves(a, b, node.cell, next);
        at = improve(&leaf, a, b, node.cell, next, width);
      }
    }
    // Where they are nearest, their direction costs the bound least.
    if (at != s && lower < cutoff_) {
      double n_there[3] = {n[0], n[1], n[2]};
      directionOf(leaf, n_there);
      const double there = leafBound(node, item.a, a, b, n_there);
      if (there > lower) std::copy(n_there, n_there + 3, n);
      lower = std::max(lower, there);
    }
    std::copy(n, n + 3, node.n);
    if (lower >= cutoff_ || result_.contact || !mayHalve(item.time)) {
      prune(lower);
      return;
    }
    divideTimeOfLeaves(item, a, b, n, lower);
  }

  /// The half with the lower bound is visited first.
  void divideTimeOfLeaves(const Item& item, int a, int b, const double* n, double lower) {
    const std::int32_t halves = times_.halvesOf(item.time);
    const std::size_t first = stack_.size();
    for (int k = 0; k < 2; ++k) {
      Item half = item;
      half.time = halves + k;
      // The direction found for the whole may prune a half at once.
      half.lower = std::max(lower, leafBound(times_[half.time], item.a, a, b, n));
      for (int c = 0; c < 3; ++c) half.n[c] = static_cast<float>(n[c]);
      if (half.lower >= cutoff_) {
        prune(half.lower);
      } else {
        stack_.push_back(half);
      }
    }
    if (stack_.size() == first + 2 && stack_[first].lower < stack_[first + 1].lower) {
      std::swap(stack_[first], stack_[first + 1]);
    }
  }

  /// Lower bound of the distance of two leaves over the interval: the room along n, B to A.
  double leafBound(const TimeNode& time, std::int32_t of_A, int a, int b, const double* n) {
    double most = 0.0;  // of n.b over B's leaf
    if (B_.core() != nullptr) {
      const Vec3 d(n[0], n[1], n[2]);  // without a direction there is no bound
      most = d.squaredNorm() > 0.0 ? d.dot(coreSupport(*B_.core(), d)) : kInfinity;
    } else {
      const TriangleCorners& corners = B_.bvh()->triangles()[b];
      most = std::max({dot(n, corners.p[0]), dot(n, corners.p[1]), dot(n, corners.p[2])});
    }
    const double length = static_cast<double>(mesh::reachOf(A_, of_A)) * (1.0 + kSingleRounding);
    return mesh::leastAlong(time.poses, A_.bvh()->triangles()[a], n) - most - time.poses.error -
           time.poses.error_slope * length;
  }

  mesh::LeafDistance testLeaves(int a, int b, int cell, double s) {
    ++counts_.triangle_tests;
    return leafDistance(A_, a, times_.curve(cell).at(s), B_, b);
  }

  /// As long as the distance at s is the least so far: keeps it and follows it downhill in time, at
  /// most `width` per step. Returns where that ended; `leaf` is the distance there.
  double improve(mesh::LeafDistance* leaf, int a, int b, int cell, double s, double width) {
    constexpr int kMostSteps = 4;
    constexpr double kWorthwhile = 0.1;  // of the slack: a smaller gain is not worth a distance
    for (int step = 0; keepIfLeast(*leaf, a, b, cell, s) && !result_.contact && step < kMostSteps;
         ++step) {
      const NextInstant next = nextInstant(times_.curve(cell), *leaf, s, width);
      if (next.gain < kWorthwhile * slack()) break;
      s = next.s;
      *leaf = testLeaves(a, b, cell, s);
    }
    return s;
  }

  /// The width that the bracket may have: near contact half of the distance, so that its sign is
  /// certain, but no less than what the poses' errors cost.
  double slack() const {
    return std::max(std::min(tolerance_, 0.5 * result_.upper), 2.0 * pose_error_);
  }

  /// Makes a distance the upper end of the bracket if it is the least so far.
  bool keepIfLeast(const mesh::LeafDistance& leaf, int a, int b, int cell, double s) {
    const double upper = leaf.distance + errorIn(cell);
    if (!(upper < result_.upper)) return false;
    result_.upper = upper;
    result_.leaf = leaf;
    result_.when = {cell, 0.5 * (1.0 + s)};
    result_.evaluated = true;
    result_.contact = leaf.distance <= 2.0 * pose_error_;
    cache_.triangle_A = a;
    cache_.triangle_B = b;
    cutoff_ = std::min(result_.upper - slack(), threshold_);
    coarse_cutoff_ = mesh::roundUp(cutoff_);
    return true;
  }

  MeshSearchResult finished() {
    cache_.t = motion_.timeAt(result_.when);
    counts_.intervals += times_.size();
    double lower = pruned_;
    for (const Item& item : stack_) lower = std::min(lower, item.lower);
    result_.lower = std::min(lower, result_.upper);
    if (!result_.evaluated) result_.upper = motion_.coarseDistance();
    result_.evaluations = static_cast<int>(counts_.triangle_tests);
    result_.bound_evaluations = static_cast<int>(counts_.node_tests);
    return result_;
  }

  const MeshMotion& motion_;
  const MeshBody& A_;
  const MeshBody& B_;
  MeshCache& cache_;
  std::vector<Item>& stack_;
  MeshMcdCounts& counts_;
  TimeTree times_;
  double tolerance_, threshold_;
  bool decide_only_;
  long budget_;
  double thickness_;
  mesh::VolumeCache volumes_A_{A_}, volumes_B_{B_};
  double pose_error_ = 0.0;     ///< the largest over all cells [m]
  double cutoff_ = threshold_;  ///< items with such a bound cannot change the result
  float coarse_cutoff_ = mesh::roundUp(threshold_);
  double pruned_ = kInfinity;  ///< least bound of what was pruned
  MeshSearchResult result_;
};

}  // namespace

MeshSearchResult spaceTime(const MeshMotion& motion, const McdOptions& options, MeshCache* cache,
                           MeshMcdCounts* counts) {
  return SpaceTimeSearch(motion, options, cache, counts).run();
}

}  // namespace allclear::mcd
