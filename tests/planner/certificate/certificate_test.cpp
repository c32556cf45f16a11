#include "allclear/planner/certificate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>

#include "allclear/core/input_error.h"
#include "allclear/planner/certificate/cover.h"
#include "allclear/planner/certificate/statements.h"
#include "allclear/planner/planner.h"
#include "planner/certificate/certificate_fixture.h"

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

int rounds(int usual, int many) { return std::getenv("ALLCLEAR_LONG") != nullptr ? many : usual; }

bool mentions(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

/// A few boxes where the arm may or may not pass.
std::string randomBoxes(Random& random) {
  std::string objects;
  for (int i = 0; i < 4; ++i) {
    const double angle = random.uniform(-0.5, 2.0), radius = random.uniform(0.5, 1.1);
    const Vec3 size(random.logUniform(0.02, 0.3), random.logUniform(0.02, 0.3),
                    random.logUniform(0.02, 0.3));
    objects += (i == 0 ? "" : ", ") + boxAt("box" + std::to_string(i), size,
                                            {radius * std::cos(angle), radius * std::sin(angle),
                                             random.uniform(0.3, 1.0)});
  }
  return boxScene(objects);
}

TEST(Certificate, ClearTrajectoriesKeepTheirMarginAtEverySampleAndTouchingOnesAreRefused) {
  const int count = rounds(40, 1000);
  int clear = 0, refused = 0;
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(1000u + seed);
    const Problem problem = loadText(armTask(kAcross, randomBoxes(random)));
    const Trajectory trajectory = splineOf(problem, 4.0, random, 0.3);
    const Certificate certificate = certify(problem, trajectory);
    const InstantOracle oracle(problem, trajectory);
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= 1000; ++i) least = std::min(least, oracle.leastDistance(4e-3 * i));
    EXPECT_GE(least, certificate.minimum_clearance.lower - 1e-9);
    EXPECT_GE(certificate.minimum_clearance.upper, certificate.minimum_clearance.lower);
    if (certificate.clear) {
      ++clear;
      EXPECT_GE(least, problem.collision.margin);
      const CertificateVerdict verdict = verifyCertificate(problem, certificate);
      EXPECT_TRUE(verdict.valid) << verdict.message;
      EXPECT_LE(certificate.minimum_clearance.length(), problem.collision.tolerance);
    } else if (least < problem.collision.margin) {
      ++refused;
      EXPECT_TRUE(mentions(certificate.message, "overlap") ||
                  mentions(certificate.message, "come within"))
          << certificate.message;
      EXPECT_NEAR(certificate.minimum_clearance.upper, least, 2e-3) << certificate.message;
    } else {
      EXPECT_LE(least, 2.0 * problem.collision.margin) << certificate.message;
    }
  }
  EXPECT_GE(clear, count / 10);
  EXPECT_GE(refused, count / 10);
}

TEST(Certificate, EveryCellsBoundIsBelowTheDistanceInsideIt) {
  Random random(7);
  const Problem problem = loadText(armTask(kAcross, randomBoxes(random)));
  const Trajectory trajectory = splineOf(problem, 4.0, random, 0.3);
  const Certificate certificate = certify(problem, trajectory);
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  CertifiedMotion motion(problem, geometry, trajectory, 1e-6);
  const auto body = [&](const std::string& name) {
    for (std::size_t b = 0; b < geometry.bodies.size(); ++b) {
      if (geometry.bodies[b].name == name) return static_cast<int>(b);
    }
    return -1;
  };
  int checked = 0;
  for (const CertificatePair& pair : certificate.pairs) {
    const PieceIndex a{body(pair.a), pair.piece_a, pair.fidelity};
    const PieceIndex b{body(pair.b), pair.piece_b, pair.fidelity};
    motion.ensurePieces(a.body, a.fidelity);
    motion.ensurePieces(b.body, b.fidelity);
    for (const CoverCell& cell : pair.cells) {
      for (int i = 0; i < 5; ++i, ++checked) {
        const double t = random.uniform(cell.time.lower, cell.time.upper);
        EXPECT_LE(cell.lower, motion.distanceAt(a, b, t).distance) << pair.a << " " << pair.b;
      }
    }
  }
  EXPECT_GT(checked, 100);
}

TEST(Certificate, AStraightLineThroughABoxIsRefusedWithThePairAndATimeInTheContact) {
  // The hand sweeps about the column; the pole stands in its way.
  const Problem problem =
      loadText(armTask("{lift: 0.1, shoulder: 1.2, elbow: 0.5, wrist: 0}",
                       boxScene(boxAt("pole", {0.04, 0.04, 2.0}, {0.45, 0.55, 0.0}) + ", " +
                                boxAt("shelf", {0.2, 0.2, 0.05}, {-1.5, 0.0, 0.5}))));
  Random random(1);
  const Trajectory trajectory = splineOf(problem, 4.0, random, 0.0);
  const Certificate certificate = certify(problem, trajectory);
  ASSERT_FALSE(certificate.clear);
  const InstantOracle oracle(problem, trajectory);
  std::string pair;
  EXPECT_LT(oracle.leastDistance(certificate.closest_t, &pair), 0.0);
  EXPECT_EQ(pair, certificate.closest_a + " " + certificate.closest_b);
  EXPECT_EQ(certificate.closest_b, "pole");
  EXPECT_TRUE(mentions(certificate.message, "'" + certificate.closest_a + "' and 'pole' overlap"))
      << certificate.message;
  EXPECT_FALSE(verifyCertificate(problem, certificate).valid);
}

TEST(Certificate, ObstaclesAreFollowedAlongTheirMotion) {
  const std::string path = boxAt("cart", {0.3, 0.3, 2.0}, {0, 0, 0});
  Problem problem = loadText(armTask(kAcross, boxScene(path)));
  Random random(3);
  const Trajectory trajectory = splineOf(problem, 4.0, random, 0.1);
  const auto turned = [](double angle, const Vec3& p) {
    return Pose{rotationAbout(Vec3(1, 2, 3).normalized(), angle), p};
  };
  // Passes through the arm only between its two knots.
  problem.obstacles[0].motion = {{0.5, turned(0.0, {2.5, -2.5, 0.8})},
                                 {3.0, turned(2.8, {-1.5, 2.5, 0.8})}};
  const Certificate hit = certify(problem, trajectory);
  EXPECT_FALSE(hit.clear);
  EXPECT_EQ(hit.closest_b, "cart");
  problem.obstacles[0].motion = {{0.5, turned(0.0, {2.5, -2.5, 0.8})},
                                 {3.0, turned(2.8, {2.5, 2.5, 0.8})}};
  const Certificate missed = certify(problem, trajectory);
  EXPECT_TRUE(missed.clear) << missed.message;
  for (const Certificate* certificate : {&hit, &missed}) {
    const InstantOracle oracle(problem, trajectory);
    if (certificate == &hit) continue;
    for (int i = 0; i <= 2000; ++i) {
      EXPECT_GE(oracle.leastDistance(2e-3 * i), certificate->minimum_clearance.lower);
    }
  }
}

TEST(Certificate, APlaneIsKeptOffAndATurningOneIsNotAccepted) {
  const std::string floor = "{id: floor, type: plane, normal: [0.1, 0, 1], offset: ";
  Random random(5);
  // The base stands in it, and stays.
  const std::string allowed = "collision: {allowed: [[base_link, floor]]}\n";
  const Problem low = loadText(armTask(kAcross, boxScene(floor + "0.1}") + allowed));
  const Trajectory trajectory = splineOf(low, 4.0, random, 0.0);
  const Certificate above = certify(low, trajectory);
  EXPECT_TRUE(above.clear) << above.message;
  EXPECT_TRUE(verifyCertificate(low, above).valid);
  // The column slides into it.
  const Problem high = loadText(armTask(kAcross, boxScene(floor + "0.7}") + allowed));
  EXPECT_FALSE(certify(high, trajectory).clear);
  Problem turning = low;
  turning.obstacles[0].motion = {{0.0, {}}, {1.0, {rotationAbout(Vec3::UnitX(), 0.1), {}}}};
  EXPECT_THROW(certify(turning, trajectory), InputError);
}

/// The arm on a box whose top is at `height` [m]; the arm's base ends at 0.
Problem onPedestal(double height, const std::string& more = "") {
  return loadText(
      armTask(kAcross, boxScene(boxAt("pedestal", {0.3, 0.3, 0.1}, {0, 0, height - 0.05})) + more));
}

TEST(Certificate, BodiesThatTouchAndNeverPartAreReportedButNotThePlansFault) {
  Random random(5);
  for (double height : {0.0, 0.5e-3}) {
    const Problem problem = onPedestal(height);
    const Certificate certificate = certify(problem, splineOf(problem, 4.0, random, 0.0));
    EXPECT_TRUE(certificate.clear) << certificate.message;
    ASSERT_EQ(certificate.static_contacts.size(), 1u);
    EXPECT_EQ(certificate.message, verdictOf(problem, certificate));
    EXPECT_TRUE(mentions(certificate.static_contacts[0], "'base_link' and 'pedestal'"));
    EXPECT_TRUE(verifyCertificate(problem, certificate).valid);
  }
}

TEST(Certificate, BodiesThatAreInOneAnotherAndNeverPartAreNotClear) {
  Random random(5);
  const Problem problem = onPedestal(0.02);
  const Certificate certificate = certify(problem, splineOf(problem, 4.0, random, 0.0));
  EXPECT_FALSE(certificate.clear);
  EXPECT_TRUE(mentions(certificate.message, "'base_link' and 'pedestal' overlap by 20 mm"))
      << certificate.message;
  EXPECT_TRUE(mentions(certificate.message, "collision.allowed: [[base_link, pedestal]]"))
      << certificate.message;
  // The planner says so before it plans.
  const Plan refused = plan(problem);
  EXPECT_EQ(refused.status, PlanStatus::kNotFound);
  EXPECT_TRUE(mentions(refused.message, "'base_link' and 'pedestal' overlap")) << refused.message;
  EXPECT_EQ(refused.statistics.attempts, 0);
  // A claim of the opposite is not believed.
  Certificate forged = certificate;
  forged.clear = true;
  forged.faults.clear();
  EXPECT_FALSE(verifyCertificate(problem, forged).valid);
  // Allowed by the task it is no fault.
  const Problem allowed = onPedestal(0.02, "collision: {allowed: [[base_link, pedestal]]}\n");
  const Certificate kept = certify(allowed, splineOf(allowed, 4.0, random, 0.0));
  EXPECT_TRUE(kept.clear) << kept.message;
}

TEST(CertifiedGeometry, PairsFollowFromTheProblemAlone) {
  Problem problem = loadText(armTask(
      kAcross, "scene:\n  collision_objects: [" + boxAt("box", {0.1, 0.1, 0.1}, {2, 0, 0}) +
                   "]\n  attached: [{id: tool, link: hand, type: sphere, dimensions: [0.01], "
                   "touch_links: [left_finger, right_finger]}]\n"
                   "collision: {allowed: [[forearm, box]], pair_margins: {box: 0.02, hand: {box: "
                   "0.03}}}\n"));
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  const auto find = [&](const std::string& a, const std::string& b) -> const CertifiedPair* {
    for (const CertifiedPair& pair : geometry.pairs) {
      if (geometry.bodies[pair.a].name == a && geometry.bodies[pair.b].name == b) return &pair;
    }
    return nullptr;
  };
  EXPECT_EQ(find("forearm", "box"), nullptr);        // allowed by the task
  EXPECT_EQ(find("upper_arm", "forearm"), nullptr);  // disabled by the robot
  EXPECT_EQ(find("hand", "tool"), nullptr);
  EXPECT_EQ(find("left_finger", "tool"), nullptr);
  ASSERT_NE(find("tool", "box"), nullptr);
  ASSERT_NE(find("forearm", "tool"), nullptr);
  EXPECT_FALSE(find("forearm", "tool")->fixed);
  ASSERT_NE(find("base_link", "box"), nullptr);
  EXPECT_TRUE(find("base_link", "box")->fixed);
  EXPECT_EQ(find("tool", "box")->margin, 0.02);
  EXPECT_EQ(find("hand", "box")->margin, 0.03);
  EXPECT_EQ(find("forearm", "tool")->margin, problem.collision.margin);
  // 7 links: 21 pairs, 7 disabled; 7 links and the tool with the box, one allowed; the tool with 4.
  EXPECT_EQ(geometry.pairs.size(), 14u + 7u + 4u);
  problem.planned = {problem.robot->findCoordinate("finger")};
  EXPECT_FALSE(CertifiedGeometry(certifiedGeometry(problem)).pairs.empty());
}

TEST(CertifiedGeometry, AMeshOfSeveralPartsIsOpenBetweenThem) {
  Problem problem = loadText(armTask(kAcross));
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  for (double z : {0.0, 1.0}) {  // two tetrahedra that share no vertex; corners are repeated
    const std::array<Vec3, 4> corner{Vec3(0, 0, z), Vec3(1, 0, z), Vec3(0, 1, z),
                                     Vec3(0, 0, z + 0.1)};
    for (const Triangle& face :
         {Triangle{0, 2, 1}, Triangle{0, 1, 3}, Triangle{1, 2, 3}, Triangle{2, 0, 3}}) {
      const int first = static_cast<int>(vertices.size());
      for (int v : face) vertices.push_back(corner[v]);
      triangles.push_back({first, first + 1, first + 2});
    }
  }
  problem.obstacles.push_back({"shelf", {}, {{TriangleMesh(vertices, triangles), {}}}, {}});
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  const CertifiedBody& shelf = geometry.bodies.back();
  const std::vector<Geometry> pieces = shelf.solids(MeshFidelity::kPieces);
  ASSERT_EQ(pieces.size(), 2u);
  for (const Vec3& p : vertices) {
    double nearest = 1.0;
    for (const Geometry& piece : pieces) {
      nearest = std::min(
          nearest, signedDistance(Sphere(1e-3), {Mat3::Identity(), p}, piece.shape, {}).distance);
    }
    EXPECT_LE(nearest, -1e-3 + 1e-9);
  }
  const Pose between{Mat3::Identity(), Vec3(0.2, 0.2, 0.5)};
  for (const Geometry& piece : pieces) {
    EXPECT_GT(signedDistance(Sphere(0.1), between, piece.shape, {}).distance, 0.3);
  }
}

/// A problem with a certified trajectory, to be tampered with.
class Tampering : public testing::Test {
 protected:
  Tampering()
      : problem_(
            loadText(armTask(kAcross, boxScene(boxAt("box", {0.1, 0.1, 0.1}, {0.7, 0.6, 0.45}))))),
        certificate_(certify(problem_, trajectory())) {}

  Trajectory trajectory() const {
    Random random(11);
    return splineOf(problem_, 4.0, random, 0.05);
  }
  /// The pair that needed most cells.
  CertificatePair& busiest() {
    return *std::max_element(
        certificate_.pairs.begin(), certificate_.pairs.end(),
        [](const auto& a, const auto& b) { return a.cells.size() < b.cells.size(); });
  }
  void expectRefused(const std::string& why) const {
    const CertificateVerdict verdict = verifyCertificate(problem_, certificate_);
    EXPECT_FALSE(verdict.valid);
    EXPECT_TRUE(mentions(verdict.message, why)) << verdict.message;
  }

  Problem problem_;
  Certificate certificate_;
};

TEST_F(Tampering, AnHonestCertificateIsValid) {
  ASSERT_TRUE(certificate_.clear) << certificate_.message;
  const CertificateVerdict verdict = verifyCertificate(problem_, certificate_);
  EXPECT_TRUE(verdict.valid) << verdict.message;
  EXPECT_GE(busiest().cells.size(), 4u);
}
TEST_F(Tampering, ARaisedBoundIsSeen) {
  for (CoverCell& cell : busiest().cells) cell.lower += 0.05;
  expectRefused("does not follow");
}
TEST_F(Tampering, ATurnedDirectionIsSeen) {
  CoverCell& cell = busiest().cells[1];
  cell.normal = -cell.normal;
  expectRefused("does not follow");
}
TEST_F(Tampering, ADroppedCellIsSeen) {
  auto& cells = busiest().cells;
  cells.erase(cells.begin() + static_cast<int>(cells.size() / 2));
  expectRefused("a cell is missing");
}
TEST_F(Tampering, ADroppedLastCellIsSeen) {
  busiest().cells.pop_back();
  expectRefused("end too early");
}
TEST_F(Tampering, ADroppedPairIsSeen) {
  certificate_.pairs.erase(certificate_.pairs.begin() + 3);
  expectRefused("the pair is missing");
}
TEST_F(Tampering, AChangedTrajectoryIsSeen) {
  MatX control = certificate_.trajectory.trajectory.bspline()->control();
  control(1, 5) += 1e-6;
  certificate_.trajectory.trajectory =
      certificate_.trajectory.trajectory.bspline()->withControl(control);
  expectRefused("was changed");
  // Nor does it help to change the hash as well, when the change is one that matters.
  control(1, 5) += 0.8;
  control(1, 6) += 0.8;
  certificate_.trajectory.trajectory =
      certificate_.trajectory.trajectory.bspline()->withControl(control);
  certificate_.trajectory_sha256 = trajectorySha256(certificate_.trajectory);
  expectRefused("");
}
TEST_F(Tampering, ChangedHashesAreSeen) {
  certificate_.robot_sha256[0] ^= 1;
  expectRefused("another robot");
  certificate_.robot_sha256[0] ^= 1;
  certificate_.task_sha256 = "0";
  expectRefused("another task");
}
TEST_F(Tampering, ALoweredMarginIsSeen) {
  certificate_.margin = 0.0;
  expectRefused("margin");
  certificate_.margin = problem_.collision.margin;
  busiest().margin = 0.0;
  expectRefused("not the margin");
}
TEST_F(Tampering, AChangedProblemIsSeen) {
  problem_.obstacles[0].X_WO.p.z() += 0.2;
  expectRefused("does not follow");
}
TEST_F(Tampering, OtherLimitsThanProvenAreSeen) {
  const std::vector<CertifiedLimit> honest = certificate_.limits;
  for (double factor : {0.9, 1.1}) {
    for (CertifiedLimit& limit : certificate_.limits) {
      if (limit.quantity == "velocity") limit.upper *= factor;
    }
    expectRefused("not those proven");
    certificate_.limits = honest;
  }
  certificate_.limits[1].t += 0.1;
  expectRefused("instant");
}
TEST_F(Tampering, ForgedSentencesAreSeen) {
  const Certificate honest = certificate_;
  certificate_.message = "Clear at every instant, by a mile.";
  expectRefused("message");
  certificate_ = honest;
  certificate_.faults = {"The arm is on fire"};
  expectRefused("does not claim");
  certificate_ = honest;
  certificate_.static_contacts = {"'a' and 'b' touch"};
  expectRefused("static contacts");
  certificate_ = honest;
  certificate_.not_covered = {"anything"};
  expectRefused("does not cover");
  certificate_ = honest;
  const CertificateVerdict verdict = verifyCertificate(problem_, certificate_);
  EXPECT_TRUE(mentions(verdict.message, certificate_.message)) << verdict.message;
}
TEST_F(Tampering, AForgedPlaceOfTheLeastDistanceIsSeen) {
  const Certificate honest = certificate_;
  certificate_.closest_a = certificate_.closest_b = "";
  expectRefused("least distance");
  certificate_ = honest;
  certificate_.closest_a = "nobody";
  expectRefused("least distance");
  certificate_ = honest;
  certificate_.closest_a = "nobody";
  certificate_.minimum_clearance.upper = std::numeric_limits<double>::infinity();
  expectRefused("least distance");
  certificate_ = honest;
  certificate_.closest_t = 5.0;
  expectRefused("instant");
}
TEST_F(Tampering, IndicesOutOfRangeAreRefusedNotRead) {
  const Certificate honest = certificate_;
  for (int fidelity : {-2, -1, kMeshFidelityCount, 1 << 20}) {
    for (CertificatePair& pair : certificate_.pairs) {
      pair.fidelity = static_cast<MeshFidelity>(fidelity);
    }
    expectRefused("fidelity");
    certificate_ = honest;
  }
  for (int piece : {-1, 1, 1 << 20}) {
    certificate_.pairs[2].piece_a = piece;
    expectRefused("the pair is missing");
    certificate_ = honest;
  }
  certificate_.trajectory.joint_names.push_back("one_more");
  expectRefused("other joints");
  certificate_ = honest;
  certificate_.trajectory.trajectory = BSpline(MatX::Zero(2, 8), 4.0);
  expectRefused("other joints");
}
TEST_F(Tampering, NanIsNoNumberOfAProof) {
  const Certificate honest = certificate_;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::function<double&()>> numbers{
      [&]() -> double& { return certificate_.margin; },
      [&]() -> double& { return certificate_.tolerance; },
      [&]() -> double& { return certificate_.minimum_clearance.lower; },
      [&]() -> double& { return certificate_.minimum_clearance.upper; },
      [&]() -> double& { return certificate_.closest_t; },
      [&]() -> double& { return certificate_.limits[2].lower; },
      [&]() -> double& { return certificate_.limits[2].upper_limit; },
      [&]() -> double& { return certificate_.limits[2].t; },
      [&]() -> double& { return busiest().margin; },
      [&]() -> double& { return busiest().cells[0].lower; },
      [&]() -> double& { return busiest().cells[0].time.upper; },
      [&]() -> double& { return busiest().cells[0].normal.x(); }};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    SCOPED_TRACE(i);
    certificate_ = honest;
    numbers[i]() = nan;
    expectRefused("");
  }
}
TEST_F(Tampering, AGreaterLeastDistanceThanProvenIsSeen) {
  certificate_.minimum_clearance.lower += 1e-3;
  expectRefused("least distance");
}

}  // namespace
}  // namespace allclear
