#include "allclear/planner/certificate/contact_drift.h"

#include <gtest/gtest.h>

#include "allclear/planner/certificate.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/planner/seeds/contact_fit.h"
#include "allclear/robot_models/kinematics.h"
#include "support/biped.h"
#include "support/random.h"

namespace allclear {
namespace {

/// The biped on its left foot; the goal is a posture near the start, on the contacts.
struct Standing {
  Problem problem = standOn(test::bipedProblem());
  Kinematics kinematics{*problem.robot};
  ContactFit fit{problem, kinematics};
  VecX start = problem.plannedPart(problem.start);

  explicit Standing(std::uint64_t seed, double spread = 0.2) {
    test::Random random(seed);
    VecX goal = start + random.vectorX(static_cast<int>(start.size()), spread);
    EXPECT_TRUE(fit.projection().project(&goal));
    problem.goal = JointTarget{problem.planned, goal};
  }
  BSpline line(int spans) {
    const VecX& goal = std::get<JointTarget>(problem.goal).values;
    return *fit.along(start, goal, VecX::Zero(start.size()), spans, 2.0);
  }
};

const CertifiedLimit& limitOf(const Certificate& certificate, const std::string& quantity) {
  for (const CertifiedLimit& limit : certificate.limits) {
    if (limit.quantity == quantity) return limit;
  }
  throw std::logic_error("no limit of the " + quantity);
}

struct Sampled {
  double drift = 0.0, turn = 0.0;
};

/// By forward kinematics, densely: corners of the sole and its rotation.
Sampled sampled(const Problem& problem, const Trajectory& curve, int samples) {
  const ContactSet contacts(problem);
  const PlacedContact& placed = *contacts.moving().at(0);
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  Sampled most;
  for (int i = 0; i <= samples; ++i) {
    const VecX q = problem.configuration(curve.value(curve.duration() * i / samples));
    kinematics.linkPoses(q, workspace, X_WL);
    const Pose X_WC = X_WL[placed.contact.link] * placed.contact.X_LC;
    for (int corner = 0; corner < 4; ++corner) {
      const Vec3 p_C((corner & 1 ? 1.0 : -1.0) * placed.contact.half_size.x(),
                     (corner & 2 ? 1.0 : -1.0) * placed.contact.half_size.y(), 0.0);
      most.drift = std::max(most.drift, (X_WC * p_C - placed.X_WC * p_C).norm());
    }
    const double norm = (X_WC.R - placed.X_WC.R).norm();
    most.turn = std::max(most.turn, 2.0 * std::asin(norm / std::sqrt(8.0)));
  }
  return most;
}

TEST(ContactDrift, BoundsAreAboveWhatIsSampledByATenthAtMost) {
  for (std::uint64_t seed : {81u, 82u, 83u}) {
    Standing standing(seed);
    BSpline curve = standing.line(8);
    for (int halvings = 0; halvings < 3; ++halvings) {
      const Certificate certificate = certify(standing.problem, curve);
      const Sampled seen = sampled(standing.problem, curve, 20000);
      const CertifiedLimit& drift = limitOf(certificate, "drift of the contact");
      const CertifiedLimit& turn = limitOf(certificate, "turn of the contact");
      EXPECT_EQ(drift.subject, "r_foot");
      EXPECT_EQ(drift.upper_limit, 1e-4);
      EXPECT_GE(drift.upper, seen.drift);
      EXPECT_LE(drift.upper, 1.1 * seen.drift + 1e-9) << seen.drift;
      EXPECT_GE(turn.upper, seen.turn);
      EXPECT_LE(turn.upper, 1.1 * seen.turn + 1e-8) << seen.turn;
      curve = *standing.fit.refitted(curve);
    }
  }
}

TEST(ContactDrift, IsPartOfTheVerdict) {
  Standing standing(84);
  const BSpline good = *standing.fit.refitted(standing.line(12));
  const Certificate certificate = certify(standing.problem, good);
  EXPECT_TRUE(limitOf(certificate, "drift of the contact").kept);
  // One control point of a knee moved by a thousandth of a radian.
  const int knee = standing.problem.robot->findCoordinate("r_knee") - 6;
  MatX control = good.control();
  control(knee, control.cols() / 2) += 1e-3;
  const Certificate refused = certify(standing.problem, good.withControl(control));
  EXPECT_FALSE(refused.clear);
  EXPECT_FALSE(limitOf(refused, "drift of the contact").kept);
  EXPECT_NE(refused.message.find("drift of the contact"), std::string::npos) << refused.message;
}

TEST(ContactDrift, OfAPointContactHasNoTurn) {
  Standing standing(85);
  standing.problem.contacts[1].kind = Contact::Kind::kPoint;
  const Certificate certificate = certify(standing.problem, standing.line(8));
  EXPECT_NO_THROW(limitOf(certificate, "drift of the contact"));
  EXPECT_THROW(limitOf(certificate, "turn of the contact"), std::logic_error);
}

// Today's path constraints as the oracle: what keeps a contact keeps its corners in boxes of the
// same size, and the other way round.
TEST(ContactDrift, AgreesWithBoxesAboutTheCorners) {
  Standing standing(86);
  const BSpline good = *standing.fit.refitted(standing.line(12));
  const ContactSet contacts(standing.problem);
  const PlacedContact& placed = *contacts.moving().at(0);
  Problem boxed = standing.problem;
  boxed.contacts.clear();
  for (const Vec3& p_C : {Vec3(0.1, 0.05, 0), Vec3(0.1, -0.05, 0), Vec3(-0.1, 0.05, 0)}) {
    KeepInBox box;
    box.link = placed.contact.link;
    box.p_L = placed.contact.X_LC * p_C;
    box.X_WB.p = placed.X_WC * p_C;
    box.size = Vec3::Constant(2e-4);
    boxed.path_constraints.push_back(box);
  }
  // The feet's pairs with the floor are exempt for contacts alone.
  boxed.collision.allowed = {{"r_foot", "floor"}, {"l_foot", "floor"}};
  for (const double offset : {0.0, 1e-3}) {
    MatX control = good.control();
    control(standing.problem.robot->findCoordinate("r_knee") - 6, control.cols() / 2) += offset;
    const BSpline curve = good.withControl(control);
    const auto kept = [](const Certificate& certificate, const std::string& part) {
      bool all = true;
      for (const CertifiedLimit& limit : certificate.limits) {
        if (limit.quantity.find(part) != std::string::npos) all = all && limit.kept;
      }
      return all;
    };
    EXPECT_EQ(kept(certify(standing.problem, curve), "contact"), offset == 0.0);
    EXPECT_EQ(kept(certify(boxed, curve), "in the box"), offset == 0.0);
  }
}

TEST(ContactDrift, IsVerifiedAnew) {
  Standing standing(87);
  const BSpline good = *standing.fit.refitted(standing.line(12));
  Certificate certificate = certify(standing.problem, good);
  ASSERT_TRUE(certificate.clear) << certificate.message;
  EXPECT_TRUE(verifyCertificate(standing.problem, certificate).valid);
  // A bound that says less than was proven, and a tolerance that is not the task's.
  Certificate forged = certificate;
  for (CertifiedLimit& limit : forged.limits) {
    if (limit.quantity == "turn of the contact") limit.upper_limit *= 2.0;
  }
  EXPECT_FALSE(verifyCertificate(standing.problem, forged).valid);
  Problem strict = standing.problem;
  strict.contacts[1].position_tolerance = 1e-12;
  EXPECT_FALSE(verifyCertificate(strict, certificate).valid);
}

TEST(ContactDrift, TheFootsPairWithTheGroundIsProvenAndNoneIsExempt) {
  Standing standing(88);
  const Certificate certificate = certify(standing.problem, standing.line(8));
  for (const ExemptPair& pair : certificate.exempt_pairs) EXPECT_NE(pair.b, "floor") << pair.a;
  double foot = 0.0, pelvis = 0.0;
  for (const CertificatePair& pair : certificate.pairs) {
    if (pair.b != "floor") continue;
    if (pair.a == "r_foot") foot = pair.margin;
    if (pair.a == "pelvis") pelvis = pair.margin;
  }
  EXPECT_EQ(foot, -standing.problem.contacts[1].depth);
  EXPECT_EQ(pelvis, standing.problem.collision.margin);
}

// Its coordinates are those of the foot in the model, and 0; the base itself goes where the joints
// bring it.
TEST(ContactDrift, TheBaseIsNotCalledHeld) {
  Standing standing(7);
  const Certificate certificate = certify(standing.problem, standing.line(4));
  std::string derived, held;
  for (const Assumption& assumption : certificate.assumptions) {
    if (assumption.kind == "derived base") derived += assumption.text;
    if (assumption.kind == "held joints") held += assumption.text;
  }
  const std::string base = standing.problem.robot->coordinates()[0].name;
  ASSERT_TRUE(base.ends_with("/x")) << base;
  EXPECT_EQ(held.find(base), std::string::npos) << held;
  const std::string foot = standing.problem.robot->links()[standing.problem.contacts[0].link].name;
  EXPECT_NE(derived.find("follows from the joints and from the contact of '" + foot + "'"),
            std::string::npos)
      << derived;
}

// The same joints' motion, seen from a robot that stands on its other foot.
TEST(ContactDrift, IsTheSameOnTheOtherFoot) {
  Standing left(89);
  const BSpline curve = *left.fit.refitted(left.line(12));
  Problem other = test::bipedProblem();
  std::swap(other.contacts[0], other.contacts[1]);
  Problem right = standOn(other);
  right.goal = left.problem.goal;
  const Certificate a = certify(left.problem, curve), b = certify(right, curve);
  EXPECT_TRUE(a.clear) << a.message;
  EXPECT_EQ(a.clear, b.clear) << b.message;
  EXPECT_NEAR(limitOf(a, "drift of the contact").upper, limitOf(b, "drift of the contact").upper,
              1e-6);
  EXPECT_NEAR(a.minimum_clearance.upper, b.minimum_clearance.upper,
              1e-6 + a.minimum_clearance.length() + b.minimum_clearance.length());
}

}  // namespace
}  // namespace allclear
