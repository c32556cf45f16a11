#include "allclear/apps/output_options.h"

#include <filesystem>

#include "allclear/apps/command_checks.h"
#include "allclear/exports/report.h"

namespace allclear {

void OutputOptions::addTo(CLI::App& command) {
  command
      .add_option("-o,--output", folder,
                  "write trajectory.csv, trajectory.json, certificate.json and plan.proof into "
                  "this folder")
      ->type_name("FOLDER");
  command.add_option("--csv", files.csv, "write the trajectory's rows")->type_name("FILE");
  command.add_option("--trajectory", files.trajectory, "write the trajectory as JSON")
      ->type_name("FILE");
  command.add_option("--certificate", files.certificate, "write the certificate")
      ->type_name("FILE");
  command.add_option("--proof", files.proof, "write the proof for allclear-verify")
      ->type_name("FILE");
  command.add_option("--ros2", files.ros2, "write a ROS 2 JointTrajectory as YAML")
      ->type_name("FILE");
  command
      .add_option("--report", files.report,
                  "write a report to look at, one HTML file, of a failure too")
      ->type_name("FILE.html");
}

void OutputOptions::putInto(OutputSettings* output) const {
  const auto put = [](const std::string& from, std::string* to) {
    if (!from.empty()) *to = from;
  };
  put(files.csv, &output->csv);
  put(files.trajectory, &output->trajectory);
  put(files.certificate, &output->certificate);
  put(files.proof, &output->proof);
  put(files.ros2, &output->ros2);
  put(files.report, &output->report);
}

void OutputOptions::putFolderInto(OutputSettings* output) const {
  if (folder.empty()) return;
  const std::filesystem::path path(folder);
  output->csv = (path / "trajectory.csv").string();
  output->trajectory = (path / "trajectory.json").string();
  output->certificate = (path / "certificate.json").string();
  output->proof = (path / "plan.proof").string();
}

void OutputOptions::prepare(const OutputSettings& output,
                            const std::vector<std::string>& inputs) const {
  if (!output.report.empty()) requireReports();
  std::error_code code;  // a failure shows at the files in it
  if (!folder.empty()) std::filesystem::create_directories(folder, code);
  requireOutputs({output.csv, output.trajectory, output.certificate, output.proof, output.ros2,
                  output.report, output.tool_csv ? output.tool_csv->file : ""},
                 inputs);
}

}  // namespace allclear
