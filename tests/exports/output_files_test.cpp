#include "allclear/exports/output_files.h"

#include <gtest/gtest.h>

#include "allclear/core/file.h"
#include "allclear/planner/certificate.h"
#include "allclear/trajectories/spline_fit.h"
#include "support/biped.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

/// The biped on its left foot, alone, turns its trunk.
Problem turning() {
  Problem problem = standOn(test::bipedProblem());
  VecX goal = problem.plannedPart(problem.start);
  goal[problem.robot->findCoordinate("waist_yaw") - 6] = 0.5;
  problem.goal = JointTarget{problem.planned, goal};
  return problem;
}

TEST(OutputFiles, CsvHasTheBaseThatFollowsFromTheJoints) {
  const Problem problem = turning();
  const VecX start = problem.plannedPart(problem.start);
  const auto basis = std::make_shared<const BSplineBasis>(BSplineBasis::uniform(8));
  const BSpline curve = fitSpline(basis, 2.0, {{}, MatX(start.size(), 0)}, EndState::atRest(start),
                                  EndState::atRest(std::get<JointTarget>(problem.goal).values));
  const Certificate certificate = certify(problem, controllerRows(curve));
  ASSERT_TRUE(certificate.clear) << certificate.message;
  const test::TemporaryFolder folder;
  OutputSettings output;
  output.csv = "out.csv";
  output.certificate = "certificate.json";
  std::vector<std::string> warnings;
  writeOutputFiles(output, folder.path(), problem, *certificate.trajectory.trajectory.hermite(),
                   &certificate, &warnings);
  const std::string text = readFile(folder.path() / "out.csv", 1 << 20);
  const std::string header = text.substr(0, text.find('\n'));
  EXPECT_TRUE(
      header.ends_with(",virtual_joint/x,virtual_joint/y,virtual_joint/z,"
                       "virtual_joint/roll,virtual_joint/pitch,virtual_joint/yaw"))
      << header;
  // The pelvis stays: only the trunk turns.
  const VecX base = test::bipedStanding(*problem.robot, 0.4).head<6>();
  const std::string last = text.substr(text.rfind('\n', text.size() - 2) + 1);
  const std::size_t z_end = last.find_last_of(',', last.find_last_of(',', last.rfind(',') - 1) - 1);
  const std::size_t z_start = last.rfind(',', z_end - 1) + 1;
  EXPECT_NEAR(std::stod(last.substr(z_start, z_end - z_start)), base[2], 1e-12);
  // A reader takes the joints, and the certificate is of this file.
  const NamedTrajectory read = readTrajectoryFile(folder.path() / "out.csv", problem);
  EXPECT_TRUE(isSameTrajectory(read, certificate.trajectory));
}

}  // namespace
}  // namespace allclear
