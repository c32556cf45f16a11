#include "allclear/robot_models/files/srdf_groups.h"

#include <gtest/gtest.h>

#include "support/small_srdf.h"

namespace allclear {
namespace {

using test::Srdf;

using Joints = std::set<int>;

TEST(SrdfGroups, HoldJointsOfLinksChainsAndSubgroupsInAnyOrder) {
  Srdf srdf(R"(<group name="both"><group name="links"/><group name="chain"/></group>
    <group name="links"><link name="c"/><link name="base"/></group>
    <group name="chain"><chain base_link="a" tip_link="b"/></group>)");
  const SrdfGroups groups(srdf.root, srdf.names);
  EXPECT_EQ(groups.joints("links"), (Joints{2}));
  EXPECT_EQ(groups.joints("chain"), (Joints{1}));
  EXPECT_EQ(groups.joints("both"), (Joints{1, 2}));
  EXPECT_EQ(groups.inOrder(), (std::vector<std::string>{"both", "links", "chain"}));
  EXPECT_TRUE(srdf.notes.warnings.empty());
}

TEST(SrdfGroups, InACircleHoldAllOfIt) {
  Srdf srdf(R"(<group name="x"><joint name="j1"/><group name="y"/></group>
    <group name="y"><joint name="j2"/><group name="z"/></group>
    <group name="z"><joint name="j3"/><group name="x"/></group>
    <group name="w"><group name="z"/></group>)");
  const SrdfGroups groups(srdf.root, srdf.names);
  for (const char* name : {"x", "y", "z", "w"}) EXPECT_EQ(groups.joints(name), (Joints{0, 1, 2}));
  EXPECT_EQ(srdf.notes.assumptions.size(), 3u);  // w is in no circle
}

TEST(SrdfGroups, NestedALotAreReadWithoutRecursion) {
  std::string body;
  for (int i = 0; i < 900; ++i) {
    body += "<group name=\"g" + std::to_string(i) + "\"><group name=\"g" + std::to_string(i + 1) +
            "\"/></group>";
  }
  Srdf srdf(body + "<group name=\"g900\"><joint name=\"j1\"/></group>");
  EXPECT_EQ(SrdfGroups(srdf.root, srdf.names).joints("g0"), (Joints{0}));
  std::string many;
  for (int i = 0; i < 1002; ++i) many += "<group name=\"h" + std::to_string(i) + "\"/>";
  Srdf too_many(many);
  EXPECT_THROW(SrdfGroups(too_many.root, too_many.names), InputError);
}

TEST(SrdfGroups, LeaveOutWhatIsNotThere) {
  Srdf srdf(R"(<group name="g"><joint name="j9"/><joint name="j1"/><chain base_link="a"/></group>
    <group name="g"><joint name="j2"/></group><passive_joint name="j3"/><passive_joint name="k"/>)");
  const SrdfGroups groups(srdf.root, srdf.names);
  EXPECT_EQ(groups.joints("g"), (Joints{0}));
  EXPECT_EQ(groups.passive(), (Joints{2}));
  EXPECT_EQ(srdf.notes.assumptions.size(), 4u);
}

}  // namespace
}  // namespace allclear
