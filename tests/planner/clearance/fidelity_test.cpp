#include "allclear/planner/clearance/fidelity.h"

#include <gtest/gtest.h>

#include "allclear/planner/clearance/fidelity_chooser.h"
#include "planner/seeds/seed_scenes.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

TEST(CoarseToFine, StopsAtTheFirstLevelThatDecides) {
  std::vector<MeshFidelity> asked;
  EXPECT_TRUE(coarseToFine(kFidelities, [&](MeshFidelity fidelity) {
    asked.push_back(fidelity);
    return fidelity == MeshFidelity::kPieces;
  }));
  EXPECT_EQ(asked, (std::vector{MeshFidelity::kHull, MeshFidelity::kPieces}));
  EXPECT_FALSE(coarseToFine(kFidelities, [](MeshFidelity) { return false; }));
}

TEST(CoarseToFine, MeasuresByHullsFirstAndThenByThePairsOwnLevel) {
  for (MeshFidelity fidelity : kFidelities) {
    const auto levels = measuringLevels(fidelity);
    EXPECT_EQ(levels.front(), MeshFidelity::kHull);
    EXPECT_EQ(levels.back(), fidelity);
    EXPECT_EQ(levels.size(), fidelity == MeshFidelity::kHull ? 1u : 2u);
  }
}

/// A ball on a slide along z through a ring of mesh, `start` [m] from the ring's plane.
Problem ballAndRing(double start) {
  RobotModel::Data data;
  data.name = "slide";
  data.links.resize(2);
  data.links[0].name = "base";
  data.links[1].name = "ball";
  data.links[1].parent_joint = 0;
  data.links[1].collision = {{Sphere(0.05), Pose()}};
  Joint joint;
  joint.name = "slide";
  joint.type = JointType::kPrismatic;
  joint.parent_link = 0;
  joint.child_link = 1;
  joint.axis = Vec3::UnitZ();
  joint.first_coordinate = 0;
  data.joints = {joint};
  data.coordinates.push_back({"slide", 0, false, false, -1.0, 1.0, 1.0, 100.0});
  Problem problem;
  problem.robot = std::make_shared<RobotModel>(std::move(data));
  problem.planned = {0};
  problem.start = VecX::Constant(1, start);
  problem.goal = JointTarget{{0}, VecX::Constant(1, 0.5)};
  Obstacle ring;
  ring.id = "ring";
  ring.geometry = {{test::torusMesh(0.2, 0.05, 24, 12), Pose()}};
  problem.obstacles = {ring};
  return problem;
}

TEST(FidelityChooser, RefinesOnlyPairsWhoseHullsAreTooNearAtAnEnd) {
  const auto chosen = [](double start, FidelityPolicy policy) {
    return collisionModel(ballAndRing(start), policy).pairs.at(0).fidelity;
  };
  EXPECT_EQ(chosen(-0.5, FidelityPolicy::kWhereNeeded), MeshFidelity::kHull);
  EXPECT_EQ(chosen(0.0, FidelityPolicy::kHulls), MeshFidelity::kHull);
  // In the middle of the ring: inside of its hull, but far from its pieces.
  EXPECT_EQ(chosen(0.0, FidelityPolicy::kWhereNeeded), MeshFidelity::kPieces);
  EXPECT_EQ(chosen(-0.5, FidelityPolicy::kEverywhere), MeshFidelity::kPieces);
  EXPECT_EQ(chosen(-0.5, FidelityPolicy::kSurfaces), MeshFidelity::kSurface);
}

TEST(FidelityChooser, MakesOnlyTheSolidsThatPairsNeed) {
  const CollisionModel coarse = collisionModel(ballAndRing(-0.5), FidelityPolicy::kWhereNeeded);
  for (const CollisionBody& body : coarse.bodies) {
    EXPECT_TRUE(body.solids(MeshFidelity::kSurface).empty()) << body.name;
  }
  CollisionModel fine = coarse;
  chooseFidelities(ballAndRing(-0.5), MeshFidelity::kSurface, &fine);
  for (const CollisionBody& body : fine.bodies) {
    EXPECT_FALSE(body.solids(MeshFidelity::kSurface).empty()) << body.name;
  }
}

TEST(FidelityChooser, GivesTheSameModelWithAnyNumberOfThreads) {
  for (const FidelityPolicy policy : {FidelityPolicy::kWhereNeeded, FidelityPolicy::kSurfaces}) {
    const CollisionModel one = collisionModel(ballAndRing(0.0), policy, 1);
    const CollisionModel three = collisionModel(ballAndRing(0.0), policy, 3);
    for (std::size_t p = 0; p < one.pairs.size(); ++p) {
      EXPECT_EQ(three.pairs[p].fidelity, one.pairs[p].fidelity);
    }
    for (std::size_t b = 0; b < one.bodies.size(); ++b) {
      for (const MeshFidelity fidelity : kFidelities) {
        EXPECT_EQ(three.bodies[b].solids(fidelity).size(), one.bodies[b].solids(fidelity).size());
      }
    }
  }
}

TEST(FirstPolicy, FollowsTheTask) {
  Problem problem = ballAndRing(0.0);
  EXPECT_TRUE(hasMeshes(problem));
  EXPECT_EQ(firstPolicy(problem), FidelityPolicy::kWhereNeeded);
  problem.collision.geometry = GeometryMode::kMesh;
  EXPECT_EQ(firstPolicy(problem), FidelityPolicy::kEverywhere);
  problem.collision.geometry = GeometryMode::kCapsule;
  EXPECT_EQ(firstPolicy(problem), FidelityPolicy::kHulls);
  EXPECT_FALSE(hasMeshes(test::wallProblem()));
}

}  // namespace
}  // namespace allclear
