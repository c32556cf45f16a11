#include "allclear/robot_models/load_robot.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "allclear/core/input_error.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;

class PackagePathsTest : public testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    ::unsetenv("ROS_PACKAGE_PATH");
    ::unsetenv("AMENT_PREFIX_PATH");
    ::unsetenv("GAZEBO_MODEL_PATH");
  }

  fs::path find(const std::string& uri, const PackageMap& map = {}) const {
    return PackagePaths(map, urdf_).find(uri, {"robot.urdf", 3, "mesh", uri});
  }

  test::TemporaryFolder folder_;
  fs::path urdf_ = folder_.path() / "ws/src/arm_description/urdf/robot.urdf";
};

TEST_F(PackagePathsTest, AnEmptyNameIsRefused) { EXPECT_THROW(PackagePaths({}, ""), InputError); }

TEST_F(PackagePathsTest, TheMapComesFirst) {
  folder_.write("ws/src/arm_description/meshes/a.stl", "");
  const fs::path mapped = folder_.write("elsewhere/meshes/a.stl", "");
  EXPECT_EQ(find("package://arm_description/meshes/a.stl",
                 {{"arm_description", folder_.path() / "elsewhere"}}),
            mapped);
}

TEST_F(PackagePathsTest, FoldersUpwardAreSearchedByTheirNameAndByWhatTheyHold) {
  const fs::path own = folder_.write("ws/src/arm_description/meshes/a.stl", "");
  const fs::path sibling = folder_.write("ws/src/hand_description/meshes/h.stl", "");
  EXPECT_EQ(find("package://arm_description/meshes/a.stl"), own);
  EXPECT_EQ(find("package://hand_description/meshes/h.stl"), sibling);
}

TEST_F(PackagePathsTest, RosPackagePathHoldsPackagesOrIsOne) {
  const fs::path held = folder_.write("ros/hand/meshes/h.stl", "");
  const fs::path itself = folder_.write("other/tool/meshes/t.stl", "");
  const std::string value =
      (folder_.path() / "ros").string() + "::" + (folder_.path() / "other/tool").string();
  ::setenv("ROS_PACKAGE_PATH", value.c_str(), 1);
  EXPECT_EQ(find("package://hand/meshes/h.stl"), held);
  EXPECT_EQ(find("package://tool/meshes/t.stl"), itself);
}

TEST_F(PackagePathsTest, AmentPrefixPathHoldsPackagesUnderShare) {
  const fs::path shared = folder_.write("install/share/hand/meshes/h.stl", "");
  ::setenv("AMENT_PREFIX_PATH", (folder_.path() / "install").c_str(), 1);
  EXPECT_EQ(find("package://hand/meshes/h.stl"), shared);
}

TEST_F(PackagePathsTest, MeshesThatIsNoPackageIsFoundBesideTheFile) {
  const fs::path mesh = folder_.write("ws/src/arm_description/urdf/meshes/a.stl", "");
  EXPECT_EQ(find("package://meshes/a.stl"), mesh);
}

TEST_F(PackagePathsTest, FileAndPlainPathsAreRelativeToTheFile) {
  const fs::path mesh = folder_.write("ws/src/arm_description/meshes/a.stl", "");
  fs::create_directories(urdf_.parent_path());
  EXPECT_EQ(find("../meshes/a.stl"), mesh);
  EXPECT_EQ(find("file://../meshes/a.stl"), mesh);
  EXPECT_EQ(find("file://" + mesh.string()), mesh);
  EXPECT_EQ(find(mesh.string()), mesh);
}

TEST_F(PackagePathsTest, ModelsOfGazeboAreFoundAsPackagesAre) {
  const fs::path own = folder_.write("ws/src/arm_description/meshes/a.stl", "");
  const fs::path held = folder_.write("models/hand/meshes/h.stl", "");
  ::setenv("GAZEBO_MODEL_PATH", (folder_.path() / "models").c_str(), 1);
  EXPECT_EQ(find("model://arm_description/meshes/a.stl"), own);
  EXPECT_EQ(find("model://hand/meshes/h.stl"), held);
  EXPECT_EQ(find("package:///arm_description/meshes/a.stl"), own);
  EXPECT_EQ(find("file://localhost" + held.string()), held);
}

TEST_F(PackagePathsTest, AMissNamesEveryPlaceLookedIn) {
  ::setenv("ROS_PACKAGE_PATH", "/ros/path", 1);
  ::setenv("AMENT_PREFIX_PATH", "/ament/prefix", 1);
  try {
    find("package://tool/meshes/t.stl", {{"tool", "/the/map"}});
    FAIL() << "found";
  } catch (const InputError& error) {
    const std::string message = error.what();
    for (const std::string& place :
         {std::string("/the/map/meshes/t.stl"), std::string("/ros/path/tool/meshes/t.stl"),
          std::string("/ament/prefix/share/tool/meshes/t.stl"),
          (urdf_.parent_path() / "tool/meshes/t.stl").string(),
          (folder_.path() / "ws/tool/meshes/t.stl").string(), std::string(" /tool/meshes/t.stl")}) {
      EXPECT_NE(message.find(place), std::string::npos) << place << "\nin: " << message;
    }
    EXPECT_NE(message.find("'package_map: {tool: FOLDER}'"), std::string::npos) << message;
    EXPECT_NE(message.find("--package tool=FOLDER"), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with("robot.urdf:3: mesh: 'package://tool/meshes/t.stl':"));
  }
}

TEST_F(PackagePathsTest, APackageGivesNoFileOutsideOfItself) {
  folder_.write("ws/src/secret.stl", "");
  const fs::path own = folder_.write("ws/src/arm_description/meshes/a.stl", "");
  for (const char* uri :
       {"package://arm_description/../secret.stl",
        "package://arm_description/meshes/../../secret.stl", "package://../secret.stl",
        "package://./secret.stl", "package://arm_description//../secret.stl",
        "model://arm_description/./../secret.stl"}) {
    EXPECT_THROW(find(uri), InputError) << uri;
    EXPECT_THROW(find(uri, {{"arm_description", urdf_.parent_path().parent_path()}}), InputError);
  }
  EXPECT_EQ(find("package://arm_description/urdf/../meshes/a.stl"), own);
  EXPECT_EQ(find("package://arm_description//meshes/a.stl"), own);
}

}  // namespace
}  // namespace allclear
