// The order of the queries gives them their numbers, and a run is resumed by number. So the order
// follows from the inputs alone, and the run remembers a hash of them.
#include "allclear/apps/batch/sources.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "allclear/config/document/yaml.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/core/sha256.h"

namespace allclear::batch {
namespace {

namespace fs = std::filesystem;

/// "shelf/task" of ".../shelf/task.yaml".
std::string nameOf(const fs::path& file) {
  return (file.parent_path().filename() / file.stem()).generic_string();
}

/// Numbers of one length, so that names sort as the queries do.
std::string numbered(const std::string& name, std::int64_t i, std::int64_t count) {
  const std::string last = std::to_string(count - 1);
  const std::string own = std::to_string(i);
  return name + "/" + std::string(last.size() - own.size(), '0') + own;
}

std::vector<fs::path> pathsOf(const nlohmann::ordered_json& list) {
  std::vector<fs::path> out;
  for (const auto& path : list) out.emplace_back(path.get<std::string>());
  return out;
}

}  // namespace

std::string inputsJson(const Inputs& inputs) {
  nlohmann::ordered_json out;
  const auto put = [&](const char* key, const std::vector<fs::path>& paths) {
    out[key] = nlohmann::ordered_json::array();
    for (const fs::path& path : paths) out[key].push_back(path.string());
  };
  put("tasks", inputs.tasks);
  put("problems", inputs.problems);
  put("sweeps", inputs.sweeps);
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Inputs parseInputs(const std::string& json) {
  const auto parsed = nlohmann::ordered_json::parse(json);
  return {pathsOf(parsed.at("tasks")), pathsOf(parsed.at("problems")),
          pathsOf(parsed.at("sweeps"))};
}

void Sources::add(Part part) {
  part.first = count_;
  count_ += part.count;
  parts_.push_back(std::move(part));
}

Sources Sources::open(const Inputs& inputs) {
  Sources out;
  FilesSha256 hash;
  std::set<fs::path> seen;
  // Paths are part of the hash: a task in another folder names other files.
  const auto read = [&](const fs::path& file) {
    if (!seen.insert(file).second) {
      throw InputError({file.string(), 0, "", ""}, "is given twice");
    }
    const std::string text = readFile(file, DocumentLimits{}.bytes);
    hash.add(std::to_string(seen.size()) + ":" + file.string(), text);
    return text;
  };
  for (const fs::path& file : inputs.tasks) {
    read(file);
    out.add({0, 1, file, file.parent_path().filename().string(), {}, -1});
  }
  for (const fs::path& file : inputs.problems) {
    const Value set = parseYaml(read(file), file.string());
    set.need("format").word({"planning_problems_v1"});
    Part part{0, 0, file, set.need("robot").text() + "/" + set.need("scene").text(), {}, -1};
    for (const Value& problem : set.need("problems").items()) {
      part.names.push_back(problem.need("name").text());
    }
    part.count = static_cast<std::int64_t>(part.names.size());
    out.add(std::move(part));
  }
  for (const fs::path& file : inputs.sweeps) {
    read(file);
    const Sweep sweep = Sweep::load(file);
    hash.add("task of " + file.string(), readFile(sweep.task()));
    out.add(
        {0, sweep.count(), sweep.task(), nameOf(file), {}, static_cast<int>(out.sweeps_.size())});
    out.sweeps_.push_back(sweep);
  }
  out.sha256_ = hash.hex();
  return out;
}

Query Sources::query(std::int64_t number) const {
  // The part is the last one that begins at this number or before it.
  const auto after =
      std::upper_bound(parts_.begin(), parts_.end(), number,
                       [](std::int64_t n, const Part& part) { return n < part.first; });
  const Part& part = *std::prev(after);
  const std::int64_t i = number - part.first;
  Query query;
  query.number = number;
  query.scene = part.scene;
  query.file = part.file.string();
  query.bundle = query.file;
  if (part.sweep >= 0) {
    Sweep::Variant variant = sweeps_[static_cast<std::size_t>(part.sweep)].variant(i);
    query.id = numbered(part.scene, i, part.count);
    query.text = std::move(variant.text);
    query.parameters = std::move(variant.parameters);
    query.bundle = std::to_string(part.sweep) + ":" + variant.bundle + ":" + query.file;
  } else if (!part.names.empty()) {
    query.id = part.scene + "/" + part.names[static_cast<std::size_t>(i)];
    query.index = static_cast<int>(i);
  } else {
    query.id = part.file.string();
  }
  return query;
}

}  // namespace allclear::batch
