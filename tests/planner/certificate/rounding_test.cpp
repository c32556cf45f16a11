// The curves that a proof rests on, against the exact motion in long double: at big angles, long
// arms and late instants the rounding of coordinates and times is the largest of all errors.
#include <gtest/gtest.h>

#include <cmath>

#include "allclear/distance/geometry/convex_hull.h"
#include "allclear/planner/certificate/motion.h"
#include "planner/certificate/certificate_fixture.h"

namespace allclear {
namespace {

using Extended = long double;
using test::Random;

/// The spline's coordinate k at t: de Boor's algorithm on knots times duration.
Extended valueOf(const BSpline& spline, int k, Extended t) {
  const std::vector<double>& knots = spline.basis().knots();
  const int p = spline.degree();
  const Extended s = t / spline.duration();
  int i = p;
  while (i + 1 < spline.control().cols() && Extended(knots[i + 1]) <= s) ++i;
  std::vector<Extended> d;
  for (int j = 0; j <= p; ++j) d.push_back(spline.control()(k, i - p + j));
  for (int r = 1; r <= p; ++r) {
    for (int j = p; j >= r; --j) {
      const Extended low = knots[i - p + j], high = knots[i + 1 + j - r];
      const Extended a = (s - low) / (high - low);
      d[j] = (1 - a) * d[j - 1] + a * d[j];
    }
  }
  return d[p];
}

/// The curve's polynomial at t, times the point u.
Vec3T<Extended> pointOn(const BodyCurve& curve, Extended t, const Vec3& u) {
  const Extended s = (t - curve.time.lower) / (Extended(curve.time.upper) - curve.time.lower);
  std::array<Vec3T<Extended>, BodyCurve::kDegree + 1> at;
  for (int k = 0; k <= BodyCurve::kDegree; ++k) {
    at[k] = curve.control[k].R.cast<Extended>() * u.cast<Extended>() +
            curve.control[k].p.cast<Extended>();
  }
  for (int level = BodyCurve::kDegree; level > 0; --level) {
    for (int k = 0; k < level; ++k) at[k] = (1 - s) * at[k] + s * at[k + 1];
  }
  return at[0];
}

/// A serial robot with links up to 10 km long. Its spline either stays at a huge angle, or is fast
/// at a late instant: then its last spans are as short as a 10^-8 of the duration.
struct Case {
  Problem problem;
  Trajectory trajectory;
};

Case randomCase(Random& random) {
  RobotModel::Data data;
  data.links.push_back({"base", -1, {}, {}, {}});
  const int joints = random.integer(1, 4);
  const bool is_late = random.chance(0.5);
  const double length = random.logUniform(1.0, 1e4), duration = random.logUniform(1.0, 1e8);
  const double angle = is_late ? 1.0 : random.logUniform(1.0, 9e8);
  const double last = is_late ? random.logUniform(1e-8, 0.1) : 0.25;
  for (int j = 0; j < joints; ++j) {
    Joint joint;
    joint.name = "joint" + std::to_string(j);
    joint.parent_link = j;
    joint.child_link = j + 1;
    joint.X_PJ = {random.rotationOfNormals(), random.vector(length)};
    joint.axis = random.directionOfNormals();
    joint.type = random.chance(0.2) ? JointType::kPrismatic : JointType::kRevolute;
    joint.first_coordinate = j;
    data.joints.push_back(joint);
    Coordinate c;
    c.name = joint.name;
    c.joint = j;
    c.is_angle = joint.type == JointType::kRevolute;
    c.upper = angle + 2.0;
    c.lower = -c.upper;
    data.coordinates.push_back(c);
    data.links.push_back({"link" + std::to_string(j), j, {}, {}, {}});
  }
  Problem problem;
  problem.robot = std::make_shared<const RobotModel>(std::move(data));
  for (int j = 0; j < joints; ++j) problem.planned.push_back(j);
  problem.start = VecX::Zero(joints);
  KeepInBox keep;
  keep.link = joints;
  problem.path_constraints = {keep};
  MatX control(joints, 9);
  for (int j = 0; j < joints; ++j) {
    const double middle = random.chance(0.5) ? angle : -angle;
    for (int i = 0; i < 9; ++i) control(j, i) = middle + random.uniform(-1.0, 1.0);
  }
  std::vector<double> knots(6, 0.0);
  for (int i = 3; i > 0; --i) knots.push_back(1.0 - i * last);
  knots.insert(knots.end(), 6, 1.0);
  return {std::move(problem),
          BSpline(std::make_shared<const BSplineBasis>(knots, 5), control, duration)};
}

TEST(RoundingOfTheMotion, CurvesHoldTheExactMotionAtBigAnglesLongArmsAndLateInstants) {
  double worst = 0.0;
  for (int seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(400u + static_cast<unsigned>(seed));
    const Case c = randomCase(random);
    const CertifiedGeometry geometry = certifiedGeometry(c.problem);
    const int link = std::get<KeepInBox>(c.problem.path_constraints[0]).link;
    const CertifiedMotion motion(c.problem, geometry, c.trajectory, 1e-6);
    const MotionTree tree(*c.problem.robot);
    for (int sample = 0; sample < 40; ++sample) {
      const auto& curves = motion.linkCurve(link);
      const BodyCurve& curve = curves[random.integer(0, static_cast<int>(curves.size()) - 1)];
      const Extended share = random.uniform(0.0, 1.0);
      const Extended t = (1 - share) * curve.time.lower + share * curve.time.upper;
      std::vector<Extended> q;
      for (int k = 0; k < c.problem.plannedCount(); ++k) {
        q.push_back(valueOf(*c.trajectory.bspline(), k, t));
      }
      const Vec3 u = random.vector(random.logUniform(1.0, 1e6));
      const Vec3T<Extended> exact = linkPosesOf(tree, q)[link] * u.cast<Extended>().eval();
      const double off = static_cast<double>((pointOn(curve, t, u) - exact).norm());
      const double error = curve.error((u - curve.reference_B).norm());
      ASSERT_LE(off, error);
      worst = std::max(worst, off / error);
    }
  }
  EXPECT_GT(worst, 1e-3);  // the bound is no wild guess
}

TEST(RoundingOfTheMotion, ABuildersCurvesHoldTheSpanThatItIsGiven) {
  for (int seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(2500u + static_cast<unsigned>(seed));
    const Case c = randomCase(random);
    const int link = std::get<KeepInBox>(c.problem.path_constraints[0]).link;
    LinkCurveBuilder::Options options;
    options.links = {link};
    const LinkCurveBuilder builder(*c.problem.robot, options);
    LinkCurveBuilder::Workspace workspace(builder);
    LinkCurves curves;
    const BernsteinSpan span(c.trajectory.spanTime(1), c.trajectory.span(1).control());
    builder.build(span, 1e-6, workspace, &curves);
    const MotionTree tree(*c.problem.robot);
    for (int sample = 0; sample < 40; ++sample) {
      const int cell = random.integer(0, curves.cellCount() - 1);
      const BodyCurve& curve = curves.of(0)[cell];
      const Extended share = random.uniform(0.0, 1.0);
      const Extended t = (1 - share) * curve.time.lower + share * curve.time.upper;
      const Extended s = (t - span.time().lower) / Extended(span.time().length());
      std::vector<Extended> q;
      for (int k = 0; k < span.dimension(); ++k) {
        std::vector<Extended> d(span.degree() + 1);
        for (int i = 0; i <= span.degree(); ++i) d[i] = span.control()(k, i);
        for (int level = span.degree(); level > 0; --level) {
          for (int i = 0; i < level; ++i) d[i] = (1 - s) * d[i] + s * d[i + 1];
        }
        q.push_back(d[0]);
      }
      const Vec3 u = random.vector(random.logUniform(1.0, 1e6));
      const Vec3T<Extended> exact = linkPosesOf(tree, q)[link] * u.cast<Extended>().eval();
      ASSERT_LE(static_cast<double>((pointOn(curve, t, u) - exact).norm()),
                curve.error((u - curve.reference_B).norm()));
    }
  }
}

TEST(RoundingOfTheMotion, ObstaclesHoldTheirMotionLateAndFast) {
  double worst = 0.0;
  for (int seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(900u + static_cast<unsigned>(seed));
    // At about `late` the obstacle moves from a to b, at up to 1e6 m/s.
    const double late = random.logUniform(1.0, 1e9), length = random.logUniform(1e-3, 1.0);
    const double angle = random.uniform(-2.0, 2.0), reach = random.logUniform(1e-3, 1.0);
    const Vec3 axis = Vec3::UnitZ();
    Obstacle obstacle;
    obstacle.id = "shuttle";
    obstacle.geometry = {{Sphere(reach), {}}};
    obstacle.motion = {{late, {Mat3::Identity(), random.vector(1.0)}},
                       {late + length, {rotationAbout(axis, angle), random.vector(1e3)}},
                       {late + length + 1.0, {Mat3::Identity(), random.vector(1e6)}}};
    const PoseKnot &a = obstacle.motion[0], &b = obstacle.motion[1];
    const Interval all{a.time, b.time};
    std::vector<double> times = obstacle.breaks(all, 1e-6);
    times.insert(times.begin(), all.lower);
    times.push_back(all.upper);
    const Extended turn = std::atan2(Extended(b.X_WO.R(1, 0)), Extended(b.X_WO.R(0, 0)));
    for (std::size_t i = 0; i + 1 < times.size(); ++i) {
      const BodyCurve curve = obstacle.curve({times[i], times[i + 1]});
      for (int sample = 0; sample < 20; ++sample) {
        const Extended share = sample == 0 ? 1.0 : random.uniform(0.0, 1.0);
        const Extended t = (1 - share) * times[i] + share * times[i + 1];
        const Extended s = (t - a.time) / (Extended(b.time) - a.time);
        const Vec3 u(reach, 0.0, 0.0);
        const Vec3T<Extended> p =
            (1 - s) * a.X_WO.p.cast<Extended>() + s * b.X_WO.p.cast<Extended>();
        const Vec3T<Extended> turned(std::cos(s * turn) * reach, std::sin(s * turn) * reach, 0.0L);
        const double off = static_cast<double>((pointOn(curve, t, u) - (p + turned)).norm());
        ASSERT_LE(off, curve.error(reach));
        worst = std::max(worst, off / curve.error(reach));
      }
    }
  }
  EXPECT_GT(worst, 1e-3);
}

/// How far the box (placed by X) reaches along n, in long double.
Extended reachOf(const Box& box, const PoseT<Extended>& X, const Vec3& n) {
  const Vec3T<Extended> w = X.R.transpose() * n.cast<Extended>();
  return n.cast<Extended>().dot(X.p) + w.cwiseAbs().dot(box.halfSize().cast<Extended>());
}

TEST(RoundingOfTheMotion, ABoundHoldsWithoutAnyPadding) {
  // What a checker accepts is a bound that `lowerBound` reaches, however it was padded when it was
  // made: so that bound has to hold by itself, in any direction and during any part of a cell.
  double tightest = std::numeric_limits<double>::infinity();
  for (int seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(1700u + static_cast<unsigned>(seed));
    Case c = randomCase(random);
    const int link = std::get<KeepInBox>(c.problem.path_constraints[0]).link;
    RobotModel::Data data{{},
                          c.problem.robot->links(),
                          c.problem.robot->joints(),
                          c.problem.robot->coordinates(),
                          {},
                          {},
                          {},
                          {},
                          {},
                          {}};
    const Box box(random.vector(1.0).cwiseAbs() + Vec3::Constant(0.01));
    data.links[link].collision = {{box, {random.rotationOfNormals(), random.vector(1.0)}}};
    const Pose X_LG = data.links[link].collision[0].X_BG;
    c.problem.robot = std::make_shared<const RobotModel>(std::move(data));
    const Pose X_WO{random.rotationOfNormals(), random.vector(random.logUniform(1.0, 1e4))};
    c.problem.obstacles = {{"box", X_WO, {{box, {}}}, {}}};
    const CertifiedGeometry geometry = certifiedGeometry(c.problem);
    ASSERT_EQ(geometry.pairs.size(), 1u);
    const CertifiedMotion motion(c.problem, geometry, c.trajectory, 1e-6);
    const MotionTree tree(*c.problem.robot);
    for (int round = 0; round < 5; ++round) {
      const Vec3 n = random.directionOfNormals();
      const Interval cell =
          motion.cells()[random.integer(0, static_cast<int>(motion.cells().size()) - 1)];
      const double u = random.uniform(0.0, 1.0), v = random.logUniform(1e-6, 1.0) * (1.0 - u);
      const Interval time{cell.lower + u * cell.length(), cell.lower + (u + v) * cell.length()};
      const double bound =
          motion.lowerBound({0, 0, MeshFidelity::kHull}, {1, 0, MeshFidelity::kHull}, n, time);
      for (int sample = 0; sample <= 10; ++sample) {
        const Extended share = sample / 10.0L;
        const Extended t = (1 - share) * time.lower + share * time.upper;
        std::vector<Extended> q;
        for (int k = 0; k < c.problem.plannedCount(); ++k) {
          q.push_back(valueOf(*c.trajectory.bspline(), k, t));
        }
        const auto cast = [](const Pose& X) {
          return PoseT<Extended>{X.R.cast<Extended>(), X.p.cast<Extended>()};
        };
        const PoseT<Extended> X_WA = linkPosesOf(tree, q)[link] * cast(X_LG);
        // The length of n is 1 to rounding; the room is measured along n itself.
        const Extended room =
            -(reachOf(box, X_WA, n) + reachOf(box, cast(X_WO), -n)) / n.cast<Extended>().norm();
        ASSERT_LE(static_cast<Extended>(bound), room);
        tightest = std::min(tightest, static_cast<double>(room - bound));
      }
    }
  }
  EXPECT_LT(tightest, 1e-5);
}

TEST(RoundingOfTheMotion, ABoundAtAHugeAngleIsNoBetterThanTheAngleIsKnown) {
  // An arm of 10 km that stands at nearly 9e8 rad: an epsilon of the angle is a millimetre.
  const double arm = 1e4, angle = 9e8 + 0.123456789;
  RobotModel::Data data;
  data.links.push_back({"base", -1, {}, {}, {}});
  data.links.push_back({"arm", 0, {}, {{Sphere(0.1), {Mat3::Identity(), {arm, 0, 0}}}}, {}});
  Joint joint;
  joint.name = "turn";
  joint.parent_link = 0;
  joint.child_link = 1;
  joint.axis = Vec3::UnitZ();
  joint.type = JointType::kRevolute;
  joint.first_coordinate = 0;
  data.joints.push_back(joint);
  Coordinate coordinate;
  coordinate.name = "turn";
  coordinate.joint = 0;
  coordinate.is_angle = true;
  coordinate.lower = -1e9;
  coordinate.upper = 1e9;
  data.coordinates.push_back(coordinate);
  Problem problem;
  problem.robot = std::make_shared<const RobotModel>(std::move(data));
  problem.planned = {0};
  problem.start = VecX::Constant(1, angle);
  problem.goal = JointTarget{{0}, VecX::Constant(1, angle)};
  // The arm turns by 0.1 rad and back, with knots at thirds; the least distance over all of that
  // in long double, from a ball near the turning point.
  MatX control = MatX::Constant(1, 12, angle);
  for (int i = 3; i < 9; ++i) control(0, i) += 0.1;
  const BSpline spline(control, 3.7);
  Extended farthest = 0.0;
  for (int i = 0; i <= 20000; ++i)
    farthest = std::max(farthest, valueOf(spline, 0, 3.7L * i / 20000));
  const Extended toward = farthest + Extended(0.2009) / arm;  // 0.9 mm beyond the two radii
  const Vec3 ball(static_cast<double>(arm * std::cos(toward)),
                  static_cast<double>(arm * std::sin(toward)), 0.0);
  problem.obstacles.push_back({"ball", {Mat3::Identity(), ball}, {{Sphere(0.1), {}}}, {}});
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  CertifiedMotion motion(problem, geometry, spline, 1e-6);
  Extended exact = 1e9;
  for (int i = 0; i <= 20000; ++i) {
    const Extended q = valueOf(spline, 0, 3.7L * i / 20000);
    const Vec3T<Extended> p(arm * std::cos(q), arm * std::sin(q), 0.0L);
    exact = std::min(exact, (p - ball.cast<Extended>()).norm() - 0.2L);
  }
  const Vec3 n =
      Vec3(-std::sin(static_cast<double>(toward)), std::cos(static_cast<double>(toward)), 0);
  double proven = std::numeric_limits<double>::infinity();
  for (const Interval& cell : motion.cells()) {
    proven = std::min(proven, motion.lowerBound({0, 0, MeshFidelity::kHull},
                                                {1, 0, MeshFidelity::kHull}, n, cell));
  }
  EXPECT_LE(proven, static_cast<double>(exact));
}

TEST(RoundingOfTheMotion, ABoundHoldsForAMeshWithVeryShortEdges) {
  // The tip of a tool: 3,000 corners of a unit sphere within 1e-5 rad of its top. Their edges are
  // so short that one step along the right edge gains less than the height of the tip is rounded.
  Random random(77);
  std::vector<Vec3> points{{1, 0, 0}, {-0.5, 0.8, 0}, {-0.5, -0.8, 0}, {0, 0, -1}};
  while (points.size() < 3000) {
    points.push_back(Vec3(4e-6 * random.normal(), 4e-6 * random.normal(), 1.0).normalized());
  }
  RobotModel::Data data;
  data.links.push_back({"base", -1, {}, {}, {}});
  data.links.push_back({"tool", 0, {}, {{ConvexMesh(points), {}}}, {}});
  Joint joint;
  joint.name = "slide";
  joint.parent_link = 0;
  joint.child_link = 1;
  joint.axis = Vec3::UnitX();
  joint.type = JointType::kPrismatic;
  joint.first_coordinate = 0;
  data.joints.push_back(joint);
  Coordinate coordinate;
  coordinate.name = "slide";
  coordinate.joint = 0;
  coordinate.lower = -1.0;
  coordinate.upper = 1.0;
  data.coordinates.push_back(coordinate);
  Problem problem;
  problem.robot = std::make_shared<const RobotModel>(std::move(data));
  problem.planned = {0};
  problem.start = VecX::Zero(1);
  problem.goal = JointTarget{{0}, VecX::Zero(1)};
  problem.obstacles = {{"ball", {Mat3::Identity(), {0, 0, 2.0}}, {{Sphere(0.5), {}}}, {}}};
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  const BSpline spline(MatX::Zero(1, 12), 1.0);  // stays where it is
  const CertifiedMotion motion(problem, geometry, spline, 1e-6);
  // Directions near the normals of faces: along these many corners are all but level.
  const ConvexHull hull = convexHull(points);
  for (int i = 0; i < 20000; ++i) {
    const Triangle& f = hull.facets[random.index(static_cast<int>(hull.facets.size()))];
    const Vec3 normal = (points[f[1]] - points[f[0]]).cross(points[f[2]] - points[f[0]]);
    const double tilt = random.logUniform(1e-14, 1e-3);
    const Vec3 n = (normal.normalized() + tilt * random.directionOfNormals()).normalized();
    Extended reach = -2.0L;
    for (int k : hull.vertices) {
      reach = std::max(reach, n.cast<Extended>().dot(points[k].cast<Extended>()));
    }
    const Extended length = n.cast<Extended>().norm();
    const Extended room = (2.0L * n.z() - reach) / length - 0.5L;
    const double bound = motion.lowerBound({0, 0, MeshFidelity::kHull}, {1, 0, MeshFidelity::kHull},
                                           n, motion.cells()[0]);
    ASSERT_LE(bound, static_cast<double>(room)) << i;
  }
}

}  // namespace
}  // namespace allclear
