#include "allclear/robot_models/files/srdf_pairs.h"

#include <gtest/gtest.h>

#include "support/small_srdf.h"

namespace allclear {
namespace {

using test::Srdf;

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
