// Files of a retimed path: the claim about the path survives them, and the tool's motion.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <sstream>

#include "allclear/core/input_error.h"
#include "allclear/exports/certificate_json.h"
#include "allclear/exports/output_files.h"
#include "allclear/planner/retime.h"
#include "allclear/robot_models/robot.h"
#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

Problem freeProblem() {
  Problem problem = test::wallProblem();
  problem.obstacles.clear();
  problem.collision.allowed = {{"link0", "link2"}};
  return problem;
}

const MatX kPath = (MatX(3, 3) << -0.7, 0.0, 0.7, 0.2, 0.6, -0.2, 0.1, 0.0, -0.1).finished();

TEST(RetimeFiles, TheClaimAboutThePathSurvivesItsFile) {
  const Problem problem = freeProblem();
  const RetimedPath done = retime(problem, kPath);
  ASSERT_EQ(done.status, RetimeStatus::kCertified) << done.message;
  // Rows at a rate are certified anew, the path with them.
  for (const double rate : {0.0, 100.0}) {
    OutputSettings output;
    output.certificate = "c.json";
    output.proof = "p.proof";
    output.rate = rate;
    std::vector<std::string> warnings;
    const NamedTexts files =
        formatOutputFiles(output, ".", problem, *done.trajectory, &*done.certificate, &warnings);
    ASSERT_EQ(files.size(), 2u);
    Certificate back = parseCertificateJson(files[0].second, "c.json");
    ASSERT_TRUE(back.follows);
    EXPECT_EQ(back.follows->path.hermite()->positions(), kPath);
    EXPECT_TRUE(verifyCertificate(problem, back).valid) << verifyCertificate(problem, back).message;
    EXPECT_NE(files[1].second.find("follows the given path: in the certificate only"),
              std::string::npos);
    back.follows->within *= 0.5;
    EXPECT_FALSE(verifyCertificate(problem, back).valid);
    back.follows.reset();
    EXPECT_FALSE(verifyCertificate(problem, back).valid) << "its message claims it";
  }
}

TEST(RetimeFiles, TheToolsRowsAreItsPoseAndVelocity) {
  const Problem problem = freeProblem();
  const RetimedPath done = retime(problem, kPath);
  const Trajectory& motion = *done.trajectory;
  const Robot robot(problem.robot);
  ToolCsvSettings tool{"tool.csv", "link2", {}, 50.0};
  tool.X_LP.p = Vec3(0.4, 0.0, 0.1);
  std::istringstream text(formatToolCsv(problem, motion, tool));
  std::string line;
  std::getline(text, line);
  EXPECT_EQ(line, "time,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz");
  int rows = 0;
  double last = 0.0;
  while (std::getline(text, line)) {
    for (char& c : line) c = c == ',' ? ' ' : c;
    std::istringstream fields(line);
    Eigen::Matrix<double, 14, 1> row;
    for (double& x : row) ASSERT_TRUE(fields >> x);
    last = row[0];
    const auto at = [&](double t) { return robot.pose(motion.value(t), "link2") * tool.X_LP; };
    EXPECT_LT((row.segment<3>(1) - at(last).p).norm(), 1e-12);
    const Eigen::Quaterniond turn(row[7], row[4], row[5], row[6]);
    EXPECT_LT((turn.toRotationMatrix() - at(last).R).norm(), 1e-12);
    // Velocities against differences, inside.
    const double h = 1e-5;
    ++rows;
    if (last < h || last > motion.duration() - h) continue;
    const Pose before = at(last - h), after = at(last + h);
    EXPECT_LT((row.segment<3>(8) - (after.p - before.p) / (2.0 * h)).norm(), 1e-5);
    const Eigen::AngleAxisd turned(Mat3(after.R * before.R.transpose()));
    EXPECT_LT((row.segment<3>(11) - turned.axis() * turned.angle() / (2.0 * h)).norm(), 1e-5);
  }
  EXPECT_EQ(last, motion.duration());
  EXPECT_NEAR(rows, motion.duration() * 50.0 + 1.0, 1.0);
  tool.link = "no such link";
  EXPECT_THROW(formatToolCsv(problem, motion, tool), InputError);
  tool.link = "link2";
  tool.rate = 1e9;
  EXPECT_THROW(formatToolCsv(problem, motion, tool), InputError);
}

}  // namespace
}  // namespace allclear
