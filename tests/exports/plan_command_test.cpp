// `allclear plan` as a process: what it leaves behind when it is interrupted, and that its files
// are the same every time.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <thread>

#include "allclear/config/task_file.h"
#include "allclear/core/file.h"
#include "allclear/exports/certificate_json.h"
#include "allclear/exports/output_files.h"
#include "support/data.h"
#include "support/random_robot.h"
#include "support/run_command.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;
constexpr int kInterrupted = 130;

const char* const kFiles[] = {"trajectory.csv", "trajectory.json", "certificate.json", "plan.proof",
                              "ros2.yaml"};

fs::path shelf() { return test::testFolder().parent_path() / "examples/shelf"; }

std::vector<std::string> planInto(const fs::path& folder, const fs::path& task) {
  return {test::allclearCommand(),
          "plan",
          task.string(),
          "--quiet",
          "-o",
          folder.string(),
          "--ros2",
          (folder / "ros2.yaml").string()};
}

std::map<std::string, std::string> contentOf(const fs::path& folder) {
  std::map<std::string, std::string> content;
  if (!fs::exists(folder)) return content;
  for (const auto& entry : fs::directory_iterator(folder)) {
    content[entry.path().filename().string()] = readFile(entry.path());
  }
  return content;
}

/// As a shell says it: a process that SIGINT ended has the code 130 too.
int shellCode(int code) { return code == -SIGINT ? kInterrupted : code; }

TEST(PlanCommand, LeavesOldFilesOrNewOnesButNeverHalfWhenInterrupted) {
  const test::TemporaryFolder folder;
  const fs::path whole = folder.path() / "whole";
  const auto begin = std::chrono::steady_clock::now();
  test::Process undisturbed(planInto(whole, shelf() / "task.yaml"), folder.path() / "output.txt");
  ASSERT_EQ(undisturbed.wait(), 0) << undisturbed.output();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto expected = contentOf(whole);
  ASSERT_EQ(expected.size(), std::size(kFiles));
  const Problem problem = loadTask(shelf() / "task.yaml").problem;
  EXPECT_GT(readTrajectoryFile(whole / "trajectory.csv", problem).trajectory.duration(), 0.0);
  EXPECT_GT(readTrajectoryFile(whole / "trajectory.json", problem).trajectory.duration(), 0.0);
  EXPECT_TRUE(readCertificateJson(whole / "certificate.json").clear);

  test::Random random(77);
  int interrupted = 0, done = 0, kept = 0;
  for (int round = 0; round < 50; ++round) {
    const fs::path out = folder.path() / ("round" + std::to_string(round));
    const bool has_old = round % 2 == 1;
    const std::string old = "of an earlier run";
    if (has_old) {
      fs::create_directories(out);
      for (const char* name : kFiles) writeFileAtomically(out / name, old);
    }
    test::Process process(planInto(out, shelf() / "task.yaml"), folder.path() / "output.txt");
    const double delay = round % 3 == 0 ? random.logUniform(1e-3, 1.2 * seconds)
                                        : random.uniform(0.0, 1.1 * seconds);
    std::this_thread::sleep_for(std::chrono::duration<double>(delay));
    process.send(SIGINT);
    const int code = shellCode(process.wait());
    EXPECT_TRUE(code == 0 || code == kInterrupted)
        << "round " << round << " after " << delay << " s: " << code << "\n"
        << process.output();
    const auto content = contentOf(out);
    // An interrupted search may have a plan already, certified but not the best.
    const bool is_written =
        content.count("certificate.json") == 1 && content.at("certificate.json") != old;
    EXPECT_TRUE(is_written || code != 0) << "round " << round;
    if (is_written) {
      EXPECT_TRUE(readCertificateJson(out / "certificate.json").clear) << "round " << round;
    }
    for (const auto& [name, text] : content) {
      ASSERT_EQ(expected.count(name), 1u) << "round " << round << " leaves " << name;
      EXPECT_EQ(text != old, is_written) << "round " << round << ": " << name;
      if (code == 0) {
        EXPECT_EQ(text, expected.at(name)) << "round " << round << ": " << name;
      }
    }
    EXPECT_EQ(content.size(), is_written || has_old ? std::size(kFiles) : 0u) << "round " << round;
    kept += code != 0 && is_written ? 1 : 0;
    (code == 0 ? done : interrupted) += 1;
    fs::remove_all(out);
  }
  EXPECT_GT(interrupted, 10) << "of 50; " << done << " were done before the signal came";
  EXPECT_GT(kept, 0) << "no interrupted search had a plan, of " << interrupted;
}

/// The arm has to go around a post: the plan comes from a search with random draws.
std::string postTask() {
  return "robot: {urdf: " + (shelf() / "seven.urdf").string() +
         ", srdf: " + (shelf() / "seven.srdf").string() +
         "}\n"
         "group_name: arm\n"
         "start_state: {joint1: -1.2, joint2: 0.6, joint3: 0, joint4: 1.2, joint5: 0, joint6: 0.8, "
         "joint7: 0}\n"
         "goal: {joint_constraints: {joint1: 1.2}}\n"
         "scene:\n  collision_objects:\n"
         "    - {id: post, type: box, dimensions: [0.2, 0.2, 1.6], pose: {position: [0.6, 0, "
         "0.8]}}\n"
         "solver: {time_limit: 60}\n";
}

TEST(PlanCommand, WritesTheSameBytesForTheSameSeedWhateverTheThreads) {
  const test::TemporaryFolder folder;
  const fs::path tasks[] = {shelf() / "task.yaml", folder.write("post.yaml", postTask())};
  for (const fs::path& task : tasks) {
    std::map<std::string, std::string> first;
    for (const char* threads : {"1", "2", "1", "2"}) {
      const fs::path out = folder.path() / "out";
      fs::remove_all(out);
      auto command = planInto(out, task);
      command.insert(command.end(), {"--seed", "5", "--threads", threads});
      test::Process process(command, folder.path() / "output.txt");
      ASSERT_EQ(process.wait(), 0) << task << "\n" << process.output();
      const auto content = contentOf(out);
      ASSERT_EQ(content.size(), std::size(kFiles));
      if (first.empty()) first = content;
      for (const auto& [name, text] : content) {
        EXPECT_EQ(text, first.at(name)) << task << " " << name << " with " << threads << " threads";
      }
    }
    EXPECT_GT(first.at("trajectory.csv").size(), 3000u);
  }
}

/// The exit code of `allclear certify` on the shelf.
int certify(const std::vector<std::string>& words, const fs::path& output) {
  std::vector<std::string> command{test::allclearCommand(), "certify",
                                   (shelf() / "task.yaml").string()};
  command.insert(command.end(), words.begin(), words.end());
  return test::Process(command, output).wait();
}

TEST(PlanCommand, ItsCertificateHoldsForEachFileThatAControllerIsSentAndForNoOther) {
  const test::TemporaryFolder folder;
  const fs::path out = folder.path() / "out", log = folder.path() / "log.txt";
  test::Process plan(planInto(out, shelf() / "task.yaml"), log);
  ASSERT_EQ(plan.wait(), 0) << plan.output();
  const std::string proof = (out / "certificate.json").string();
  for (const char* name : {"trajectory.csv", "trajectory.json", "ros2.yaml"}) {
    EXPECT_EQ(certify({(out / name).string(), "--verify", proof}, log), 0)
        << name << ": " << readFile(log);
  }
  // One digit of one number, beyond what a drive can tell.
  for (const char* name : {"trajectory.csv", "ros2.yaml"}) {
    std::string text = readFile(out / name);
    const std::size_t row = text.find("0.", text.size() / 2);
    const std::size_t digit = text.find_first_of(",]\n", row) - 1;
    text[digit] = text[digit] == '1' ? '2' : '1';
    const fs::path changed = folder.write("changed" + fs::path(name).extension().string(), text);
    EXPECT_EQ(certify({changed.string(), "--verify", proof}, log), 5) << name;
    EXPECT_NE(readFile(log).find("another trajectory"), std::string::npos) << readFile(log);
  }
  // The same rows, run otherwise, are another curve.
  const std::string csv = (out / "trajectory.csv").string();
  EXPECT_EQ(certify({csv, "--verify", proof, "--interpolation", "cubic"}, log), 5);
  EXPECT_EQ(certify({csv, "--verify", proof, "--interpolation", "quintic"}, log), 0);
  const std::string json = (out / "trajectory.json").string();
  EXPECT_EQ(certify({json, "--interpolation", "linear"}, log), 2) << readFile(log);
  // A hash that is not of the rows.
  std::string forged = readFile(proof);
  const std::size_t hash = forged.find("\"csv\":\"") + 7;
  forged[hash] = forged[hash] == '0' ? '1' : '0';
  EXPECT_EQ(certify({csv, "--verify", folder.write("forged.json", forged).string()}, log), 5);
  EXPECT_NE(readFile(log).find("the hash of the file that was sent"), std::string::npos);
}

}  // namespace
}  // namespace allclear
