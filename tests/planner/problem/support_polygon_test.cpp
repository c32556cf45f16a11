#include "allclear/planner/problem/support_polygon.h"

#include <gtest/gtest.h>

#include "allclear/core/input_error.h"
#include "planner/seeds/seed_scenes.h"
#include "support/biped.h"

namespace allclear {
namespace {

/// The box arm on a foot of 0.4 m x 0.2 m, 0.1 m high.
Problem footProblem() {
  Problem problem = test::wallProblem();
  RobotModel::Data data;
  data.name = "foot";
  data.links = problem.robot->links();
  data.joints = problem.robot->joints();
  data.coordinates = problem.robot->coordinates();
  data.links[0].collision.push_back({Box(Vec3(0.4, 0.2, 0.1)), Pose()});
  problem.robot = std::make_shared<const RobotModel>(std::move(data));
  return problem;
}

TEST(SupportPolygon, OfABoxIsItsBottomFace) {
  const Problem problem = footProblem();
  const SupportPolygon polygon = supportPolygon(problem, Balance{{0}});
  EXPECT_EQ(polygon.edges.size(), 4u);
  EXPECT_DOUBLE_EQ(polygon.height, -0.05);
  EXPECT_NEAR(polygon.radius, 0.1, 1e-12);
  for (const SupportPolygon::Edge& edge : polygon.edges) {
    EXPECT_NEAR(edge.inward.norm(), 1.0, 1e-12);
    EXPECT_LT(edge.offset, 0.0);  // the middle, the origin, is inside
  }
}

TEST(SupportPolygon, RoomIsTheDistanceOfTheZeroMomentPointFromTheEdgeTimesTheForce) {
  const SupportPolygon::Edge edge{{1.0, 0.0}, -0.2};
  // A vertical force of 50 N that acts at x = 0.03 has the moment -1.5 N m about y.
  const Vec3 force(0.0, 0.0, 50.0), at(0.03, 0.0, 0.0);
  EXPECT_NEAR(SupportPolygon::room(edge, 0.0, 0.0, force, at.cross(force)), 50.0 * 0.23, 1e-12);
  EXPECT_NEAR(SupportPolygon::room(edge, 0.0, 0.23, force, at.cross(force)), 0.0, 1e-12);
}

TEST(SupportPolygon, RefusesASupportThatMoves) {
  const Problem problem = footProblem();
  EXPECT_FALSE(isMoved(problem, 0));
  EXPECT_TRUE(isMoved(problem, 2));
  EXPECT_THROW(supportPolygon(problem, Balance{{2}}), InputError);
}

TEST(SupportPolygon, OfTwoSolesIsTheirHullLessTheMargins) {
  Problem problem = standOn(test::bipedProblem());
  const Balance balance{{problem.contacts[0].link, problem.contacts[1].link}};
  const SupportPolygon polygon = supportPolygon(problem, balance);
  EXPECT_EQ(polygon.edges.size(), 4u);
  EXPECT_NEAR(polygon.height, 0.0, 1e-12);
  double widest = 0.0;
  for (const SupportPolygon::Edge& edge : polygon.edges) {
    if (std::abs(edge.inward.y()) > 0.5) widest = std::max(widest, -edge.offset);
  }
  EXPECT_NEAR(widest, test::Biped::kHip + test::Biped::kHalfWidth - problem.contacts[0].margin,
              1e-9);
  // One foot on a step: the zero-moment point has no plane.
  problem.contacts[1].X_LC.p.z() += 0.1;
  EXPECT_THROW(supportPolygon(problem, balance), InputError);
}

}  // namespace
}  // namespace allclear
