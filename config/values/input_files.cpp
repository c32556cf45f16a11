#include "allclear/config/values/input_files.h"

#include "allclear/config/document/yaml.h"
#include "allclear/core/file.h"
#include "allclear/robot_models/files/mesh_file.h"

namespace allclear {

void InputFiles::usePackages(PackageMap package_map,
                             const std::filesystem::path& description_file) {
  package_map_ = std::move(package_map);
  moveTo(description_file);
}

void InputFiles::moveTo(const std::filesystem::path& description_file, const std::string& prefix) {
  prefix_ = prefix;
  paths_ = PackagePaths(package_map_, description_file);
}

std::filesystem::path InputFiles::find(const Value& name) const {
  return paths_.find(name.text(), {name.file(), name.line(), name.path(), name.text()});
}

Value InputFiles::document(const std::filesystem::path& path, const std::string& name) {
  return parsed(readFile(path, DocumentLimits{}.bytes), path, name);
}

Value InputFiles::parsed(std::string_view text, const std::filesystem::path& path,
                         const std::string& name) {
  hash(name, text);
  return parseYaml(text, path.string(), DocumentLimits{});
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

}  // namespace allclear
