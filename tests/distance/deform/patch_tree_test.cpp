// The tree of patches, and what is certified of them, for sheets whose answer is known and for the
// same mesh placed and turned otherwise.
#include "allclear/distance/deform/patch_tree.h"

#include <gtest/gtest.h>

#include <set>

#include "allclear/distance/deform/patch_rows.h"
#include "allclear/distance/deform/patch_test.h"
#include "distance/deform/bending_meshes.h"

namespace allclear::deform {
namespace {

using test::BendingSample;
using test::Random;

BendingSample flatSheet(int rows, int columns) {
  BendingSample sample;
  const auto at = [](int i, int j) -> Vec3 { return {0.1 * j, 0.1 * i, 0.0}; };
  test::addGrid(rows, columns, at, at, &sample);
  return sample;
}

PatchTree treeOf(const BendingSample& sample, const CutOptions& options = {}) {
  return cutAlongMesh(sample.triangles, sample.start, oppositeHalfEdges(sample.triangles), options);
}

std::vector<int> certified(const BendingSample& sample, const PatchTree& tree,
                           const PatchRules& rules = {}) {
  NormalRows rows;
  const MeshStep step = sample.step();
  fillRows(step, tree, &rows);
  return certifiedPatches(step, tree, rows, rules);
}

/// The boundary half-edges of a node, straight from the definition.
std::set<std::array<int, 2>> boundaryOf(const BendingSample& sample, const PatchTree& tree,
                                        const PatchTree::Node& node) {
  std::set<std::array<int, 2>> edges;
  for (int i = node.begin; i < node.end; ++i) {
    const Triangle& t = sample.triangles[tree.order[i]];
    for (int k = 0; k < 3; ++k) edges.insert({t[k], t[(k + 1) % 3]});
  }
  std::set<std::array<int, 2>> boundary;
  for (const auto& [u, v] : edges) {
    if (!edges.contains({v, u})) boundary.insert({u, v});
  }
  return boundary;
}

TEST(PatchTree, HoldsEachTriangleOnceAndItsLoopsAreTheBoundaries) {
  Random draw(11);
  for (const auto& family : test::kBendingFamilies) {
    for (double share : {0.5, 0.34}) {
      const BendingSample sample = family.draw(draw);
      const PatchTree tree = treeOf(sample, {.share = share});
      EXPECT_EQ(std::set<int>(tree.order.begin(), tree.order.end()).size(),
                sample.triangles.size());
      EXPECT_EQ(tree.nodes.size(), 2 * sample.triangles.size() - 1);
      for (const PatchTree::Node& node : tree.nodes) {
        if (!node.hasLoop()) continue;
        std::set<std::array<int, 2>> loop;
        for (int i = node.loop_begin; i < node.loop_end; ++i) {
          const int next = i + 1 < node.loop_end ? i + 1 : node.loop_begin;
          loop.insert({tree.loops[i], tree.loops[next]});
        }
        EXPECT_EQ(loop, boundaryOf(sample, tree, node));
      }
    }
  }
}

TEST(PatchTree, OpensPatchesWithEdgesOfThreeTrianglesAndWithHoles) {
  // Three triangles at one edge; a ring.
  BendingSample book;
  book.triangles = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
  book.start = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}};
  const PatchTree pages = treeOf(book);
  EXPECT_FALSE(pages.nodes[0].hasLoop());
  BendingSample ring;
  ring.triangles = {{0, 3, 1}, {1, 3, 4}, {1, 4, 2}, {2, 4, 5}, {2, 5, 0}, {0, 5, 3}};
  ring.start = {{1, 0, 0}, {-0.5, 0.8, 0}, {-0.5, -0.8, 0}, {2, 0, 0}, {-1, 1.7, 0}, {-1, -1.7, 0}};
  EXPECT_FALSE(treeOf(ring).nodes[0].hasLoop());
}

TEST(PatchTree, NearlyAllNodesOfAFlatSheetAreStars) {
  for (const auto& [rows, columns] : {std::pair{9, 9}, {13, 21}, {2, 40}}) {
    BendingSample sheet = flatSheet(rows, columns);
    const PatchTree tree = treeOf(sheet);
    NormalRows values;
    const MeshStep step = sheet.step();
    fillRows(step, tree, &values);
    PatchTest test(step, tree, values, {.tries_full = false});
    int stars = 0, nodes = 0;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      if (tree.nodes[i].isLeaf()) continue;
      ++nodes;
      stars += test.certifies(static_cast<int>(i));
    }
    EXPECT_GE(stars, 0.94 * nodes) << rows << " x " << columns;
    PatchTest full(step, tree, values, {});
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      EXPECT_TRUE(tree.nodes[i].hasLoop());
      EXPECT_TRUE(full.certifies(static_cast<int>(i)));
    }
    EXPECT_EQ(certified(sheet, tree), std::vector<int>{0});
  }
}

TEST(PatchTest, CertifiesAsManyPatchesOfTheMirroredAndTheTurnedMesh) {
  Random draw(12);
  int all = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const BendingSample sample = test::randomSmooth(draw);
    const PatchTree tree = treeOf(sample);
    const std::vector<int> here = certified(sample, tree);
    all += static_cast<int>(here.size());
    BendingSample mirrored = sample, turned = sample, reversed = sample;
    const Mat3 R = draw.rotation();
    for (auto* points : {&mirrored.start, &mirrored.end}) {
      for (Vec3& p : *points) p.x() = -p.x();
    }
    // A mirrored mesh and one whose triangles are turned over: the direction changes its sign.
    for (auto* points : {&turned.start, &turned.end}) {
      for (Vec3& p : *points) p = R * p + Vec3(3, -2, 5);
    }
    std::swap(reversed.start, reversed.end);
    EXPECT_EQ(certified(mirrored, tree).size(), here.size()) << trial;
    EXPECT_EQ(certified(turned, tree), here) << trial;
    // The loop winds once at t = 0 as at t = 1.
    EXPECT_EQ(certified(reversed, tree), here) << trial;
  }
  EXPECT_GT(all, 40);
}

TEST(PatchTest, RefusesDegenerateAndFoldedTriangles) {
  BendingSample sheet = flatSheet(3, 3);
  const PatchTree tree = treeOf(sheet);
  ASSERT_EQ(certified(sheet, tree).size(), 1U);
  BendingSample needle = sheet;
  needle.end[4] = needle.end[1];  // triangles at the middle vertex lose their area at t = 1
  EXPECT_NE(certified(needle, tree), std::vector<int>{0});
  BendingSample folded = sheet;
  for (int v : {0, 3, 6}) folded.end[v].x() = 0.15;  // one half onto the other, from t = 2/3 on
  EXPECT_NE(certified(folded, tree), std::vector<int>{0});
  // Turned over between the ends: the first and the last normal agree, the one between does not.
  BendingSample inverted = sheet;
  for (Vec3& p : inverted.end) p.head<2>() = -p.head<2>();
  EXPECT_TRUE(certified(inverted, tree).empty());
}

}  // namespace
}  // namespace allclear::deform
