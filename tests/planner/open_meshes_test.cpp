// Meshes that are not closed: their hollow is free, and nothing passes their triangles, however
// thin these are and however fast it comes.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "allclear/distance/signed_distance.h"
#include "allclear/planner/certificate.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/segment_clearance.h"
#include "support/panel_meshes.h"
#include "support/random_robot.h"

namespace allclear {
namespace {

constexpr double kBall = 0.03;

/// A ball on three slides, from `start` to `goal`, and one obstacle.
Problem ballAnd(const TriangleMesh& mesh, const Vec3& start, const Vec3& goal,
                const Shape& ball = Sphere(kBall)) {
  RobotModel::Data data;
  data.name = "ball";
  data.links.resize(4);
  const char* names[] = {"base", "x", "y", "ball"};
  for (int i = 0; i < 4; ++i) data.links[i].name = names[i];
  data.links[3].collision = {{ball, Pose()}};
  for (int i = 0; i < 3; ++i) {
    data.links[i + 1].parent_joint = i;
    Joint joint;
    joint.name = std::string("slide ") + "xyz"[i];
    joint.type = JointType::kPrismatic;
    joint.parent_link = i;
    joint.child_link = i + 1;
    joint.axis = Vec3::Unit(i);
    joint.first_coordinate = i;
    data.joints.push_back(joint);
    data.coordinates.push_back({joint.name, i, false, false, -2.0, 2.0, 1000.0, 100.0});
  }
  Problem problem;
  problem.robot = std::make_shared<RobotModel>(std::move(data));
  problem.planned = {0, 1, 2};
  problem.start = start;
  JointTarget target;
  target.coordinates = {0, 1, 2};
  target.values = goal;
  problem.goal = target;
  problem.limits.acceleration = VecX::Constant(3, 1e6);
  problem.limits.jerk = VecX::Constant(3, 1e9);
  Obstacle obstacle;
  obstacle.id = "mesh";
  obstacle.geometry = {{mesh, Pose()}};
  problem.obstacles = {obstacle};
  return problem;
}

/// From rest to rest along the straight line, in so many seconds.
Trajectory straight(const Problem& problem, double duration) {
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  MatX control(3, 8);
  for (int i = 0; i < 8; ++i) {
    control.col(i) = problem.start + std::clamp(i - 3, 0, 1) * (goal - problem.start);
  }
  return BSpline(control, duration);
}

TEST(OpenMeshes, NothingPassesASheetHoweverFast) {
  for (int seed = 0; seed < 20; ++seed) {
    test::Random random(seed);
    test::MeshParts parts = test::sheetBox(Vec3(1, 1, 1), 0b111110);  // the side x- alone
    for (Vec3& p : parts.vertices) p.x() = 0.0;
    parts.move({rotationAbout(Vec3::UnitX(), random.uniform(-3, 3)), Vec3::Zero()}, Vec3::Ones());
    const TriangleMesh mesh = parts.mesh();
    const Vec3 aside(0, random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2));
    // Balls far smaller than their way between any two samples.
    const double radius = random.logUniform(1e-4, 0.03);
    const Shape ball =
        seed % 2 == 0 ? Shape(Sphere(radius)) : Shape(test::sphereMesh(8, 9, radius).mesh());
    const Problem through =
        ballAnd(mesh, aside + Vec3(-1, 0, 0), aside + Vec3(random.uniform(0.1, 1.5), 0, 0), ball);
    for (double duration : {1e-2, 1.0}) {
      const Certificate certificate = certify(through, straight(through, duration));
      EXPECT_FALSE(certificate.clear) << "seed " << seed;
      EXPECT_NE(certificate.message.find("'ball' and 'mesh'"), std::string::npos)
          << certificate.message;
    }
    SegmentClearance segments(through);
    const VecX goal = std::get<JointTarget>(through.goal).values;
    EXPECT_TRUE(segments.isClear(through.start) && segments.isClear(goal)) << "seed " << seed;
    EXPECT_FALSE(segments.isClear(through.start, goal)) << "seed " << seed;
    // Beside it the way is free.
    const Problem beside = ballAnd(mesh, Vec3(-1, 0.9, 0), Vec3(1, 0.9, 0), ball);
    EXPECT_TRUE(certify(beside, straight(beside, 1.0)).clear) << "seed " << seed;
  }
}

TEST(OpenMeshes, AHandInAnOpenCupboardIsFree) {
  // Walls of 2 cm without the side z+, of which one quad is lacking: no file is closed then.
  test::MeshParts parts = test::wallBox(Vec3(0.6, 0.5, 0.4), 0.02, 1U << 5);
  test::takeLargestQuad(&parts);
  const TriangleMesh cupboard = parts.mesh();
  const Vec3 inside(0.1, 0.05, 0.0);
  const Problem problem = ballAnd(cupboard, inside, Vec3(0, 0, 0.5));
  const Certificate out = certify(problem, straight(problem, 1.0));
  EXPECT_TRUE(out.clear) << out.message;
  EXPECT_NE(assumptionsInBrief(out).find("1 open mesh as surfaces (mesh)"), std::string::npos)
      << assumptionsInBrief(out);
  // Through a wall.
  const Problem through = ballAnd(cupboard, inside, Vec3(1, 0.05, 0));
  const Certificate refused = certify(through, straight(through, 0.05));
  EXPECT_FALSE(refused.clear);
  // Filled, as it is asked for: the same hand is in solid.
  const Problem filled = ballAnd(cupboard.withOpen(OpenMeshes::kFill), inside, Vec3(0, 0, 0.5));
  EXPECT_EQ(assumptionsInBrief(certify(filled, straight(filled, 1.0))).find("open mesh"),
            std::string::npos);
  // And a closed box has an inside that is not free.
  const Problem solid = ballAnd(test::boxMesh(Vec3(-0.3, -0.25, -0.2), Vec3(0.3, 0.25, 0.2)).mesh(),
                                inside, Vec3(0, 0, 0.1));
  EXPECT_FALSE(certify(solid, straight(solid, 1.0)).clear);
}

/// A tube without ends, of more sides than pieces, just wide enough for the ball.
TEST(OpenMeshes, ATubeThatPiecesAreTooCoarseForIsProvenByItsTriangles) {
  constexpr int kSides = 256;
  const double radius = (kBall + 1.02e-3) / std::cos(std::numbers::pi / kSides);
  test::MeshParts tube;
  for (int i = 0; i < kSides; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kSides;
    const Vec3 p(radius * std::cos(angle), radius * std::sin(angle), 0.0);
    tube.vertices.push_back(p - 0.05 * Vec3::UnitZ());
    tube.vertices.push_back(p + 0.05 * Vec3::UnitZ());
    const int a = 2 * i, b = 2 * ((i + 1) % kSides);
    tube.triangles.push_back({a, b, b + 1});
    tube.triangles.push_back({a, b + 1, a + 1});
  }
  test::Random random(1);
  test::flipSome(&tube, 0.3, random);
  const Problem problem = ballAnd(tube.mesh(), Vec3(0, 0, -0.3), Vec3(0, 0, 0.3));
  const Certificate certificate = certify(problem, straight(problem, 2.0));
  ASSERT_TRUE(certificate.clear) << certificate.message;
  ASSERT_EQ(certificate.pairs.size(), 1u);
  EXPECT_EQ(certificate.pairs[0].fidelity, MeshFidelity::kSurface);
  EXPECT_NEAR(certificate.minimum_clearance.upper, 1.02e-3, problem.collision.tolerance);
  const CertificateVerdict verdict = verifyCertificate(problem, certificate);
  EXPECT_TRUE(verdict.valid) << verdict.message;
  // A proof of another problem, in which the tube is filled.
  const Problem filled =
      ballAnd(tube.mesh().withOpen(OpenMeshes::kFill), Vec3(0, 0, -0.3), Vec3(0, 0, 0.3));
  EXPECT_FALSE(certify(filled, straight(filled, 2.0)).clear);
  EXPECT_FALSE(verifyCertificate(filled, certificate).valid);
}

TEST(OpenMeshes, PlansLeadOutOfAndIntoOpenBoxes) {
  int certified = 0;
  for (int seed = 0; seed < 6; ++seed) {
    test::Random random(100 + seed);
    const unsigned lacking = 1U << random.index(6);
    test::MeshParts parts = seed % 2 == 0 ? test::sheetBox(Vec3(0.5, 0.5, 0.5), lacking)
                                          : test::wallBox(Vec3(0.5, 0.5, 0.5), 0.02, lacking);
    if (seed % 2 == 1) test::takeLargestQuad(&parts);
    test::flipSome(&parts, 0.3, random);
    const Vec3 outside = 0.8 * random.direction();
    Problem problem = ballAnd(parts.mesh(), random.vector(0.15), outside);
    PlanOptions options;
    options.time_limit = 20.0;
    options.threads = 1;
    const Plan result = plan(problem, options);
    EXPECT_EQ(result.status, PlanStatus::kCertified) << "seed " << 100 + seed << result.message;
    if (result.status != PlanStatus::kCertified) continue;
    ++certified;
    // An independent look: many instants, the exact distance.
    for (int i = 0; i <= 2000; ++i) {
      const VecX q = result.trajectory->value(result.trajectory->duration() * i / 2000);
      EXPECT_GE(test::distanceFrom(parts.mesh(), q) - kBall, 0.999e-3) << "seed " << 100 + seed;
    }
  }
  EXPECT_GE(certified, 5);
}

TEST(OpenMeshes, MessagesNameDepthsOfTheMeshesThemselves) {
  // The ball is 5 mm in the wall of a cupboard that is hollow.
  test::MeshParts parts = test::wallBox(Vec3(0.6, 0.5, 0.4), 0.02, 1U << 5);
  test::takeLargestQuad(&parts);
  const Problem problem =
      ballAnd(parts.mesh(), Vec3(0.28 - kBall + 0.005, 0.02, 0.01), Vec3(0, 0, 0.5));
  const Plan result = plan(problem, {.time_limit = 100.0});
  EXPECT_NE(result.message.find("overlap by 5 mm"), std::string::npos) << result.message;
}

}  // namespace
}  // namespace allclear
