// Inputs that are whole in themselves: documents, tables and trajectories.
#include <cmath>

#include "allclear/config/document/yaml.h"
#include "allclear/config/values/joint_trajectory.h"
#include "allclear/config/values/motion_file.h"
#include "allclear/core/input_error.h"
#include "allclear/core/text/json.h"
#include "allclear/exports/certificate_json.h"
#include "allclear/robot_models/files/height_file.h"
#include "allclear/robot_models/files/octree_file.h"
#include "allclear/robot_models/files/point_file.h"
#include "allclear/trajectories/trajectory_csv.h"
#include "allclear/trajectories/trajectory_json.h"
#include "fuzz/targets.h"

namespace allclear::fuzz {
namespace {

const char kRows[] =
    "time,a,b,a_velocity,b_velocity,a_acceleration,b_acceleration\n"
    "0,0.1,-0.2,0,0,0,0\n0.5,0.4,1e-3,0.3,-0.2,1,2\n1.25,0.5,0.25,0,0,0,0\n";
const char kRos[] =
    "joint_names: [a, b]\npoints:\n"
    "- {positions: [0, 1], velocities: [0, 0], time_from_start: {sec: 0, nanosec: 0}}\n"
    "- {positions: [0.5, 1.5], velocities: [0, 0], time_from_start: {sec: 1, nanosec: "
    "500000000}}\n";
const char kSpline[] =
    "{\"format\": \"allclear_trajectory\", \"version\": 1, \"type\": \"bspline\",\n"
    " \"joint_names\": [\"a\"], \"duration\": 2.0, \"degree\": 2,\n"
    " \"normalized_knots\": [0, 0, 0, 0.5, 1, 1, 1],\n"
    " \"control_points\": [[0.1], [0.2], [0.35], [0.4]]}\n";

/// Reads every value of a document in every way that it can be read.
void visit(const Value& value) {
  if (value.isList()) {
    for (const Value& item : value.items()) visit(item);
  } else if (value.isMap()) {
    for (const Value::Entry& entry : value.entries()) visit(entry.value);
  } else if (value.isNumber()) {
    require(std::isfinite(value.number()), "a number that is read is finite");
  }
}

/// What was read from a trajectory file is written, and read again: the same to the bit.
void requireRoundTrip(const NamedTrajectory& read) {
  const std::string json = formatTrajectoryJson(read);
  const NamedTrajectory again = parseTrajectoryJson(json, "again.json");
  require(formatTrajectoryJson(again) == json, "JSON of a trajectory reads back to the bit");
  const HermiteCurve* rows = read.trajectory.hermite();
  if (rows == nullptr) return;
  std::string csv;
  try {
    csv = formatTrajectoryCsv(*rows, read.joint_names);
  } catch (const InputError&) {
    return;  // names that no column can have
  }
  const NamedTrajectory from_csv = parseTrajectoryCsv(csv, "again.csv");
  require(formatTrajectoryCsv(*from_csv.trajectory.hermite(), from_csv.joint_names) == csv,
          "CSV of a trajectory reads back to the bit");
}

const char kPcd[] =
    "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 1\n"
    "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\nDATA ascii\n0 1 2\nnan nan nan\n";
const char kPly[] =
    "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
    "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    "0 1 2\n3 4 5\n2 0 1\n";

/// A tree whose only cells are at the end of one path.
std::string octreeFile(const char* kind) {
  const bool is_binary = kind[0] == 'b';
  std::string out = is_binary ? "# Octomap OcTree binary file\n" : "# Octomap OcTree file\n";
  out += "id OcTree\nsize 2\nres 0.1\ndata\n";
  if (!is_binary) return out + std::string("\0\0\x80?\x01\0\0\x80?\0", 10);
  return out + std::string("\x02\x80", 2);
}

void requirePlaces(const PointFile& file) {
  for (const Vec3& p : file.points) require(p.allFinite(), "a point that is read has a place");
}

void requireCells(const Octree& tree) {
  for (const AlignedBox& box : tree.occupied) {
    require((box.lower.array() < box.upper.array()).all(), "a cell that is read has a volume");
  }
}

/// A certificate with one of most things.
Certificate smallCertificate() {
  Certificate certificate{.trajectory = parseTrajectoryCsv(kRows, "rows.csv")};
  CertificatePair pair;
  pair.a = "hand";
  pair.b = "box";
  pair.cells = {{{0.0, 1.25}, 0.01, Vec3::UnitX()}};
  certificate.pairs = {pair};
  certificate.faults = {"none"};
  certificate.message = "Clear.";
  certificate.sent["csv"] = "00";
  return certificate;
}

}  // namespace

std::vector<Target> documentTargets() {
  return {
      {"yaml",
       [](std::string_view text) { visit(parseYaml(text, "x.yaml")); },
       {"examples/shelf/task.yaml", "tests/config/robot/full.yaml"}},
      {"json",
       [](std::string_view text) { visit(parseJson(text, "x.json")); },
       {},
       {kSpline, "{\"a\": [1, -2.5e-3, true, null, \"\\u00e4\"], \"b\": {}}"}},
      {"motion",
       [](std::string_view text) { parseMotion(text, "x.csv"); },
       {"tests/config/robot/agv.csv"},
       {"time,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,1\n1,1,2,3,0,0,1,0\n"}},
      {"points_pcd",
       [](std::string_view text) { requirePlaces(parsePoints(text, "x.pcd")); },
       {},
       {kPcd}},
      {"points_ply",
       [](std::string_view text) { requirePlaces(parsePoints(text, "x.ply")); },
       {},
       {kPly}},
      {"points_xyz",
       [](std::string_view text) { requirePlaces(parsePoints(text, "x.xyz")); },
       {},
       {"0 1 2\n# a comment\n3,4,5,255\n"}},
      {"octree",
       [](std::string_view text) { requireCells(parseOctree(text, "x.bt", OctreeOptions())); },
       {},
       {octreeFile("bt"), octreeFile("ot")}},
      {"picture",
       [](std::string_view text) { parseGreyPicture(text, "x.pgm"); },
       {},
       {"P2\n2 2\n255\n0 1 2 255\n", "P5\n2 1\n255\nab"}},
      {"trajectory_csv",
       [](std::string_view text) { requireRoundTrip(parseTrajectoryCsv(text, "x.csv")); },
       {},
       {kRows, "time,a\n0,1\n1,2\n"}},
      {"trajectory_json",
       [](std::string_view text) { requireRoundTrip(parseTrajectoryJson(text, "x.json")); },
       {},
       {kSpline}},
      {"trajectory_ros2",
       [](std::string_view text) { requireRoundTrip(parseJointTrajectory(text, "x.yaml")); },
       {},
       {kRos}},
      {"certificate_json",
       [](std::string_view text) {
         const std::string again = formatCertificateJson(parseCertificateJson(text, "x.json"));
         require(formatCertificateJson(parseCertificateJson(again, "y.json")) == again,
                 "a certificate reads back to the bit");
       },
       {},
       {formatCertificateJson(smallCertificate())}},
  };
}

}  // namespace allclear::fuzz
