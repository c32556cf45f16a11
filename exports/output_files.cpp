#include "allclear/exports/output_files.h"

#include "allclear/exports/certificate_json.h"
#include "allclear/exports/ros2_trajectory.h"
#include "allclear/trajectories/trajectory_csv.h"
#include "allclear/trajectories/trajectory_json.h"

namespace allclear {

std::vector<std::filesystem::path> writeOutputFiles(const OutputSettings& output,
                                                    const std::filesystem::path& folder,
                                                    const Problem& problem,
                                                    const Trajectory& trajectory,
                                                    const Certificate* certificate) {
  // Rows for controllers are sampled; the trajectory itself, which the certificate is about, is
  // not.
  std::vector<std::filesystem::path> written;
  const auto write = [&](const std::string& name, const auto& writer) {
    if (name.empty()) return;
    written.push_back(folder / name);
    writer(written.back());
  };
  const std::vector<std::string> joints = plannedNames(problem);
  write(output.csv, [&](const std::filesystem::path& path) {
    writeTrajectoryCsv(path, controllerRows(trajectory, output.rate), joints);
  });
  write(output.trajectory,
        [&](const std::filesystem::path& path) { writeTrajectoryJson(path, trajectory, joints); });
  if (certificate != nullptr) {
    write(output.certificate,
          [&](const std::filesystem::path& path) { writeCertificateJson(path, *certificate); });
  }
  write(output.ros2, [&](const std::filesystem::path& path) {
    const RobotModel& robot = *problem.robot;
    writeRos2Trajectory(path, controllerRows(trajectory, output.rate), joints,
                        robot.links()[robot.rootLink()].name);
  });
  return written;
}

NamedTrajectory readTrajectoryFile(const std::filesystem::path& path, const Problem& problem) {
  const std::vector<std::string> joints = plannedNames(problem);
  return path.extension() == ".json" ? readTrajectoryJson(path, joints)
                                     : readTrajectoryCsv(path, joints);
}

}  // namespace allclear
