#include "allclear/planner/problem/line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "allclear/planner/problem/held_error.h"
#include "allclear/planner/problem/pose_error.h"
#include "planner/seeds/seed_scenes.h"
#include "support/random.h"

namespace allclear {
namespace {

constexpr double kPi = std::numbers::pi;

/// Lines of any kind: long, of no length, without a turn, half a turn.
KeepOnLine randomLine(test::Random& random) {
  KeepOnLine line;
  line.X_WA = random.pose(1.0);
  for (int i = random.integer(1, 3); i > 0; --i) {
    KeepOnLine::Stretch stretch;
    if (random.chance(0.8)) {
      stretch.way_W = random.logUniform(1e-9, 2.0) * random.directionOfNormals();
    }
    if (random.chance(0.7)) {
      const double angle =
          random.chance(0.3) ? kPi - random.logUniform(1e-12, 1e-3) : random.logUniform(1e-9, kPi);
      stretch.turn_W = angle * random.directionOfNormals();
    }
    line.stretches.push_back(stretch);
  }
  line.position_tolerance = random.logUniform(1e-4, 0.1);
  line.angle_tolerance = random.logUniform(1e-3, 1.0);
  return line;
}

TEST(LinePath, GoesStraightAndTurnsInProportion) {
  test::Random random(11);
  for (int trial = 0; trial < 200; ++trial) {
    const KeepOnLine line = randomLine(random);
    const LinePath path(line);
    for (int i = 0; i < path.count(); ++i) {
      const double u = random.uniform(0.0, 1.0);
      const Pose X = path.at(i, u);
      const Vec3 way = line.stretches[i].way_W, turn = line.stretches[i].turn_W;
      EXPECT_LT((X.p - path.corner(i).p - u * way).norm(), 1e-12);
      EXPECT_LT((rotationVector(X.R * path.corner(i).R.transpose()) - u * turn).norm(), 1e-7);
      EXPECT_LT((path.at(i, 1.0).R - path.corner(i + 1).R).norm(), 1e-12);
    }
    const Pose end = endOf(line);
    EXPECT_EQ(end.p, path.corner(path.count()).p);
  }
}

// The oracle: many places along the stretch.
TEST(LinePath, ChoosesAProgressThatHardlyAnyOtherBeats) {
  test::Random random(12);
  for (int trial = 0; trial < 300; ++trial) {
    const KeepOnLine line = randomLine(random);
    const LinePath path(line);
    const int stretch = random.integer(0, path.count() - 1);
    Pose X = path.at(stretch, random.uniform(0.0, 1.0));
    X.p += random.vector(line.position_tolerance);
    const double off = random.uniform(0.0, std::min(0.5, line.angle_tolerance));
    X.R = rotationAbout(random.directionOfNormals(), off) * X.R;
    const double u = path.progress(stretch, X);
    ASSERT_GE(u, 0.0);
    ASSERT_LE(u, 1.0);
    double least = HUGE_VAL;
    for (int i = 0; i <= 2000; ++i) {
      least = std::min(least, path.shares(X, path.at(stretch, i / 2000.0)).most());
    }
    EXPECT_LE(path.shares(X, path.at(stretch, u)).most(), least * (1.0 + 1e-3) + 1e-5)
        << "trial " << trial;
  }
}

/// exp(phi n) by Rodrigues, in long double.
Mat3T<long double> turnedBy(const Vec3& n, long double phi) {
  Mat3T<long double> W;
  W << 0, -n.z(), n.y(), n.z(), 0, -n.x(), -n.y(), n.x(), 0;
  return Mat3T<long double>::Identity() + std::sin(phi) * W + (1 - std::cos(phi)) * (W * W);
}

TEST(LinePath, TheChordErrorIsNeverTooSmallAndNearlyReached) {
  test::Random random(15);
  for (int trial = 0; trial < 300; ++trial) {
    const double phi = random.logUniform(1e-4, kPi);
    const Vec3 n = random.directionOfNormals();
    const Mat3T<long double> last = turnedBy(n, phi);
    long double most = 0;
    for (int i = 0; i <= 100; ++i) {
      const long double s = i / 100.0L;
      const Mat3T<long double> chord = (1 - s) * Mat3T<long double>::Identity() + s * last;
      most = std::max<long double>(most, (turnedBy(n, s * phi) - chord).norm());
    }
    EXPECT_LE(static_cast<double>(most), chordError(phi) * (1.0 + 1e-9));
    // It is that of the second derivative alone: the arc is flatter than its osculating parabola.
    EXPECT_GE(static_cast<double>(most), chordError(phi) * (1.0 - 0.09 * phi * phi));
  }
}

TEST(LinePath, OfTheGoalIsFound) {
  test::Random random(13);
  Problem problem = test::wallProblem();
  EXPECT_EQ(lineToGoal(problem), nullptr);
  KeepOnLine line = randomLine(random);
  line.link = 3;
  goAlong(problem, line);
  ASSERT_NE(lineToGoal(problem), nullptr);
  std::get<PoseTarget>(problem.goal).X_WP.p.x() += 1e-3;
  EXPECT_EQ(lineToGoal(problem), nullptr);
}

TEST(HeldErrors, GradientsAgreeWithDifferences) {
  test::Random random(14);
  int probed = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Problem problem = test::randomProblem(random);
    if (problem.plannedCount() == 0) continue;
    const int links = static_cast<int>(problem.robot->links().size());
    const int link = links - 1;
    const Kinematics kinematics(*problem.robot);
    auto workspace = kinematics.makeWorkspace();
    std::vector<Pose> X_WL;
    kinematics.linkPoses(problem.start, workspace, X_WL);
    if (random.chance(0.5)) {
      KeepPose keep{link, random.pose(0.3), random.integer(-1, links - 2), random.pose(0.5)};
      problem.path_constraints.emplace_back(keep);
    } else {
      KeepOnLine line = randomLine(random);
      // The progress along a stretch shorter than a step of the differences is beyond these.
      for (KeepOnLine::Stretch& stretch : line.stretches) {
        if (stretch.way_W.norm() < 1e-3) stretch.way_W.setZero();
        if (stretch.turn_W.norm() < 1e-3) stretch.turn_W.setZero();
      }
      line.link = link;
      line.X_LP = random.pose(0.3);
      // Near the pose at hand, so that the progress is inside.
      const Pose X_WP = X_WL[link] * line.X_LP;
      const LinePath path(line);
      const Pose middle = path.at(0, 0.4);
      line.X_WA.p += X_WP.p - middle.p;
      problem.path_constraints.emplace_back(line);
    }
    const HeldErrors held(problem);
    const VecX q = problem.plannedPart(problem.start);
    const auto at = [&](const VecX& planned) {
      kinematics.linkPoses(problem.configuration(planned), workspace, X_WL);
      return held.of(0, kinematics, workspace, X_WL, true);
    };
    const HeldError here = at(q);
    // A rotation vector of half a turn has no gradient.
    if (here.turn.norm() > 2.9) continue;
    constexpr double h = 1e-6;
    bool smooth = true;
    MatX by_q(6, q.size());
    for (int k = 0; k < q.size() && smooth; ++k) {
      VecX up = q, down = q;
      up[k] += h;
      down[k] -= h;
      const HeldError a = at(up), b = at(down);
      by_q.col(k) << (a.position - b.position) / (2.0 * h), (a.turn - b.turn) / (2.0 * h);
      // Where the nearest stretch or end changes, or the turn jumps, there is a kink.
      const Vec3 bend = a.position + b.position - 2.0 * here.position;
      const Vec3 turn_bend = a.turn + b.turn - 2.0 * here.turn;
      smooth = bend.norm() < 1e-8 && turn_bend.norm() < 1e-8;
    }
    if (!smooth) continue;
    ++probed;
    EXPECT_LT((by_q - here.by_q).cwiseAbs().maxCoeff(),
              1e-6 * (1.0 + here.by_q.cwiseAbs().maxCoeff()))
        << "trial " << trial;
  }
  EXPECT_GT(probed, 150);
}

}  // namespace
}  // namespace allclear
