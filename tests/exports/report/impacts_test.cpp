// What a report says of unplanned contacts, against the proven bounds and the mass matrix.
#include "allclear/exports/report/impacts.h"

#include <gtest/gtest.h>

#include "allclear/planner/problem/impact_energy.h"
#include "support/touched_robot.h"

namespace allclear {
namespace {

using test::Random;

/// From the start to another place and back, at rest at both ends.
Trajectory thereAndBack(Random& random, const Problem& problem) {
  const VecX q = problem.plannedPart(problem.start);
  MatX positions(q.size(), 3), velocities = MatX::Zero(q.size(), 3);
  positions << q, q, q;
  for (Eigen::Index k = 0; k < q.size(); ++k) positions(k, 1) += random.uniform(-0.5, 0.5);
  return HermiteCurve({0.0, 0.7, 1.5}, positions, velocities, velocities);
}

TEST(ReportRegions, StayBelowWhatIsProvenAndAboveTheMassMatrix) {
  Random random(11);
  for (int i = 0; i < 6; ++i) {
    Problem problem = test::touchedRobot(random);
    const Trajectory trajectory = thereAndBack(random, problem);
    const ReportFrames frames = motionFrames(problem, trajectory);
    const auto regions = reportRegions(problem, trajectory, frames);
    ASSERT_EQ(regions.size(), 2U);
    test::TouchOracle oracle(problem, *problem.robot);
    for (const ReportRegion& region : regions) {
      ASSERT_EQ(region.force.size(), frames.times.size());
      const ContactLimit& limit = problem.limits.contact[&region - regions.data()];
      std::size_t cell = 0;
      double most = 0.0;
      for (int f = 0; f < frames.count(); f += 7) {
        while (region.proven[3 * cell + 1] < frames.times[f]) ++cell;
        EXPECT_LE(region.force[f], region.proven[3 * cell + 2]) << region.name;
        if (region.body[f].empty() || region.direction[f].isZero()) continue;
        EXPECT_NEAR(region.direction[f].norm(), 1.0, 1e-12);
        VecX v = VecX::Zero(problem.robot->dimension());
        const VecX rates = trajectory.value(frames.times[f], 1);
        for (int k = 0; k < problem.plannedCount(); ++k) v[problem.planned[k]] = rates[k];
        oracle.place(frames.q[f], v);
        const int link = problem.robot->findLink(region.body[f]);
        const Vec3 p_L = frames.X_WL[f][link].inverse() * region.point[f];
        const double force = springForce(limit, oracle.energy(link, p_L, limit.mass));
        // Of a part with many corners the force is that of the worst of all, which the point shown
        // (a mean of those that matter) need not reach.
        EXPECT_GE(region.force[f], force * (1.0 - 1e-9)) << region.body[f];
        most = std::max(most, force / region.force[f]);
      }
      if (region.force.back() > 0.0 || most > 0.0) {
        EXPECT_GT(most, 0.5) << "and is not far from it";
      }
    }
  }
}

TEST(ReportRegions, AreNoneWithoutALimit) {
  Random random(12);
  Problem problem = test::touchedRobot(random);
  problem.limits.contact.clear();
  const Trajectory trajectory = thereAndBack(random, problem);
  EXPECT_TRUE(reportRegions(problem, trajectory, motionFrames(problem, trajectory)).empty());
}

TEST(WhatSlows, NamesTheLimitThatIsUsedUp) {
  Random random(13);
  Problem problem = test::touchedRobot(random);
  const Trajectory trajectory = thereAndBack(random, problem);
  const ReportFrames frames = motionFrames(problem, trajectory);
  const ReportJoints joints = reportJoints(problem, trajectory, nullptr, frames);
  auto regions = reportRegions(problem, trajectory, frames);
  for (ReportRegion& region : regions) region.limit = 1e9;
  regions[0].force.assign(frames.times.size(), 2e9);
  const auto list = whatSlows(problem, joints, trajectory, frames, regions);
  ASSERT_FALSE(list.empty());
  double sum = 0.0;
  for (const auto& [name, share] : list) {
    sum += share;
    EXPECT_LE(share, list.front().second) << "the greatest first";
  }
  EXPECT_NEAR(sum, 1.0, 1e-9) << "some limit is used up at every frame";
  EXPECT_EQ(list.front().first, "contact with " + regions[0].name);
}

}  // namespace
}  // namespace allclear
