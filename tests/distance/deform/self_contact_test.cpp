// Contact of meshes that bend, through the whole pipeline.
#include "allclear/distance/self_contact.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "allclear/core/input_error.h"
#include "allclear/distance/deform/feature_pairs.h"
#include "allclear/distance/deform/step_boxes.h"
#include "allclear/distance/deform/step_check.h"
#include "allclear/distance/deforming_mesh.h"
#include "allclear/distance/geometry/triangles.h"
#include "distance/deform/bending_meshes.h"
#include "support/data.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;
using test::BendingSample;
using test::Random;

TEST(SelfContact, AgreesWithAllPairsOfFeatures) {
  int free = 0, touching = 0;
  for (const auto& family : test::kBendingFamilies) {
    Random draw(31);
    for (int trial = 0; trial < 8; ++trial) {
      const BendingSample sample = family.draw(draw);
      const std::vector<test::OracleContact> truth = test::oracleContacts(sample.step());
      const SelfContact found = selfContact(sample.step());
      double first = 2.0;
      for (const auto& contact : truth) first = std::min(first, contact.time);
      if (!truth.empty()) {
        ASSERT_EQ(found.verdict, ContactVerdict::kTouches) << family.name << " " << trial;
        EXPECT_LE(found.time, first + 1e-9) << family.name << " " << trial;
      }
      free += found.verdict == ContactVerdict::kFree;
      touching += found.verdict == ContactVerdict::kTouches;
    }
  }
  EXPECT_GT(free, 10);
  EXPECT_GT(touching, 10);
}

TEST(SelfContact, AnswersTheSameFarFromTheOrigin) {
  Random draw(32);
  for (int trial = 0; trial < 10; ++trial) {
    BendingSample sample = test::openRing(draw);
    const SelfContact here = selfContact(sample.step());
    for (auto* points : {&sample.start, &sample.end}) {
      for (Vec3& p : *points) p += Vec3(1e4, -2e4, 3e4);
    }
    EXPECT_EQ(selfContact(sample.step()).verdict, here.verdict) << trial;
  }
}

TEST(SelfContact, SeesAnEdgeThatIsThroughATriangleFromTheStart) {
  const std::vector<Triangle> triangles{{0, 1, 2}, {3, 4, 5}};
  const std::vector<Vec3> start{{0, 0, 0},      {1, 0, 0},     {0, 1, 0},
                                {0.2, 0.2, -1}, {0.2, 0.2, 1}, {0.2, 0.25, 2}};
  std::vector<Vec3> end = start;
  for (Vec3& p : end) p += Vec3(1, 2, 3);
  const SelfContact found = selfContact({triangles, start, end});
  EXPECT_EQ(found.verdict, ContactVerdict::kTouches);
  EXPECT_EQ(found.time, 0.0);
  EXPECT_EQ(featureName(found.a), "edge 3-4");
  EXPECT_EQ(featureName(found.b), "triangle 0-1-2");
}

TEST(SelfContact, NamesTheStepTheFeaturesAndTheInstant) {
  // A triangle that goes down through another in the second step.
  const std::vector<Triangle> triangles{{0, 1, 2}, {3, 4, 5}};
  std::vector<std::vector<Vec3>> keyframes(
      4, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.2, 1}, {0.3, 0.2, 2}, {0.2, 0.3, 2}});
  for (int v : {3, 4, 5}) {
    keyframes[2][v].z() -= 1.5;
    keyframes[3][v].z() -= 9.0;
  }
  const SelfContact found = selfContact(triangles, keyframes);
  EXPECT_EQ(found.verdict, ContactVerdict::kTouches);
  EXPECT_EQ(found.step, 1);
  EXPECT_NEAR(found.time, 1.0 / 1.5, 1e-12);
  EXPECT_EQ(found.message, "vertex 3 and triangle 0-1-2 touch between keyframes 1 and 2");
  const SelfContact same = selfContact(DeformingMesh(triangles, keyframes, {0.0, 0.5, 0.6, 2.0}));
  EXPECT_EQ(same.message, found.message);
  EXPECT_EQ(same.time, found.time);
  keyframes.resize(2);
  EXPECT_EQ(selfContact(triangles, keyframes).message, "free of self-contact");
}

TEST(SelfContact, OfFoldedAndDegenerateTriangles) {
  // Two triangles at an edge; the second closes like a book and lies on the first at the end.
  const std::vector<Triangle> book{{0, 1, 2}, {1, 0, 3}};
  const std::vector<Vec3> open{{0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}, {0.5, -1, 0.2}};
  std::vector<Vec3> closed = open;
  closed[3] = {0.5, 0.5, 0.0};
  EXPECT_EQ(selfContact({book, open, closed}).verdict, ContactVerdict::kTouches);
  closed[3].z() = 1e-6;
  EXPECT_EQ(selfContact({book, open, closed}).verdict, ContactVerdict::kFree);
  // A needle and a point that meet a triangle.
  const std::vector<Triangle> odd{{0, 1, 2}, {3, 4, 4}, {5, 5, 5}};
  std::vector<Vec3> at{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 2, 2}, {3, 3, 3}, {0.2, 0.2, 0.1}};
  std::vector<Vec3> later = at;
  EXPECT_EQ(selfContact({odd, at, later}).verdict, ContactVerdict::kFree);
  later[5].z() = -0.1;
  EXPECT_EQ(selfContact({odd, at, later}).verdict, ContactVerdict::kTouches);
  later[5] = at[5];
  later[3] = {0.1, 0.1, -0.1};
  EXPECT_EQ(selfContact({odd, at, later}).verdict, ContactVerdict::kTouches);
}

TEST(SelfContact, OfAMeshAtRest) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back({i & 1 ? 1. : 0., i & 2 ? 1. : 0., i & 4 ? 1. : 0.});
  const std::vector<Triangle> box{{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                  {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  EXPECT_EQ(touches(TriangleMesh(corners, box)).verdict, ContactVerdict::kFree);
  corners[0] = {2, 2, 2};  // drawn through the opposite corner
  const SelfContact found = touches(TriangleMesh(corners, box));
  EXPECT_EQ(found.verdict, ContactVerdict::kTouches);
  EXPECT_EQ(found.message.find("keyframes"), std::string::npos);
}

TEST(SelfContact, RefusesBadInput) {
  const std::vector<Triangle> triangles{{0, 1, 2}};
  const std::vector<Vec3> good{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  std::vector<Vec3> bad = good;
  bad[1].y() = NAN;
  EXPECT_THROW(selfContact({triangles, good, bad}), InputError);
  EXPECT_THROW(deform::requireStep({triangles, good, bad}), InputError);
  const std::vector<Vec3> few{{0, 0, 0}, {1, 0, 0}};
  EXPECT_THROW(selfContact({triangles, good, few}), InputError);
  EXPECT_THROW(selfContact({triangles, few, few}), InputError);
  EXPECT_THROW(selfContact(triangles, {}), InputError);
  const SelfContactSearch search(triangles, good);
  EXPECT_THROW(search.step(few, few), InputError);
}

struct Query {
  std::array<Vec3, 8> points;  ///< four at t = 0, then the same four at t = 1
  bool touches = false;
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

TEST(SelfContact, AnswersTheExactQueriesAsMeshesOfTwoFeatures) {
  ALLCLEAR_REQUIRE_DATA("ccd_queries");
  int hits = 0, clears = 0, missed = 0, false_alarms = 0;
  for (const auto& entry : fs::recursive_directory_iterator(test::dataFolder() / "ccd_queries")) {
    if (entry.path().extension() != ".csv") continue;
    const bool edges = entry.path().parent_path().filename() == "edge-edge";
    // A vertex is a triangle with all corners there, an edge one with two.
    const std::vector<Triangle> triangles = edges ? std::vector<Triangle>{{0, 1, 1}, {2, 3, 3}}
                                                  : std::vector<Triangle>{{0, 0, 0}, {1, 2, 3}};
    for (const Query& query : readQueries(entry.path())) {
      const std::span<const Vec3> all(query.points);
      const SelfContact found =
          selfContact({triangles, all.first(4), all.last(4)}, {.max_boxes = 50000});
      const bool is_free = found.verdict == ContactVerdict::kFree;
      ++(query.touches ? hits : clears);
      missed += query.touches && is_free;
      false_alarms += !query.touches && !is_free;
    }
  }
  ASSERT_GT(hits, 250);
  EXPECT_EQ(missed, 0) << "of " << hits;
  // Twice as many as of single queries (vertex_motion_test.cpp): the edges of a triangle are tested
  // too, and most false alarms are contacts within rounding.
  EXPECT_LE(false_alarms, clears / 50) << "of " << clears;
}

TEST(StepBoxes, HoldEverythingAtEveryInstant) {
  Random draw(33);
  for (int trial = 0; trial < 40; ++trial) {
    BendingSample sample = test::randomSmooth(draw);
    const double scale = draw.logUniform(1e-12, 1e12);
    for (auto* points : {&sample.start, &sample.end}) {
      for (Vec3& p : *points) p = scale * (p + Vec3(0.3, 0, -5));
    }
    const MeshStep step = sample.step();
    const deform::PatchTree tree =
        deform::cutAlongMesh(step.triangles, step.start, deform::oppositeHalfEdges(step.triangles));
    deform::StepBoxes boxes;
    deform::fillBoxes(step, tree, 0.0, &boxes);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const auto& node = tree.nodes[i];
      const int t = tree.order[draw.integer(node.begin, node.end - 1)], v = sample.triangles[t][0];
      const double at = draw.uniform(0, 1);
      const Vec3 p = (1 - at) * step.start[v] + at * step.end[v];
      for (int k = 0; k < 3; ++k) {
        EXPECT_LE(p[k], boxes.nodes[i].upper[k]);
        EXPECT_GE(p[k], -static_cast<double>(boxes.nodes[i].minus_lower[k]));
      }
    }
  }
}

/// Two sheets near each other, one above the other or aside.
std::pair<BendingSample, BendingSample> curtains(Random& draw) {
  std::pair<BendingSample, BendingSample> both;
  const double gap = draw.logUniform(0.01, 0.5), sinks = draw.uniform(-0.2, 0.35);
  const auto wave = [&](double height) {
    const double a = draw.uniform(-4, 4), b = draw.uniform(-4, 4), w = draw.uniform(0, 0.1);
    return [=](int i, int j) -> Vec3 {
      return {0.25 * i, 0.25 * j, height + w * std::sin(a * 0.25 * i + b * 0.25 * j)};
    };
  };
  test::addGrid(5, 5, wave(0), wave(0), &both.first);
  test::addGrid(5, 5, wave(gap), wave(gap - sinks), &both.second);
  for (auto* points : {&both.second.start, &both.second.end}) {
    for (Vec3& p : *points) p.x() += 0.3;
  }
  return both;
}

double distanceAt(const BendingSample& a, const BendingSample& b, double t) {
  const auto corners = [t](const BendingSample& m, const Triangle& f) {
    const auto at = [&](int v) -> Vec3 { return (1 - t) * m.start[v] + t * m.end[v]; };
    return cornersOf(at(f[0]), at(f[1]), at(f[2]));
  };
  double least = HUGE_VAL;
  for (const Triangle& f : a.triangles) {
    for (const Triangle& g : b.triangles) {
      least = std::min(least, triangleDistance(corners(a, f), corners(b, g)).distance);
    }
  }
  return least;
}

TEST(MeshContact, KeepsADistanceExactlyWhenNoInstantIsNearer) {
  Random draw(34);
  int free = 0, near = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const auto [a, b] = curtains(draw);
    const double threshold = trial % 3 == 0 ? 0.0 : draw.logUniform(0.005, 0.1);
    const MeshContact found = contactOf(a.step(), b.step(), {.threshold = threshold});
    ASSERT_NE(found.verdict, ContactVerdict::kUndecided) << trial;
    const bool is_free = found.verdict == ContactVerdict::kFree;
    ++(is_free ? free : near);
    // Before the instant found (or the end) no instant is nearer.
    const double until = is_free ? 1.0 : found.time - 3e-6;
    for (int k = 0; k <= 12 && until > 0; ++k) {
      EXPECT_GE(distanceAt(a, b, until * k / 12), threshold - 1e-9) << trial << " " << k;
    }
    if (is_free) continue;
    EXPECT_TRUE(found.is_first);
    EXPECT_LE(distanceAt(a, b, found.time), threshold + 1e-9) << trial;
  }
  EXPECT_GT(free, 5);
  EXPECT_GT(near, 5);
}

TEST(MeshContact, SeesASheetThatIsThroughAnotherFromTheStart) {
  BendingSample a, b;
  const auto level = [](int i, int j) -> Vec3 { return {0.5 * i, 0.5 * j, 0}; };
  const auto upright = [](int i, int j) -> Vec3 { return {0.3 + 0.1 * i, 0.7, j - 0.55}; };
  test::addGrid(3, 3, level, level, &a);
  test::addGrid(2, 2, upright, upright, &b);
  const MeshContact found = contactOf(a.step(), b.step());
  EXPECT_EQ(found.verdict, ContactVerdict::kTouches);
  EXPECT_EQ(found.time, 0.0);
}

}  // namespace
}  // namespace allclear
