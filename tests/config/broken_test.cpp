#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "allclear/config/document/yaml.h"
#include "allclear/config/task_file.h"
#include "allclear/core/input_error.h"
#include "config/task_fixture.h"

namespace allclear {
namespace {

std::string messageOf(const std::filesystem::path& task) {
  try {
    loadTask(task);
  } catch (const InputError& error) {
    return error.what();
  }
  return "(loaded)";
}

/// The fragment after "# expect: " on the first line of a broken task.
std::string expectedFragment(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  const std::string mark = "# expect: ";
  return line.starts_with(mark) ? line.substr(mark.size()) : "";
}

TEST(BrokenTasks, NameFileLineKeyAndCause) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::testFolder() / "config" / "broken")) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string expected = expectedFragment(entry.path());
    ASSERT_FALSE(expected.empty()) << entry.path() << " says not what it expects";
    const std::string message = messageOf(entry.path());
    EXPECT_NE(message.find(expected), std::string::npos)
        << entry.path().filename() << "\n  expected " << expected << "\n  got      " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << entry.path().filename();
    ++count;
  }
  EXPECT_GE(count, 90);
}

TEST(BrokenTasks, AMissingOrEmptyFileOrAFolderIsNamed) {
  const test::TaskFolder folder;
  EXPECT_NE(messageOf(folder.path() / "none.yaml").find("none.yaml: no such file"),
            std::string::npos);
  EXPECT_NE(messageOf(folder.write("empty.yaml", "")).find("is empty"), std::string::npos);
  EXPECT_NE(messageOf(folder.path()).find("is a directory"), std::string::npos);
  EXPECT_NE(messageOf(folder.write("null.yaml", "---\n")).find("must be a map of keys"),
            std::string::npos);
}

TEST(BrokenTasks, DeepNestingIsRefusedWithoutRecursion) {
  const test::TaskFolder folder;
  for (const char bracket : {'[', '{', '-'}) {
    std::string text = "scene: ";
    for (int i = 0; i < 100'000; ++i) text += bracket == '-' ? "- " : std::string(1, bracket);
    const std::string message = messageOf(folder.write("deep.yaml", text));
    EXPECT_NE(message.find("deep.yaml"), std::string::npos);
    EXPECT_EQ(message.find("(loaded)"), std::string::npos);
  }
}

TEST(BrokenTasks, AliasBombsAreRefused) {
  const test::TaskFolder folder;
  std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + below;
    for (int k = 0; k < 9; ++k) text += ", " + below;
    text += "]\n";
  }
  EXPECT_NE(messageOf(folder.write("bomb.yaml", text)).find("bomb.yaml:7: holds more than"),
            std::string::npos);
  EXPECT_NE(messageOf(folder.write("self.yaml", "scene: &a [*a]\n")).find("self.yaml:1"),
            std::string::npos);
}

TEST(BrokenTasks, HugeFilesAreRefusedBeforeTheyAreParsed) {
  const test::TaskFolder folder;
  const auto path = folder.write("huge.yaml", std::string(100'000'000, '#'));
  EXPECT_NE(messageOf(path).find("huge.yaml: is larger than 32 MiB"), std::string::npos);
}

TEST(BrokenTasks, ManyValuesAreRefused) {
  std::string text = "waypoints:\n  [";
  for (int i = 0; i < 1000; ++i) text += "1,";
  DocumentLimits limits;
  limits.values = 900;
  try {
    parseYaml(text + "1]\n", "many.yaml", limits);
    FAIL() << "parsed";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("many.yaml:2: holds more than 900 values"),
              std::string::npos)
        << error.what();
  }
}

/// YAML parsers stand still at some of these.
TEST(BrokenTasks, ALoneCharacterIsRefused) {
  const test::TaskFolder folder;
  for (int c = 0; c < 256; ++c) {
    const std::string message =
        messageOf(folder.write("one.yaml", std::string(1, static_cast<char>(c))));
    EXPECT_NE(message, "(loaded)") << "character " << c;
  }
}

TEST(BrokenTasks, BinaryJunkIsRefused) {
  std::mt19937 random(7);
  const test::TaskFolder folder;
  for (int i = 0; i < 200; ++i) {
    std::string junk(random() % 4000, '\0');
    for (char& c : junk) c = static_cast<char>(random());
    EXPECT_NE(messageOf(folder.write("junk.yaml", junk)), "(loaded)") << "round " << i;
  }
}

/// Everything that goes wrong is an `InputError`; anything else would end the test program.
TEST(BrokenTasks, DamagedTasksLoadOrExplainThemselves) {
  const int rounds = std::getenv("ALLCLEAR_LONG") != nullptr ? 20'000 : 300;
  const test::TaskFolder folder;
  for (const char* name : {"full.yaml", "scene.yaml", "agv.csv"}) {
    const std::string whole = readFile(folder.path() / name);
    std::mt19937 random(11);
    for (int i = 0; i < rounds; ++i) {
      std::string damaged = whole;
      for (unsigned k = 0; k <= random() % 3; ++k) {
        const std::size_t at = random() % damaged.size();
        switch (random() % 4) {
          case 0:
            damaged[at] = static_cast<char>(random());
            break;
          case 1:
            damaged.erase(at, 1 + random() % 20);
            break;
          case 2:
            damaged.insert(at, whole.substr(random() % whole.size(), random() % 20));
            break;
          default:
            damaged[at] = "[]{}:,-#&*!|>'\"%@`0e."[random() % 22];
            break;
        }
        if (damaged.empty()) damaged = " ";
      }
      folder.write(name, damaged);
      const std::string message = messageOf(folder.path() / "full.yaml");
      EXPECT_FALSE(message.empty()) << name << ", round " << i;
    }
    folder.write(name, whole);
  }
}

}  // namespace
}  // namespace allclear
