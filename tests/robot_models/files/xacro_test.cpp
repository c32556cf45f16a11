#include "allclear/robot_models/files/xacro.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "allclear/core/input_error.h"
#include "allclear/robot_models/load_robot.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;

constexpr char kXacro[] =
    R"(<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:include filename="a"/></robot>)";

/// A program called xacro stands in for ROS's, alone on the PATH with what a shell script needs.
class XacroTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* path = std::getenv("PATH")) old_path_ = path;
  }
  void TearDown() override { ::setenv("PATH", old_path_.c_str(), 1); }

  void usePath(const std::string& path) { ::setenv("PATH", path.c_str(), 1); }
  /// A script with that body comes first on the PATH.
  void install(const std::string& body) {
    const fs::path script = folder_.write("bin/xacro", "#!/bin/sh\n" + body + "\n");
    ::chmod(script.c_str(), 0755);
    usePath((folder_.path() / "bin").string() + ":" + old_path_);
  }
  std::string messageOf(const fs::path& file, std::size_t largest = 1000) {
    try {
      expandedXacro(file, largest);
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      return error.what();
    }
    return "(expanded)";
  }

  test::TemporaryFolder folder_;
  std::string old_path_;
};

TEST_F(XacroTest, IsKnownByItsElementsOrItsNameAndASubstitution) {
  EXPECT_TRUE(isXacro("r.urdf", kXacro));
  EXPECT_TRUE(isXacro("r.urdf.xacro", "<robot name=\"${name}\"/>"));
  EXPECT_TRUE(isXacro("r.xacro", "<robot><mesh filename=\"$(find arm)/a.stl\"/></robot>"));
  EXPECT_FALSE(isXacro("r.urdf", "<robot name=\"${name}\"/>"));
  EXPECT_FALSE(isXacro("r.xacro", "<robot name=\"r\"/>"));
  // What xacro made keeps the name space and comments.
  EXPECT_FALSE(
      isXacro("r.urdf", "<robot xmlns:xacro=\"x\"><!-- <xacro:include f=\"a\"/> --></robot>"));
  EXPECT_FALSE(isXacro("r.xacro", "<robot name=\"r\"><!-- ${a} --></robot>"));
  EXPECT_FALSE(isXacro("r.urdf", "<robot><!-- <xacro:a/>"));
}

TEST_F(XacroTest, WithoutTheProgramTheMessageSaysHowToExpand) {
  usePath((folder_.path() / "nowhere").string());
  const std::string message = messageOf(folder_.write("r.urdf.xacro", kXacro));
  EXPECT_NE(message.find("there is no program 'xacro' on the PATH"), std::string::npos) << message;
  EXPECT_NE(message.find("xacro r.urdf.xacro > r.urdf"), std::string::npos) << message;
  EXPECT_NE(messageOf(folder_.write("r.urdf", kXacro)).find("xacro r.urdf > expanded_r.urdf"),
            std::string::npos);
}

TEST_F(XacroTest, GetsTheFileAsOneArgumentWhateverItsName) {
  install("echo \"$# <$1>\"");
  const fs::path file = folder_.write("-o $(touch hacked); 'a' \"b\".xacro", kXacro);
  EXPECT_EQ(expandedXacro(file, 1000), "1 <" + file.string() + ">\n");
  EXPECT_FALSE(fs::exists("hacked"));
  EXPECT_FALSE(fs::exists(folder_.path() / "hacked"));
}

TEST_F(XacroTest, FailuresShowWhatItSays) {
  const fs::path file = folder_.write("r.xacro", kXacro);
  install(
      "echo '<robot/>'; echo 'Undefined substitution argument name' >&2; echo 'in r.xacro' >&2; "
      "exit 2");
  const std::string message = messageOf(file);
  EXPECT_NE(message.find("Undefined substitution argument name in r.xacro"), std::string::npos)
      << message;
  EXPECT_NE(message.find("NAME:=VALUE"), std::string::npos) << message;
  install("kill -9 $$");
  EXPECT_NE(messageOf(file).find("it says nothing"), std::string::npos);
}

TEST_F(XacroTest, MuchOnBothOutputsDoesNotBlockAndTooMuchIsRefused) {
  const fs::path file = folder_.write("r.xacro", kXacro);
  install(
      "i=0; while [ $i -lt 3000 ]; do echo 'a line of the one and of the other output, long "
      "enough to fill both of the pipes'; echo 'a complaint that goes on and on and on' >&2; "
      "i=$((i+1)); done");
  EXPECT_EQ(expandedXacro(file, 1u << 20).size(), 3000u * 81u);
  install("while true; do echo more; done");
  EXPECT_NE(messageOf(file, 1000).find("xacro makes more than"), std::string::npos);
}

TEST_F(XacroTest, ARobotOfBothFilesLoadsAndItsHashIsThatOfWhatCameOut) {
  // The stand-in takes the macro out, and says which file it read, as the real one does.
  install("echo \"<!-- made from $1 -->\"; sed 's/<xacro:[^>]*>//' \"$1\"");
  const auto sourceIn = [&](const std::string& place) {
    RobotSource source;
    source.urdf = folder_.write(place + "/r.urdf.xacro",
                                "<robot name=\"r\"><xacro:macro/><link name=\"a\"/></robot>");
    source.srdf =
        folder_.write(place + "/r.srdf.xacro", "<robot name=\"r\"><xacro:macro/></robot>");
    return source;
  };
  const RobotModel robot = loadRobot(sourceIn("one"));
  EXPECT_EQ(robot.links().size(), 1u);
  ASSERT_EQ(robot.assumptions().size(), 2u);
  EXPECT_EQ(
      robot.assumptions()[0],
      "URDF: is a xacro file, read as 'xacro FILE' expands it (lines are those of the result)");
  EXPECT_EQ(robot.sourceSha256(), loadRobot(sourceIn("two")).sourceSha256());
}

}  // namespace
}  // namespace allclear
