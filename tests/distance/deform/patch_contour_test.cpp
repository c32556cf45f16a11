// Moving polygons that never cross themselves, against crossings at instants spread out.
#include "allclear/distance/deform/patch_contour.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/random.h"

namespace allclear::deform {
namespace {

using Corners = std::vector<double>;

/// Whether two edges that are no neighbours cross at t.
bool crossesItself(const Corners& c, double t) {
  const int n = static_cast<int>(c.size()) / 4;
  const auto at = [&](int i) -> Vec2 {
    const double* p = c.data() + 4 * (i % n);
    return {(1 - t) * p[0] + t * p[2], (1 - t) * p[1] + t * p[3]};
  };
  const auto side = [](const Vec2& a, const Vec2& b, const Vec2& p) {
    return (b - a).x() * (p - a).y() - (b - a).y() * (p - a).x();
  };
  for (int i = 0; i < n; ++i) {
    for (int j = i + 2; j < n; ++j) {
      if ((j + 1) % n == i) continue;
      const Vec2 a = at(i), b = at(i + 1), p = at(j), q = at(j + 1);
      if (side(a, b, p) * side(a, b, q) < 0 && side(p, q, a) * side(p, q, b) < 0) return true;
    }
  }
  return false;
}

Corners randomLoop(test::Random& draw) {
  const int n = draw.integer(3, 12);
  const double rough = draw.logUniform(0.01, 1.0);
  Corners corners;
  for (int i = 0; i < n; ++i) {
    const double angle = 2 * 3.14159265 * i / n;
    for (int end = 0; end < 2; ++end) {
      const double r = 1.0 + rough * draw.uniform(-1, 1);
      corners.push_back(r * std::cos(angle) + rough * draw.uniform(-1, 1));
      corners.push_back(r * std::sin(angle) + rough * draw.uniform(-1, 1));
    }
  }
  return corners;
}

TEST(PatchContour, ALoopThatStaysSimpleCrossesItselfAtNoInstant) {
  test::Random draw(21);
  int simple = 0, simple_at_start = 0, crossing_later = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Corners corners = randomLoop(draw);
    const MovingLoop loop{corners.data(), static_cast<int>(corners.size()) / 4, 1e-15};
    bool crosses = false;
    for (int k = 0; k <= 60 && !crosses; ++k) crosses = crossesItself(corners, k / 60.0);
    const bool stays = staysSimple(loop, true);
    EXPECT_FALSE(stays && crosses) << trial;
    simple += stays;
    const bool at_start = staysSimple(loop, false);
    EXPECT_FALSE(at_start && crossesItself(corners, 0.0)) << trial;
    simple_at_start += at_start;
    crossing_later += at_start && crosses;
  }
  EXPECT_GT(simple, 500);
  EXPECT_GT(simple_at_start, simple);
  EXPECT_GT(crossing_later, 50);  // so that "at t = 0 only" would be found out
}

TEST(PatchContour, RefusesLoopsThatTouchFoldBackOrStandStillInAPoint) {
  const auto still = [](std::vector<std::array<double, 2>> points) {
    Corners c;
    for (const auto& [x, y] : points) c.insert(c.end(), {x, y, x, y});
    return c;
  };
  const auto stays = [](const Corners& c) {
    return staysSimple({c.data(), static_cast<int>(c.size()) / 4, 1e-15}, true);
  };
  EXPECT_TRUE(stays(still({{0, 0}, {1, 0}, {1, 1}, {0, 1}})));
  EXPECT_TRUE(stays(still({{0, 0}, {1, 0}, {2, 0}, {2, 1}})));           // straight on
  EXPECT_FALSE(stays(still({{0, 0}, {1, 1}, {1, 0}, {0, 1}})));          // an eight
  EXPECT_FALSE(stays(still({{0, 0}, {2, 0}, {1, 0}, {1, 1}})));          // folds back
  EXPECT_FALSE(stays(still({{0, 0}, {2, 0}, {2, 2}, {1, 0}, {0, 2}})));  // a corner on an edge
  EXPECT_FALSE(stays(still({{0, 0}, {0, 0}, {1, 0}, {1, 1}})));          // an edge without length
  EXPECT_FALSE(stays(still({{0, 0}, {NAN, 0}, {1, 0}, {1, 1}})));
}

}  // namespace
}  // namespace allclear::deform
