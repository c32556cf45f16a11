// A sweep puts values at keys of a task's document and gives the result as text, which the reader
// of tasks then reads as strictly as any other: a key or a value that is wrong is an error of the
// variant, named there. The text is JSON, which is YAML too; numbers keep their bits.
#include "allclear/apps/batch/sweep.h"

#include <algorithm>
#include <charconv>

#include "allclear/config/document/yaml.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"

namespace allclear::batch {
namespace {

using Json = nlohmann::ordered_json;

/// So many queries of a run at most: their numbers are names of folders with nine digits.
constexpr std::int64_t kMostQueries = 1'000'000'000;
constexpr int kMostSteps = 10'000'000;

/// A plain scalar as YAML means it: a number, true or false, or else text.
Json scalarJson(const Value& value) {
  const std::string text = value.textOrEmpty();
  if (!value.isNumber()) {
    if (text == "true" || text == "false") return text == "true";
    return text;
  }
  // Whole numbers keep all their digits, seeds above 2^53 too; others are shortest decimals.
  std::int64_t whole = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, whole);
  if (error == std::errc() && stop == end) return whole;
  std::uint64_t large = 0;
  const auto [large_stop, large_error] = std::from_chars(text.data(), end, large);
  if (large_error == std::errc() && large_stop == end) return large;
  return value.number();
}

/// The document without its places: a variant is read again, and gets new ones.
Json toJson(const Value& value) {
  if (value.isNull()) return nullptr;
  if (value.isScalar()) return scalarJson(value);
  if (value.isList()) {
    Json out = Json::array();
    for (const Value& item : value.items()) out.push_back(toJson(item));
    return out;
  }
  Json out = Json::object();
  for (const Value::Entry& entry : value.entries()) out[entry.key] = toJson(entry.value);
  return out;
}

/// "a.b[2].c" as a, b, 2, c. Empty where it is no key.
std::vector<std::string> stepsOf(const std::string& key) {
  std::vector<std::string> steps(1);
  for (const char c : key) {
    if (c == '.' || c == '[') {
      if (steps.back().empty()) return {};
      steps.emplace_back();
    } else if (c != ']') {
      steps.back() += c;
    }
  }
  return steps.back().empty() ? std::vector<std::string>{} : steps;
}

/// The element of a list: by its index, or by what stands at `id`, `name` or `link` of its maps.
Json* elementOf(Json& list, const std::string& step) {
  std::size_t index = 0;
  const auto [stop, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  if (error == std::errc() && stop == step.data() + step.size()) {
    return index < list.size() ? &list[index] : nullptr;
  }
  for (Json& item : list) {
    for (const char* name : {"id", "name", "link"}) {
      if (item.is_object() && item.contains(name) && item[name] == step) return &item;
    }
  }
  return nullptr;
}

/// Where the steps lead. Keys of maps that are not there are made: the reader of tasks knows
/// whether they may be. Null where an element of a list is not there.
Json* placeOf(Json& document, const std::vector<std::string>& steps) {
  Json* at = &document;
  for (const std::string& step : steps) {
    // A key without a value, as one that is not there, becomes a map.
    if (at->is_null()) *at = Json::object();
    if (at->is_object()) {
      at = &(*at)[step];
    } else if (at->is_array()) {
      at = elementOf(*at, step);
      if (at == nullptr) return nullptr;
    } else {
      return nullptr;
    }
  }
  return at;
}

/// A list of values, or `{from, to, count}`: so many numbers at equal distances, both ends
/// included.
std::vector<Json> readValues(const Value& section) {
  std::vector<Json> out;
  if (section.isMap()) {
    section.only({"from", "to", "count"});
    const double from = section.need("from").number();
    const double to = section.need("to").number();
    const int count = static_cast<int>(section.need("count").integer(1, kMostSteps));
    // The last one is exactly `to`: the sum may miss it by a rounding.
    for (int i = 0; i < count; ++i) {
      out.emplace_back(
          i == count - 1 && count > 1 ? to : from + (to - from) * i / std::max(1, count - 1));
    }
    return out;
  }
  if (!section.isList()) section.fail("must be a list of values, or {from, to, count}");
  for (const Value& value : section.items()) out.push_back(toJson(value));
  if (out.empty()) section.fail("must hold at least one value");
  return out;
}

/// Only text can name a file, so variants that differ in numbers alone read the same files.
bool holdsText(const Json& value) {
  if (value.is_string()) return true;
  return value.is_structured() && std::any_of(value.begin(), value.end(), holdsText);
}

}  // namespace

Sweep Sweep::load(const std::filesystem::path& path) {
  const Value document = parseYaml(readFile(path, DocumentLimits{}.bytes), path.string());
  document.only({"task", "combine", "values"});
  Sweep sweep;
  const Value task = document.need("task");
  sweep.task_ = std::filesystem::absolute(path).parent_path() / task.text();
  if (!std::filesystem::is_regular_file(sweep.task_)) {
    task.fail("no such file: " + sweep.task_.string());
  }
  sweep.base_ =
      toJson(parseYaml(readFile(sweep.task_, DocumentLimits{}.bytes), sweep.task_.string()));
  if (const auto combine = document.find("combine")) {
    sweep.zip_ = combine->word({"product", "zip"}) == "zip";
  }
  sweep.count_ = 1;
  const Value values = document.need("values");
  for (const Value::Entry& entry : values.entries()) {
    Axis axis{entry.key, stepsOf(entry.key), readValues(entry.value), false};
    // Tried at once, so that a wrong key is told before anything is solved.
    Json trial = sweep.base_;
    if (axis.steps.empty() || placeOf(trial, axis.steps) == nullptr) {
      entry.value.fail("leads nowhere in " + sweep.task_.string());
    }
    axis.may_name_files = std::any_of(axis.values.begin(), axis.values.end(), holdsText);
    const auto size = static_cast<std::int64_t>(axis.values.size());
    if (sweep.zip_) {
      if (!sweep.axes_.empty() && size != sweep.count_) {
        entry.value.fail("has " + std::to_string(size) + " values, but the others have " +
                         std::to_string(sweep.count_) + " (combine: zip)");
      }
      sweep.count_ = size;
    } else {
      if (size > kMostQueries / sweep.count_) entry.value.fail("makes more than 10^9 variants");
      sweep.count_ *= size;
    }
    sweep.axes_.push_back(std::move(axis));
  }
  if (sweep.axes_.empty()) values.fail("must name at least one key of the task");
  return sweep;
}

Sweep::Variant Sweep::variant(std::int64_t i) const {
  // Of a product, the index in a mixed radix, the last axis as its lowest digit.
  std::vector<std::size_t> at(axes_.size(), static_cast<std::size_t>(i));
  if (!zip_) {
    std::int64_t rest = i;
    for (std::size_t a = axes_.size(); a-- > 0;) {
      const auto size = static_cast<std::int64_t>(axes_[a].values.size());
      at[a] = static_cast<std::size_t>(rest % size);
      rest /= size;
    }
  }
  Json task = base_;
  Json parameters = Json::object();
  Variant out;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Json& value = axes_[a].values[at[a]];
    *placeOf(task, axes_[a].steps) = value;
    parameters[axes_[a].key] = value;
    if (axes_[a].may_name_files) out.bundle += std::to_string(at[a]) + ',';
  }
  out.text = task.dump(-1, ' ', false, Json::error_handler_t::replace);
  out.parameters = parameters.dump(-1, ' ', false, Json::error_handler_t::replace);
  return out;
}

}  // namespace allclear::batch
