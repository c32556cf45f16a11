// Certified forces of unplanned contacts against the forces at many instants, points and regions.
#include "allclear/planner/certificate/impact_bounds.h"

#include <gtest/gtest.h>

#include "allclear/planner/certificate/impact_limits.h"
#include "allclear/planner/problem/body_regions.h"
#include "allclear/planner/problem/impact_share.h"
#include "support/long_run.h"
#include "support/touched_robot.h"

namespace allclear {
namespace {

using test::Random;
using test::touchedRobot;

/// A quintic spline from rest to rest that wanders.
Trajectory wanders(Random& random, const Problem& problem) {
  const auto n = static_cast<Eigen::Index>(problem.planned.size());
  const int count = random.integer(8, 16);
  const double size = random.logUniform(0.1, 2.0);
  MatX control(n, count);
  for (int i = 0; i < count; ++i) {
    for (Eigen::Index k = 0; k < n; ++k) control(k, i) = random.uniform(-size, size);
  }
  for (int i : {1, 2}) {
    control.col(i) = control.col(0);
    control.col(count - 1 - i) = control.col(count - 1);
  }
  return BSpline(control, random.logUniform(0.5, 3.0));
}

/// The same with the oracle's energies: at instants, of all corners and of points between them.
class Sampler {
 public:
  Sampler(const Problem& problem, const ImpactModel& model, const Trajectory& trajectory)
      : problem_(problem),
        model_(model),
        trajectory_(trajectory),
        oracle_(problem, *problem.robot) {}

  /// The greatest force of each entry; counts the values.
  std::vector<double> forces(const std::vector<ImpactBound>& entries, int instants, Random& random,
                             long* values) {
    std::vector<double> most(entries.size(), 0.0);
    for (int i = 0; i < instants; ++i) {
      const double t = trajectory_.duration() * random.uniform(0.0, 1.0);
      VecX v = VecX::Zero(problem_.robot->dimension());
      const VecX rates = trajectory_.value(t, 1);
      for (int k = 0; k < problem_.plannedCount(); ++k) v[problem_.planned[k]] = rates[k];
      oracle_.place(problem_.configuration(trajectory_.value(t)), v);
      for (std::size_t e = 0; e < entries.size(); ++e) {
        const ContactLimit& limit = problem_.limits.contact[entries[e].limit];
        const ImpactBody& body = model_.bodies()[entries[e].body];
        const Pose X_LN = model_.tree().mounts()[body.link].X_NL.inverse();
        const auto visit = [&](const Vec3& p_N) {
          ++*values;
          most[e] = std::max(most[e],
                             springForce(limit, oracle_.energy(body.link, X_LN * p_N, limit.mass)));
        };
        for (const Vec3& p_N : body.points) visit(p_N);
        const ImpactCore& core = body.cores[random.index(static_cast<int>(body.cores.size()))];
        const auto corner = [&] { return body.points[core.first + random.index(core.count)]; };
        const Vec3 a = corner(), b = corner();
        visit(a + random.uniform(0.0, 1.0) * (b - a));
      }
    }
    return most;
  }

 private:
  const Problem& problem_;
  const ImpactModel& model_;
  const Trajectory& trajectory_;
  test::TouchOracle oracle_;
};

/// How many entries of random plans are beyond their bounds.
int violations(const ImpactBoundOptions& options, int plans, int instants, long* values) {
  Random random(11);
  int beyond = 0;
  for (int i = 0; i < plans; ++i) {
    const Problem problem = touchedRobot(random, random.chance(0.1));
    const ImpactModel model(problem);
    const Trajectory trajectory = wanders(random, problem);
    const ImpactBounds found = impactBounds(problem, model, trajectory, options);
    Sampler sampler(problem, model, trajectory);
    const std::vector<double> most = sampler.forces(found.bounds, instants, random, values);
    for (std::size_t e = 0; e < most.size(); ++e) {
      if (!(most[e] <= found.bounds[e].upper)) ++beyond;
    }
  }
  return beyond;
}

TEST(ImpactBounds, AreNeverExceeded) {
  long values = 0;
  const bool is_long = test::isLong();
  const int plans = is_long ? 300 : 8, instants = is_long ? 400 : 60;
  EXPECT_EQ(violations({}, plans, instants, &values), 0);
  EXPECT_EQ(violations({.tight = false}, plans, instants, &values), 0);
  EXPECT_EQ(violations({.everywhere = true, .most_halvings = 5}, plans, instants, &values), 0);
  EXPECT_GT(values, is_long ? 5'000'000 : 10'000);
}

/// The same without the share of the second derivative, on cells that were never halved.
TEST(ImpactBounds, NeedTheRemainder) {
  long values = 0;
  EXPECT_GT(violations({.tight = false, .most_halvings = 0, .remainder = 0.0}, 12, 100, &values),
            0);
  EXPECT_GT(
      violations({.everywhere = true, .most_halvings = 0, .remainder = 0.0}, 12, 100, &values), 0);
}

/// Of robots of spheres, where the oracle's points are all there are.
TEST(ImpactBounds, AreTight) {
  Random random(12);
  for (int i = 0; i < (test::isLong() ? 40 : 6); ++i) {
    Problem problem = touchedRobot(random);
    RobotModel::Data data = problem.robot->data();
    for (Link& link : data.links) {
      for (Geometry& part : link.collision) part.shape = Sphere(0.05);
    }
    problem.robot = std::make_shared<const RobotModel>(std::move(data));
    const ImpactModel model(problem);
    const Trajectory trajectory = wanders(random, problem);
    const ImpactBounds found = impactBounds(problem, model, trajectory, {.everywhere = true});
    Sampler sampler(problem, model, trajectory);
    long values = 0;
    const std::vector<double> most = sampler.forces(found.bounds, 2000, random, &values);
    for (int l = 0; l < 2; ++l) {
      double upper = 0.0, seen = 0.0;
      for (std::size_t e = 0; e < most.size(); ++e) {
        if (found.bounds[e].limit != l) continue;
        upper = std::max(upper, found.bounds[e].upper);
        seen = std::max(seen, most[e]);
      }
      EXPECT_GE(upper, seen);
      EXPECT_LE(upper * upper, 1.01 * seen * seen + 1e-9) << "1 % of the energy, plan " << i;
    }
  }
}

/// A motion in s times the duration has 1/s of the force, and the stretch that follows is enough.
TEST(ImpactBounds, StretchKeepsTheLimits) {
  Random random(13);
  int stretched = 0;
  for (int i = 0; i < 8; ++i) {
    Problem problem = touchedRobot(random);
    problem.limits.contact[0].human_speed = random.uniform(0.0, 0.5);
    const Trajectory trajectory = wanders(random, problem);
    const double factor = provenContactStretch(problem, trajectory);
    if (factor == 1.0) continue;
    ++stretched;
    EXPECT_EQ(provenContactStretch(problem, slowedDown(trajectory, factor)), 1.0);
    EXPECT_GT(provenContactStretch(problem, slowedDown(trajectory, 0.98 * factor)), 1.0);
  }
  EXPECT_GT(stretched, 2);
}

/// Rows joined by straight lines: the speed jumps, and both sides count.
TEST(ImpactBounds, HoldWhereTheVelocityJumps) {
  Random random(14);
  for (int i = 0; i < 2; ++i) {
    const Problem problem = touchedRobot(random);
    const ImpactModel model(problem);
    const auto n = static_cast<Eigen::Index>(problem.planned.size());
    MatX rows(n, 5);
    for (double& x : rows.reshaped()) x = random.uniform(-0.3, 0.3);
    const Trajectory trajectory(HermiteCurve({0.0, 0.3, 0.5, 0.9, 1.0}, rows));
    const ImpactBounds found = impactBounds(problem, model, trajectory, {.most_halvings = 4});
    Sampler sampler(problem, model, trajectory);
    long values = 0;
    const std::vector<double> most = sampler.forces(found.bounds, 500, random, &values);
    for (std::size_t e = 0; e < most.size(); ++e) EXPECT_LE(most[e], found.bounds[e].upper);
  }
}

/// A contact that holds a moving link is a constraint, and may give way: only the cheap bound
/// holds.
TEST(ImpactBounds, OfLinksHeldByContactsAreTheCheapOnes) {
  Random random(15);
  Problem problem = touchedRobot(random);
  const Trajectory trajectory = wanders(random, problem);
  EXPECT_TRUE(ImpactModel(problem).mayBeExact());
  Contact hand;
  hand.kind = Contact::Kind::kPoint;
  hand.link = ImpactModel(problem).bodies().back().link;
  problem.contacts = {hand};
  const ImpactModel model(problem);
  EXPECT_FALSE(model.mayBeExact());
  EXPECT_EQ(impactBounds(problem, model, trajectory).tight_cells, 0);
}

}  // namespace
}  // namespace allclear
