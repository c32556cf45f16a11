#include "allclear/robot_models/files/load_notes.h"

#include <gtest/gtest.h>

namespace allclear {
namespace {

TEST(LoadNotes, AssumptionsAreWarningsWithoutThePath) {
  LoadNotes notes;
  notes.warn("/a/r.urdf", 3, "is odd");
  notes.assume("URDF", "/a/r.urdf", 4, "is odder");
  notes.assume("SRDF", "/a/r.srdf", 0, "is oddest");
  EXPECT_EQ(notes.warnings,
            (std::vector<std::string>{"/a/r.urdf:3: is odd", "/a/r.urdf:4: is odder",
                                      "/a/r.srdf: is oddest"}));
  EXPECT_EQ(notes.assumptions,
            (std::vector<std::string>{"URDF line 4: is odder", "SRDF: is oddest"}));
}

TEST(LoadNotes, AnErrorThatIsForgivenKeepsItsPlaceAndCause) {
  LoadNotes notes;
  notes.forgive("SRDF", InputError({"/a/r.srdf", 7, "group 'g': joint", "j"}, "no such joint"),
                "left out");
  EXPECT_EQ(notes.warnings[0], "/a/r.srdf:7: group 'g': joint: 'j': no such joint; left out");
  EXPECT_EQ(notes.assumptions[0], "SRDF line 7: group 'g': joint: 'j': no such joint; left out");
}

TEST(LoadNotes, ManyNamesAreCounted) {
  EXPECT_EQ(someNames({"a", "b"}), "'a', 'b'");
  EXPECT_EQ(someNames({"a", "b", "c", "d", "e", "f", "g"}), "'a', 'b', 'c', 'd', 'e' and 2 more");
}

}  // namespace
}  // namespace allclear
