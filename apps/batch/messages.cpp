// Lines of JSON between `allclear batch` and its workers. Text that is no UTF-8 (a path, a name of
// a file that is broken) is replaced, not refused: a message must never stop a run.
#include "allclear/apps/batch/messages.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace allclear::batch {
namespace {

using Json = nlohmann::ordered_json;

/// One line without a line break: JSON writes those in texts as \n.
std::string lineOf(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parsed(const std::string& line) {
  Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) throw std::runtime_error("not a message: " + line.substr(0, 200));
  return json;
}

template <class T>
std::optional<T> optionalOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::nullopt;
  return found->get<T>();
}

template <class T>
Json orNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

std::string queryLine(const Query& query, const SolveSettings& settings) {
  return lineOf({{"number", query.number},
                 {"id", query.id},
                 {"file", query.file},
                 {"index", query.index},
                 {"text", query.text},
                 {"bundle", query.bundle},
                 {"time_limit", orNull(settings.time_limit)},
                 {"seed", orNull(settings.seed)},
                 {"improve", settings.improve},
                 {"files", settings.files}});
}

std::pair<Query, SolveSettings> parseQuery(const std::string& line) {
  const Json json = parsed(line);
  // Without a number or a file there is no query; all else has a default.
  Query query;
  query.number = json.at("number");
  query.id = json.value("id", "");
  query.file = json.at("file");
  query.index = json.value("index", -1);
  query.text = json.value("text", "");
  query.bundle = json.value("bundle", "");
  SolveSettings settings;
  settings.time_limit = optionalOf<double>(json, "time_limit");
  settings.seed = optionalOf<std::uint64_t>(json, "seed");
  settings.improve = json.value("improve", "");
  settings.files = json.value("files", std::vector<std::string>{});
  return {query, settings};
}

std::string answerLine(const Answer& answer) {
  // A list, not a map: the order of the files is that in which they were made.
  Json files = Json::array();
  for (const auto& [name, content] : answer.files) files.push_back({name, content});
  Json rests_on = Json::array();
  for (const auto& [path, digest] : answer.rests_on) rests_on.push_back({path, digest});
  return lineOf({{"number", answer.number},
                 {"status", answer.status},
                 {"message", answer.message},
                 {"seconds", answer.seconds},
                 {"load_seconds", answer.load_seconds},
                 {"write_seconds", answer.write_seconds},
                 {"duration", orNull(answer.duration)},
                 {"clearance", orNull(answer.clearance)},
                 {"cost", orNull(answer.cost)},
                 {"seed", orNull(answer.seed)},
                 {"cut_short", answer.cut_short},
                 {"task_sha256", answer.task_sha256},
                 {"robot_sha256", answer.robot_sha256},
                 {"trajectory_sha256", answer.trajectory_sha256},
                 {"rests_on", std::move(rests_on)},
                 {"files", std::move(files)}});
}

Answer parseAnswer(const std::string& line) {
  const Json json = parsed(line);
  // Number and status are what a row cannot do without.
  Answer answer;
  answer.number = json.at("number");
  answer.status = json.at("status");
  answer.message = json.value("message", "");
  answer.seconds = json.value("seconds", 0.0);
  answer.load_seconds = json.value("load_seconds", 0.0);
  answer.write_seconds = json.value("write_seconds", 0.0);
  answer.duration = optionalOf<double>(json, "duration");
  answer.clearance = optionalOf<double>(json, "clearance");
  answer.cost = optionalOf<double>(json, "cost");
  answer.seed = optionalOf<std::uint64_t>(json, "seed");
  answer.cut_short = json.value("cut_short", false);
  answer.task_sha256 = json.value("task_sha256", "");
  answer.robot_sha256 = json.value("robot_sha256", "");
  answer.trajectory_sha256 = json.value("trajectory_sha256", "");
  for (const Json& file : json.value("rests_on", Json::array())) {
    answer.rests_on.emplace_back(file.at(0), file.at(1));
  }
  for (const Json& file : json.value("files", Json::array())) {
    answer.files.emplace_back(file.at(0), file.at(1));
  }
  return answer;
}

std::string helloLine(const Hello& hello) {
  return lineOf({{"hello", "allclear"},
                 {"protocol", hello.protocol},
                 {"version", hello.version},
                 {"slots", hello.slots}});
}

std::optional<Hello> parseHello(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("hello")) return std::nullopt;
  return Hello{json.value("protocol", 0), json.value("version", ""), json.value("slots", 1)};
}

}  // namespace allclear::batch
