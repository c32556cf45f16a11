// Broken files: every one gives one line that names file, place and cause, and exit code 2.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/robot_models/files/mesh_file.h"
#include "allclear/robot_models/load_robot.h"
#include "support/data.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;

struct Expected {
  std::string file;
  int line = 0;       ///< 0: none checked
  std::string cause;  ///< part of the message
  std::string named;  ///< the file that is to blame
};

fs::path folder() { return test::testFolder() / "robot_models" / "broken"; }

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<Expected> entriesOf(const char* list) {
  std::vector<Expected> entries;
  std::ifstream in(folder() / list);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> fields;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, '|');) fields.push_back(trimmed(part));
    fields.resize(4);
    entries.push_back(
        {fields[0], std::stoi(fields[1]), fields[2], fields[3].empty() ? fields[0] : fields[3]});
  }
  return entries;
}

std::vector<Expected> corpus() { return entriesOf("expected.txt"); }

RobotSource sourceOf(const Expected& entry) {
  RobotSource source;
  const bool is_srdf = entry.file.ends_with(".srdf");
  source.urdf = folder() / (is_srdf ? "good.urdf" : entry.file);
  if (is_srdf) source.srdf = folder() / entry.file;
  return source;
}

/// What loading says, empty when it succeeds. Any other exception is a failure of the test.
std::string complaint(const RobotSource& source) {
  try {
    loadRobot(source);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

void expectClear(const std::string& message, const Expected& entry) {
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_LT(message.size(), 2000u) << message;
  std::string place = (folder() / entry.named).string();
  if (entry.line > 0) place += ":" + std::to_string(entry.line);
  EXPECT_TRUE(message.starts_with(place + ":")) << message;
  EXPECT_NE(message.find(entry.cause), std::string::npos)
      << message << "\nis to say: " << entry.cause;
}

TEST(BrokenFiles, AreMany) {
  EXPECT_GE(corpus().size(), 80u);
  EXPECT_GE(entriesOf("odd.txt").size(), 20u);
  std::set<std::string> known{"expected.txt", "odd.txt",         "good.urdf",    "good.obj",
                              "good.dae",     "good_binary.stl", "good_text.stl"};
  std::vector<Expected> all = corpus();
  for (const Expected& entry : entriesOf("odd.txt")) all.push_back(entry);
  for (const Expected& entry : all) {
    EXPECT_FALSE(entry.cause.empty()) << entry.file;
    known.insert({entry.file, entry.named});
  }
  for (const auto& file : fs::directory_iterator(folder())) {
    EXPECT_TRUE(known.contains(file.path().filename())) << file.path() << " is not expected";
  }
}

TEST(BrokenFiles, GiveOneLineThatNamesFilePlaceAndCause) {
  for (const Expected& entry : corpus()) {
    SCOPED_TRACE(entry.file);
    expectClear(complaint(sourceOf(entry)), entry);
  }
}

TEST(BrokenFiles, OddOnesAreReadWithAWarningThatNamesPlaceAndCause) {
  for (const Expected& entry : entriesOf("odd.txt")) {
    SCOPED_TRACE(entry.file);
    std::string place = (folder() / entry.file).string();
    if (entry.line > 0) place += ":" + std::to_string(entry.line);
    bool is_said = false;
    const RobotModel robot = loadRobot(sourceOf(entry));
    for (const std::string& warning : robot.warnings()) {
      EXPECT_EQ(warning.find('\n'), std::string::npos) << warning;
      is_said |= warning.starts_with(place + ":") && warning.find(entry.cause) != std::string::npos;
    }
    EXPECT_TRUE(is_said) << entry.cause;
  }
}

TEST(BrokenFiles, GoodOnesAreRead) {
  RobotSource source;
  source.urdf = folder() / "good.urdf";
  EXPECT_EQ(complaint(source), "");
}

/// Runs `allclear inspect ARGUMENTS`; returns the exit code and both outputs together.
int runInspect(const std::string& arguments, std::string& output) {
  const std::string line = test::allclearCommand() + " inspect " + arguments + " 2>&1";
  FILE* pipe = ::popen(line.c_str(), "r");
  if (!pipe) return -1;
  output.clear();
  char block[4096];
  for (std::size_t n; (n = std::fread(block, 1, sizeof block, pipe)) > 0;) output.append(block, n);
  const int status = ::pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(BrokenFiles, MakeTheCommandExitWithCode2AndOneLine) {
  for (const Expected& entry : corpus()) {
    SCOPED_TRACE(entry.file);
    const RobotSource source = sourceOf(entry);
    std::string output;
    std::string arguments = "'" + source.urdf.string() + "'";
    if (!source.srdf.empty()) arguments += " --srdf '" + source.srdf.string() + "'";
    EXPECT_EQ(runInspect(arguments, output), 2);
    ASSERT_TRUE(output.ends_with('\n')) << output;
    output.pop_back();
    expectClear(output, entry);
  }
}

TEST(BrokenFiles, MisuseOfTheCommandIsOneLineToo) {
  const std::string good = "'" + (folder() / "good.urdf").string() + "'";
  for (const std::string& arguments :
       {std::string(), std::string("no_such_file.urdf"), "'" + folder().string() + "'",
        good + " --package nonsense", good + " --bas fixed", good + " --base sideways",
        good + " --srdf no_such_file.srdf"}) {
    std::string output;
    EXPECT_EQ(runInspect(arguments, output), 2) << arguments;
    EXPECT_EQ(output.find('\n'), output.size() - 1) << output;
  }
  std::string output;
  EXPECT_EQ(runInspect(good, output), 0) << output;
  EXPECT_EQ(runInspect(good + " --json", output), 0) << output;
  EXPECT_EQ(runInspect("--help", output), 0) << output;
}

/// The message for a URDF with that content.
std::string complaintAbout(const std::string& content) {
  const test::TemporaryFolder temporary;
  RobotSource source;
  source.urdf = temporary.write("robot.urdf", content);
  const std::string message = complaint(source);
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_LT(message.size(), 2000u);
  return message;
}

std::string repeated(const std::string& text, int count) {
  std::string out;
  out.reserve(text.size() * static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

TEST(BrokenFiles, NestedAMillionDeepAreRefused) {
  constexpr int kDeep = 1000000;
  const std::string open = "<robot name=\"r\">" + repeated("<link name=\"a\">", kDeep);
  EXPECT_NE(complaintAbout(open).find("nested more than 100 deep"), std::string::npos);
  const std::string closed = open + repeated("</link>", kDeep) + "</robot>";
  EXPECT_NE(complaintAbout(closed).find("nested more than 100 deep"), std::string::npos);
  EXPECT_NE(complaintAbout("<robot name=\"r\">" + repeated("<!--", kDeep)).find("comment"),
            std::string::npos);
  EXPECT_NE(complaintAbout(repeated("<", kDeep)), "");
}

TEST(BrokenFiles, NamesOfAMillionLettersAreRefused) {
  const std::string name(1000000, 'x');
  for (const std::string& content :
       {"<robot name=\"r\">\n<link name=\"" + name + "\"/></robot>",
        "<robot name=\"r\"><link name=\"a\"/><" + name + "/></robot>",
        "<robot name=\"r\"><link name=\"a\" " + name + "=\"1\"/></robot>",
        "<robot name=\"" + name + "\"><link name=\"a\"/></robot>",
        "<robot name=\"r\"><link name=\"a\"><collision><geometry><mesh filename=\"" + name +
            "\"/></geometry></collision></link></robot>"}) {
    EXPECT_NE(complaintAbout(content).find("longer than 1024 bytes"), std::string::npos);
  }
  EXPECT_NE(
      complaintAbout("<robot name=\"r\"><link name=\"a\"><collision><geometry><sphere radius=\"" +
                     std::string(1000000, '1') + "\"/></geometry></collision></link></robot>"),
      "");
}

TEST(BrokenFiles, MillionsOfLinksAreRefused) {
  std::string content = "<robot name=\"r\">";
  for (int i = 0; i < 200000; ++i) {
    content += "<link name=\"l" + std::to_string(i) + "\"/>";
    if (i == 0) continue;
    content += "<joint name=\"j" + std::to_string(i) + "\" type=\"fixed\"><parent link=\"l" +
               std::to_string(i - 1) + "\"/><child link=\"l" + std::to_string(i) + "\"/></joint>";
  }
  EXPECT_NE(complaintAbout(content + "</robot>").find("more than 4096 links"), std::string::npos);
}

int roundsOfDamage() { return std::getenv("ALLCLEAR_LONG") ? 20000 : 400; }

/// The text with up to four random errors: bytes changed, cut, doubled or put in.
std::string damaged(std::string text, std::mt19937& random) {
  for (unsigned hits = 1 + random() % 4; hits > 0; --hits) {
    if (text.empty()) return "<";
    const std::size_t at = random() % text.size();
    const std::size_t count = 1 + random() % 12;
    switch (random() % 4) {
      case 0:
        text[at] = static_cast<char>(random() & 0xff);
        break;
      case 1:
        text.erase(at, count);
        break;
      case 2:
        text.insert(at, text.substr(random() % text.size(), count));
        break;
      default:
        text.insert(at, std::string("0-9.\"<>/&;eE").substr(random() % 12, 1));
    }
  }
  return text;
}

// Neither crashes nor other exceptions; under sanitizers, nothing undefined on the way.
TEST(BrokenFiles, RobotsDamagedAtRandomAreReadOrRefused) {
  std::vector<std::string> seeds;
  for (const char* name : {"good.urdf", "zero_mass.urdf", "mimic_loop.urdf", "flat_box.urdf"}) {
    seeds.push_back(readFile(folder() / name));
  }
  std::mt19937 random(7);
  const test::TemporaryFolder temporary;
  for (int round = 0; round < roundsOfDamage(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + " of seed 7");
    const std::string content = damaged(seeds[random() % seeds.size()], random);
    RobotSource source;
    source.urdf = temporary.write("robot.urdf", content);
    EXPECT_EQ(complaint(source).find('\n'), std::string::npos) << content;
  }
}

TEST(BrokenFiles, SrdfsDamagedAtRandomAreReadOrRefused) {
  const std::string seed = R"(<robot name="good">
<virtual_joint name="v" type="floating" parent_frame="w" child_link="base"/>
<group name="g"><chain base_link="base" tip_link="hand"/><group name="h"/><joint name="v"/></group>
<group name="h"><link name="arm"/><joint name="wrist"/><passive_joint name="wrist"/></group>
<group_state name="s" group="g"><joint name="wrist" value="0.5"/><joint name="v" value="0 0 1 0 0 0 1"/></group_state>
<group_state name="s" group="h"><joint name="shoulder" value="0.5"/></group_state>
<end_effector name="e" parent_link="hand" group="h"/><disable_default_collisions link="arm"/>
<enable_collisions link1="arm" link2="hand"/><disable_collisions link1="base" link2="arm" reason="Never"/>
</robot>)";
  std::mt19937 random(9);
  const test::TemporaryFolder temporary;
  for (int round = 0; round < roundsOfDamage(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + " of seed 9");
    const std::string content = damaged(seed, random);
    RobotSource source;
    source.urdf = folder() / "good.urdf";
    source.srdf = temporary.write("robot.srdf", content);
    source.base = round % 2 ? BaseJoint::kFromSrdf : BaseJoint::kFixed;
    try {
      const RobotModel robot = loadRobot(source);
      for (const std::string& warning : robot.warnings()) {
        EXPECT_EQ(warning.find('\n'), std::string::npos) << content;
        EXPECT_LT(warning.size(), 2000u) << content;
      }
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << content;
    }
  }
}

TEST(BrokenFiles, MeshesDamagedAtRandomAreReadOrRefused) {
  const std::vector<std::string> names{"good.obj", "good_binary.stl", "good_text.stl", "good.dae"};
  std::mt19937 random(8);
  for (int round = 0; round < roundsOfDamage(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + " of seed 8");
    const std::string& name = names[random() % names.size()];
    const std::string content = damaged(readFile(folder() / name), random);
    try {
      parseMesh(content, name);
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << content;
    }
  }
}

TEST(BrokenFiles, GoodMeshesAreRead) {
  for (const char* name : {"good.obj", "good_binary.stl", "good_text.stl", "good.dae"}) {
    EXPECT_EQ(loadMesh(folder() / name).triangles().size(), 4u) << name;
  }
}

}  // namespace
}  // namespace allclear
