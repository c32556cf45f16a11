// RRT-Connect (J. J. Kuffner, S. M. LaValle, ICRA 2000) over certified segments, with dynamic
// domains (A. Yershova, L. Jaillet, T. Simeon, S. M. LaValle, ICRA 2005).
//
// Two trees grow from start and goal. The smaller one takes one step towards a sample; if that
// succeeds, the other one walks towards the new vertex until something is in the way. A vertex that
// failed before only answers samples inside of its domain, a ball whose radius adapts to its
// success: vertices at walls stop attracting samples from behind them.
//
// Departures from the papers: every edge is proved clear (`SegmentCertifier`), not sampled; domains
// shrink and grow by shares instead of being fixed; the first sample is the goal itself.
//
// Invariant: every edge of both trees keeps margin + `extra`.
#include "allclear/planner/seeds/rrt_connect.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

/// Samples per edge that may fall outside of all domains before the search gives up: they cost next
/// to nothing, but must not go on for ever.
constexpr long kSamplesPerEdge = 1000;

/// Between two looks at the clock: as cheap as the samples themselves.
constexpr long kSamplesPerCheck = 16;

struct Tree {
  std::vector<VecX> vertices;
  std::vector<int> parents;
  std::vector<double> radii;  ///< of the domains [m]; infinite before the first failure

  void add(VecX q, int parent) {
    vertices.push_back(std::move(q));
    parents.push_back(parent);
    radii.push_back(std::numeric_limits<double>::infinity());
  }

  /// From the root to vertex i.
  std::vector<VecX> branch(int i) const {
    std::vector<VecX> out;
    for (; i >= 0; i = parents[i]) out.push_back(vertices[i]);
    std::reverse(out.begin(), out.end());
    return out;
  }
};

class TreeGrower {
 public:
  TreeGrower(const ConfigurationSpace& space, SegmentCertifier& certifier,
             const RrtOptions& options)
      : space_(space), certifier_(certifier), options_(options) {}

  /// Grows a tree by one edge towards a sample; the new vertex, or -1.
  int extend(Tree& tree, const VecX& sample) {
    const auto [nearest, length] = nearestVertex(tree, sample);
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
    auto [vertex, length] = nearestVertex(tree, target);
    while (true) {
      const int added = grow(tree, vertex, target);
      if (added < 0) return {vertex, false};
      vertex = added;
      if (space_.length(space_.difference(tree.vertices[vertex], target)) < kSameVertex) {
        return {vertex, true};
      }
    }
  }

  int edges() const { return edges_; }  ///< tried

 private:
  /// The vertex nearest to q, and its distance [m]: the innermost loop of the search, so it sums
  /// squares over plain arrays and never allocates.
  std::pair<int, double> nearestVertex(const Tree& tree, const VecX& q) const {
    int nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    const int n = space_.dimension();
    // Edges are far dearer than this loop: trees of some thousand vertices need no index.
    for (int i = 0; i < static_cast<int>(tree.vertices.size()); ++i) {
      const double* v = tree.vertices[i].data();
      double sum = 0.0;
      for (int k = 0; k < n; ++k) {
        double d = q[k] - v[k];
        if (space_.wraps(k)) d = std::remainder(d, 2.0 * M_PI);
        sum += d * d * space_.reach()[k] * space_.reach()[k];
      }
      if (sum >= least) continue;
      least = sum;
      nearest = i;
    }
    return {nearest, std::sqrt(least)};
  }

  /// Adds a step from a vertex towards the target, if it is proved clear; the new vertex, or -1.
  /// The end of the step is checked first: most edges that fail do so there, for one placement.
  int grow(Tree& tree, int from, const VecX& target) {
    ++edges_;
    const VecX& q = tree.vertices[from];
    const VecX step = space_.difference(q, target);
    const double length = space_.length(step);
    VecX next = length <= options_.step ? VecX(q + step) : VecX(q + options_.step / length * step);
    if (!certifier_.isClear(next, options_.extra) || !certifier_.isClear(q, next, options_.extra)) {
      return -1;
    }
    tree.add(std::move(next), from);
    return static_cast<int>(tree.vertices.size()) - 1;
  }

  const ConfigurationSpace& space_;
  SegmentCertifier& certifier_;
  const RrtOptions& options_;
  int edges_ = 0;
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

std::optional<std::vector<VecX>> rrtConnect(const ConfigurationSpace& space,
                                            SegmentCertifier& certifier, const VecX& start,
                                            const VecX& goal, const RrtOptions& options,
                                            const RunContext& context, RandomStream& random) {
  if (!certifier.isClear(start, options.extra) || !certifier.isClear(goal, options.extra)) {
    return std::nullopt;
  }
  Tree trees[2];
  trees[0].add(start, -1);
  trees[1].add(goal, -1);
  TreeGrower grower(space, certifier, options);
  VecX sample = goal;  // the first try is the straight line
  int growing = 0;
  for (long i = 0; grower.edges() < options.iterations && i < kSamplesPerEdge * options.iterations;
       ++i) {
    if (i % kSamplesPerCheck == 0 && context.mustEnd()) return std::nullopt;
    Tree& tree = trees[growing];
    Tree& other = trees[1 - growing];
    const int added = grower.extend(tree, sample);
    if (added >= 0) {
      const auto [vertex, met] = grower.connect(other, tree.vertices[added]);
      if (met) {
        const int a = growing == 0 ? added : vertex;
        const int b = growing == 0 ? vertex : added;
        return joined(trees[0], a, trees[1], b, space);
      }
    }
    growing = trees[0].vertices.size() <= trees[1].vertices.size() ? 0 : 1;
    sample = space.sample(random);
  }
  return std::nullopt;
}

}  // namespace allclear
