// Octrees: files written by hand, and by OctoMap's own library where the build has it.
#include "allclear/robot_models/files/octree_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "allclear/core/input_error.h"
#include "support/random.h"

#ifdef ALLCLEAR_HAVE_OCTOMAP
#include <octomap/OcTree.h>

#include <sstream>
#endif

namespace allclear {
namespace {

/// A header, then nodes down to the 16th level along child 7 (towards +x, +y, +z), where the last
/// inner node has the children that `last` says.
std::string btFile(unsigned last, const std::string& res = "0.1") {
  std::string out =
      "# Octomap OcTree binary file\n# (comment)\nid OcTree\nsize 17\nres " + res + "\ndata\n";
  for (int depth = 0; depth < 16; ++depth) {
    const unsigned bits = depth < 15 ? 0xC000u : last;
    out += static_cast<char>(bits & 255);
    out += static_cast<char>(bits >> 8);
  }
  return out;
}

/// The corner of the cells that btFile ends in: along child 7 all halves but the last.
constexpr double kCorner = 32768 * 0.1 - 0.2;

std::string refusal(const std::string& content, const OctreeOptions& options = {}) {
  try {
    parseOctree(content, "map.bt", options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "(read)";
}

TEST(Octree, ReadsCellsOfABinaryFile) {
  // Child 0 free (bits 1, 0), child 1 occupied (0, 1): it is beyond in x.
  const Octree tree = parseOctree(btFile(0b1001), "map.bt", {});
  ASSERT_EQ(tree.occupied.size(), 1u);
  EXPECT_EQ(tree.free, 1u);
  EXPECT_FALSE(tree.has_probabilities);
  EXPECT_NEAR(tree.occupied[0].lower.x(), kCorner + 0.1, 1e-9);
  EXPECT_NEAR(tree.occupied[0].lower.y(), kCorner, 1e-9);
  EXPECT_NEAR((tree.occupied[0].upper - tree.occupied[0].lower - Vec3::Constant(0.1)).norm(), 0,
              1e-9);
  EXPECT_NEAR((tree.known.upper - tree.known.lower - Vec3(0.2, 0.1, 0.1)).norm(), 0, 1e-9);
}

TEST(Octree, JoinsEightOccupiedCells) {
  const Octree tree = parseOctree(btFile(0xAAAA), "map.bt", {});
  ASSERT_EQ(tree.occupied.size(), 1u);
  EXPECT_NEAR(tree.occupied[0].upper.x() - tree.occupied[0].lower.x(), 0.2, 1e-9);
}

TEST(Octree, TakesUnknownCellsWithinWhatIsKnown) {
  OctreeOptions options;
  options.unknown_is_occupied = true;
  // Occupied in two opposite corners: the six cells between them are unknown.
  const Octree tree = parseOctree(btFile(0x8002), "map.bt", options);
  EXPECT_EQ(tree.occupied.size(), 8u);
  double volume = 0.0;
  for (const AlignedBox& box : tree.occupied) volume += (box.upper - box.lower).prod();
  EXPECT_NEAR(volume, 0.008, 1e-9);
}

TEST(Octree, ReadsProbabilities) {
  const auto node = [](float odds, unsigned char children) {
    char raw[5];
    std::memcpy(raw, &odds, 4);
    raw[4] = static_cast<char>(children);
    return std::string(raw, 5);
  };
  const std::string header = "# Octomap OcTree file\nid OcTree\nsize 3\nres 0.5\ndata\n";
  const std::string content = header + node(1.0F, 0b101) + node(0.5F, 0) + node(1.5F, 0);
  EXPECT_EQ(parseOctree(content, "map.ot", {}).occupied.size(), 2u);
  OctreeOptions sure;
  sure.occupancy = 0.75;  // log odds 1.1
  const Octree tree = parseOctree(content, "map.ot", sure);
  EXPECT_EQ(tree.occupied.size(), 1u);
  EXPECT_EQ(tree.free, 1u);
  EXPECT_TRUE(tree.has_probabilities);
}

TEST(Octree, RefusesBrokenFiles) {
  const std::string good = btFile(0b1001);
  EXPECT_NE(refusal(good.substr(0, good.size() - 1)).find("cut short"), std::string::npos);
  EXPECT_NE(refusal(good + "x").find("goes on"), std::string::npos);
  EXPECT_NE(refusal(btFile(0xFFFF)).find("below the smallest"), std::string::npos);
  EXPECT_NE(refusal(btFile(1, "0")).find("resolution"), std::string::npos);
  EXPECT_NE(refusal(btFile(1, "nan")).find("resolution"), std::string::npos);
  EXPECT_NE(refusal("hello").find("no octree"), std::string::npos);
  EXPECT_NE(refusal("# Octomap OcTree binary file\nid OcTreeStamped\nres 1\ndata\n")
                .find("no kind of octree"),
            std::string::npos);
  EXPECT_NE(refusal("# Octomap OcTree binary file\nid OcTree\n").find("no line 'data'"),
            std::string::npos);
  EXPECT_TRUE(parseOctree(btFile(0b01), "map.bt", {}).occupied.empty());
}

#ifdef ALLCLEAR_HAVE_OCTOMAP
/// The same cells as the library's own leaves, from what it writes itself.
TEST(Octree, AgreesWithOctoMap) {
  test::Random random(5);
  for (int seed = 0; seed < 20; ++seed) {
    octomap::OcTree tree(random.logUniform(0.01, 0.5));
    const int count = random.integer(1, 400);
    for (int i = 0; i < count; ++i) {
      const Vec3 p = random.inBox(seed % 2 == 0 ? 3.0 : 0.3);
      tree.updateNode(octomap::point3d(static_cast<float>(p.x()), static_cast<float>(p.y()),
                                       static_cast<float>(p.z())),
                      random.chance(0.6));
    }
    std::ostringstream full, binary;
    tree.write(full);
    tree.writeBinaryConst(binary);
    double volume = 0.0;
    std::size_t free = 0;
    for (auto leaf = tree.begin_leafs(); leaf != tree.end_leafs(); ++leaf) {
      if (tree.isNodeOccupied(*leaf)) volume += std::pow(leaf.getSize(), 3);
    }
    for (const auto& [content, name] : {std::pair(full.str(), std::string("m.ot")),
                                        std::pair(binary.str(), std::string("m.bt"))}) {
      SCOPED_TRACE(name);
      const Octree read = parseOctree(content, name, {});
      free = read.free;
      double read_volume = 0.0;
      for (const AlignedBox& box : read.occupied) {
        read_volume += (box.upper - box.lower).prod();
        const Vec3 middle = 0.5 * (box.lower + box.upper);
        const octomap::OcTreeNode* node = tree.search(middle.x(), middle.y(), middle.z());
        ASSERT_NE(node, nullptr);
        EXPECT_TRUE(tree.isNodeOccupied(node));
      }
      EXPECT_NEAR(read_volume, volume, 1e-4 * volume + 1e-12);
    }
    EXPECT_GE(free + 1, 1u);
  }
}
#endif

}  // namespace
}  // namespace allclear
