#include "allclear/planner/seeds/rrt_connect.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace allclear {
namespace {

struct Tree {
  std::vector<VecX> vertices;
  std::vector<int> parents;
  std::vector<double> radii;  // of the domains [m]

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

class Search {
 public:
  Search(const ConfigurationSpace& space, SegmentCertifier& certifier, const RrtOptions& options)
      : space_(space), certifier_(certifier), options_(options) {}

  /// Grows a tree by one edge towards a sample; the new vertex, or -1.
  int extend(Tree& tree, const VecX& sample) {
    const auto [nearest, length] = nearestVertex(tree, sample);
    if (length > tree.radii[nearest]) {
      tree.radii[nearest] *= 1.02;  // so that no domain closes the tree in for good
      return -1;
    }
    const int added = grow(tree, nearest, sample);
    double& radius = tree.radii[nearest];
    const double floor = options_.step;
    if (added < 0) {
      radius = std::isfinite(radius) ? std::max(floor, 0.95 * radius)
                                     : options_.first_radius * options_.step;
    } else {
      radius *= 1.05;
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
      if (space_.length(space_.difference(tree.vertices[vertex], target)) < 1e-12) {
        return {vertex, true};
      }
    }
  }

  int edges() const { return edges_; }  ///< tried

 private:
  std::pair<int, double> nearestVertex(const Tree& tree, const VecX& q) const {
    int nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    const int n = space_.dimension();
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
                                            const SearchBudget& budget, RandomStream& random) {
  if (!certifier.isClear(start, options.extra) || !certifier.isClear(goal, options.extra)) {
    return std::nullopt;
  }
  Tree trees[2];
  trees[0].add(start, -1);
  trees[1].add(goal, -1);
  Search search(space, certifier, options);
  VecX sample = goal;  // the first try is the straight line
  int growing = 0;
  // Samples outside of the domains cost next to nothing: only edges count.
  for (long i = 0; search.edges() < options.iterations && i < 1000L * options.iterations; ++i) {
    if (i % 16 == 0 && budget.over()) return std::nullopt;
    Tree& tree = trees[growing];
    Tree& other = trees[1 - growing];
    const int added = search.extend(tree, sample);
    if (added >= 0) {
      const auto [vertex, met] = search.connect(other, tree.vertices[added]);
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
