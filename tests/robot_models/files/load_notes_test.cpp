#include "allclear/robot_models/files/load_notes.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

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

TEST(LoadNotes, AreOneLineOfAReadableLength) {
  LoadNotes notes;
  notes.assume("URDF", "r.urdf", 1, "a\nb" + std::string(1000000, 'x'));
  for (const std::string& text : {notes.warnings[0], notes.assumptions[0]}) {
    EXPECT_NE(text.find("a bxxx"), std::string::npos);
    EXPECT_LT(text.size(), 1100u);
  }
}

TEST(LoadNotes, AreUtf8WhateverTheNames) {
  const auto noted = [](const std::string& message) {
    LoadNotes notes;
    notes.assume("URDF", "r.urdf", 0, message);
    return notes.assumptions[0].substr(6);
  };
  EXPECT_EQ(noted("p\xe4nda"), "p?nda");                                   // Latin-1
  EXPECT_EQ(noted("p\xc3\xa4nda 45\xc2\xb0"), "p\xc3\xa4nda 45\xc2\xb0");  // UTF-8
  EXPECT_EQ(noted("\xf0\x9f\xa4\x96"), "\xf0\x9f\xa4\x96");
  EXPECT_EQ(noted("\xc0\xaf \xe0\x80\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82"),
            "?? ??? ??? ???? ??");  // long forms, a surrogate, beyond the last, cut short
  // Every text is one that JSON takes.
  std::mt19937 random(3);
  for (int i = 0; i < 1000; ++i) {
    std::string bytes;
    for (int k = 0; k < 40; ++k)
      bytes += static_cast<char>(random() % 2 ? random() : 0x80 + random() % 16);
    EXPECT_NO_THROW(nlohmann::json(noted(bytes)).dump());
  }
}

TEST(LoadNotes, ManyNamesAreCounted) {
  EXPECT_EQ(someNames({"a", "b"}), "'a', 'b'");
  EXPECT_EQ(someNames({"a", "b", "c", "d", "e", "f", "g"}), "'a', 'b', 'c', 'd', 'e' and 2 more");
}

}  // namespace
}  // namespace allclear
