// Where a mesh's URI may point to. package://NAME/PATH is looked for, in this order, in the folders
// that the caller maps, on ROS_PACKAGE_PATH (ROS 1: folders that hold packages, or are one), in
// share/NAME on AMENT_PREFIX_PATH (ROS 2), and in the folders above the URDF, because robots are
// often unpacked without an installation. The first existing file counts. Gazebo's
// model://NAME/PATH is the same, with Gazebo's own paths beside those of ROS.
#include "allclear/robot_models/load_robot.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace allclear {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPackageScheme = "package://";
constexpr std::string_view kModelScheme = "model://";
constexpr std::string_view kFileScheme = "file://";
constexpr std::string_view kLocalHost = "localhost/";
/// Folders that hold packages or models, or are one.
constexpr const char* kFolderVariables[] = {"ROS_PACKAGE_PATH", "GAZEBO_MODEL_PATH",
                                            "GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH",
                                            "SDF_PATH"};

std::vector<fs::path> foldersOfVariable(const char* variable) {
  std::vector<fs::path> folders;
  const char* value = std::getenv(variable);
  std::string_view rest = value ? value : "";
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    if (!folder.empty()) folders.emplace_back(folder);
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
  }
  return folders;
}

void addPackageFolders(const fs::path& folder, const std::string& package,
                       std::vector<fs::path>& places) {
  // "a/b/" has no file name: the folder's name is that of its parent path.
  const fs::path name = folder.has_filename() ? folder.filename() : folder.parent_path().filename();
  if (name == package) places.push_back(folder);
  places.push_back(folder / package);
}

std::string listed(const std::vector<fs::path>& places) {
  std::string out;
  for (const fs::path& place : places) out += (out.empty() ? "" : ", ") + place.string();
  return out;
}

/// The NAME/PATH of package:// and model:// URIs, else nothing.
std::optional<std::string> withinPackage(const std::string& uri) {
  for (const std::string_view scheme : {kPackageScheme, kModelScheme}) {
    if (!uri.starts_with(scheme)) continue;
    // package:///NAME/PATH is a slip that pinocchio reads, too.
    const std::size_t begin = uri.find_first_not_of('/', scheme.size());
    return begin == std::string::npos ? "" : uri.substr(begin);
  }
  return std::nullopt;
}

/// The path of a file:// URI, whose host may be named.
std::string withoutFileScheme(const std::string& uri) {
  std::string path = uri.substr(kFileScheme.size());
  if (path.starts_with(kLocalHost)) path.erase(0, kLocalHost.size() - 1);
  return path;
}

/// What to do about a package's file that is nowhere.
std::string packageHint(const std::string& uri) {
  const std::optional<std::string> path = withinPackage(uri);
  if (!path) return "";
  const std::string name = path->substr(0, path->find('/'));
  return "; give the folder of that package: 'package_map: {" + name +
         ": FOLDER}' under 'robot' of a task, or --package " + name + "=FOLDER";
}

/// A name that only a shell would complete.
std::string shellHint(const std::string& uri) {
  const bool is_home = uri.starts_with('~');
  if (!is_home && uri.find('$') == std::string::npos) return "";
  return std::string("; '") + (is_home ? "~" : "$") +
         "' is not expanded here: write the whole path, or one beside this file";
}

/// The folder of a file; a name that is empty, as of a variable that is not set, has none.
fs::path folderOf(const fs::path& file) {
  if (file.empty()) throw InputError("the name of a file is empty");
  return fs::absolute(file).lexically_normal().parent_path();
}

}  // namespace

PackagePaths::PackagePaths(PackageMap package_map, const fs::path& description_file)
    : package_map_(std::move(package_map)), folder_(folderOf(description_file)) {}

std::vector<fs::path> PackagePaths::candidates(const std::string& uri,
                                               const InputPlace& place) const {
  if (uri.starts_with(kFileScheme)) return {folder_ / fs::path(withoutFileScheme(uri))};
  const std::optional<std::string> within = withinPackage(uri);
  if (!within) {
    if (uri.find("://") != std::string::npos) {
      throw InputError(place, "only package://, model://, file:// and plain paths can be read");
    }
    return {folder_ / uri};
  }
  const std::string& path = *within;
  // Both a name and a path, or the URI is cut short.
  const std::size_t slash = path.find('/');
  if (slash == 0 || slash == std::string::npos ||
      path.find_first_not_of('/', slash) == std::string::npos) {
    throw InputError(place, "must be package://NAME/PATH or model://NAME/PATH");
  }
  const std::string package = path.substr(0, slash);
  // A package gives its own files, not those around it.
  const fs::path inside =
      fs::path(path.substr(path.find_first_not_of('/', slash))).lexically_normal();
  if (package == "." || package == ".." || *inside.begin() == "..") {
    throw InputError(place, "leads out of its package");
  }

  // What the caller says first, what the environment says next, the file's surroundings last.
  std::vector<fs::path> folders;
  if (const auto it = package_map_.find(package); it != package_map_.end()) {
    folders.push_back(fs::absolute(it->second).lexically_normal());
  }
  for (const char* variable : kFolderVariables) {
    for (const fs::path& folder : foldersOfVariable(variable)) {
      addPackageFolders(folder, package, folders);
    }
  }
  for (const fs::path& prefix : foldersOfVariable("AMENT_PREFIX_PATH")) {
    folders.push_back(prefix / "share" / package);
  }
  for (fs::path folder = folder_;; folder = folder.parent_path()) {
    addPackageFolders(folder, package, folders);
    if (folder == folder.parent_path()) break;
  }
  for (fs::path& folder : folders) folder /= inside;
  return folders;
}

fs::path PackagePaths::find(const std::string& uri, const InputPlace& place) const {
  const std::vector<fs::path> places = candidates(uri, place);
  for (const fs::path& candidate : places) {
    std::error_code ignored;
    if (fs::is_regular_file(candidate, ignored)) return candidate.lexically_normal();
  }
  throw InputError(
      place, "no such file; looked for " + listed(places) + packageHint(uri) + shellHint(uri));
}

}  // namespace allclear
