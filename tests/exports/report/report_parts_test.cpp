// The parts of a report: meshes, distances, scene, verdict, page.
#include <gtest/gtest.h>

#include <cstring>

#include "allclear/distance/signed_distance.h"
#include "allclear/exports/report/assets.h"
#include "allclear/exports/report/clearance.h"
#include "allclear/exports/report/html.h"
#include "allclear/exports/report/mesh.h"
#include "allclear/exports/report/scene.h"
#include "allclear/exports/report/tools.h"
#include "allclear/exports/report/verdict.h"
#include "allclear/robot_models/kinematics.h"
#include "exports/report_payload.h"
#include "planner/certificate/certificate_fixture.h"

namespace allclear {
namespace {

using test::armTask;
using test::boxAt;
using test::boxScene;
using test::loadText;

const char* kGoal = "{lift: 0.1, shoulder: 1.2, elbow: -0.5, wrist: 0.5}";

Problem armWithBox() {
  return loadText(armTask(kGoal, boxScene(boxAt("box", {0.1, 0.1, 0.1}, {0.7, 0.6, 0.45}))));
}

/// A sphere of `rings` rings.
ReportMesh ball(int rings) {
  ReportMesh mesh;
  for (int i = 0; i <= rings; ++i) {
    for (int k = 0; k < 2 * rings; ++k) {
      const double a = 3.14159265358979 * i / rings, b = 3.14159265358979 * k / rings;
      mesh.vertices.emplace_back(std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a));
    }
  }
  for (int i = 0; i < rings; ++i) {
    for (int k = 0; k < 2 * rings; ++k) {
      const int n = (k + 1) % (2 * rings), low = 2 * rings * i, high = low + 2 * rings;
      mesh.triangles.push_back({low + k, high + k, high + n});
      mesh.triangles.push_back({low + k, high + n, low + n});
    }
  }
  return mesh;
}

/// Signed volume of a closed mesh whose triangles turn outward.
double volumeOf(const ReportMesh& mesh) {
  double six = 0.0;
  for (const Triangle& t : mesh.triangles) {
    six += mesh.vertices[t[0]].dot(mesh.vertices[t[1]].cross(mesh.vertices[t[2]]));
  }
  return six / 6.0;
}

TEST(ReportMeshes, Base64IsThatOfRfc4648) {
  const auto encoded = [](const char* text) { return base64(text, std::strlen(text)); };
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
  EXPECT_EQ(test::fromBase64(encoded("any bytes\xff")), "any bytes\xff");
}

TEST(ReportMeshes, ShapesAreClosedAndOfAboutTheirVolume) {
  const double pi = 3.14159265358979;
  const std::pair<Shape, double> cases[] = {
      {Sphere(1.0), 4.0 / 3.0 * pi},       {Box({1.0, 2.0, 3.0}), 6.0},
      {Cylinder(1.0, 2.0), 2.0 * pi},      {Cone(1.0, 3.0), pi},
      {Capsule(1.0, 1.0), pi * 7.0 / 3.0}, {Ellipsoid({1.0, 2.0, 3.0}), 8.0 * pi},
  };
  for (const auto& [shape, volume] : cases) {
    const ReportMesh mesh = reportMesh({shape, Pose()}, 1.0);
    EXPECT_LE(volumeOf(mesh), volume * (1.0 + 1e-12)) << shapeName(shape);
    EXPECT_GE(volumeOf(mesh), 0.95 * volume) << shapeName(shape);
  }
}

TEST(ReportMeshes, SimplifiedOnesAreSmallAndNear) {
  const ReportMesh fine = ball(60);
  const ReportMesh coarse = simplified(fine, 1000);
  EXPECT_LE(coarse.triangles.size(), 1000u);
  EXPECT_GE(coarse.triangles.size(), 200u) << "no coarser than asked";
  for (const Vec3& v : coarse.vertices) EXPECT_NEAR(v.norm(), 1.0, 0.1);
  EXPECT_EQ(simplified(fine, 1 << 20).triangles.size(), fine.triangles.size());
}

TEST(ReportMeshes, PackedVerticesAreWithinASixteenBitStep) {
  const ReportMesh mesh = ball(8);
  const PackedMesh out = packed(mesh);
  const auto fractions = test::unpacked<std::uint16_t>(out.vertices);
  ASSERT_EQ(fractions.size(), 3 * mesh.vertices.size());
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const double read = out.lower[k] + out.size[k] * fractions[3 * i + k] / 65535.0;
      EXPECT_NEAR(read, mesh.vertices[i][k], 0.51 * out.size[k] / 65535.0);
    }
  }
}

TEST(ReportDistances, TheClosestPairOfEachFrameIsTheClosestOfAll) {
  const Problem problem = armWithBox();
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  test::Random random(1);
  const Trajectory trajectory = test::splineOf(problem, 4.0, random, 0.1);
  const ReportFrames frames = motionFrames(problem, trajectory);
  const ReportClearance few = reportClearance(problem, geometry, frames, nullptr, 1);
  const ReportClearance all = reportClearance(problem, geometry, frames, nullptr, 1000);
  ASSERT_EQ(few.pairs.size(), 1u);
  EXPECT_EQ(static_cast<int>(all.pairs.size()), all.pair_count);
  for (int f = 0; f < frames.count(); ++f) {
    double least = std::numeric_limits<double>::infinity();
    for (const ReportPair& pair : all.pairs) {
      least = std::min(least, pair.at[f].distance - pair.at[f].margin);
    }
    EXPECT_EQ(few.closest[f].distance - few.closest[f].margin, least) << "frame " << f;
    const ReportDistance& d = few.closest[f];
    EXPECT_NEAR((d.p_B - d.p_A).norm(), std::abs(d.distance), 1e-9);
  }
}

TEST(ReportScenes, HoldEveryBodyInTheOrderOfTheGeometry) {
  const Problem problem = armWithBox();
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  const ReportFrames frames = endFrames(problem);
  const ReportClearance clearance = reportClearance(problem, geometry, frames, nullptr, 3);
  const ReportScene scene = reportScene(problem, geometry, frames, clearance, 1000);
  ASSERT_GE(scene.bodies.size(), geometry.bodies.size());
  for (std::size_t b = 0; b < geometry.bodies.size(); ++b) {
    EXPECT_EQ(scene.bodies[b].name, geometry.bodies[b].name);
  }
  EXPECT_EQ(scene.bodies[geometry.bodies.size() - 1].poses.size(), 1u) << "the box stands still";
  ASSERT_EQ(scene.tools.size(), 1u) << "one chain";
  EXPECT_LE((scene.center - Vec3(0.4, 0.3, 0.4)).norm(), scene.radius);
}

TEST(ReportVerdicts, AdviseOnWhatIsWrong) {
  EXPECT_TRUE(taskVerdict({}).is_good);
  const ReportVerdict bad = taskVerdict({"start: overlap"});
  EXPECT_FALSE(bad.is_good);
  EXPECT_FALSE(bad.advice.empty());
  Problem problem = armWithBox();
  test::Random random(1);
  const Certificate slow = certify(problem, test::splineOf(problem, 4.0, random, 0.0));
  EXPECT_TRUE(trajectoryVerdict(slow).is_good) << slow.message;
  const Certificate fast = certify(problem, test::splineOf(problem, 0.5, random, 0.0));
  const ReportVerdict refused = trajectoryVerdict(fast);
  ASSERT_FALSE(refused.advice.empty());
  EXPECT_NE(refused.advice[0].find("stretch it in time"), std::string::npos);
}

TEST(ReportPages, NamesCannotEndTheScriptOrATag) {
  if (kThreeScript.empty()) GTEST_SKIP() << "built without reports";
  const Problem problem = armWithBox();
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  ReportData data;
  data.title = "</script><b>&";
  data.frames = endFrames(problem);
  data.clearance = reportClearance(problem, geometry, data.frames, nullptr, 3);
  data.scene = reportScene(problem, geometry, data.frames, data.clearance, 1000);
  data.verdict = taskVerdict({});
  data.facts = {{"Task", "</script>"}};
  const std::string page = formatReportHtml(problem, data);
  EXPECT_EQ(test::reportPayload(page)["title"], data.title);
  EXPECT_EQ(test::reportPayload(page)["facts"][0][1], "</script>");
  EXPECT_NE(page.find("<title>&lt;/script>&lt;b>&amp;"), std::string::npos);
}

/// The tip of the small arm's tool in the world, at the start.
Vec3 tipOf(const Problem& problem) {
  const std::vector<ReportTool> tools = findTools(problem);
  EXPECT_EQ(tools.size(), 1u);
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.start, workspace, X_WL);
  return X_WL[tools[0].link] * tools[0].p_LT;
}

TEST(ReportTools, AreAtTheTip) {
  Problem problem = loadText(armTask(kGoal));
  const RobotModel& robot = *problem.robot;
  const Kinematics kinematics(robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.start, workspace, X_WL);
  // A frame without geometry beyond all that has some.
  EXPECT_NEAR((tipOf(problem) - X_WL[robot.findLink("tool_tip")].p).norm(), 0.0, 1e-12);
  // What is carried.
  AttachedObject part{
      "part", robot.findLink("hand"), {{Sphere(0.02), {Mat3::Identity(), {0.2, 0.0, 0.0}}}}, {}};
  problem.attached = {part};
  EXPECT_NEAR((tipOf(problem) - X_WL[robot.findLink("hand")] * Vec3(0.2, 0.0, 0.0)).norm(), 0.0,
              1e-12);
  // What the goal places.
  PoseTarget pose;
  pose.link = robot.findLink("forearm");
  pose.X_LP.p = {0.1, 0.0, 0.0};
  problem.goal = pose;
  EXPECT_NEAR((tipOf(problem) - X_WL[pose.link] * pose.X_LP.p).norm(), 0.0, 1e-12);
}

TEST(ReportTools, AreAtTheFarEndOfTheLastLinksGeometry) {
  Problem problem = loadText(armTask(kGoal));
  RobotModel::Data data = problem.robot->data();
  // Without the frame: the fingers' ends, in the middle between them.
  const int tip = problem.robot->findLink("tool_tip");
  data.links[tip].collision = {{Sphere(1e-3), Pose()}};
  problem.robot = std::make_shared<const RobotModel>(std::move(data));
  const Vec3 found = tipOf(problem);
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.start, workspace, X_WL);
  const Vec3 in_hand = X_WL[problem.robot->findLink("hand")].inverse() * found;
  EXPECT_GT(in_hand.x(), 0.1) << "beyond the palm";
  EXPECT_LT(in_hand.tail<2>().norm(), 0.01) << "in the middle";
}

TEST(ReportVerdict, NamesFilesWithoutTheirFolders) {
  EXPECT_EQ(withoutFolders("/a/b/panda.srdf: line 3"), "panda.srdf: line 3");
  EXPECT_EQ(withoutFolders("looked for /x/y.stl, '/x/z/w.stl'"), "looked for y.stl, 'w.stl'");
  EXPECT_EQ(withoutFolders("5 /s times that of velocity, 50 /s^2; rad/s"),
            "5 /s times that of velocity, 50 /s^2; rad/s");
  EXPECT_EQ(withoutFolders("examples/shelf/task.yaml"), "examples/shelf/task.yaml");
}

}  // namespace
}  // namespace allclear
