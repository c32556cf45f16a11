// Links that touch an obstacle at a contact: how deep they may be in it, for all t.
#include "allclear/planner/certificate/contact_touch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "allclear/exports/certificate_json.h"
#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/geometry.h"
#include "allclear/planner/planner.h"
#include "support/biped.h"
#include "support/random.h"
#include "support/robot_builder.h"

namespace allclear {
namespace {

constexpr double kHalf = 0.01;  ///< half the thickness of the bar [m]
constexpr double kLong = 0.3;   ///< from the joint to its end [m]

/// A bar from x = 0 on turns about its lower edge, which is a point contact on the top of a table;
/// the top is `below` under it [m]. Positive angles turn the bar into the table.
Problem barOnTable(double below, double from, double to, bool is_box = true) {
  test::RobotBuilder robot;
  robot.add(JointType::kRevolute, 0, {0.0, 0.0, 0.5}, Vec3::UnitY(),
            {{Box({kLong, 0.02, 2.0 * kHalf}), {Mat3::Identity(), {0.5 * kLong, 0.0, kHalf}}}});
  Problem problem;
  problem.robot = robot.build();
  problem.planned = {0};
  problem.start = VecX::Constant(1, from);
  problem.goal = JointTarget{{0}, VecX::Constant(1, to)};
  Obstacle table{"table", {}, {}, {}};
  if (is_box) {
    table.geometry = {{Box({2.0, 2.0, 0.2}), {Mat3::Identity(), {0.0, 0.0, -0.1}}}};
  } else {
    table.geometry = {{HalfSpace(), {}}};
  }
  table.X_WO.p.z() = 0.5 - below;
  problem.obstacles.push_back(table);
  Contact contact;
  contact.kind = Contact::Kind::kPoint;
  contact.link = 1;
  problem.contacts = {contact};
  return problem;
}

/// From rest to rest along the straight line.
Trajectory lineOf(const Problem& problem) {
  MatX control(1, 12);
  const double to = std::get<JointTarget>(problem.goal).values[0];
  for (int i = 0; i < 12; ++i) {
    const double s = std::clamp((i - 2.0) / 7.0, 0.0, 1.0);
    control(0, i) = (1.0 - s) * problem.start[0] + s * to;
  }
  return BSpline(control, 6.0);
}

/// How deep the bar is below the top at most: that of its lowest corner, at dense instants.
double deepest(const Trajectory& trajectory, double below) {
  double most = -std::numeric_limits<double>::infinity();
  for (int i = 0; i <= 2000; ++i) {
    const double a = trajectory.value(trajectory.duration() * i / 2000.0)[0];
    for (double x : {0.0, kLong}) {
      for (double z : {0.0, 2.0 * kHalf}) {
        most = std::max(most, x * std::sin(a) - z * std::cos(a) - below);
      }
    }
  }
  return most;
}

TEST(ContactTouch, IsNoLeaveToTurnThroughTheTable) {
  const Problem problem = barOnTable(0.0, -0.7, 1.2);
  const Certificate certificate = certify(problem, lineOf(problem));
  EXPECT_FALSE(certificate.clear);
  EXPECT_NE(certificate.message.find("deeper than the 2 mm of their contact (contacts: depth)"),
            std::string::npos)
      << certificate.message;
  const Plan plan = allclear::plan(problem, {.time_limit = 20.0});
  EXPECT_NE(plan.status, PlanStatus::kCertified);
  EXPECT_NE(plan.message.find("deeper than the 2 mm of their contact; they touch at a contact"),
            std::string::npos)
      << plan.message;
  EXPECT_NE(plan.message.find("greater depth (contacts: depth, up to 20 mm)"), std::string::npos)
      << plan.message;
}

TEST(ContactTouch, IsPlannedAndNamedWithItsDepth) {
  const Problem problem = barOnTable(0.0, -0.7, 0.005);
  const Plan plan = allclear::plan(problem, {.time_limit = 60.0});
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  const Certificate& certificate = *plan.certificate;
  EXPECT_LT(deepest(certificate.trajectory.trajectory, 0.0), 2e-3);
  EXPECT_NE(certificate.message.find("At the contacts 'link1' touches 'table' at a point and is "
                                     "never more than 2 mm deep in it."),
            std::string::npos)
      << certificate.message;
  EXPECT_EQ(contactTouchText(problem, {}), "");
  EXPECT_EQ(contactTouchText(problem, certificate.pairs),
            "'link1' touches 'table' at a point and is never more than 2 mm deep in it");
  // It keeps no margin, and is no pair that one would call the nearest.
  EXPECT_NE(certificate.message.find("no pair has a margin to keep"), std::string::npos);
  EXPECT_TRUE(certificate.closest_pairs.empty());
  EXPECT_TRUE(std::isinf(certificate.minimum_clearance.lower));
  EXPECT_TRUE(certificate.exempt_pairs.empty());
  bool is_assumed = false;
  for (const Assumption& assumption : certificate.assumptions) {
    if (assumption.kind != "touching") continue;
    is_assumed = true;
    EXPECT_NE(assumption.text.find("link1 2 mm in table (at a point)"), std::string::npos);
  }
  EXPECT_TRUE(is_assumed);
  // The format of proofs has no depths: it says that it leaves the pair out.
  const Proof proof = makeProof(problem, certificate);
  EXPECT_TRUE(proof.unproven.empty());
  EXPECT_NE(proof.text.find("outside \"at the contacts 'link1' touches 'table'"),
            std::string::npos);
  EXPECT_NE(proof.text.find("not in this proof: they touch at a contact"), std::string::npos);
}

TEST(ContactTouch, AnswersAsDenseSamplesDo) {
  test::Random random(11);
  int clear = 0, refused = 0;
  for (int i = 0; i < 200; ++i) {
    const double depth = random.logUniform(2e-4, Contact::kGreatestDepth);
    const double below = random.uniform(-depth, 2e-3);
    const double from = random.uniform(-1.2, 0.0);
    const double to =
        random.integer(0, 3) == 0 ? random.uniform(-1.2, 1.2) : random.logUniform(1e-5, 0.1);
    Problem problem = barOnTable(below, from, to, random.integer(0, 1) == 0);
    problem.contacts[0].depth = depth;
    const Trajectory line = lineOf(problem);
    const Certificate certificate = certify(problem, line);
    const double most = deepest(line, below);
    if (certificate.clear) {
      ++clear;
      EXPECT_LE(most, depth) << i;
      EXPECT_TRUE(verifyCertificate(problem, certificate).valid);
    } else {
      ++refused;
      EXPECT_GE(most, depth - 1e-6) << i << " " << certificate.message;
    }
  }
  EXPECT_GT(clear, 40);
  EXPECT_GT(refused, 40);
}

TEST(ContactTouch, IsVerifiedAndSurvivesAFile) {
  const Problem problem = barOnTable(0.0, -0.7, 0.005);
  const Certificate good = certify(problem, lineOf(problem));
  ASSERT_TRUE(good.clear) << good.message;
  const Certificate read = parseCertificateJson(formatCertificateJson(good), "certificate.json");
  EXPECT_TRUE(verifyCertificate(problem, read).valid) << verifyCertificate(problem, read).message;
  Certificate deeper = good;
  for (CertificatePair& pair : deeper.pairs) pair.margin -= 1e-4;
  EXPECT_FALSE(verifyCertificate(problem, deeper).valid);
  Certificate without = good;
  without.pairs.clear();
  EXPECT_FALSE(verifyCertificate(problem, without).valid);
  Problem strict = problem;
  strict.contacts[0].depth = 1.4e-3;  // 0.3 m * sin 5 mrad are 1.5 mm
  EXPECT_FALSE(verifyCertificate(strict, good).valid);
  EXPECT_FALSE(certify(strict, lineOf(strict)).clear);
  // Without the contact the pair has its margin to keep.
  Problem unsaid = problem;
  unsaid.contacts.clear();
  EXPECT_FALSE(verifyCertificate(unsaid, good).valid);
}

TEST(ContactTouch, IsNamedOfEachFoot) {
  const Problem problem = standOn(test::bipedProblem());
  const VecX start = problem.plannedPart(problem.start);
  const Certificate certificate = certify(problem, BSpline(start.replicate(1, 12), 2.0));
  ASSERT_TRUE(certificate.clear) << certificate.message;
  EXPECT_NE(certificate.message.find(
                "'r_foot' rests flat on 'floor' and is never more than 2 mm deep in it"),
            std::string::npos)
      << certificate.message;
  EXPECT_GT(certificate.minimum_clearance.lower, 0.0);
  // The one that it stands on never moves: it just touches, or is a rounding away.
  EXPECT_EQ(certificate.message.find("'l_foot' and 'floor' overlap"), std::string::npos)
      << certificate.message;
}

// The foot that the robot stands on never moves: how deep it is, is a number.
TEST(ContactTouch, OfAConstantPairIsMeasured) {
  const auto certificateOn = [](double height, double depth) {
    Problem problem = standOn(test::bipedProblem());
    problem.obstacles[0].X_WO.p.z() = height;
    for (Contact& contact : problem.contacts) contact.depth = depth;
    const VecX start = problem.plannedPart(problem.start);
    return certify(problem, BSpline(start.replicate(1, 12), 2.0));
  };
  const Certificate sunk = certificateOn(3e-3, 2e-3);
  EXPECT_FALSE(sunk.clear);
  EXPECT_NE(sunk.message.find("'l_foot' and 'floor' overlap by 3 mm and do not move relative to "
                              "each other; they touch at a contact, up to 2 mm deep"),
            std::string::npos)
      << sunk.message;
  EXPECT_NE(sunk.message.find("'r_foot' and 'floor' overlap by 3 mm"), std::string::npos)
      << sunk.message;
  const Certificate named = certificateOn(3e-3, 4e-3);
  EXPECT_TRUE(named.clear) << named.message;
  EXPECT_NE(named.message.find("'l_foot' and 'floor' overlap by 3 mm"), std::string::npos)
      << named.message;
}

}  // namespace
}  // namespace allclear
