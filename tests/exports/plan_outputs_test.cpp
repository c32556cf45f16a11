// Where the command writes, and what it does when that is impossible: it says so before it plans.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include "allclear/core/file.h"
#include "support/data.h"
#include "support/run_command.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;
constexpr int kBadInput = 2;
constexpr int kNoPlan = 3;

class PlanOutputs : public testing::Test {
 protected:
  struct Run {
    int code;
    std::string text;
  };

  fs::path shelf() const { return test::testFolder().parent_path() / "examples/shelf"; }

  /// A copy of the shelf's task with this at its end; `goal` in place of the first joint's.
  fs::path task(const std::string& more = "", const std::string& goal = "0.0") const {
    std::string text = readFile(shelf() / "task.yaml");
    for (const char* file : {"seven.urdf", "seven.srdf"}) {
      text.replace(text.find(file), 10, (shelf() / file).string());
    }
    text.replace(text.find("{joint1: 0.0,"), 13, "{joint1: " + goal + ",");
    return folder_.write("task.yaml", text + more + "\n");
  }

  Run run(std::vector<std::string> words) const {
    words.insert(words.begin(), test::allclearCommand());
    test::Process process(words, folder_.path() / "log.txt");
    const int code = process.wait();
    return {code, process.output()};
  }
  Run plan(const fs::path& task, std::vector<std::string> words) const {
    words.insert(words.begin(), {"plan", task.string(), "--quiet", "--improve", "none"});
    return run(words);
  }
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }

  test::TemporaryFolder folder_;
};

TEST_F(PlanOutputs, ThatCannotBeWrittenAreFoundBeforeThePlanning) {
  const fs::path shelf_task = task();
  for (const std::string& bad : {at("no/such/folder.csv"), folder_.path().string()}) {
    for (const char* option : {"--csv", "--certificate", "--proof", "--ros2", "--trajectory"}) {
      const Run found = plan(shelf_task, {option, bad, "--verbose"});
      EXPECT_EQ(found.code, kBadInput) << option << " " << bad << found.text;
    }
    const Run found = plan(shelf_task, {"--csv", bad, "--trajectory", at("other.json")});
    EXPECT_EQ(found.code, kBadInput);
    EXPECT_NE(found.text.find("cannot be written"), std::string::npos) << found.text;
    EXPECT_FALSE(fs::exists(at("other.json")));
  }
}

TEST_F(PlanOutputs, MustNotMeetEachOtherNorTheTask) {
  const fs::path shelf_task = task();
  const std::string before = readFile(shelf_task);
  Run found = plan(shelf_task, {"--csv", at("one"), "--proof", folder_.path().string() + "/./one"});
  EXPECT_EQ(found.code, kBadInput);
  EXPECT_NE(found.text.find("two outputs"), std::string::npos) << found.text;
  found = plan(shelf_task, {"--csv", shelf_task.string()});
  EXPECT_EQ(found.code, kBadInput);
  EXPECT_EQ(readFile(shelf_task), before);
  fs::create_symlink("task.yaml", at("link"));
  EXPECT_EQ(run({"check", shelf_task.string(), "--report", at("link")}).code, kBadInput);
  EXPECT_EQ(readFile(shelf_task), before);
}

TEST_F(PlanOutputs, GoThroughLinksAndToDevices) {
  const fs::path shelf_task = task();
  fs::create_symlink("real.csv", at("link.csv"));
  const Run found = plan(shelf_task, {"--csv", at("link.csv"), "--trajectory", "/dev/null"});
  EXPECT_EQ(found.code, 0) << found.text;
  EXPECT_TRUE(fs::is_symlink(at("link.csv")));
  EXPECT_GT(fs::file_size(at("real.csv")), 1000u);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  // A full device keeps all other files as they were.
  const Run full = plan(shelf_task, {"--csv", at("new.csv"), "--trajectory", "/dev/full"});
  EXPECT_EQ(full.code, kBadInput) << full.text;
  EXPECT_FALSE(fs::exists(at("new.csv")));
}

TEST_F(PlanOutputs, ToAnOpenDescriptorDoNotTakeAwayTheFileBehindIt) {
  const std::string command = test::allclearCommand() + " plan " + task().string() +
                              " --quiet --improve none --csv /dev/stdout > " + at("all.txt");
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string text = readFile(at("all.txt"));
  EXPECT_TRUE(text.starts_with("time,joint1")) << text.substr(0, 100);
  EXPECT_NE(text.find("Certified"), std::string::npos);
}

TEST_F(PlanOutputs, OfTheTaskAllObeyTheFolder) {
  const fs::path shelf_task = task("output: {ros2: arm.yaml, csv: elsewhere.csv}");
  const Run found = plan(shelf_task, {"-o", at("out")});
  EXPECT_EQ(found.code, 0) << found.text;
  for (const char* name : {"out/arm.yaml", "out/trajectory.csv", "out/plan.proof"}) {
    EXPECT_TRUE(fs::exists(at(name))) << name;
  }
}

TEST_F(PlanOutputs, OfAnEarlierPlanGoWhenThereIsNoneNow) {
  ASSERT_EQ(plan(task(), {"-o", at("out")}).code, 0);
  folder_.write("out/notes.txt", "mine");
  // Bad input says nothing about the task: all stays.
  EXPECT_EQ(plan(task("nonsense: 1"), {"-o", at("out")}).code, kBadInput);
  EXPECT_TRUE(fs::exists(at("out/trajectory.csv")));
  const Run found = plan(task("duration: {fixed: 1e-3}"), {"-o", at("out/")});
  EXPECT_EQ(found.code, kNoPlan) << found.text;
  EXPECT_FALSE(fs::exists(at("out/trajectory.csv")));
  EXPECT_FALSE(fs::exists(at("out/certificate.json")));
  EXPECT_TRUE(fs::exists(at("out/notes.txt")));
}

TEST_F(PlanOutputs, LostOnTheWayToTheTerminalAreAnError) {
  for (const char* words : {"check --json", "plan --json --quiet", "--help"}) {
    const std::string command = test::allclearCommand() + " " + words + " " +
                                (std::string(words) == "--help" ? "" : task().string()) +
                                " > /dev/full 2> " + at("log.txt");
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), kBadInput) << words;
  }
}

TEST_F(PlanOutputs, OddNumbersAreRefusedWhereTheyAreGiven) {
  const fs::path shelf_task = task();
  EXPECT_EQ(plan(shelf_task, {"--time-limit", "nan"}).code, kBadInput);
  EXPECT_EQ(plan(shelf_task, {"--seed", "-1"}).code, kBadInput);
  EXPECT_EQ(plan(shelf_task, {"--time-limit", "inf"}).code, kBadInput);
  EXPECT_EQ(plan(shelf_task, {"--threads", "1000000"}).code, kBadInput);
  ASSERT_EQ(plan(shelf_task, {"--csv", at("t.csv")}).code, 0);
  const auto certify = [&](const char* option, const char* value) {
    return run({"certify", shelf_task.string(), at("t.csv"), option, value}).code;
  };
  EXPECT_EQ(certify("--limit-tolerance", "nan"), kBadInput);
  EXPECT_EQ(certify("--tube", "nan"), kBadInput);
  EXPECT_EQ(certify("--limit-tolerance", "1e-9"), 0);
  EXPECT_EQ(run({"fit", (shelf() / "seven.urdf").string(), "--gain", "nan"}).code, kBadInput);
}

TEST_F(PlanOutputs, ExtremeNumbersOfTasksAreBadInputOrPlansButNoInternalErrors) {
  for (const char* more :
       {"duration: {fixed: 1e300}", "duration: {min: 1e300, max: 2e300}", "duration: {max: 1e300}",
        "duration: {fixed: 1e-300}", "collision: {tolerance: 1e-300}", "collision: {margin: 1e300}",
        "output: {rate: 1e9, csv: /dev/null}", "output: {rate: 1e-300, csv: /dev/null}",
        "solver: {time_limit: 1e300, improve: none}", "solver: {time_limit: 1e-300}",
        "duration: {fixed: 1e9}\nsolver: {time_limit: 2}"}) {
    const Run found = run({"plan", task(more).string(), "--quiet"});
    EXPECT_TRUE(found.code == 0 || (found.code >= 2 && found.code <= 4))
        << more << ": " << found.code << " " << found.text;
  }
}

TEST_F(PlanOutputs, NamesWithControlCharactersDoNotReachTheTerminal) {
  std::string text = readFile(task());
  const std::size_t name = text.find("board_low");
  for (const char* id : {"\"bo\\e[31mard\"", "\"\\x9b31m\"", "bo\xff\xfe", "\"a\\nb\""}) {
    const fs::path odd = folder_.write("odd.yaml", std::string(text).replace(name, 9, id));
    for (const char* format : {"--json", "--report"}) {
      std::vector<std::string> words{"check", odd.string(), format};
      if (std::string(format) == "--report") words.push_back(at("r.html"));
      const Run found = run(words);
      EXPECT_EQ(found.code, kBadInput) << id << found.text;
      EXPECT_EQ(found.text.find_first_of("\x1b\x9b\xff\xfe"), std::string::npos) << found.text;
    }
  }
}

TEST_F(PlanOutputs, InputsThatArePipesOrOtherFilesAreRefusedWithoutShowingThem) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(run({"check", at("pipe")}).code, kBadInput);
  const std::string secret = folder_.write("secret.txt", "root:secret:0:0\nmore:secret\n").string();
  const std::string object =
      "collision_objects:\n    - {id: s, type: sphere, dimensions: [1], motion: ";
  std::string text = readFile(task());
  text.replace(text.find("collision_objects:"), 18, object + secret + "}");
  const Run motion = run({"check", folder_.write("motion.yaml", text).string()});
  const Run scene =
      run({"check", folder_.write("scene.yaml", "robot: {urdf: " + secret + "}\n").string()});
  const Run whole = run({"check", secret});
  const Run rows = run({"certify", task().string(), secret});
  for (const Run& found : {motion, scene, whole, rows}) {
    EXPECT_EQ(found.code, kBadInput) << found.text;
    EXPECT_EQ(found.text.find("root:secret"), std::string::npos) << found.text;
  }
}

TEST_F(PlanOutputs, NeedNoMoreThanTheStackThatIsPromised) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take more of the stack";
#endif
  const std::string command = "ulimit -s 128; exec " + test::allclearCommand() + " plan " +
                              task().string() + " --quiet --improve none --csv /dev/null > " +
                              at("log.txt") + " 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << readFile(at("log.txt"));
}

}  // namespace
}  // namespace allclear
