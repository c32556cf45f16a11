// Everything that a task names is read through here, so here is where it is hashed, recorded for
// those who bring a task to another machine, and taken from earlier tasks where these have read it
// already.
#include "allclear/config/values/input_files.h"

#include "allclear/config/document/yaml.h"
#include "allclear/config/values/input_cache.h"
#include "allclear/core/file.h"
#include "allclear/robot_models/files/mesh_file.h"
#include "allclear/robot_models/files/mesh_sequence_file.h"
#include "allclear/robot_models/files/recorded_robot.h"

namespace allclear {

void InputFiles::usePackages(PackageMap package_map,
                             const std::filesystem::path& description_file) {
  package_map_ = std::move(package_map);
  moveTo(description_file);
}

void InputFiles::moveTo(const std::filesystem::path& description_file, const std::string& prefix) {
  prefix_ = prefix;
  paths_ = PackagePaths(package_map_, description_file);
  folder_ = std::filesystem::absolute(description_file).parent_path();
}

std::filesystem::path InputFiles::find(const Value& name) const {
  return paths_.find(name.text(), {name.file(), name.line(), name.path(), name.text()});
}

Value InputFiles::document(const std::filesystem::path& path, const std::string& name) {
  const std::string text = readFile(path, DocumentLimits{}.bytes);
  if (files_read_ != nullptr) files_read_->push_back(path);
  return documentOf(text, path, name);
}

Value InputFiles::documentOf(const std::string& text, const std::filesystem::path& path,
                             const std::string& name) {
  hash(name, text);
  return parseYaml(text, path.string(), DocumentLimits{});
}

std::string InputFiles::contentOf(const std::filesystem::path& path, const std::string& name) {
  std::string text = readFile(path);
  if (files_read_ != nullptr) files_read_->push_back(path);
  hash(name, text);
  return text;
}

std::string InputFiles::content(const Value& name) { return contentOf(find(name), name.text()); }

TriangleMesh InputFiles::meshOf(const std::filesystem::path& path, const Vec3& scale) {
  const std::string text = contentOf(path, path.filename().string());
  if (cache_ != nullptr) return cache_->mesh(text, path, scale);
  MeshOptions options;
  options.scale = scale;
  return parseMesh(text, path, options);
}

TriangleMesh InputFiles::mesh(const Value& name, const Vec3& scale) {
  if (cache_ != nullptr) return cache_->mesh(content(name), find(name), scale);
  MeshOptions options;
  options.scale = scale;
  return parseMesh(content(name), find(name), options);
}

DeformingMesh InputFiles::sequence(const Value& pattern, double rate, double start, double scale) {
  const std::filesystem::path path(pattern.text());
  const auto files = sequenceFiles(path.is_absolute() ? path : folder_ / path);
  return loadMeshSequence(files, rate, start, scale, [&](const std::filesystem::path& file) {
    std::string text = readFile(file);
    if (files_read_ != nullptr) files_read_->push_back(file);
    hash((path.parent_path() / file.filename()).string(), text);
    return text;
  });
}

std::shared_ptr<const RobotModel> InputFiles::robot(const RobotSource& source) const {
  if (cache_ != nullptr) return cache_->robot(source, files_read_);
  return std::make_shared<const RobotModel>(loadRobot(source, files_read_));
}

}  // namespace allclear
