// Points from PCD, PLY and XYZ files: all forms of one cloud, and what is refused.
#include "allclear/robot_models/files/point_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "allclear/core/input_error.h"
#include "allclear/robot_models/files/byte_reader.h"
#include "allclear/robot_models/files/lzf.h"
#include "allclear/robot_models/files/point_fields.h"

namespace allclear {
namespace {

const std::vector<Vec3> kPoints = {{1, 2, 3}, {-0.5, 0.25, 8}, {0, 0, -1}};

template <class Number>
std::string bytesOf(Number value, bool big = false) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  std::string out(raw, sizeof value);
  if (big) out.assign(out.rbegin(), out.rend());
  return out;
}

std::string pcdHeader(const std::string& data, int points = 3) {
  return "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z intensity\nSIZE 4 4 8 2\nTYPE F F F U\n"
         "COUNT 1 1 1 1\nWIDTH " +
         std::to_string(points) + "\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS " +
         std::to_string(points) + "\nDATA " + data + "\n";
}

std::string pcdBinary() {
  std::string out = pcdHeader("binary");
  for (const Vec3& p : kPoints) {
    out += bytesOf(static_cast<float>(p.x())) + bytesOf(static_cast<float>(p.y())) +
           bytesOf(p.z()) + bytesOf(std::uint16_t{7});
  }
  return out;
}

/// Data of LZF that only copies: runs of at most 32 bytes.
std::string packed(const std::string& data) {
  std::string out;
  for (std::size_t i = 0; i < data.size(); i += 32) {
    const std::string run = data.substr(i, 32);
    out += static_cast<char>(run.size() - 1) + run;
  }
  return out;
}

std::string pcdCompressed() {
  std::string data;
  for (const Vec3& p : kPoints) data += bytesOf(static_cast<float>(p.x()));
  for (const Vec3& p : kPoints) data += bytesOf(static_cast<float>(p.y()));
  for (const Vec3& p : kPoints) data += bytesOf(p.z());
  for (int i = 0; i < 3; ++i) data += bytesOf(std::uint16_t{7});
  const std::string small = packed(data);
  return pcdHeader("binary_compressed") + bytesOf(static_cast<std::uint32_t>(small.size())) +
         bytesOf(static_cast<std::uint32_t>(data.size())) + small;
}

std::string plyBinary(bool big) {
  std::string out = std::string("ply\nformat ") +
                    (big ? "binary_big_endian" : "binary_little_endian") +
                    " 1.0\ncomment made by hand\nelement vertex 3\nproperty double x\n"
                    "property uchar red\nproperty float y\nproperty float z\n"
                    "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
  for (const Vec3& p : kPoints) {
    out += bytesOf(p.x(), big) + "r" + bytesOf(static_cast<float>(p.y()), big) +
           bytesOf(static_cast<float>(p.z()), big);
  }
  return out + "not read";
}

void expectPoints(const std::string& content, const std::string& name) {
  SCOPED_TRACE(name);
  const PointFile file = parsePoints(content, name);
  ASSERT_EQ(file.points.size(), kPoints.size());
  for (std::size_t i = 0; i < kPoints.size(); ++i) EXPECT_EQ(file.points[i], kPoints[i]);
  EXPECT_EQ(file.dropped, 0u);
}

std::string refusal(const std::string& content, const std::string& name) {
  try {
    parsePoints(content, name);
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
    return error.what();
  }
  return "(read)";
}

void expectRefused(const std::string& content, const std::string& name, const std::string& part) {
  EXPECT_NE(refusal(content, name).find(part), std::string::npos) << refusal(content, name);
}

TEST(PointFile, ReadsEveryForm) {
  expectPoints(pcdHeader("ascii") + "1 2 3 9\n-0.5 0.25 8 9\n\n0 0 -1 9\n", "a.pcd");
  expectPoints(pcdBinary(), "b.pcd");
  expectPoints(pcdCompressed(), "c.PCD");
  expectPoints(plyBinary(false), "d.ply");
  expectPoints(plyBinary(true), "e.ply");
  expectPoints(
      "ply\r\nformat ascii 1.0\r\nelement camera 1\r\nproperty float f\r\nelement vertex 3\r\n"
      "property float x\r\nproperty float y\r\nproperty float z\r\nend_header\r\n"
      "35\r\n1 2 3\r\n-0.5 0.25 8\r\n0 0 -1\r\n",
      "f.ply");
  expectPoints("# x y z\n1 2 3\n-0.5,0.25,8,255\n\n//\n 0 0 -1e0 1 2 3\n", "g.xyz");
}

TEST(PointFile, CountsPointsWithoutAPlace) {
  const PointFile file =
      parsePoints(pcdHeader("ascii", 4) + "nan nan nan 1\n1 2 3 1\ninf 0 0 1\n4 5 6 1\n", "a.pcd");
  EXPECT_EQ(file.points.size(), 2u);
  EXPECT_EQ(file.dropped, 2u);
  expectRefused(pcdHeader("ascii", 1) + "nan nan nan 1\n", "a.pcd", "none of its points");
}

TEST(PointFile, NotesAViewpoint) {
  std::string content = pcdHeader("ascii") + "1 2 3 9\n1 2 3 9\n1 2 3 9\n";
  content.replace(content.find("0 0 0 1 0 0 0"), 13, "1 0 0 1 0 0 0");
  const PointFile file = parsePoints(content, "a.pcd");
  ASSERT_EQ(file.notes.size(), 1u);
  EXPECT_NE(file.notes[0].find("VIEWPOINT"), std::string::npos);
}

TEST(PointFile, RefusesWhatItsHeaderDoesNotSay) {
  expectRefused(pcdBinary().substr(0, pcdBinary().size() - 1), "a.pcd", "cut short");
  expectRefused(pcdCompressed().substr(0, pcdCompressed().size() - 1), "a.pcd", "cut short");
  expectRefused(pcdHeader("ascii") + "1 2 3 9\n", "a.pcd", "1 of 3");
  expectRefused(pcdHeader("ascii") + "1 2 x 9\n", "a.pcd", "no number");
  expectRefused(pcdHeader("ascii") + "1 2 3\n", "a.pcd", "too few");
  expectRefused(pcdHeader("ascii") + "1 2 3 4 5\n", "a.pcd", "too many");
  expectRefused(pcdHeader("binary", 2000000000), "a.pcd", "2000000000");
  expectRefused("FIELDS x y\nSIZE 4 4\nTYPE F F\nCOUNT 1 1\nPOINTS 1\nDATA ascii\n1 2\n", "a.pcd",
                "'z' is missing");
  expectRefused("FIELDS x y z\nSIZE 3 4 4\nTYPE F F F\nPOINTS 1\nDATA ascii\n1 2 3\n", "a.pcd",
                "no type");
  expectRefused("nothing", "a.pcd", "no entry");
  expectRefused("", "a.pcd", "no PCD");
  expectRefused("ply\nformat ascii 1.0\nelement face 0\nend_header\n", "a.ply", "has no element");
  expectRefused("solid", "a.ply", "no PLY");
  expectRefused(plyBinary(false).substr(0, plyBinary(false).size() - 10), "a.ply", "cut short");
  expectRefused("1 2\n", "a.xyz", "a.xyz:1");
  expectRefused("1 2 3\n1 2 3 red\n", "a.xyz", "a.xyz:2");
  expectRefused("", "a.xyz", "no points");
  expectRefused("1 2 3\n", "a.las", "no file of points");
}

TEST(ByteReader, NeverReadsBeyondTheEnd) {
  ByteReader bytes("one\r\n\ntwo");
  EXPECT_EQ(bytes.nextLine(), "one");
  EXPECT_EQ(bytes.nextLine(), "");
  EXPECT_EQ(bytes.line(), 2);
  EXPECT_EQ(bytes.take(4), std::nullopt);
  EXPECT_EQ(bytes.take(2), "tw");
  EXPECT_EQ(bytes.nextLine(), "o");
  EXPECT_EQ(bytes.nextLine(), std::nullopt);
  EXPECT_EQ(bytes.take(0), "");
}

TEST(ByteReader, TakesWordsAndNumbersOfAllTypes) {
  std::string_view text = " a, b\t+1.5,";
  EXPECT_EQ(takeWord(&text), "a");
  EXPECT_EQ(takeWord(&text), "b");
  EXPECT_EQ(numberOf<double>(takeWord(&text)), 1.5);
  EXPECT_EQ(takeWord(&text), "");
  EXPECT_EQ(trimmed(" \tx y "), "x y");
  EXPECT_EQ(trimmed("  "), "");
  EXPECT_EQ(numberOf<int>("12a"), std::nullopt);
  EXPECT_EQ(numberOf<int>(""), std::nullopt);
  EXPECT_EQ(binaryNumber("\xff\xff", 'I', 2, false), -1.0);
  EXPECT_EQ(binaryNumber("\x80", 'I', 1, false), -128.0);
  EXPECT_EQ(binaryNumber("\x01\x02", 'U', 2, true), 258.0);
  EXPECT_EQ(binaryNumber("\x7f\xff\xff\xff\xff\xff\xff\xff", 'I', 8, true), 0x1p63);
}

TEST(Lzf, RepeatsAndRefusesBrokenData) {
  // "abc", then 6 bytes from 3 back.
  const std::string data = std::string("\x02") + "abc" + "\x80\x02";
  EXPECT_EQ(lzfExpanded(data, 9), "abcabcabc");
  EXPECT_EQ(lzfExpanded(data, 8), std::nullopt);
  EXPECT_EQ(lzfExpanded(data, 10), std::nullopt);
  // A long repeat: 7 says that the next byte adds to the length.
  EXPECT_EQ(lzfExpanded(std::string("\x00z\xe0\x03\x00", 5), 13), std::string(13, 'z'));
  EXPECT_EQ(lzfExpanded(std::string("\x20\x00", 2), 3), std::nullopt);  // before the beginning
  EXPECT_EQ(lzfExpanded("\x1f", 32), std::nullopt);
  EXPECT_EQ(lzfExpanded("", std::size_t{1} << 60), std::nullopt);
}

}  // namespace
}  // namespace allclear
