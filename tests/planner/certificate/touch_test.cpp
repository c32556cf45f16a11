// Pairs that touch at an end of the motion and part (`leaves`, `lands`).
#include <gtest/gtest.h>

#include <map>

#include "allclear/exports/certificate_json.h"
#include "allclear/planner/certificate/instant.h"
#include "allclear/planner/certificate/relief.h"
#include "allclear/planner/planner.h"
#include "planner/seeds/seed_scenes.h"
#include "support/random.h"

namespace allclear {
namespace {

/// The first link starts at this signed distance from a wall, which it leaves, and ends at that
/// from another.
Problem betweenWalls(double at_start, double at_goal) {
  Problem problem = test::wallProblem();
  problem.start = Vec3(0.0, 0.3, 0.3);
  problem.goal = JointTarget{{0, 1, 2}, Vec3(0.5 * M_PI, 0.3, 0.3)};
  problem.obstacles[0].geometry = {{Box(Vec3(0.3, 0.04, 0.4)), Pose()}};
  problem.obstacles[0].X_WO.p = Vec3(0.2, -0.045 - at_start, 0.0);
  Obstacle other{"other", {}, {{Box(Vec3(0.04, 0.3, 0.4)), Pose()}}, {}};
  other.X_WO.p = Vec3(-0.045 - at_goal, 0.2, 0.0);
  problem.obstacles.push_back(other);
  problem.collision.leaves = {{"link0", "wall"}};
  problem.collision.lands = {{"other", "link0"}};
  return problem;
}

/// What each pair keeps by the words of `leaves` and `lands`, at dense instants: no deeper than at
/// the end but for four tolerances near it, and the margin beyond a quarter of the motion.
void expectKept(const Problem& problem, const Certificate& certificate) {
  const Trajectory& trajectory = certificate.trajectory.trajectory;
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  const double T = trajectory.duration();
  const auto distances = [&](double t) {
    std::map<std::pair<std::string, std::string>, double> out;
    const VecX q = problem.configuration(trajectory.value(t));
    for (const PairDistance& pair : pairDistances(problem, geometry, q, t)) {
      if (!pair.fixed) out[{pair.a, pair.b}] = pair.distance;
    }
    return out;
  };
  const auto start = distances(0.0), goal = distances(T);
  const double slack = 4.0 * problem.collision.tolerance + 1e-9;
  bool start_is_over = false;  // the margin was reached once
  for (int i = 0; i <= 3000; ++i) {
    const double t = T * i / 3000.0;
    for (const auto& [pair, distance] : distances(t)) {
      double kept = problem.collision.margin;
      if (pair.second == "wall" && t <= 0.25 * T) kept = std::min(kept, start.at(pair) - slack);
      if (pair.second == "other" && t >= 0.75 * T) kept = std::min(kept, goal.at(pair) - slack);
      ASSERT_GE(distance, kept) << pair.first << " " << pair.second << " at " << t;
    }
    start_is_over = start_is_over || t > 0.25 * T;
  }
  EXPECT_TRUE(start_is_over);
}

const CertificatePair& pairOf(const Certificate& certificate, const std::string& b) {
  for (const CertificatePair& pair : certificate.pairs) {
    if (pair.a == "link0" && pair.b == b) return pair;
  }
  throw std::logic_error("no such pair");
}

TEST(Touch, IsPlannedAndProvenAtBothEnds) {
  for (const auto& [at_start, at_goal] :
       {std::pair(0.0, 2e-3), std::pair(-0.9e-3, 0.0), std::pair(3e-4, -5e-4)}) {
    SCOPED_TRACE(at_start);
    const Problem problem = betweenWalls(at_start, at_goal);
    const Plan plan = allclear::plan(problem, {.time_limit = 120.0});
    ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
    const Certificate& certificate = *plan.certificate;
    EXPECT_NE(certificate.message.find("'link0' and 'wall' may touch until t = "),
              std::string::npos)
        << certificate.message;
    const EndRelief wall = pairOf(certificate, "wall").relief;
    EXPECT_GT(wall.until, 0.0);
    EXPECT_LE(wall.until, 0.25 * plan.trajectory->duration());
    EXPECT_NEAR(wall.start_margin, at_start - 4e-4, 1e-9);
    expectKept(problem, certificate);
    EXPECT_TRUE(verifyCertificate(problem, certificate).valid)
        << verifyCertificate(problem, certificate).message;
    const Proof proof = makeProof(problem, certificate);
    EXPECT_TRUE(proof.unproven.empty());
    EXPECT_NE(proof.text.find("outside \"near the ends (leaves, lands) 'link0' and 'wall'"),
              std::string::npos);
    EXPECT_NE(proof.text.find("not in this proof: they may touch near an end"), std::string::npos);
  }
}

TEST(Touch, IsRefusedWhereTheStartIsDeeperThanAMillimetre) {
  const Plan plan = allclear::plan(betweenWalls(-1.1e-3, 2e-3));
  EXPECT_EQ(plan.status, PlanStatus::kNotFound);
  EXPECT_NE(plan.message.find("collision.leaves lets them touch up to 1 mm deep"),
            std::string::npos)
      << plan.message;
  Problem unsaid = betweenWalls(0.0, 2e-3);
  unsaid.collision.leaves.clear();
  const std::string hint = allclear::plan(unsaid).message;
  EXPECT_NE(hint.find("collision.leaves: [[link0, wall]]"), std::string::npos) << hint;
}

/// The arm goes from its start by way of joint values near it (as control points) to the goal.
Trajectory by(const Problem& problem, const Vec3& first, int count) {
  const Vec3 from = problem.start.head<3>();
  const Vec3 to = std::get<JointTarget>(problem.goal).values.head<3>();
  MatX control(3, 20);
  for (int i = 0; i < 20; ++i) {
    const double s = std::clamp((i - 3.0 - count) / (16.0 - 3.0 - count), 0.0, 1.0);
    control.col(i) = i < 3           ? from
                     : i < 3 + count ? Vec3(from + first)
                                     : Vec3(from + s * (to - from));
  }
  return BSpline(control, 12.0);
}

TEST(Touch, IsRefusedWhereTheMotionPressesDeeperFirst) {
  const Problem problem = betweenWalls(0.0, 2e-3);
  const Certificate away = certify(problem, by(problem, Vec3(0.05, 0.0, 0.0), 2));
  EXPECT_TRUE(away.clear) << away.message;
  // 0.38 m from the axis, 10 mrad are 3.8 mm.
  const Certificate into = certify(problem, by(problem, Vec3(-0.01, 0.0, 0.0), 2));
  EXPECT_FALSE(into.clear);
  EXPECT_NE(into.message.find("'link0' and 'wall', which may touch near an end only"),
            std::string::npos)
      << into.message;
}

TEST(Touch, IsRefusedWhereItLastsTooLong) {
  const Problem problem = betweenWalls(0.0, 2e-3);
  const Certificate late = certify(problem, by(problem, Vec3(0.0, 0.0, 0.0), 6));
  EXPECT_FALSE(late.clear);
  EXPECT_NE(late.message.find("beyond a quarter of the motion"), std::string::npos) << late.message;
}

/// A motion that comes back to the wall in the middle is no better than one that stays there.
TEST(Touch, IsRefusedWhereTheyMeetAgain) {
  const Problem problem = betweenWalls(0.0, 2e-3);
  MatX control(3, 24);
  const Vec3 from = problem.start.head<3>();
  const Vec3 to = std::get<JointTarget>(problem.goal).values.head<3>();
  for (int i = 0; i < 24; ++i) {
    const double s = i < 3 ? 0.0 : i < 8 ? 0.2 : i < 14 ? 0.0 : i > 19 ? 1.0 : (i - 13) / 6.0;
    control.col(i) = from + s * (to - from);
  }
  EXPECT_FALSE(certify(problem, BSpline(control, 12.0)).clear);
}

TEST(Touch, AnswersAsDenseSamplesDo) {
  test::Random random(7);
  int clear = 0, refused = 0;
  for (int i = 0; i < 60; ++i) {
    const double at_start = random.uniform(-0.9e-3, 0.9e-3);
    const Problem problem = betweenWalls(at_start, random.uniform(-0.9e-3, 3e-3));
    const Vec3 first(random.logUniform(1e-5, 0.1) * (random.integer(0, 2) == 0 ? -0.1 : 1.0),
                     random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1));
    const Certificate certificate = certify(problem, by(problem, first, random.integer(0, 5)));
    if (!certificate.clear) {
      ++refused;
      continue;
    }
    ++clear;
    expectKept(problem, certificate);
  }
  EXPECT_GT(clear, 5);
  EXPECT_GT(refused, 5);
}

TEST(Touch, IsVerifiedAndSurvivesAFile) {
  const Problem problem = betweenWalls(-2e-4, 2e-3);
  const Certificate good = certify(problem, by(problem, Vec3(0.05, 0.0, 0.0), 1));
  ASSERT_TRUE(good.clear) << good.message;
  const Certificate read = parseCertificateJson(formatCertificateJson(good), "certificate.json");
  EXPECT_EQ(pairOf(read, "wall").relief, pairOf(good, "wall").relief);
  EXPECT_TRUE(verifyCertificate(problem, read).valid) << verifyCertificate(problem, read).message;
  const auto refused = [&](const auto& forge) {
    Certificate forged = good;
    for (CertificatePair& pair : forged.pairs) {
      if (pair.a == "link0" && pair.b == "wall") forge(&pair.relief);
    }
    return !verifyCertificate(problem, forged).valid;
  };
  EXPECT_FALSE(refused([](EndRelief*) {}));
  EXPECT_TRUE(refused([](EndRelief* relief) { relief->start_margin -= 1e-4; }));
  EXPECT_TRUE(refused([](EndRelief* relief) { relief->until = 4.0; }));
  EXPECT_TRUE(refused([](EndRelief* relief) { *relief = {}; }));
  EXPECT_TRUE(refused(
      [](EndRelief* relief) { relief->start_margin = std::numeric_limits<double>::quiet_NaN(); }));
  // Of a task that does not let them touch it is no certificate.
  Problem strict = problem;
  strict.collision.leaves.clear();
  EXPECT_FALSE(verifyCertificate(strict, good).valid);
}

/// A box in the hand stands on a table, and the goal is on its other side: with the pair merely
/// allowed the straight motion through the table is as good as any. With `leaves` it is refused,
/// and planned around.
TEST(Touch, IsNoLeaveToDriveThroughTheTable) {
  Problem problem = test::wallProblem();
  problem.obstacles[0].X_WO.p = Vec3(0.9, 0.0, 0.0);
  problem.start = Vec3(-0.5, 0.3, 0.3);
  problem.goal = JointTarget{{0, 1, 2}, Vec3(0.5, -0.3, -0.3)};
  // The third link's frame at the start, and a box at its end that touches the wall's lower face.
  const double c = std::cos(0.1), s = std::sin(0.1);
  AttachedObject box{"box", problem.robot->findLink("link2"), {}, {}, {}};
  const Vec3 link2 = Vec3(0.4 * std::cos(-0.5) + 0.4 * std::cos(-0.2),
                          0.4 * std::sin(-0.5) + 0.4 * std::sin(-0.2), 0.0);
  Pose X_WL;
  X_WL.R << c, -s, 0, s, c, 0, 0, 0, 1;
  X_WL.p = link2;
  Pose X_WB;
  X_WB.p = Vec3(link2.x() + 0.2, -0.02 - 0.05, 0.0);
  box.geometry = {{Box(Vec3(0.1, 0.1, 0.1)), X_WL.inverse() * X_WB}};
  problem.attached = {box};
  problem.collision.allowed = {{"box", "wall"}, {"link2", "wall"}, {"link1", "wall"}};
  MatX control(3, 12);
  for (int i = 0; i < 12; ++i) {
    const double u = std::clamp((i - 2.0) / 7.0, 0.0, 1.0);
    control.col(i) = (1.0 - u) * problem.start + u * std::get<JointTarget>(problem.goal).values;
  }
  const Trajectory through = BSpline(control, 6.0);
  EXPECT_TRUE(certify(problem, through).clear) << certify(problem, through).message;
  problem.collision.allowed = {{"link2", "wall"}, {"link1", "wall"}};
  problem.collision.leaves = {{"box", "wall"}};
  const Certificate refused = certify(problem, through);
  EXPECT_FALSE(refused.clear);
  EXPECT_NE(refused.message.find("'box' and 'wall'"), std::string::npos) << refused.message;
  problem.collision.allowed.clear();
  const Plan plan = allclear::plan(problem, {.time_limit = 120.0});
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  for (int i = 0; i <= 2000; ++i) {
    const double t = plan.trajectory->duration() * i / 2000.0;
    const VecX q = problem.configuration(plan.trajectory->value(t));
    for (const PairDistance& pair : pairDistances(problem, geometry, q, t)) {
      if (pair.fixed) continue;
      const bool may_touch = pair.a == "box" && t <= 0.25 * plan.trajectory->duration();
      ASSERT_GE(pair.distance, may_touch ? -4.1e-4 : 1e-3) << pair.a << " " << pair.b << " " << t;
    }
  }
}

TEST(Touch, IsRefusedWhereItCannotBeMeant) {
  Problem problem = betweenWalls(0.0, 2e-3);
  problem.uncertainty.joints = VecX::Constant(3, 1e-6);
  ASSERT_FALSE(validate(problem).empty());
  EXPECT_NE(validate(problem)[0].message.find("uncertainty"), std::string::npos);
  problem.uncertainty = {};
  problem.collision.leaves = {{"link0", "nobody"}};
  ASSERT_FALSE(validate(problem).empty());
  EXPECT_NE(validate(problem)[0].message.find("'nobody'"), std::string::npos);
  problem.collision.leaves = {{"wall", "other"}};
  ASSERT_FALSE(validate(problem).empty());
  EXPECT_NE(validate(problem)[0].message.find("both obstacles"), std::string::npos);
  problem.collision.leaves = {{"link0", "wall"}};
  problem.obstacles[0].motion = {{0.0, problem.obstacles[0].X_WO}, {1.0, Pose()}};
  ASSERT_FALSE(validate(problem).empty());
  EXPECT_NE(validate(problem)[0].message.find("moves"), std::string::npos);
}

}  // namespace
}  // namespace allclear
