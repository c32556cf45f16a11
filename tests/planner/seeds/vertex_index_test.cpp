#include "allclear/planner/seeds/vertex_index.h"

#include <gtest/gtest.h>

#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

/// Against the plain loop over the space's own differences; wrapping joints beyond one turn too.
void expectSameAsPlainLoop(bool wraps) {
  const Problem problem = test::wallProblem(wraps);
  const ConfigurationSpace space(problem, problem.start, Vec3(1.1, 0.7, 1e-3));
  test::Random random(wraps ? 5 : 6);
  VertexIndex index(space);
  std::vector<VecX> vertices;
  for (int i = 0; i < 300; ++i) {
    // Some equal vertices: the first one counts.
    const bool repeats = i > 0 && random.chance(0.1);
    vertices.push_back(repeats ? vertices[random.integer(0, i - 1)] : random.vectorX(3, 9.0));
    index.add(vertices.back());
    ASSERT_EQ(index.size(), i + 1);
    const VecX q = random.chance(0.2) ? vertices[random.integer(0, i)] : random.vectorX(3, 9.0);
    const VertexIndex::Nearest found = index.nearest(q);
    double least = HUGE_VAL;
    for (const VecX& v : vertices) least = std::min(least, space.length(space.difference(q, v)));
    ASSERT_NEAR(found.distance, least, 1e-12);
    ASSERT_NEAR(space.length(space.difference(q, vertices[found.index])), least, 1e-12);
    const auto first = std::find(vertices.begin(), vertices.end(), vertices[found.index]);
    ASSERT_EQ(found.index, first - vertices.begin());
  }
}

TEST(VertexIndex, FindsTheNearestOfPlainCoordinates) { expectSameAsPlainLoop(false); }
TEST(VertexIndex, FindsTheNearestTheShorterWayRound) { expectSameAsPlainLoop(true); }

}  // namespace
}  // namespace allclear
