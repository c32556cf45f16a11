// The files of a sequence: what they hold, and that forged ones are refused. The task is that of
// examples/pick_and_place.
#include "allclear/exports/output_files.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "allclear/config/task_file.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/core/sha256.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/exports/certificate_json.h"
#include "allclear/exports/report.h"
#include "allclear/exports/report/sequence_view.h"
#include "allclear/planner/planner.h"
#include "allclear/robot_models/kinematics.h"
#include "support/data.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const Task& pickAndPlace() {
  static const Task kTask = loadTask(test::sourceFolder() / "examples/pick_and_place/task.yaml",
                                     {.allow_segments = true});
  return kTask;
}

const SequencePlan& planned() {
  static const SequencePlan kPlan =
      planSequence(*pickAndPlace().sequence, {.time_limit = 120.0, .improve = Improve::kNone});
  return kPlan;
}

/// The files of the plan in a folder.
void writePlan(const fs::path& folder) {
  std::vector<std::string> warnings;
  OutputSettings output;
  output.ros2 = "motion.yaml";
  const NamedTexts files = formatSequenceFiles(output, folder, *pickAndPlace().sequence,
                                               planned().certificate, &warnings);
  for (const auto& [path, text] : files) fs::create_directories(path.parent_path());
  writeFiles(files);
  EXPECT_TRUE(warnings.empty()) << warnings.front();
}

/// What is wrong with a folder; empty when it holds.
std::string faultOf(const fs::path& folder) {
  try {
    const SequenceFolder read = readSequenceFolder(folder);
    std::vector<Trajectory> motions;
    std::vector<Certificate> certificates;
    for (const NamedTrajectory& named : read.trajectories) motions.push_back(named.trajectory);
    for (const fs::path& file : read.certificates)
      certificates.push_back(readCertificateJson(file));
    const Sequence& sequence = *pickAndPlace().sequence;
    const CertificateVerdict verdict = verifySequence(sequence, certificates);
    if (!verdict.valid) return verdict.message;
    return sequenceFault(read, sequence, layOut(sequence, motions));
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(SequenceFiles, HoldAndAreRefusedWhenForged) {
  ASSERT_EQ(planned().status, PlanStatus::kCertified) << planned().message;
  const test::TemporaryFolder folder;
  const fs::path file = folder.path() / kSequenceFile;
  writePlan(folder.path());
  EXPECT_EQ(faultOf(folder.path()), "");
  const std::string good = readFile(file);
  const auto forged = [&](const auto& forge) {
    Json json = Json::parse(good);
    forge(json);
    writeFileAtomically(file, json.dump(1));
    const std::string fault = faultOf(folder.path());
    writeFileAtomically(file, good);
    return fault;
  };
  EXPECT_NE(forged([](Json& j) { std::swap(j["segments"][0], j["segments"][1]); }), "");
  EXPECT_NE(forged([](Json& j) { j["segments"].erase(2); }), "");
  EXPECT_NE(forged([](Json& j) { j["segments"].push_back(j["segments"].back()); }), "");
  EXPECT_NE(forged([](Json& j) { j["segments"][1]["start"] = 0.25; }).find("segment 2: 'start'"),
            std::string::npos);
  EXPECT_NE(forged([](Json& j) { j["events"][0]["time"] = 0.5; }).find("event 1: 'time'"),
            std::string::npos);
  EXPECT_NE(forged([](Json& j) { j["events"][0]["before_segment"] = 2; }), "");
  EXPECT_NE(forged([](Json& j) { j["events"].erase(1); }), "");
  EXPECT_NE(forged([](Json& j) { j["task_sha256"] = std::string(64, '0'); }), "");
  EXPECT_NE(forged([](Json& j) { j["duration"] = 1.0; }), "");
  EXPECT_NE(forged([](Json& j) { j["segments"][0]["folder"] = "../elsewhere"; }), "");
  EXPECT_NE(forged([](Json& j) { j["surprise"] = 1; }), "");
  // A file of the whole that is not the segments' motion, with the hash that it has.
  const fs::path csv = folder.path() / "trajectory.csv";
  const std::string rows = readFile(csv);
  std::string other = rows;
  const std::size_t digit = other.find_last_of("123456789");
  other[digit] = other[digit] == '1' ? '2' : '1';
  writeFileAtomically(csv, other);
  EXPECT_NE(faultOf(folder.path()).find("SHA-256"), std::string::npos);
  EXPECT_NE(forged([&](Json& j) { j["files"]["trajectory.csv"] = sha256(other); }), "");
  writeFileAtomically(csv, rows);
  EXPECT_EQ(faultOf(folder.path()), "");
}

/// All bodies of the task at an instant, as the events have left them: distances by another way
/// than the certificate's, from shapes and forward kinematics.
TEST(SequenceFiles, OfTheExampleAreClearAtDenseInstants) {
  ASSERT_EQ(planned().status, PlanStatus::kCertified) << planned().message;
  const Trajectory& whole = planned().trajectory->trajectory;
  const std::vector<SequenceSegment>& segments = planned().certificate.segments;
  const RobotModel& robot = *pickAndPlace().problem.robot;
  const Kinematics kinematics(robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  constexpr int kInstants = 1000;
  std::size_t s = 0;
  int looked = 0;
  for (int i = 0; i <= kInstants; ++i) {
    const double t = whole.duration() * i / kInstants;
    while (s + 1 < segments.size() && segments[s + 1].start_time <= t) ++s;
    const Problem& problem = segments[s].problem;
    VecX q = problem.start;
    for (std::size_t j = 0; j < planned().trajectory->joint_names.size(); ++j) {
      q[robot.findCoordinate(planned().trajectory->joint_names[j])] =
          whole.value(t)[static_cast<Eigen::Index>(j)];
    }
    kinematics.linkPoses(q, workspace, X_WL);
    // Whatever is carried, and every link, against every obstacle of the moment.
    const auto expectApart = [&](const std::string& name, const Pose& X_WB,
                                 const std::vector<Geometry>& geometry) {
      for (const Obstacle& obstacle : problem.obstacles) {
        const bool touches = (obstacle.id == "part" && name.ends_with("finger")) ||
                             (obstacle.id == "table" && name == "part");
        const double least = touches ? -1.5e-3 : name == "link0" ? -1e-9 : 0.9e-3;
        for (const Geometry& a : geometry) {
          for (const Geometry& b : obstacle.geometry) {
            ++looked;
            const SignedDistance d =
                signedDistance(a.shape, X_WB * a.X_BG, b.shape, obstacle.X_WO * b.X_BG);
            ASSERT_GE(d.distance, least) << name << " and " << obstacle.id << " at " << t;
          }
        }
      }
    };
    for (std::size_t l = 0; l < robot.links().size(); ++l) {
      expectApart(robot.links()[l].name, X_WL[l], robot.links()[l].collision);
    }
    for (const AttachedObject& object : problem.attached) {
      expectApart(object.id, X_WL[object.link], object.geometry);
    }
  }
  EXPECT_GT(looked, 10 * kInstants);
  // It has arrived.
  const Problem& last = segments.back().problem;
  for (const Obstacle& obstacle : last.obstacles) {
    if (obstacle.id == "part") {
      EXPECT_LT((obstacle.X_WO.p - Vec3(0.5, 0.25, 0.24)).norm(), 1.5e-3);
    }
  }
}

TEST(SequenceFiles, OfAnEarlierRunAreFound) {
  ASSERT_EQ(planned().status, PlanStatus::kCertified) << planned().message;
  const test::TemporaryFolder folder;
  EXPECT_TRUE(filesOfEarlierSequence(folder.path()).empty());
  writePlan(folder.path());
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    count += entry.is_regular_file();
  }
  EXPECT_EQ(filesOfEarlierSequence(folder.path()).size(), count);
}

TEST(SequenceReport, MovesWhatIsCarried) {
  ASSERT_EQ(planned().status, PlanStatus::kCertified) << planned().message;
  const SequenceView view = sequenceView(*pickAndPlace().sequence, planned().certificate);
  for (const Obstacle& obstacle : view.problem.obstacles) {
    if (obstacle.id != "part") continue;
    EXPECT_LT((obstacle.motion.front().X_WO.p - Vec3(0.5, -0.25, 0.24)).norm(), 1e-9);
    EXPECT_LT((obstacle.motion.back().X_WO.p - Vec3(0.5, 0.25, 0.24)).norm(), 1.5e-3);
  }
  EXPECT_TRUE(validate(view.problem).empty());
}

TEST(SequenceReport, ShowsTheWhole) {
  if (!hasReports()) GTEST_SKIP() << "this build writes no reports";
  ASSERT_EQ(planned().status, PlanStatus::kCertified) << planned().message;
  const std::string page = formatSequenceReport(*pickAndPlace().sequence, planned().certificate);
  for (const char* words : {"Segment 1", "Takes up", "Lets go of", "\"part\""}) {
    EXPECT_NE(page.find(words), std::string::npos) << words;
  }
}

}  // namespace
}  // namespace allclear
