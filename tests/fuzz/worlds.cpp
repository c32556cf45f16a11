// What a robot's surroundings come in: points, octrees, pictures, grids, worlds, meshes that bend.
#include <cmath>
#include <cstdint>

#include "allclear/core/input_error.h"
#include "allclear/robot_models/files/height_file.h"
#include "allclear/robot_models/files/mesh_sequence_file.h"
#include "allclear/robot_models/files/octree_file.h"
#include "allclear/robot_models/files/point_file.h"
#include "allclear/robot_models/files/sdf_world.h"
#include "fuzz/targets.h"

namespace allclear::fuzz {
namespace {

namespace fs = std::filesystem;

const char kPcdHeader[] =
    "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 1\n"
    "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\n";
const char kPly[] =
    "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
    "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    "4 1 2\n3 4 5\n2 0 1\n";
const char kWorld[] =
    "<?xml version='1.0'?><sdf version='1.7'><world name='w'>\n"
    "<model name='post'><static>true</static><pose>5 0 0 0 0 1</pose><link name='l'>\n"
    "<collision name='a'><geometry><box><size>1 2 3</size></box></geometry></collision>\n"
    "<collision name='b'><pose>0 0 1 0 0 0</pose><geometry><cylinder><radius>0.1</radius>"
    "<length>2</length></cylinder></geometry></collision></link></model>\n"
    "<model name='floor'><static>true</static><frame name='f'><pose>0 0 -1 0 0 0</pose></frame>"
    "<link name='l'><pose relative_to='f'/><collision name='c'><geometry><plane>"
    "<normal>0 0 1</normal></plane></geometry></collision></link></model>\n"
    "</world></sdf>\n";

/// Two frames of a sheet.
const char kSheet0[] = "v 3 0 0\nv 3 1 0\nv 3 0 1\nv 3 1 1\nf 1 2 3\nf 2 4 3\n";
const char kSheet1[] = "v 3 0 0\nv 3.1 1 0\nv 3 0 1\nv 3.2 1 1\nf 1 2 3\nf 2 4 3\n";
/// Between two frames of one input.
constexpr std::string_view kNextFrame = "\n#next\n";

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out.push_back(static_cast<char>(value));
  return out;
}

std::string binaryPcd() { return std::string(kPcdHeader) + "DATA binary\n" + std::string(24, '@'); }

/// 24 bytes of '@', packed: one as it is, then a repeat of 23.
std::string packedPcd() {
  return std::string(kPcdHeader) + "DATA binary_compressed\n" +
         bytes({5, 0, 0, 0, 24, 0, 0, 0, 0, '@', 0xe0, 14, 0});
}

/// A tree whose only cells are at the end of one path.
std::string octreeFile(const char* kind, const char* id = "OcTree") {
  const bool is_binary = kind[0] == 'b';
  std::string out = is_binary ? "# Octomap OcTree binary file\n" : "# Octomap OcTree file\n";
  out += std::string("id ") + id + "\nsize 2\nres 0.1\ndata\n";
  if (is_binary) return out + bytes({0x02, 0x80});
  const std::string colour = id[0] == 'C' ? "rgb" : "";
  return out + bytes({0, 0, 0x80, 0x3f}) + colour + bytes({1, 0, 0, 0x80, 0x3f}) + colour +
         bytes({0});
}

std::uint32_t crc32(std::string_view data) {
  std::uint32_t crc = 0xffffffffU;
  for (const char c : data) {
    crc ^= static_cast<unsigned char>(c);
    for (int k = 0; k < 8; ++k) crc = (crc & 1U) != 0 ? 0xedb88320U ^ (crc >> 1) : crc >> 1;
  }
  return ~crc;
}

std::string bigEndian(std::uint32_t value) {
  std::string out;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    out.push_back(static_cast<char>(value >> shift & 0xffU));
  }
  return out;
}

std::string pngChunk(const std::string& name, const std::string& data) {
  return bigEndian(static_cast<std::uint32_t>(data.size())) + name + data +
         bigEndian(crc32(name + data));
}

/// Of 2 x 2 values, not compressed.
std::string smallPng() {
  const std::string rows = bytes({0, 1, 2, 0, 3, 4});
  // A block as it is: its length, that inverted, the rows, and their checksum.
  const std::string data =
      bytes({0x78, 0x01, 0x01, 6, 0, 0xf9, 0xff}) + rows + bytes({0x00, 0x19, 0x00, 0x0b});
  return "\x89PNG\r\n\x1a\n" +
         pngChunk("IHDR", bigEndian(2) + bigEndian(2) + bytes({8, 0, 0, 0, 0})) +
         pngChunk("IDAT", data) + pngChunk("IEND", "");
}

/// With right checksums of chunks: a mutant would nearly never have them, and nothing behind them
/// would be reached.
std::string withChecksums(std::string_view input) {
  constexpr std::size_t kSignature = 8, kFrame = 12;
  std::string out(input);
  for (std::size_t at = kSignature; at + kFrame <= out.size();) {
    std::size_t size = 0;
    for (int k = 0; k < 4; ++k) size = size << 8 | static_cast<unsigned char>(out[at + k]);
    if (size > out.size() - at - kFrame) break;
    out.replace(at + 8 + size, 4, bigEndian(crc32(std::string_view(out).substr(at + 4, size + 4))));
    at += kFrame + size;
  }
  return out;
}

void readPicture(std::string_view input) {
  const bool is_png = input.starts_with("\x89PNG");
  const NumberGrid grid =
      parseGreyPicture(is_png ? withChecksums(input) : std::string(input), "x.png");
  require(grid.values.size() == grid.columns * grid.rows, "a picture has all of its values");
  for (const double value : grid.values) require(value >= 0.0, "no grey value is negative");
}

void readGrid(std::string_view input) {
  const NumberGrid grid = parseNumberGrid(input, "x.csv");
  require(grid.values.size() == grid.columns * grid.rows, "a grid has all of its values");
  for (const double value : grid.values) require(std::abs(value) <= 1e9, "heights are bounded");
}

void readPoints(std::string_view input, const char* name) {
  for (const Vec3& p : parsePoints(input, name).points) {
    require(p.cwiseAbs().sum() <= 1e9, "a point that is read has a place");
  }
}

/// The first byte chooses how, and the format of the header or of messages.
void readOctree(std::string_view input) {
  if (input.empty()) return;
  const auto choice = static_cast<unsigned char>(input[0]);
  OctreeOptions options;
  options.unknown_is_occupied = (choice & 1U) != 0;
  const bool is_message = (choice & 2U) != 0, is_binary = (choice & 4U) != 0;
  input.remove_prefix(1);
  const Octree tree = is_message ? parseOctreeData(input, "OcTree", 0.1, is_binary, "x", options)
                                 : parseOctree(input, "x.bt", options);
  for (const AlignedBox& box : tree.occupied) {
    require((box.lower.array() < box.upper.array()).all(), "a cell that is read has a volume");
    require((box.lower.array() >= tree.known.lower.array()).all() &&
                (box.upper.array() <= tree.known.upper.array()).all(),
            "cells are in the box of all that is known");
  }
}

void readWorld(std::string_view input) {
  SdfFiles files;
  files.find = [](const std::string& uri, const fs::path& base) -> fs::path {
    throw InputError({base.string(), 0, "uri", uri}, "there is no other file here");
  };
  files.read = [](const fs::path&) { return std::string(); };
  files.mesh = [](const fs::path& file, const Vec3&) -> TriangleMesh {
    throw InputError({file.string(), 0, "", ""}, "there is no mesh here");
  };
  for (const SdfBody& body : parseSdfWorld(std::string(input), "x.sdf", files).bodies) {
    require(body.X_WO.p.allFinite() && body.X_WO.R.allFinite(), "poses of bodies are finite");
    for (const Geometry& part : body.geometry) {
      require(part.X_BG.p.allFinite() && part.X_BG.R.allFinite(), "poses of shapes are finite");
    }
  }
}

void readMeshSequence(std::string_view input) {
  std::vector<std::string> frames;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = input.find(kNextFrame);
    frames.emplace_back(input.substr(0, end));
    if (end != std::string_view::npos) input.remove_prefix(end + kNextFrame.size());
  }
  std::vector<fs::path> files;
  for (std::size_t i = 0; i < frames.size(); ++i) files.emplace_back(std::to_string(i));
  const DeformingMesh mesh = loadMeshSequence(
      files, 10.0, 0.0, 1.0, [&](const fs::path& file) { return frames[std::stoul(file)]; });
  for (int k = 0; k < mesh.keyframeCount(); ++k) {
    for (const Vec3& p : mesh.keyframe(k)) require(p.allFinite(), "corners of a mesh are finite");
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> smallFiles() {
  return {{"scan.pcd", std::string(kPcdHeader) + "DATA ascii\n4 1 2\nnan nan nan\n"},
          {"scan.ply", kPly},
          {"scan.xyz", "4 1 2\n# a comment\n3,4,5,255\n"},
          {"map.bt", octreeFile("bt")},
          {"map.ot", octreeFile("ot")},
          {"heights.csv", "0, 0.1, 0.2\n0, 0, 0.3\n"},
          {"depth.pgm", "P2\n2 2\n255\n0 1 2 255\n"},
          {"sheet_0.obj", kSheet0},
          {"sheet_1.obj", kSheet1},
          {"world.sdf", kWorld}};
}

std::vector<Target> worldTargets() {
  const std::string pcd = std::string(kPcdHeader) + "DATA ascii\n0 1 2\nnan nan nan\n";
  std::vector<Target> targets = {
      {"points_pcd",
       [](std::string_view input) { readPoints(input, "x.pcd"); },
       {},
       {pcd, binaryPcd(), packedPcd()}},
      {"points_ply",
       [](std::string_view input) { readPoints(input, "x.ply"); },
       {},
       {kPly,
        "ply\nformat binary_big_endian 1.0\nelement o 1\nproperty uchar a\nelement vertex 1\n"
        "property double x\nproperty short y\nproperty uint z\nend_header\n0123456789abcde"}},
      {"points_xyz",
       [](std::string_view input) { readPoints(input, "x.xyz"); },
       {},
       {"0 1 2\n# a comment\n3,4,5,255\n"}},
      {"octree",
       readOctree,
       {},
       {bytes({0}) + octreeFile("bt"), bytes({1}) + octreeFile("ot"),
        bytes({1}) + octreeFile("ot", "ColorOcTree"), bytes({7, 0x02, 0x80}),
        bytes({0}) + octreeFile("bt", "ColorOcTree")}},
      {"picture", readPicture, {}, {"P2\n2 2\n255\n0 1 2 255\n", "P5\n2 1\n255\nab", smallPng()}},
      {"grid", readGrid, {}, {"0, 0.1 -2e-3\n# a comment\n1 2 3\n"}},
      {"mesh_sequence",
       readMeshSequence,
       {},
       {std::string(kSheet0) + std::string(kNextFrame) + kSheet1}},
  };
#ifdef ALLCLEAR_HAVE_SDFORMAT
  targets.push_back({"sdf", readWorld, {}, {kWorld}});
#else
  (void)readWorld;
#endif
  return targets;
}

}  // namespace allclear::fuzz
