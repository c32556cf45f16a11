#include "allclear/planner/problem/ground_pairs.h"

#include <gtest/gtest.h>

#include "allclear/planner/certificate/geometry.h"
#include "allclear/planner/clearance/collision_model.h"
#include "allclear/planner/problem/standing_points.h"
#include "support/biped.h"

namespace allclear {
namespace {

TEST(GroundPairs, AreThoseOfTheFeetWithWhatTheyStandOn) {
  Problem problem = standOn(test::bipedProblem());
  // A step beside the feet, a slab that touches the left sole, and a cart on its way over both.
  problem.obstacles.push_back(
      {"step", {Mat3::Identity(), {0.5, 0, 0.1}}, {{Box({0.4, 1, 0.2}), {}}}, {}});
  problem.obstacles.push_back(
      {"slab", {Mat3::Identity(), {0.0, 0.1, -0.012}}, {{Box({0.1, 0.1, 0.02}), {}}}, {}});
  Obstacle cart{"cart", {}, {{Box({0.1, 0.1, 0.1}), {}}}, {}};
  cart.motion = {{0.0, {Mat3::Identity(), {0, 0.1, 0}}}, {1.0, {Mat3::Identity(), {0, -0.1, 0}}}};
  problem.obstacles.push_back(cart);
  const int left = problem.contacts[0].link, right = problem.contacts[1].link;
  const std::vector<GroundPair> pairs = groundPairs(problem);
  EXPECT_EQ(pairs.size(), 3u);
  ASSERT_NE(groundPair(pairs, left, 0), nullptr);
  EXPECT_NE(groundPair(pairs, right, 0), nullptr);
  EXPECT_NE(groundPair(pairs, left, 2), nullptr);
  EXPECT_EQ(groundPair(pairs, left, 1), nullptr);
  EXPECT_EQ(groundPair(pairs, right, 2), nullptr);
  EXPECT_EQ(groundPair(pairs, left, 0)->kind, Contact::Kind::kFlat);
  EXPECT_EQ(groundPair(pairs, left, 0)->depth, 2e-3);
  EXPECT_EQ(groundPair(pairs, problem, "l_foot", "slab"), groundPair(pairs, left, 2));
  EXPECT_EQ(groundPair(pairs, problem, "r_foot", "slab"), nullptr);
}

TEST(GroundPairs, HaveADepthForPlannerAndCertificate) {
  Problem problem = standOn(test::bipedProblem());
  problem.contacts[0].depth = 1e-3;
  problem.contacts[1].depth = 5e-3;
  const CollisionModel model = collisionModel(problem, FidelityPolicy::kHulls);
  int with_floor = 0, feet = 0;
  for (const auto* pairs : {&model.pairs, &model.fixed_pairs}) {
    for (const CollisionPair& pair : *pairs) {
      if (model.bodies[pair.b].name != "floor") continue;
      const std::string& name = model.bodies[pair.a].name;
      const double margin = name == "l_foot" ? -1e-3 : name == "r_foot" ? -5e-3 : 1e-3;
      EXPECT_EQ(pair.margin, margin) << name;
      (margin < 0.0 ? feet : with_floor) += 1;
    }
  }
  EXPECT_GT(with_floor, 5);
  EXPECT_EQ(feet, 2);
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  int certified = 0;
  for (const CertifiedPair& pair : geometry.pairs) {
    if (!pair.touchesAtContact()) continue;
    ++certified;
    EXPECT_EQ(pair.margin, geometry.bodies[pair.a].name == "l_foot" ? -1e-3 : -5e-3);
    EXPECT_EQ(geometry.bodies[pair.b].name, "floor");
  }
  EXPECT_EQ(certified, 2);
}

/// A hand leans on a floor by its tip. A finger and a guard are joined to it: one touches, too.
TEST(GroundPairs, AreOfJoinedLinksOnlyThoseThatTouchToo) {
  RobotModel::Data data;
  data.links.push_back({"base", -1, {}, {}, {}});
  const auto add = [&](const char* name, int parent, JointType type, double z) {
    Joint joint;
    joint.name = std::string("to_") + name;
    joint.type = type;
    joint.parent_link = parent;
    joint.child_link = static_cast<int>(data.links.size());
    if (parent == 0) joint.X_PJ.p.z() = 0.01;
    if (type == JointType::kRevolute) {
      joint.axis = Vec3::UnitZ();
      joint.first_coordinate = 0;
      data.coordinates.push_back({joint.name, 0, true, false, -1.0, 1.0, 1.0, 1.0});
    }
    data.links.push_back({name,
                          static_cast<int>(data.joints.size()),
                          {},
                          {{Sphere(0.01), {Mat3::Identity(), {0.0, 0.0, z}}}},
                          {}});
    data.joints.push_back(joint);
  };
  add("hand", 0, JointType::kRevolute, 0.0);
  add("finger", 1, JointType::kFixed, 0.004);
  add("guard", 1, JointType::kFixed, 0.006);
  Problem problem;
  problem.robot = std::make_shared<const RobotModel>(std::move(data));
  problem.planned = {0};
  problem.start = VecX::Zero(1);
  problem.obstacles.push_back({"floor", {}, {{HalfSpace(), {}}}, {}});
  Contact tip;
  tip.link = 1;
  tip.kind = Contact::Kind::kPoint;
  tip.X_LC.p.z() = -0.01;
  problem.contacts = {tip};
  const std::vector<GroundPair> pairs = groundPairs(problem);
  EXPECT_NE(groundPair(pairs, problem, "hand", "floor"), nullptr);
  EXPECT_NE(groundPair(pairs, problem, "finger", "floor"), nullptr);
  EXPECT_EQ(groundPair(pairs, problem, "guard", "floor"), nullptr);
  // Of two contacts of a pair the greater depth counts.
  tip.depth = 5e-3;
  problem.contacts.push_back(tip);
  const std::vector<GroundPair> both = groundPairs(problem);
  EXPECT_EQ(both.size(), pairs.size());
  EXPECT_EQ(groundPair(both, problem, "hand", "floor")->depth, 5e-3);
  EXPECT_EQ(groundPair(both, problem, "hand", "floor")->kind, Contact::Kind::kPoint);
}

TEST(StandingPoints, AreTheLowestOfAShape) {
  // A tilted box stands on a corner; a ball on the point below its middle.
  const Mat3 R = rotationFromRpy({0.3, 0.2, 0.1});
  const auto lowest = [&](const Shape& shape) {
    double z = HUGE_VAL;
    for (const Vec3& p : standingPoints(shape, R)) z = std::min(z, (R * p).z());
    return z;
  };
  const Vec3 size(0.2, 0.1, 0.3);
  EXPECT_NEAR(lowest(Box(size)), -0.5 * R.row(2).cwiseAbs().dot(size), 1e-12);
  EXPECT_NEAR(lowest(Sphere(0.2)), -0.2, 1e-12);
  EXPECT_TRUE(standingPoints(HalfSpace(), R).empty());
}

}  // namespace
}  // namespace allclear
