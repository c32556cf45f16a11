#include "allclear/robot_models/load_robot.h"

#include <gtest/gtest.h>

#include <clocale>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>

#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/robot_models/files/xml_element.h"
#include "allclear/robot_models/kinematics.h"
#include "support/data.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct SharedRobot {
  const char* package;
  const char* urdf;
  const char* srdf;  ///< empty: none
  int coordinates;
  int mimics;
  int disabled_pairs;
};

constexpr SharedRobot kRobots[] = {
    {"panda_description", "urdf/panda.urdf", "srdf/panda.srdf", 8, 1, 34},
    {"ur5_description", "urdf/ur5_robotiq85.urdf", "srdf/ur5_robotiq85.srdf", 7, 5, 90},
    {"fetch_description", "urdf/fetch.urdf", "srdf/fetch.srdf", 15, 0, 134},
    {"jvrc_description", "urdf/jvrc1.urdf", "", 34, 10, -1},
};

void PrintTo(const SharedRobot& robot, std::ostream* out) { *out << robot.package; }

class SharedRobotTest : public testing::TestWithParam<SharedRobot> {
 protected:
  fs::path package() const { return test::dataFolder() / "robots" / GetParam().package; }
  fs::path urdf() const { return package() / GetParam().urdf; }
  fs::path srdf() const { return *GetParam().srdf ? package() / GetParam().srdf : fs::path(); }
  RobotSource source() const {
    RobotSource source;
    source.urdf = urdf();
    source.srdf = srdf();
    return source;
  }
  RobotSource bareSource() const {
    RobotSource source;
    source.urdf = urdf();
    source.load_collision = false;
    return source;
  }
};

INSTANTIATE_TEST_SUITE_P(All, SharedRobotTest, testing::ValuesIn(kRobots));

TEST_P(SharedRobotTest, HasItsCoordinatesAndMimics) {
  ALLCLEAR_REQUIRE_DATA(fs::path("robots") / GetParam().package);
  const RobotModel robot = loadRobot(bareSource());
  EXPECT_EQ(robot.dimension(), GetParam().coordinates);
  int mimics = 0;
  for (const Joint& joint : robot.joints()) mimics += joint.mimic.has_value();
  EXPECT_EQ(mimics, GetParam().mimics);
}

double attribute(const XmlElement* element, const char* key, double otherwise) {
  return element && element->attribute(key) ? std::stod(*element->attribute(key)) : otherwise;
}

// The XML is read here by another parser than urdfdom's.
TEST_P(SharedRobotTest, HasTheJointsAndLimitsOfTheFile) {
  ALLCLEAR_REQUIRE_DATA(fs::path("robots") / GetParam().package);
  const RobotModel robot = loadRobot(bareSource());
  const XmlElement root = parseXml(readFile(urdf()), "urdf");
  std::size_t joints = 0;
  for (const XmlElement& element : root.children) {
    if (element.name != "joint") continue;
    ++joints;
    const int index = robot.findJoint(*element.attribute("name"));
    ASSERT_GE(index, 0) << *element.attribute("name");
    const Joint& joint = robot.joints()[index];
    EXPECT_EQ(jointTypeName(joint.type), *element.attribute("type"));
    EXPECT_EQ(robot.links()[joint.parent_link].name, *element.child("parent")->attribute("link"));
    EXPECT_EQ(robot.links()[joint.child_link].name, *element.child("child")->attribute("link"));
    if (joint.first_coordinate < 0) continue;
    const Coordinate& c = robot.coordinates()[joint.first_coordinate];
    const XmlElement* limit = element.child("limit");
    const bool wraps = joint.type == JointType::kContinuous;
    EXPECT_EQ(c.lower, wraps ? -kInfinity : attribute(limit, "lower", 0.0)) << c.name;
    EXPECT_EQ(c.upper, wraps ? kInfinity : attribute(limit, "upper", 0.0)) << c.name;
    EXPECT_EQ(c.velocity, attribute(limit, "velocity", kInfinity)) << c.name;
    EXPECT_EQ(c.effort, attribute(limit, "effort", kInfinity)) << c.name;
    EXPECT_EQ(c.wraps, wraps);
  }
  EXPECT_EQ(robot.joints().size(), joints);
}

TEST_P(SharedRobotTest, HasEveryCollisionElementAndTheMassOfTheFile) {
  ALLCLEAR_REQUIRE_DATA(fs::path("robots") / GetParam().package);
  const RobotModel robot = loadRobot(source());
  const XmlElement root = parseXml(readFile(urdf()), "urdf");
  double mass = 0.0;
  for (const XmlElement& element : root.children) {
    if (element.name != "link") continue;
    std::size_t shapes = 0;
    for (const XmlElement& part : element.children) shapes += part.name == "collision";
    const int link = robot.findLink(*element.attribute("name"));
    ASSERT_GE(link, 0);
    EXPECT_EQ(robot.links()[link].collision.size(), shapes) << robot.links()[link].name;
    const XmlElement* inertial = element.child("inertial");
    if (inertial) mass += attribute(inertial->child("mass"), "value", 0.0);
  }
  EXPECT_NEAR(robot.totalMass(), mass, 1e-12 * (1.0 + mass));
}

Pose poseOf(const json& value) {
  const json& p = value.at("xyz");
  const json& q = value.at("quat_wxyz");
  const Eigen::Quaterniond rotation(q[0].get<double>(), q[1].get<double>(), q[2].get<double>(),
                                    q[3].get<double>());
  return {rotation.toRotationMatrix(),
          Vec3(p[0].get<double>(), p[1].get<double>(), p[2].get<double>())};
}

TEST_P(SharedRobotTest, HasTheLinkPosesOfTheOracle) {
  ALLCLEAR_REQUIRE_DATA(fs::path("robots") / GetParam().package);
  const RobotModel robot = loadRobot(bareSource());
  const Kinematics kinematics(robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  const json oracle = json::parse(std::ifstream(package() / "fk_oracle.json"));
  ASSERT_GE(oracle.at("cases").size(), 21u);
  for (const json& instance : oracle.at("cases")) {
    VecX q = VecX::Zero(robot.dimension());
    for (const auto& [name, value] : instance.at("q").items()) {
      const int coordinate = robot.findCoordinate(name);
      ASSERT_GE(coordinate, 0) << name;
      q[coordinate] = value;
    }
    kinematics.linkPoses(q, workspace, X_WL);
    for (const auto& [name, value] : instance.at("link_poses").items()) {
      const int link = robot.findLink(name);
      ASSERT_GE(link, 0) << name;
      const Pose expected = poseOf(value);
      EXPECT_LT((X_WL[link].p - expected.p).norm(), 1e-10) << name;
      EXPECT_LT((X_WL[link].R - expected.R).norm(), 1e-10) << name;
    }
  }
}

/// The two attributes of every disable_collisions element, by search in the plain text.
std::set<std::pair<std::string, std::string>> pairsInText(const std::string& text) {
  std::set<std::pair<std::string, std::string>> pairs;
  const auto value = [&](std::size_t from, const std::string& key) {
    const std::size_t begin = text.find(key + "=\"", from) + key.size() + 2;
    return text.substr(begin, text.find('"', begin) - begin);
  };
  for (std::size_t at = 0; (at = text.find("<disable_collisions", at)) != std::string::npos; ++at) {
    pairs.insert(std::minmax(value(at, "link1"), value(at, "link2")));
  }
  return pairs;
}

TEST_P(SharedRobotTest, LeavesOutExactlyThePairsOfTheSrdf) {
  ALLCLEAR_REQUIRE_DATA(fs::path("robots") / GetParam().package);
  if (srdf().empty()) GTEST_SKIP() << "this robot has no SRDF";
  RobotSource with_srdf = bareSource();
  with_srdf.srdf = srdf();
  const RobotModel robot = loadRobot(with_srdf);
  const auto expected = pairsInText(readFile(srdf()));
  EXPECT_EQ(static_cast<int>(expected.size()), GetParam().disabled_pairs);
  const int links = static_cast<int>(robot.links().size());
  int disabled = 0;
  for (int a = 0; a < links; ++a) {
    for (int b = a + 1; b < links; ++b) {
      const auto names = std::minmax(robot.links()[a].name, robot.links()[b].name);
      EXPECT_EQ(robot.isPairDisabled(a, b), expected.contains(names));
      EXPECT_EQ(robot.isPairDisabled(b, a), robot.isPairDisabled(a, b));
      disabled += robot.isPairDisabled(a, b);
    }
  }
  EXPECT_EQ(disabled, GetParam().disabled_pairs);
}

TEST_P(SharedRobotTest, IsTheSameWhenReadAgain) {
  ALLCLEAR_REQUIRE_DATA(fs::path("robots") / GetParam().package);
  const RobotModel one = loadRobot(source());
  const RobotModel two = loadRobot(source());
  EXPECT_EQ(one.sourceSha256(), two.sourceSha256());
  EXPECT_EQ(one.sourceSha256().size(), 64u);
  EXPECT_EQ(one.warnings(), two.warnings());
  EXPECT_EQ(one.collisionPairs(), two.collisionPairs());
  for (std::size_t l = 0; l < one.links().size(); ++l) {
    EXPECT_EQ(one.links()[l].name, two.links()[l].name);
  }
}

TEST(LoadRobot, ReadsTheVisualsAndSpheresOfTheSharedRobotsToo) {
  ALLCLEAR_REQUIRE_DATA("robots");
  for (const SharedRobot& shared : kRobots) {
    RobotSource source;
    source.urdf = test::dataFolder() / "robots" / shared.package / shared.urdf;
    source.load_collision = false;
    source.load_visuals = true;
    const RobotModel robot = loadRobot(source);
    std::size_t visuals = 0;
    for (const Link& link : robot.links()) visuals += link.visual.size();
    EXPECT_GE(visuals, 11u) << shared.package;
    for (const std::string& warning : robot.warnings()) {
      EXPECT_FALSE(warning.starts_with("visual left out")) << warning;
    }
  }
  for (const char* file : {"panda_description/urdf/panda_spherized.urdf",
                           "ur5_description/urdf/ur5_robotiq85_spherized.urdf",
                           "fetch_description/urdf/fetch_spherized.urdf"}) {
    RobotSource source;
    source.urdf = test::dataFolder() / "robots" / file;
    source.self_pairs.samples = 10;
    EXPECT_GT(loadRobot(source).collisionPairs().size(), 10u) << file;
  }
}

class SmallRobotTest : public testing::Test {
 protected:
  RobotSource write(const std::string& body, const std::string& srdf_body = "") {
    RobotSource source;
    source.urdf = folder_.write("robot.urdf", "<robot name=\"small\">" + body + "</robot>");
    if (!srdf_body.empty()) {
      source.srdf = folder_.write("robot.srdf", "<robot name=\"small\">" + srdf_body + "</robot>");
    }
    return source;
  }
  RobotModel load(const std::string& body, const std::string& srdf_body = "") {
    return loadRobot(write(body, srdf_body));
  }
  static std::string joint(const std::string& name, const std::string& type,
                           const std::string& parent, const std::string& child,
                           const std::string& more = "") {
    return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
           "\"/><child link=\"" + child + "\"/>" + more + "</joint>";
  }
  static std::string links(std::initializer_list<const char*> names) {
    std::string out;
    for (const char* name : names) out += "<link name=\"" + std::string(name) + "\"/>";
    return out;
  }
  static bool hasWarning(const RobotModel& robot, const std::string& part) {
    for (const std::string& warning : robot.warnings()) {
      if (warning.find(part) != std::string::npos) return true;
    }
    return false;
  }

  const std::string kLimit = "<limit lower=\"-1\" upper=\"2\" effort=\"3\" velocity=\"4\"/>";
  test::TemporaryFolder folder_;
};

TEST_F(SmallRobotTest, LinksAreInTreeOrderWithSiblingsAsInTheFile) {
  const RobotModel robot = load(links({"c", "b", "a", "d"}) + joint("3", "fixed", "b", "d") +
                                joint("1", "fixed", "a", "c") + joint("2", "fixed", "a", "b"));
  std::vector<std::string> names;
  for (const Link& link : robot.links()) names.push_back(link.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "c", "b", "d"}));
}

TEST_F(SmallRobotTest, FloatingAndPlanarJointsHaveSixAndThreeCoordinates) {
  const RobotModel robot = load(links({"a", "b", "c"}) + joint("free", "floating", "a", "b") +
                                joint("slide", "planar", "b", "c", "<axis xyz=\"0 2 0\"/>"));
  ASSERT_EQ(robot.dimension(), 9);
  EXPECT_EQ(robot.coordinates()[0].name, "free/x");
  EXPECT_EQ(robot.coordinates()[5].name, "free/yaw");
  EXPECT_EQ(robot.coordinates()[6].name, "slide/x");
  EXPECT_EQ(robot.coordinates()[8].name, "slide/angle");
  for (int i : {0, 1, 2, 6, 7}) EXPECT_FALSE(robot.coordinates()[i].is_angle) << i;
  for (int i : {3, 4, 5, 8}) EXPECT_TRUE(robot.coordinates()[i].wraps) << i;
  EXPECT_EQ(robot.joints()[1].axis, Vec3::UnitY());
  EXPECT_TRUE(hasWarning(robot, "axis is scaled"));
}

TEST_F(SmallRobotTest, TheBaseMovesWhenAskedOrWhenTheSrdfSaysSo) {
  const std::string virtual_joint =
      "<virtual_joint name=\"drive\" type=\"planar\" parent_frame=\"odom\" child_link=\"a\"/>";
  RobotSource source = write(links({"a"}), virtual_joint);
  const RobotModel fixed = loadRobot(source);
  EXPECT_EQ(fixed.dimension(), 0);
  EXPECT_TRUE(hasWarning(fixed, "lets the base move"));
  source.base = BaseJoint::kFromSrdf;
  const RobotModel planar = loadRobot(source);
  EXPECT_EQ(planar.dimension(), 3);
  EXPECT_EQ(planar.links()[0].name, "odom");
  EXPECT_EQ(planar.joints()[0].name, "drive");
  source.base = BaseJoint::kFloating;
  EXPECT_EQ(loadRobot(source).dimension(), 6);
  source.srdf.clear();
  EXPECT_EQ(loadRobot(source).links()[0].name, "world");
}

TEST_F(SmallRobotTest, AWorldLinkOfItsOwnKeepsItsName) {
  RobotSource source = write(links({"world"}));
  source.base = BaseJoint::kFloating;
  const RobotModel robot = loadRobot(source);
  EXPECT_EQ(robot.links()[0].name, "world_");
  EXPECT_EQ(robot.links()[1].name, "world");
}

TEST_F(SmallRobotTest, ChainsOfMimicsEndAtOneCoordinate) {
  const RobotModel robot =
      load(links({"a", "b", "c", "d"}) +
           joint("third", "revolute", "a", "d",
                 kLimit + "<mimic joint=\"second\" multiplier=\"-3\" offset=\"0.5\"/>") +
           joint("second", "revolute", "a", "c",
                 kLimit + "<mimic joint=\"first\" multiplier=\"2\" offset=\"0.1\"/>") +
           joint("first", "revolute", "a", "b", kLimit));
  ASSERT_EQ(robot.dimension(), 1);
  const Joint& third = robot.joints()[robot.findJoint("third")];
  ASSERT_TRUE(third.mimic);
  EXPECT_EQ(third.mimic->coordinate, 0);
  EXPECT_DOUBLE_EQ(third.mimic->multiplier, -6.0);
  EXPECT_DOUBLE_EQ(third.mimic->offset, 0.5 - 3.0 * 0.1);
  EXPECT_TRUE(hasWarning(robot, "beyond its own limits"));
}

TEST_F(SmallRobotTest, AFixedJointWithAMimicTagIsFixed) {
  const RobotModel robot =
      load(links({"a", "b", "c"}) + joint("one", "fixed", "a", "b", "<mimic joint=\"nobody\"/>") +
           joint("two", "prismatic", "b", "c",
                 "<axis xyz=\"0 0 1\"/>" + kLimit + "<mimic joint=\"one\" offset=\"0.25\"/>"));
  EXPECT_EQ(robot.dimension(), 0);
  EXPECT_EQ(robot.joints()[0].type, JointType::kFixed);
  EXPECT_EQ(robot.joints()[1].type, JointType::kFixed);
  EXPECT_DOUBLE_EQ(robot.joints()[1].X_PJ.p.z(), 0.25);
  EXPECT_TRUE(hasWarning(robot, "repeats the fixed joint"));
}

TEST_F(SmallRobotTest, SoftLimitsNarrowTheLimitsOnlyWhenAsked) {
  RobotSource source = write(
      links({"a", "b", "c"}) +
      joint("rail", "prismatic", "a", "b",
            kLimit + "<safety_controller k_velocity=\"1\" soft_lower_limit=\"-0.5\" "
                     "soft_upper_limit=\"1.5\"/>") +
      joint("half", "prismatic", "b", "c", kLimit + "<safety_controller soft_upper_limit=\"7\"/>"));
  EXPECT_EQ(loadRobot(source).coordinates()[0].lower, -1.0);
  source.soft_limits = true;
  const RobotModel robot = loadRobot(source);
  EXPECT_EQ(robot.coordinates()[0].lower, -0.5);
  EXPECT_EQ(robot.coordinates()[0].upper, 1.5);
  EXPECT_EQ(robot.coordinates()[1].lower, -1.0);
  EXPECT_EQ(robot.coordinates()[1].upper, 2.0);
  EXPECT_FALSE(robot.coordinates()[0].is_angle);
}

TEST_F(SmallRobotTest, ContinuousJointsWrapWhateverTheirLimitSays) {
  const RobotModel robot = load(links({"a", "b"}) + joint("j", "continuous", "a", "b", kLimit));
  EXPECT_EQ(robot.coordinates()[0].lower, -kInfinity);
  EXPECT_EQ(robot.coordinates()[0].velocity, 4.0);
  EXPECT_TRUE(robot.coordinates()[0].wraps);
}

TEST_F(SmallRobotTest, InertiaIsTurnedIntoTheLinkFrame) {
  const RobotModel robot = load(
      "<link name=\"a\"><inertial><origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/>"
      "<mass value=\"2\"/><inertia ixx=\"1\" ixy=\"0.1\" ixz=\"0\" iyy=\"2\" iyz=\"0\" "
      "izz=\"2.5\"/></inertial></link>");
  const Inertia& inertia = robot.links()[0].inertia;
  EXPECT_EQ(inertia.p_LC, Vec3(1, 2, 3));
  Mat3 expected;
  expected << 2, -0.1, 0, -0.1, 1, 0, 0, 0, 2.5;
  EXPECT_LT((inertia.I_C - expected).norm(), 1e-12);
}

TEST_F(SmallRobotTest, AZeroMassFrameIsAWarningAndHasNoInertia) {
  const RobotModel robot = load(
      "<link name=\"a\"><inertial><mass value=\"0\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" "
      "iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>");
  EXPECT_TRUE(robot.links()[0].inertia.I_C.isZero());
  EXPECT_TRUE(hasWarning(robot, "mass is zero"));
}

TEST_F(SmallRobotTest, ALinkHoldsSeveralShapesAndOneCopyOfEachMesh) {
  folder_.write("t.obj",
                "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const auto collision = [](const std::string& shape, const std::string& origin = "") {
    return "<collision>" + origin + "<geometry>" + shape + "</geometry></collision>";
  };
  const RobotModel robot = load(
      "<link name=\"a\">" + collision("<box size=\"1 2 3\"/>", "<origin xyz=\"0 0 1\"/>") +
      collision("<cylinder radius=\"0.5\" length=\"2\"/>") + collision("<sphere radius=\".25\"/>") +
      collision("<mesh filename=\"t.obj\"/>") + collision("<mesh filename=\"t.obj\"/>") +
      collision("<mesh filename=\"./t.obj\" scale=\"-1 1 2\"/>") + "</link>");
  const auto& shapes = robot.links()[0].collision;
  ASSERT_EQ(shapes.size(), 6u);
  EXPECT_EQ(std::get<Box>(shapes[0].shape).size(), Vec3(1, 2, 3));
  EXPECT_EQ(shapes[0].X_BG.p, Vec3(0, 0, 1));
  EXPECT_EQ(std::get<Cylinder>(shapes[1].shape).length(), 2.0);
  EXPECT_EQ(std::get<Sphere>(shapes[2].shape).radius(), 0.25);
  const auto& one = std::get<TriangleMesh>(shapes[3].shape);
  EXPECT_EQ(&one.vertices(), &std::get<TriangleMesh>(shapes[4].shape).vertices());
  double lowest = 0.0;
  for (const Vec3& p : std::get<TriangleMesh>(shapes[5].shape).vertices()) {
    lowest = std::min(lowest, p.x());
  }
  EXPECT_EQ(lowest, -1.0);
}

TEST_F(SmallRobotTest, TheHashKnowsEveryFileThatMatters) {
  const std::string tetrahedron =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const std::string body =
      "<link name=\"a\"><collision><geometry><mesh filename=\"t.obj\"/></geometry></collision>"
      "</link>";
  folder_.write("t.obj", tetrahedron);
  std::set<std::string> hashes{load(body).sourceSha256()};
  hashes.insert(load(body + " ").sourceSha256());
  hashes.insert(load(body, "<group name=\"g\"/>").sourceSha256());
  folder_.write("t.obj", tetrahedron + "\n");
  hashes.insert(load(body).sourceSha256());
  EXPECT_EQ(hashes.size(), 4u);
  folder_.write("t.obj", tetrahedron);
  EXPECT_TRUE(hashes.contains(load(body).sourceSha256()));
}

TEST_F(SmallRobotTest, BytesThatMoveFromOneMeshToTheNextChangeTheHash) {
  const std::string tetrahedron =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  std::string body = "<link name=\"a\">";
  for (const char* mesh : {"t.obj", "u.obj"}) {
    body += std::string("<collision><geometry><mesh filename=\"") + mesh +
            "\"/></geometry></collision>";
  }
  body += "</link>";
  folder_.write("t.obj", tetrahedron + "# end\n");
  folder_.write("u.obj", tetrahedron);
  const std::string before = load(body).sourceSha256();
  // The same bytes one after the other, cut elsewhere.
  folder_.write("t.obj", tetrahedron);
  folder_.write("u.obj", "# end\n" + tetrahedron);
  EXPECT_NE(load(body).sourceSha256(), before);
}

TEST_F(SmallRobotTest, VisualsStandInForMissingCollisionGeometryWhenAskedTo) {
  const std::string tetrahedron =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  folder_.write("t.obj", tetrahedron);
  const std::string box = "<geometry><box size=\"1 1 1\"/></geometry>";
  const std::string body =
      "<link name=\"a\"><collision>" + box + "</collision><visual>" + box + "</visual></link>" +
      "<link name=\"b\"><visual><geometry><mesh filename=\"t.obj\"/></geometry></visual></link>" +
      "<link name=\"c\"/>" +
      "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>" +
      "<joint name=\"k\" type=\"fixed\"><parent link=\"a\"/><child link=\"c\"/></joint>";
  const RobotModel plain = load(body);
  EXPECT_TRUE(plain.links()[1].has_visuals);
  EXPECT_TRUE(plain.links()[1].collision.empty());
  EXPECT_TRUE(plain.links()[1].visual.empty());
  EXPECT_FALSE(plain.links()[2].has_visuals);
  RobotSource source = write(body);
  source.collide_as_visual = true;
  const RobotModel seen = loadRobot(source);
  ASSERT_EQ(seen.links()[1].collision.size(), 1u);
  EXPECT_TRUE(seen.links()[1].collides_as_visual);
  EXPECT_TRUE(std::holds_alternative<TriangleMesh>(seen.links()[1].collision[0].shape));
  EXPECT_EQ(seen.links()[0].collision.size(), 1u);
  EXPECT_FALSE(seen.links()[0].collides_as_visual);
  EXPECT_NE(seen.sourceSha256(), plain.sourceSha256()) << "the mesh counts now";
  // It is part of the proof now: a broken file is an error.
  folder_.write("t.obj", "v 0 0");
  EXPECT_THROW(loadRobot(source), InputError);
}

TEST_F(SmallRobotTest, UnknownElementsAreWarningsWithTheNearestKnownOne) {
  const RobotModel robot = load(links({"a"}) + "<lnk name=\"j\"/><transmission/>");
  ASSERT_EQ(robot.warnings().size(), 1u);
  EXPECT_NE(robot.warnings()[0].find("<lnk> is not read (did you mean 'link'?)"),
            std::string::npos);
}

TEST_F(SmallRobotTest, ReadsNumbersWhateverTheLocale) {
  const char* old = std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
  const RobotModel robot =
      load(links({"a", "b"}) + joint("j", "fixed", "a", "b", "<origin xyz=\"+1.5 -.25 1e-3\"/>"));
  if (old) std::setlocale(LC_NUMERIC, "C");
  EXPECT_EQ(robot.joints()[0].X_PJ.p, Vec3(1.5, -0.25, 1e-3));
}

}  // namespace
}  // namespace allclear
