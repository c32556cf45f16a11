#include "allclear/distance/geometry/vertex_motion.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/data.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;

struct Query {
  std::array<Vec3, 8> points;  ///< four at t = 0, then the same four at t = 1
  bool touches = false;

  MovingPoint moving(int i) const { return {points[i], points[i + 4]}; }
  bool answer(bool edges) const {
    if (edges) return mayTouchEdgeEdge({moving(0), moving(1)}, {moving(2), moving(3)});
    return mayTouchVertexFace(moving(0), {moving(1), moving(2), moving(3)});
  }
};

/// Rows of six integers (numerator and denominator of x, y, z) and the truth; eight rows a query.
std::vector<Query> readQueries(const fs::path& file) {
  std::vector<Query> queries;
  std::ifstream in(file);
  int row = 0;
  for (std::string line; std::getline(in, line); ++row) {
    std::stringstream cells(line);
    double number[7];
    std::string cell;
    for (double& n : number) {
      std::getline(cells, cell, ',');
      n = std::strtod(cell.c_str(), nullptr);
    }
    if (row % 8 == 0) queries.emplace_back();
    for (int k = 0; k < 3; ++k)
      queries.back().points[row % 8][k] = number[2 * k] / number[2 * k + 1];
    queries.back().touches = number[6] != 0.0;
  }
  return queries;
}

TEST(VertexMotion, MissesNoneOfTheExactQueriesAndRaisesFewFalseAlarms) {
  ALLCLEAR_REQUIRE_DATA("ccd_queries");
  int hits = 0;
  int clears = 0;
  int missed = 0;
  int false_alarms = 0;
  for (const auto& entry : fs::recursive_directory_iterator(test::dataFolder() / "ccd_queries")) {
    if (entry.path().extension() != ".csv") continue;
    const bool edges = entry.path().parent_path().filename() == "edge-edge";
    for (const Query& query : readQueries(entry.path())) {
      const bool answer = query.answer(edges);
      ++(query.touches ? hits : clears);
      missed += query.touches && !answer;
      false_alarms += !query.touches && answer;
    }
  }
  ASSERT_GT(hits, 250);
  ASSERT_GT(clears, 2000);
  EXPECT_EQ(missed, 0) << "of " << hits;
  EXPECT_LE(false_alarms, clears / 100) << "of " << clears;
  RecordProperty("false_alarms", false_alarms);
  RecordProperty("clears", clears);
}

TEST(VertexMotion, SeesAPointPassThroughATriangleAndBesideIt) {
  const std::array<MovingPoint, 3> face{MovingPoint{{0, 0, 0}, {0, 0, 0}},
                                        MovingPoint{{1, 0, 0}, {1, 0, 0}},
                                        MovingPoint{{0, 1, 0}, {0, 1, 0}}};
  EXPECT_TRUE(mayTouchVertexFace({{0.2, 0.2, 1}, {0.2, 0.2, -1}}, face));
  EXPECT_TRUE(mayTouchVertexFace({{0.5, 0.5, 1}, {0.5, 0.5, -1}}, face));
  EXPECT_FALSE(mayTouchVertexFace({{0.5 + 1e-9, 0.5, 1}, {0.5 + 1e-9, 0.5, -1}}, face));
  EXPECT_FALSE(mayTouchVertexFace({{0.2, 0.2, 1}, {0.2, 0.2, 1e-9}}, face));
}

TEST(VertexMotion, AcceptsPointsForEdgesAndMotionInAPlane) {
  const MovingPoint still{{0, 0, 0}, {0, 0, 0}};
  const MovingPoint passing{{-1, 0, 0}, {1, 0, 0}};
  const MovingPoint beside{{-1, 1e-6, 0}, {1, 1e-6, 0}};
  EXPECT_TRUE(mayTouchEdgeEdge({still, still}, {passing, passing}));
  EXPECT_FALSE(mayTouchEdgeEdge({still, still}, {beside, beside}));
}

}  // namespace
}  // namespace allclear
