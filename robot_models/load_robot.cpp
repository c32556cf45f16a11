// From files to a `RobotModel`: URDF, then SRDF (whose virtual joint may put a moving base above
// the root, so it is needed before coordinates are made), then coordinates, meshes, groups and
// pairs. The hash of all files read identifies the robot in certificates and fitted
// shapes.
#include "allclear/robot_models/load_robot.h"

#include <optional>

#include "allclear/core/file.h"
#include "allclear/core/sha256.h"
#include "allclear/robot_models/files/link_geometry.h"
#include "allclear/robot_models/files/load_notes.h"
#include "allclear/robot_models/files/recorded_robot.h"
#include "allclear/robot_models/files/srdf_reader.h"
#include "allclear/robot_models/files/urdf_reader.h"
#include "allclear/robot_models/files/xacro.h"

namespace allclear {
namespace {

constexpr std::size_t kLargestXmlFile = std::size_t{1} << 26;

/// The text of a URDF or SRDF. One in the macro language xacro is expanded; what comes before its
/// root element names the folder that xacro ran in, so it is no part of the hash.
std::string readDescription(const std::filesystem::path& path, const std::string& kind,
                            FilesSha256& files, LoadNotes& notes) {
  const std::string hashed_as = kind == "URDF" ? "urdf" : "srdf";
  std::string content = readFile(path, kLargestXmlFile);
  // Only what xacro makes of a file is hashed: its macros may change without changing the robot.
  if (!isXacro(path, content)) {
    files.add(hashed_as, content);
    return content;
  }
  content = expandedXacro(path, kLargestXmlFile);
  const std::size_t root = content.find("<robot");
  files.add(hashed_as, std::string_view(content).substr(root == std::string::npos ? 0 : root));
  notes.assume(kind, path.string(), 0,
               "is a xacro file, read as 'xacro FILE' expands it (lines are those of the result)");
  return content;
}

void append(const LoadNotes& from, LoadNotes& to) {
  to.warnings.insert(to.warnings.end(), from.warnings.begin(), from.warnings.end());
  to.assumptions.insert(to.assumptions.end(), from.assumptions.begin(), from.assumptions.end());
}

RobotModel::Data assembled(const RobotSource& source, const UrdfRobot& urdf, FilesSha256& files,
                           LoadNotes& notes, std::vector<std::filesystem::path>* files_read) {
  const std::string file = source.urdf.string();
  RobotModel::Data data;
  data.name = urdf.name;
  data.source_file = file;
  JointCoordinates joints = makeCoordinates(urdf.joints, file, notes);
  data.joints = std::move(joints.joints);
  data.coordinates = std::move(joints.coordinates);
  GeometryLoader loader(PackagePaths(source.package_map, source.urdf), file, files, notes.warnings);
  loader.useOpenMeshes(source.open_meshes);
  loader.keepCoversIn(source.covers);
  loader.recordFiles(files_read);
  for (const UrdfLink& from : urdf.links) {
    Link link;
    link.name = from.name;
    link.inertia = from.inertia;
    link.inertia_fault = from.inertia_fault;
    link.collision = loader.collision(from);
    link.has_visuals = from.has_visuals;
    if (source.load_visuals) link.visual = loader.visual(from);
    // Visuals stand in only where asked to, and then a broken one is an error.
    const bool is_missing = source.load_collision && link.collision.empty();
    if (is_missing && source.collide_as_visual && link.has_visuals) {
      link.collision = loader.visualAsCollision(from);
      link.collides_as_visual = true;
    }
    data.links.push_back(std::move(link));
  }
  for (std::size_t j = 0; j < data.joints.size(); ++j) {
    data.links[data.joints[j].child_link].parent_joint = static_cast<int>(j);
  }
  return data;
}

/// An SRDF file that was read but not yet applied.
struct Srdf {
  XmlReader reader;
  XmlElement root;
  std::optional<VirtualJoint> virtual_joint;
};

std::optional<Srdf> readSrdf(const std::filesystem::path& path, const std::string& root_link,
                             FilesSha256& files, LoadNotes& notes) {
  if (path.empty()) return std::nullopt;
  const std::string content = readDescription(path, "SRDF", files, notes);
  Srdf srdf{XmlReader(path.string()), parseXml(content, path.string()), {}};
  srdf.virtual_joint = findVirtualJoint(srdf.root, srdf.reader, root_link, notes);
  return srdf;
}

void placeBase(BaseJoint wanted, const std::optional<Srdf>& srdf, UrdfRobot& urdf,
               LoadNotes& notes) {
  if (!srdf || !srdf->virtual_joint) {
    if (wanted != BaseJoint::kFromSrdf) addBase(wanted, "virtual_joint", "world", urdf);
    return;
  }
  // The SRDF may declare a moving base that the task does not ask for: say so, and keep it fixed.
  const VirtualJoint& joint = *srdf->virtual_joint;
  if (wanted == BaseJoint::kFixed && joint.type != BaseJoint::kFixed) {
    notes.assume("SRDF", srdf->reader.file(), 0,
                 "virtual_joint '" + joint.name +
                     "' lets the base move; the base is fixed unless 'base: srdf' is asked for");
  }
  addBase(wanted == BaseJoint::kFromSrdf ? joint.type : wanted, joint.name, joint.parent_frame,
          urdf);
}

void addDefaultPairs(const DefaultPairOptions& options, RobotModel::Data& data) {
  // The finder needs a whole robot; its copy shares the meshes and all that is derived from them.
  const DefaultPairs pairs = findDefaultPairs(RobotModel(data), options);
  data.disabled_pairs = pairs.disabled;
  if (pairs.adjacent + pairs.always + pairs.never + pairs.checked == 0) return;
  const auto count = [](int n) { return std::to_string(n); };
  data.warnings.push_back(
      data.source_file + ": no SRDF says which pairs of links to check: " + count(pairs.checked) +
      " are checked, " + count(pairs.adjacent) + " adjacent and " + count(pairs.always) +
      " always in contact are not; " + count(pairs.never) + " were never in contact in " +
      count(options.samples) + " samples and are " +
      (options.disable_never ? "not checked" : "checked all the same"));
}

}  // namespace

RobotModel loadRobot(const RobotSource& source) { return loadRobot(source, nullptr); }

RobotModel loadRobot(const RobotSource& source, std::vector<std::filesystem::path>* files_read) {
  if (files_read != nullptr) {
    files_read->push_back(source.urdf);
    if (!source.srdf.empty()) files_read->push_back(source.srdf);
  }
  FilesSha256 files;
  LoadNotes notes;
  const std::string content = readDescription(source.urdf, "URDF", files, notes);
  UrdfParts parts;
  parts.collision = source.load_collision;
  parts.visual = source.load_visuals || source.collide_as_visual;
  parts.visual_collides = source.load_collision && source.collide_as_visual;
  parts.soft_limits = source.soft_limits;
  UrdfRobot urdf = readUrdf(content, source.urdf.string(), parts);
  append(urdf.notes, notes);
  const std::optional<Srdf> srdf = readSrdf(source.srdf, urdf.links.front().name, files, notes);
  placeBase(source.base, srdf, urdf, notes);
  RobotModel::Data data = assembled(source, urdf, files, notes, files_read);
  data.source_sha256 = files.hex();
  // An SRDF that says nothing about pairs leaves them to the samples, as no SRDF does.
  const bool has_pairs = srdf && applySrdf(srdf->root, srdf->reader, data, notes);
  data.warnings = std::move(notes.warnings);
  data.assumptions = std::move(notes.assumptions);
  if (!has_pairs) addDefaultPairs(source.self_pairs, data);
  return RobotModel(std::move(data));
}

}  // namespace allclear
