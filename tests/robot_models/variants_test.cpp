// Robot descriptions as they come: each variant differs in one way from one that is fine. It loads
// with the warning that says what was assumed, or is refused with what to do about it. What a plan
// could claim wrongly is an assumption, which certificates list; the rest is a warning alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/robot_models/load_robot.h"
#include "support/data.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;

/// base -j1- l1 -j2- l2 -flange(fixed)- tool -grip- left, tool -grip2(mimic)- right.
constexpr char kUrdf[] = R"(<robot name="mini">
<link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
<link name="l1">
  <inertial><mass value="2"/><inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision name="c"><origin xyz="0 0 0.2"/><geometry><box size="0.1 0.1 0.3"/></geometry></collision>
  <visual><geometry><box size="0.1 0.1 0.3"/></geometry></visual>
</link>
<link name="l2"><collision><geometry><mesh filename="package://mini/rock.obj" scale="0.1 0.1 0.1"/></geometry></collision></link>
<link name="tool"/><link name="left"/><link name="right"/>
<joint name="j1" type="revolute"><parent link="base"/><child link="l1"/><axis xyz="0 0 1"/>
  <limit lower="-1.5" upper="2" effort="5" velocity="1"/></joint>
<joint name="j2" type="continuous"><origin xyz="0 0 0.5"/><parent link="l1"/><child link="l2"/><axis xyz="0 1 0"/>
  <limit effort="5" velocity="1"/></joint>
<joint name="flange" type="fixed"><origin xyz="0 0 0.2"/><parent link="l2"/><child link="tool"/></joint>
<joint name="grip" type="prismatic"><parent link="tool"/><child link="left"/><axis xyz="0 1 0"/>
  <limit lower="0" upper="0.04" effort="5" velocity="1"/></joint>
<joint name="grip2" type="prismatic"><parent link="tool"/><child link="right"/><axis xyz="0 -1 0"/>
  <limit lower="0" upper="0.04" effort="5" velocity="1"/><mimic joint="grip"/></joint>
</robot>)";

constexpr char kSrdf[] = R"(<robot name="mini">
<virtual_joint name="foot" type="fixed" parent_frame="world" child_link="base"/>
<group name="arm"><chain base_link="base" tip_link="tool"/></group>
<group name="hand"><joint name="grip"/><passive_joint name="grip2"/></group>
<group_state name="home" group="arm"><joint name="j1" value="0.5"/><joint name="j2" value="0.25"/></group_state>
<end_effector name="hand" parent_link="tool" group="hand"/>
<disable_collisions link1="base" link2="l1" reason="Adjacent"/>
</robot>)";

constexpr char kRock[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

enum Outcome {
  kSilent,   ///< loads without a word more than before
  kWarned,   ///< loads with the warning
  kAssumed,  ///< loads with the warning, which is an assumption
  kRefused,  ///< an error that says this
};

/// Texts of a robot's files, and how they are read.
struct Description {
  std::string urdf;
  std::string srdf;
  PackageMap packages;
  BaseJoint base = BaseJoint::kFixed;
  bool load_visuals = false;
  bool load_collision = true;
};

using Check = std::function<void(const RobotModel&)>;

struct Variant {
  const char* name;
  bool in_srdf;
  std::string old;
  std::string now;
  Outcome outcome;
  std::string says;
  Check check = {};
  BaseJoint base = BaseJoint::kFixed;
};

RobotModel load(const Description& description, const test::TemporaryFolder& folder) {
  RobotSource source;
  source.urdf = folder.write("robot.urdf", description.urdf);
  if (!description.srdf.empty()) source.srdf = folder.write("robot.srdf", description.srdf);
  source.package_map = description.packages;
  source.base = description.base;
  source.load_visuals = description.load_visuals;
  source.load_collision = description.load_collision;
  return loadRobot(source);
}

bool contains(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += "\n  " + text;
  return out;
}

void expectOutcome(const Variant& variant, const RobotModel& before, const RobotModel& robot,
                   const fs::path& folder) {
  if (variant.outcome == kSilent) {
    EXPECT_EQ(robot.warnings().size(), before.warnings().size()) << joined(robot.warnings());
    return;
  }
  EXPECT_FALSE(contains(before.warnings(), variant.says)) << "said without the change";
  EXPECT_TRUE(contains(robot.warnings(), variant.says)) << joined(robot.warnings());
  EXPECT_EQ(contains(robot.assumptions(), variant.says), variant.outcome == kAssumed)
      << joined(robot.assumptions());
  // Certificates hold them, so they must not depend on where the files are.
  EXPECT_FALSE(contains(robot.assumptions(), folder.string()));
}

/// Loads the description, then with the change of the variant.
void expectVariant(const Variant& variant, Description description) {
  SCOPED_TRACE(variant.name);
  const test::TemporaryFolder folder;
  folder.write("rock.obj", kRock);
  if (description.packages.empty()) description.packages = {{"mini", folder.path()}};
  description.base = variant.base;
  const RobotModel before = load(description, folder);
  std::string& text = variant.in_srdf ? description.srdf : description.urdf;
  const std::size_t at = text.find(variant.old);
  ASSERT_NE(at, std::string::npos) << "not in the file: " << variant.old;
  text.replace(at, variant.old.size(), variant.now);
  try {
    const RobotModel robot = load(description, folder);
    EXPECT_NE(variant.outcome, kRefused) << "loads";
    expectOutcome(variant, before, robot, folder.path());
    if (variant.check) variant.check(robot);
  } catch (const InputError& error) {
    EXPECT_EQ(variant.outcome, kRefused) << error.what();
    EXPECT_NE(std::string(error.what()).find(variant.says), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

Check dimensionIs(int dimension) {
  return [=](const RobotModel& robot) { EXPECT_EQ(robot.dimension(), dimension); };
}

/// The values of the first state, by coordinate.
Check firstStateIs(const std::string& group, const std::map<std::string, double>& values) {
  return [=](const RobotModel& robot) {
    ASSERT_FALSE(robot.groupStates().empty());
    const GroupState& state = robot.groupStates().front();
    EXPECT_EQ(state.group, group);
    EXPECT_EQ(state.values.size(), values.size());
    for (const auto& [name, value] : values) {
      const int c = robot.findCoordinate(name);
      const auto at = std::find_if(state.values.begin(), state.values.end(),
                                   [&](const auto& item) { return item.first == c; });
      ASSERT_NE(at, state.values.end()) << name;
      EXPECT_NEAR(at->second, value, 1e-9) << name;
    }
  };
}

Check groupHas(const char* group, std::size_t coordinates) {
  return [=](const RobotModel& robot) {
    ASSERT_TRUE(robot.findGroup(group));
    EXPECT_EQ(robot.findGroup(group)->coordinates.size(), coordinates);
  };
}

/// Nothing became exempt: the one pair of the file, or none.
Check disabledPairsAre(std::size_t count) {
  return [=](const RobotModel& robot) { EXPECT_EQ(robot.disabledPairs().size(), count); };
}

Check faultIs(const char* link, const char* part) {
  return [=](const RobotModel& robot) {
    const Link& found = robot.links()[robot.findLink(link)];
    EXPECT_NE(found.inertia_fault.find(part), std::string::npos) << found.inertia_fault;
    EXPECT_EQ(found.inertia.mass, 0.0);
  };
}

const char kState[] = "<group_state name=\"home\" group=\"arm\">";
const char kPair[] = "<disable_collisions link1=\"base\" link2=\"l1\" reason=\"Adjacent\"/>";
const char kFoot[] = "name=\"foot\" type=\"fixed\"";
const std::string kEnd = "</robot>";

const std::vector<Variant>& srdfVariants() {
  static const std::vector<Variant> variants = {
      {"state without a group", true, " group=\"arm\">", ">", kAssumed,
       "group_state 'home': names no group; taken as a state of the joints that it names",
       firstStateIs("", {{"j1", 0.5}, {"j2", 0.25}})},
      {"state of an unknown group", true, "group=\"arm\">", "group=\"amr\">", kAssumed,
       "there is no group 'amr' (did you mean 'arm'?); taken as",
       firstStateIs("", {{"j1", 0.5}, {"j2", 0.25}})},
      {"state with an unknown joint", true, "<joint name=\"j2\" value", "<joint name=\"j3\" value",
       kAssumed, "'j3': no such joint (did you mean 'j1'?); its value is left out",
       firstStateIs("arm", {{"j1", 0.5}})},
      {"state with a word for a number", true, "value=\"0.25\"", "value=\"straight\"", kAssumed,
       "'straight': attribute 'value' is not a number; the state is left out",
       [](const RobotModel& robot) { EXPECT_TRUE(robot.groupStates().empty()); }},
      {"state with two values of one joint", true, "<joint name=\"j2\" value=\"0.25\"",
       "<joint name=\"j1\" value=\"0.25\"", kAssumed, "has two values; the state is left out"},
      {"state given twice", true, kEnd,
       std::string(kState) + "<joint name=\"j1\" value=\"1\"/></group_state></robot>", kAssumed,
       "a second state of that name for group 'arm'; the last one counts",
       firstStateIs("arm", {{"j1", 1.0}})},
      {"state of a fixed virtual joint", true, kState,
       std::string(kState) + "<joint name=\"foot\" value=\"0\"/>", kSilent, ""},
      {"virtual joint that moves", true, kFoot, "name=\"foot\" type=\"floating\"", kAssumed,
       "virtual_joint 'foot' lets the base move; the base is fixed unless 'base: srdf'",
       dimensionIs(3)},
      {"virtual joint that moves, and may", true, kFoot, "name=\"foot\" type=\"floating\"", kSilent,
       "", dimensionIs(9), BaseJoint::kFromSrdf},
      {"virtual joint of an unknown type", true, kFoot, "name=\"foot\" type=\"flying\"", kAssumed,
       "unknown type 'flying', taken as fixed", dimensionIs(3), BaseJoint::kFromSrdf},
      {"virtual joint on another link", true, "child_link=\"base\"", "child_link=\"tool\"",
       kAssumed, "child_link must be the root link 'base'; the virtual joint is left out",
       dimensionIs(3)},
      {"virtual joint without a frame", true, " parent_frame=\"world\"", "", kAssumed,
       "has no attribute 'parent_frame'; the virtual joint is left out"},
      {"two virtual joints", true, kEnd,
       "<virtual_joint name=\"g\" type=\"planar\" parent_frame=\"w\" child_link=\"base\"/></robot>",
       kAssumed, "a second <virtual_joint> is left out", dimensionIs(3), BaseJoint::kFromSrdf},
      {"passive joint that is not there", true, kEnd, "<passive_joint name=\"j9\"/></robot>",
       kAssumed, "'j9': no such joint (did you mean 'j1'?); the element is left out"},
      {"passive joint without a name", true, kEnd, "<passive_joint/></robot>", kAssumed,
       "has no attribute 'name'; the element is left out"},
      {"passive virtual joint", true, kEnd, "<passive_joint name=\"foot\"/></robot>", kSilent, ""},
      {"pair with a link that is not there", true, kEnd,
       "<disable_collisions link1=\"base\" link2=\"wheel\"/><disable_collisions link1=\"lamp\" "
       "link2=\"wheel\"/></robot>",
       kAssumed, "2 <disable_collisions> name no link of the URDF ('lamp', 'wheel')",
       disabledPairsAre(1)},
      {"pairs with unknown links alone", true, kPair,
       "<disable_collisions link1=\"base\" link2=\"l7\"/>", kAssumed,
       "1 <disable_collisions> names no link of the URDF ('l7'): it changes no pair",
       [](const RobotModel& robot) {
         for (const DisabledPair& pair : robot.disabledPairs()) EXPECT_FALSE(pair.from_srdf);
       }},
      {"pair without its second link", true, kEnd, "<disable_collisions link1=\"base\"/></robot>",
       kAssumed, "1 <disable_collisions> names no link of the URDF ('(no link2)')",
       disabledPairsAre(1)},
      {"pair of a link with itself", true, kEnd,
       "<disable_collisions link1=\"base\" link2=\"base\"/></robot>", kWarned,
       "'base' with itself says nothing", disabledPairsAre(1)},
      {"pair given twice", true, kEnd, std::string(kPair) + kEnd, kSilent, "", disabledPairsAre(1)},
      {"default of an unknown link", true, kEnd,
       "<disable_default_collisions link=\"wheel\"/></robot>", kAssumed,
       "1 <disable_default_collisions> names no link of the URDF ('wheel')", disabledPairsAre(1)},
      {"unknown link enabled again", true, kEnd,
       "<disable_default_collisions link=\"l2\"/><enable_collisions link1=\"l2\" "
       "link2=\"bsae\"/></robot>",
       kRefused, "'bsae': no such link (did you mean 'base'?)"},
      {"unknown link enabled for nothing", true, kEnd,
       "<enable_collisions link1=\"l2\" link2=\"wheel\"/></robot>", kAssumed,
       "1 <enable_collisions> names no link of the URDF ('wheel')", disabledPairsAre(1)},
      {"group with an unknown joint", true, "<joint name=\"grip\"/>",
       "<joint name=\"grip\"/><joint name=\"gripp\"/>", kAssumed,
       "group 'hand': joint: 'gripp': no such joint (did you mean 'grip'?); left out of the group",
       groupHas("hand", 1)},
      {"group with an unknown link", true, "<joint name=\"grip\"/>",
       "<joint name=\"grip\"/><link name=\"thumb\"/>", kAssumed,
       "group 'hand': link: 'thumb': no such link; left out of the group", groupHas("hand", 1)},
      {"group with a chain to nowhere", true, "tip_link=\"tool\"", "tip_link=\"tip\"", kAssumed,
       "group 'arm': chain: 'tip': no such link; left out of the group", groupHas("arm", 0)},
      {"group with an unknown subgroup", true, "<joint name=\"grip\"/>",
       "<joint name=\"grip\"/><group name=\"fingers\"/>", kAssumed,
       "group 'hand': 'fingers': no such group; left out of the group", groupHas("hand", 1)},
      {"group with a fixed virtual joint", true, "<joint name=\"grip\"/>",
       "<joint name=\"grip\"/><joint name=\"foot\"/>", kSilent, "", groupHas("hand", 1)},
      {"groups within each other", true, "<joint name=\"grip\"/>",
       "<joint name=\"grip\"/><group name=\"loop\"/></group><group name=\"loop\"><joint "
       "name=\"j1\"/>"
       "<group name=\"hand\"/>",
       kAssumed, "group 'hand': is within itself, which adds nothing", groupHas("hand", 2)},
      {"group given twice", true, kEnd, "<group name=\"arm\"><joint name=\"j1\"/></group></robot>",
       kAssumed, "group 'arm': a second group of that name is left out", groupHas("arm", 2)},
      {"end effector on nothing", true, "parent_link=\"tool\"", "parent_link=\"tol\"", kWarned,
       "its parent_link is no link of the URDF"},
      {"SRDF of another robot", true, "<robot name=\"mini\">", "<robot name=\"maxi\">", kAssumed,
       "is for the robot 'maxi', not for 'mini'"},
  };
  return variants;
}

TEST(Variants, OfAnSrdfLoadWithANote) {
  for (const Variant& variant : srdfVariants()) expectVariant(variant, {kUrdf, kSrdf});
}

std::string floatingState(const std::string& value) {
  return std::string("<group_state name=\"up\"><joint name=\"foot\" value=\"") + value +
         "\"/></group_state>" + kState;
}

TEST(Variants, OfAFloatingBaseTakeSevenValues) {
  std::string srdf = kSrdf;
  srdf.replace(srdf.find(kFoot), sizeof(kFoot) - 1, "name=\"foot\" type=\"floating\"");
  const double half = std::sqrt(0.5);
  const Check is_turned = firstStateIs("", {{"foot/x", 1.0},
                                            {"foot/y", 2.0},
                                            {"foot/z", 3.0},
                                            {"foot/roll", 0.0},
                                            {"foot/pitch", 0.0},
                                            {"foot/yaw", std::asin(1.0)}});
  const std::string turned = "1 2 3 0 0 " + std::to_string(half) + " " + std::to_string(half);
  const std::vector<Variant> variants = {
      {"seven values", true, kState, floatingState(turned), kAssumed, "names no group", is_turned,
       BaseJoint::kFromSrdf},
      {"six values", true, kState, floatingState("1 2 3 0 0 1.5707963267948966"), kAssumed,
       "names no group", is_turned, BaseJoint::kFromSrdf},
      {"a longer quaternion", true, kState, floatingState("1 2 3 0 0 2 2"), kAssumed,
       "quaternion of joint 'foot' is scaled to length 1", is_turned, BaseJoint::kFromSrdf},
      {"a quaternion of zeros",
       true,
       kState,
       floatingState("0 0 0 0 0 0 0"),
       kAssumed,
       "quaternion of joint 'foot' is zero, taken as no rotation",
       {},
       BaseJoint::kFromSrdf},
      {"five values",
       true,
       kState,
       floatingState("0 0 0 0 0"),
       kAssumed,
       "has 6 coordinates (or 7: x y z qx qy qz qw), not 5; the state is left out",
       {},
       BaseJoint::kFromSrdf},
      {"seven values of a base that is fixed", true, kState, floatingState(turned), kAssumed,
       "'foot': is the virtual joint, which does not move here"},
      {"a group with a base that is fixed", true, "<joint name=\"grip\"/>",
       "<joint name=\"grip\"/><joint name=\"foot\"/>", kAssumed,
       "group 'hand': joint: 'foot': is the virtual joint, which does not move here",
       groupHas("hand", 1)},
      {"a group with a base that moves", true, "<joint name=\"grip\"/>",
       "<joint name=\"grip\"/><joint name=\"foot\"/>", kSilent, "", groupHas("hand", 7),
       BaseJoint::kFromSrdf},
  };
  for (const Variant& variant : variants) expectVariant(variant, {kUrdf, srdf});
}

const char kMass[] = "<mass value=\"2\"/>";
const char kInertia[] = "<inertia ixx=\"0.02\" iyy=\"0.02\"";
const char kVisual[] = "<visual><geometry><box size=\"0.1 0.1 0.3\"/></geometry></visual>";
const char kLimit[] = "<limit lower=\"-1.5\" upper=\"2\" effort=\"5\" velocity=\"1\"/>";
const char kMesh[] = "package://mini/rock.obj";
const char kMimic[] = "<mimic joint=\"grip\"/>";
const char kBox[] = "<box size=\"0.1 0.1 0.3\"/></geometry></collision>";

Check velocityIs(double value) {
  return [=](const RobotModel& robot) { EXPECT_EQ(robot.coordinates()[0].velocity, value); };
}

Check shapesAre(const char* link, std::size_t count) {
  return [=](const RobotModel& robot) {
    EXPECT_EQ(robot.links()[robot.findLink(link)].collision.size(), count);
  };
}

const std::vector<Variant>& urdfVariants() {
  static const std::vector<Variant> variants = {
      {"mass of zero", false, kMass, "<mass value=\"0\"/>", kAssumed,
       "mass of a link with collision geometry is zero; mass and inertia count as unknown",
       faultIs("l1", "is zero")},
      {"negative mass", false, kMass, "<mass value=\"-2\"/>", kAssumed,
       "mass must not be negative; mass and inertia count as unknown", faultIs("l1", "negative")},
      {"inertia of no body", false, kInertia, "<inertia ixx=\"-0.02\" iyy=\"0.02\"", kAssumed,
       "a principal moment of inertia is negative; mass and inertia count as unknown",
       faultIs("l1", "negative")},
      {"inertia that is not a number", false, kInertia, "<inertia ixx=\"nan\" iyy=\"0.02\"",
       kAssumed, "must be a finite number; mass and inertia count as unknown",
       faultIs("l1", "finite")},
      {"inertial without inertia", false,
       "<inertia ixx=\"0.02\" iyy=\"0.02\" izz=\"0.01\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>", "",
       kAssumed, "has no <inertia>; mass and inertia count as unknown",
       faultIs("l1", "no <inertia>")},
      {"two inertials", false, "<collision name=\"c\">",
       "<inertial><mass value=\"-1\"/></inertial><collision name=\"c\">", kAssumed,
       "link 'l1': a second <inertial>; the first one counts",
       [](const RobotModel& robot) { EXPECT_EQ(robot.links()[1].inertia.mass, 2.0); }},
      {"collisions of one name", false, kBox,
       std::string(kBox) +
           "<collision name=\"c\"><geometry><sphere radius=\"0.1\"/></geometry></collision>",
       kSilent, "", shapesAre("l1", 2)},
      {"visual without a shape", false, kVisual, "<visual><geometry/></visual>", kWarned,
       "visual left out:"},
      {"visual mesh that is missing", false, kVisual,
       "<visual><geometry><mesh filename=\"package://mini/none.dae\"/></geometry></visual>",
       kWarned, "visual left out:"},
      {"collision without a shape", false, "<geometry>" + std::string(kBox),
       "<geometry/></collision>", kRefused, "give the shape, or take this <collision> out"},
      {"collision mesh that is missing", false, kMesh, "package://other/rock.obj", kRefused,
       "give the folder of that package: 'package_map: {other: FOLDER}'"},
      {"collision mesh of a web page", false, kMesh, "https://mini/rock.obj", kRefused,
       "only package://, model://, file:// and plain paths"},
      {"mesh of a Gazebo model", false, kMesh, "model://mini/rock.obj", kSilent, ""},
      {"mesh of a file URI", false, kMesh, "file://rock.obj", kSilent, ""},
      {"mesh beside the URDF", false, kMesh, "rock.obj", kSilent, ""},
      {"mesh that is mirrored", false, "0.1 0.1 0.1", "0.1 -0.1 0.1", kSilent, "",
       shapesAre("l2", 1)},
      {"velocity of zero", false, kLimit,
       "<limit lower=\"-1.5\" upper=\"2\" effort=\"5\" velocity=\"0\"/>", kAssumed,
       "the velocity limit is zero, taken for none given, of the joints 'j1'",
       velocityIs(std::numeric_limits<double>::infinity())},
      {"velocity with a sign", false, kLimit,
       "<limit lower=\"-1.5\" upper=\"2\" effort=\"5\" velocity=\"-3\"/>", kAssumed,
       "attribute 'velocity' is taken without its sign", velocityIs(3.0)},
      {"effort of zero", false, kLimit,
       "<limit lower=\"-1.5\" upper=\"2\" effort=\"0\" velocity=\"1\"/>", kWarned,
       "the effort limit is zero, so torque limits cannot be kept, of the joints 'j1'"},
      {"no limit", false, kLimit, "", kRefused,
       "a revolute joint needs a <limit> with lower, upper, effort and velocity"},
      {"limits the wrong way round", false, kLimit,
       "<limit lower=\"2\" upper=\"-1.5\" effort=\"5\" velocity=\"1\"/>", kRefused,
       "lower limit is above the upper limit: swap them"},
      {"two limits", false, kLimit,
       std::string(kLimit) + "<limit lower=\"0\" upper=\"1\" effort=\"1\" velocity=\"9\"/>",
       kAssumed, "joint 'j1': a second <limit>; the first one counts", velocityIs(1.0)},
      {"axis that is long", false, "<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 2\"/>", kAssumed,
       "axis is scaled to length 1"},
      {"axis of zero", false, "<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 0\"/>", kRefused,
       "axis must not be zero: give its direction, or make the joint fixed"},
      {"joints of one name", false, "joint name=\"j2\"", "joint name=\"j1\"", kRefused,
       "a second joint of that name: rename one of them"},
      {"links of one name", false, "<link name=\"left\"/>", "<link name=\"l1\"/>", kRefused,
       "a second link of that name: rename one of them"},
      {"elements of Gazebo and ROS", false, kEnd,
       "<transmission name=\"t\"><type>x</type></transmission><gazebo "
       "reference=\"l1\"/><ros2_control "
       "name=\"c\" type=\"system\"/></robot>",
       kSilent, ""},
      {"element that nobody knows", false, kEnd, "<kinematics/></robot>", kWarned,
       "<kinematics> is not read"},
      {"planar joint inside of the tree", false, "name=\"j2\" type=\"continuous\"",
       "name=\"j2\" type=\"planar\"", kAssumed, "limits of a planar joint are not used",
       dimensionIs(5)},
      {"floating joint inside of the tree", false, "name=\"j2\" type=\"continuous\"",
       "name=\"j2\" type=\"floating\"", kAssumed, "limits of a floating joint are not used",
       dimensionIs(8)},
      {"mimic of a mimic", false, "<link name=\"right\"/>",
       "<link name=\"right\"/><link name=\"third\"/><joint name=\"grip3\" "
       "type=\"prismatic\"><parent "
       "link=\"tool\"/><child link=\"third\"/><limit lower=\"0\" upper=\"0.1\" effort=\"1\" "
       "velocity=\"1\"/><mimic joint=\"grip2\" multiplier=\"2\"/></joint>",
       kSilent, "",
       [](const RobotModel& robot) {
         const Joint& joint = robot.joints()[robot.findJoint("grip3")];
         EXPECT_EQ(joint.mimic->coordinate, robot.findCoordinate("grip"));
         EXPECT_EQ(joint.mimic->multiplier, 2.0);
       }},
      {"mimic of a fixed joint", false, kMimic, "<mimic joint=\"flange\" offset=\"0.01\"/>",
       kAssumed, "repeats the fixed joint 'flange' and is fixed", dimensionIs(3)},
      {"mimic of nothing", false, kMimic, "<mimic joint=\"grab\"/>", kAssumed,
       "'grab': no such joint; it moves on its own", dimensionIs(4)},
      {"mimic of itself", false, kMimic, "<mimic joint=\"grip2\"/>", kRefused,
       "the mimics form a loop: take the <mimic> of one of them out"},
      {"mimic beyond its limits", false, kMimic, "<mimic joint=\"grip\" multiplier=\"3\"/>",
       kAssumed, "takes it beyond its own limits, which are not kept"},
  };
  return variants;
}

TEST(Variants, OfAUrdfLoadWithANoteOrAreRefusedWithTheFix) {
  for (const Variant& variant : urdfVariants()) {
    Description description{kUrdf, kSrdf};
    description.load_visuals = true;
    expectVariant(variant, description);
  }
}

struct SharedVariant {
  std::string package;
  const char* urdf;
  const char* srdf;  ///< empty: none
  Variant variant;
};

const std::vector<SharedVariant>& sharedVariants() {
  const auto panda = [](Variant v) {
    return SharedVariant{"panda_description", "urdf/panda.urdf", "srdf/panda.srdf", std::move(v)};
  };
  const auto ur5 = [](Variant v) {
    return SharedVariant{"ur5_description", "urdf/ur5_robotiq85.urdf", "srdf/ur5_robotiq85.srdf",
                         std::move(v)};
  };
  const auto fetch = [](Variant v) {
    return SharedVariant{"fetch_description", "urdf/fetch.urdf", "srdf/fetch.srdf", std::move(v)};
  };
  const auto jvrc = [](Variant v) {
    return SharedVariant{"jvrc_description", "urdf/jvrc1.urdf", "", std::move(v)};
  };
  static const std::vector<SharedVariant> variants = {
      panda({"state without a group", true, "<group_state group=\"panda_arm\" name=\"ready\">",
             "<group_state name=\"ready\">", kAssumed, "group_state 'ready': names no group"}),
      panda({"group with its virtual joint", true, "<group name=\"panda_arm\">",
             "<group name=\"panda_arm\"><joint name=\"virtual_joint\"/>", kAssumed,
             "'virtual_joint': is the virtual joint, which does not move here",
             groupHas("panda_arm", 7)}),
      panda({"group with its virtual joint, and base: srdf", true, "<group name=\"panda_arm\">",
             "<group name=\"panda_arm\"><joint name=\"virtual_joint\"/>", kSilent, "",
             groupHas("panda_arm", 13), BaseJoint::kFromSrdf}),
      panda(
          {"state of its virtual joint with seven values", true,
           "<group_state group=\"panda_arm\" name=\"ready\">",
           "<group_state name=\"ready\"><joint name=\"virtual_joint\" value=\"0 0 0.5 0 0 0 1\"/>",
           kAssumed, "names no group",
           [](const RobotModel& robot) {
             const GroupState& state = robot.groupStates().front();
             EXPECT_EQ(state.values.size(), 13u);
             EXPECT_EQ(state.values[2].second, 0.5);
           },
           BaseJoint::kFromSrdf}),
      panda({"pairs of a camera that is not mounted", true, kEnd,
             "<disable_collisions link1=\"camera\" link2=\"panda_hand\"/></robot>", kAssumed,
             "1 <disable_collisions> names no link of the URDF ('camera')", disabledPairsAre(34)}),
      panda({"passive joint without its arm's name", true, "name=\"panda_finger_joint2\"/>",
             "name=\"finger_joint2\"/>", kAssumed, "(did you mean 'panda_finger_joint2'?)"}),
      panda({"finger that mimics the arm", false, "<mimic joint=\"panda_finger_joint1\"",
             "<mimic joint=\"panda_joint1\"", kAssumed, "takes it beyond its own limits"}),
      panda({"inertial of a link without a number", false, "<link name=\"panda_link1\">",
             "<link name=\"panda_link1\"><inertial><mass value=\"\"/></inertial>", kAssumed,
             "attribute 'value' is empty; mass and inertia count as unknown"}),
      panda({"velocity of zero", false, "velocity=\"2.3925\"", "velocity=\"0\"", kAssumed,
             "taken for none given, of the joints 'panda_joint1'"}),
      ur5({"mimic of a mimic", false, "<mimic joint=\"robotiq_85_left_knuckle_joint\"",
           "<mimic joint=\"robotiq_85_left_inner_knuckle_joint\"", kSilent, "", dimensionIs(7)}),
      ur5({"passive joint of another gripper", true, kEnd,
           "<passive_joint name=\"finger_1\"/></robot>", kAssumed, "'finger_1': no such joint"}),
      ur5({"mass of zero", false, "<mass value=\"4.0\" />", "<mass value=\"0\" />", kAssumed,
           "mass of a link with collision geometry is zero", faultIs("base_link", "zero")}),
      ur5({"limits the wrong way round", false, "lower=\"-3.14159265\" upper=\"3.14159265\"",
           "lower=\"3.14159265\" upper=\"-3.14159265\"", kRefused, "swap them"}),
      ur5({"missing collision mesh", false,
           "package://ur5_description/meshes/ur5/collision/base.stl",
           "package://ur_description/meshes/ur5/collision/base.stl", kRefused,
           "'package_map: {ur_description: FOLDER}'"}),
      fetch({"wheel that is a planar joint", false, "type=\"continuous\"", "type=\"planar\"",
             kAssumed, "limits of a planar joint are not used", dimensionIs(17)}),
      fetch({"group of another arm", true, "<group name=\"arm\">",
             "<group name=\"arm\"><link name=\"left_arm_link\"/>", kAssumed,
             "'left_arm_link': no such link"}),
      fetch({"group state of the base", true, kEnd,
             "<group_state name=\"stow\" group=\"whole\"><joint name=\"torso_lift_joint\" "
             "value=\"0.1\"/></group_state></robot>",
             kAssumed, "there is no group 'whole'"}),
      fetch({"inertia that no body has", false, "ixx=\"1.225\"", "ixx=\"-1.225\"", kAssumed,
             "a principal moment of inertia is negative", faultIs("base_link", "negative")}),
      jvrc({"floating joint inside of the tree", false, "type=\"revolute\"", "type=\"floating\"",
            kAssumed, "limits of a floating joint are not used", dimensionIs(39)}),
      jvrc({"mass of zero", false, "<mass value=\"3.0\" />", "<mass value=\"0\" />", kAssumed,
            "mass of a link with collision geometry is zero", faultIs("R_HIP_Y_S", "zero")}),
  };
  return variants;
}

TEST(Variants, OfTheSharedRobotsLoadWithANoteOrAreRefusedWithTheFix) {
  for (const SharedVariant& shared : sharedVariants()) {
    const fs::path package = test::dataFolder() / "robots" / shared.package;
    ALLCLEAR_REQUIRE_DATA(fs::path("robots") / shared.package);
    SCOPED_TRACE(shared.package);
    Description description{readFile(package / shared.urdf),
                            *shared.srdf ? readFile(package / shared.srdf) : ""};
    description.packages = {{shared.package, package}};
    description.load_collision = shared.variant.outcome == kRefused || *shared.srdf;
    expectVariant(shared.variant, description);
  }
}

TEST(Variants, AreManyAndDifferent) {
  std::set<std::string> changes;
  for (const auto* list : {&srdfVariants(), &urdfVariants()}) {
    for (const Variant& variant : *list) changes.insert(variant.now + variant.name);
  }
  for (const SharedVariant& shared : sharedVariants()) {
    changes.insert(shared.package + shared.variant.now + shared.variant.name);
  }
  EXPECT_GE(changes.size(), 80u);
}

}  // namespace
}  // namespace allclear
