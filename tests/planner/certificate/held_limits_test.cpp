// Held poses and lines in a certificate, against dense sampling in long double.
#include "allclear/planner/certificate/held_limits.h"

#include <gtest/gtest.h>

#include <numbers>

#include "allclear/planner/certificate.h"
#include "allclear/planner/problem/line.h"
#include "allclear/robot_models/kinematics/chain_recursion.h"
#include "support/example_arm.h"
#include "support/random.h"

namespace allclear {
namespace {

using Real = long double;
using RealPose = PoseT<Real>;
using RealVec = Vec3T<Real>;
using RealMat = Mat3T<Real>;

constexpr double kPi = std::numbers::pi;

/// The arm of seven joints in free space, and a curve that bends.
struct Swing {
  Problem problem;
  BSpline curve;

  explicit Swing(test::Random& random, double bend)
      : problem(armProblem(random)), curve(curveOf(problem, random, bend)) {}

  static Problem armProblem(test::Random& random) {
    Problem problem;
    problem.robot = test::exampleArm();
    for (int k = 0; k < 7; ++k) problem.planned.push_back(k);
    problem.start = VecX::Zero(problem.robot->dimension());
    problem.start.head(7) << -0.4, 0.5, 0.1, 1.2, 0.2, 0.8, 0.0;
    const VecX goal = problem.plannedPart(problem.start) + random.vectorX(7, 0.4);
    problem.goal = JointTarget{problem.planned, goal};
    return problem;
  }
  static BSpline curveOf(const Problem& problem, test::Random& random, double bend) {
    constexpr int kCount = 13;
    const VecX from = problem.plannedPart(problem.start);
    const VecX to = std::get<JointTarget>(problem.goal).values;
    MatX control(7, kCount);
    for (int i = 0; i < kCount; ++i) {
      const double s = std::clamp((i - 2.0) / (kCount - 5.0), 0.0, 1.0);
      control.col(i) = (1.0 - s) * from + s * to;
      if (i > 2 && i < kCount - 3) control.col(i) += random.vectorX(7, bend);
    }
    return BSpline(control, 2.0);
  }
};

/// Poses of links along the curve in long double, at times given exactly.
class Oracle {
 public:
  Oracle(const Problem& problem, const BSpline& curve)
      : problem_(problem), curve_(curve), tree_(*problem.robot) {}

  std::vector<RealPose> at(double t) const {
    const VecX q = problem_.configuration(curve_.value(t));
    return linkPosesOf(tree_, std::vector<Real>(q.begin(), q.end()));
  }

 private:
  const Problem& problem_;
  const BSpline& curve_;
  MotionTree tree_;
};

RealPose real(const Pose& X) { return {X.R.cast<Real>(), X.p.cast<Real>()}; }

Real angleOf(const RealMat& R) {
  const Real norm = (R - RealMat::Identity()).norm();
  return 2 * std::asin(std::min<Real>(1, norm / std::sqrt(Real(8))));
}

/// exp of a rotation vector, by Rodrigues.
RealMat turned(const Vec3& turn, Real u) {
  const RealVec r = turn.cast<Real>();
  const Real theta = r.norm();
  if (theta == 0) return RealMat::Identity();
  const RealVec n = r / theta;
  RealMat W;
  W << 0, -n.z(), n.y(), n.z(), 0, -n.x(), -n.y(), n.x(), 0;
  const Real psi = u * theta;
  return RealMat::Identity() + std::sin(psi) * W + (1 - std::cos(psi)) * (W * W);
}

const CertifiedLimit* find(const Certificate& certificate, const std::string& quantity) {
  for (const CertifiedLimit& limit : certificate.limits) {
    if (limit.quantity == quantity) return &limit;
  }
  return nullptr;
}

TEST(HeldPose, BoundsAreAboveWhatIsSampledByLittle) {
  test::Random random(21);
  for (int trial = 0; trial < 12; ++trial) {
    Swing swing(random, random.logUniform(1e-6, 0.3));
    const int links = static_cast<int>(swing.problem.robot->links().size());
    KeepPose keep;
    keep.link = swing.problem.robot->findLink("tool");
    keep.X_LP = random.pose(0.2);
    keep.relative_to = random.chance(0.3) ? -1 : random.integer(0, links - 1);
    if (keep.relative_to == keep.link) keep.relative_to = -1;
    const Oracle oracle(swing.problem, swing.curve);
    const auto X0 = oracle.at(0.7);
    const RealPose other = keep.relative_to < 0 ? RealPose() : X0[keep.relative_to];
    const RealPose X_AP = other.inverse() * X0[keep.link] * real(keep.X_LP);
    keep.X_AP = {X_AP.R.cast<double>(), X_AP.p.cast<double>()};
    // Off by a turn near half a turn in some trials.
    if (random.chance(0.3)) keep.X_AP.R = keep.X_AP.R * rotationAbout(Vec3::UnitX(), kPi - 0.5);
    swing.problem.path_constraints = {keep};
    const Certificate certificate = certify(swing.problem, swing.curve);
    const CertifiedLimit* place = find(certificate, "held position");
    const CertifiedLimit* turn = find(certificate, "held orientation");
    ASSERT_TRUE(place != nullptr && turn != nullptr);
    Real most = 0, most_turn = 0;
    for (int i = 0; i <= 4000; ++i) {
      const auto X = oracle.at(2.0 * i / 4000);
      const RealPose A = keep.relative_to < 0 ? RealPose() : X[keep.relative_to];
      const RealPose P = A.inverse() * X[keep.link] * real(keep.X_LP);
      most = std::max<Real>(most, (P.p - X_AP.p).norm());
      most_turn = std::max<Real>(most_turn, angleOf(keep.X_AP.R.cast<Real>().transpose() * P.R));
    }
    EXPECT_GE(place->upper, static_cast<double>(most)) << trial;
    EXPECT_LE(place->upper, 1.02 * static_cast<double>(most) + 2e-5) << trial;
    EXPECT_GE(turn->upper, static_cast<double>(most_turn)) << trial;
    EXPECT_LE(turn->upper, 1.05 * static_cast<double>(most_turn) + 1e-4) << trial;
    EXPECT_EQ(place->kept, place->upper <= keep.position_tolerance + 1e-6);
  }
}

TEST(HeldPose, OfWhatIsFreeHasNoLimit) {
  test::Random random(22);
  Swing swing(random, 0.1);
  KeepPose keep;
  keep.link = swing.problem.robot->findLink("tool");
  keep.position_tolerance = HUGE_VAL;
  swing.problem.path_constraints = {keep};
  const Certificate certificate = certify(swing.problem, swing.curve);
  EXPECT_EQ(find(certificate, "held position"), nullptr);
  ASSERT_NE(find(certificate, "held orientation"), nullptr);
}

/// A line near the curve: from where it has the tool at one instant towards another.
KeepOnLine lineNear(const Oracle& oracle, const Problem& problem, test::Random& random) {
  KeepOnLine line;
  line.link = problem.robot->findLink("tool");
  line.X_LP = random.pose(0.2);
  const auto poseAt = [&](double t) {
    const RealPose X = oracle.at(t)[line.link] * real(line.X_LP);
    return Pose{X.R.cast<double>(), X.p.cast<double>()};
  };
  line.X_WA = poseAt(0.0);
  Pose end = poseAt(2.0);
  switch (random.integer(0, 4)) {
    case 0:
      end.p = line.X_WA.p;  // no length
      break;
    case 1:
      end.R = line.X_WA.R;  // no turn
      break;
    case 2:
      end.R = rotationAbout(random.directionOfNormals(), kPi - 1e-9) * line.X_WA.R;
      break;
    case 3:
      end.p = line.X_WA.p + 1e-7 * random.directionOfNormals();
      break;
    default:
      break;
  }
  line.stretches = stretchesBetween({line.X_WA, end});
  line.position_tolerance = random.logUniform(1e-4, 0.3);
  line.angle_tolerance = random.logUniform(1e-3, 1.0);
  return line;
}

// What holds for all t: no instant may have all its places of the line farther than the bounds say.
// (Both bounds come from one choice of places, which need not be the best for either.)
TEST(Line, BoundsAreAboveTheNearestPlaceOfEveryInstant) {
  test::Random random(23);
  for (int trial = 0; trial < 16; ++trial) {
    Swing swing(random, random.logUniform(1e-5, 0.3));
    const Oracle oracle(swing.problem, swing.curve);
    const KeepOnLine line = lineNear(oracle, swing.problem, random);
    swing.problem.path_constraints = {line};
    const Certificate certificate = certify(swing.problem, swing.curve);
    const CertifiedLimit* place = find(certificate, "distance from the line");
    const CertifiedLimit* turn = find(certificate, "turn from the line");
    ASSERT_TRUE(place != nullptr && turn != nullptr);
    const KeepOnLine::Stretch& stretch = line.stretches[0];
    double most = 0.0;
    for (int i = 0; i <= 200; ++i) {
      const RealPose P = oracle.at(2.0 * i / 200)[line.link] * real(line.X_LP);
      // The least of the larger share, over places of the line.
      Real best = 1e9;
      bool is_covered = false;
      for (int k = 0; k <= 500; ++k) {
        const Real u = static_cast<Real>(k) / 500;
        const RealVec p = line.X_WA.p.cast<Real>() + u * stretch.way_W.cast<Real>();
        const RealMat R = turned(stretch.turn_W, u) * line.X_WA.R.cast<Real>();
        const Real off = (P.p - p).norm(), angle = angleOf(R.transpose() * P.R);
        best =
            std::min(best, std::max(off / line.position_tolerance, angle / line.angle_tolerance));
        // Between two of these places the line moves by little.
        is_covered = is_covered || (off <= place->upper + 2e-3 * stretch.way_W.norm() &&
                                    angle <= turn->upper + 2e-3 * stretch.turn_W.norm());
      }
      EXPECT_TRUE(is_covered) << "trial " << trial << " sample " << i;
      most = std::max(most, static_cast<double>(best));
    }
    // Near half a turn away the norm of the difference says nothing.
    if (most * line.angle_tolerance > 2.5) continue;
    const double claimed =
        std::max(place->upper / line.position_tolerance, turn->upper / line.angle_tolerance);
    EXPECT_LE(claimed, 1.1 * most + 0.03) << "trial " << trial;
  }
}

/// The poses of a cell, and a motion within the errors that are stated of them: as far off as these
/// allow, at the point u.
struct Strayed {
  BodyCurve curve;
  RealVec shift;
  RealMat by;

  Strayed(test::Random& random, const Pose& from, const Pose& to, Interval time, const Vec3& u) {
    curve.time = time;
    for (int k = 0; k <= BodyCurve::kDegree; ++k) {
      const double s = static_cast<double>(k) / BodyCurve::kDegree;
      curve.control[k] = {(1.0 - s) * from.R + s * to.R, (1.0 - s) * from.p + s * to.p};
    }
    curve.reference_B = u + random.vector(0.5);
    if (random.chance(0.7)) curve.position_error = random.logUniform(1e-6, 1e-2);
    if (random.chance(0.7)) curve.rotation_error = random.logUniform(1e-6, 1e-2);
    // A rotation moves every point by its distance, and all three columns by one.
    by = static_cast<Real>(curve.rotation_error) * random.rotation().cast<Real>();
    shift = by * (u - curve.reference_B).cast<Real>();
    shift *= 1.0L + static_cast<Real>(curve.position_error) / shift.norm();
    if (curve.rotation_error == 0.0) shift = random.directionOfNormals().cast<Real>();
    if (curve.rotation_error == 0.0) shift *= static_cast<Real>(curve.position_error);
  }
  /// How far u and R are off the polynomials'.
  const RealVec& ofPoint() const { return shift; }
  const RealMat& ofTurn() const { return by; }
};

constexpr double kHalfUlps = 1.0 - 1e-12;

// Polynomials that hold the pose exactly: what is left of the bounds are the curves' own errors,
// which two motions use up in opposite directions.
TEST(HeldPose, BoundsHoldForTheErrorsOfBothCurves) {
  test::Random random(24);
  for (int trial = 0; trial < 200; ++trial) {
    KeepPose keep;
    keep.X_LP = random.pose(0.5);
    keep.X_AP = random.pose(0.5);
    keep.position_tolerance = keep.angle_tolerance = 1.0;
    const Pose X_WA = random.pose(1.0), X_WL = X_WA * keep.X_AP * keep.X_LP.inverse();
    Strayed link(random, X_WL, X_WL, {0.0, 1.0}, keep.X_LP.p);
    const Strayed other(random, X_WA, X_WA, {0.0, 1.0}, keep.X_AP.p);
    const OffBounds off = offHeldPose(keep, {link.curve}, {other.curve});
    // Both as far as they may be, the one against the other.
    const Real apart = link.ofPoint().norm() + other.ofPoint().norm();
    EXPECT_GE(off.place.upper, static_cast<double>(apart) * kHalfUlps) << trial;
    EXPECT_LE(off.place.upper, static_cast<double>(apart) + 1e-10) << trial;
    const Real turned_apart = link.ofTurn().norm() + other.ofTurn().norm();
    EXPECT_GE(off.turn.upper, static_cast<double>(turned_apart) * kHalfUlps) << trial;
    EXPECT_LE(off.turn.upper, static_cast<double>(turned_apart) + 1e-10) << trial;
  }
}

// A motion along the line exactly, or with a corner beside it, whose errors carry it away from it.
TEST(Line, BoundsHoldForTheErrorsOfTheCurve) {
  test::Random random(25);
  for (int trial = 0; trial < 200; ++trial) {
    const bool has_corner = random.chance(0.5);
    KeepOnLine line;
    line.X_LP = random.pose(0.5);
    line.X_WA = random.pose(1.0);
    Pose end = line.X_WA, corner = line.X_WA;
    end.p += random.vector(1.0);
    const Vec3 aside = 0.3 * (end.p - line.X_WA.p).cross(random.direction()).normalized();
    corner.p = 0.5 * (line.X_WA.p + end.p) + aside;
    const double bend = random.uniform(0.01, 0.5);
    corner.R = line.X_WA.R * rotationAbout(random.directionOfNormals(), bend);
    line.stretches = stretchesBetween(has_corner ? std::vector<Pose>{line.X_WA, corner, end}
                                                 : std::vector<Pose>{line.X_WA, end});
    line.position_tolerance = 1e-3;
    line.angle_tolerance = 1e-3;
    const Strayed link(random, line.X_WA * line.X_LP.inverse(), end * line.X_LP.inverse(),
                       {0.0, 1.0}, line.X_LP.p);
    const OffBounds off = offLine(line, {link.curve});
    const Real left = link.ofPoint().norm(), turned_left = link.ofTurn().norm();
    const Real away = has_corner ? 0.3L : 0.0L;
    const Real turned_away = has_corner ? 2 * std::sqrt(Real(2)) * std::sin(bend / 2) : 0;
    EXPECT_GE(off.place.upper, static_cast<double>(away + left) * kHalfUlps) << trial;
    EXPECT_GE(off.turn.upper, static_cast<double>(turned_away + turned_left) * kHalfUlps) << trial;
  }
}

// Matrices on the straight line between two orientations are off every rotation between these, by
// what the chord's error says: nothing else is left of the bound.
TEST(Line, BoundsHoldForTheChordBetweenTwoOrientations) {
  test::Random random(26);
  for (double phi : {0.02, 0.05, 0.1}) {
    KeepOnLine line;
    line.X_WA = random.pose(1.0);
    Pose end = line.X_WA;
    const Vec3 axis = random.directionOfNormals();
    end.R = rotationAbout(axis, phi) * line.X_WA.R;
    line.stretches = stretchesBetween({line.X_WA, end});
    line.position_tolerance = 1.0;
    line.angle_tolerance = 1.0;  // so wide that a single piece does
    Strayed link(random, line.X_WA, end, {0.0, 1.0}, Vec3::Zero());
    link.curve.position_error = link.curve.rotation_error = 0.0;
    const OffBounds off = offLine(line, {link.curve});
    const RealMat chord = real(link.curve.pose(0.5)).R;
    Real least = 1e9L;
    for (int i = 0; i <= 1000; ++i) {
      const RealMat R = turned(phi * axis, i / 1000.0L) * line.X_WA.R.cast<Real>();
      least = std::min(least, (R - chord).norm());
    }
    EXPECT_GE(off.turn.upper, static_cast<double>(least)) << phi;
    EXPECT_LE(off.turn.upper, 1.01 * static_cast<double>(least) + 1e-12) << phi;
  }
}

/// A curve of the arm's base joint alone, so that the tool's place is known in closed form, and the
/// line is the chord of its arc.
struct Arc {
  Problem problem;
  double angle, radius;
  KeepOnLine line;

  explicit Arc(double angle_) : angle(angle_) {
    problem.robot = test::exampleArm();
    for (int k = 0; k < 7; ++k) problem.planned.push_back(k);
    problem.start = VecX::Zero(problem.robot->dimension());
    problem.start.head(7) << 0.0, 0.5, 0.0, 1.2, 0.0, 0.8, 0.0;
    VecX goal = problem.plannedPart(problem.start);
    goal[0] = angle;
    problem.goal = JointTarget{problem.planned, goal};
    line.link = problem.robot->findLink("tool");
    const MotionTree tree(*problem.robot);
    const auto pose = [&](const VecX& q) {
      const VecX all = problem.configuration(q);
      return linkPosesOf(tree, std::vector<double>(all.begin(), all.end()))[line.link];
    };
    line.X_WA = pose(problem.plannedPart(problem.start));
    line.stretches = stretchesBetween({line.X_WA, pose(goal)});
    radius = line.X_WA.p.head<2>().norm();
  }
  BSpline curve() const {
    const VecX from = problem.plannedPart(problem.start);
    const VecX to = std::get<JointTarget>(problem.goal).values;
    MatX control(7, 13);
    for (int i = 0; i < 13; ++i) {
      control.col(i) = from + std::clamp((i - 2.0) / 8.0, 0.0, 1.0) * (to - from);
    }
    return BSpline(control, 3.0);
  }
  /// How far the arc is from its chord, half way.
  double sagitta() const { return radius * (1.0 - std::cos(0.5 * angle)); }
};

// The bulge of an arc is between start and goal, which are on the line.
TEST(Line, IsRefusedWhereItIsMissedByHalfMoreThanItsTolerance) {
  for (double angle : {0.05, 0.2, 0.8}) {
    Arc arc(angle);
    arc.line.angle_tolerance = 0.5;
    for (double share : {0.5, 0.95, 1.05, 1.5}) {
      arc.line.position_tolerance = arc.sagitta() / share;
      arc.problem.path_constraints = {arc.line};
      const Certificate certificate = certify(arc.problem, arc.curve());
      const CertifiedLimit* place = find(certificate, "distance from the line");
      EXPECT_EQ(place->kept, share < 1.0) << angle << " " << place->upper;
      EXPECT_GE(place->upper, arc.sagitta() * (1.0 - 1e-9));
      EXPECT_LE(place->upper, 1.03 * arc.sagitta() + 3e-6 + 0.011 * arc.line.position_tolerance);
      if (share < 1.0) continue;
      EXPECT_FALSE(certificate.clear);
      EXPECT_NE(certificate.message.find("distance from the line"), std::string::npos)
          << certificate.message;
    }
  }
}

// Without the remainder of the chord between two orientations the bound of a fast turn would be too
// low: here the orientation is on the line at both ends of every piece, and never off it.
TEST(Line, OfAPureTurnIsFollowedByTurning) {
  for (double angle : {1e-6, 0.3, 2.5, kPi - 1e-6}) {
    Arc arc(angle);
    // About the base's axis: the frame P at the origin of the world stays in place.
    arc.line.X_LP = arc.line.X_WA.inverse();
    arc.line.X_WA = Pose();
    arc.line.stretches = {{Vec3::Zero(), angle * Vec3::UnitZ()}};
    arc.problem.path_constraints = {arc.line};
    const Certificate certificate = certify(arc.problem, arc.curve());
    const CertifiedLimit* place = find(certificate, "distance from the line");
    const CertifiedLimit* turn = find(certificate, "turn from the line");
    EXPECT_TRUE(place->kept) << angle << " " << place->upper;
    EXPECT_TRUE(turn->kept) << angle << " " << turn->upper;
    EXPECT_LT(turn->upper, 0.02 * arc.line.angle_tolerance + 1e-4);
    // A line that turns half as far is overshot by the rest.
    if (angle < 0.1) continue;
    arc.line.stretches[0].turn_W *= 0.5;
    arc.problem.path_constraints = {arc.line};
    const Certificate refused = certify(arc.problem, arc.curve());
    EXPECT_FALSE(find(refused, "turn from the line")->kept);
    EXPECT_NEAR(find(refused, "turn from the line")->upper, 0.5 * angle, 0.02);
  }
}

TEST(Line, WithCornersIsFollowedInItsOrder) {
  // Out and back along the chord of an arc, with a wide tolerance; the curve goes once.
  Arc arc(0.4);
  arc.line.position_tolerance = 2.0 * arc.sagitta();
  arc.line.angle_tolerance = 0.3;
  const Pose end = endOf(arc.line);
  arc.problem.path_constraints = {arc.line};
  EXPECT_TRUE(find(certify(arc.problem, arc.curve()), "distance from the line")->kept);
  // One stretch with a corner on the way is kept as well.
  KeepOnLine two = arc.line;
  const LinePath path(arc.line);
  two.stretches = stretchesBetween({arc.line.X_WA, path.at(0, 0.5), end});
  arc.problem.path_constraints = {two};
  EXPECT_TRUE(find(certify(arc.problem, arc.curve()), "distance from the line")->kept);
  // To the end, back to the middle, and to the end again: every place is near, the order is not.
  two.stretches = stretchesBetween({arc.line.X_WA, end, path.at(0, 0.5), end});
  arc.problem.path_constraints = {two};
  EXPECT_FALSE(find(certify(arc.problem, arc.curve()), "distance from the line")->kept);
  // A corner off the curve is missed.
  Pose aside = path.at(0, 0.5);
  aside.p.z() += 0.05;
  two.stretches = stretchesBetween({arc.line.X_WA, aside, end});
  arc.problem.path_constraints = {two};
  EXPECT_FALSE(find(certify(arc.problem, arc.curve()), "distance from the line")->kept);
}

TEST(Line, AndHeldPosesAreVerifiedAnew) {
  Arc arc(0.2);
  arc.line.position_tolerance = 1.2 * arc.sagitta();
  arc.line.angle_tolerance = 0.5;
  KeepPose keep;
  keep.link = arc.line.link;
  keep.relative_to = arc.problem.robot->rootLink();
  keep.X_AP = arc.line.X_WA;
  keep.position_tolerance = 1.0;
  keep.angle_tolerance = 0.3;
  arc.problem.path_constraints = {arc.line, keep};
  const BSpline curve = arc.curve().withDuration(60.0);
  const Certificate certificate = certify(arc.problem, curve);
  ASSERT_TRUE(certificate.clear) << certificate.message;
  ASSERT_TRUE(verifyCertificate(arc.problem, certificate).valid);
  for (const char* quantity :
       {"distance from the line", "turn from the line", "held position", "held orientation"}) {
    Certificate forged = certificate;
    for (CertifiedLimit& limit : forged.limits) {
      if (limit.quantity == quantity) limit.upper_limit *= 2.0;
    }
    EXPECT_FALSE(verifyCertificate(arc.problem, forged).valid) << quantity;
    forged = certificate;
    std::erase_if(forged.limits, [&](const CertifiedLimit& l) { return l.quantity == quantity; });
    EXPECT_FALSE(verifyCertificate(arc.problem, forged).valid) << quantity;
  }
  // Of a problem that asks for more, it proves nothing.
  Problem strict = arc.problem;
  std::get<KeepOnLine>(strict.path_constraints[0]).position_tolerance = 0.9 * arc.sagitta();
  EXPECT_FALSE(verifyCertificate(strict, certificate).valid);
  // What the proof file leaves out is said.
  const Proof proof = makeProof(arc.problem, certificate);
  for (const char* quantity : {"distance from the line", "held orientation"}) {
    EXPECT_NE(proof.text.find("outside \"" + std::string(quantity)), std::string::npos) << quantity;
  }
}

}  // namespace
}  // namespace allclear
