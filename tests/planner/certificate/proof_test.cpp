// The model of a proof against the problem that it is of, and proofs against the checker itself.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "allclear/planner/certificate/proof_cells.h"
#include "allclear/planner/certificate/proof_claims.h"
#include "allclear/planner/certificate/proof_model.h"
#include "allclear/planner/certificate/proof_text.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/problem/after_end.h"
#include "allclear/robot_models/kinematics.h"
#include "certificate_fixture.h"
#include "support/mesh_samples.h"
#include "support/run_command.h"

namespace allclear {
namespace {

using test::armTask;
using test::boxAt;
using test::boxScene;
using test::loadText;
using test::Random;
using test::splineOf;

const char* const kAcross = "{lift: 0.1, shoulder: 1.2, elbow: -0.8, wrist: 0.6}";

// --- What the model says, by its own numbers.

double valueAt(const ProofModel& model, const ProofSource& source, double t) {
  std::size_t i = 0;
  while (i + 2 < model.breaks.size() && t > model.breaks[i + 1]) ++i;
  const double s = (t - model.breaks[i]) / (model.breaks[i + 1] - model.breaks[i]);
  std::vector<double> b = source.spans[i];
  for (std::size_t r = b.size(); r-- > 1;) {
    for (std::size_t j = 0; j < r; ++j) b[j] = (1.0 - s) * b[j] + s * b[j + 1];
  }
  return b[0];
}

Pose nodePose(const ProofModel& model, int node, double t) {
  Pose X;
  for (int k : pathTo(model, node)) {
    const ProofNode& joint = model.nodes[k];
    double x = joint.offset;
    if (joint.source >= 0) x += joint.factor * valueAt(model, model.sources[joint.source], t);
    X = X * joint.X_PF;
    const Pose moved = joint.turns ? Pose{rotationAbout(Vec3::UnitZ(), x), Vec3::Zero()}
                                   : Pose{Mat3::Identity(), x * Vec3::UnitZ()};
    X = X * moved;
  }
  return X;
}

double difference(const Pose& a, const Pose& b) {
  return std::max((a.R - b.R).cwiseAbs().maxCoeff(), (a.p - b.p).cwiseAbs().maxCoeff());
}

Problem problemOf(RobotModel robot) {
  Problem problem;
  problem.start = VecX::Zero(robot.dimension());
  for (int c = 0; c < robot.dimension(); ++c) problem.planned.push_back(c);
  problem.robot = std::make_shared<RobotModel>(std::move(robot));
  JointTarget goal{problem.planned, problem.start};
  problem.goal = goal;
  return problem;
}

Trajectory randomSpline(Random& random, int dimension, double duration) {
  MatX control(dimension, 9);
  for (int i = 0; i < control.cols(); ++i) control.col(i) = random.vectorX(dimension, 1.5);
  return BSpline(control, duration);
}

TEST(ProofModel, PutsLinksWhereTheKinematicsDoes) {
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Problem problem = problemOf(
        test::randomRobot(random, {.joints = 7, .mimics = true, .floating_base = seed % 3 == 0}));
    if (problem.robot->dimension() < 2) continue;
    // Some coordinates are held where the start has them.
    problem.start = random.vectorX(problem.robot->dimension(), 1.0);
    if (seed % 2 == 0) problem.planned.pop_back();
    const int n = problem.plannedCount();
    const Trajectory trajectory = randomSpline(random, n, 3.0);
    const ProofModel model = proofModel(problem, trajectory, 3.0, {});
    const Kinematics kinematics(*problem.robot);
    auto workspace = kinematics.makeWorkspace();
    std::vector<Pose> X_WL;
    for (int i = 0; i <= 40; ++i) {
      const double t = 3.0 * i / 40;
      kinematics.linkPoses(problem.configuration(trajectory.value(t)), workspace, X_WL);
      for (std::size_t link = 0; link < X_WL.size(); ++link) {
        const Pose X = nodePose(model, model.link_node[link], t) * model.link_pose[link];
        EXPECT_LE(difference(X, X_WL[link]), 1e-12) << "link " << link << " at " << t;
      }
    }
  }
}

/// Knots at any times, some before 0 and some after the end; turns about changing and kept axes.
Obstacle randomMotion(Random& random) {
  Obstacle obstacle;
  obstacle.id = "cart";
  obstacle.geometry.push_back({Sphere(0.1), {Mat3::Identity(), random.vector(0.3)}});
  double t = random.uniform(-2.0, 2.0);
  Pose X = random.pose(2.0);
  Vec3 axis = random.directionOfNormals();
  for (int k = random.integer(2, 7); k > 0; --k) {
    obstacle.motion.push_back({t, X});
    t += random.logUniform(1e-2, 3.0);
    if (random.chance(0.7)) X.p += random.vector(1.0);
    if (random.chance(0.5)) axis = random.directionOfNormals();
    if (random.chance(0.8)) X.R = X.R * rotationAbout(axis, random.uniform(-3.0, 3.0));
  }
  return obstacle;
}

TEST(ProofModel, FollowsObstaclesAlongTheirMotion) {
  for (int seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(500 + seed);
    Problem problem = problemOf(test::randomRobot(random, {.joints = 2, .all_types = false}));
    problem.obstacles = {randomMotion(random)};
    const Obstacle& obstacle = problem.obstacles[0];
    const Trajectory trajectory = randomSpline(random, problem.plannedCount(), 2.5);
    const ProofModel model =
        proofModel(problem, trajectory, coveredUntil(problem, 2.5), certifiedGeometry(problem));
    ASSERT_EQ(model.bodies.back(), "cart");
    const double end = model.breaks.back();
    EXPECT_GE(end, std::max(2.5, obstacle.motion.back().time) - 1e-12);
    for (int i = 0; i <= 200; ++i) {
      const double t = end * i / 200;
      const Pose X = nodePose(model, model.body_node.back(), t) * model.body_pose.back();
      EXPECT_LE(difference(X, obstacle.pose(t)), 1e-10) << t;
    }
  }
}

TEST(ProofModel, SourcesDoNotJumpAndBreaksAscend) {
  for (int seed = 0; seed < 50; ++seed) {
    Random random(900 + seed);
    Problem problem = problemOf(test::randomRobot(random, {.joints = 4}));
    problem.obstacles = {randomMotion(random), randomMotion(random)};
    problem.obstacles[1].id = "mast";
    if (problem.plannedCount() == 0) continue;
    const ProofModel model = proofModel(problem, randomSpline(random, problem.plannedCount(), 2.5),
                                        coveredUntil(problem, 2.5), certifiedGeometry(problem));
    EXPECT_EQ(model.breaks.front(), 0.0);
    EXPECT_TRUE(std::is_sorted(model.breaks.begin(), model.breaks.end(), std::less_equal<>()));
    for (const ProofSource& source : model.sources) {
      ASSERT_EQ(source.spans.size(), model.breaks.size() - 1) << source.name;
      for (std::size_t i = 1; i < source.spans.size(); ++i) {
        EXPECT_EQ(source.spans[i - 1].back(), source.spans[i].front()) << source.name;
      }
    }
  }
}

TEST(ProofText, NumbersReadBackToTheSameBits) {
  Random random(7);
  for (int i = 0; i < 1000; ++i) {
    const double x = (random.chance(0.5) ? 1 : -1) * random.logUniform(1e-300, 1e300);
    EXPECT_EQ(std::stod(ProofText().number(x).text), x);
  }
  EXPECT_EQ(ProofText().quoted("a \"b\" \\ c\nd").text, "\"a \\\"b\\\" \\\\ c d\"");
}

// --- What the checker says.

struct Answer {
  int code = -1;
  std::string text;
};

Answer check(const std::string& proof, const std::vector<std::string>& options = {}) {
  const test::TaskFolder folder;
  std::vector<std::string> command{test::verifierCommand(), folder.write("plan.proof", proof)};
  command.insert(command.end(), options.begin(), options.end());
  test::Process process(command, folder.path() / "answer.txt");
  Answer answer;
  answer.code = process.wait();
  answer.text = process.output();
  return answer;
}

/// Expects a proof of the trajectory that the checker accepts.
Proof expectProven(const Problem& problem, const Trajectory& trajectory) {
  const Certificate certificate = certify(problem, trajectory);
  EXPECT_TRUE(certificate.clear) << certificate.message;
  const Proof proof = makeProof(problem, certificate);
  for (const std::string& pair : proof.unproven) ADD_FAILURE() << "no proof of " << pair;
  const Answer answer = check(proof.text);
  EXPECT_EQ(answer.code, 0) << answer.text;
  return proof;
}

int countOf(const std::string& text, const std::string& word) {
  int count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Proof, OfAnArmAmongBoxesIsAccepted) {
  const std::string boxes = boxScene(boxAt("a", {0.2, 0.2, 0.3}, {1.2, 0.2, 0.5}) + ", " +
                                     boxAt("b", {0.2, 0.3, 0.3}, {-0.9, -0.6, 0.5}));
  const Problem problem = loadText(armTask(kAcross, boxes));
  Random random(1);
  const Proof proof = expectProven(problem, splineOf(problem, 4.0, random, 0.1));
  EXPECT_GT(countOf(proof.text, "\npair "), 10);
  EXPECT_GT(countOf(proof.text, "\nlimit "), 10);
}

TEST(Proof, OfACellOfPlanesAndAPolyhedronIsAccepted) {
  const auto scene = [](double wall) {
    return boxScene("{id: cell, type: keep_in, planes: [[1, 0, 0, " + std::to_string(wall) +
                    "], [-1, 0.2, 0, 4], [0, 1, 0, 4], [0, -1, 0, 4], [0, 0, 1, 4], "
                    "[0, 0, -1, 0.001]]}, {id: press, type: keep_out, planes: [[-1, 0, 0, 2], "
                    "[1, 0, 0, -1.5], [0, 1, 1, 0.5], [0, -1, 1, 0.5], [0, 0, -1, 0]]}, "
                    "{id: floor, type: plane, normal: z, offset: -0.001}");
  };
  const Problem problem = loadText(armTask(kAcross, scene(4.0)));
  Random random(1);
  const Trajectory trajectory = splineOf(problem, 4.0, random, 0.1);
  const Proof proof = expectProven(problem, trajectory);
  EXPECT_EQ(countOf(proof.text, " plane"), 6 + 1);
  // A wall that the arm reaches through: neither side proves it.
  const Problem narrow = loadText(armTask(kAcross, scene(0.4)));
  const Certificate hit = certify(narrow, trajectory);
  EXPECT_FALSE(hit.clear);
  const Proof none = makeProof(narrow, hit);
  EXPECT_FALSE(none.unproven.empty());
  EXPECT_EQ(check(none.text).code, 1);
}

TEST(Proof, OfHermitePiecesIsAccepted) {
  const Problem problem = loadText(armTask(kAcross));
  const VecX from = problem.plannedPart(problem.start);
  const VecX to = std::get<JointTarget>(problem.goal).values;
  MatX positions(from.size(), 3), zero = MatX::Zero(from.size(), 3);
  positions << from, 0.5 * (from + to), to;
  MatX velocities = zero;
  velocities.col(1) = (to - from) / 4.0;
  expectProven(problem, Trajectory(HermiteCurve({0.0, 2.5, 5.0}, positions, velocities, zero)));
}

TEST(Proof, OfMovingObstaclesIsAcceptedAndNamesTheirTracks) {
  Problem problem = loadText(armTask(kAcross, boxScene(boxAt("cart", {0.3, 0.3, 2.0}, {0, 0, 0}))));
  const auto turned = [](double angle, const Vec3& p) {
    return Pose{rotationAbout(Vec3(1, 2, 3).normalized(), angle), p};
  };
  problem.obstacles[0].motion = {{0.5, turned(0.0, {2.5, -2.5, 0.8})},
                                 {3.0, turned(2.8, {2.5, 2.5, 0.8})}};
  Random random(3);
  const Trajectory trajectory = splineOf(problem, 4.0, random, 0.1);
  const Proof proof = expectProven(problem, trajectory);
  EXPECT_EQ(countOf(proof.text, "\ntrack "), 4) << "three slides and a turn";
  // Where it passes through the arm there is no proof.
  problem.obstacles[0].motion[1].X_WO.p.x() = -1.5;
  const Certificate hit = certify(problem, trajectory);
  const Proof none = makeProof(problem, hit);
  EXPECT_FALSE(none.unproven.empty());
  EXPECT_EQ(check(none.text).code, 1);
}

TEST(Proof, OfPathConstraintsIsAccepted) {
  const std::string wide =
      "path_constraints: [{link: hand, keep_axis: x, direction: [1, 0, 0], tolerance: 2.0},\n"
      "  {link: hand, point: [0.1, 0, 0], box: {size: [5, 5, 3], pose: {position: [0, 0, "
      "0.65]}}}]\n";
  const Problem problem = loadText(armTask(kAcross, wide));
  Random random(4);
  const Proof proof = expectProven(problem, splineOf(problem, 5.0, random, 0.05));
  EXPECT_EQ(countOf(proof.text, "\nbody \"path constraint"), 2 + 1 + 6);
}

TEST(Proof, HoldsWithinASmallTubeAndNotWithinAWideOne) {
  const std::string boxes = boxScene(boxAt("a", {0.2, 0.2, 0.3}, {1.2, 0.2, 0.5}));
  const Problem problem = loadText(armTask(kAcross, boxes));
  Random random(1);
  const Proof proof = expectProven(problem, splineOf(problem, 4.0, random, 0.0));
  EXPECT_EQ(check(proof.text, {"--tube", "1e-9"}).code, 0);
  EXPECT_EQ(check(proof.text, {"--tube", "1"}).code, 1);
  EXPECT_EQ(check(proof.text, {"--tube", "nobody=0.001"}).code, 1);
}

/// A ball on a slide along z, of this radius, from -0.3 to 0.3.
Problem slidingBall(double radius) {
  RobotModel::Data data;
  data.name = "peg";
  data.links.resize(2);
  data.links[0].name = "base";
  data.links[1].name = "peg";
  data.links[1].parent_joint = 0;
  data.links[1].collision = {{Sphere(radius), Pose()}};
  Joint joint;
  joint.name = "slide";
  joint.type = JointType::kPrismatic;
  joint.parent_link = 0;
  joint.child_link = 1;
  joint.axis = Vec3::UnitZ();
  joint.first_coordinate = 0;
  data.joints = {joint};
  data.coordinates.push_back({"slide", 0, false, false, -1.0, 1.0, 1.0, 100.0});
  Problem problem = problemOf(RobotModel(std::move(data)));
  problem.start = VecX::Constant(1, -0.3);
  problem.goal = JointTarget{{0}, VecX::Constant(1, 0.3)};
  problem.obstacles.resize(1);
  problem.obstacles[0].id = "mesh";
  problem.collision.tolerance = 1e-5;
  return problem;
}

Trajectory straight() {
  MatX control(1, 8);
  for (int i = 0; i < 8; ++i) control(0, i) = 0.6 * std::clamp(i - 3, 0, 1) - 0.3;
  return BSpline(control, 3.0);
}

TEST(Proof, OfExactMeshesIsAccepted) {
  constexpr double kBall = 0.05, kTube = 0.02;
  for (double gap : {1.5e-4, 1e-3}) {
    Problem problem = slidingBall(kBall);
    problem.obstacles[0].geometry = {
        {test::torusMesh(kBall + gap + kTube, kTube, 256, 12), Pose()}};
    problem.collision.margin = gap / 1.5;
    const Proof proof = expectProven(problem, straight());
    EXPECT_EQ(countOf(proof.text, " solid "), 1);
    std::printf("ring of 6144 triangles, gap %g m: %zu cells, %zu bytes\n", gap, proof.cells,
                proof.text.size());
    EXPECT_LT(proof.text.size(), 2000000U);
  }
}

TEST(Proof, OfABodyInsideAMeshIsRefused) {
  Problem problem = slidingBall(0.01);
  problem.obstacles[0].geometry = {{test::blobMesh(2.0, 12, 16), Pose()}};
  problem.collision.margin = 1e-4;
  const Certificate certificate = certify(problem, straight());
  EXPECT_FALSE(certificate.clear);
  const Proof proof = makeProof(problem, certificate);
  EXPECT_EQ(check(proof.text).code, 1);
}

}  // namespace
}  // namespace allclear
