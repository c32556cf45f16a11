#include "allclear/planner/certificate/instant.h"

#include <gtest/gtest.h>

#include <vector>

#include "allclear/distance/cloud.h"
#include "allclear/planner/certificate/fidelity.h"
#include "planner/certificate/certificate_fixture.h"

namespace allclear {
namespace {

using test::armTask;
using test::boxAt;
using test::boxScene;
using test::loadText;

const char* kGoal = "{lift: 0.1, shoulder: 1.2, elbow: -0.5, wrist: 0.5}";

TEST(RefineUntil, GoesFromCoarseToFineAndStopsWhenItIsEnough) {
  std::vector<MeshFidelity> tried;
  refineUntil([&](MeshFidelity fidelity) {
    tried.push_back(fidelity);
    return fidelity == MeshFidelity::kPieces;
  });
  EXPECT_EQ(tried, (std::vector<MeshFidelity>{MeshFidelity::kHull, MeshFidelity::kPieces}));
  tried.clear();
  refineUntil([&](MeshFidelity fidelity) {
    tried.push_back(fidelity);
    return false;
  });
  EXPECT_EQ(tried.size(), std::size_t{kMeshFidelityCount});
  EXPECT_EQ(tried.back(), MeshFidelity::kSurface);
}

TEST(PairDistances, AreThoseOfTheOracleNearestToTheirMarginFirst) {
  const Problem problem =
      loadText(armTask(kGoal, boxScene(boxAt("near", {0.1, 0.1, 0.1}, {0.7, 0.6, 0.45}) + ", " +
                                       boxAt("far", {0.1, 0.1, 0.1}, {3.0, 0.0, 0.45}))));
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  test::Random random(4);
  const Trajectory trajectory = test::splineOf(problem, 4.0, random, 0.2);
  const test::InstantOracle oracle(problem, trajectory);
  for (const double t : {0.0, 1.3, 4.0}) {
    const std::vector<PairDistance> pairs =
        pairDistances(problem, geometry, problem.configuration(trajectory.value(t)), t);
    ASSERT_EQ(pairs.size(), geometry.pairs.size());
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (!pairs[i].fixed) least = std::min(least, pairs[i].distance);
      if (i == 0) continue;
      EXPECT_LE(pairs[i - 1].distance - pairs[i - 1].margin, pairs[i].distance - pairs[i].margin);
    }
    EXPECT_NEAR(least, oracle.leastDistance(t), 1e-12);
  }
}

// A cloud's points are those of its nearest element, not of the box about all of it; where it may
// be displaced, of the displaced element.
TEST(PairDistances, ClosestPointsAreAsFarApartAsTheBodies) {
  Problem problem =
      loadText(armTask(kGoal, boxScene(boxAt("near", {0.1, 0.1, 0.1}, {0.7, 0.6, 0.45}))));
  test::Random random(5);
  std::vector<Vec3> points;
  for (int i = 0; i < 400; ++i) {
    points.emplace_back(random.uniform(-2.0, 2.0), random.uniform(1.0, 2.0),
                        random.uniform(0.0, 2.0));
  }
  Obstacle scan;
  scan.id = "scan";
  scan.cloud = std::make_shared<const Cloud>(Cloud::balls(points, 0.02));
  scan.X_WO.p = Vec3(0.2, -0.1, 0.05);
  problem.obstacles.push_back(scan);
  for (const bool is_displaced : {false, true}) {
    if (is_displaced) {
      problem.obstacles[1].spread.knots = {{0.0, Mat3::Identity() * 1e-4}};
    }
    const std::vector<PairDistance> pairs =
        pairDistances(problem, certifiedGeometry(problem), problem.start, 0.0, true);
    int of_scan = 0;
    for (const PairDistance& pair : pairs) {
      of_scan += pair.b == "scan" ? 1 : 0;
      EXPECT_NEAR((pair.p_WA - pair.p_WB).norm(), std::abs(pair.distance), 1e-6)
          << pair.a << " " << pair.b;
    }
    EXPECT_GT(of_scan, 0);
  }
}

TEST(PairDistances, LeaveOutObstaclesWhosePlaceIsUnknown) {
  Problem problem =
      loadText(armTask(kGoal, boxScene(boxAt("cart", {0.1, 0.1, 0.1}, {2.0, 0.0, 0.0}))));
  problem.obstacles[0].motion = {{0.0, {Mat3::Identity(), Vec3(2, 0, 0)}},
                                 {1.0, {Mat3::Identity(), Vec3(3, 0, 0)}}};
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  const auto mentionsCart = [&](std::optional<double> t) {
    const auto pairs = pairDistances(problem, geometry, problem.start, t);
    return std::any_of(pairs.begin(), pairs.end(),
                       [](const PairDistance& pair) { return pair.b == "cart"; });
  };
  EXPECT_TRUE(mentionsCart(0.5));
  EXPECT_FALSE(mentionsCart(std::nullopt));
}

}  // namespace
}  // namespace allclear
