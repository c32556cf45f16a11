#include "allclear/robot_models/motion/motion_bounds.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "allclear/robot_models/kinematics/chain_recursion.h"
#include "allclear/robot_models/motion/link_curves.h"
#include "support/random_robot.h"
#include "support/series.h"

namespace allclear {
namespace {

using test::Random;
using test::randomRobot;
using test::Series;

int samples(int quick, int full) { return std::getenv("ALLCLEAR_LONG") ? full : quick; }

/// A quintic span in which each coordinate is still, slow, fast or bent by the draw.
BernsteinSpan randomSpan(Random& random, const RobotModel& model, double duration) {
  MatX control(model.dimension(), 6);
  for (int k = 0; k < model.dimension(); ++k) {
    const Coordinate& c = model.coordinates()[k];
    const double middle = random.uniform(c.lower, c.upper);
    const double size = random.chance(0.2) ? 0.0 : random.logUniform(1e-6, 3.0);
    for (int i = 0; i < 6; ++i) {
      control(k, i) = std::clamp(middle + size * random.uniform(-1, 1), c.lower, c.upper);
    }
    if (random.chance(0.1)) {  // a constant rate: the bounds are tight there
      for (int i = 0; i < 6; ++i) control(k, i) = middle + size * i / 5.0;
      if (!c.is_angle) control.row(k).setConstant(middle);
    }
  }
  const double start = random.uniform(-10, 10);
  return BernsteinSpan({start, start + duration}, control);
}

/// q(t + tau) as series in tau.
std::vector<Series> seriesAt(const BernsteinSpan& span, double t) {
  std::vector<Series> q(span.dimension());
  double factorial = 1.0;
  for (int n = 0; n <= span.degree(); ++n) {
    if (n > 0) factorial *= n;
    const VecX d = span.value(t, n);
    for (int k = 0; k < span.dimension(); ++k) q[k].c[n] = d[k] / factorial;
  }
  return q;
}

double derivativeNorm(const Vec3T<Series>& p, int n) {
  return Vec3(p[0].derivative(n), p[1].derivative(n), p[2].derivative(n)).norm();
}

RobotModel drawRobot(Random& random) {
  test::RandomRobotOptions options;
  options.joints = random.integer(1, 10);
  options.serial = random.chance(0.5);
  options.floating_base = random.chance(0.1);
  return randomRobot(random, options);
}

TEST(Reach, BoundsTheDistanceToEveryAxisInAllConfigurations) {
  Random random(11);
  double tightest = 0.0;
  for (int r = 0; r < samples(400, 20000); ++r) {
    const RobotModel model = drawRobot(random);
    const MotionTree tree(model);
    const int link = random.integer(0, static_cast<int>(model.links().size()) - 1);
    const Vec3 p_LQ =
        random.chance(0.2) ? Vec3(Vec3::Zero()) : random.vector(random.logUniform(1e-3, 1.0));
    const auto chain = reachChain(tree, -1, link, p_LQ, coordinateRanges(model));
    const std::vector<int> path = tree.pathTo(tree.mounts()[link].node);
    ASSERT_EQ(chain.joints.size(), path.size());
    for (int s = 0; s < 50; ++s) {
      const VecX q = test::randomConfiguration(random, model);
      const std::vector<double> list(q.data(), q.data() + q.size());
      const auto X_WN = nodePoses<double>(tree, list);
      const Vec3 p_WQ = linkPosesOf<double>(tree, list)[link] * p_LQ;
      for (std::size_t j = 0; j < path.size(); ++j) {
        const MotionNode& node = tree.nodes()[path[j]];
        if (!node.turns) continue;
        const Vec3 axis = X_WN[path[j]].R.col(node.axis);
        const double distance = axis.cross(p_WQ - X_WN[path[j]].p).norm();
        ASSERT_LE(distance, chain.joints[j].reach * (1 + 1e-12) + 1e-13) << "robot " << r;
        if (distance > 1e-6) tightest = std::max(tightest, distance / chain.joints[j].reach);
      }
    }
  }
  EXPECT_GT(tightest, 0.99);
}

TEST(MotionMajorant, DominatesTrueDerivativesOfWorldMotion) {
  Random random(12);
  std::array<double, kMotionOrder + 1> tightest{};
  for (int r = 0; r < samples(400, 20000); ++r) {
    const RobotModel model = drawRobot(random);
    if (model.dimension() == 0) continue;
    const MotionTree tree(model);
    const int link = static_cast<int>(model.links().size()) - 1;
    const Vec3 p_LQ = random.vector(0.3);
    const Vec3 u = random.vector(random.logUniform(1e-3, 1.0));
    const auto chain = reachChain(tree, -1, link, p_LQ, coordinateRanges(model));
    for (int s = 0; s < 5; ++s) {
      const BernsteinSpan span = randomSpan(random, model, random.logUniform(1e-2, 10.0));
      const double length = random.logUniform(1e-4, 1.0) * span.time().length();
      const double start = random.uniform(span.time().lower, span.time().upper - length);
      DerivativeSuprema suprema;
      derivativeSuprema(span.restricted({start, start + length}).control(), length, &suprema);
      const MotionMajorant majorant = motionMajorant(chain, suprema);
      for (int i = 0; i < 10; ++i) {
        const auto X =
            linkPosesOf<Series>(tree, seriesAt(span, start + random.uniform(0, 1) * length));
        const Vec3T<Series> p = X[link] * Vec3T<Series>(p_LQ.cast<Series>());
        const Vec3T<Series> v = X[link].R * Vec3T<Series>(u.cast<Series>());
        for (int n = 1; n <= kMotionOrder; ++n) {
          const double linear = derivativeNorm(p, n);
          const double angular = derivativeNorm(v, n);
          ASSERT_LE(linear, majorant.linear[n] * (1 + 1e-10)) << r << " order " << n;
          ASSERT_LE(angular, majorant.angular[n] * u.norm() * (1 + 1e-10)) << r << " order " << n;
          if (majorant.linear[n] > 0)
            tightest[n] = std::max(tightest[n], linear / majorant.linear[n]);
        }
      }
    }
  }
  for (int n = 1; n <= kMotionOrder; ++n) EXPECT_GE(tightest[n], 0.9) << "vacuous at order " << n;
}

TEST(MotionMajorant, DominatesTrueDerivativesOfRelativeMotion) {
  Random random(13);
  double tightest = 0.0;
  for (int r = 0; r < samples(400, 20000); ++r) {
    const RobotModel model = drawRobot(random);
    if (model.dimension() == 0) continue;
    const MotionTree tree(model);
    const int count = static_cast<int>(model.links().size());
    const int base = random.integer(0, count - 1);
    const int link = random.integer(0, count - 1);
    const Vec3 p_LQ = random.vector(0.3);
    const auto chain = reachChain(tree, base, link, p_LQ, coordinateRanges(model));
    const BernsteinSpan span = randomSpan(random, model, random.logUniform(1e-2, 10.0));
    DerivativeSuprema suprema;
    derivativeSuprema(span.control(), span.time().length(), &suprema);
    const MotionMajorant majorant = motionMajorant(chain, suprema);
    const MotionMajorant whole =
        motionMajorant(reachChain(tree, -1, link, p_LQ, coordinateRanges(model)), suprema);
    for (int i = 0; i < 10; ++i) {
      std::vector<Series> q = seriesAt(span, random.uniform(span.time().lower, span.time().upper));
      // Joints that move both links alike do not count; at rest they do not drown the oracle in the
      // rounding of large derivatives that cancel.
      std::vector<bool> counts(q.size(), false);
      for (const ChainJoint& joint : chain.joints) counts[joint.coordinate] = true;
      for (std::size_t k = 0; k < q.size(); ++k) {
        if (!counts[k]) q[k] = Series(q[k].c[0]);
      }
      const auto X = linkPosesOf<Series>(tree, q);
      const Vec3T<Series> p = X[base].inverse() * (X[link] * Vec3T<Series>(p_LQ.cast<Series>()));
      for (int n = 1; n <= kMotionOrder; ++n) {
        const double linear = derivativeNorm(p, n);
        ASSERT_LE(linear, majorant.linear[n] * (1 + 1e-10) + 1e-12 * whole.angular[n] + 1e-16)
            << r << " order " << n;
        if (majorant.linear[n] > 1e-6) tightest = std::max(tightest, linear / majorant.linear[n]);
      }
    }
  }
  EXPECT_GE(tightest, 0.9);
}

/// Checks one curve against the true motion at random instants; returns the worst error / bound.
double worstRatio(Random& random, const BodyCurve& curve, const std::function<Pose(double)>& truth,
                  double radius) {
  double worst = 0.0;
  for (int i = 0; i < 20; ++i) {
    const double t = curve.time.lower + curve.time.length() * random.uniform(0, 1);
    const Pose X = truth(t);
    const Pose P = curve.pose(t);
    for (int j = 0; j < 3; ++j) {
      const Vec3 u = random.directionOfNormals() * radius * random.uniform(0, 1);
      const Vec3 p_B = curve.reference_B + u;
      const double error = (X * p_B - P * p_B).norm();
      worst = std::max(worst, error / curve.error(u.norm()));
    }
  }
  return worst;
}

TEST(LinkCurves, StayWithinTheirRemainderOfTheTrueMotion) {
  Random random(14);
  double tightest = 0.0;
  for (int r = 0; r < samples(200, 10000); ++r) {
    const RobotModel model = drawRobot(random);
    if (model.dimension() == 0) continue;
    LinkCurveBuilder::Options options;
    for (int l = 0; l < static_cast<int>(model.links().size()); ++l) options.links.push_back(l);
    const LinkCurveBuilder builder(model, options);
    LinkCurveBuilder::Workspace workspace(builder);
    const MotionTree tree(model);
    const BernsteinSpan span = randomSpan(random, model, random.logUniform(1e-2, 10.0));
    const double tolerance = random.logUniform(1e-9, 1e-1);
    LinkCurves curves;
    builder.build(span, tolerance, workspace, &curves);
    ASSERT_EQ(curves.cells.front().lower, span.time().lower);
    ASSERT_EQ(curves.cells.back().upper, span.time().upper);
    const int i = random.integer(0, static_cast<int>(options.links.size()) - 1);
    const int base = random.integer(0, static_cast<int>(options.links.size()) - 1);
    const int cell = random.integer(0, curves.cellCount() - 1);
    if (cell > 0) {
      ASSERT_EQ(curves.cells[cell].lower, curves.cells[cell - 1].upper);
    }
    const auto posesAt = [&](double t) {
      const VecX q = span.value(t);
      return linkPosesOf<double>(tree, {q.data(), q.data() + q.size()});
    };
    const BodyCurve& curve = curves.of(i)[cell];
    ASSERT_LE(curve.position_error, tolerance * 1.01 + 1e-11);
    const double ratio = worstRatio(
        random, curve, [&](double t) { return posesAt(t)[i]; }, 0.5);
    ASSERT_LE(ratio, 1.0) << "robot " << r << " link " << i;
    if (curve.position_error > 1e-10) tightest = std::max(tightest, ratio);
    const BodyCurve relative = builder.relativeCurve(span, curves, cell, base, i);
    const double relative_ratio = worstRatio(
        random, relative,
        [&](double t) {
          const auto X = posesAt(t);
          return X[base].inverse() * X[i];
        },
        0.5);
    ASSERT_LE(relative_ratio, 1.0) << "robot " << r << " links " << base << " " << i;
  }
  EXPECT_GE(tightest, 0.5);
}

/// A body's motion f along x over a cell from -1 to 1: the error of its interpolation, and the
/// bound that the checks and its 15th derivative give.
struct CheckedInterpolation {
  double worst = 0.0;  ///< error
  double bound = 0.0;

  CheckedInterpolation(const std::function<double(double)>& f, double derivative) {
    const auto moment = [&](int i) { return 2.0 * LobattoNodes::at(i) - 1.0; };
    BodyCurve curve;
    curve.time = {-1.0, 1.0};
    std::array<Pose, LobattoNodes::kCount> samples;
    for (int i = 0; i < LobattoNodes::kCount; ++i) samples[i].p.x() = f(moment(i));
    curve.control = LobattoNodes::controlFromSamples(samples);
    const auto polynomial = LobattoNodes::atChecks(samples);
    double deviation = 0.0;
    for (int j = 0; j < LobattoNodes::kChecks; ++j) {
      const double t = moment(LobattoNodes::kCount + j);
      EXPECT_NEAR(polynomial[j].p.x(), curve.pose(t).p.x(), 1e-12);
      deviation = std::max(deviation, std::abs(f(t) - polynomial[j].p.x()));
    }
    bound = kCheckedShare * deviation + kCheckedRest * derivative;
    for (int i = 0; i <= 4000; ++i) {
      const double t = -1.0 + i / 2000.0;
      worst = std::max(worst, std::abs(f(t) - curve.pose(t).p.x()));
    }
  }
};

TEST(LobattoNodes, BoundTheErrorBetweenThemByTheChecks) {
  constexpr double kFactorial15 = 1307674368000.0;
  Random random(16);
  for (int r = 0; r < 300; ++r) {
    // Roots where the interpolation has them, and others: near the checks, or anywhere.
    std::vector<double> roots;
    for (int i = 0; i < LobattoNodes::kCount; ++i) roots.push_back(2.0 * LobattoNodes::at(i) - 1.0);
    const int left_out = random.integer(0, LobattoNodes::kChecks);
    for (int j = 0; j < LobattoNodes::kChecks; ++j) {
      const double check = 2.0 * LobattoNodes::at(LobattoNodes::kCount + j) - 1.0;
      if (j == left_out) continue;
      roots.push_back(random.chance(0.8) ? check : random.uniform(-1.2, 1.2));
    }
    const double size = random.logUniform(1e-3, 1e3);
    const auto f = [&](double t) {
      double product = size;
      for (double root : roots) product *= t - root;
      return product;
    };
    const CheckedInterpolation one(f, roots.size() == 15 ? size * kFactorial15 : 0.0);
    ASSERT_LE(one.worst, one.bound * (1.0 + 1e-9)) << r;
  }
  // Where the checks see nothing, what is left is exactly the rest.
  const auto unseen = [](double t) {
    double product = 1.0;
    for (int i = 0; i < 15; ++i) product *= t - (2.0 * LobattoNodes::at(i) - 1.0);
    return product;
  };
  const CheckedInterpolation rest(unseen, kFactorial15);
  EXPECT_LE(rest.worst, rest.bound);
  EXPECT_GE(rest.worst, 0.999 * rest.bound);
  // Deviations of all signs, and nothing else: of some of them the share is attained.
  double tightest = 0.0;
  for (int signs = 0; signs < 1 << LobattoNodes::kChecks; ++signs) {
    const auto seen = [signs](double t) {
      double sum = 0.0;
      for (int j = LobattoNodes::kCount; j < 15; ++j) {
        double term = (signs >> (j - LobattoNodes::kCount)) & 1 ? 1.0 : -1.0;
        for (int i = 0; i < 15; ++i) {
          if (i == j) continue;
          const double root = 2.0 * LobattoNodes::at(i) - 1.0;
          term *= (t - root) / (2.0 * LobattoNodes::at(j) - 1.0 - root);
        }
        sum += term;
      }
      return sum;
    };
    const CheckedInterpolation one(seen, 0.0);
    ASSERT_LE(one.worst, one.bound * (1.0 + 1e-12)) << signs;
    tightest = std::max(tightest, one.worst / one.bound);
  }
  EXPECT_GE(tightest, 0.999);
}

TEST(LinkCurves, WidenTheirReachForSlidesBeyondTheLimits) {
  RobotModel::Data data;
  data.links = {{"base", -1, {}, {}, {}}, {"arm", 0, {}, {}, {}}, {"rail", 1, {}, {}, {}}};
  Joint turn, slide;
  turn.name = "turn";
  turn.type = JointType::kRevolute;
  turn.parent_link = 0;
  turn.child_link = 1;
  turn.axis = Vec3::UnitZ();
  turn.first_coordinate = 0;
  slide = turn;
  slide.name = "slide";
  slide.type = JointType::kPrismatic;
  slide.parent_link = 1;
  slide.child_link = 2;
  slide.axis = Vec3::UnitX();
  slide.first_coordinate = 1;
  data.joints = {turn, slide};
  data.coordinates = {{"turn", 0, true, false, -3, 3, 1, 1},
                      {"slide", 1, false, false, 0, 0.1, 1, 1}};
  const RobotModel model(data);
  LinkCurveBuilder::Options options;
  options.links = {2};
  const LinkCurveBuilder builder(model, options);
  LinkCurveBuilder::Workspace workspace(builder);
  MatX control(2, 2);
  control << 0.0, 1.0, 5.0, 5.0;
  LinkCurves curves;
  builder.build(BernsteinSpan({0.0, 1.0}, control), 1e-3, workspace, &curves);
  EXPECT_NEAR(curves.of(0)[0].bounds.linear[0], 5.0, 1e-9);
}

TEST(LinkCurves, NearlyAttainTheirRemainder) {
  RobotModel::Data data;
  data.links = {{"base", -1, {}, {}, {}},
                {"arm", 0, {}, {{Sphere(0.1), {Mat3::Identity(), {0.7, 0, 0}}}}, {}}};
  Joint turn;
  turn.name = "turn";
  turn.type = JointType::kRevolute;
  turn.parent_link = 0;
  turn.child_link = 1;
  turn.axis = Vec3::UnitZ();
  turn.first_coordinate = 0;
  data.joints = {turn};
  data.coordinates = {{"turn", 0, true, false, -3, 3, 1, 1}};
  const RobotModel model(data);
  const LinkCurveBuilder builder(model);
  LinkCurveBuilder::Workspace workspace(builder);
  MatX control(1, 2);
  control << -0.6, 0.6;
  LinkCurves curves;
  builder.build(BernsteinSpan({0.0, 1.0}, control), 1.0, workspace, &curves);
  ASSERT_EQ(curves.cellCount(), 1);
  const BodyCurve& curve = curves.of(0)[0];
  double worst = 0.0;
  for (int i = 0; i <= 1000; ++i) {
    const double t = i / 1000.0;
    const double angle = -0.6 + 1.2 * t;
    const Vec3 truth = 0.7 * Vec3(std::cos(angle), std::sin(angle), 0.0);
    worst = std::max(worst, (truth - curve.pose(t) * curve.reference_B).norm());
  }
  EXPECT_LE(worst, curve.position_error);
  EXPECT_GE(worst, 0.9 * curve.position_error);
}

/// Two joints that turn oppositely: the second link keeps its rotation, so that the checks see no
/// deviation of it, and what is left of the bound is the rest.
TEST(LinkCurves, KeepTheRestWhereTheChecksSeeNothing) {
  RobotModel::Data data;
  data.links = {{"base", -1, {}, {}, {}},
                {"arm", 0, {}, {}, {}},
                {"hand", 1, {}, {{Sphere(0.1), {Mat3::Identity(), Vec3::Zero()}}}, {}}};
  for (int j = 0; j < 2; ++j) {
    Joint turn;
    turn.name = "turn" + std::to_string(j);
    turn.type = JointType::kRevolute;
    turn.parent_link = j;
    turn.child_link = j + 1;
    turn.X_PJ.p = Vec3(j == 0 ? 0.0 : 0.3, 0.0, 0.0);
    turn.axis = Vec3::UnitZ();
    turn.first_coordinate = j;
    data.joints.push_back(turn);
    data.coordinates.push_back({turn.name, j, true, false, -3, 3, 1, 1});
  }
  const RobotModel model(data);
  const LinkCurveBuilder builder(model);
  LinkCurveBuilder::Workspace workspace(builder);
  MatX control(2, 2);
  control << -2.0, 2.0, 2.0, -2.0;  // 4 rad/s each way, for a second
  LinkCurves curves;
  builder.build(BernsteinSpan({0.0, 1.0}, control), 1e-3, workspace, &curves);
  ASSERT_EQ(curves.cellCount(), 1);
  const double rest = kCheckedRest * std::pow(0.5, 15) * std::pow(8.0, 15);
  ASSERT_GT(rest, 1e-8);
  EXPECT_NEAR(curves.of(0)[0].rotation_error, rest, 1e-4 * rest);
}

TEST(LinkCurves, OfStillLinksAreStill) {
  Random random(15);
  const RobotModel model = drawRobot(random);
  LinkCurveBuilder::Options options;
  options.links = {0};
  const LinkCurveBuilder builder(model, options);
  LinkCurveBuilder::Workspace workspace(builder);
  LinkCurves curves;
  builder.build(randomSpan(random, model, 1.0), 1e-6, workspace, &curves);
  ASSERT_EQ(curves.cellCount(), 1);
  EXPECT_EQ(curves.of(0)[0].bounds.linear[0], 0.0);
  EXPECT_LT(curves.of(0)[0].position_error, 1e-12);
}

}  // namespace
}  // namespace allclear
