// Tasks and scenes over a robot that is given, and certificates of a plan: whatever the bytes of a
// certificate, one that is called valid is of a motion that certifies again.
#include "allclear/config/scene_file.h"
#include "allclear/config/task_file.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/exports/certificate_json.h"
#include "allclear/planner/planner.h"
#include "allclear/robot_models/load_robot.h"
#include "fuzz/targets.h"
#include "support/temporary_folder.h"

namespace allclear::fuzz {
namespace {

namespace fs = std::filesystem;

/// A small robot, without meshes, in a folder of its own.
const test::TemporaryFolder& robotFolder(const fs::path& source) {
  static const test::TemporaryFolder folder;
  static const bool is_ready = [&] {
    for (const char* file : {"arm.urdf", "arm.srdf", "scene.yaml", "agv.csv", "statue.obj"}) {
      folder.write(file, readFile(source / "tests/config/robot" / file));
    }
    return true;
  }();
  require(is_ready, "the robot's files are there");
  return folder;
}

void readTask(std::string_view text, const fs::path& source) {
  const fs::path file = written(robotFolder(source).path() / "task.yaml", text);
  const Task task = loadTask(file);
  require(validate(task.problem).empty(), "a task that is read is valid");
}

void readScene(std::string_view text, const fs::path& source) {
  const test::TemporaryFolder& folder = robotFolder(source);
  static const RobotModel robot =
      loadRobot({.urdf = folder.path() / "arm.urdf", .srdf = folder.path() / "arm.srdf"});
  loadScene(written(folder.path() / "a_scene.yaml", text), robot, VecX::Zero(robot.dimension()));
}

/// A short motion of the small arm, and its certificate.
struct Certified {
  explicit Certified(const fs::path& source) {
    const char kTask[] =
        "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
        "start_state: {group_state: ready}\ngoal: {group_state: folded}\n"
        "solver: {time_limit: 60, improve: none, spans: 8}\n";
    const Task task = loadTask(robotFolder(source).write("certified.yaml", kTask));
    problem = task.problem;
    plan = allclear::plan(task.problem, task.options);
    require(plan.status == PlanStatus::kCertified, "the seed's own plan is certified");
    text = formatCertificateJson(*plan.certificate);
  }
  Problem problem;
  Plan plan;
  std::string text;
};

const Certified& certified(const fs::path& source) {
  static const Certified kOne(source);
  return kOne;
}

void readCertificate(std::string_view text, const fs::path& source) {
  const Certified& seed = certified(source);
  const Certificate certificate = parseCertificateJson(text, "x.json");
  if (!verifyCertificate(seed.problem, certificate).valid) return;
  const NamedTrajectory& motion = certificate.trajectory;
  require(certify(seed.problem, motion.trajectory, motion.wrenchCurve()).clear,
          "a certificate that is valid is of a motion that certifies");
}

}  // namespace

std::vector<Target> taskTargets(const fs::path& source) {
  return {
      {"task",
       [source](std::string_view text) { readTask(text, source); },
       {"tests/config/robot/full.yaml"}},
      {"scene",
       [source](std::string_view text) { readScene(text, source); },
       {"tests/config/robot/scene.yaml"}},
      {"certificate",
       [source](std::string_view text) { readCertificate(text, source); },
       {},
       {certified(source).text}},
  };
}

}  // namespace allclear::fuzz
