#include "allclear/config/values/input_files.h"

#include "allclear/config/document/yaml.h"
#include "allclear/core/file.h"
#include "allclear/robot_models/files/mesh_file.h"
#include "allclear/robot_models/files/mesh_sequence_file.h"

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
  const DocumentLimits limits;
  const std::string text = readFile(path, limits.bytes);
  hash(name, text);
  return parseYaml(text, path.string(), limits);
}

std::string InputFiles::content(const Value& name) {
  std::string text = readFile(find(name));
  hash(name.text(), text);
  return text;
}

TriangleMesh InputFiles::mesh(const Value& name, const Vec3& scale) {
  MeshOptions options;
  options.scale = scale;
  return parseMesh(content(name), find(name), options);
}

DeformingMesh InputFiles::sequence(const Value& pattern, double rate, double start, double scale) {
  const std::filesystem::path path(pattern.text());
  const auto files = sequenceFiles(path.is_absolute() ? path : folder_ / path);
  return loadMeshSequence(files, rate, start, scale, [&](const std::filesystem::path& file) {
    std::string text = readFile(file);
    hash((path.parent_path() / file.filename()).string(), text);
    return text;
  });
}

}  // namespace allclear
