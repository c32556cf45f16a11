// Branch and bound over pairs of bounding volumes times intervals of time (mesh_pair.h has the
// bounds). A pair is divided in time while that loses more than the volumes do, else the volume is
// opened that is thicker along the direction; pairs nearest first, now and then the nearest of all.
// Pruned pairs' bounds prove the lower end of the bracket; triangle pairs in the middle of their
// interval, polished in time, make the upper one.

#include <cmath>

#include "allclear/distance/mesh/tree_search.h"
#include "allclear/distance/minimum/mesh/mesh.h"

namespace allclear::mcd {
namespace {

using mesh::Affine;
using mesh::CoarsePoses;
using mesh::IntervalPoses;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Intervals shorter than this [of a cell's 2] are not divided: their bound is taken as it is.
constexpr double kShortest = 1e-7;

struct TimeNode {
  IntervalPoses poses;
  CoarsePoses coarse;
  double s0, s1;
  double n[3];  ///< of the nearest points of two triangles, B to A, or 0
  std::int32_t cell;
  std::int32_t halves;  ///< the first of two; 0: not made yet
};

double dot(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

class Search {
 public:
  Search(const MeshMotion& motion, const McdOptions& options, MeshCache* cache,
         MeshMcdCounts* counts)
      : motion_(motion),
        A_(motion.A()),
        B_(motion.B()),
        cache_(*cache),
        stack_(cache->stack),
        counts_(*counts),
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
    while (!stack_.empty() && !over()) {
      if (found_.evaluated) best_first.mix(&stack_);
      const MeshCache::Item item = stack_.back();
      stack_.pop_back();
      if (item.lower >= cutoff_) {
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
  bool over() {
    if (found_.contact) return true;
    if (decide_only_ && found_.upper < threshold_) return true;
    if (counts_.node_tests + counts_.triangle_tests >= budget_) found_.spent = true;
    return found_.spent;
  }

  /// Cells that the balls alone keep above the threshold are out; false when all are.
  bool addCells() {
    curves_.resize(motion_.cells());
    for (int cell = 0; cell < motion_.cells(); ++cell) {
      const double swept = motion_.sweptBound(cell);
      if (swept >= threshold_) {
        prune(swept);
        continue;
      }
      RelativeCurve& curve = curves_[cell];
      curve = motion_.relative(cell);
      curve.error += 1e-14 * (A_.reach() + B_.reach());
      if (B_.core() != nullptr) curve.error += 1e-8 * (A_.reach() + B_.reach());
      const double error = curve.error + curve.error_slope * A_.reach();
      pose_error_ = std::max(pose_error_, error);
      const std::int32_t time = addTime(cell, -1.0, 1.0);
      MeshCache::Item& item = stack_.emplace_back();
      item = {swept, {1.0F, 0.0F, 0.0F}, mesh::kRoot, mesh::kRoot, time};
      const Vec3 between(Eigen::Map<const Vec3>(times_[time].poses.middle.T));
      if (between.squaredNorm() > 0.0) {
        Eigen::Map<Eigen::Vector3f>(item.n) = between.normalized().cast<float>();
      }
    }
    std::sort(stack_.begin(), stack_.end(),
              [](const auto& x, const auto& y) { return x.lower > y.lower; });
    return !stack_.empty();
  }

  std::int32_t addTime(int cell, double s0, double s1) {
    ++counts_.intervals;
    times_.emplace_back();
    TimeNode& node = times_.back();
    node.s0 = s0;
    node.s1 = s1;
    node.cell = cell;
    node.halves = 0;
    std::fill_n(node.n, 3, 0.0);
    economise(curves_[cell], s0, s1, thickness_, &node.poses);
    node.coarse = coarsen(node.poses, A_.reach(), B_.reach());
    return static_cast<std::int32_t>(times_.size()) - 1;
  }

  void makeHalves(std::int32_t time) {
    if (times_[time].halves != 0) return;
    const double s0 = times_[time].s0, s1 = times_[time].s1, middle = 0.5 * (s0 + s1);
    const int cell = times_[time].cell;
    const std::int32_t first = addTime(cell, s0, middle);
    addTime(cell, middle, s1);
    times_[time].halves = first;
    for (int k = 0; k < 2; ++k) std::copy_n(times_[time].n, 3, times_[first + k].n);
  }

  void warmStart() {
    const auto known = [](const MeshBody& body, int leaf) {
      const int count = body.bvh() ? static_cast<int>(body.bvh()->triangles().size()) : 1;
      return leaf >= 0 && leaf < count;
    };
    if (!known(A_, cache_.triangle_A) || !known(B_, cache_.triangle_B)) return;
    const TimePoint when = timePointAt(motion_, cache_.t);
    if (curves_[when.cell].scale == 0.0) return;
    offer(cache_.triangle_A, cache_.triangle_B, when.cell, 2.0 * when.s - 1.0, 2.0);
  }

  void visit(const MeshCache::Item& item) {
    const std::int32_t a = mesh::below(A_, item.a), b = mesh::below(B_, item.b);
    if (mesh::isLeaf(a) && mesh::isLeaf(b)) {
      visitLeaves(item, ~a, ~b);
      return;
    }
    ++counts_.node_tests;
    const CoarsePoses& coarse = times_[item.time].coarse;
    mesh::Room room;
    roomOfChildren(coarse, taken_A_.children(item.a, a), mesh::reachOf(A_, item.a),
                   taken_B_.children(item.b, b), item.n, coarse_cutoff_, &room);
    if (room.room >= coarse_cutoff_) {
      prune(static_cast<double>(room.room));
      return;
    }
    const mesh::Vector<float> n = mesh::vectorOf(room.n);
    float size = 0.0F, thick_A = -1.0F, thick_B = -1.0F;
    if (!mesh::isLeaf(a)) {
      size = mesh::radiusOf(A_, item.a);
      const mesh::Vector<float> back = mesh::turnedBack(coarse.middle.R, n);
      thick_A = mesh::thicknessAlong(back, taken_A_.volume(item.a), size);
    }
    if (!mesh::isLeaf(b)) {
      const float radius = mesh::radiusOf(B_, item.b);
      size = std::max(size, radius);
      thick_B = mesh::thicknessAlong(n, taken_B_.volume(item.b), radius);
    }
    if (size < coarse.motion && mayHalve(item.time) &&
        movesMore(coarse, item.a, room, size, std::max(thick_A, thick_B))) {
      divideTime(item, room);
      return;
    }
    prune(mesh::openPair<true>(coarse, &taken_A_, &taken_B_, item, thick_A >= thick_B, room,
                               coarse_cutoff_, &stack_));
  }

  bool mayHalve(std::int32_t time) const { return times_[time].s1 - times_[time].s0 > kShortest; }

  /// Whether the time is divided before the volumes are opened: they move by more than their size,
  /// or what their motion costs a bound (its remainder, and that the direction turns while they
  /// pass each other) is more than a share of what opening them can gain.
  bool movesMore(const CoarsePoses& poses, std::int32_t of_A, const mesh::Room& found, float size,
                 float thickness) {
    constexpr float kShare = 0.25F;
    const mesh::Vector<float> center = mesh::vectorOf(taken_A_.volume(of_A).center);
    const mesh::Vector<float> n = mesh::vectorOf(found.n);
    const mesh::Vector<float> v = mesh::placed(poses.velocity, center);
    float lost = found.error - static_cast<float>(thickness_);
    for (int c = 0; c < 3; ++c) {
      lost +=
          std::abs(poses.controls[3 * c][3] * center.x + poses.controls[3 * c + 1][3] * center.y +
                   poses.controls[3 * c + 2][3] * center.z + poses.controls[9 + c][3]);
    }
    const float room = size - lost, way = mesh::dot(v, v), ahead = mesh::dot(v, n);
    if (room < 0.0F || way > room * room) return true;
    const float across = std::max(way - ahead * ahead, 0.0F), far = std::max(coarse_cutoff_, 1e-9F);
    const float turn = across < far * far ? 0.5F * across / far : std::sqrt(across) - 0.5F * far;
    return lost + turn > std::max(kShare * thickness, 0.5F * static_cast<float>(tolerance_));
  }

  void divideTime(const MeshCache::Item& item, const mesh::Room& room) {
    makeHalves(item.time);
    MeshCache::Item half = item;
    half.lower = std::max(item.lower, static_cast<double>(room.room));
    std::copy_n(room.n, 3, half.n);
    const int nearer = room.s > 0.0F ? 1 : 0;
    half.time = times_[item.time].halves + (1 - nearer);
    stack_.push_back(half);
    half.time = times_[item.time].halves + nearer;
    stack_.push_back(half);
  }

  /// The last two in order.
  void lowestLast(std::size_t first) {
    if (stack_.size() == first + 2 && stack_[first].lower < stack_[first + 1].lower) {
      std::swap(stack_[first], stack_[first + 1]);
    }
  }

  void visitLeaves(const MeshCache::Item& item, int a, int b) {
    TimeNode& node = times_[item.time];
    double n[3];
    unit(item.n, n);
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
    direction(leaf, n);
    double at = improve(&leaf, a, b, node.cell, s, width);
    double lower = std::max(item.lower, leafBound(node, item.a, a, b, n));
    if (at == s && lower < cutoff_) {
      const double next = nextInstant(curves_[node.cell], leaf, s, width).s;
      if (std::abs(next - s) > 0.05 * width) {
        leaf = testLeaves(a, b, node.cell, next);
        at = improve(&leaf, a, b, node.cell, next, width);
      }
    }
    // Where they are nearest, their direction costs the bound least.
    if (at != s && lower < cutoff_) {
      double n_there[3] = {n[0], n[1], n[2]};
      direction(leaf, n_there);
      const double there = leafBound(node, item.a, a, b, n_there);
      if (there > lower) std::copy(n_there, n_there + 3, n);
      lower = std::max(lower, there);
    }
    std::copy(n, n + 3, node.n);
    if (lower >= cutoff_ || found_.contact || !mayHalve(item.time)) {
      prune(lower);
      return;
    }
    makeHalves(item.time);
    const std::size_t first = stack_.size();
    for (int k = 0; k < 2; ++k) {
      MeshCache::Item half = item;
      half.time = times_[item.time].halves + k;
      half.lower = std::max(lower, leafBound(times_[half.time], item.a, a, b, n));
      for (int c = 0; c < 3; ++c) half.n[c] = static_cast<float>(n[c]);
      if (half.lower >= cutoff_) {
        prune(half.lower);
      } else {
        stack_.push_back(half);
      }
    }
    lowestLast(first);
  }

  /// In double precision; zero stays as it is.
  static void unit(const float* from, double* n) {
    for (int c = 0; c < 3; ++c) n[c] = static_cast<double>(from[c]);
    const double length = std::sqrt(dot(n, n));
    for (int c = 0; c < 3 && length > 0.0; ++c) n[c] *= (1.0 - 1e-15) / length;
  }

  /// Unit, B to A; stays as it is in contact.
  static void direction(const mesh::LeafDistance& leaf, double* n) {
    const Vec3 w = Eigen::Map<const Vec3>(leaf.a) - Eigen::Map<const Vec3>(leaf.b);
    const double length = w.norm();
    if (length > 0.0) Eigen::Map<Vec3>{n} = w * ((1.0 - 1e-15) / length);
  }

  /// Directional test of two leaves.
  double leafBound(const TimeNode& time, std::int32_t of_A, int a, int b, const double* n) {
    double most = 0.0;
    if (B_.core() != nullptr) {
      const Vec3 d(n[0], n[1], n[2]);
      most = d.squaredNorm() > 0.0 ? d.dot(coreSupport(*B_.core(), d)) : kInfinity;
    } else {
      const TriangleCorners& corners = B_.bvh()->triangles()[b];
      most = std::max({dot(n, corners.p[0]), dot(n, corners.p[1]), dot(n, corners.p[2])});
    }
    constexpr double kRounding = 1e-6;  // of the sum in single precision
    const double length = static_cast<double>(mesh::reachOf(A_, of_A)) * (1.0 + kRounding);
    return mesh::leastAlong(time.poses, A_.bvh()->triangles()[a], n) - most - time.poses.error -
           time.poses.error_slope * length;
  }

  mesh::LeafDistance testLeaves(int a, int b, int cell, double s) {
    ++counts_.triangle_tests;
    return leafDistance(A_, a, curves_[cell].at(s), B_, b);
  }

  void offer(int a, int b, int cell, double s, double width) {
    mesh::LeafDistance leaf = testLeaves(a, b, cell, s);
    improve(&leaf, a, b, cell, s, width);
  }

  /// Takes the distance if it is the least, and follows it in time; returns where it ended.
  double improve(mesh::LeafDistance* leaf, int a, int b, int cell, double s, double width) {
    for (int step = 0; take(*leaf, a, b, cell, s) && !found_.contact && step < 4; ++step) {
      const NextInstant next = nextInstant(curves_[cell], *leaf, s, width);
      if (next.gain < 0.1 * slack()) break;
      s = next.s;
      *leaf = testLeaves(a, b, cell, s);
    }
    return s;
  }

  double slack() const {
    return std::max(std::min(tolerance_, 0.5 * found_.upper), 2.0 * pose_error_);
  }

  bool take(const mesh::LeafDistance& leaf, int a, int b, int cell, double s) {
    const double error = curves_[cell].error + curves_[cell].error_slope * A_.reach();
    const double upper = leaf.distance + error;
    if (!(upper < found_.upper)) return false;
    found_.upper = upper;
    found_.leaf = leaf;
    found_.when = {cell, 0.5 * (1.0 + s)};
    found_.evaluated = true;
    found_.contact = leaf.distance <= 2.0 * pose_error_;
    cache_.triangle_A = a;
    cache_.triangle_B = b;
    cutoff_ = std::min(found_.upper - slack(), threshold_);
    coarse_cutoff_ = mesh::roundUp(cutoff_);
    return true;
  }

  MeshSearchResult finished() {
    cache_.t = motion_.timeAt(found_.when);
    double lower = pruned_;
    for (const MeshCache::Item& item : stack_) lower = std::min(lower, item.lower);
    found_.lower = std::min(lower, found_.upper);
    if (!found_.evaluated) found_.upper = motion_.coarseDistance();
    found_.evaluations = static_cast<int>(counts_.triangle_tests);
    found_.bound_evaluations = static_cast<int>(counts_.node_tests);
    return found_;
  }

  const MeshMotion& motion_;
  const MeshBody& A_;
  const MeshBody& B_;
  MeshCache& cache_;
  std::vector<MeshCache::Item>& stack_;
  MeshMcdCounts& counts_;
  std::vector<RelativeCurve> curves_;
  std::vector<TimeNode> times_;
  double tolerance_, threshold_;
  bool decide_only_;
  long budget_;
  double thickness_;
  mesh::VolumeCache taken_A_{A_}, taken_B_{B_};
  double pose_error_ = 0.0;
  double cutoff_ = threshold_;
  float coarse_cutoff_ = mesh::roundUp(threshold_);
  double pruned_ = kInfinity;
  MeshSearchResult found_;
};

}  // namespace

MeshSearchResult spaceTime(const MeshMotion& motion, const McdOptions& options, MeshCache* cache,
                           MeshMcdCounts* counts) {
  return Search(motion, options, cache, counts).run();
}

}  // namespace allclear::mcd
