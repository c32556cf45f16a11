#include "allclear/planner/seeds/line_follower.h"

#include <gtest/gtest.h>

#include "support/example_arm.h"
#include "support/random.h"

namespace allclear {
namespace {

struct Arm {
  Problem problem;
  Kinematics kinematics{*test::exampleArm()};
  KeepOnLine line;

  Arm() {
    problem.robot = test::exampleArm();
    for (int k = 0; k < 7; ++k) problem.planned.push_back(k);
    problem.start = VecX::Zero(7);
    problem.start << 0.0, 0.5, 0.0, 1.6, 0.0, 1.0, 0.0;
    problem.goal = JointTarget{problem.planned, problem.start};
    line.link = problem.robot->findLink("tool");
    line.X_LP.p = Vec3(0.02, 0.0, 0.14);
    line.X_WA = poseAt(problem.start) * line.X_LP;
    line.stretches = {{Vec3(0.05, 0.2, 0.0), Vec3(0.0, 0.0, 0.6)}, {Vec3::Zero(), Vec3(0.4, 0, 0)}};
  }
  Pose poseAt(const VecX& q) const {
    auto workspace = kinematics.makeWorkspace();
    std::vector<Pose> poses;
    kinematics.linkPoses(problem.configuration(q), workspace, poses);
    return poses[line.link];
  }
};

TEST(LineFollower, IsOnTheLineAtEveryStationWithinTheLimits) {
  Arm arm;
  LineFollower follower(arm.problem, arm.kinematics, arm.line);
  test::Random random(3);
  const LinePath path(arm.line);
  const PlannedLimits limits = plannedLimits(arm.problem);
  for (const VecX& posture : {VecX(), follower.middle(), VecX(random.vectorX(7, 1.0))}) {
    const LineFollower::Trace trace = follower.trace(posture);
    ASSERT_EQ(trace.q.size(), follower.stationCount()) << trace.why;
    EXPECT_LT((trace.q.front() - arm.problem.start).norm(), 1e-6);
    for (std::size_t i = 0; i < trace.q.size(); ++i) {
      const int stretch = i <= follower.corners()[0] ? 0 : 1;
      const Pose X = arm.poseAt(trace.q[i]) * arm.line.X_LP;
      EXPECT_LT(path.shares(X, path.at(stretch, path.progress(stretch, X))).most(), 0.021);
      EXPECT_TRUE((trace.q[i].array() >= limits.lower.array()).all());
      EXPECT_TRUE((trace.q[i].array() <= limits.upper.array()).all());
    }
  }
  EXPECT_EQ(follower.placeOf(follower.stationCount() - 1), "100 % of the way (20.6 cm of 20.6 cm)");
}

TEST(LineFollower, OfSevenJointsHasOneSelfMotion) {
  Arm arm;
  LineFollower follower(arm.problem, arm.kinematics, arm.line);
  const std::vector<VecX> free = follower.selfMotions();
  ASSERT_EQ(free.size(), 1u);
  EXPECT_DOUBLE_EQ(free[0].cwiseAbs().maxCoeff(), 1.0);
  // Along it the tool stays, to first order.
  const Pose before = arm.poseAt(arm.problem.start);
  const Pose after = arm.poseAt(arm.problem.start + 1e-6 * free[0]);
  EXPECT_LT((before * arm.line.X_LP.p - after * arm.line.X_LP.p).norm(), 1e-10);
}

TEST(LineFollower, KeepsHeldPosesBesides) {
  Arm arm;
  KeepPose keep;
  keep.link = arm.problem.robot->findLink("link4");
  const auto pose = [&](const VecX& q) {
    auto workspace = arm.kinematics.makeWorkspace();
    std::vector<Pose> poses;
    arm.kinematics.linkPoses(q, workspace, poses);
    return poses[keep.link];
  };
  keep.X_AP = pose(arm.problem.start);
  keep.angle_tolerance = HUGE_VAL;
  arm.problem.path_constraints = {keep};
  // The elbow stays: what is left is too little for six, but enough for a turn about the tip.
  arm.line.stretches = {{Vec3(0.0, 0.03, 0.0), Vec3::Zero()}};
  arm.line.angle_tolerance = HUGE_VAL;
  LineFollower follower(arm.problem, arm.kinematics, arm.line);
  const LineFollower::Trace trace = follower.trace({});
  ASSERT_EQ(trace.q.size(), follower.stationCount()) << trace.why;
  for (const VecX& q : trace.q) EXPECT_LT((pose(q).p - keep.X_AP.p).norm(), 1e-4);
}

TEST(LineFollower, SaysWhyItEnds) {
  Arm arm;
  arm.line.stretches = {{Vec3(2.0, 0.0, 0.0), Vec3::Zero()}};
  LineFollower follower(arm.problem, arm.kinematics, arm.line);
  const LineFollower::Trace trace = follower.trace({});
  EXPECT_LT(trace.q.size(), follower.stationCount());
  EXPECT_FALSE(trace.why.empty());
}

}  // namespace
}  // namespace allclear
