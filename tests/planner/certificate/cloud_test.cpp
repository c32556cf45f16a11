// Certificates of obstacles that are clouds: against brute force over all elements at random
// instants, with forged cells, and what is said of them.
#include "allclear/planner/certificate/geometry.h"
#include "allclear/planner/certificate/instant.h"
#include "allclear/planner/certificate/proof_outside.h"
#include "allclear/planner/problem/cloud_distance.h"
#include "allclear/robot_models/kinematics.h"
#include "distance/cloud/cloud_scenes.h"
#include "planner/certificate/obstacle_certificates.h"
#include "support/long_run.h"

namespace allclear {
namespace {

using test::Random;

constexpr double kDuration = test::kAcrossDuration;

/// A cloud beside the arm's way; at rest, moving, or of which only a distribution is known.
Problem drawProblem(Random& random) {
  Problem problem = test::acrossProblem();
  Obstacle scan;
  scan.id = "scan";
  const Vec3 p = test::besideTheWay(random);
  scan.X_WO = {random.rotation(), p};
  scan.cloud = std::make_shared<const Cloud>(
      random.chance(0.5)
          ? Cloud::boxes(test::randomBoxes(random, 60))
          : Cloud::balls(test::randomPoints(random, 200), random.logUniform(1e-3, 0.05)));
  if (random.chance(0.3)) {
    const Pose to{random.rotation(), scan.X_WO.p + random.vector(0.5)};
    scan.motion = {{0.5, scan.X_WO}, {random.uniform(1.0, 3.0), to}};
  } else if (random.chance(0.3)) {
    scan.spread.knots.push_back({0.0, Mat3(1e-5 * Mat3::Identity())});
  }
  problem.obstacles.push_back(std::move(scan));
  return problem;
}

/// The least distance of any link's hulls from the cloud's elements at t.
double leastDistance(const Problem& problem, const Trajectory& trajectory, double t) {
  const Obstacle& scan = problem.obstacles.back();
  return test::leastOfLinks(problem, trajectory, t, [&](const Shape& shape, const Pose& X_WG) {
    return test::bruteDistance(shape, X_WG, *scan.cloud, scan.pose(t));
  });
}

TEST(CloudCertificate, HoldsAtEveryInstant) {
  const int count = test::isLong() ? 600 : 40;
  const test::CertificateCounts counts = test::certifyAtRandom(count, drawProblem, leastDistance);
  EXPECT_GE(counts.clear, count / 10);
  EXPECT_GE(counts.refused, count / 20);
}

/// Where the boxes of two bodies are as far apart as the bodies, their bound is the distance but
/// for its rounding: nearer to it than a search comes within its tolerance.
TEST(CloudCertificate, OfFlatGroundFarBelowIsVerified) {
  Problem problem =
      test::loadText(test::armTask("{lift: 0.1, shoulder: 1.2, elbow: -0.5, wrist: 0.5}"));
  Obstacle ground;
  ground.id = "ground";
  ground.cloud = std::make_shared<const Cloud>(
      Cloud::boxes({{Vec3(-9, -9, -9.5), Vec3(0, 9, -9)}, {Vec3(0, -9, -9.5), Vec3(9, 9, -9.1)}}));
  problem.obstacles.push_back(std::move(ground));
  Random random(3);
  const Trajectory trajectory = test::splineOf(problem, kDuration, random, 0.0);
  const Certificate certificate = certify(problem, trajectory);
  ASSERT_TRUE(certificate.clear) << certificate.message;
  const CertificateVerdict verdict = verifyCertificate(problem, certificate);
  EXPECT_TRUE(verdict.valid) << verdict.message;
}

/// A bound that is raised, a cell that is left out and a pair that is left out are noticed; and so
/// is one point more.
TEST(CloudCertificate, ForgeriesAreRefused) {
  Random random(17);
  const test::ClearMotion motion = test::clearMotion(random, drawProblem);
  const Problem& problem = motion.problem;
  const Trajectory& trajectory = motion.trajectory;
  const Certificate& certificate = motion.certificate;
  ASSERT_TRUE(verifyCertificate(problem, certificate).valid);
  std::size_t of_cloud = certificate.pairs.size();
  for (std::size_t p = 0; p < certificate.pairs.size(); ++p) {
    if (certificate.pairs[p].b == "scan") of_cloud = p;
  }
  ASSERT_LT(of_cloud, certificate.pairs.size());
  Certificate raised = certificate;
  for (CoverCell& cell : raised.pairs[of_cloud].cells) cell.lower += 5.0;
  EXPECT_FALSE(verifyCertificate(problem, raised).valid);
  Certificate shorter = certificate;
  shorter.pairs[of_cloud].cells.pop_back();
  EXPECT_FALSE(verifyCertificate(problem, shorter).valid);
  Certificate fewer = certificate;
  fewer.pairs.erase(fewer.pairs.begin() + static_cast<std::ptrdiff_t>(of_cloud));
  EXPECT_FALSE(verifyCertificate(problem, fewer).valid);

  // A point on the hand at the goal.
  Problem other = problem;
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.configuration(trajectory.value(kDuration)), workspace, X_WL);
  const int hand = problem.robot->findLink("hand");
  const Geometry& g = problem.robot->links()[hand].collision.at(0);
  const Vec3 p = other.obstacles.back().pose(kDuration).inverse() * (X_WL[hand] * g.X_BG.p);
  other.obstacles.back().cloud =
      std::make_shared<const Cloud>(Cloud::balls({Vec3(9, 9, 9), p}, 0.001));
  EXPECT_FALSE(verifyCertificate(other, certificate).valid);
  EXPECT_FALSE(certify(other, trajectory).clear);
}

TEST(CloudCertificate, ItsProofSaysThatItLeavesTheCloudOut) {
  Random random(3);
  Problem problem = drawProblem(random);
  problem.obstacles.back().spread.knots.clear();  // which is left out too, in a line of its own
  Certificate certificate{.trajectory = {BSpline(MatX::Zero(1, 6), 1.0), {}}};
  const auto outside =
      outsideOfProof(problem, certifiedGeometry(problem), certificate, /*path_constraints=*/true);
  ASSERT_EQ(outside.size(), 1u);
  EXPECT_NE(outside[0].find("obstacle 'scan', a cloud of"), std::string::npos);
}

TEST(CloudCertificate, ChecksMeasureTheElements) {
  Random random(5);
  for (int i = 0; i < 10; ++i) {
    const Problem problem = drawProblem(random);
    double least = HUGE_VAL;
    for (const PairDistance& pair :
         pairDistances(problem, certifiedGeometry(problem), problem.start, 0.0)) {
      if (pair.b == "scan") least = std::min(least, pair.distance);
    }
    const Kinematics kinematics(*problem.robot);
    Kinematics::Workspace workspace = kinematics.makeWorkspace();
    std::vector<Pose> X_WL;
    kinematics.linkPoses(problem.start, workspace, X_WL);
    const Obstacle& scan = problem.obstacles.back();
    const Mat3 K = scan.spreadAt(0.0);
    double brute = HUGE_VAL;
    for (std::size_t l = 0; l < X_WL.size(); ++l) {
      const auto solids = enclosingSolids(problem.robot->links()[l].collision, MeshFidelity::kHull);
      if (solids.empty()) continue;
      brute = std::min(brute, cloudDistance(solids, X_WL[l], *scan.cloud, scan.pose(0.0), &K));
    }
    EXPECT_GE(least, brute - 1e-9);
  }
}

}  // namespace
}  // namespace allclear
