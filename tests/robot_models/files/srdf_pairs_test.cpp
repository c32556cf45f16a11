#include "allclear/robot_models/files/srdf_pairs.h"

#include <gtest/gtest.h>

namespace allclear {
namespace {

/// base -j1- a -j2- b -j3- c
RobotModel::Data chain() {
  RobotModel::Data data;
  for (const char* name : {"base", "a", "b", "c"}) {
    Link link;
    link.name = name;
    link.parent_joint = static_cast<int>(data.links.size()) - 1;
    data.links.push_back(link);
  }
  for (int j = 0; j < 3; ++j) {
    Joint joint;
    joint.name = "j" + std::to_string(j + 1);
    joint.parent_link = j;
    joint.child_link = j + 1;
    data.joints.push_back(joint);
  }
  return data;
}

/// An SRDF with that body, and what its names stand for.
struct Srdf {
  explicit Srdf(const std::string& body)
      : root(parseXml("<robot name=\"r\">" + body + "</robot>", "r.srdf")) {}

  RobotModel::Data data = chain();
  XmlElement root;
  XmlReader reader{"r.srdf"};
  LoadNotes notes;
  SrdfNames names{root, reader, data, notes};
};

TEST(SrdfPairs, AreDisabledInMoveItsOrderNotInThatOfTheFile) {
  Srdf srdf(R"(<enable_collisions link1="c" link2="base"/>
    <disable_collisions link1="b" link2="a" reason="Adjacent"/>
    <disable_default_collisions link="base"/>)");
  const SrdfPairs pairs = readSrdfPairs(srdf.root, srdf.names);
  ASSERT_EQ(pairs.disabled.size(), 3u);  // base with a and b by default; a with b
  EXPECT_EQ(pairs.disabled[0].reason, "Default");
  EXPECT_EQ(pairs.disabled[2].reason, "Adjacent");
  EXPECT_TRUE(pairs.says_something);
}

TEST(SrdfPairs, OfUnknownLinksExemptNothingAndMakeOneNote) {
  std::string body;
  for (int i = 0; i < 50; ++i) {
    body += "<disable_collisions link1=\"a\" link2=\"w" + std::to_string(i) + "\"/>";
  }
  Srdf srdf(body);
  const SrdfPairs pairs = readSrdfPairs(srdf.root, srdf.names);
  EXPECT_TRUE(pairs.disabled.empty());
  EXPECT_FALSE(pairs.says_something);  // of this robot
  ASSERT_EQ(srdf.notes.assumptions.size(), 1u);
  EXPECT_NE(srdf.notes.assumptions[0].find("50 <disable_collisions> name no link"),
            std::string::npos);
  EXPECT_NE(srdf.notes.assumptions[0].find("and 45 more"), std::string::npos);
}

TEST(SrdfPairs, ToBeEnabledMustBeFoundWhereADefaultWouldKeepThemExempt) {
  Srdf harmless("<enable_collisions link1=\"a\" link2=\"lamp\"/>");
  EXPECT_NO_THROW(readSrdfPairs(harmless.root, harmless.names));
  Srdf harmful(
      "<disable_default_collisions link=\"a\"/><enable_collisions link1=\"a\" link2=\"cc\"/>");
  EXPECT_THROW(readSrdfPairs(harmful.root, harmful.names), InputError);
}

}  // namespace
}  // namespace allclear
