#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/core/pose.h"

namespace allclear {
namespace {

TEST(InputError, IsOneLineThatNamesThePlace) {
  const InputError error({"task.yaml", 7, "margin", "one\ntwo"}, "must be a number");
  EXPECT_STREQ(error.what(), "task.yaml:7: margin: 'one two': must be a number");
}

TEST(InputError, SuggestsTheNearestWordOnlyWhenItIsNear) {
  EXPECT_EQ(nearestWord("margn", {"margin", "tolerance"}), "margin");
  EXPECT_EQ(nearestWord("zzz", {"margin", "tolerance"}), "");
  EXPECT_EQ(nearestWord("amr", {"hand", "arm"}), "arm");  // two letters swapped are one mistake
  EXPECT_EQ(didYouMean("margn", {"margin"}), " (did you mean 'margin'?)");
}

TEST(InputError, SuggestsTheOnlyLongerWord) {
  EXPECT_EQ(nearestWord("joint1", {"panda_joint1", "panda_joint2"}), "panda_joint1");
  EXPECT_EQ(nearestWord("joint1", {"panda_joint1", "panda_joint2", "panda_finger_joint1"}),
            "panda_joint1");  // after the name of the robot
  EXPECT_EQ(nearestWord("shoulder", {"shoulder_pan_joint", "elbow_joint"}), "shoulder_pan_joint");
  EXPECT_EQ(nearestWord("arm", {"left_arm", "right_arm"}), "");  // which of the two?
}

TEST(InputError, ListsWhatThereIsWhenNothingIsNear) {
  EXPECT_EQ(insteadOf("arm", {"left_arm", "right_arm"}), "; it has: left_arm, right_arm");
  EXPECT_EQ(insteadOf("margn", {"margin", "tolerance"}), " (did you mean 'margin'?)");
  EXPECT_EQ(insteadOf("x", {}), "; it has none");
  const std::string listed = whatThereIs(std::vector<std::string>(20, "j"));
  EXPECT_TRUE(listed.ends_with(", ..")) << listed;
}

TEST(Pose, RpyRoundTripsThroughTheRotation) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> angle(-3.1, 3.1);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 rpy(angle(random), angle(random) / 2.0, angle(random));
    EXPECT_LT((rpyFromRotation(rotationFromRpy(rpy)) - rpy).norm(), 1e-9) << rpy.transpose();
  }
}

TEST(Pose, RpyAtGimbalLockGivesTheSameRotation) {
  for (double pitch : {-std::acos(0.0), std::acos(0.0)}) {
    const Mat3 R = rotationFromRpy({0.3, pitch, 1.1});
    EXPECT_LT((rotationFromRpy(rpyFromRotation(R)) - R).norm(), 1e-9);
  }
}

TEST(Pose, InverseUndoesIt) {
  const Pose X{rotationFromRpy({0.1, 0.2, 0.3}), {1.0, 2.0, 3.0}};
  const Pose I = X * X.inverse();
  EXPECT_LT((I.R - Mat3::Identity()).norm() + I.p.norm(), 1e-14);
}

TEST(File, IsWrittenWholeAndReadBack) {
  const auto path = std::filesystem::temp_directory_path() / "allclear_file_test.txt";
  writeFileAtomically(path, "one");
  writeFileAtomically(path, "two");
  EXPECT_EQ(readFile(path), "two");
  std::filesystem::remove(path);
  EXPECT_THROW(readFile(path), InputError);
  EXPECT_THROW(writeFileAtomically("/nonexistent/folder/file", "x"), InputError);
}

}  // namespace
}  // namespace allclear
