// Plans of a humanoid on its feet, with the forces that carry it.
#include <gtest/gtest.h>

#include "allclear/planner/planner.h"
#include "allclear/planner/problem/contact_projection.h"
#include "allclear/planner/program/contact_demands.h"
#include "allclear/planner/program/static_wrenches.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/trajectories/spline_fit.h"
#include "allclear/trajectories/trajectory_files.h"
#include "support/jvrc.h"

namespace allclear::test {
namespace {

const PlanOptions kPatient{.time_limit = 120.0};

bool isForce(const CertifiedLimit& limit) {
  return limit.quantity == "torque" || limit.quantity == "friction" ||
         limit.quantity == "centre of pressure" || limit.quantity == "lift-off";
}

/// The least demand on forces at so many instants, by the planner's dynamics.
double leastDemand(const Problem& problem, const Plan& plan, int samples) {
  ContactDemands demands(problem);
  VecX values(demands.count());
  double least = HUGE_VAL;
  const Trajectory& curve = *plan.trajectory;
  for (int i = 0; i <= samples; ++i) {
    const double t = curve.duration() * i / samples;
    demands.values(curve.value(t), curve.value(t, 1), curve.value(t, 2), plan.wrenches->value(t),
                   values);
    least = std::min(least, values.minCoeff());
  }
  return least;
}

// O8 and O9, of a plan: what is certified holds in 20,001 samples, the same plan is refused on
// slippery ground, and so is one whose wrenches were changed.
TEST(StandingPlan, OfAFastCrossingHoldsItsForcesAndIsRefusedWhereTheGroundIsSlippery) {
  ALLCLEAR_REQUIRE_DATA(kJvrcUrdf);
  Problem problem = standOn(jvrcProblem(kCrossStart, kCrossGoal, 1.5));
  const Plan plan = allclear::plan(problem, kPatient);
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  ASSERT_TRUE(plan.wrenches);
  EXPECT_GE(leastDemand(problem, plan, 20000), 0.0);
  EXPECT_TRUE(verifyCertificate(problem, *plan.certificate).valid);

  // A force changed in the middle of the motion: by little the hash shows it; by much, with a new
  // hash, the cones do.
  const auto withMoreForce = [&](double newtons) {
    Certificate forged = *plan.certificate;
    const HermiteCurve rows = *plan.wrenches->hermite();
    MatX positions = rows.positions();
    positions(2, positions.cols() / 2) += newtons;
    forged.trajectory.wrenches->curve =
        HermiteCurve(rows.times(), positions, rows.velocities(), rows.accelerations());
    return forged;
  };
  EXPECT_FALSE(verifyCertificate(problem, withMoreForce(0.5)).valid);
  for (double newtons : {-700.0, 700.0}) {  // more than the robot weighs
    Certificate forged = withMoreForce(newtons);
    forged.trajectory_sha256 = trajectorySha256(forged.trajectory);
    EXPECT_FALSE(verifyCertificate(problem, forged).valid) << newtons;
  }

  for (Contact& contact : problem.contacts) contact.friction = 0.02;
  const Certificate slippery = certify(problem, *plan.trajectory, &*plan.wrenches);
  EXPECT_FALSE(slippery.clear);
  EXPECT_NE(slippery.message.find("friction"), std::string::npos) << slippery.message;
}

/// JVRC-1 sinks by bending its hips, knees and ankles, its trunk upright.
class Squat {
 public:
  const Problem& problem() const { return problem_; }

 private:
  static Problem halfSitting() {
    JvrcPosture half{};
    half.pelvis = {0.0, -0.096, 0.82, 0.0, 0.0, 0.0};
    const auto set = [&](const std::string& name, double value) {
      for (std::size_t i = 0; i < kJvrcJoints.size(); ++i) {
        if (name == kJvrcJoints[i]) half.joints[i] = value;
      }
    };
    for (const std::string side : {"L_", "R_"}) {
      set(side + "HIP_P", -0.36);
      set(side + "KNEE", 0.72);
      set(side + "ANKLE_P", -0.36);
      set(side + "ELBOW_P", -0.52);
    }
    return standOn(jvrcProblem(half, half, 2.0));
  }

 public:
  /// `sink` [m] below the start, by Newton's steps in the angles of thigh and shank.
  VecX at(double sink) {
    const Vec3 wanted = pelvis(q_) - Vec3(0.0, 0.0, sink);
    Eigen::Vector2d angles(0.36, 0.36);
    for (int i = 0; i < 20; ++i) {
      const auto off = [&](const Eigen::Vector2d& a) -> Eigen::Vector2d {
        const Vec3 e = pelvis(bent(a)) - wanted;
        return {e.x(), e.z()};
      };
      constexpr double kStep = 1e-6;
      Eigen::Matrix2d J;
      for (int k = 0; k < 2; ++k) {
        const Eigen::Vector2d step = kStep * Eigen::Vector2d::Unit(k);
        J.col(k) = (off(angles + step) - off(angles - step)) / (2.0 * kStep);
      }
      angles -= J.inverse() * off(angles);
    }
    return bent(angles);
  }

  /// From the start to `sink` [m] and to rest there.
  BSpline curve(double sink, double duration) {
    const auto basis = std::make_shared<const BSplineBasis>(BSplineBasis::uniform(24));
    Samples samples;
    const std::vector<double> points = freeGrevillePoints(*basis);
    samples.values.resize(q_.size(), static_cast<Eigen::Index>(points.size()));
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double s = points[i];
      samples.times.push_back(duration * s);
      samples.values.col(static_cast<Eigen::Index>(i)) =
          at(sink * std::pow(4.0 * s * (1.0 - s), 3));
    }
    problem_.duration = {duration, duration};
    return fitSpline(basis, duration, samples, EndState::atRest(q_), EndState::atRest(q_));
  }

  /// Half of the load on each foot: through the surest wrenches of every row.
  Trajectory wrenches(const BSpline& curve) {
    const Trajectory rows = controllerRows(curve);
    const std::vector<double>& times = rows.hermite()->times();
    MatX values(6, static_cast<Eigen::Index>(times.size()));
    for (std::size_t i = 0; i < times.size(); ++i) {
      values.col(static_cast<Eigen::Index>(i)) = bestAt(curve, times[i]);
    }
    const MatX rates = MatX::Zero(6, values.cols());
    return Trajectory(HermiteCurve(times, values, rates, rates));
  }
  VecX bestAt(const BSpline& curve, double t) const {
    return bestWrenches(problem_, curve.value(t), curve.value(t, 1), curve.value(t, 2));
  }

 private:
  Vec3 pelvis(const VecX& q) {
    kinematics_.linkPoses(problem_.configuration(q), workspace_, X_WL_);
    return X_WL_[problem_.robot->findLink("PELVIS_S")].p;
  }
  VecX bent(const Eigen::Vector2d& angles) const {
    VecX q = q_;
    const auto set = [&](const std::string& name, double value) {
      const int c = problem_.robot->findCoordinate(name);
      q[std::find(problem_.planned.begin(), problem_.planned.end(), c) - problem_.planned.begin()] =
          value;
    };
    for (const std::string side : {"L_", "R_"}) {
      set(side + "HIP_P", -angles[0]);
      set(side + "KNEE", angles[0] + angles[1]);
      set(side + "ANKLE_P", -angles[1]);
    }
    return q;
  }

  Problem problem_ = halfSitting();
  VecX q_ = problem_.plannedPart(problem_.start);
  Kinematics kinematics_{*problem_.robot};
  Kinematics::Workspace workspace_ = kinematics_.makeWorkspace();
  std::vector<Pose> X_WL_;
};

// O9: a given squat with the trunk upright, 0.44 m down and up again. In 3 s the knees bear it; in
// 2 s they do not, whatever the forces under the feet, and the certificate names them.
TEST(StandingPlan, OfADeepSquatInTwoSecondsIsRefusedForItsKnees) {
  ALLCLEAR_REQUIRE_DATA(kJvrcUrdf);
  Squat squat;
  const BSpline slow = squat.curve(0.44, 3.0);
  const Trajectory slow_wrenches = squat.wrenches(slow);
  const Certificate calm = certify(squat.problem(), slow, &slow_wrenches);
  EXPECT_TRUE(calm.clear) << calm.message;

  const BSpline fast = squat.curve(0.44, 2.0);
  const Trajectory wrenches = squat.wrenches(fast);
  const Certificate refused = certify(squat.problem(), fast, &wrenches);
  EXPECT_FALSE(refused.clear);
  EXPECT_NE(refused.message.find("KNEE': torque"), std::string::npos) << refused.message;
  EXPECT_NE(refused.message.find("limit of -100"), std::string::npos) << refused.message;
  // At its lowest point no forces at all would do: the surest ones leave less than nothing.
  ContactDemands demands(squat.problem());
  VecX values(demands.count());
  demands.values(fast.value(1.0), fast.value(1.0, 1), fast.value(1.0, 2), squat.bestAt(fast, 1.0),
                 values);
  EXPECT_LT(values.minCoeff(), 0.0);
}

TEST(StandingPlan, LeansOnAHandBesideTwoFeet) {
  ALLCLEAR_REQUIRE_DATA(kJvrcUrdf);
  const Problem problem = standOn(jvrcProblem(kLeanStart, kLeanGoal, 5.0, true));
  const Plan plan = allclear::plan(problem, kPatient);
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  EXPECT_EQ(plan.wrenches->dimension(), 9);
  EXPECT_GE(leastDemand(problem, plan, 2000), 0.0);
  int forces = 0;
  for (const CertifiedLimit& limit : plan.certificate->limits) forces += isForce(limit);
  EXPECT_EQ(forces, 32 + 3 + 3 + 2);
}

}  // namespace
}  // namespace allclear::test
