// Bounds of torques and forces at contacts, for all t, against dense sampling by the planner's own
// dynamics (which share no code with the enclosures), and certificates that rest on them.
#include "allclear/planner/certificate/contact_limits.h"

#include <gtest/gtest.h>

#include "allclear/planner/certificate/torque.h"
#include "allclear/planner/program/contact_demands.h"
#include "allclear/planner/program/static_wrenches.h"
#include "support/jvrc.h"
#include "support/standing_robot.h"

namespace allclear::test {
namespace {

using Vec6 = Eigen::Matrix<double, 6, 1>;

/// A curve of `spans` spans about `middle`, rough by `size`.
BSpline randomCurve(Random& random, const VecX& middle, double size, int spans, double duration) {
  MatX control(middle.size(), spans + 5);
  for (auto column : control.colwise()) {
    column = middle + random.vectorX(static_cast<int>(middle.size()), size);
  }
  return {control, duration};
}

/// Sampled values of all that `contactForceBounds` bounds, in its order.
class Sampler {
 public:
  explicit Sampler(const Problem& problem)
      : problem_(problem), contacts_(problem), demands_(problem), weight_(demands_.weight()) {}

  /// Torques of planned coordinates.
  VecX torques(const Trajectory& curve, const Trajectory* wrenches, double t) {
    wrench_ = wrenches == nullptr ? VecX() : wrenches->value(t);
    loads_ = demands_.loads(curve.value(t), curve.value(t, 1), curve.value(t, 2), wrench_);
    return loads_.head(problem_.plannedCount());
  }
  /// Rows of contact i's cone, then its pressing force; after `torques`.
  VecX cone(std::size_t i) const {
    const PlacedContact& contact = contacts_.all()[i];
    Vec6 wrench = Vec6::Zero();
    if (contact.is_base) {
      wrench = loads_.tail<6>();
    } else {
      wrench.head(contact.rows()) = wrench_.segment(contact.first_wrench, contact.rows());
    }
    const ContactCone cone = contactCone(contact, weight_);
    VecX out(cone.count() + 1);
    out << cone.rows * wrench, cone.normal.dot(wrench.head<3>()) / weight_;
    return out;
  }

 private:
  const Problem& problem_;
  ContactSet contacts_;
  ContactDemands demands_;
  double weight_;
  VecX loads_, wrench_;
};

/// How far samples are beyond a bound, relative to the size of the values; and how tight it is.
struct Beyond {
  double beyond = -HUGE_VAL;
  double slack = 0.0;
  void add(const DynamicsBound& bound, double lowest, double highest, double scale) {
    beyond = std::max(
        {beyond, (bound.bound.lower - lowest) / scale, (highest - bound.bound.upper) / scale});
    slack = std::max(
        {slack, (lowest - bound.bound.lower) / scale, (bound.bound.upper - highest) / scale});
  }
};

Beyond sampledAgainst(const Problem& problem, const Trajectory& curve, const Trajectory* wrenches,
                      const ContactForceBounds& bounds, int samples) {
  Sampler sampler(problem);
  const VecX effort = plannedLimits(problem).effort;
  VecX lowest, highest;
  for (int i = 0; i <= samples; ++i) {
    VecX now = sampler.torques(curve, wrenches, curve.duration() * i / samples);
    for (std::size_t c = 0; c < bounds.contacts.size(); ++c) {
      const VecX cone = sampler.cone(c);
      now.conservativeResize(now.size() + cone.size());
      now.tail(cone.size()) = cone;
    }
    lowest = i == 0 ? now : VecX(lowest.cwiseMin(now));
    highest = i == 0 ? now : VecX(highest.cwiseMax(now));
  }
  Beyond out;
  Eigen::Index at = 0;
  for (const DynamicsBound& bound : bounds.torques) {
    out.add(bound, lowest[at], highest[at], effort[at]);
    ++at;
  }
  for (const auto& contact : bounds.contacts) {
    for (const DynamicsBound& bound : contact.cone) {
      out.add(bound, lowest[at], highest[at], 1.0);
      ++at;
    }
    out.add(contact.press, lowest[at], highest[at], 1.0);
    ++at;
  }
  EXPECT_EQ(at, lowest.size());
  return out;
}

// A term left out of the enclosures (a contact of several, the moment's arm, a coupling of motion
// and force) shows here as samples beyond the bounds; so would a cell over a kink of the wrenches.
TEST(ContactForceBounds, HoldAllSamplesOfRandomRobots) {
  for (int seed = 0; seed < 30; ++seed) {
    Random random(seed);
    Problem problem = randomStandingProblem(random);
    if (problem.plannedCount() == 0) continue;
    const ContactSet contacts(problem);
    const double duration = random.logUniform(0.5, 5.0);
    const double rough = random.logUniform(1e-3, 0.5);
    const Trajectory curve = randomCurve(random, problem.plannedPart(problem.start), rough,
                                         random.integer(1, 4), duration);
    // On other spans than the motion; one in three as rows joined by straight lines.
    const BSpline spline = randomCurve(random, randomWrenches(random, contacts.wrenchCount()), 50.0,
                                       random.integer(1, 5), duration);
    Trajectory wrenches = spline;
    if (seed % 3 == 0) {
      std::vector<double> times{0.0, 0.3 * duration, 0.31 * duration, duration};
      MatX rows(spline.dimension(), 4);
      for (int i = 0; i < 4; ++i) rows.col(i) = spline.value(times[i]);
      wrenches = HermiteCurve(times, rows, {}, {});
    }
    const ContactForceBounds bounds =
        contactForceBounds(problem, contacts, curve, &wrenches, plannedLimits(problem).effort);
    const Beyond found = sampledAgainst(problem, curve, &wrenches, bounds, 500);
    EXPECT_LE(found.beyond, 1e-9) << "seed " << seed;
    EXPECT_TRUE(std::isfinite(found.slack)) << "seed " << seed;
  }
}

/// From rest at one end to rest at the other along a straight line, with the guessed wrenches.
BSpline straightLine(const Problem& problem, int spans, double duration) {
  const VecX from = problem.plannedPart(problem.start);
  const VecX to = std::get<JointTarget>(problem.goal).values;
  MatX control(from.size(), spans + 5);
  for (int l = 0; l < control.cols(); ++l) {
    const double s = std::clamp((l - 2.0) / spans, 0.0, 1.0);
    control.col(l) = (1.0 - s) * from + s * to;
  }
  return {control, duration};
}

const CertifiedLimit* find(const Certificate& certificate, const std::string& subject,
                           const std::string& quantity) {
  for (const CertifiedLimit& limit : certificate.limits) {
    if (limit.subject == subject && limit.quantity == quantity) return &limit;
  }
  return nullptr;
}

class ContactCertificate : public ::testing::Test {
 protected:
  void SetUp() override {
    ALLCLEAR_REQUIRE_DATA(kJvrcUrdf);
    problem_ = standOn(jvrcProblem(kCrossStart, kCrossGoal, 5.0));
    curve_ = straightLine(problem_, 8, 5.0);
    wrenches_ = *guessWrenches(problem_, *curve_->bspline());
  }
  Certificate certified() const { return certify(problem_, *curve_, &*wrenches_); }
  /// Whether nothing of forces is at fault. (Whether the line keeps the feet where they are is
  /// another matter.)
  static bool keepsForces(const Certificate& certificate) {
    int count = 0;
    for (const CertifiedLimit& limit : certificate.limits) {
      const bool is_force = limit.quantity == "torque" || limit.quantity == "friction" ||
                            limit.quantity == "centre of pressure" || limit.quantity == "lift-off";
      count += is_force;
      if (is_force && !limit.kept) return false;
    }
    return count > 0;
  }

  Problem problem_;
  std::optional<Trajectory> curve_, wrenches_;
};

// O8.
TEST_F(ContactCertificate, BoundsHoldTwentyThousandSamplesAndAreTight) {
  const VecX effort = plannedLimits(problem_).effort;
  const ContactSet contacts(problem_);
  const ContactForceBounds bounds =
      contactForceBounds(problem_, contacts, *curve_, &*wrenches_, effort);
  const Beyond found = sampledAgainst(problem_, *curve_, &*wrenches_, bounds, 20000);
  EXPECT_LE(found.beyond, 1e-9);
  RecordProperty("slack", std::to_string(found.slack));
  const Certificate certificate = certified();
  EXPECT_TRUE(keepsForces(certificate)) << certificate.message;
  for (const char* foot : {"L_ANKLE_P_S", "R_ANKLE_P_S"}) {
    for (const char* quantity : {"friction", "centre of pressure", "lift-off"}) {
      const CertifiedLimit* limit = find(certificate, foot, quantity);
      ASSERT_NE(limit, nullptr) << foot << " " << quantity;
      EXPECT_GT(limit->lower, 0.0) << foot << " " << quantity;
    }
  }
}

TEST_F(ContactCertificate, SaysThatTheForcesExistAndNotThatTheyAct) {
  const Certificate certificate = certified();
  std::string text;
  for (const Assumption& assumption : certificate.assumptions) {
    if (assumption.kind == "contact forces") text = assumption.text;
  }
  EXPECT_NE(text.find("There are contact forces within friction and soles"), std::string::npos);
  EXPECT_NE(text.find("is not claimed"), std::string::npos);
  // Without the wrenches nothing is said of torques and forces, and that is said.
  const Certificate blind = certify(problem_, *curve_);
  EXPECT_EQ(find(blind, "R_KNEE", "torque"), nullptr);
  bool is_said = false;
  for (const std::string& demand : blind.not_covered) {
    is_said = is_said || demand.find("no contact wrenches") != std::string::npos;
  }
  EXPECT_TRUE(is_said) << blind.message;
}

// O9: what is planned for one ground is refused on a slippery one.
TEST_F(ContactCertificate, IsRefusedOnSlipperyGround) {
  Problem fast = standOn(jvrcProblem(kCrossStart, kCrossGoal, 1.5));
  const BSpline curve = straightLine(fast, 8, 1.5);
  const Trajectory wrenches = *guessWrenches(fast, curve);
  for (Contact& contact : fast.contacts) contact.friction = 0.02;
  const Certificate certificate = certify(fast, curve, &wrenches);
  EXPECT_FALSE(certificate.clear);
  const CertifiedLimit* friction = find(certificate, "L_ANKLE_P_S", "friction");
  ASSERT_NE(friction, nullptr);
  EXPECT_FALSE(friction->kept);
  EXPECT_NE(certificate.message.find("friction"), std::string::npos) << certificate.message;
}

// O9: a wrench curve that was changed.
TEST_F(ContactCertificate, RefusesForgedWrenches) {
  // Only forces at contacts are of interest here: what else the line breaks is let pass.
  Problem problem = problem_;
  problem.contacts[1].position_tolerance = problem.contacts[1].angle_tolerance = 10.0;
  Certificate certificate = certify(problem, *curve_, &*wrenches_);
  ASSERT_TRUE(certificate.clear) << certificate.message;
  ASSERT_TRUE(verifyCertificate(problem, certificate).valid)
      << verifyCertificate(problem, certificate).message;

  const auto forged = [&](const MatX& control) {
    Certificate changed = certificate;
    changed.trajectory.wrenches->curve = wrenches_->bspline()->withControl(control);
    return changed;
  };
  const MatX control = wrenches_->bspline()->control();
  MatX other = control;
  other(2, 5) += 1.0;  // [N] of a pressing force: within all limits, but not what was certified
  Certificate changed = forged(other);
  EXPECT_FALSE(verifyCertificate(problem, changed).valid);
  changed.trajectory_sha256 = trajectorySha256(changed.trajectory);
  EXPECT_FALSE(verifyCertificate(problem, changed).valid);
  other(2, 5) -= 1000.0;  // pulls at the ground
  changed = forged(other);
  changed.trajectory_sha256 = trajectorySha256(changed.trajectory);
  EXPECT_FALSE(verifyCertificate(problem, changed).valid);
  EXPECT_FALSE(certify(problem, *curve_, &*changed.trajectory.wrenchCurve()).clear);
  // Without wrenches, with other names, or of another duration.
  changed = certificate;
  changed.trajectory.wrenches.reset();
  changed.trajectory_sha256 = trajectorySha256(changed.trajectory);
  EXPECT_FALSE(verifyCertificate(problem, changed).valid);
  changed = certificate;
  std::swap(changed.trajectory.wrenches->names[0], changed.trajectory.wrenches->names[1]);
  changed.trajectory_sha256 = trajectorySha256(changed.trajectory);
  EXPECT_FALSE(verifyCertificate(problem, changed).valid);
  const Trajectory shorter = wrenches_->bspline()->withDuration(4.9);
  EXPECT_THROW(certify(problem, *curve_, &shorter), InputError);
  const Trajectory fewer = BSpline(MatX(control.topRows(5)), 5.0);
  EXPECT_THROW(certify(problem, *curve_, &fewer), InputError);
}

}  // namespace
}  // namespace allclear::test
