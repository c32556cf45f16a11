#include "allclear/exports/output_files.h"

#include "allclear/core/file.h"
#include "allclear/exports/certificate_json.h"
#include "allclear/exports/ros2_trajectory.h"
#include "allclear/trajectories/trajectory_csv.h"
#include "allclear/trajectories/trajectory_json.h"

namespace allclear {

std::string incompleteProof(const std::string& file, const Proof& proof) {
  return "no " + file + ": the certificate proves " + proof.unproven.front() +
         (proof.unproven.size() > 1 ? " and others" : "") +
         " apart, but the simpler bound of a proof does not";
}

std::vector<std::filesystem::path> writeOutputFiles(const OutputSettings& output,
                                                    const std::filesystem::path& folder,
                                                    const Problem& problem,
                                                    const Trajectory& trajectory,
                                                    const Certificate* certificate,
                                                    std::vector<std::string>* warnings) {
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
    writeTrajectoryCsv(path, sampledAtRate(trajectory, output.rate), joints);
  });
  write(output.trajectory,
        [&](const std::filesystem::path& path) { writeTrajectoryJson(path, trajectory, joints); });
  if (certificate != nullptr) {
    write(output.certificate,
          [&](const std::filesystem::path& path) { writeCertificateJson(path, *certificate); });
  }
  if (certificate != nullptr && !output.proof.empty()) {
    const Proof proof = makeProof(problem, *certificate);
    if (proof.unproven.empty()) {
      write(output.proof,
            [&](const std::filesystem::path& path) { writeFileAtomically(path, proof.text); });
    } else {
      warnings->push_back(incompleteProof(output.proof, proof));
    }
  }
  write(output.ros2, [&](const std::filesystem::path& path) {
    const RobotModel& robot = *problem.robot;
    writeRos2Trajectory(path, sampledAtRate(trajectory, output.rate), joints,
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
