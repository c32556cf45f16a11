// The search over time with elements of its own: points that move linearly, in a chain of nodes.
#include "allclear/distance/minimum/tree/search.h"

#include <gtest/gtest.h>

#include <span>

#include "allclear/distance/minimum/tree/result.h"
#include "allclear/distance/minimum/tree/rigid_shape.h"
#include "allclear/distance/minimum/tree/search_bounds.h"
#include "allclear/distance/minimum/tree/search_steps.h"
#include "allclear/distance/minimum/tree/search_time.h"
#include "distance/minimum/mcd_oracle.h"
#include "distance/minimum/mcd_shapes.h"

namespace allclear {
namespace {

using test::Random;

constexpr Interval kTime{0.0, 1.0};

struct Node {
  std::int32_t first = 0, count = 0, child = -1;
};

/// Point i moves from `from[i]` to `to[i]` in 1 s. The shape is a ball.
struct Points {
  using Instant = double;

  Pose X_WF;
  static constexpr bool is_still = true;
  static constexpr int kNearLeaves = 6;
  std::vector<Vec3> from, to;
  std::vector<Node> tree;

  explicit Points(Random& random) {
    const int count = random.integer(1, 30);
    for (int i = 0; i < count; ++i) {
      from.push_back(random.vector(0.5));
      to.push_back(random.chance(0.2) ? from.back() : Vec3(from.back() + random.vector(0.5)));
    }
    tree.push_back({0, count, -1});
    for (std::size_t n = 0; n < tree.size(); ++n) {
      const Node node = tree[n];
      if (node.count <= 3) continue;
      tree[n].child = static_cast<std::int32_t>(tree.size());
      tree.push_back({node.first, node.count / 2, -1});
      tree.push_back({node.first + node.count / 2, node.count - node.count / 2, -1});
    }
  }

  Vec3 pointAt(std::int32_t i, double t) const { return (1.0 - t) * from[i] + t * to[i]; }
  const std::vector<Node>& nodes() const { return tree; }
  std::int32_t root() const { return 0; }
  double radius() const { return 0.0; }
  double farthest() const { return 2.0; }
  std::vector<tree::Cell> cells(std::span<const BodyCurve> a) const {
    std::vector<tree::Cell> cells;
    for (int c = 0; c < static_cast<int>(a.size()); ++c) cells.push_back({a[c].time, c, 0});
    return cells;
  }
  Instant at(int, double t) const { return t; }
  Node nodeOf(std::int32_t node) const { return node < 0 ? Node{~node, 1, -1} : tree[node]; }
  AlignedBox box(std::int32_t node, Instant t) const {
    const Node own = nodeOf(node);
    // Corners that move linearly hold what moves linearly.
    return {(1.0 - t) * lowest(own, from) + t * lowest(own, to),
            (1.0 - t) * highest(own, from) + t * highest(own, to)};
  }
  static Vec3 lowest(const Node& own, const std::vector<Vec3>& points) {
    Vec3 low = points[own.first];
    for (std::int32_t i = 1; i < own.count; ++i) low = low.cwiseMin(points[own.first + i]);
    return low;
  }
  static Vec3 highest(const Node& own, const std::vector<Vec3>& points) {
    Vec3 high = points[own.first];
    for (std::int32_t i = 1; i < own.count; ++i) high = high.cwiseMax(points[own.first + i]);
    return high;
  }
  const Pose& inO(const Pose& X, Instant) const { return X; }
  const Vec3& inO(const Vec3& n, Instant) const { return n; }
  const Vec3& inF(const Vec3& n, Instant) const { return n; }
  double leastOfBox(std::int32_t node, const Vec3& n, Instant t) const {
    return tree::leastAlong(box(node, t), n);
  }
  double leastOfElements(std::int32_t leaf, const Vec3& n, Instant t) const {
    const Node own = nodeOf(leaf);
    double least = HUGE_VAL;
    for (std::int32_t i = own.first; i < own.first + own.count; ++i) {
      least = std::min(least, n.dot(pointAt(i, t)));
    }
    return least;
  }
  std::int32_t leastElement(std::int32_t leaf, const Vec3& n, Instant t) const {
    const Node own = nodeOf(leaf);
    std::int32_t best = own.first;
    for (std::int32_t i = own.first; i < own.first + own.count; ++i) {
      if (n.dot(pointAt(i, t)) < n.dot(pointAt(best, t))) best = i;
    }
    return best;
  }
  tree::Nearest nearest(const tree::RigidShape& shape, const tree::RigidPart&, const Pose& X_FG,
                        std::int32_t i, Instant t, const Vec3&) const {
    tree::Nearest d;
    const Vec3 way = pointAt(i, t) - X_FG.p;
    d.distance = way.norm() - shape.core().radius;
    if (way.norm() > 0.0) d.normal = way.normalized();
    d.a = X_FG.p + shape.core().radius * d.normal;
    d.b = pointAt(i, t);
    d.meets = !(d.distance > 0.0);
    return d;
  }
  double error(int, std::int32_t) const { return 0.0; }
  double acceleration(int, std::int32_t) const { return 0.0; }
  double leastThreshold(const tree::RigidShape&, double threshold) const { return threshold; }
  bool meetsInside(const tree::RigidShape&, const Pose&, Instant, double) const { return false; }
  Vec3 point(Instant t) const { return pointAt(0, t); }
};

TEST(TreeSearch, BracketsTheMinimumOfPointsThatMove) {
  int apart = 0, contacts = 0;
  for (int seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Points points(random);
    test::MovingSolid ball = test::randomSolid(random, 0);
    ball.shape = Sphere(random.logUniform(0.01, 0.4));
    ball.X_BG = Pose();
    ball.curves = ball.chain.curves(kTime, ball.chain.cellsFor(kTime, 1e-7, ball.reach(), 20));
    const tree::RigidShape shape(ball.shape);
    const MovingShape moving = ball.moving();
    tree::Search<Points> search(shape, moving, points);
    McdOptions options;
    options.tolerance = 1e-5;
    search.run(options);
    if (!search.result().contact) search.refine();
    const tree::SearchResult& found = search.result();
    const test::TrueMinimum truth = test::trueMinimum(
        [&](double t) {
          double least = HUGE_VAL;
          for (std::size_t i = 0; i < points.from.size(); ++i) {
            const Vec3 p = points.pointAt(static_cast<std::int32_t>(i), t);
            least = std::min(least,
                             (p - ball.pose(t).p).norm() - std::get<Sphere>(ball.shape).radius());
          }
          return least;
        },
        kTime, 200);
    if (found.contact) {
      ++contacts;
      EXPECT_LE(truth.value, 1e-3);  // the samples may miss the deepest instant
      continue;
    }
    ++apart;
    EXPECT_LE(found.lower, truth.value + 1e-9);
    EXPECT_GE(found.upper, truth.value - 1e-6);
    EXPECT_LE(found.upper - found.lower, 1.1e-5);
    EXPECT_LE(found.upper, truth.value + 1.1e-5);
  }
  EXPECT_GT(apart, 100);
  EXPECT_GT(contacts, 10);
}

TEST(TreeResult, ADecidedThresholdCountsBeforeTheWidth) {
  McdOptions options;
  options.tolerance = 0.01;
  tree::SearchResult found;
  found.lower = 0.1;
  found.upper = 0.5;
  DistanceBracket bracket = tree::bracketOf(found, Pose());
  const auto status = [&] {
    tree::setStatus(options, found, &bracket);
    return bracket.status;
  };
  EXPECT_EQ(status(), McdStatus::kUndecided);
  options.threshold = 0.1;
  EXPECT_EQ(status(), McdStatus::kCertifiedAbove);
  options.threshold = 0.6;
  EXPECT_EQ(status(), McdStatus::kBelow);
  options.threshold = 0.3;
  EXPECT_EQ(status(), McdStatus::kUndecided);
  bracket.lower = 0.495;
  EXPECT_EQ(status(), McdStatus::kCertifiedAbove);
  options.threshold.reset();
  EXPECT_EQ(status(), McdStatus::kBracketed);
  bracket.lower = std::nan("");
  EXPECT_EQ(status(), McdStatus::kUndecided);
  // Of a depth of 1 a fifth may be left open; of a great error twice that.
  EXPECT_EQ(tree::neededWidth(0.01, -1.0, 0.0), 0.2);
  EXPECT_EQ(tree::neededWidth(0.01, 1.0, 0.1), 0.005 + 0.2);
  // And of what is 0.5 beyond the focus.
  EXPECT_EQ(tree::neededWidth(0.01, 1.0, 0.0, 0.5), 0.1);
  EXPECT_EQ(tree::neededWidth(0.01, 0.4, 0.0, 0.5), 0.01);
}

}  // namespace
}  // namespace allclear
