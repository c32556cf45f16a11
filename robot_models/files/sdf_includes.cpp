// What an SDF world includes, and how much of it there is.
//
// A model is included by a URI, which leads to a folder with a file model.config and one SDF file
// for each version of the format. Every folder is looked through once; what it weighs, with all
// that it includes in turn, counts at each place where it is included.
#include "allclear/robot_models/files/sdf_includes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <vector>

#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/robot_models/files/byte_reader.h"
#include "allclear/robot_models/files/xml_element.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;

/// A larger file holds no world: meshes are in files of their own.
constexpr std::size_t kLargestFile = std::size_t{32} << 20;

/// A unit is some 150 KB of the library's memory: two gigabytes in all.
constexpr std::size_t kMostUnits = 16'000;

/// Models that include models; the library's time grows with the square.
constexpr int kMostNested = 32;

/// As of the poses of tasks [m, rad]: angles beyond have no digits left, and lengths beyond would
/// be refused later without their line.
constexpr double kGreatestValue = 1e9;

/// The share of an element in what the library may use, as measured: those of long schemas count
/// more.
std::size_t unitsOf(const XmlElement& element) {
  if (element.name == "model") return 8;
  if (element.name == "link") return 6;
  if (element.name == "sensor") return 4;
  if (element.name == "joint") return 3;
  return 1;
}

std::string wordOf(const std::string& text) {
  std::string word;
  std::istringstream(text) >> word;
  return word;
}

class IncludeWalk {
 public:
  IncludeWalk(const fs::path& path, const SdfFiles& files) : path_(path), files_(files) {}

  std::map<std::string, fs::path> run(const std::string& content) {
    unitsIn(content, path_);
    return std::move(folders_);
  }

 private:
  std::size_t unitsIn(const std::string& content, const fs::path& file) {
    throwIfStopped();
    if (content.size() > kLargestFile) {
      throw InputError({file.string(), 0, "", ""}, "is larger than 32 MiB");
    }
    std::size_t units = 0;
    add(parseXml(content, file.string()), file, &units);
    return units;
  }

  /// The element with all below it.
  void add(const XmlElement& element, const fs::path& file, std::size_t* units) {
    if (element.name == "pose") requirePose(element, file);
    *units += unitsOf(element);
    if (element.name == "include") {
      if (const XmlElement* uri = element.child("uri")) *units += unitsOfModel(wordOf(uri->text));
    }
    if (*units > kMostUnits) {
      throw InputError({file.string(), element.line, "", ""},
                       "is too large with all that it includes: libsdformat would take more than "
                       "2 GB (some 800 models of one link are the limit)");
    }
    for (const XmlElement& child : element.children) add(child, file, units);
  }

  static void requirePose(const XmlElement& element, const fs::path& file) {
    std::istringstream words(element.text);
    for (std::string word; words >> word;) {
      const auto value = numberOf<double>(word);
      if (!value || std::abs(*value) <= kGreatestValue) continue;
      throw InputError({file.string(), element.line, "pose", word}, "is not finite or beyond 1e9");
    }
  }

  /// Of the versions of a model one is taken: the largest counts.
  std::size_t unitsOfModel(const std::string& uri) {
    const fs::path folder = files_.find(uri + "/model.config", path_).parent_path();
    folders_[uri] = folder;
    const auto [known, is_new] = units_.try_emplace(folder.string());
    if (!is_new && !known->second) fail(uri, "the model includes itself");
    if (!is_new) return *known->second;
    if (++depth_ > kMostNested) fail(uri, "models include models too deeply");
    std::size_t units = 0;
    for (const fs::path& file : filesIn(folder)) {
      units = std::max(units, unitsIn(files_.read(file), file));
    }
    --depth_;
    units_[folder.string()] = units;
    return units;
  }

  [[noreturn]] void fail(const std::string& uri, const std::string& message) const {
    throw InputError({path_.string(), 0, "include", uri}, message);
  }

  /// In one order whatever the folder lists, as the hash of a task depends on it.
  static std::vector<fs::path> filesIn(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      const std::string suffix = it->path().extension().string();
      if (suffix == ".sdf" || suffix == ".config") files.push_back(it->path());
    }
    if (error) throw InputError({folder.string(), 0, "", ""}, "cannot be read: " + error.message());
    std::sort(files.begin(), files.end());
    return files;
  }

  const fs::path& path_;
  const SdfFiles& files_;
  std::map<std::string, fs::path> folders_;
  std::map<std::string, std::optional<std::size_t>> units_;  ///< none: it is being looked through
  int depth_ = 0;
};

}  // namespace

std::map<std::string, fs::path> checkedIncludes(const std::string& content, const fs::path& path,
                                                const SdfFiles& files) {
  return IncludeWalk(path, files).run(content);
}

}  // namespace allclear
