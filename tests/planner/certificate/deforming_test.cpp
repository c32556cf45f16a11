// Certificates of obstacles that bend: against brute force over triangles at random instants, and
// with forged cells.
#include "allclear/planner/certificate/deforming.h"

#include "allclear/planner/certificate/instant.h"
#include "allclear/planner/certificate/obstacle_statements.h"
#include "allclear/planner/certificate/proof_outside.h"
#include "allclear/planner/problem/after_end.h"
#include "allclear/planner/problem/deforming_pieces.h"
#include "allclear/robot_models/kinematics.h"
#include "distance/deform/sequence_scenes.h"
#include "planner/certificate/obstacle_certificates.h"
#include "support/long_run.h"

namespace allclear {
namespace {

using test::acrossProblem;
using test::Random;
using test::splineOf;

constexpr double kDuration = test::kAcrossDuration;

Obstacle sheetAt(const Vec3& p, std::shared_ptr<const DeformingMesh> mesh) {
  Obstacle obstacle;
  obstacle.id = "sheet";
  obstacle.X_WO.p = p;
  obstacle.deforming = std::move(mesh);
  return obstacle;
}

/// A sheet beside the arm's way, with keyframes that begin late and end early, or last longer.
Problem drawProblem(Random& random) {
  Problem problem = acrossProblem();
  const Vec3 p = test::besideTheWay(random);
  const double start = random.uniform(-0.5, 1.5);
  auto mesh = std::make_shared<const DeformingMesh>(test::wavingSheet(
      random, random.integer(1, 6), random.integer(1, 9), start, start + random.uniform(0.5, 4.0)));
  problem.obstacles.push_back(sheetAt(p, mesh));
  problem.obstacles.back().X_WO.R = random.rotation();
  return problem;
}

/// The least distance of any link's solids from the sheet's triangles at t.
double leastDistance(const Problem& problem, const Trajectory& trajectory, double t) {
  const Obstacle& sheet = problem.obstacles.back();
  return test::leastOfLinks(problem, trajectory, t, [&](const Shape& shape, const Pose& X_WG) {
    return test::bruteDistance(shape, X_WG, *sheet.deforming, sheet.X_WO, t);
  });
}

/// Between refused bodies the hulls of patches may meet where triangles do not.
TEST(DeformingCertificate, HoldsAtEveryInstant) {
  const int count = test::isLong() ? 600 : 30;
  const test::CertificateCounts counts = test::certifyAtRandom(count, drawProblem, leastDistance);
  EXPECT_GE(counts.clear, count / 10);
  EXPECT_GE(counts.refused, count / 10);
}

/// A problem whose certificate is clear, with a sheet of some keyframes not far.
test::ClearMotion clearMotion(Random& random) {
  for (;;) {
    test::ClearMotion motion = test::clearMotion(random, drawProblem);
    if (motion.problem.obstacles.back().deforming->keyframeCount() > 2) {
      EXPECT_EQ(motion.certificate.covered_until, coveredUntil(motion.problem, kDuration));
      return motion;
    }
  }
}

TEST(DeformingCertificate, ForgeriesAreRefused) {
  for (int seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(600 + seed);
    const test::ClearMotion motion = clearMotion(random);
    const Problem& problem = motion.problem;
    const Certificate& good = motion.certificate;
    ASSERT_TRUE(verifyCertificate(problem, good).valid);
    std::vector<std::size_t> sheets;
    for (std::size_t i = 0; i < good.pairs.size(); ++i) {
      if (good.pairs[i].b == "sheet") sheets.push_back(i);
    }
    ASSERT_FALSE(sheets.empty());
    const std::size_t one = sheets[random.index(static_cast<int>(sheets.size()))];
    const auto refused = [&](const char* what, const auto& forge) {
      Certificate forged = good;
      forge(forged.pairs[one], forged);
      EXPECT_FALSE(verifyCertificate(problem, forged).valid) << what;
    };
    refused("a bound too high", [](CertificatePair& pair, Certificate&) {
      for (CoverCell& cell : pair.cells) cell.lower += 10.0;
    });
    refused("a direction turned", [](CertificatePair& pair, Certificate&) {
      for (CoverCell& cell : pair.cells) cell.normal = -cell.normal;
    });
    refused("a cell missing", [](CertificatePair& pair, Certificate&) { pair.cells.pop_back(); });
    refused("a cell that ends early",
            [](CertificatePair& pair, Certificate&) { pair.cells.back().time.upper -= 0.1; });
    refused("another patch", [](CertificatePair& pair, Certificate&) { pair.piece_b += 1; });
    refused("a patch too many", [](CertificatePair& pair, Certificate& certificate) {
      CertificatePair more = pair;
      more.piece_b = 1000;
      certificate.pairs.push_back(more);
    });
    refused("a pair missing", [&](CertificatePair&, Certificate& certificate) {
      certificate.pairs.erase(certificate.pairs.begin() + static_cast<long>(one));
    });
    // The same certificate for a sheet that comes nearer between two keyframes.
    Problem other = problem;
    const DeformingMesh& mesh = *problem.obstacles.back().deforming;
    std::vector<std::vector<Vec3>> frames;
    for (int k = 0; k < mesh.keyframeCount(); ++k) frames.push_back(mesh.keyframe(k));
    const Vec3 to_robot = problem.obstacles.back().X_WO.inverse() * Vec3(0.0, 0.0, 0.5);
    for (Vec3& p : frames[1]) p = to_robot;
    other.obstacles.back().deforming =
        std::make_shared<const DeformingMesh>(mesh.triangles(), frames, mesh.times());
    EXPECT_FALSE(verifyCertificate(other, good).valid);
  }
}

TEST(DeformingCertificate, SaysWhatItTakesForGrantedAndWhatProofsLeaveOut) {
  Random random(12);
  const test::ClearMotion motion = clearMotion(random);
  const Problem& problem = motion.problem;
  const Certificate& good = motion.certificate;
  const auto is_said = [&](const std::string& kind) {
    return std::any_of(good.assumptions.begin(), good.assumptions.end(), [&](const Assumption& a) {
      return a.kind == kind && a.text.find("sheet") != std::string::npos;
    });
  };
  EXPECT_TRUE(is_said("moving obstacles"));
  EXPECT_TRUE(is_said("bending obstacles"));
  const Proof proof = makeProof(problem, good);
  EXPECT_TRUE(proof.unproven.empty());
  EXPECT_NE(proof.text.find("not in this proof: obstacle 'sheet', which bends"), std::string::npos);
}

TEST(DeformingCertificate, SeesWhoIsInsideOfAClosedMesh) {
  Problem problem = acrossProblem();
  const std::vector<Vec3> corners = test::boxCorners({5.0, 5.0, 5.0});
  const auto closed = std::make_shared<const DeformingMesh>(
      test::boxTriangles(), std::vector{corners, corners}, std::vector<double>{0.0, 1.0});
  std::vector<Triangle> open = test::boxTriangles();
  open.erase(open.begin());
  const auto sheet = std::make_shared<const DeformingMesh>(open, std::vector{corners, corners},
                                                           std::vector<double>{0.0, 1.0});
  Random random(2);
  const Trajectory trajectory = splineOf(problem, kDuration, random, 0.1);
  problem.obstacles.push_back(sheetAt(Vec3::Zero(), sheet));
  const Certificate within = certify(problem, trajectory);
  ASSERT_TRUE(within.clear) << within.message;  // a hollow, whose walls are far
  problem.obstacles.back().deforming = closed;
  const Certificate inside = certify(problem, trajectory);
  EXPECT_FALSE(inside.clear);
  EXPECT_NE(inside.message.find("is not shown to start outside of the closed mesh 'sheet'"),
            std::string::npos)
      << inside.message;
  // A certificate of the hollow says nothing of the solid.
  EXPECT_FALSE(verifyCertificate(problem, within).valid);
  problem.obstacles.back().X_WO.p.x() = 20.0;
  const Certificate outside = certify(problem, trajectory);
  EXPECT_TRUE(outside.clear) << outside.message;
  EXPECT_TRUE(verifyCertificate(problem, outside).valid);
}

/// The robot rests after its trajectory, and the sheet reaches it only then.
TEST(DeformingCertificate, LastsUntilTheLastKeyframe) {
  Problem problem = acrossProblem();
  Random random(3);
  const Trajectory trajectory = splineOf(problem, kDuration, random, 0.1);
  const std::vector<Vec3> far{{5, 0, 0}, {6, 0, 0}, {5, 1, 0}};
  const std::vector<Vec3> near{{-3, -3, 0.5}, {4, 0, 0.5}, {0, 4, 0.5}};
  const auto mesh = std::make_shared<const DeformingMesh>(
      std::vector<Triangle>{{0, 1, 2}}, std::vector{far, far, near},
      std::vector<double>{0.0, kDuration, kDuration + 2.0});
  problem.obstacles.push_back(sheetAt(Vec3::Zero(), mesh));
  ASSERT_TRUE(restsAfterEnd(problem));
  const Certificate certificate = certify(problem, trajectory);
  EXPECT_FALSE(certificate.clear);
  EXPECT_NE(certificate.message.find("while the robot rests"), std::string::npos)
      << certificate.message;
  EXPECT_EQ(certificate.covered_until, kDuration + 2.0);
}

TEST(DeformingCertificate, MeasuresAtOneInstant) {
  for (int seed = 0; seed < 10; ++seed) {
    Random random(900 + seed);
    const Problem problem = drawProblem(random);
    const CertifiedGeometry geometry = certifiedGeometry(problem);
    const Trajectory rest = BSpline(problem.plannedPart(problem.start).replicate(1, 6), 1.0);
    const double t = random.uniform(0.0, 1.0);
    const double truth = leastDistance(problem, rest, t);
    double least = HUGE_VAL;
    for (const PairDistance& pair : pairDistances(problem, geometry, problem.start, t)) {
      if (pair.b == "sheet") least = std::min(least, pair.distance);
    }
    EXPECT_LE(least, truth + 1e-9);  // hulls of patches hold the triangles
  }
}

TEST(DeformingPieces, BoxesHoldTheMeshAtEveryInstant) {
  Random random(8);
  const DeformingMesh mesh = test::wavingSheet(random, 8, 5, 0.0, 1.0);
  for (const MeshFidelity fidelity : kFidelities) {
    const auto patches = patchesOf(mesh, fidelity);
    const auto boxes = sweptBoxes(mesh, patches);
    const Geometry all = sweptBox(mesh);
    for (std::size_t i = 0; i < patches.size(); ++i) {
      for (int k = 0; k <= 20; ++k) {
        for (const int v : patches[i]) {
          const Vec3 p = mesh.position(v, mesh.at(k / 20.0));
          for (const Geometry& box : {boxes[i], all}) {
            const Vec3 beyond = (p - box.X_BG.p).cwiseAbs() - std::get<Box>(box.shape).halfSize();
            EXPECT_LE(beyond.maxCoeff(), 0.0);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace allclear
