#include "allclear/robot_models/files/srdf_names.h"

#include <gtest/gtest.h>

#include "support/small_srdf.h"

namespace allclear {
namespace {

using test::Srdf;

const XmlElement& first(const Srdf& srdf) { return srdf.root.children.front(); }

std::string messageOf(const Srdf& srdf) {
  try {
    srdf.names.joint(first(srdf), "", "name");
  } catch (const InputError& error) {
    return error.message();
  }
  return "";
}

TEST(SrdfNames, LeadToLinksAndJoints) {
  const Srdf srdf("<x name=\"j2\" link=\"b\"/>");
  EXPECT_EQ(srdf.names.joint(first(srdf), "", "name"), 1);
  EXPECT_EQ(srdf.names.link(first(srdf), "", "link"), 2);
  EXPECT_EQ(srdf.names.findLink("d"), -1);
}

TEST(SrdfNames, SayWhyTheyLeadNowhere) {
  EXPECT_EQ(messageOf(Srdf("<x name=\"j4\"/>")), "no such joint (did you mean 'j1'?)");
  const std::string virtual_joint =
      "<virtual_joint name=\"v\" type=\"floating\" parent_frame=\"w\" child_link=\"base\"/>";
  EXPECT_NE(messageOf(Srdf("<x name=\"v\"/>" + virtual_joint)).find("'base: srdf'"),
            std::string::npos);
  EXPECT_FALSE(Srdf(virtual_joint).names.isFixedVirtualJoint("v"));
  EXPECT_TRUE(Srdf("<virtual_joint name=\"v\" type=\"fixed\"/>").names.isFixedVirtualJoint("v"));
}

TEST(SrdfNames, AnAttemptThatFailsIsANote) {
  Srdf srdf("<x name=\"j4\"/>");
  EXPECT_FALSE(srdf.names.attempt([&] { srdf.names.joint(first(srdf), "", "name"); }, "left out"));
  EXPECT_TRUE(srdf.names.attempt([] {}, "left out"));
  ASSERT_EQ(srdf.notes.assumptions.size(), 1u);
  EXPECT_TRUE(srdf.notes.assumptions[0].ends_with("; left out"));
}

}  // namespace
}  // namespace allclear
