// Energies of contacts against the mass matrix, against all directions, and against differences.
#include "allclear/planner/problem/impact_energy.h"

#include <gtest/gtest.h>

#include "allclear/planner/problem/body_regions.h"
#include "allclear/planner/problem/impact_points.h"
#include "allclear/planner/problem/impact_share.h"
#include "allclear/planner/problem/load.h"
#include "support/long_run.h"
#include "support/touched_robot.h"

namespace allclear {
namespace {

using test::Random;
using test::touchedRobot;
using test::TouchOracle;

VecX randomRates(Random& random, const Problem& problem) {
  VecX v = VecX::Zero(problem.robot->dimension());
  const double size = random.logUniform(1e-3, 3.0);
  for (int c : problem.planned) v[c] = random.chance(0.1) ? 0.0 : random.uniform(-size, size);
  return v;
}

VecX randomPlace(Random& random, const Problem& problem) {
  VecX q = problem.start;
  for (int c : problem.planned) q[c] = random.uniform(-2.0, 2.0);
  return q;
}

/// A point of the node's frame in that of the body's link.
Vec3 inLink(const ImpactModel& model, const ImpactBody& body, const Vec3& p_N) {
  return model.tree().mounts()[body.link].X_NL.inverse() * p_N;
}

/// Relative: mass matrices of random robots lose up to ten digits, here and in the oracle.
constexpr double kConditioning = 1e-6;

/// Weights of many corners are found to a part of the room that plans leave to the proof.
TEST(ImpactEnergy, IsThatOfTheMassMatrix) {
  Random random(1);
  const int robots = test::isLong() ? 2000 : 100;
  int compared = 0;
  for (int i = 0; i < robots; ++i) {
    const Problem problem = touchedRobot(random, random.chance(0.2));
    const ImpactModel model(problem);
    ImpactEnergy impacts(model);
    TouchOracle oracle(problem, *problem.robot);
    const VecX q = randomPlace(random, problem), v = randomRates(random, problem);
    impacts.place(q, v);
    oracle.place(q, v);
    double branches = 0.0;
    std::vector<bool> counted(model.tree().nodes().size(), false);
    for (const ImpactBody& body : model.bodies()) {
      if (!counted[body.branch]) branches += impacts.branchEnergy(body);
      counted[body.branch] = true;
      for (const ContactLimit& limit : problem.limits.contact) {
        const double most = impacts.fastest(body, limit.mass).energy;
        for (const ImpactCore& core : body.cores) {
          const ImpactEnergy::Touch touch = impacts.worst(body, core, limit.mass);
          EXPECT_LE(touch.energy, most * (1.0 + kConditioning))
              << "the cheap bound is below, robot " << i;
          // Any point of the core, its corners among them.
          for (int k = 0; k < 5; ++k) {
            Vec3 p = Vec3::Zero();
            double sum = 0.0;
            for (int c = 0; c < core.count; ++c) {
              const double w = k == 0 ? (c == 0) : -std::log(random.uniform(1e-12, 1.0));
              p += w * body.points[core.first + c];
              sum += w;
            }
            const double energy =
                oracle.energy(body.link, inLink(model, body, p / sum), limit.mass);
            EXPECT_LE(energy, touch.energy * (1.0 + kImpactRoom) + 1e-12) << "robot " << i;
            if (core.count > 1) continue;
            EXPECT_NEAR(energy, touch.energy, kConditioning * energy + 1e-15) << "robot " << i;
            ++compared;
          }
        }
      }
    }
    EXPECT_LE(branches, oracle.kineticEnergy() * (1.0 + 1e-9));
  }
  EXPECT_GT(compared, robots);
}

/// All of a region's mass moves along with the point: then nothing is stored in any direction.
TEST(ImpactEnergy, IsThatOfTheWorstDirection) {
  Random random(2);
  for (int i = 0; i < 20; ++i) {
    const Problem problem = touchedRobot(random);
    const ImpactModel model(problem);
    ImpactEnergy impacts(model);
    TouchOracle oracle(problem, *problem.robot);
    const VecX q = randomPlace(random, problem), v = randomRates(random, problem);
    impacts.place(q, v);
    oracle.place(q, v);
    for (const ImpactBody& body : model.bodies()) {
      const double mass = random.logUniform(0.1, 50.0);
      const ImpactCore corner{random.index(static_cast<int>(body.points.size())), 1};
      const double worst = impacts.worst(body, corner, mass).energy;
      const auto [u, W] = oracle.at(body.link, inLink(model, body, body.points[corner.first]));
      double most = 0.0;
      for (int k = 0; k < 20000; ++k) {
        const Vec3 n = random.directionOfNormals();
        most = std::max(most, 0.5 * u.dot(n) * u.dot(n) / (n.dot(W * n) + 1.0 / mass));
      }
      EXPECT_LE(most, worst * (1.0 + 1e-9));
      // Light points of heavy robots have a worst direction that few draws come near.
      EXPECT_GE(most, 0.98 * worst);
    }
  }
}

TEST(ImpactEnergy, BestRatesReachIt) {
  Random random(3);
  for (int i = 0; i < 50; ++i) {
    const Problem problem = touchedRobot(random);
    const ImpactModel model(problem);
    ImpactEnergy impacts(model), others(model);
    const VecX q = randomPlace(random, problem), v = randomRates(random, problem);
    impacts.place(q, v);
    for (const ImpactBody& body : model.bodies()) {
      const ImpactCore corner{0, 1};
      const ImpactEnergy::Touch touch = impacts.worst(body, corner, 2.0);
      const VecX y = impacts.bestRates(body, touch);
      others.place(q, y);
      double sum = 0.0;
      std::vector<bool> counted(model.tree().nodes().size(), false);
      for (const ImpactBody& other : model.bodies()) {
        if (!counted[other.branch]) sum += others.branchEnergy(other);
        counted[other.branch] = true;
      }
      others.place(q, v - y);
      ImpactBody point = body;
      point.points.resize(1);
      point.cores = {corner};
      // T K / (T + K) of the mass alone: K from the fastest point with an endless T.
      const double T = others.branchEnergy(point);
      const double E = others.fastest(point, 2.0).energy;
      const double K = E > 0.0 ? T * E / (T - E) : 0.0;
      EXPECT_NEAR(sum + K, touch.energy, 1e-6 * touch.energy + 1e-12);
    }
  }
}

/// Of a function of one vector, at x along d.
template <class Function>
double slopeOf(const Function& f, const VecX& x, const VecX& d) {
  constexpr double kStep = 1e-5;
  const double wide = (f(x + 2.0 * kStep * d) - f(x - 2.0 * kStep * d)) / (4.0 * kStep);
  const double near = (f(x + kStep * d) - f(x - kStep * d)) / (2.0 * kStep);
  return (4.0 * near - wide) / 3.0;
}

/// [J]: of a body at rest differences see only the square of their own step.
constexpr double kLeastEnergy = 1e-6;

TEST(ImpactEnergy, GradientsAreThoseOfDifferences) {
  Random random(4);
  for (int i = 0; i < 60; ++i) {
    const Problem problem = touchedRobot(random, random.chance(0.2));
    const ImpactModel model(problem);
    ImpactEnergy impacts(model);
    const VecX q = randomPlace(random, problem), v = randomRates(random, problem);
    const double mass = random.logUniform(0.1, 50.0);
    for (const ImpactBody& whole : model.bodies()) {
      // One point: the greatest of several has corners.
      ImpactBody body = whole;
      body.points = {whole.points[0]};
      body.cores = {{0, 1}};
      const auto exact = [&](const VecX& at_q, const VecX& at_v) {
        impacts.place(at_q, at_v);
        return impacts.worst(body, mass).energy;
      };
      const auto cheap = [&](const VecX& at_q, const VecX& at_v) {
        impacts.place(at_q, at_v);
        return impacts.fastest(body, mass).energy;
      };
      VecX by_q, by_v;
      const auto probe = [&](const auto& energy) {
        VecX d = VecX::Zero(q.size());
        for (int c : problem.planned) d[c] = random.uniform(-1.0, 1.0);
        const double scale = std::max(kLeastEnergy, energy(q, v));
        const double along_q = slopeOf([&](const VecX& x) { return energy(x, v); }, q, d);
        const double along_v = slopeOf([&](const VecX& x) { return energy(q, x); }, v, d);
        EXPECT_NEAR(by_q.dot(d), along_q, 1e-6 * std::max(scale, std::abs(along_q)));
        EXPECT_NEAR(by_v.dot(d), along_v, 1e-6 * std::max(scale, std::abs(along_v)));
      };
      impacts.place(q, v);
      impacts.gradient(body, impacts.worst(body, mass), &by_q, &by_v);
      probe(exact);
      impacts.place(q, v);
      impacts.gradient(body, mass, impacts.fastest(body, mass), &by_q, &by_v);
      probe(cheap);
    }
  }
}

/// Of a part with corners the worst mixture counts, whose weights are constant in the gradient.
TEST(ImpactEnergy, GradientOfManyPointsIsThatOfTheWorstMixture) {
  Random random(5);
  int mixed = 0;
  for (int i = 0; i < 40; ++i) {
    const Problem problem = touchedRobot(random);
    const ImpactModel model(problem);
    ImpactEnergy impacts(model);
    const VecX q = randomPlace(random, problem), v = randomRates(random, problem);
    for (const ImpactBody& body : model.bodies()) {
      impacts.place(q, v);
      const ImpactEnergy::Touch touch = impacts.worst(body, 40.0);
      mixed += touch.at.size() > 1;
      VecX by_q, by_v;
      impacts.gradient(body, touch, &by_q, &by_v);
      // A step along the gradient of the rates: energies are quadratic in them.
      impacts.place(q, 1.001 * v);
      const double more = impacts.worst(body, 40.0).energy;
      EXPECT_NEAR(more, 1.001 * 1.001 * touch.energy, 1e-9 * touch.energy);
      EXPECT_NEAR(by_v.dot(v), 2.0 * touch.energy, 1e-9 * touch.energy + 1e-15) << "Euler";
    }
  }
  EXPECT_GT(mixed, 5);
}

// What cannot matter is not computed, and the rest is as before.
TEST(ImpactShare, IsTheGreaterOfItAndWhatDoesNotMatter) {
  Random random(37);
  for (int i = 0; i < 40; ++i) {
    const Problem problem = touchedRobot(random);
    ImpactShare share(problem);
    const VecX q = problem.plannedPart(randomPlace(random, problem));
    const VecX v = problem.plannedPart(randomRates(random, problem));
    const double whole = share.at(q, v);
    for (double factor : {0.0, 0.3, 0.999, 1.001, 3.0}) {
      EXPECT_EQ(share.at(q, v, factor * whole), std::max(whole, factor * whole));
    }
  }
}

TEST(ImpactEnergy, PayloadsCount) {
  Random random(6);
  Problem problem = touchedRobot(random);
  const int link = static_cast<int>(problem.robot->links().size()) - 1;
  AttachedObject load{"load", link, {{Sphere(0.05), {}}}, {}};
  load.inertia = Inertia{3.0, Vec3(0.1, 0.0, 0.0), 0.02 * Mat3::Identity()};
  problem.attached.push_back(load);
  const ImpactModel model(problem);
  ImpactEnergy impacts(model);
  TouchOracle oracle(problem, *loadedRobot(problem));
  const VecX q = randomPlace(random, problem), v = randomRates(random, problem);
  impacts.place(q, v);
  oracle.place(q, v);
  const ImpactBody& body = model.bodies().back();
  ASSERT_EQ(body.name, "load");
  const double energy = oracle.energy(link, Vec3::Zero(), 0.6);
  EXPECT_NEAR(impacts.worst(body, 0.6).energy, energy, 1e-9 * energy);
}

TEST(ImpactEnergy, LimitsFollowFromSpringAndSpeed) {
  ContactLimit hand = *findBodyRegion("hand");
  EXPECT_NEAR(energyLimit(hand), 280.0 * 280.0 / (2.0 * 75e3), 1e-15);
  EXPECT_NEAR(springForce(hand, energyLimit(hand)), 280.0, 1e-9);
  hand.human_speed = 0.5;
  // The region at 0.5 m/s against a wall: all of its energy is stored.
  EXPECT_NEAR(springForce(hand, 0.0), std::sqrt(2.0 * 75e3 * 0.5 * 0.6 * 0.25), 1e-9);
  EXPECT_NEAR(springForce(hand, energyLimit(hand)), 280.0, 1e-9);
  hand.pressure = 1e6;
  hand.area = 1e-4;
  EXPECT_EQ(hand.forceLimit(), 100.0) << "the lesser of force and pressure over the area";
}

/// Whatever the person does within her speed, the norm inequality covers it.
TEST(ImpactEnergy, HumanSpeedIsCovered) {
  Random random(7);
  for (int i = 0; i < 2000; ++i) {
    const Mat3 L = Mat3::NullaryExpr([&] { return random.uniform(-1.0, 1.0); });
    const Mat3 W = L * L.transpose() * random.logUniform(1e-3, 10.0);
    const double mass = random.logUniform(0.1, 50.0), speed = random.logUniform(1e-2, 2.0);
    const Vec3 u = random.vector(1.0), w = speed * random.directionOfNormals();
    const Mat3 A = (W + Mat3::Identity() / mass).inverse();
    ContactLimit limit{"some", 30e3, mass, 300.0, {}, {}, speed, {}};
    const double force = std::sqrt(2.0 * limit.stiffness * 0.5 * (u - w).dot(A * (u - w)));
    EXPECT_LE(force, springForce(limit, 0.5 * u.dot(A * u)) * (1.0 + 1e-12));
  }
}

TEST(ImpactModel, PointsEncloseRoundSurfaces) {
  Random random(8);
  for (int i = 0; i < 200; ++i) {
    Problem problem = touchedRobot(random);
    RobotModel::Data data = problem.robot->data();
    for (Link& link : data.links) link.collision.clear();
    const Shape shape = test::randomShape(random);
    const bool thick =
        std::holds_alternative<Sphere>(shape) || std::holds_alternative<Capsule>(shape);
    data.links.back().collision = {{shape, {}}};
    problem.robot = std::make_shared<const RobotModel>(std::move(data));
    const ImpactModel model(problem);
    if (model.bodies().empty()) continue;  // on a link that nothing moves
    const ImpactBody& body = model.bodies()[0];
    EXPECT_EQ(body.is_round, thick);
    if (thick) continue;
    const Mat3 R_NL = model.tree().mounts()[body.link].X_NL.R;
    const Vec3 p_NL = model.tree().mounts()[body.link].X_NL.p;
    for (int k = 0; k < 20; ++k) {
      const Vec3 d = random.directionOfNormals();
      double farthest = -HUGE_VAL;
      for (const Vec3& p : body.points) farthest = std::max(farthest, (R_NL * d).dot(p - p_NL));
      // The shape's own extent along d, by what defines it.
      double extent = 0.0;
      if (const auto* c = std::get_if<Cylinder>(&shape)) {
        extent = c->radius() * std::hypot(d.x(), d.y()) + 0.5 * c->length() * std::abs(d.z());
      } else if (const auto* e = std::get_if<Ellipsoid>(&shape)) {
        extent = d.cwiseProduct(e->radii()).norm();
      } else if (const auto* n = std::get_if<Cone>(&shape)) {
        extent = std::max(0.5 * n->length() * d.z(),
                          n->radius() * std::hypot(d.x(), d.y()) - 0.5 * n->length() * d.z());
      }
      EXPECT_GE(farthest, extent * (1.0 - 1e-12));
    }
  }
}

/// Hulls of many corners are enclosed by few, and not by much more than they are.
TEST(ImpactModel, ManyCornersAreEnclosedByFew) {
  Random random(9);
  int bodies = 0, fewer = 0;  // flat ones keep theirs, and so do those that few would not fit
  for (int i = 0; i < 40; ++i) {
    Problem problem = touchedRobot(random);
    RobotModel::Data data = problem.robot->data();
    for (Link& link : data.links) link.collision.clear();
    std::vector<Vec3> points;
    const Vec3 axes(random.logUniform(0.02, 0.3), random.logUniform(0.02, 0.3), 0.1);
    const bool is_flat = random.chance(0.2), is_box = random.chance(0.3);
    for (int k = 0; k < 500; ++k) {
      Vec3 d = random.directionOfNormals();
      if (is_box) d /= d.cwiseAbs().maxCoeff();
      points.push_back(d.cwiseProduct(axes));
      if (is_flat) points.back().z() = 0.0;
    }
    data.links.back().collision = {{ConvexMesh(points), {}}};
    problem.robot = std::make_shared<const RobotModel>(std::move(data));
    const ImpactModel model(problem);
    if (model.bodies().empty()) continue;
    const ImpactBody& body = model.bodies()[0];
    ++bodies;
    fewer += body.points.size() < 300;
    const Pose& X_NL = model.tree().mounts()[body.link].X_NL;
    for (int k = 0; k < 200; ++k) {
      const Vec3 d = random.directionOfNormals();
      double of_all = -HUGE_VAL, of_few = -HUGE_VAL;
      for (const Vec3& p : points) of_all = std::max(of_all, (X_NL.R * d).dot(X_NL * p));
      for (const Vec3& p : body.points) of_few = std::max(of_few, (X_NL.R * d).dot(p));
      EXPECT_GE(of_few, of_all - 1e-12);
      EXPECT_LE(of_few, of_all + 0.06 * axes.maxCoeff());
    }
  }
  EXPECT_GT(fewer, bodies / 2);
}

}  // namespace
}  // namespace allclear
