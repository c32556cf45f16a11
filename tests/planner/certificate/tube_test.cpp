// The tube that a certificate proves: strayed configurations inside of it keep clear, certificates
// that claim more are refused, and an uncertainty of the problem is kept free.
#include "allclear/planner/certificate/tube.h"

#include <gtest/gtest.h>

#include <functional>

#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/cell_search.h"
#include "allclear/planner/planner.h"
#include "allclear/robot_models/kinematics/chain_recursion.h"
#include "planner/certificate/certificate_fixture.h"
#include "support/long_run.h"
#include "support/mesh_samples.h"
#include "support/robot_builder.h"

namespace allclear {
namespace {

using test::armTask;
using test::boxAt;
using test::boxScene;
using test::loadText;
using test::Random;
using test::splineOf;

const char* kAcross = "{lift: 0.1, shoulder: 1.2, elbow: -0.5, wrist: 0.5}";

Certificate withTube(const Problem& problem, const Trajectory& trajectory) {
  CertificateOptions options;
  options.cover.widest_tube = true;
  return certify(problem, trajectory, options);
}

/// The least distance beyond the margin of all pairs that move, with links and obstacles where they
/// are when everything strayed.
class StrayedScene {
 public:
  explicit StrayedScene(const Problem& problem)
      : problem_(problem), tree_(*problem.robot), geometry_(certifiedGeometry(problem)) {}

  double leastRoom(const VecX& q, double t, const Pose& X_SceneBase,
                   const std::vector<Vec3>& displaced, bool beyond_margin) const {
    const auto X_WL = linkPosesOf(tree_, std::vector<double>(q.begin(), q.end()));
    const auto poseOf = [&](const CertifiedBody& body) {
      if (body.obstacle < 0) return X_SceneBase * X_WL[body.link];
      Pose X = problem_.obstacles[body.obstacle].pose(t);
      X.p += displaced[body.obstacle];
      return X;
    };
    double least = std::numeric_limits<double>::infinity();
    for (const CertifiedPair& pair : geometry_.pairs) {
      if (pair.fixed) continue;
      const CertifiedBody &a = geometry_.bodies[pair.a], &b = geometry_.bodies[pair.b];
      for (const Geometry& i : a.geometry) {
        for (const Geometry& j : b.geometry) {
          const double d =
              signedDistance(i.shape, poseOf(a) * i.X_BG, j.shape, poseOf(b) * j.X_BG).distance;
          least = std::min(least, d - (beyond_margin ? pair.margin : 0.0));
        }
      }
    }
    return least;
  }

 private:
  const Problem& problem_;
  MotionTree tree_;
  CertifiedGeometry geometry_;
};

/// The least room over random strays of `most` (a number per coordinate), at random instants.
double leastWithin(const Problem& problem, const Trajectory& trajectory, const VecX& most,
                   double scene_factor, bool beyond_margin, Random& random) {
  const StrayedScene scene(problem);
  const Uncertainty& uncertainty = problem.uncertainty;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < (test::isLong() ? 20000 : 1000); ++i) {
    const double t = random.uniform(0.0, trajectory.duration());
    VecX q = problem.configuration(trajectory.value(t));
    for (int k = 0; k < q.size(); ++k) q[k] += random.chance(0.5) ? most[k] : -most[k];
    const Pose X_SceneBase{rotationAbout(random.direction(), scene_factor * uncertainty.base_angle),
                           scene_factor * uncertainty.base_position * random.direction()};
    std::vector<Vec3> displaced(problem.obstacles.size(), Vec3::Zero());
    for (std::size_t o = 0; o < displaced.size() && uncertainty.obstacles.size() > 0; ++o) {
      displaced[o] = scene_factor * uncertainty.obstacles[o] * random.direction();
    }
    least = std::min(least, scene.leastRoom(q, t, X_SceneBase, displaced, beyond_margin));
  }
  return least;
}

class Tube : public testing::Test {
 protected:
  /// Clear of a box by some centimetres.
  static Problem problemBeside(double y) {
    return loadText(armTask(kAcross, boxScene(boxAt("box", {0.1, 0.1, 0.1}, {0.7, y, 0.45}))));
  }
  static Trajectory motion(const Problem& problem) {
    Random random(11);
    return splineOf(problem, 4.0, random, 0.05);
  }
};

TEST_F(Tube, StrayedConfigurationsInsideOfItStayClear) {
  int clear = 0;
  for (int seed = 0; seed < (test::isLong() ? 200 : 10); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Problem problem = problemBeside(random.uniform(0.55, 0.9));
    if (random.chance(0.5)) {
      problem.uncertainty.joints = VecX::Constant(problem.robot->dimension(), 1e-3);
      problem.uncertainty.obstacles = VecX::Constant(1, 2e-3);
      problem.uncertainty.base_position = 1e-3;
      problem.uncertainty.base_angle = 1e-3;
    }
    const Trajectory trajectory = splineOf(problem, 4.0, random, 0.1);
    const Certificate certificate = withTube(problem, trajectory);
    ASSERT_EQ(certificate.tube.has_value(), certificate.clear);
    if (!certificate.clear) continue;
    ++clear;
    const ProvenTube& tube = *certificate.tube;
    EXPECT_GE(tube.joints_to_contact, tube.joints_to_margin);
    const CertificateVerdict verdict = verifyCertificate(problem, certificate);
    EXPECT_TRUE(verdict.valid) << verdict.message;
    const VecX ones = VecX::Ones(problem.robot->dimension());
    EXPECT_GT(leastWithin(problem, trajectory, tube.joints_to_contact * ones, 1.0, false, random),
              0.0);
    EXPECT_GE(leastWithin(problem, trajectory, tube.joints_to_margin * ones, 1.0, true, random),
              0.0);
    if (problem.uncertainty.isZero()) continue;
    EXPECT_GE(tube.factor_to_margin, 1.0);
    EXPECT_GE(tube.factor_to_contact, tube.factor_to_margin);
    EXPECT_GT(leastWithin(problem, trajectory, tube.factor_to_contact * problem.uncertainty.joints,
                          tube.factor_to_contact, false, random),
              0.0);
  }
  EXPECT_GE(clear, 3);
}

TEST_F(Tube, IsNearlyTheWidestThatTheBoundShows) {
  const Problem problem = problemBeside(0.8);
  const Certificate certificate = withTube(problem, motion(problem));
  ASSERT_TRUE(certificate.clear);
  // With an uncertainty a little below the tube the margin is certified, a little above it is not.
  for (double share : {0.95, 1.1}) {
    Problem uncertain = problem;
    uncertain.uncertainty.joints =
        VecX::Constant(problem.robot->dimension(), share * certificate.tube->joints_to_margin);
    EXPECT_EQ(certify(uncertain, motion(problem)).clear, share < 1.0) << share;
  }
}

TEST_F(Tube, IsAbsentWhereNobodyAsks) {
  const Problem problem = problemBeside(0.8);
  const Certificate certificate = certify(problem, motion(problem));
  ASSERT_TRUE(certificate.clear);
  EXPECT_FALSE(certificate.tube);
  EXPECT_EQ(certificate.message.find("stray"), std::string::npos);
}

TEST_F(Tube, ClaimsThatAreNotProvenAreRefused) {
  const Problem problem = problemBeside(0.8);
  const Certificate genuine = withTube(problem, motion(problem));
  ASSERT_TRUE(verifyCertificate(problem, genuine).valid);
  const double nan = std::nan("");
  const std::vector<std::function<void(ProvenTube&)>> forgeries{
      [](ProvenTube& tube) { tube.joints_to_contact *= 1.001; },
      [](ProvenTube& tube) { tube.joints_to_margin *= 1.001; },
      [](ProvenTube& tube) { tube.joints_to_contact = 1e300; },
      [=](ProvenTube& tube) { tube.joints_to_margin = nan; },
      [=](ProvenTube& tube) { tube.factor_to_contact = nan; },
      [](ProvenTube& tube) { tube.joints_to_margin = -1.0; },
      [](ProvenTube& tube) { tube.closest_b = "lift"; },
      [](ProvenTube& tube) { tube.closest_t = 0.0; },
      [=](ProvenTube& tube) { tube.closest_t = nan; },
  };
  for (std::size_t i = 0; i < forgeries.size(); ++i) {
    SCOPED_TRACE(i);
    Certificate forged = genuine;
    forgeries[i](*forged.tube);
    EXPECT_FALSE(verifyCertificate(problem, forged).valid);
  }
}

TEST_F(Tube, ACertificateOfLessUncertaintyDoesNotProveMore) {
  Problem problem = problemBeside(0.8);
  problem.uncertainty.joints = VecX::Constant(problem.robot->dimension(), 1e-3);
  const Certificate certificate = certify(problem, motion(problem));
  ASSERT_TRUE(verifyCertificate(problem, certificate).valid);
  EXPECT_NE(certificate.message.find("whatever strays"), std::string::npos);
  const double room = certificate.tube->factor_to_margin;
  for (const auto& more : std::vector<std::function<void(Uncertainty&)>>{
           [&](Uncertainty& u) { u.joints *= 1.05 * room; },
           [&](Uncertainty& u) { u.obstacles = VecX::Constant(1, 0.2); },
           [&](Uncertainty& u) { u.base_position = 0.2; },
           [&](Uncertainty& u) { u.base_angle = 0.3; }}) {
    Problem uncertain = problem;
    more(uncertain.uncertainty);
    EXPECT_FALSE(verifyCertificate(uncertain, certificate).valid);
    const Certificate refused = certify(uncertain, motion(problem));
    EXPECT_FALSE(refused.clear);
    EXPECT_NE(refused.message.find("strays"), std::string::npos) << refused.message;
  }
}

TEST_F(Tube, CellsDemandTheMarginAndWhatMayStray) {
  Problem problem = problemBeside(0.8);
  const Trajectory trajectory = motion(problem);
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  const auto demand = [&](const Uncertainty& uncertainty) {
    problem.uncertainty = uncertainty;
    CertifiedMotion motion(problem, geometry, trajectory, 1e-6);
    const CellSearch search(1e-4, {}, motion);
    // The last pair is of the hand, or what it carries, and the box.
    const int last = static_cast<int>(geometry.pairs.size()) - 1;
    const auto pieces = search.piecesOf(last, geometry.pairs[last], MeshFidelity::kHull);
    return search.demand(pieces[0], {0.0, 1.0});
  };
  const double margin = problem.collision.margin;
  EXPECT_EQ(demand({}), margin);
  Uncertainty uncertainty;
  uncertainty.obstacles = VecX::Constant(1, 0.01);
  EXPECT_NEAR(demand(uncertainty), margin + 0.01, 1e-6);
  uncertainty.base_position = 0.02;
  EXPECT_NEAR(demand(uncertainty), margin + 0.03, 1e-6);
}

/// A ball on a slide through a ring of exact triangles, `gap` apart: the ring may be displaced.
TEST_F(Tube, HoldsBetweenExactMeshes) {
  constexpr double kBall = 0.05, kRing = 0.02, kGap = 3e-4;
  test::RobotBuilder builder;
  builder.add(JointType::kPrismatic, 0, Vec3::Zero(), Vec3::UnitZ(), {{Sphere(kBall), Pose()}});
  Problem problem;
  problem.robot = builder.build();
  problem.planned = {0};
  problem.start = VecX::Constant(1, -0.3);
  problem.goal = JointTarget{{0}, VecX::Constant(1, 0.3)};
  Obstacle ring;
  ring.id = "ring";
  ring.geometry = {{test::torusMesh(kBall + kGap + kRing, kRing, 256, 12), Pose()}};
  problem.obstacles = {ring};
  problem.collision.margin = 1e-4;
  problem.collision.tolerance = 1e-5;
  MatX control(1, 12);
  control << -0.3, -0.3, -0.3, -0.2, -0.1, -0.03, 0.03, 0.1, 0.2, 0.3, 0.3, 0.3;
  const Trajectory through = BSpline(control, 2.0);
  for (const auto& [displaced, is_clear] : {std::pair{1.5e-4, true}, std::pair{2.5e-4, false}}) {
    SCOPED_TRACE(displaced);
    problem.uncertainty.obstacles = VecX::Constant(1, displaced);
    const Certificate certificate = certify(problem, through);
    EXPECT_EQ(certificate.clear, is_clear) << certificate.message;
    if (is_clear) {
      EXPECT_TRUE(verifyCertificate(problem, certificate).valid);
      EXPECT_NEAR(certificate.tube->factor_to_margin, 2e-4 / displaced, 0.1);
    }
  }
}

TEST_F(Tube, PlansKeepRoomForTheUncertainty) {
  Problem problem = problemBeside(0.55);
  problem.uncertainty.joints = VecX::Constant(problem.robot->dimension(), 2e-3);
  problem.uncertainty.obstacles = VecX::Constant(1, 3e-3);
  problem.uncertainty.base_angle = 1e-3;
  const Plan plan = allclear::plan(problem, {.time_limit = 100.0});
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  EXPECT_GE(plan.certificate->tube->factor_to_margin, 1.0);
  EXPECT_TRUE(verifyCertificate(problem, *plan.certificate).valid);
}

TEST_F(Tube, AStartThatMayStrayIntoAnObstacleIsAtFault) {
  Problem problem = problemBeside(0.55);
  problem.uncertainty.obstacles = VecX::Constant(1, 3.0);
  const Plan plan = allclear::plan(problem, {.time_limit = 100.0});
  EXPECT_EQ(plan.status, PlanStatus::kNotFound);
  EXPECT_NE(plan.message.find("may stray"), std::string::npos) << plan.message;
}

}  // namespace
}  // namespace allclear
