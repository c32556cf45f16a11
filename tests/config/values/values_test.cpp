// Values of task and scene files, read one by one from short texts.
#include <gtest/gtest.h>

#include <cstdio>
#include <numbers>

#include "allclear/config/document/yaml.h"
#include "allclear/config/values/frames.h"
#include "allclear/config/values/input_files.h"
#include "allclear/config/values/motion_file.h"
#include "allclear/config/values/pose.h"
#include "allclear/config/values/robot_names.h"
#include "allclear/config/values/scene.h"
#include "allclear/config/values/shape.h"
#include "allclear/core/input_error.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/load_robot.h"
#include "config/task_fixture.h"

namespace allclear {
namespace {

Value yaml(const std::string& text) { return parseYaml(text, "x.yaml"); }

template <class Read>
std::string errorOf(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

const RobotModel& arm() {
  static const RobotModel robot = [] {
    RobotSource source;
    source.urdf = test::robotFolder() / "arm.urdf";
    source.srdf = test::robotFolder() / "arm.srdf";
    return loadRobot(source);
  }();
  return robot;
}

VecX neutral() { return arm().neutralConfiguration(); }

TEST(PoseValues, ListsAndMessagesGiveTheSamePose) {
  const Pose list = readPose(yaml("{position: [1, 2, 3], orientation: [0, 0, 0.6, 0.8]}"));
  const Pose message = readMessagePose(
      yaml("{position: {x: 1, y: 2, z: 3}, orientation: {x: 0, y: 0, z: 0.6, w: 0.8}}"));
  EXPECT_EQ(list.p, Vec3(1, 2, 3));
  EXPECT_EQ(list.p, message.p);
  EXPECT_EQ(list.R, message.R);
  EXPECT_NEAR(list.R(1, 0), 0.96, 1e-15) << "a turn about z by 2 atan(0.6 / 0.8)";
  const Pose rpy = readPose(yaml("{rpy: [0, 0, 1.2870022175866]}"));
  EXPECT_LE((rpy.R - list.R).norm(), 1e-12);
}

TEST(PoseValues, AQuaternionOfZerosIsTheIdentityInMessagesOnly) {
  const char* zeros = "{orientation: {x: 0, y: 0, z: 0, w: 0}}";
  EXPECT_EQ(readMessagePose(yaml(zeros)).R, Mat3::Identity());
  EXPECT_NE(errorOf([&] { readPose(yaml(zeros)); }).find("must have length 1"), std::string::npos);
}

TEST(PoseValues, QuaternionsAreScaledToOneOrRefused) {
  const auto almost = rotationFromQuaternion(0, 0, 0, 1.0 + 0.9 * kQuaternionTolerance);
  ASSERT_TRUE(almost.has_value());
  EXPECT_EQ(*almost, Mat3::Identity());
  EXPECT_FALSE(rotationFromQuaternion(0, 0, 0, 1.0 + 1.1 * kQuaternionTolerance).has_value());
  EXPECT_FALSE(rotationFromQuaternion(0, 0, 0, std::nan("")).has_value());
}

TEST(PoseValues, DirectionsHaveLengthOne) {
  EXPECT_EQ(readDirection(yaml("-y")), Vec3(0, -1, 0));
  EXPECT_EQ(readDirection(yaml("[0, 3, 4]")), Vec3(0, 0.6, 0.8));
  EXPECT_NE(errorOf([] { readDirection(yaml("[0, 0, 1.0e-12]")); }), "accepted");
}

TEST(ShapeValues, APlaneIsSolidBelowItsOffsetAlongItsNormal) {
  InputFiles files({}, "x.yaml");
  const Geometry plane =
      readShape(yaml("{type: plane, normal: [0, 0, 2], offset: 0.5}"), files).front();
  ASSERT_TRUE(std::holds_alternative<HalfSpace>(plane.shape));
  EXPECT_EQ(plane.X_BG.p, Vec3(0, 0, 0.5));
  EXPECT_LE((plane.X_BG.R.col(2) - Vec3::UnitZ()).norm(), 1e-15);
  // x = 1 as a message: 1 x + 0 y + 0 z - 1 = 0.
  const Geometry message = readPlaneMessage(yaml("{coef: [1, 0, 0, -1]}"));
  EXPECT_LE((message.X_BG.p - Vec3(1, 0, 0)).norm(), 1e-15);
  EXPECT_LE((message.X_BG.R.col(2) - Vec3::UnitX()).norm(), 1e-15);
}

TEST(ShapeValues, MessagesHaveTheHeightBeforeTheRadius) {
  const Shape shape = readSolidPrimitive(yaml("{type: 3, dimensions: [0.5, 0.1]}"));
  ASSERT_TRUE(std::holds_alternative<Cylinder>(shape));
  EXPECT_EQ(std::get<Cylinder>(shape).length(), 0.5);
  EXPECT_EQ(std::get<Cylinder>(shape).radius(), 0.1);
  EXPECT_NE(errorOf([] { readSolidPrimitive(yaml("{type: 5, dimensions: [1, 1]}")); }), "accepted");
}

TEST(ShapeValues, KeysOfAnotherTypeAreRefused) {
  InputFiles files({}, "x.yaml");
  EXPECT_NE(errorOf([&] {
              readShape(yaml("{type: box, dimensions: [1, 1, 1], offset: 1}"), files);
            }).find("does not go with type 'box'"),
            std::string::npos);
}

TEST(MotionFiles, KnotsHaveTheRowsPosesWhateverTheOrderOfColumns) {
  const auto knots =
      parseMotion("# a cart\ny,x,time,z,qw,qz,qy,qx\n2,1,0,3,1,0,0,0\n\n5,4,1.5,6,0,1,0,0\n", "m");
  ASSERT_EQ(knots.size(), 2u);
  EXPECT_EQ(knots[0].X_WO.p, Vec3(1, 2, 3));
  EXPECT_EQ(knots[0].X_WO.R, Mat3::Identity());
  EXPECT_EQ(knots[1].time, 1.5);
  EXPECT_LE((knots[1].X_WO.R.col(0) + Vec3::UnitX()).norm(), 1e-15) << "half a turn about z";
}

TEST(RobotNames, UnknownOnesComeWithTheNearest) {
  const Value where = yaml("x");
  EXPECT_EQ(coordinateIndex("elbow", where, arm()), arm().findCoordinate("elbow"));
  EXPECT_NE(errorOf([&] { coordinateIndex("elbwo", where, arm()); }).find("did you mean 'elbow'?"),
            std::string::npos);
  EXPECT_NE(errorOf([&] {
              coordinateIndex("finger_mirror", where, arm());
            }).find("follows joint 'finger'"),
            std::string::npos);
  EXPECT_NE(errorOf([&] { coordinateIndex("tip_mount", where, arm()); }).find("is fixed"),
            std::string::npos);
}

TEST(RobotNames, JointsOfSeveralCoordinatesTakeLists) {
  RobotSource source;
  source.urdf = test::robotFolder() / "arm.urdf";
  source.base = BaseJoint::kFloating;
  const RobotModel robot = loadRobot(source);
  std::vector<std::string> warnings;
  const auto read = [&](const std::string& list) {
    VecX q(6);
    const JointValues values =
        readJointMap(yaml("{virtual_joint: " + list + "}"), robot, {}, warnings);
    EXPECT_EQ(values.size(), 6u);
    for (const auto& [c, given] : values) q[c] = given.value;
    return q;
  };
  VecX expected(6);
  expected << 1, 2, 3, 0.3, -0.2, 0.1;
  EXPECT_EQ(read("[1, 2, 3, 0.3, -0.2, 0.1]"), expected);
  const Eigen::Quaterniond q(rotationFromRpy({0.3, -0.2, 0.1}));
  char list[200];
  std::snprintf(list, sizeof list, "[1, 2, 3, %.17g, %.17g, %.17g, %.17g]", q.x(), q.y(), q.z(),
                q.w());
  EXPECT_LT((read(list) - expected).norm(), 1e-14);
  EXPECT_TRUE(warnings.empty());
}

TEST(RobotNames, AnglesThatLookLikeDegreesGetAHint) {
  std::vector<std::string> warnings;
  const Coordinate& elbow = arm().coordinates()[arm().findCoordinate("elbow")];
  const Coordinate& wrist = arm().coordinates()[arm().findCoordinate("wrist")];
  const Coordinate& lift = arm().coordinates()[arm().findCoordinate("lift")];
  const Value where = yaml("x");
  const auto refusal = [&](double value, const Coordinate& coordinate) {
    return errorOf([&] { insideLimits({value, where}, coordinate, warnings); });
  };
  EXPECT_NE(refusal(-90, elbow).find("degrees? -90° is -1.57 rad"), std::string::npos);
  EXPECT_EQ(refusal(3, elbow).find("degrees"), std::string::npos);    // may be radians
  EXPECT_EQ(refusal(170, elbow).find("degrees"), std::string::npos);  // beyond the limit as degrees
  EXPECT_EQ(refusal(45, lift).find("degrees"), std::string::npos);    // metres
  EXPECT_TRUE(warnings.empty());
  // A joint without limits takes it, with a warning.
  EXPECT_EQ(insideLimits({90.0, where}, wrist, warnings), 90.0);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("turns more than once; degrees? 90° is 1.57 rad"), std::string::npos)
      << warnings[0];
}

TEST(RobotNames, AMimicJointThatDisagreesIsIgnoredWithAWarning) {
  std::vector<std::string> warnings;
  readJointMap(yaml("{finger: 0.02, finger_mirror: 0.0205}"), arm(), {}, warnings);
  EXPECT_TRUE(warnings.empty()) << warnings[0];
  const JointValues values =
      readJointMap(yaml("{finger: 0.02, finger_mirror: 0.03}"), arm(), {}, warnings);
  EXPECT_EQ(warnings.size(), 1u);
  EXPECT_EQ(values.size(), 1u);
  EXPECT_EQ(values.begin()->second.value, 0.02);
}

TEST(RobotNames, ValuesARoundingBeyondALimitMoveToIt) {
  std::vector<std::string> warnings;
  const Coordinate& elbow = arm().coordinates()[arm().findCoordinate("elbow")];
  const Value where = yaml("x");
  EXPECT_EQ(insideLimits({2.5, where}, elbow, warnings), 2.5);
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(insideLimits({2.5 + 0.9 * kClampTolerance, where}, elbow, warnings), 2.5);
  EXPECT_EQ(warnings.size(), 1u);
  EXPECT_NE(errorOf([&] {
              insideLimits({2.5 + 1.1 * kClampTolerance, where}, elbow, warnings);
            }).find("beyond its upper limit"),
            std::string::npos);
}

TEST(FrameNames, AreLinksWhereTheStartPutsThemOrDefined) {
  VecX q = neutral();
  q[arm().findCoordinate("lift")] = 0.2;
  Frames frames(arm(), q);
  EXPECT_LE((frames.find(yaml("column")).p - Vec3(0, 0, 0.3)).norm(), 1e-15);
  EXPECT_EQ(frames.find(yaml("world")).p, Vec3::Zero());
  EXPECT_NE(errorOf([&] { frames.find(yaml("table")); }), "accepted");
  frames.define(yaml("table"), {Mat3::Identity(), Vec3(1, 0, 0)});
  EXPECT_EQ(frames.find(yaml("/table")).p, Vec3(1, 0, 0));
}

TEST(FrameNames, NobodyMovesTheWorldOrALink) {
  const VecX q = neutral();
  Frames frames(arm(), q);
  const Pose away{Mat3::Identity(), Vec3(5, 0, 0)};
  for (const char* name : {"world", "/world", "", "column"}) {
    EXPECT_NE(errorOf([&] { frames.define(yaml(std::string("'") + name + "'"), away); }),
              "accepted")
        << name;
  }
  EXPECT_EQ(frames.find(yaml("world")).p, Vec3::Zero());
  frames.define(yaml("world"), Pose());
  frames.define(yaml("column"), frames.find(yaml("column")));
}

TEST(InputFilesOfATask, AreHashedAsTheyAreRead) {
  const test::TaskFolder folder;
  folder.write("a.yaml", "a: 1\n");
  InputFiles once({}, folder.path() / "task.yaml"), twice = once;
  once.document(folder.path() / "a.yaml", "a.yaml");
  EXPECT_EQ(once.sha256(), [&] {
    InputFiles again({}, folder.path() / "task.yaml");
    again.hash("a.yaml", "a: 1\n");
    return again.sha256();
  }());
  EXPECT_NE(once.sha256(), twice.sha256());
  EXPECT_NE(errorOf([&] { once.find(yaml("none.obj")); }), "accepted");
}

TEST(SceneValues, AnAttachedObjectWithoutShapesTakesTheObstacleOfItsId) {
  Scene scene;
  VecX q = neutral();
  Frames frames(arm(), q);
  InputFiles files({}, test::robotFolder() / "x.yaml");
  SceneContext context{arm(), frames, files, scene};
  readScene(yaml("collision_objects:\n"
                 "  - {id: cup, type: sphere, dimensions: [0.1], pose: {position: [0, 0, 1]}}\n"
                 "attached_collision_objects:\n"
                 "  - {link_name: column, object: {id: cup}, weight: 0.3}\n"),
            context);
  EXPECT_TRUE(scene.obstacles.empty());
  ASSERT_EQ(scene.attached.size(), 1u);
  const Vec3 column = frames.find(yaml("column")).p;
  EXPECT_LE((scene.attached[0].geometry[0].X_BG.p - (Vec3(0, 0, 1) - column)).norm(), 1e-12)
      << "it stays where it is in the world";
  ASSERT_TRUE(scene.attached[0].inertia.has_value());
  EXPECT_EQ(scene.attached[0].inertia->mass, 0.3);
  EXPECT_LE((scene.attached[0].inertia->p_LC - scene.attached[0].geometry[0].X_BG.p).norm(), 1e-12);
}

}  // namespace
}  // namespace allclear
