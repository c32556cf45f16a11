// Bounds of stray against strayed configurations themselves: at random, and term by term in motions
// where one term is nearly all of the bound, so that a bound without it fails.
#include "allclear/planner/certificate/stray.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "allclear/robot_models/kinematics/chain_recursion.h"
#include "support/long_run.h"
#include "support/random_robot.h"
#include "support/robot_builder.h"

namespace allclear::test {
namespace {

constexpr double kPoint = 1e-9;  // [m], size of a solid that stands for a point

Problem problemOf(std::shared_ptr<const RobotModel> robot) {
  Problem problem;
  problem.robot = std::move(robot);
  problem.start = VecX::Zero(problem.robot->dimension());
  for (int c = 0; c < problem.robot->dimension(); ++c) problem.planned.push_back(c);
  problem.uncertainty.joints = VecX::Zero(problem.robot->dimension());
  return problem;
}

Trajectory line(const VecX& from, const VecX& to) {
  MatX positions(from.size(), 2), velocities(from.size(), 2);
  positions << from, to;
  velocities << (to - from), (to - from);
  return HermiteCurve({0.0, 1.0}, positions, velocities, MatX::Zero(from.size(), 2));
}

Geometry pointAt(const Vec3& p) { return {Box(Vec3::Constant(kPoint)), {Mat3::Identity(), p}}; }

Vec3 placed(const Problem& problem, const VecX& q, int link, const Vec3& p) {
  const MotionTree tree(*problem.robot);
  return linkPosesOf(tree, std::vector<double>(q.begin(), q.end()))[link] * p;
}

/// Requires that the bound at t is at least `reduction`, and hardly more.
void expectAttained(const Problem& problem, const Trajectory& trajectory, int link, const Vec3& p,
                    double t, double reduction) {
  StrayBound bound(problem, trajectory);
  const int a = bound.addSolid(link, -1, pointAt(p));
  const int b = bound.addSolid(-1, 0, pointAt(Vec3::Zero()));
  const double stray = bound.between(a, b, {t, t}).total();
  EXPECT_GE(stray, reduction);
  EXPECT_LE(stray, reduction * 1.01 + 1e-8);
}

constexpr double kStray = 1e-3;

TEST(StrayBound, TurnIsAttained) {
  RobotBuilder builder;
  const int link = builder.add(JointType::kRevolute, 0, Vec3::Zero(), Vec3::UnitZ());
  Problem problem = problemOf(builder.build());
  problem.uncertainty.joints << kStray;
  const Vec3 p(0.8, 0.0, 0.3);
  const double moved = (placed(problem, problem.uncertainty.joints, link, p) - p).norm();
  expectAttained(problem, line(VecX::Zero(1), VecX::Zero(1)), link, p, 0.5, moved);
}

TEST(StrayBound, SlideIsAttained) {
  RobotBuilder builder;
  const int link = builder.add(JointType::kPrismatic, 0, Vec3::Zero(), Vec3::UnitX());
  Problem problem = problemOf(builder.build());
  problem.uncertainty.joints << kStray;
  expectAttained(problem, line(VecX::Zero(1), VecX::Zero(1)), link, Vec3(0.8, 0.0, 0.3), 0.5,
                 kStray);
}

TEST(StrayBound, MimicAndItsLeaderAreAttainedTogether) {
  RobotBuilder builder;
  const int first = builder.add(JointType::kRevolute, 0, Vec3::Zero(), Vec3::UnitZ());
  const int link = builder.addMimic(first, Vec3::Zero(), Vec3::UnitZ(), {0, 2.5, 0.3});
  Problem problem = problemOf(builder.build());
  problem.uncertainty.joints << kStray;
  const Vec3 p(0.8, 0.0, 0.3);
  const double moved = (placed(problem, problem.uncertainty.joints, link, p) -
                        placed(problem, VecX::Zero(1), link, p))
                           .norm();
  EXPECT_GT(moved, 3.4 * 0.8 * kStray);
  expectAttained(problem, line(VecX::Zero(1), VecX::Zero(1)), link, p, 0.5, moved);
}

TEST(StrayBound, ObstacleAndBaseAreAttained) {
  RobotBuilder builder;
  const int link = builder.add(JointType::kRevolute, 0, Vec3(0.5, 0.0, 0.0), Vec3::UnitZ());
  Problem problem = problemOf(builder.build());
  const Trajectory rest = line(VecX::Zero(1), VecX::Zero(1));
  problem.uncertainty.obstacles = VecX::Constant(1, 0.004);
  expectAttained(problem, rest, link, Vec3::Zero(), 0.5, 0.004);
  problem.uncertainty.base_position = 0.002;
  expectAttained(problem, rest, link, Vec3::Zero(), 0.5, 0.006);
  // A turn of the base moves the point (1.2, 0, 0) of the world by a chord of that radius.
  problem.uncertainty.base_angle = kStray;
  expectAttained(problem, rest, link, Vec3(0.7, 0.0, 0.0), 0.5,
                 0.006 + 1.2 * 2.0 * std::sin(0.5 * kStray));
}

/// The elbow unfolds while the shoulder strays: at the last instant the reach is greater than at
/// the middle of every part.
TEST(StrayBound, ReachGrowsWithinAPart) {
  RobotBuilder builder;
  const int upper = builder.add(JointType::kRevolute, 0, Vec3::Zero(), Vec3::UnitZ());
  const int link = builder.add(JointType::kRevolute, upper, Vec3(1.0, 0.0, 0.0), Vec3::UnitZ());
  Problem problem = problemOf(builder.build());
  problem.uncertainty.joints << kStray, 0.0;
  const Vec3 p(1.0, 0.0, 0.0);
  const Trajectory unfolds =
      line((VecX(2) << 0.0, 2.6).finished(), (VecX(2) << 0.0, 1.5).finished());
  for (double t : {0.0, 0.3, 1.0}) {
    const double reach = placed(problem, unfolds.value(t), link, p).norm();
    expectAttained(problem, unfolds, link, p, t, reach * 2.0 * std::sin(0.5 * kStray));
    // The shoulder stands at the origin of the base: a turn of the base does the same.
    Problem of_base = problem;
    of_base.uncertainty.joints.setZero();
    of_base.uncertainty.base_angle = kStray;
    expectAttained(of_base, unfolds, link, p, t, reach * 2.0 * std::sin(0.5 * kStray));
  }
}

/// Two joints with a common axis stray: no term of one stands for the other.
TEST(StrayBound, JointsAddUp) {
  RobotBuilder builder;
  int link = 0;
  for (int i = 0; i < 3; ++i) {
    link = builder.add(JointType::kRevolute, link, Vec3::Zero(), Vec3::UnitZ());
  }
  Problem problem = problemOf(builder.build());
  problem.uncertainty.joints << kStray, 2.0 * kStray, 3.0 * kStray;
  const Vec3 p(0.8, 0.0, 0.0);
  expectAttained(problem, line(VecX::Zero(3), VecX::Zero(3)), link, p, 0.5,
                 0.8 * 2.0 * std::sin(3.0 * kStray));
}

/// What moves both alike, the base and the joints up to the last common one, does not count.
TEST(StrayBound, SharedMotionDropsOut) {
  RobotBuilder builder;
  const int trunk = builder.add(JointType::kRevolute, 0, Vec3(3.0, 0.0, 0.0), Vec3::UnitZ());
  const int left = builder.add(JointType::kPrismatic, trunk, Vec3::Zero(), Vec3::UnitX());
  const int right = builder.add(JointType::kPrismatic, trunk, Vec3::Zero(), Vec3::UnitY());
  Problem problem = problemOf(builder.build());
  problem.uncertainty.joints << 0.1, 0.002, 0.003;
  problem.uncertainty.base_position = 0.5;
  const Trajectory moves = line(VecX::Zero(3), VecX::Ones(3));
  StrayBound bound(problem, moves);
  const int a = bound.addSolid(left, -1, pointAt(Vec3::Ones()));
  const int b = bound.addSolid(right, -1, pointAt(Vec3::Zero()));
  const int c = bound.addSolid(trunk, -1, pointAt(Vec3::Zero()));
  const Stray ab = bound.between(a, b, {0.0, 1.0});
  EXPECT_NEAR(ab.total(), 0.005, 1e-9);
  EXPECT_NEAR(ab.per_unit, 2.0, 1e-9);
  EXPECT_NEAR(bound.between(a, c, {0.0, 1.0}).total(), 0.002, 1e-9);
}

// At random.

/// A solid's points: its corners, and where it is.
struct PlacedBox {
  int link = 0;
  Geometry geometry;
  std::vector<Vec3> points_B;
};

PlacedBox randomBox(Random& random, int link) {
  Vec3 size;
  for (double& edge : size) edge = random.logUniform(1e-3, 1.0);
  const double offset = random.logUniform(1e-3, 1.0);
  PlacedBox box{link, {Box(size), random.pose(offset)}, {}};
  for (int i = 0; i < 8; ++i) {
    const Vec3 corner((i & 1) != 0 ? 1.0 : -1.0, (i & 2) != 0 ? 1.0 : -1.0,
                      (i & 4) != 0 ? 1.0 : -1.0);
    box.points_B.push_back(box.geometry.X_BG * (0.5 * size.cwiseProduct(corner)));
  }
  return box;
}

Trajectory randomTrajectory(Random& random, const RobotModel& robot) {
  const int spans = random.integer(1, 6);
  MatX control(robot.dimension(), spans + 5);
  const VecX q = randomConfiguration(random, robot);
  const double scale = random.logUniform(1e-2, 3.0);
  for (int i = 0; i < control.cols(); ++i) {
    control.col(i) = q + random.vectorX(robot.dimension(), scale);
  }
  return BSpline(control, random.logUniform(0.1, 10.0));
}

/// Distance of two points at a strayed configuration; the base is displaced and turned as given.
struct Strayed {
  const MotionTree& tree;
  VecX q;
  Pose X_WBase;  ///< of the robot in the scene
  Vec3 obstacle;

  double distance(const PlacedBox& a, const Vec3& u, const PlacedBox& b, const Vec3& v) const {
    const auto X_WL = linkPosesOf(tree, std::vector<double>(q.begin(), q.end()));
    const Vec3 p_u = X_WBase * (X_WL[a.link] * u);
    const Vec3 p_v = b.link < 0 ? Vec3(v + obstacle) : Vec3(X_WBase * (X_WL[b.link] * v));
    return (p_u - p_v).norm();
  }
};

/// Coordinate by coordinate to the end of its range that brings the points nearer.
void bringNearer(const PlacedBox& a, const Vec3& u, const PlacedBox& b, const Vec3& v,
                 const VecX& planned, const VecX& most, Strayed* strayed) {
  for (int k = 0; k < most.size(); ++k) {
    strayed->q[k] = planned[k] - most[k];
    const double low = strayed->distance(a, u, b, v);
    strayed->q[k] = planned[k] + most[k];
    if (strayed->distance(a, u, b, v) > low) strayed->q[k] = planned[k] - most[k];
  }
}

TEST(StrayBound, DominatesStrayedConfigurations) {
  const int robots = isLong() ? 3000 : 150;
  double closest = 0.0;
  for (int seed = 0; seed < robots; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    RandomRobotOptions options;
    options.joints = random.integer(1, 9);
    options.floating_base = random.chance(0.1);
    const auto robot = std::make_shared<RobotModel>(randomRobot(random, options));
    if (robot->dimension() == 0) continue;
    Problem problem = problemOf(robot);
    for (double& stray : problem.uncertainty.joints) {
      stray = random.chance(0.3) ? 0.0 : random.logUniform(1e-5, 0.5);
    }
    problem.uncertainty.obstacles = VecX::Constant(1, random.logUniform(1e-5, 0.1));
    problem.uncertainty.base_position = random.logUniform(1e-5, 0.1);
    problem.uncertainty.base_angle = random.logUniform(1e-5, 0.3);
    const Trajectory trajectory = randomTrajectory(random, *robot);
    StrayBound bound(problem, trajectory);
    const MotionTree tree(*robot);
    for (int i = 0; i < 20; ++i) {
      const int links = static_cast<int>(robot->links().size());
      const PlacedBox a = randomBox(random, random.index(links));
      PlacedBox b = randomBox(random, random.chance(0.5) ? -1 : random.index(links));
      const int solid_a = bound.addSolid(a.link, -1, a.geometry);
      const int solid_b = bound.addSolid(b.link, b.link < 0 ? 0 : -1, b.geometry);
      const double from = random.uniform(0.0, trajectory.duration());
      const Interval time{from,
                          std::min(trajectory.duration(),
                                   from + trajectory.duration() * random.logUniform(1e-4, 1.0))};
      const double stray = bound.between(solid_a, solid_b, time).total();
      for (int j = 0; j < 8; ++j) {
        const VecX q = trajectory.value(random.uniform(time.lower, time.upper));
        const Vec3 u = a.points_B[random.index(8)], v = b.points_B[random.index(8)];
        Strayed strayed{tree, q, Pose(), Vec3::Zero()};
        const double planned = strayed.distance(a, u, b, v);
        strayed.X_WBase = {rotationAbout(random.direction(), problem.uncertainty.base_angle),
                           problem.uncertainty.base_position * random.direction()};
        strayed.obstacle = problem.uncertainty.obstacles[0] * random.direction();
        for (int pass = 0; pass < 2; ++pass) {
          bringNearer(a, u, b, v, q, problem.uncertainty.joints, &strayed);
        }
        const double nearer = planned - strayed.distance(a, u, b, v);
        ASSERT_LE(nearer, stray + 1e-12);
        closest = std::max(closest, nearer / stray);
      }
    }
  }
  EXPECT_GT(closest, 0.9);  // the bound is nearly met by some
}

}  // namespace
}  // namespace allclear::test
