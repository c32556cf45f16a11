#include "allclear/distance/convex/shell.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/random.h"

namespace allclear::test {
namespace {

using Shell = ConvexShell<std::vector<Vec3>, std::vector<ShellFace>, std::vector<ShellEdge>,
                          std::vector<int>, std::vector<double>>;

/// Adds the points one by one, each beyond the face that it is highest over.
Shell hullOf(const std::vector<Vec3>& points) {
  Shell shell;
  shell.tolerance = 1e-12;
  const Vec3 n = (points[1] - points[0]).cross(points[2] - points[0]);
  shell.start(points[0], points[1], points[2], points[3], n.dot(points[3] - points[0]) > 0.0);
  for (const Vec3& p : points) {
    int highest = -1;
    for (int f = 0; f < static_cast<int>(shell.faces().size()); ++f) {
      if (!shell.faces()[f].alive) continue;
      if (highest < 0 || shell.height(f, p) > shell.height(highest, p)) highest = f;
    }
    if (shell.height(highest, p) > shell.tolerance) {
      EXPECT_TRUE(shell.extend(highest, p));
    }
  }
  return shell;
}

TEST(ConvexShell, HoldsEveryPointBelowItsFacesAndIsClosed) {
  Random random(30);
  for (int round = 0; round < 40; ++round) {
    std::vector<Vec3> points;
    for (int i = 0; i < 40; ++i) points.push_back(random.direction());
    const Shell shell = hullOf(points);
    int faces = 0;
    for (int f = 0; f < static_cast<int>(shell.faces().size()); ++f) {
      const ShellFace& face = shell.faces()[f];
      if (!face.alive) continue;
      ++faces;
      for (const Vec3& p : points) ASSERT_LE(shell.height(f, p), 1e-11);
      for (int e = 0; e < 3; ++e) {
        // The neighbour across an edge has the same edge the other way round, and leads back.
        const ShellFace& other = shell.faces()[face.neighbour[e]];
        ASSERT_TRUE(other.alive);
        int back = 0;
        while (back < 3 && other.neighbour[back] != f) ++back;
        ASSERT_LT(back, 3);
        EXPECT_EQ(other.corner[back], face.corner[(e + 1) % 3]);
        EXPECT_EQ(other.corner[(back + 1) % 3], face.corner[e]);
      }
    }
    // On the sphere every point is a corner; Euler: 2 n - 4 triangles.
    EXPECT_EQ(faces, 2 * 40 - 4);
  }
}

TEST(ConvexShell, KnowsTheNearestFaceThatIsNotDone) {
  Random random(31);
  std::vector<Vec3> points;
  for (int i = 0; i < 30; ++i) points.push_back(random.direction() + Vec3(0.3, 0.0, 0.0));
  Shell shell = hullOf(points);
  std::vector<bool> done(shell.faces().size(), false);
  double last = -std::numeric_limits<double>::infinity();
  for (int f = shell.nearestFace(); f >= 0; f = shell.nearestFace()) {
    ASSERT_TRUE(shell.faces()[f].alive);
    ASSERT_FALSE(done[f]);
    EXPECT_GE(shell.faces()[f].offset, last);
    last = shell.faces()[f].offset;
    done[f] = true;
    shell.setDone(f);
  }
  for (std::size_t f = 0; f < done.size(); ++f) EXPECT_EQ(done[f], shell.faces()[f].alive);
}

}  // namespace
}  // namespace allclear::test
