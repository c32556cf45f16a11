// RRT-Connect (J. J. Kuffner, S. M. LaValle, ICRA 2000) over certified segments, with dynamic
// domains (A. Yershova, L. Jaillet, T. Simeon, S. M. LaValle, ICRA 2005).
//
// Two trees grow from the start and from the goals. The smaller one takes one step towards a
// sample; if that succeeds, the other one walks towards the new vertex until something is in the
// way. A vertex that failed before only answers samples inside of its domain, a ball whose radius
// adapts to its success: vertices at walls stop attracting samples from behind them.
//
// Departures from the papers: every edge is proved clear (`SegmentCertifier`), not sampled; domains
// shrink and grow by shares instead of being fixed; the first sample is a goal itself. Where an
// edge of all coordinates is not free, one arm of several is moved alone: to pass each other, or to
// leave a shelf, two arms seldom move along one straight line.
//
// Under path constraints (D. Berenson et al., ICRA 2009) samples and the ends of edges are
// projected to where the constraints are kept. Edges are short, so that the straight line between
// their ends keeps them too, and halved where it does not.
//
// Invariant: every edge of both trees is free (`FreeMotion`).
#include "allclear/planner/seeds/rrt_connect.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/planner/seeds/vertex_index.h"

namespace allclear {
namespace {

// Factors of a domain's radius. A failure shrinks it by 5 %, a success grows it by 5 %; a sample
// outside of it grows it a little, so that no domain closes a vertex off for good.
constexpr double kShrink = 0.95;
constexpr double kGrow = 1.05;
constexpr double kGrowWhenIgnored = 1.02;

/// Vertices nearer than this [m] are one: the last step of `connect` ends on its target but for
/// rounding.
constexpr double kSameVertex = 1e-12;

/// Between two looks at the clock: as cheap as the samples themselves.
constexpr long kSamplesPerCheck = 16;

// Under path constraints: the longest edge [m], halved so often where its straight line leaves
// them, and the share of its length by which an edge has to come nearer to its target.
constexpr double kConstrainedStep = 0.2;
constexpr int kHalvings = 3;
constexpr double kLeastProgress = 0.1;

struct Tree {
  explicit Tree(const ConfigurationSpace& space) : index(space) {}

  VertexIndex index;
  std::vector<VecX> vertices;
  std::vector<int> parents;   ///< -1: a root
  std::vector<double> radii;  ///< of the domains [m]; infinite before the first failure

  void add(VecX q, int parent) {
    index.add(q);
    vertices.push_back(std::move(q));
    parents.push_back(parent);
    radii.push_back(std::numeric_limits<double>::infinity());
  }

  /// From its root to vertex i.
  std::vector<VecX> branch(int i) const {
    std::vector<VecX> out;
    for (; i >= 0; i = parents[i]) out.push_back(vertices[i]);
    std::reverse(out.begin(), out.end());
    return out;
  }
};

class TreeGrower {
 public:
  TreeGrower(FreeMotion& motion, const RrtOptions& options)
      : motion_(motion), space_(motion.space()), options_(options) {}

  /// Grows a tree by one edge towards a sample; the new vertex, or -1.
  int extend(Tree& tree, const VecX& sample) {
    const auto [nearest, length] = tree.index.nearest(sample);
    if (length > tree.radii[nearest]) {
      tree.radii[nearest] *= kGrowWhenIgnored;
      return -1;
    }
    // Success widens the vertex's domain; failure narrows it, never below one step.
    const int added = grow(tree, nearest, sample);
    double& radius = tree.radii[nearest];
    const double floor = options_.step;
    if (added < 0) {
      radius = std::isfinite(radius) ? std::max(floor, kShrink * radius)
                                     : options_.first_radius * options_.step;
    } else {
      radius *= kGrow;
    }
    return added;
  }

  /// Grows a tree from its vertex nearest to `target` until it gets there; the last vertex and
  /// whether it is the target.
  std::pair<int, bool> connect(Tree& tree, const VecX& target) {
    int vertex = tree.index.nearest(target).index;
    while (true) {
      const int added = grow(tree, vertex, target);
      if (added < 0) return {vertex, false};
      vertex = added;
      if (space_.length(space_.difference(tree.vertices[vertex], target)) < kSameVertex) {
        return {vertex, true};
      }
    }
  }

  long edges() const { return edges_; }  ///< tried

 private:
  /// Adds a step from a vertex towards the target, of all coordinates or, where that is not free,
  /// of one block of them; the new vertex, or -1. Blocks take turns to be the first.
  int grow(Tree& tree, int from, const VecX& target) {
    const int added = step(tree, from, target, target);
    const std::size_t count = options_.blocks.size();
    if (added >= 0 || count < 2) return added;
    // Copies, as vertices move in memory when one is added.
    const VecX q = tree.vertices[from];
    const VecX way = space_.difference(q, target);
    for (std::size_t i = 0; i < count; ++i) {
      VecX part = q;
      for (int k : options_.blocks[(static_cast<std::size_t>(edges_) + i) % count]) {
        part[k] += way[k];
      }
      if (space_.length(part - q) < kSameVertex) continue;
      const int moved = step(tree, from, part, target);
      if (moved >= 0) return moved;
    }
    return -1;
  }

  /// The end of the step is checked first: most edges that fail do so there, for one placement.
  int step(Tree& tree, int from, const VecX& target, const VecX& goal) {
    if (motion_.isConstrained()) return constrainedStep(tree, from, target, goal);
    ++edges_;
    const VecX& q = tree.vertices[from];
    const VecX way = space_.difference(q, target);
    const double length = space_.length(way);
    VecX next = length <= options_.step ? VecX(q + way) : VecX(q + options_.step / length * way);
    if (!motion_.allows(next) || !motion_.allows(q, next)) return -1;
    tree.add(std::move(next), from);
    return static_cast<int>(tree.vertices.size()) - 1;
  }

  /// Towards `target`, which is `goal` in the coordinates of one block or in all. Where constraints
  /// couple blocks, a step of one is undone by the next: only what comes nearer to `goal` counts.
  int constrainedStep(Tree& tree, int from, const VecX& target, const VecX& goal) {
    const VecX q = tree.vertices[from];
    const VecX way = space_.difference(q, target);
    const double length = space_.length(way);
    const double to_goal = space_.length(space_.difference(q, goal));
    const double part = to_goal > 0.0 ? length / to_goal : 1.0;
    double longest = std::min(options_.step, kConstrainedStep);
    for (int halved = 0; halved <= kHalvings; ++halved, longest *= 0.5) {
      ++edges_;
      // A step that gets there ends on a vertex or a sample, which are where they should be.
      VecX next = length <= longest ? VecX(q + way) : VecX(q + longest / length * way);
      if (length > longest && !motion_.project(next)) continue;
      const double left = space_.length(space_.difference(next, goal));
      if (!(left <= to_goal - kLeastProgress * part * std::min(length, longest))) return -1;
      if (!motion_.allows(next) || !motion_.allows(q, next)) continue;
      tree.add(std::move(next), from);
      return static_cast<int>(tree.vertices.size()) - 1;
    }
    return -1;
  }

  FreeMotion& motion_;
  const ConfigurationSpace& space_;
  const RrtOptions& options_;
  long edges_ = 0;
};

/// The way along one tree, then back along the other, which meets it up to whole turns.
std::vector<VecX> joined(const Tree& from_start, int a, const Tree& from_goal, int b,
                         const ConfigurationSpace& space) {
  std::vector<VecX> path = from_start.branch(a);
  std::vector<VecX> back = from_goal.branch(b);
  const VecX meeting = path.back();
  // The trees may meet whole turns apart: the second branch is shifted to where the first one ends.
  const VecX turns = meeting - back.back();
  back.pop_back();
  for (auto q = back.rbegin(); q != back.rend(); ++q) {
    VecX shifted = *q;
    for (int k = 0; k < space.dimension(); ++k) {
      if (space.wraps(k)) shifted[k] += 2.0 * M_PI * std::round(turns[k] / (2.0 * M_PI));
    }
    path.push_back(std::move(shifted));
  }
  return path;
}

}  // namespace

RrtResult rrtConnect(FreeMotion& motion, const VecX& start, const std::vector<VecX>& goals,
                     const RrtOptions& options, const RunContext& context, RandomStream& random) {
  const ConfigurationSpace& space = motion.space();
  RrtResult result;
  Tree trees[2] = {Tree(space), Tree(space)};
  if (motion.allows(start)) trees[0].add(start, -1);
  for (const VecX& goal : goals) {
    if (motion.allows(goal)) trees[1].add(goal, -1);
  }
  if (trees[0].vertices.empty() || trees[1].vertices.empty()) return result;
  TreeGrower grower(motion, options);
  VecX sample = trees[1].vertices.front();  // the first try is the straight line
  int growing = 0;
  for (long i = 0; result.work < options.work; ++i) {
    // A sample that has to be projected takes far longer.
    const long per_check = motion.isConstrained() ? 1 : kSamplesPerCheck;
    if (i % per_check == 0 && context.mustEnd()) {
      result.ended = true;
      return result;
    }
    Tree& tree = trees[growing];
    Tree& other = trees[1 - growing];
    const int added = grower.extend(tree, sample);
    if (added >= 0) {
      const auto [vertex, met] = grower.connect(other, tree.vertices[added]);
      if (met) {
        const int a = growing == 0 ? added : vertex;
        const int b = growing == 0 ? vertex : added;
        result.path = joined(trees[0], a, trees[1], b, space);
      }
    }
    result.work = grower.edges() + i / RrtOptions::kSamplesPerEdge;
    if (result.path) return result;
    growing = trees[0].vertices.size() <= trees[1].vertices.size() ? 0 : 1;
    sample = space.sample(random);
    motion.project(sample);  // what cannot be projected still gives a direction
  }
  return result;
}

}  // namespace allclear
