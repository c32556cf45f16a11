// Grids of numbers from pictures and tables.
#include "allclear/robot_models/files/height_file.h"

#include <gtest/gtest.h>

#include "allclear/core/input_error.h"
#include "allclear/robot_models/files/png_picture.h"

namespace allclear {
namespace {

using Bytes = std::string;

template <class Parse>
std::string refusal(const Parse& parse) {
  try {
    parse();
  } catch (const InputError& error) {
    return error.what();
  }
  return "(read)";
}

TEST(GreyPicture, ReadsPgmOf8And16Bits) {
  const NumberGrid plain = parseGreyPicture("P2 # made by hand\n3 2\n9\n1 2 3\n4 5 9\n", "a.pgm");
  EXPECT_EQ(plain.columns, 3u);
  EXPECT_EQ(plain.rows, 2u);
  EXPECT_EQ(plain.at(1, 2), 9.0);
  const NumberGrid small = parseGreyPicture(Bytes("P5\n2 1\n255\n\x01\xff", 13), "a.pgm");
  EXPECT_EQ(small.at(0, 1), 255.0);
  const NumberGrid wide = parseGreyPicture(Bytes("P5\n2 1\n65535\n\x01\x02\xff\xfe", 17), "a.pgm");
  EXPECT_EQ(wide.at(0, 0), 258.0);
  EXPECT_EQ(wide.at(0, 1), 65534.0);
}

TEST(GreyPicture, RefusesWhatIsNone) {
  const auto said = [](const Bytes& content) {
    return refusal([&] { parseGreyPicture(content, "a.pgm"); });
  };
  EXPECT_NE(said("P6\n1 1\n255\nabc").find("no PGM"), std::string::npos);
  EXPECT_NE(said("P5\n2 2\n255\nabc").find("cut short"), std::string::npos);
  EXPECT_NE(said("P5\n100000 100000\n255\n").find("more than"), std::string::npos);
  EXPECT_NE(said("P5\n0 1\n255\n").find("no values"), std::string::npos);
  EXPECT_NE(said("P2\n1 1\n9\n10\n").find("greater"), std::string::npos);
  EXPECT_NE(said("P2\n1 1\n99999\n10\n").find("65535"), std::string::npos);
  EXPECT_NE(said("").find("no PGM"), std::string::npos);
}

/// A grey picture of 2 x 1 values of 16 bits, 258 and 65534, made by another program.
const unsigned char kPng[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x10, 0x00, 0x00, 0x00,
    0x00, 0x81, 0xd9, 0xfc, 0x15, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x44, 0x41, 0x54, 0x78,
    0x9c, 0x63, 0x60, 0x64, 0xfa, 0xff, 0x0f, 0x00, 0x03, 0x0b, 0x02, 0x01, 0x84, 0x91,
    0xe8, 0x13, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

TEST(GreyPicture, ReadsPngWhereTheBuildCan) {
  const Bytes content(reinterpret_cast<const char*>(kPng), sizeof kPng);
#ifdef ALLCLEAR_HAVE_PNG
  const NumberGrid grid = parseGreyPicture(content, "a.png");
  ASSERT_EQ(grid.columns, 2u);
  ASSERT_EQ(grid.rows, 1u);
  EXPECT_EQ(grid.at(0, 0), 258.0);
  EXPECT_EQ(grid.at(0, 1), 65534.0);
#endif
  EXPECT_NE(refusal([&] { parsePng(content.substr(0, 50), "a.png"); }).find("a.png"),
            std::string::npos);
}

TEST(NumberGrid, ReadsLinesOfAsManyNumbers) {
  const NumberGrid grid = parseNumberGrid("# heights\n1, 2,3\n\n4 5 -6e-1\n", "h.csv");
  EXPECT_EQ(grid.columns, 3u);
  EXPECT_EQ(grid.rows, 2u);
  EXPECT_EQ(grid.at(1, 2), -0.6);
  const auto said = [](const Bytes& content) {
    return refusal([&] { parseNumberGrid(content, "h.csv"); });
  };
  EXPECT_NE(said("1 2\n3\n").find("h.csv:2"), std::string::npos);
  EXPECT_NE(said("1 nan\n").find("not finite"), std::string::npos);
  EXPECT_NE(said("1 a\n").find("no number"), std::string::npos);
  EXPECT_NE(said("").find("no values"), std::string::npos);
}

}  // namespace
}  // namespace allclear
