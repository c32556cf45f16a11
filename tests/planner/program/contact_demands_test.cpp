#include "allclear/planner/program/contact_demands.h"

#include <gtest/gtest.h>

#include "allclear/planner/problem/support_polygon.h"
#include "allclear/planner/program/state_demands.h"
#include "allclear/planner/program/static_wrenches.h"
#include "support/jvrc.h"
#include "support/standing_robot.h"

namespace allclear::test {
namespace {

using Vec6 = Eigen::Matrix<double, 6, 1>;

struct State {
  VecX q, v, a, w;
};

State randomState(Random& random, const Problem& problem, int wrench_rows) {
  const int n = problem.plannedCount();
  State state;
  state.q = problem.plannedPart(randomConfiguration(random, *problem.robot));
  state.v = random.vectorX(n, 1.0);
  state.a = random.vectorX(n, 3.0);
  state.w = randomWrenches(random, wrench_rows);
  return state;
}

/// Force and moment about the world's origin of a wrench about p.
Vec6 aboutOrigin(const Vec3& p, const Vec6& wrench) {
  Vec6 out = wrench;
  out.tail<3>() += p.cross(wrench.head<3>());
  return out;
}

Vec6 padded(const VecX& wrench) {
  Vec6 out = Vec6::Zero();
  out.head(wrench.size()) = wrench;
  return out;
}

/// Generalised forces of all coordinates, less what the contacts supply through their Jacobians:
/// the equations of motion in which the base floats.
VecX residual(const RobotModel& robot, const VecX& q, const VecX& v, const VecX& a,
              const std::vector<std::pair<int, Vec6>>& by_link, const std::vector<Vec3>& points) {
  const Kinematics kinematics(robot);
  auto workspace = kinematics.makeWorkspace();
  VecX tau;
  kinematics.inverseDynamics(q, v, a, workspace, tau);
  for (std::size_t i = 0; i < by_link.size(); ++i) {
    Jacobian J(6, robot.dimension());
    kinematics.pointJacobian(workspace, by_link[i].first, points[i], J);
    tau -= J.transpose() * by_link[i].second;
  }
  return tau;
}

// O3: with the base's wrench that the demands find, the equations of the floating base vanish, and
// those of the joints are the torques that the demands find.
TEST(ContactDemands, SolveTheEquationsOfTheFloatingBase) {
  for (int seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const Problem problem = randomStandingProblem(random);
    if (problem.plannedCount() == 0) continue;
    const ContactSet contacts(problem);
    ContactDemands demands(problem);
    const State s = randomState(random, problem, contacts.wrenchCount());
    const VecX loads = demands.loads(s.q, s.v, s.a, s.w);
    VecX v = VecX::Zero(problem.robot->dimension()), a = v;
    for (int k = 0; k < problem.plannedCount(); ++k) {
      v[problem.planned[k]] = s.v[k];
      a[problem.planned[k]] = s.a[k];
    }
    std::vector<std::pair<int, Vec6>> wrenches;
    std::vector<Vec3> points;
    for (const PlacedContact& contact : contacts.all()) {
      const Vec6 wrench = contact.is_base
                              ? Vec6(loads.tail<6>())
                              : padded(s.w.segment(contact.first_wrench, contact.rows()));
      wrenches.push_back({contact.contact.link, wrench});
      points.push_back(contact.X_WC.p);
    }
    const VecX left = residual(*problem.robot, problem.configuration(s.q), v, a, wrenches, points);
    const double scale = 1.0 + loads.cwiseAbs().maxCoeff();
    EXPECT_LT(left.head<6>().cwiseAbs().maxCoeff(), 1e-11 * scale) << "seed " << seed;
    EXPECT_LT(
        (problem.plannedPart(left) - loads.head(problem.plannedCount())).cwiseAbs().maxCoeff(),
        1e-11 * scale)
        << "seed " << seed;
  }
}

/// Central differences of the demands by one argument.
template <class At>
MatX differences(const VecX& x, const At& at) {
  constexpr double kStep = 1e-5;
  MatX out;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const VecX step = kStep * std::max(1.0, std::abs(x[k])) * VecX::Unit(x.size(), k);
    const VecX change = (at(x + step) - at(x - step)) / (2.0 * step[k]);
    if (out.cols() == 0) out.resize(change.size(), x.size());
    out.col(k) = change;
  }
  return out;
}

// O5, of all demands of a problem, balance among them.
void expectGradients(const Problem& problem, const State& s, const std::string& what) {
  const Kinematics kinematics(*problem.robot);
  StateDemands demands(problem, kinematics);
  const auto values = [&](const VecX& q, const VecX& v, const VecX& a, const VecX& w) {
    VecX out;
    demands.values(q, v, a, w, &out);
    return out;
  };
  StateDemands::Gradients by;
  demands.gradients(s.q, s.v, s.a, s.w, &by);
  const auto expectNear = [&](const MatX& found, const MatX& wanted, const char* of) {
    ASSERT_EQ(found.rows(), wanted.rows());
    const double scale = 1.0 + wanted.cwiseAbs().maxCoeff();
    EXPECT_LT((found - wanted).cwiseAbs().maxCoeff(), 1e-7 * scale) << what << ", by " << of;
  };
  expectNear(by.by_q, differences(s.q, [&](auto& q) { return values(q, s.v, s.a, s.w); }), "q");
  expectNear(by.by_v, differences(s.v, [&](auto& v) { return values(s.q, v, s.a, s.w); }), "v");
  expectNear(by.by_a, differences(s.a, [&](auto& a) { return values(s.q, s.v, a, s.w); }), "a");
  if (s.w.size() == 0) return;
  expectNear(by.by_w, differences(s.w, [&](auto& w) { return values(s.q, s.v, s.a, w); }), "w");
}

TEST(ContactDemands, HaveAnalyticGradients) {
  for (int seed = 0; seed < 40; ++seed) {
    Random random(100 + seed);
    const Problem problem = randomStandingProblem(random);
    if (problem.plannedCount() == 0) continue;
    const int rows = ContactSet(problem).wrenchCount();
    expectGradients(problem, randomState(random, problem, rows), "seed " + std::to_string(seed));
  }
}

TEST(ContactDemands, NameTheirRows) {
  Random random(3);
  const Problem problem = randomStandingProblem(random);
  ContactDemands demands(problem);
  std::vector<int> counts(3, 0);
  for (int d = 0; d < demands.count(); ++d) {
    const std::string name = demands.name(d);
    counts[0] += name.find("torque") != std::string::npos;
    counts[1] += name.find("friction") != std::string::npos;
    counts[2] += name.find("centre of pressure") != std::string::npos;
  }
  int flat = 0, points = 0;
  for (const Contact& contact : problem.contacts) {
    ++(contact.kind == Contact::Kind::kFlat ? flat : points);
  }
  EXPECT_EQ(counts[0], 2 * problem.plannedCount());
  EXPECT_EQ(counts[1], 12 * flat + 4 * points);
  EXPECT_EQ(counts[2], 4 * flat);
}

// O1: still on two feet, whatever the split between them, the ground carries the weight through the
// centre of mass.
TEST(ContactDemands, CarryTheWeightOfAHumanoidThatStands) {
  ALLCLEAR_REQUIRE_DATA(kJvrcUrdf);
  const Problem problem = standOn(jvrcProblem(kCrossStart, kCrossGoal, 5.0));
  const ContactSet contacts(problem);
  ASSERT_EQ(contacts.wrenchCount(), 6);
  ContactDemands demands(problem);
  EXPECT_NEAR(demands.weight(), 612.144, 1e-3);
  const VecX q = problem.plannedPart(problem.start), rest = VecX::Zero(q.size());
  const VecX best = staticWrenches(problem, q);
  Random random(7);
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> poses;
  kinematics.linkPoses(problem.start, workspace, poses);
  const Vec3 com = kinematics.centerOfMass(workspace);
  for (const VecX& w : {best, VecX(best + randomWrenches(random, 6))}) {
    Vec6 sum = aboutOrigin(contacts.base()->X_WC.p, demands.loads(q, rest, rest, w).tail<6>());
    for (const PlacedContact& contact : contacts.all()) {
      if (!contact.is_base) sum += aboutOrigin(contact.X_WC.p, w);
    }
    EXPECT_LT((sum.head<3>() - Vec3(0, 0, demands.weight())).norm(), 1e-9);
    EXPECT_LT((sum.tail<3>() - com.cross(Vec3(sum.head<3>()))).norm(), 1e-9);
  }
  // The best wrenches leave room everywhere, more than those of the shared posture do.
  VecX values(demands.count());
  demands.values(q, rest, rest, best, values);
  const double room = values.minCoeff();
  EXPECT_GT(room, 0.02);
  const VecX given = demands.weight() *
                     Eigen::Map<const VecX>(kCrossStart.wrench.data(), kCrossStart.wrench.size());
  demands.values(q, rest, rest, given, values);
  EXPECT_GT(values.minCoeff(), 0.02);
  EXPECT_GE(room, values.minCoeff() - 1e-4);
}

/// The pose of a floating base as its six coordinates: x y z, roll pitch yaw.
Vec6 coordinatesOf(const Pose& X) {
  Vec6 out;
  out << X.p, std::atan2(X.R(2, 1), X.R(2, 2)), -std::asin(X.R(2, 0)),
      std::atan2(X.R(1, 0), X.R(0, 0));
  return out;
}

// O3 on the humanoid: the robot as its file has it, floating by the pelvis, against the one that
// stands on its left foot.
TEST(ContactDemands, AgreeWithTheRobotThatFloatsByItsPelvis) {
  ALLCLEAR_REQUIRE_DATA(kJvrcUrdf);
  const Problem floating = jvrcProblem(kPickStart, kPickGoal, 5.0);
  const Problem problem = standOn(floating);
  const ContactSet contacts(problem);
  const int pelvis = problem.robot->findLink("PELVIS_S");
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  ContactDemands demands(problem);
  for (int seed = 0; seed < 10; ++seed) {
    Random random(seed);
    State s = randomState(random, problem, 6);
    s.q = problem.plannedPart(problem.start) + random.vectorX(problem.plannedCount(), 0.1);
    // The pelvis moves as the joints make it: differences of its pose give its rates.
    const auto pelvisAt = [&](double t) {
      std::vector<Pose> poses;
      const VecX q = s.q + t * s.v + 0.5 * t * t * s.a;
      kinematics.linkPoses(problem.configuration(q), workspace, poses);
      return coordinatesOf(poses[pelvis]);
    };
    constexpr double h = 1e-4;
    const Vec6 before = pelvisAt(-h), now = pelvisAt(0.0), after = pelvisAt(h);
    VecX q = floating.start, v = VecX::Zero(q.size()), a = v;
    q.head<6>() = now;
    v.head<6>() = (after - before) / (2.0 * h);
    a.head<6>() = (after - 2.0 * now + before) / (h * h);
    for (int k = 0; k < problem.plannedCount(); ++k) {
      q[problem.planned[k]] = s.q[k];
      v[problem.planned[k]] = s.v[k];
      a[problem.planned[k]] = s.a[k];
    }
    const VecX loads = demands.loads(s.q, s.v, s.a, s.w);
    const std::vector<std::pair<int, Vec6>> wrenches{{floating.contacts[0].link, loads.tail<6>()},
                                                     {floating.contacts[1].link, s.w}};
    const VecX left = residual(*floating.robot, q, v, a, wrenches,
                               {contacts.all()[0].X_WC.p, contacts.all()[1].X_WC.p});
    // The rates by differences are good to 1e-8 / h.
    EXPECT_LT(left.head<6>().cwiseAbs().maxCoeff(), 1e-3) << seed;
    EXPECT_LT(
        (problem.plannedPart(left) - loads.head(problem.plannedCount())).cwiseAbs().maxCoeff(),
        1e-3)
        << seed;
  }
}

TEST(ContactDemands, HaveAnalyticGradientsOnAHumanoid) {
  ALLCLEAR_REQUIRE_DATA(kJvrcUrdf);
  const Problem problem = standOn(jvrcProblem(kLeanStart, kLeanGoal, 5.0, true));
  const int rows = ContactSet(problem).wrenchCount();
  EXPECT_EQ(rows, 9);
  for (int seed = 0; seed < 5; ++seed) {
    Random random(seed);
    State state = randomState(random, problem, rows);
    state.q = problem.plannedPart(problem.start) + random.vectorX(problem.plannedCount(), 0.3);
    expectGradients(problem, state, "seed " + std::to_string(seed));
  }
}

TEST(StaticWrenches, AreTheBestOfManyOnTwoFeetAndAHand) {
  ALLCLEAR_REQUIRE_DATA(kJvrcUrdf);
  const Problem problem = standOn(jvrcProblem(kLeanStart, kLeanGoal, 5.0, true));
  ContactDemands demands(problem);
  const VecX q = problem.plannedPart(problem.start), rest = VecX::Zero(q.size());
  const VecX best = staticWrenches(problem, q);
  VecX values(demands.count());
  demands.values(q, rest, rest, best, values);
  const double room = values.minCoeff();
  EXPECT_GT(room, 0.02);
  for (int seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const VecX other = best + random.vectorX(9, random.logUniform(0.1, 100.0));
    demands.values(q, rest, rest, other, values);
    EXPECT_LE(values.minCoeff(), room + 1e-4) << seed;
  }
}

}  // namespace
}  // namespace allclear::test
