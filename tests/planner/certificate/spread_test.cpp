// Obstacles of which only a distribution is known: what the certificate proves of them, against the
// bodies themselves at random places within their ellipsoids, with none of the certificate's code.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <numbers>

#include "allclear/planner/certificate/instant.h"
#include "allclear/planner/certificate/motion.h"
#include "allclear/planner/problem/after_end.h"
#include "allclear/planner/problem/uncertainty.h"
#include "planner/certificate/certificate_fixture.h"
#include "support/long_run.h"

namespace allclear {
namespace {

using test::armTask;
using test::boxAt;
using test::boxScene;
using test::InstantOracle;
using test::loadText;
using test::Random;
using test::splineOf;

const char* kAcross = "{lift: 0.1, shoulder: 1.2, elbow: -0.5, wrist: 0.5}";
constexpr double kDuration = 4.0;

bool mentions(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

Mat3 drawCovariance(Random& random, double size) {
  const Mat3 R = random.rotation();
  Vec3 sigma(random.logUniform(0.05, 1.0), random.logUniform(0.05, 1.0),
             random.logUniform(0.05, 1.0));
  if (random.chance(0.25)) sigma[0] = 0.0;  // flat
  return size * size * R * sigma.cwiseAbs2().asDiagonal() * R.transpose();
}

PositionSpread drawSpread(Random& random) {
  PositionSpread spread;
  const double size = random.logUniform(0.003, 0.06);
  spread.sigma = random.uniform(1.0, 3.0);
  spread.in_obstacle = random.chance(0.4);
  spread.knots = {{0.0, drawCovariance(random, size)}};
  if (random.chance(0.4)) spread.knots.push_back({1.7, drawCovariance(random, size)});
  if (random.chance(0.3)) spread.knots.push_back({5.0, drawCovariance(random, size)});
  if (random.chance(0.3)) spread.growth = drawCovariance(random, 0.5 * size);
  return spread;
}

/// Three bodies around the arm's way, some of them moving and turning.
Problem drawProblem(Random& random) {
  std::string objects;
  for (int i = 0; i < 3; ++i) {
    const double angle = random.uniform(-0.5, 2.0), radius = random.uniform(0.6, 1.3);
    const Vec3 size(random.logUniform(0.02, 0.3), random.logUniform(0.02, 0.3),
                    random.logUniform(0.02, 0.3));
    objects += (i == 0 ? "" : ", ") + boxAt("body" + std::to_string(i), size,
                                            {radius * std::cos(angle), radius * std::sin(angle),
                                             random.uniform(0.3, 1.0)});
  }
  Problem problem = loadText(armTask(kAcross, boxScene(objects)));
  for (Obstacle& obstacle : problem.obstacles) {
    if (random.chance(0.5)) obstacle.geometry[0].shape = Ellipsoid({0.05, 0.1, 0.2});
    obstacle.geometry[0].X_BG = random.pose(0.05);
    obstacle.spread = drawSpread(random);
    if (random.chance(0.4)) {
      const Pose from{random.rotation(), obstacle.X_WO.p},
          to{random.rotation(), from.p + random.vector(0.3)};
      obstacle.motion = {{0.3, from}, {3.5, to}};
    }
  }
  return problem;
}

/// The problem with its obstacles displaced by random vectors within their ellipsoids at t.
Problem displaced(const Problem& problem, double t, Random& random) {
  Problem out = problem;
  for (Obstacle& obstacle : out.obstacles) {
    const Mat3 K = obstacle.spreadAt(t);
    // By the root of K, written out: the ellipsoid is the image of the unit ball.
    const Eigen::SelfAdjointEigenSolver<Mat3> solver(K);
    const Mat3 root =
        solver.eigenvectors() * solver.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
    const Vec3 e =
        root * random.direction() * (random.chance(0.7) ? 1.0 : random.uniform(0.0, 1.0));
    obstacle.X_WO.p += e;
    for (PoseKnot& knot : obstacle.motion) knot.X_WO.p += e;
  }
  return out;
}

TEST(SpreadCertificate, HoldsAtEveryPlaceWithin) {
  const int count = test::isLong() ? 600 : 30;
  int clear = 0, refused = 0;
  double closest = HUGE_VAL;
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(7000u + seed);
    const Problem problem = drawProblem(random);
    const Trajectory trajectory = splineOf(problem, kDuration, random, 0.3);
    const Certificate certificate = certify(problem, trajectory);
    double least = HUGE_VAL;
    for (int i = 0; i < 400; ++i) {
      const double t = random.uniform(0.0, kDuration);
      const Problem real = displaced(problem, t, random);
      least = std::min(least, InstantOracle(real, trajectory).leastDistance(t));
    }
    EXPECT_GE(least, certificate.minimum_clearance.lower - 1e-7);
    if (certificate.clear) {
      ++clear;
      closest = std::min(closest, least - certificate.minimum_clearance.lower);
      EXPECT_GE(least, problem.collision.margin - 1e-7);
      EXPECT_LE(certificate.minimum_clearance.length(), problem.collision.tolerance);
      const CertificateVerdict verdict = verifyCertificate(problem, certificate);
      EXPECT_TRUE(verdict.valid) << verdict.message;
    } else {
      ++refused;
      // Refused for a place that there is: the exact distance to all places says so as well.
      const CertifiedGeometry geometry = certifiedGeometry(problem);
      const double t = certificate.closest_t;
      const auto pairs =
          pairDistances(problem, geometry, problem.configuration(trajectory.value(t)), t);
      EXPECT_LT(pairs[0].distance, problem.collision.margin + 1e-6) << certificate.message;
    }
  }
  EXPECT_GE(clear, count / 10);
  EXPECT_GE(refused, count / 10);
  EXPECT_LT(closest, 0.02);
}

/// The least bound of any link's distance from the obstacle over the time, in short cells.
double leastBound(const Problem& problem, const Trajectory& trajectory) {
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  CertifiedMotion motion(problem, geometry, trajectory, 1e-6);
  constexpr int kCells = 100;
  double least = HUGE_VAL;
  for (const CertifiedPair& pair : geometry.pairs) {
    if (geometry.bodies[pair.b].obstacle < 0) continue;
    for (int i = 0; i < motion.ensurePieces(pair.a, MeshFidelity::kHull); ++i) {
      const PieceIndex a{pair.a, i, MeshFidelity::kHull}, b{pair.b, 0, MeshFidelity::kHull};
      for (int k = 0; k < kCells; ++k) {
        const double length = trajectory.duration() / kCells;
        const Interval time{k * length, (k + 1) * length};
        const Vec3 n = motion.distanceAt(a, b, time.middle()).normal;
        least = std::min(least, motion.lowerBound(a, b, n, time));
      }
    }
  }
  return least;
}

TEST(SpreadCertificate, EveryCellsBoundIsBelowTheDistanceInsideIt) {
  int checked = 0;
  for (int seed = 0; seed < 6; ++seed) {
    Random random(8000u + seed);
    const Problem problem = drawProblem(random);
    const Trajectory trajectory = splineOf(problem, kDuration, random, 0.3);
    const Certificate certificate = certify(problem, trajectory);
    const CertifiedGeometry geometry = certifiedGeometry(problem);
    CertifiedMotion motion(problem, geometry, trajectory, 1e-6);
    const auto body = [&](const std::string& name) {
      for (std::size_t b = 0; b < geometry.bodies.size(); ++b) {
        if (geometry.bodies[b].name == name) return static_cast<int>(b);
      }
      return -1;
    };
    for (const CertificatePair& pair : certificate.pairs) {
      const PieceIndex a{body(pair.a), pair.piece_a, pair.fidelity};
      const PieceIndex b{body(pair.b), pair.piece_b, pair.fidelity};
      if (geometry.bodies[b.body].obstacle < 0) continue;
      motion.ensurePieces(a.body, a.fidelity);
      motion.ensurePieces(b.body, b.fidelity);
      for (const CoverCell& cell : pair.cells) {
        for (int i = 0; i < 5; ++i, ++checked) {
          const double t = random.uniform(cell.time.lower, cell.time.upper);
          EXPECT_LE(cell.lower, motion.distanceAt(a, b, t).distance + 1e-9)
              << pair.a << " " << pair.b << " seed " << seed;
        }
      }
    }
  }
  EXPECT_GT(checked, 100);
}

/// Dropping any part of the spread would show here: spreads of which that part is nearly all. The
/// robot rests before a ball so large that it is a wall.
TEST(SpreadCertificate, EveryPartOfItIsAttained) {
  Problem problem = loadText(
      armTask("{shoulder: 0.0}",
              "scene: {collision_objects: [{id: ball, type: sphere, dimensions: [50], pose: "
              "{position: [53, 0, 0.5]}}]}\n"));
  const Trajectory rest = BSpline(problem.plannedPart(problem.start).replicate(1, 6), 2.0);
  const double free = leastBound(problem, rest);
  const auto nearer = [&](const PositionSpread& spread) {
    problem.obstacles[0].spread = spread;
    return free - leastBound(problem, rest);
  };
  constexpr double kCellsAndTilt = 3e-3;  // of the bound over a cell, and of the ball's normal
  const Mat3 along = Vec3(0.01, 0.0, 0.0).asDiagonal();  // 0.1 m, the arm is that way
  EXPECT_NEAR(nearer({{{0.0, along}}, Mat3::Zero(), 3.0, false}), 0.3, kCellsAndTilt);
  EXPECT_NEAR(nearer({{{0.0, along}}, Mat3::Zero(), 1.0, false}), 0.1, kCellsAndTilt);
  // The growth: at t = 2 s.
  EXPECT_NEAR(nearer({{{0.0, Mat3::Zero()}}, along, 1.0, false}), 0.1 * std::sqrt(2.0),
              kCellsAndTilt);
  // A knot in the middle, the greatest.
  const PositionSpread peak{
      {{0.0, Mat3::Zero()}, {0.7, 9.0 * along}, {0.9, Mat3::Zero()}}, Mat3::Zero(), 1.0, false};
  EXPECT_NEAR(nearer(peak), 0.3, kCellsAndTilt);
  // The obstacle's own axes: turned by a right angle, y is along the arm.
  problem.obstacles[0].X_WO.R = rotationAbout(Vec3::UnitZ(), std::numbers::pi / 2);
  const Mat3 across = Vec3(0.0, 0.01, 0.0).asDiagonal();
  EXPECT_NEAR(nearer({{{0.0, across}}, Mat3::Zero(), 1.0, true}), 0.1, kCellsAndTilt);
  EXPECT_LT(nearer({{{0.0, across}}, Mat3::Zero(), 1.0, false}), 0.02);
  // Axes that turn with it: along the arm at t = 1 s only.
  const Vec3 p = problem.obstacles[0].X_WO.p;
  problem.obstacles[0].motion = {{0.0, {Mat3::Identity(), p}},
                                 {2.0, {rotationAbout(Vec3::UnitZ(), 3.0), p}}};
  EXPECT_NEAR(nearer({{{0.0, across}}, Mat3::Zero(), 1.0, true}), 0.1, kCellsAndTilt);
}

TEST(SpreadCertificate, PlanesMoveByTheirReach) {
  Problem problem = loadText(armTask(
      "{shoulder: 0.4}",
      "scene: {collision_objects: [{id: wall, type: plane, normal: [1, 0, 0], offset: -1}]}\n"
      "uncertainty: {obstacles: {wall: {covariance: [0.01, 0.04, 0.09, 0, 0, 0], sigma: 2}}}\n"));
  Random random(2);
  const Trajectory trajectory = splineOf(problem, kDuration, random, 0.0);
  const Interval uncertain = certify(problem, trajectory).minimum_clearance;
  problem.obstacles[0].spread = {};
  problem.obstacles[0].X_WO.p.x() += 0.2;
  EXPECT_NEAR(certify(problem, trajectory).minimum_clearance.lower, uncertain.lower, 1e-6);
}

/// A certificate made without the spread, with the words of one made with it.
TEST(SpreadCertificate, VerificationFindsADroppedSpread) {
  int tried = 0;
  for (int seed = 0; seed < 600 && tried < 5; ++seed) {
    Random random(9000u + seed);
    Problem problem = drawProblem(random);
    for (Obstacle& obstacle : problem.obstacles) obstacle.spread.sigma *= 2.0;
    const Trajectory trajectory = splineOf(problem, kDuration, random, 0.2);
    const Certificate honest = certify(problem, trajectory);
    Problem certain = problem;
    for (Obstacle& obstacle : certain.obstacles) obstacle.spread = {};
    Certificate forged = certify(certain, trajectory);
    if (honest.clear || !forged.clear || forged.covered_until != honest.covered_until) continue;
    ++tried;
    EXPECT_FALSE(verifyCertificate(problem, forged).valid);
    // What the task says of itself is right; the cells cannot be.
    forged.assumptions = honest.assumptions;
    forged.valid_until = honest.valid_until;
    const CertificateVerdict verdict = verifyCertificate(problem, forged);
    EXPECT_FALSE(verdict.valid);
    EXPECT_TRUE(mentions(verdict.message, "body")) << verdict.message;
  }
  EXPECT_GE(tried, 5);
}

TEST(SpreadCertificate, SaysWhatItIsAndHowLikely) {
  const std::string task =
      armTask("{shoulder: 0.4}", boxScene(boxAt("cart", {0.1, 0.1, 0.1}, {3, 0, 0.5})));
  const auto said = [&](const std::string& spread) {
    const Problem problem = loadText(task + "uncertainty: {obstacles: {cart: " + spread + "}}\n");
    Random random(3);
    const Certificate certificate = certify(problem, splineOf(problem, kDuration, random, 0.0));
    EXPECT_TRUE(certificate.clear) << certificate.message;
    return certificate.message + "\n" + assumptionsInBrief(certificate);
  };
  const std::string still = said("{covariance: [0.0009, 0.0004, 0.0001, 0, 0, 0]}");
  EXPECT_TRUE(
      mentions(still,
               "'cart' anywhere within 3 standard deviations of its covariance, up to 90 mm "
               "(a Gaussian is, at each instant, with a probability of 97.07 %)"))
      << still;
  EXPECT_TRUE(mentions(still, "Distances to 'cart' are to all places within that.")) << still;
  const std::string grows =
      said("{covariance: [0.0001, 0.0001, 0, 0, 0, 0], sigma: 2, growth: [0.0001, 0, 0, 0, 0, 0]}");
  EXPECT_TRUE(mentions(grows, "up to 20 mm at t = 0 s, growing without end")) << grows;
  EXPECT_TRUE(mentions(grows, "at least 86.47 %")) << grows;
}

TEST(SpreadCertificate, ClaimsNothingAfterTheEndWhereASpreadGrowsForEver) {
  const std::string task =
      armTask("{shoulder: 0.4}", boxScene(boxAt("cart", {0.1, 0.1, 0.1}, {3, 0, 0.5})));
  const Problem ever = loadText(task +
                                "uncertainty: {obstacles: {cart: {covariance: [0, 0, 0, 0, 0, 0], "
                                "growth: [1e-4, 0, 0, 0, 0, 0]}}}\n");
  EXPECT_FALSE(restsAfterEnd(ever));
  EXPECT_EQ(coveredUntil(ever, 3.0), 3.0);
  const Problem until = loadText(task +
                                 "uncertainty: {obstacles: {cart: {covariance: [0, 0, 0, 0, 0, 0], "
                                 "growth: [1e-4, 0, 0, 0, 0, 0], until: 6}}}\n");
  EXPECT_TRUE(restsAfterEnd(until));
  EXPECT_EQ(coveredUntil(until, 3.0), 6.0);
  EXPECT_NEAR(until.obstacles[0].spreadAt(9.0)(0, 0), 9.0 * 6e-4, 1e-15);
}

/// The probability against counting.
TEST(Spread, ProbabilityIsThatOfAGaussian) {
  Random random(5);
  constexpr int kDraws = 200000;
  for (int dimensions = 1; dimensions <= 3; ++dimensions) {
    int within[3] = {};
    for (int i = 0; i < kDraws; ++i) {
      double r2 = 0.0;
      for (int d = 0; d < dimensions; ++d) r2 += std::pow(random.normal(), 2);
      for (int s = 0; s < 3; ++s) within[s] += r2 <= (s + 1) * (s + 1);
    }
    for (int s = 0; s < 3; ++s) {
      EXPECT_NEAR(probabilityWithin(s + 1.0, dimensions), within[s] / double(kDraws), 5e-3);
    }
  }
  PositionSpread grows{{{0.0, Mat3::Zero()}}, Mat3::Identity(), 3.0, false};
  EXPECT_NEAR(probabilityWithin(grows), 0.9707, 1e-4);
  grows.growth = Vec3(1.0, 0.0, 0.0).asDiagonal();
  EXPECT_NEAR(probabilityWithin(grows), 0.9973, 1e-4);
  EXPECT_EQ(probabilityWithin(PositionSpread{{{0.0, Mat3::Zero()}}, Mat3::Zero(), 3.0, false}),
            1.0);
}

/// Between two knots of the motion `curve` and `spread.at` are what the searches take them for.
TEST(Spread, IsLinearBetweenBreaks) {
  Random random(6);
  for (int i = 0; i < 100; ++i) {
    Problem problem = drawProblem(random);
    for (const Obstacle& obstacle : problem.obstacles) {
      std::vector<double> cuts = obstacle.breaks({0.0, 6.0}, 1e-6);
      EXPECT_TRUE(std::is_sorted(cuts.begin(), cuts.end()));
      cuts.insert(cuts.begin(), 0.0);
      cuts.push_back(6.0);
      double size = obstacle.spread.at(6.0).norm();
      for (const auto& knot : obstacle.spread.knots) {
        size = std::max(size, obstacle.spread.at(knot.time).norm());
      }
      for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
        const double middle = 0.5 * (cuts[k] + cuts[k + 1]);
        const Mat3 mean = 0.5 * (obstacle.spread.at(cuts[k]) + obstacle.spread.at(cuts[k + 1]));
        EXPECT_NEAR((obstacle.spread.at(middle) - mean).norm(), 0.0, 1e-14);
        // Turned with the obstacle, nearly: in parts of all that it is.
        const Mat3 seen = 0.5 * (obstacle.spreadAt(cuts[k]) + obstacle.spreadAt(cuts[k + 1]));
        EXPECT_LE((obstacle.spreadAt(middle) - seen).norm(), 1e-3 * size);
      }
    }
  }
}

}  // namespace
}  // namespace allclear
