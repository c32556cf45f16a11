// One pass over the rows of a run; what is kept are three numbers of each plan, and a bounded list.
#include "allclear/apps/batch/report_data.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "allclear/apps/batch/rested_on.h"

namespace allclear::batch {
namespace {

constexpr std::size_t kMostCauses = 200;
constexpr std::size_t kCauseLength = 220;

/// Adds the row's cell to the map over the first two numeric parameters of its sweep.
void addToMap(const Row& row, RunReport* out) {
  if (row.query.parameters.empty()) return;
  const auto json = nlohmann::ordered_json::parse(row.query.parameters, nullptr, false);
  // Words and lists have no place on an axis.
  std::vector<std::pair<std::string, double>> numbers;
  for (const auto& [key, value] : json.items()) {
    if (value.is_number()) numbers.emplace_back(key, value.get<double>());
  }
  if (numbers.size() < 2) return;
  if (out->map_x.empty()) {
    out->map_x = numbers[0].first;
    out->map_y = numbers[1].first;
  }
  if (numbers[0].first != out->map_x || numbers[1].first != out->map_y) return;
  MapCell& cell = out->map[{numbers[0].second, numbers[1].second}];
  ++cell.all;
  cell.certified += row.answer.isCertified() ? 1 : 0;
}

/// Figures of certified plans alone: times of failures are mostly the time limit.
void addToScene(const Row& row, RunReport::Scene* scene) {
  ++scene->all;
  ++scene->by_status[row.answer.status];
  if (!row.answer.isCertified()) return;
  scene->seconds.push_back(row.answer.seconds);
  if (row.answer.duration) scene->durations.push_back(*row.answer.duration);
  if (row.answer.clearance) scene->clearances.push_back(*row.answer.clearance);
}

RunReport::Item itemOf(const Results& results, const Row& row) {
  const Answer& answer = row.answer;
  const auto report = results.folder() / row.folder / "report.html";
  return {row.query.id,
          answer.status,
          answer.message,
          row.folder,
          !row.folder.empty() && std::filesystem::exists(report),
          answer.seconds,
          answer.duration,
          answer.clearance};
}

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool isSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Where a path that begins at `at` ends; `at` when none does.
std::size_t endOfPath(const std::string& text, std::size_t at) {
  if (text[at] != '/' || (at > 0 && !isSpace(text[at - 1]))) return at;
  std::size_t end = at + 1;
  while (end < text.size() && !isSpace(text[end]) && text[end] != ':') ++end;
  return end == at + 1 ? at : end;
}

/// The same of a name in quotes.
std::size_t endOfName(const std::string& text, std::size_t at) {
  if (text[at] != '\'') return at;
  const std::size_t end = text.find('\'', at + 1);
  return end == std::string::npos ? at : end + 1;
}

/// The same of a number, its sign and exponent with it.
std::size_t endOfNumber(const std::string& text, std::size_t at) {
  const auto isSign = [&](std::size_t i) { return text[i] == '-' || text[i] == '+'; };
  std::size_t end = at + (isSign(at) ? 1 : 0);
  if (end >= text.size() || !isDigit(text[end])) return at;
  while (end < text.size() && (isDigit(text[end]) || text[end] == '.')) ++end;
  std::size_t power = end + 1;
  if (end >= text.size() || text[end] != 'e' || power >= text.size()) return end;
  if (isSign(power)) ++power;
  if (power >= text.size() || !isDigit(text[power])) return end;
  while (power < text.size() && isDigit(text[power])) ++power;
  return power;
}

/// The text with every part that `endOf` finds replaced.
template <class EndOf>
std::string replaced(const std::string& text, EndOf endOf, const char* by) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = endOf(text, at);
    out += end > at ? by : std::string(1, text[at]);
    at = std::max(end, at + 1);
  }
  return out;
}

}  // namespace

std::string causeOf(const std::string& status, const std::string& message) {
  std::string text = replaced(message.substr(0, 2000), endOfPath, "FILE");
  text = replaced(text, endOfName, "'..'");
  text = replaced(text, endOfNumber, "N");
  if (text.size() > kCauseLength) text = text.substr(0, kCauseLength) + "..";
  return status + ": " + text;
}

RunReport collectReport(const Results& results) {
  RunReport out;
  std::vector<RunReport::Item> certified;
  results.forEach([&](const Row& row) {
    const Answer& answer = row.answer;
    ++out.all;
    out.certified += answer.isCertified() ? 1 : 0;
    out.cut_short += answer.cut_short ? 1 : 0;
    out.busy_seconds += answer.load_seconds + answer.seconds + answer.write_seconds;
    addToScene(row, &out.scenes[row.query.scene]);
    addToMap(row, &out);
    // The list is short and begins with failures, so certified ones wait until all rows are seen.
    if (answer.isCertified()) {
      if (certified.size() < RunReport::kMostItems) certified.push_back(itemOf(results, row));
      return;
    }
    const std::string cause = causeOf(answer.status, answer.message);
    if (out.causes.size() < kMostCauses || out.causes.count(cause) > 0) {
      RunReport::Cause& entry = out.causes[cause];
      if (entry.count++ == 0) entry = {1, row.query.id, answer.message};
    }
    if (out.items.size() < RunReport::kMostItems) out.items.push_back(itemOf(results, row));
  });
  for (RunReport::Item& item : certified) {
    if (out.items.size() < RunReport::kMostItems) out.items.push_back(std::move(item));
  }
  out.expected = std::stol(results.fact("count").value_or("0"));
  out.changed = changedRows(results, out.expected).text();
  for (const char* key : {"version", "settings", "inputs", "inputs_sha256"}) {
    if (const auto value = results.fact(key)) out.facts.emplace_back(key, *value);
  }
  return out;
}

}  // namespace allclear::batch
