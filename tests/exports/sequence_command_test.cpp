// The command with a task of several motions: files, exit codes, and what it refuses.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "allclear/core/file.h"
#include "support/data.h"
#include "support/run_command.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kDone = 0, kBadInput = 2, kNotClear = 5;

class SequenceCommand : public testing::Test {
 protected:
  struct Run {
    int code;
    std::string text;
  };

  fs::path shelf() const { return test::sourceFolder() / "examples/shelf"; }

  /// Two motions, and a ball that is taken up between them.
  fs::path task(const std::string& more = "") const {
    return folder_.write(
        "task.yaml",
        "robot: {urdf: " + (shelf() / "seven.urdf").string() +
            ", srdf: " + (shelf() / "seven.srdf").string() +
            "}\ngroup_name: arm\nstart_state: {group_state: ready}\n"
            "scene: {collision_objects: [{id: ball, type: sphere, dimensions: [0.03], pose: "
            "{position: [0, 0.9, 0.5]}}]}\n"
            "segments:\n"
            "  - {name: there, goal: {joint_constraints: {joint1: 0.3}}}\n"
            "  - {attach: ball, link: tool}\n"
            "  - {name: back, goal: {group_state: ready}}\n" +
            more);
  }

  Run run(std::vector<std::string> words) const {
    words.insert(words.begin(), test::allclearCommand());
    test::Process process(words, folder_.path() / "log.txt");
    const int code = process.wait();
    return {code, process.output()};
  }
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }

  test::TemporaryFolder folder_;
};

// One configuration of the robot among the obstacles as the task has them.
TEST_F(SequenceCommand, AnswersAboutTheStart) {
  const std::string file = task().string();
  const Run distance = run({"distance", file, "--all"});
  EXPECT_EQ(distance.code, kDone) << distance.text;
  EXPECT_NE(distance.text.find("ball"), std::string::npos) << distance.text;
  EXPECT_EQ(run({"distance", file, "--at", "goal"}).code, kBadInput);
  EXPECT_EQ(run({"fk", file, "--link", "tool"}).code, kDone);
  EXPECT_EQ(run({"ik", file, "--link", "tool", "--position", "0.5", "0.2", "0.6"}).code, kDone);
  EXPECT_EQ(run({"posture", file}).code, kBadInput);
}

TEST_F(SequenceCommand, PlansCertifiesAndVerifiesAFolder) {
  const std::string file = task().string();
  EXPECT_EQ(run({"check", file}).code, kDone);
  const Run planned = run({"plan", file, "-o", at("out"), "--quiet", "--improve", "none"});
  ASSERT_EQ(planned.code, kDone) << planned.text;
  for (const char* name :
       {"sequence.json", "trajectory.csv", "trajectory.json", "1_there/certificate.json",
        "1_there/plan.proof", "2_back/trajectory.json", "2_back/plan.proof"}) {
    EXPECT_TRUE(fs::is_regular_file(folder_.path() / "out" / name)) << name;
  }
  for (const std::string& given : {at("out"), at("out/sequence.json")}) {
    const Run proven = run({"certify", file, given});
    EXPECT_EQ(proven.code, kDone) << proven.text;
    EXPECT_NE(proven.text.find("in 2 segments"), std::string::npos) << proven.text;
    const Run verified = run({"certify", file, given, "--verify", at("out/sequence.json")});
    EXPECT_EQ(verified.code, kDone) << verified.text;
    EXPECT_NE(verified.text.find("all 2 segments hold"), std::string::npos) << verified.text;
  }
  const Json json = Json::parse(run({"certify", file, at("out"), "--json"}).text);
  EXPECT_TRUE(json["clear"].get<bool>());
  EXPECT_EQ(json["segments"].size(), 2U);
  // An event at another time is no plan of this task, nor is a motion that was changed.
  const fs::path stated = folder_.path() / "out/sequence.json";
  const std::string good = readFile(stated);
  Json forged = Json::parse(good);
  forged["events"][0]["time"] = 0.5 * forged["events"][0]["time"].get<double>();
  writeFileAtomically(stated, forged.dump(1));
  for (const auto& more : {std::vector<std::string>{}, {"--verify", stated.string()}}) {
    std::vector<std::string> words{"certify", file, at("out")};
    words.insert(words.end(), more.begin(), more.end());
    const Run refused = run(words);
    EXPECT_EQ(refused.code, kNotClear) << refused.text;
    EXPECT_NE(refused.text.find("event 1: 'time'"), std::string::npos) << refused.text;
  }
  writeFileAtomically(stated, good);
  fs::remove(folder_.path() / "out/2_back/certificate.json");
  EXPECT_EQ(run({"certify", file, at("out")}).code, kBadInput);
  // Another plan into the folder leaves nothing of this one.
  const fs::path other = folder_.write("other.yaml", [&] {
    std::string text = readFile(file);
    text.replace(text.find("name: back"), 10, "name: home");
    return text;
  }());
  ASSERT_EQ(run({"plan", other.string(), "-o", at("out"), "--quiet", "--improve", "none"}).code,
            kDone);
  EXPECT_FALSE(fs::exists(folder_.path() / "out/2_back"));
  EXPECT_EQ(run({"certify", other.string(), at("out")}).code, kDone);
}

TEST_F(SequenceCommand, RefusesWhatSequencesDoNotHave) {
  const auto refused = [&](std::vector<std::string> words, const std::string& part) {
    const Run found = run(std::move(words));
    EXPECT_EQ(found.code, kBadInput) << found.text;
    EXPECT_NE(found.text.find(part), std::string::npos) << found.text;
  };
  const std::string file = task().string();
  refused({"plan", file, "--certificate", at("c.json")}, "give a folder (-o FOLDER)");
  refused({"plan", task("output: {rate: 100}\n").string(), "-o", at("out")}, "rate");
  task();
  refused({"posture", file}, "a sequence of motions");
  refused({"certify", file, at("none.csv")}, "a sequence of motions");
  refused({"certify", (shelf() / "task.yaml").string(), folder_.path().string()}, "segments");
}

}  // namespace
}  // namespace allclear
