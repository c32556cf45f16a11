// Files that were made to take time or memory: what they say is bounded before it is done, and what
// takes long ends with the scope of its thread.
#include <gtest/gtest.h>

#include <functional>

#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/robot_models/files/height_file.h"
#include "allclear/robot_models/files/mesh_sequence_file.h"
#include "allclear/robot_models/files/octree_file.h"
#include "allclear/robot_models/files/point_file.h"
#include "allclear/robot_models/files/sdf_world.h"
#include "support/long_run.h"

namespace allclear {
namespace {

std::string repeated(const std::string& text, int count) {
  std::string out;
  out.reserve(text.size() * static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

std::string refusal(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "(read)";
}

/// `more`: fields beside x, y, z, with as many entries each.
std::string pcd(std::size_t points, int more, const std::string& entries, const std::string& data) {
  return "VERSION 0.7\nFIELDS x y z" + repeated(" f", more) + "\nSIZE 4 4 4" +
         repeated(" 8", more) + "\nTYPE F F F" + repeated(" F", more) + "\nCOUNT 1 1 1" +
         repeated(" " + entries, more) + "\nWIDTH " + std::to_string(points) +
         "\nHEIGHT 1\nPOINTS " + std::to_string(points) + "\nDATA " + data + "\n";
}

std::string packedSizes(std::uint32_t packed, std::uint32_t expanded) {
  std::string out;
  for (const std::uint32_t value : {packed, expanded}) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      out.push_back(static_cast<char>(value >> shift & 0xffU));
    }
  }
  return out;
}

TEST(HostilePcd, IsRefusedBeforeItIsDone) {
  const auto said = [](const std::string& content) {
    return refusal([&] { parsePoints(content, "c.pcd"); });
  };
  EXPECT_NE(said(pcd(1'000'000'000'000, 0, "", "ascii")).find("more than 20000000: thin it out"),
            std::string::npos);
  // So many bytes a point that bytes times points wrap around to few.
  EXPECT_NE(said(pcd(std::size_t{1} << 24, 1374390, "100000", "binary")).find("c.pcd:2"),
            std::string::npos);
  // Nothing to read of each of very many fields, at each point.
  EXPECT_NE(said(pcd(2, 999, "1", "ascii")).find("c.pcd:2: has more than 1000 fields"),
            std::string::npos);
  EXPECT_NE(said(pcd(2, 1, "0", "ascii")).find("'0': a field has one entry or more"),
            std::string::npos);
  // 20 MB that would become 4 GB.
  constexpr std::uint32_t kPoints = 20'000'000, kStride = 200;
  EXPECT_NE(said(pcd(kPoints, 1, "1", "binary_compressed") + packedSizes(20'000'000, kPoints * 20))
                .find("is cut short"),
            std::string::npos);
  EXPECT_NE(said("VERSION 0.7\nFIELDS x y z f\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 47\nWIDTH "
                 "20000000\nHEIGHT 1\nPOINTS 20000000\nDATA binary_compressed\n" +
                 packedSizes(20'000'000, kPoints * kStride))
                .find("larger than 1 GiB"),
            std::string::npos);
}

TEST(HostilePoints, BeyondTheWorldAreRefusedAtTheirLine) {
  const std::string header = pcd(2, 0, "", "ascii");
  for (const char* bad : {"1e300 0 0\n", "0 -2e9 0\n", "0 0 1e10\n"}) {
    EXPECT_NE(refusal([&] {
                parsePoints(header + "0 1 2\n" + bad, "c.pcd");
              }).find("c.pcd:11: a point is beyond 1e9"),
              std::string::npos);
    EXPECT_NE(refusal([&] {
                parsePoints(std::string("0 1 2\n") + bad, "c.xyz");
              }).find("c.xyz:2: a point is beyond 1e9"),
              std::string::npos);
    EXPECT_NE(refusal([&] {
                parsePoints(
                    "ply\nformat ascii 1.0\nelement vertex 1\nproperty double x\nproperty "
                    "double y\nproperty double z\nend_header\n" +
                        std::string(bad),
                    "c.ply");
              }).find("c.ply:8: a point is beyond 1e9"),
              std::string::npos);
  }
  // What is next to nothing is a place as any other.
  EXPECT_EQ(parsePoints("5e-324 -1e-310 0\n", "c.xyz").points.size(), 1u);
}

TEST(HostileGrid, IsRefusedAtItsLine) {
  const auto said = [](const std::string& content) {
    return refusal([&] { parseNumberGrid(content, "h.csv"); });
  };
  EXPECT_NE(said("1 2\n1 1e300\n").find("h.csv:2: '1e300': is beyond 1e9"), std::string::npos);
  if (!test::isLong()) return;
  EXPECT_NE(said(repeated("0 ", 20'000'001)).find("more than 20000000 values"), std::string::npos);
}

std::string btFile(const std::string& nodes, const std::string& res = "0.1") {
  return "# Octomap OcTree binary file\nid OcTree\nsize 1\nres " + res + "\ndata\n" + nodes;
}

/// A whole tree of inner nodes, eight below each, down to nodes with free and occupied cells.
std::string wholeTree(int levels) {
  if (levels == 0) return "\x99\x66";
  return "\xff\xff" + repeated(wholeTree(levels - 1), 8);
}

TEST(HostileOctree, IsBounded) {
  const auto said = [](const std::string& content) {
    return refusal([&] { parseOctree(content, "m.bt", {}); });
  };
  EXPECT_NE(said(btFile("\x02\x80", "5e-324")).find("resolution"), std::string::npos);
  EXPECT_NE(said(btFile("\x02\x80", "1e300")).find("resolution"), std::string::npos);
  EXPECT_NE(said(btFile(repeated(std::string("\x03\x00", 2), 20))).find("below the smallest"),
            std::string::npos);
  if (!test::isLong()) return;
  // 38 MB of a file that are 134 million cells.
  EXPECT_NE(said(btFile(wholeTree(8))).find("more than 60000000 cells"), std::string::npos);
}

struct LongReading {
  const char* name;
  std::function<void()> run;
};

/// Each takes tens of milliseconds.
std::vector<LongReading> longReadings() {
  constexpr int kMany = 200'000;
  const auto points = [](const std::string& content, const char* name) {
    return [=] { parsePoints(content, name); };
  };
  std::string sheet = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  sheet += repeated("v 5 5 5\n", kMany) + "f 1 2 3\n";
  return {
      {"PCD", points(pcd(kMany, 0, "", "ascii") + repeated("0 1 2\n", kMany), "c.pcd")},
      {"binary PCD",
       points(pcd(10 * kMany, 0, "", "binary") + repeated("@@@@@@@@@@@@", 10 * kMany), "c.pcd")},
      {"PLY", points("ply\nformat ascii 1.0\nelement vertex 200000\nproperty double x\nproperty "
                     "double y\nproperty double z\nend_header\n" +
                         repeated("0 1 2\n", kMany),
                     "c.ply")},
      {"XYZ", points(repeated("0 1 2\n", kMany), "c.xyz")},
      {"XYZ in one line", points(repeated("1 ", 5 * kMany), "c.xyz")},
      {"octree", [nodes = btFile(wholeTree(6))] { parseOctree(nodes, "m.bt", OctreeOptions()); }},
      {"plain picture",
       [content = "P2\n2000 500\n255\n" + repeated("7 ", 5 * kMany)] {
         parseGreyPicture(content, "p.pgm");
       }},
      {"grid", [content = repeated("1 ", 5 * kMany)] { parseNumberGrid(content, "h.csv"); }},
      {"mesh sequence",
       [sheet] {
         loadMeshSequence({"a", "b"}, 1.0, 0.0, 1.0, [&](const auto&) { return sheet; });
       }},
  };
}

TEST(LongReading, EndsByStopped) {
  for (const LongReading& reading : longReadings()) {
    SCOPED_TRACE(reading.name);
    int left = 2;
    const StopScope scope([&] { return left-- <= 0; });
    EXPECT_THROW(reading.run(), Stopped);
  }
}

#ifdef ALLCLEAR_HAVE_SDFORMAT
std::string worldWith(const std::string& inside) {
  return "<?xml version='1.0'?><sdf version='1.7'><world name='w'>" + inside + "</world></sdf>";
}

std::string worldRefusal(const std::string& content) {
  SdfFiles files;
  files.find = [](const std::string& uri, const auto&) -> std::filesystem::path {
    throw InputError({"", 0, "uri", uri}, "there is no such file");
  };
  files.read = [](const std::filesystem::path&) { return std::string(); };
  files.mesh = [](const std::filesystem::path& file, const Vec3&) -> TriangleMesh {
    throw InputError({file.string(), 0, "", ""}, "no mesh is read here");
  };
  return refusal([&] { parseSdfWorld(content, "w.sdf", files); });
}

std::string model(const std::string& pose, const std::string& geometry) {
  return "<model name='m'><static>true</static><pose>" + pose +
         "</pose><link name='l'><collision name='c'><geometry>" + geometry +
         "</geometry></collision></link></model>";
}
const char kBox[] = "<box><size>1 1 1</size></box>";

TEST(HostileWorld, IsRefusedBeforeTheLibraryReadsIt) {
  // It compares each attribute with all others, quotes all of a file that it cannot read, and
  // prints that it is no URDF.
  testing::internal::CaptureStderr();
  const std::vector<std::string> said = {
      worldRefusal(worldWith("<model " + repeated("a='1' ", 100'000) + "/>")),
      worldRefusal(repeated("<a>", 100'000)),
      worldRefusal("<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'a'>]><sdf version='1.7'/>"),
      worldRefusal(worldWith(model("nan 0 0 0 0 0", kBox))),
      worldRefusal(worldWith(model("0 0 0\n0 0 1e300", kBox))),
      worldRefusal(worldWith(repeated("<model name='m'><link name='l'/></model>", 2000))),
      worldRefusal(worldWith(model("0 0 0 0 0 0", "<plane><normal>0 0 0</normal></plane>"))),
      worldRefusal(worldWith(model("0 0 0 0 0 0", "<box><size>1 1 1e300</size></box>"))),
      worldRefusal(worldWith(repeated("<unknown>some text</unknown>", 1000))),
  };
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  for (const std::string& message : said) {
    EXPECT_NE(message, "(read)");
    EXPECT_LT(message.size(), 400u);
  }
  EXPECT_NE(said[0].find("more than 1000 attributes"), std::string::npos);
  EXPECT_NE(said[4].find("w.sdf:1: pose: '1e300'"), std::string::npos) << said[4];
  EXPECT_NE(said[5].find("too large with all that it includes"), std::string::npos);
  EXPECT_NE(said[6].find("has no normal"), std::string::npos);
}
#endif

}  // namespace
}  // namespace allclear
