// Keeps robots and meshes between tasks. What is expensive about them is not reading their files
// but the convex covers that the planner makes of their meshes on first use; these stay with the
// mesh, and copies share them. So it is enough to give out the same objects again.
#include "allclear/config/values/input_cache.h"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>

#include "allclear/core/sha256.h"
#include "allclear/robot_models/files/mesh_file.h"
#include "allclear/robot_models/files/recorded_robot.h"

namespace allclear {
namespace {

/// Everything in a source that decides what is loaded, as text.
std::string keyOf(const RobotSource& source) {
  std::string key = source.urdf.string() + '\n' + source.srdf.string() + '\n';
  for (const auto& [name, folder] : source.package_map) key += name + '=' + folder.string() + '\n';
  const DefaultPairOptions& pairs = source.self_pairs;
  for (const int word :
       {static_cast<int>(source.base), static_cast<int>(source.soft_limits),
        static_cast<int>(source.load_collision), static_cast<int>(source.load_visuals),
        static_cast<int>(source.collide_as_visual), static_cast<int>(source.open_meshes),
        pairs.samples, static_cast<int>(pairs.disable_never)}) {
    key += std::to_string(word) + ' ';
  }
  return key;
}

/// Puts the element in front and returns it.
template <class T>
T& used(std::list<T>& list, typename std::list<T>::iterator element) {
  list.splice(list.begin(), list, element);
  return list.front();
}

}  // namespace

InputCache::FileStamp InputCache::stampOf(const std::filesystem::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return {path, 0, -1};
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return {path, static_cast<std::uintmax_t>(status.st_size),
          status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
}

bool InputCache::isUnchanged(const KnownRobot& known) {
  return std::all_of(known.files.begin(), known.files.end(),
                     [](const FileStamp& file) { return stampOf(file.path) == file; });
}

std::shared_ptr<const RobotModel> InputCache::robot(
    const RobotSource& source, std::vector<std::filesystem::path>* files_read) {
  const std::string key = keyOf(source);
  const auto known = std::find_if(robots_.begin(), robots_.end(),
                                  [&](const KnownRobot& robot) { return robot.key == key; });
  if (known != robots_.end()) {
    // A robot whose files have changed since is another one, and the old one is of no use any more.
    if (isUnchanged(*known)) {
      if (files_read != nullptr) {
        for (const FileStamp& file : known->files) files_read->push_back(file.path);
      }
      return used(robots_, known).robot;
    }
    robots_.erase(known);
  }
  // Which files there are is known after loading. One that changes while it is read may be kept as
  // it was: a batch does not edit its inputs.
  ++robots_loaded_;
  std::vector<std::filesystem::path> own;
  std::vector<std::filesystem::path>& files = files_read != nullptr ? *files_read : own;
  const auto first = static_cast<std::ptrdiff_t>(files.size());
  auto robot = std::make_shared<const RobotModel>(loadRobot(source, &files));
  if (source.urdf.extension() == ".xacro" || source.srdf.extension() == ".xacro") return robot;
  KnownRobot entry{key, {}, robot};
  std::transform(files.begin() + first, files.end(), std::back_inserter(entry.files), stampOf);
  robots_.push_front(std::move(entry));
  if (robots_.size() > kMostRobots) robots_.pop_back();
  return robot;
}

TriangleMesh InputCache::mesh(const std::string& content, const std::filesystem::path& path,
                              const Vec3& scale) {
  // The extension tells the format; the scale's bits are its key.
  std::string key = sha256(content) + path.extension().string();
  key.append(reinterpret_cast<const char*>(scale.data()), sizeof(double) * 3);
  const auto known = std::find_if(meshes_.begin(), meshes_.end(),
                                  [&](const KnownMesh& mesh) { return mesh.key == key; });
  if (known != meshes_.end()) return used(meshes_, known).mesh;
  MeshOptions options;
  options.scale = scale;
  meshes_.push_front({key, parseMesh(content, path, options)});
  if (meshes_.size() > kMostMeshes) meshes_.pop_back();
  return meshes_.front().mesh;
}

}  // namespace allclear
