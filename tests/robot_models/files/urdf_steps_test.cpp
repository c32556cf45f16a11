// The steps from a URDF's text to joints, coordinates and geometry, each by itself.
#include <gtest/gtest.h>

#include <random>

#include "allclear/robot_models/files/joint_coordinates.h"
#include "allclear/robot_models/files/link_geometry.h"
#include "allclear/robot_models/files/urdf_check.h"
#include "allclear/robot_models/files/urdf_reader.h"
#include "allclear/robot_models/files/urdf_tree.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& more = "", const std::string& type = "revolute") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child +
         "\"/><axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"2\" effort=\"1\" velocity=\"3\"/>" +
         more + "</joint>";
}

std::string robot(const std::string& body) { return "<robot name=\"r\">" + body + "</robot>"; }

std::string links(const std::string& names) {
  std::string out;
  for (char c : names) out += std::string("<link name=\"") + c + "\"/>";
  return out;
}

UrdfOutline outlineOf(const XmlElement& root) { return checkUrdf(root, {}, XmlReader("r.urdf")); }

std::string messageOf(const std::function<void()>& function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(UrdfTree, ListsParentsFirstAndSiblingsInTheOrderOfTheFile) {
  const XmlElement root =
      parseXml(robot(links("edcba") + joint("4", "b", "d") + joint("1", "a", "b") +
                     joint("2", "a", "c") + joint("5", "d", "e")),
               "r.urdf");
  const UrdfOutline outline = outlineOf(root);
  EXPECT_EQ(outline.links, (std::vector<std::string>{"a", "b", "d", "e", "c"}));
  EXPECT_EQ(outline.joints, (std::vector<std::string>{"1", "4", "5", "2"}));
}

TEST(UrdfTree, ShowsTheLoopThatALinkHangsOn) {
  const XmlElement root = parseXml(
      robot(links("abcd") + joint("1", "b", "c") + joint("2", "c", "b") + joint("3", "c", "d")),
      "r.urdf");
  UrdfOutline outline;
  std::vector<const XmlElement*> joints;
  for (const XmlElement& element : root.children) {
    if (element.name == "joint") joints.push_back(&element);
    if (element.name == "link") outline.link_elements.emplace(*element.attribute("name"), &element);
  }
  const std::string message =
      messageOf([&] { orderTree(root, joints, XmlReader("r.urdf"), outline); });
  EXPECT_NE(message.find("the joints form a loop"), std::string::npos) << message;
  EXPECT_NE(message.find("b -> c -> b"), std::string::npos) << message;
}

TEST(UrdfCheck, PrintsOnlyThePartsThatAreRead) {
  const std::string link =
      "<link name=\"a\"><collision><geometry><sphere radius=\"1\"/></geometry></collision><visual>"
      "<geometry><box size=\"0 0 0\"/></geometry></visual></link><gazebo/><oddity/>";
  const XmlElement root = parseXml(robot(link), "r.urdf");
  EXPECT_EQ(outlineOf(root).notes.warnings.size(),
            1);  // the oddity; the broken visual is not looked at
  const std::string plain = plainUrdf(root, {});
  EXPECT_NE(plain.find("sphere"), std::string::npos);
  for (const char* dropped : {"box", "gazebo", "oddity"}) {
    EXPECT_EQ(plain.find(dropped), std::string::npos) << dropped;
  }
  // The copy is a URDF of the same outline.
  EXPECT_EQ(outlineOf(parseXml(plain, "r.urdf")).links, outlineOf(root).links);
  // A broken visual is left out, unless it is to collide.
  UrdfParts parts;
  parts.visual = true;
  EXPECT_EQ(checkUrdf(root, parts, XmlReader("r.urdf")).left_out.size(), 1);
  parts.visual_collides = true;
  EXPECT_EQ(checkUrdf(root, parts, XmlReader("r.urdf")).left_out.size(), 1);  // has a <collision>
  const XmlElement bare = parseXml(
      robot("<link name=\"a\"><visual><geometry><box size=\"0 0 0\"/></geometry></visual></link>"),
      "r.urdf");
  EXPECT_THROW(checkUrdf(bare, parts, XmlReader("r.urdf")), InputError);
}

TEST(UrdfReader, NarrowsLimitsBySoftOnesOnlyWhenAsked) {
  const std::string content =
      robot(links("ab") +
            joint("j", "a", "b", "<safety_controller soft_upper_limit=\"1.5\" k_velocity=\"0\"/>"));
  UrdfParts parts;
  EXPECT_EQ(readUrdf(content, "r.urdf", parts).joints[0].limits.upper, 2.0);
  parts.soft_limits = true;
  const UrdfLimits limits = readUrdf(content, "r.urdf", parts).joints[0].limits;
  EXPECT_EQ(limits.upper, 1.5);
  EXPECT_EQ(limits.lower, -1.0);  // a missing soft limit is the hard one, not zero
  EXPECT_EQ(limits.velocity, 3.0);
}

TEST(UrdfReader, TurnsInertiasIntoTheLinkFrame) {
  const std::string content = robot(
      "<link name=\"a\"><inertial><origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/><mass "
      "value=\"4\"/><inertia ixx=\"1\" iyy=\"2\" izz=\"2.5\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>"
      "</inertial></link>");
  const Inertia inertia = readUrdf(content, "r.urdf", {}).links[0].inertia;
  EXPECT_EQ(inertia.mass, 4.0);
  EXPECT_EQ(inertia.p_LC, Vec3(1, 2, 3));
  EXPECT_LT((inertia.I_C - Mat3(Vec3(2, 1, 2.5).asDiagonal())).norm(), 1e-14);
}

JointCoordinates coordinatesOf(const std::string& body, LoadNotes& notes) {
  return makeCoordinates(readUrdf(robot(body), "r.urdf", {}).joints, "r.urdf", notes);
}

TEST(JointCoordinates, ComposeChainsOfMimics) {
  LoadNotes notes;
  const auto out = coordinatesOf(
      links("abcd") + joint("3", "c", "d", "<mimic joint=\"2\" multiplier=\"2\" offset=\"0.5\"/>") +
          joint("1", "a", "b") +
          joint("2", "b", "c", "<mimic joint=\"1\" multiplier=\"-0.1\" offset=\"0.25\"/>"),
      notes);
  ASSERT_EQ(out.coordinates.size(), 1);
  // x3 = 2 x2 + 0.5 = 2 (-0.1 x1 + 0.25) + 0.5
  ASSERT_TRUE(out.joints[2].mimic);
  EXPECT_EQ(out.joints[2].mimic->coordinate, 0);
  EXPECT_DOUBLE_EQ(out.joints[2].mimic->multiplier, -0.2);
  EXPECT_DOUBLE_EQ(out.joints[2].mimic->offset, 1.0);
}

TEST(JointCoordinates, AMimicOfAFixedJointIsFixedAtItsOffset) {
  LoadNotes notes;
  const auto out =
      coordinatesOf(links("abc") + joint("1", "a", "b", "", "fixed") +
                        joint("2", "b", "c", "<mimic joint=\"1\" offset=\"0.5\"/>", "prismatic"),
                    notes);
  EXPECT_TRUE(out.coordinates.empty());
  EXPECT_EQ(out.joints[1].type, JointType::kFixed);
  EXPECT_EQ(out.joints[1].X_PJ.p, Vec3(0, 0, 0.5));
  EXPECT_EQ(notes.assumptions.size(), 1);
}

/// The coordinate of a continuous joint that another joint repeats; both are as fast as 3.
Coordinate repeatedBy(const std::string& mimic, const std::string& type, LoadNotes& notes) {
  return coordinatesOf(links("abc") + joint("1", "a", "b", "", "continuous") +
                           joint("2", "b", "c", mimic, type),
                       notes)
      .coordinates.at(0);
}

TEST(JointCoordinates, ACoordinateIsAsSlowAsTheJointsThatRepeatIt) {
  LoadNotes notes;
  const auto velocity = [&](const std::string& multiplier) {
    const std::string mimic = "<mimic joint=\"1\" multiplier=\"" + multiplier + "\"/>";
    return repeatedBy(mimic, "revolute", notes).velocity;
  };
  EXPECT_EQ(velocity("-2"), 1.5);
  EXPECT_EQ(velocity("0.01"), 3.0);
  EXPECT_EQ(velocity("0"), 3.0);
}

TEST(JointCoordinates, ATurnComesBackOnlyWhereTheJointsThatRepeatItDo) {
  LoadNotes notes;
  const auto wraps = [&](const std::string& multiplier, const std::string& type) {
    return repeatedBy("<mimic joint=\"1\" multiplier=\"" + multiplier + "\"/>", type, notes).wraps;
  };
  EXPECT_TRUE(wraps("-2", "continuous"));
  EXPECT_TRUE(wraps("0", "prismatic"));
  EXPECT_FALSE(wraps("0.5", "continuous"));
  EXPECT_FALSE(wraps("1", "prismatic"));
}

/// A continuous joint has no range that its mimics could be held against: any of theirs is left.
TEST(JointCoordinates, AContinuousJointTakesMimicsBeyondTheirLimits) {
  LoadNotes notes;
  repeatedBy("<mimic joint=\"1\"/>", "revolute", notes);
  ASSERT_EQ(notes.assumptions.size(), 1);
  EXPECT_NE(notes.assumptions[0].find("'2': following '1' takes it beyond its own limits"),
            std::string::npos)
      << notes.assumptions[0];
}

TEST(JointCoordinates, AddBasePutsAMovingRootAboveTheRobot) {
  UrdfRobot urdf = readUrdf(robot(links("ab") + joint("j", "a", "b")), "r.urdf", {});
  addBase(BaseJoint::kPlanar, "j", "a", urdf);  // both names are taken
  ASSERT_EQ(urdf.links.size(), 3);
  EXPECT_EQ(urdf.links[0].name, "a_");
  EXPECT_EQ(urdf.joints[0].joint.name, "j_");
  EXPECT_EQ(urdf.joints[1].joint.parent_link, 1);
  LoadNotes notes;
  const auto out = makeCoordinates(urdf.joints, "r.urdf", notes);
  ASSERT_EQ(out.coordinates.size(), 4);
  EXPECT_EQ(out.coordinates[2].name, "j_/angle");
  EXPECT_TRUE(out.coordinates[2].wraps);
  EXPECT_FALSE(out.coordinates[3].wraps);
}

TEST(JointCoordinates, OfAFloatingJointFromAQuaternionGiveItsRotationBack) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 1000; ++i) {
    VecX pose(7);
    for (double& value : pose) value = normal(random);
    if (i % 10 == 0) pose.tail<4>() << 0.5, 0.5, -0.5, 0.5;  // pitch of a right angle
    const VecX q = floatingCoordinates(pose);
    const Mat3 wanted =
        Eigen::Quaterniond(pose[6], pose[3], pose[4], pose[5]).normalized().toRotationMatrix();
    EXPECT_EQ(q.head<3>(), pose.head<3>());
    EXPECT_LT((rotationFromRpy(q.tail<3>()) - wanted).norm(), 1e-12) << pose.transpose();
  }
}

TEST(GeometryLoader, ReadsAMeshOncePerScaleAndHashesItOnce) {
  const test::TemporaryFolder folder;
  const std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n";
  folder.write("m.obj", obj);
  UrdfLink link;
  link.name = "a";
  for (double scale : {1.0, 1.0, 2.0}) {
    UrdfShape shape;
    shape.mesh_uri = "m.obj";
    shape.mesh_scale = Vec3::Constant(scale);
    link.collision.push_back(shape);
  }
  link.visual.push_back({{}, "missing.obj", Vec3::Ones(), {}, 7});
  FilesSha256 hash, expected;
  std::vector<std::string> warnings;
  GeometryLoader loader({{}, folder.path() / "r.urdf"}, "r.urdf", hash, warnings);
  const std::vector<Geometry> shapes = loader.collision(link);
  const auto mesh = [&](int i) { return std::get<TriangleMesh>(shapes[i].shape); };
  EXPECT_EQ(&mesh(0).vertices(), &mesh(1).vertices());  // shared
  EXPECT_EQ(mesh(2).vertices()[1], Vec3(2, 0, 0));
  expected.add("m.obj", obj);
  EXPECT_EQ(hash.hex(), expected.hex());
  // A missing visual is a warning, a missing collision mesh an error that names the link.
  EXPECT_TRUE(loader.visual(link).empty());
  EXPECT_EQ(warnings.size(), 1);
  link.collision = link.visual;
  EXPECT_NE(messageOf([&] { loader.collision(link); }).find("r.urdf:7"), std::string::npos);
}

}  // namespace
}  // namespace allclear
