#include "allclear/planner/certificate/relief.h"

#include <gtest/gtest.h>

#include "allclear/exports/certificate_json.h"
#include "allclear/planner/certificate/instant.h"
#include "allclear/planner/planner.h"
#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

/// The first link starts so near to a wall, which it leaves, and ends so near to another.
Problem betweenWalls(double gap_at_start, double gap_at_goal) {
  Problem problem = test::wallProblem();
  problem.start = Vec3(0.0, 0.3, 0.3);
  problem.goal = JointTarget{{0, 1, 2}, Vec3(0.5 * M_PI, 0.3, 0.3)};
  problem.obstacles[0].geometry = {{Box(Vec3(0.3, 0.04, 0.4)), Pose()}};
  problem.obstacles[0].X_WO.p = Vec3(0.2, -0.045 - gap_at_start, 0.0);
  Obstacle other{"other", {}, {{Box(Vec3(0.04, 0.3, 0.4)), Pose()}}, {}};
  other.X_WO.p = Vec3(-0.045 - gap_at_goal, 0.2, 0.0);
  problem.obstacles.push_back(other);
  problem.collision.end_margin = EndMargin::kRelax;
  return problem;
}

/// Every two bodies keep at dense instants what the certificate says that they keep then.
void expectKept(const Problem& problem, const Certificate& certificate) {
  const Trajectory& trajectory = certificate.trajectory.trajectory;
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  std::map<std::pair<std::string, std::string>, EndRelief> reliefs;
  for (const CertificatePair& pair : certificate.pairs) reliefs[{pair.a, pair.b}] = pair.relief;
  for (int i = 0; i <= 3000; ++i) {
    const double t = trajectory.duration() * i / 3000.0;
    const VecX q = problem.configuration(trajectory.value(t));
    for (const PairDistance& pair : pairDistances(problem, geometry, q, t)) {
      if (pair.fixed) continue;
      const EndRelief relief = reliefs.at({pair.a, pair.b});
      double kept = pair.margin;
      if (t <= relief.until) kept = relief.start_margin;
      if (t >= relief.from) kept = relief.goal_margin;
      ASSERT_GE(pair.distance, kept) << pair.a << " " << pair.b << " at " << t;
    }
  }
}

const CertificatePair& pairOf(const Certificate& certificate, const std::string& b) {
  for (const CertificatePair& pair : certificate.pairs) {
    if (pair.a == "link0" && pair.b == b) return pair;
  }
  throw std::logic_error("no such pair");
}

TEST(Relief, GivesItsMarginWithinItsStretchesAlone) {
  const double kNever = std::numeric_limits<double>::infinity();
  const EndRelief none, start{0.001, 2.0, 0.0, kNever}, goal{0.0, 0.0, 0.002, 8.0};
  // A stretch of no length at the start has no instant, not even t = 0.
  EXPECT_EQ(none.marginDuring({0.0, 0.0}, 0.01), 0.01);
  EXPECT_EQ(goal.marginDuring({0.0, 0.0}, 0.01), 0.01);
  EXPECT_EQ(goal.marginDuring({7.9, 8.1}, 0.01), 0.01);
  EXPECT_EQ(goal.marginDuring({8.0, 9.0}, 0.01), 0.002);
  EXPECT_EQ(start.marginDuring({0.0, 0.0}, 0.01), 0.001);
  EXPECT_EQ(start.marginDuring({1.0, 2.0}, 0.01), 0.001);
  EXPECT_EQ(start.marginDuring({1.0, 2.1}, 0.01), 0.01);
}

TEST(Relief, IsOfThePairNearItsEndAndNowhereElse) {
  for (const auto& [at_start, at_goal] :
       {std::pair(0.9e-3, 2e-3), std::pair(2e-3, 0.5e-3), std::pair(0.3e-3, 0.6e-3)}) {
    SCOPED_TRACE(at_start);
    const Problem problem = betweenWalls(at_start, at_goal);
    const Plan plan = allclear::plan(problem, {.time_limit = 120.0});
    ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
    const Certificate& certificate = *plan.certificate;
    const EndRelief wall = pairOf(certificate, "wall").relief;
    const EndRelief other = pairOf(certificate, "other").relief;
    EXPECT_EQ(wall.until > 0.0, at_start < 1e-3);
    EXPECT_EQ(wall.from, HUGE_VAL);
    EXPECT_EQ(other.until, 0.0);
    EXPECT_EQ(other.from < HUGE_VAL, at_goal < 1e-3);
    if (wall.isNeeded()) {
      EXPECT_NEAR(wall.start_margin, marginAtEnd(1e-3, at_start, 1e-4), 1e-9);
      EXPECT_LE(wall.until, kLongestRelief * certificate.covered_until);
    }
    for (const CertificatePair& pair : certificate.pairs) {
      if (pair.b != "wall" && pair.b != "other") {
        EXPECT_FALSE(pair.relief.isNeeded());
      }
    }
    EXPECT_NE(certificate.message.find("Near the ends (end_margin: relax) 'link0' and '"),
              std::string::npos)
        << certificate.message;
    EXPECT_NE(certificate.message.find(", near the ends less where named below"), std::string::npos)
        << certificate.message;
    expectKept(problem, certificate);
    EXPECT_TRUE(verifyCertificate(problem, certificate).valid);
    const std::string proof = makeProof(problem, certificate).text;
    EXPECT_NE(proof.find("outside \"near the ends (end_margin: relax)"), std::string::npos);
  }
}

TEST(Relief, IsNotGivenUnlessAskedFor) {
  Problem problem = betweenWalls(0.5e-3, 2e-3);
  problem.collision.end_margin = EndMargin::kStrict;
  const Plan plan = allclear::plan(problem);
  EXPECT_EQ(plan.status, PlanStatus::kNotFound);
  EXPECT_NE(plan.message.find("(collision.end_margin: relax)"), std::string::npos) << plan.message;
  problem.uncertainty.joints = VecX::Constant(3, 1e-6);
  problem.collision.end_margin = EndMargin::kRelax;
  ASSERT_EQ(validate(problem).size(), 1u);
  EXPECT_NE(validate(problem)[0].message.find("uncertainty"), std::string::npos);
}

/// The arm stays at its start for `rest` of 11 spans, and leaves for the goal evenly.
Trajectory resting(const Problem& problem, int rest) {
  const VecX from = problem.start, to = std::get<JointTarget>(problem.goal).values;
  MatX control(3, 16);
  for (int i = 0; i < 16; ++i) {
    const double s = std::clamp((i - 4.0 - rest) / (7.0 - rest), 0.0, 1.0);
    control.col(i) = (1.0 - s) * from + s * to;
  }
  return BSpline(control, 12.0);
}

TEST(Relief, IsRefusedWhereThePairStaysNearForTooLong) {
  const Problem problem = betweenWalls(0.5e-3, 2e-3);
  const Certificate soon = certify(problem, resting(problem, 0));
  EXPECT_TRUE(soon.clear) << soon.message;
  EXPECT_GT(pairOf(soon, "wall").relief.until, 0.09 * 12.0);
  const Certificate late = certify(problem, resting(problem, 5));
  EXPECT_FALSE(late.clear);
  EXPECT_NE(late.message.find("'link0' and 'wall' come within 0.5"), std::string::npos)
      << late.message;
}

TEST(Relief, IsVerifiedAndSurvivesAFile) {
  const Problem problem = betweenWalls(0.5e-3, 0.7e-3);
  const Certificate good = certify(problem, resting(problem, 0));
  ASSERT_TRUE(good.clear) << good.message;
  const Certificate read = parseCertificateJson(formatCertificateJson(good), "certificate.json");
  EXPECT_EQ(pairOf(read, "wall").relief, pairOf(good, "wall").relief);
  EXPECT_EQ(pairOf(read, "other").relief, pairOf(good, "other").relief);
  EXPECT_TRUE(verifyCertificate(problem, read).valid) << verifyCertificate(problem, read).message;
  const auto refused = [&](const std::string& b, const auto& forge) {
    Certificate forged = good;
    for (CertificatePair& pair : forged.pairs) {
      if (pair.a == "link0" && pair.b == b) forge(&pair.relief);
    }
    return !verifyCertificate(problem, forged).valid;
  };
  EXPECT_FALSE(refused("wall", [](EndRelief*) {}));
  EXPECT_TRUE(refused("wall", [](EndRelief* relief) { relief->until = 6.0; }));
  EXPECT_TRUE(refused("wall", [](EndRelief* relief) { relief->start_margin *= 0.5; }));
  EXPECT_TRUE(refused("wall", [](EndRelief* relief) { *relief = {}; }));
  EXPECT_TRUE(refused("wall", [](EndRelief* relief) { relief->from = 11.0; }));
  EXPECT_TRUE(refused("other", [](EndRelief* relief) { relief->goal_margin = 0.0; }));
  EXPECT_TRUE(refused("other", [](EndRelief* relief) { relief->from = 5.0; }));
  EXPECT_TRUE(refused("other", [](EndRelief* relief) { relief->until = 1.0; }));
  // The same certificate is of another task when that is strict.
  Problem strict = problem;
  strict.collision.end_margin = EndMargin::kStrict;
  EXPECT_FALSE(verifyCertificate(strict, good).valid);
}

}  // namespace
}  // namespace allclear
