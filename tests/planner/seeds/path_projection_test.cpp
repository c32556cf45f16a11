#include "allclear/planner/seeds/path_projection.h"

#include <gtest/gtest.h>

#include <limits>

#include "allclear/planner/seeds/coordinate_blocks.h"
#include "allclear/planner/seeds/free_motion.h"
#include "allclear/planner/seeds/rrt_connect.h"
#include "allclear/planner/seeds/seed_maker.h"
#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

/// The share of its tolerance that each constraint uses, from the poses alone.
double useOf(const Problem& problem, const VecX& q) {
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> poses;
  kinematics.linkPoses(problem.configuration(q), workspace, poses);
  double most = 0.0;
  for (const PathConstraint& constraint : problem.path_constraints) {
    if (const auto* keep = std::get_if<KeepAxis>(&constraint)) {
      const Vec3 axis = poses[keep->link].R * keep->axis_L;
      most = std::max(
          most, std::acos(std::clamp(axis.dot(keep->direction_W), -1.0, 1.0)) / keep->tolerance);
    } else {
      const auto& box = std::get<KeepInBox>(constraint);
      const Vec3 p = box.X_WB.inverse() * (poses[box.link] * box.p_L);
      most = std::max(most, (2.0 * p.cwiseAbs().cwiseQuotient(box.size)).maxCoeff());
    }
  }
  return most;
}

TEST(PathProjection, EndsWhereTheConstraintsAreKeptWithinLimits) {
  test::Random random(3);
  int projected = 0, moved = 0;
  for (int trial = 0; trial < 400; ++trial) {
    Problem problem = test::randomProblem(random);
    if (problem.plannedCount() < 3) continue;
    const int link = static_cast<int>(problem.robot->links().size()) - 1;
    KeepAxis keep{link, random.vector(1.0).normalized(), random.vector(1.0).normalized(),
                  random.logUniform(1e-3, 1.0)};
    KeepInBox box;
    box.link = link;
    box.X_WB = random.pose(0.5);
    box.size = Vec3(random.logUniform(0.01, 1.0), 0.8, random.logUniform(0.01, 1.0));
    if (random.chance(0.7)) problem.path_constraints.emplace_back(keep);
    if (random.chance(0.4)) problem.path_constraints.emplace_back(box);
    const Kinematics kinematics(*problem.robot);
    PathProjection projection(problem, kinematics);
    const PlannedLimits limits = plannedLimits(problem);
    const VecX q = problem.plannedPart(problem.start).cwiseMax(limits.lower).cwiseMin(limits.upper);
    EXPECT_EQ(projection.isNeeded(), !problem.path_constraints.empty());
    EXPECT_NEAR(projection.use(q), useOf(problem, q), 1e-6 * (1.0 + useOf(problem, q)));
    VecX there = q;
    if (!projection.project(there)) continue;
    ++projected;
    EXPECT_LE(useOf(problem, there), PathProjection::kOuter + 1e-6);
    EXPECT_TRUE((there.array() >= limits.lower.array()).all());
    EXPECT_TRUE((there.array() <= limits.upper.array()).all());
    if (useOf(problem, q) <= PathProjection::kOuter) {
      EXPECT_EQ(there, q);
    } else {
      ++moved;
    }
  }
  EXPECT_GT(projected, 60);
  EXPECT_GT(moved, 30);
}

TEST(PathProjection, TurnsAnAxisThatPointsTheOtherWay) {
  Problem problem = test::wallProblem();
  problem.path_constraints = {KeepAxis{3, Vec3::UnitX(), Vec3::UnitX(), 0.1}};
  const Kinematics kinematics(*problem.robot);
  PathProjection projection(problem, kinematics);
  VecX q = Vec3(2.0, 1.14159265358979, 0.0);  // the last link points back
  ASSERT_GT(projection.use(q), 30.0);
  EXPECT_TRUE(projection.project(q));
  EXPECT_LE(useOf(problem, q), PathProjection::kOuter + 1e-9);
}

TEST(PathProjection, KeepsASegmentOnlyWhereItsMiddleDoesToo) {
  Problem problem = test::wallProblem();
  // The tip's place along x: the same at both ends of a swing, farther out in the middle.
  KeepInBox box;
  box.link = 3;
  box.p_L = Vec3(0.4, 0.0, 0.0);
  box.X_WB.p = Vec3(1.2 * std::cos(0.5), 0.0, 0.0);
  box.size = Vec3(0.02, 4.0, 4.0);
  problem.path_constraints = {box};
  const Kinematics kinematics(*problem.robot);
  PathProjection projection(problem, kinematics);
  const ConfigurationSpace space(problem, problem.start, Vec3(1.2, 0.8, 0.4));
  const VecX from = Vec3(-0.5, 0.0, 0.0), to = Vec3(0.5, 0.0, 0.0);
  EXPECT_LE(projection.use(from), 0.3);  // of the box along y
  EXPECT_LE(projection.use(to), 0.3);
  EXPECT_FALSE(projection.keeps(space, from, to));
  EXPECT_TRUE(projection.keeps(space, from, from + VecX(Vec3(1e-3, 0.0, 0.0))));
}

TEST(FreeMotion, AllowsWhatIsClearAndKeepsThePathConstraints) {
  Problem problem = test::wallProblem();
  const VecX start = problem.start;
  const VecX inside = Vec3(0.0, 0.0, 0.0);               // of the wall
  const VecX near = start + VecX(Vec3(-0.3, 0.0, 0.0));  // away from it
  const ClearanceEvaluator evaluator(problem);
  SegmentCertifier certifier(problem, evaluator.model());
  const ConfigurationSpace space(problem, start, certifier.reach(start));
  FreeMotion free(space, certifier, 0.0);
  EXPECT_FALSE(free.isConstrained());
  EXPECT_TRUE(free.allows(start));
  EXPECT_FALSE(free.allows(inside));
  EXPECT_TRUE(free.allows(start, near));
  EXPECT_FALSE(free.allows(start, inside));
  EXPECT_FALSE(FreeMotion(space, certifier, 10.0).allows(start));  // nothing is so far away
  // The last link may point 0.1 rad from where it points at the start.
  const double angle = start.sum();
  problem.path_constraints = {
      KeepAxis{3, Vec3::UnitX(), Vec3(std::cos(angle), std::sin(angle), 0.0), 0.1}};
  PathProjection projection(problem, evaluator.builder().kinematics());
  FreeMotion bound(space, certifier, 0.0, &projection);
  EXPECT_TRUE(bound.isConstrained());
  EXPECT_TRUE(bound.allows(start));
  EXPECT_FALSE(bound.allows(near));
  EXPECT_FALSE(bound.allows(start, near));
  VecX there = near;
  EXPECT_TRUE(bound.project(there));
  EXPECT_TRUE(bound.allows(there));
}

/// The tip stays in a slot across the arm's reach: every path along it turns all three joints.
TEST(Seeds, FollowPathConstraints) {
  Problem problem = test::wallProblem();
  problem.obstacles[0].geometry = {{Sphere(0.05), Pose()}};
  problem.obstacles[0].X_WO.p = Vec3(0.84, 0.0, 0.0);  // where the tip would pass outside of it
  KeepInBox slot;
  slot.link = 3;
  slot.p_L = Vec3(0.4, 0.0, 0.0);
  slot.X_WB.p = Vec3(0.7, 0.0, 0.0);
  slot.size = Vec3(0.1, 1.6, 1.0);
  problem.path_constraints = {slot};
  const Kinematics kinematics(*problem.robot);
  PathProjection projection(problem, kinematics);
  VecX start = Vec3(-1.2, 1.0, 0.2), goal = Vec3(-0.1, 1.2, 0.0);
  ASSERT_TRUE(projection.project(start));
  ASSERT_TRUE(projection.project(goal));
  problem.start = start;
  problem.goal = JointTarget{{0, 1, 2}, goal};
  const ClearanceEvaluator evaluator(problem);
  SegmentCertifier certifier(problem, evaluator.model());
  ASSERT_TRUE(certifier.isClear(start, 0.0)) << start.transpose();
  ASSERT_TRUE(certifier.isClear(goal, 0.0)) << goal.transpose();
  EXPECT_FALSE(makeSeed(evaluator, goal, 0)->certified_path);
  for (int attempt = 1; attempt <= 4; ++attempt) {
    SCOPED_TRACE("attempt " + std::to_string(attempt));
    SeedOptions options;
    options.work = 200000;
    const auto seed = makeSeed(evaluator, goal, attempt, {}, options);
    ASSERT_TRUE(seed.has_value());
    ASSERT_EQ(seed->path.front(), start);
    ASSERT_LT((seed->path.back() - goal).norm(), 1e-12);
    for (std::size_t i = 1; i < seed->path.size(); ++i) {
      EXPECT_TRUE(certifier.isClear(seed->path[i - 1], seed->path[i], 0.0));
      for (int s = 0; s <= 200; ++s) {
        const VecX q = seed->path[i - 1] + s / 200.0 * (seed->path[i] - seed->path[i - 1]);
        // Between two of the samples the tip moves by less than 2 cm, a fifth of the slot's half.
        ASSERT_LE(useOf(problem, q), 1.2);
      }
    }
  }
}

/// Two arms of three joints each in the plane z = 0, which face each other and hold one bar.
Problem barProblem() {
  RobotModel::Data data;
  data.name = "two_arms";
  data.links.push_back({"base", -1, {}, {}, {}});
  for (int arm = 0; arm < 2; ++arm) {
    for (int j = 0; j < 3; ++j) {
      const std::string name = (arm == 0 ? "left" : "right") + std::to_string(j);
      const int link = static_cast<int>(data.links.size());
      Joint joint;
      joint.name = name;
      joint.type = JointType::kRevolute;
      joint.parent_link = j == 0 ? 0 : link - 1;
      joint.child_link = link;
      joint.X_PJ.p = j == 0 ? Vec3(arm == 0 ? -0.5 : 0.5, 0.0, 0.0) : Vec3(0.4, 0.0, 0.0);
      joint.axis = Vec3::UnitZ();
      joint.first_coordinate = link - 1;
      data.coordinates.push_back({name, link - 1, true, false, -2.8, 2.8, 2.0, 50.0});
      data.joints.push_back(joint);
      Link body{name, link - 1, {}, {}, {}};
      body.collision.push_back({Box(Vec3(0.36, 0.05, 0.05)), {Mat3::Identity(), {0.2, 0.0, 0.0}}});
      data.links.push_back(body);
      if (j > 0) data.disabled_pairs.push_back({link - 1, link, "Adjacent"});
    }
  }
  data.disabled_pairs.push_back({3, 6, "hold one bar"});
  Problem problem;
  problem.name = "bar";
  problem.robot = std::make_shared<const RobotModel>(std::move(data));
  for (int k = 0; k < 6; ++k) problem.planned.push_back(k);
  problem.start = VecX(6);
  problem.start << 2.2, -1.0, -0.4, 0.94159265, 1.0, 0.4;
  KeepPose bar;
  bar.link = 6;
  bar.relative_to = 3;
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> poses;
  kinematics.linkPoses(problem.start, workspace, poses);
  bar.X_AP = poses[3].inverse() * poses[6];
  bar.position_tolerance = 1e-2;
  bar.angle_tolerance = 1e-1;
  problem.path_constraints = {bar};
  Obstacle post;
  post.id = "post";
  post.geometry = {{Sphere(0.1), Pose()}};
  post.X_WO.p = Vec3(0.0, 0.75, 0.0);
  problem.obstacles.push_back(post);
  return problem;
}

// The bar couples the arms: a step of one arm that is projected back moves the other as well.
TEST(Seeds, OfArmsThatUndoEachOthersStepsEnd) {
  Problem problem = barProblem();
  const Kinematics kinematics(*problem.robot);
  PathProjection projection(problem, kinematics);
  const ClearanceEvaluator evaluator(problem);
  SegmentCertifier certifier(problem, evaluator.model());
  const ConfigurationSpace space(problem, problem.start, certifier.reach(problem.start));
  FreeMotion motion(space, certifier, 0.0, &projection);
  RrtOptions options;
  options.work = 2000;
  options.blocks = {{0, 1, 2}, {3, 4, 5}};
  ASSERT_TRUE(motion.allows(problem.start));
  int goals = 0;
  for (int stream = 0; goals < 30 && stream < 3000; ++stream) {
    RandomStream random(11, stream);
    VecX goal = space.sample(random);
    if (!motion.project(goal) || !motion.allows(goal)) continue;
    ++goals;
    const RrtResult result = rrtConnect(motion, problem.start, {goal}, options, {}, random);
    EXPECT_LE(result.work, options.work + 100) << stream;
  }
  EXPECT_EQ(goals, 30);
}

}  // namespace
}  // namespace allclear
