// The page of a run. All of it is markup made here, but for a filter of the list of queries: so it
// opens at once, prints, and shows the same without scripts.
#include "allclear/apps/batch/report_page.h"

#include <algorithm>
#include <cmath>

#include "allclear/apps/batch/progress.h"

namespace allclear::batch {
namespace {

constexpr const char* kStyle = R"(
:root { --ink: #1c2733; --soft: #55616e; --line: #d8dee5; --good: #00704f; --bad: #b3261e; --wait: #b9770e; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 18px; max-width: 1400px; background: #f6f7f9; color: var(--ink);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: 21px; margin: 0 0 2px; } h2 { font-size: 15px; margin: 0 0 8px; }
.card { background: #fff; border: 1px solid var(--line); border-radius: 8px; padding: 12px 14px; margin-top: 12px; overflow-x: auto; }
.row { display: grid; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); gap: 0 12px; }
.soft { color: var(--soft); } .good { color: var(--good); } .bad { color: var(--bad); }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: 3px 12px 3px 0; vertical-align: top; overflow-wrap: anywhere; }
th { color: var(--soft); font-weight: 400; white-space: nowrap; border-bottom: 1px solid var(--line); }
tbody tr:hover { background: #f0f4f8; } .word { white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.share { display: flex; height: 14px; min-width: 160px; border-radius: 4px; overflow: hidden; background: #e9edf2; margin-top: 3px; }
.share i { display: block; height: 100%; } svg { width: 100%; max-width: 520px; display: block; } svg.map { max-width: 460px; }
svg text { font-size: 11.5px; fill: var(--soft); } .bar { fill: #0072b2; } .axis { stroke: #9aa5b1; } .median { stroke: #b9770e; stroke-dasharray: 4 3; }
input { font: inherit; padding: 5px 9px; border: 1px solid #b9c3ce; border-radius: 6px; width: 100%; max-width: 420px; margin-bottom: 8px; }
summary { cursor: pointer; } a { color: #0062a0; } code { overflow-wrap: anywhere; }
)";

// The field is hidden in the markup and shown by the script: without scripts it would be there and
// do nothing. All words have to occur, in any column, in any order.
constexpr const char* kScript = R"(
const filter = document.getElementById('filter');
filter.hidden = false;
filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of document.querySelectorAll('#queries tbody tr')) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every(word => text.includes(word));
  }
});
)";

/// The upper one of an even number, as in histograms (`histogramSvg`). Medians, as the few longest
/// times would carry an average away. NaN without values.
double median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string cell(const std::string& text) { return "<td>" + escaped(text) + "</td>"; }

/// What is not known is a dash.
std::string numberCell(double value, double factor = 1.0) {
  return "<td class='number'>" + (std::isfinite(value) ? shown(factor * value) : "-") + "</td>";
}

std::string percent(long part, long all) {
  constexpr double kPercent = 100.0;
  return shown(all == 0 ? 0.0 : kPercent * static_cast<double>(part) / static_cast<double>(all)) +
         " %";
}

/// Not found and timed out are answers; crashes and broken inputs want somebody to look.
const char* colourOf(const std::string& status) {
  if (status == "certified") return "var(--good)";
  return status == "timed_out" || status == "not_found" ? "var(--wait)" : "var(--bad)";
}

std::string card(const std::string& heading, const std::string& content) {
  return "<section class='card'><h2>" + escaped(heading) + "</h2>" + content + "</section>\n";
}

/// A bar of the statuses' shares, the certified ones first.
/// Widths are left to the browser: "flex" divides the row in proportion to the counts.
std::string shareBar(const RunReport::Scene& scene) {
  std::string out = "<div class='share'>";
  const auto part = [&](const std::string& status, long count) {
    out += "<i style='flex:" + std::to_string(count) + ";background:" + colourOf(status) +
           "' title='" + std::to_string(count) + " " + escaped(status) + "'></i>";
  };
  const auto certified = scene.by_status.find("certified");
  if (certified != scene.by_status.end()) part(certified->first, certified->second);
  for (const auto& [status, count] : scene.by_status) {
    if (status != "certified") part(status, count);
  }
  return out + "</div>";
}

/// A row for each scene: how many, what share has a plan, and what its plans are like in the
/// middle.
std::string sceneTable(const RunReport& report) {
  std::string out =
      "<table><thead><tr><th>scene</th><th class='number'>queries</th><th class='number'>certified"
      "</th><th></th><th class='number'>time s</th><th class='number'>duration s</th>"
      "<th class='number'>clearance mm</th></tr></thead><tbody>";
  // Clearances are a matter of millimetres.
  constexpr double kMillimetres = 1000.0;
  for (const auto& [name, scene] : report.scenes) {
    const auto found = scene.by_status.find("certified");
    const long certified = found == scene.by_status.end() ? 0 : found->second;
    out += "<tr>" + cell(name) + "<td class='number'>" + std::to_string(scene.all) +
           "</td><td class='number'>" + percent(certified, scene.all) + "</td><td>" +
           shareBar(scene) + "</td>" + numberCell(median(scene.seconds)) +
           numberCell(median(scene.durations)) +
           numberCell(median(scene.clearances), kMillimetres) + "</tr>";
  }
  return out +
         "</tbody></table><p class='soft'>Medians of certified plans; clearance is the proven "
         "lower bound over the whole motion.</p>";
}

/// Times spread over decades and get a logarithmic axis; the others do not.
std::string distributions(const RunReport& report) {
  std::vector<double> seconds, durations, clearances;
  constexpr double kMillimetres = 1000.0;
  for (const auto& [name, scene] : report.scenes) {
    seconds.insert(seconds.end(), scene.seconds.begin(), scene.seconds.end());
    durations.insert(durations.end(), scene.durations.begin(), scene.durations.end());
    for (const double value : scene.clearances) clearances.push_back(kMillimetres * value);
  }
  return "<div class='row'>" + card("Time to plan", histogramSvg(seconds, "s", true)) +
         card("Duration of plans", histogramSvg(durations, "s", false)) +
         card("Proven clearance", histogramSvg(clearances, "mm", false)) + "</div>";
}

/// Failures of one kind in one row, with one of them in full.
std::string causeTable(const RunReport& report) {
  if (report.causes.empty()) return "";
  std::vector<std::pair<std::string, RunReport::Cause>> causes(report.causes.begin(),
                                                               report.causes.end());
  // The most frequent cause is what to look at first; equal ones stay in their order.
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  std::string out =
      "<table><thead><tr><th class='number'>queries</th><th>cause</th><th>for example</th></tr>"
      "</thead><tbody>";
  for (const auto& [cause, entry] : causes) {
    out += "<tr><td class='number'>" + std::to_string(entry.count) + "</td>" + cell(cause) +
           "<td><details><summary>" + escaped(entry.example) + "</summary>" +
           escaped(entry.message) + "</details></td></tr>";
  }
  return card("Failures by cause", out + "</tbody></table>");
}

/// Enough of a message to tell it from others, cut between two characters of UTF-8.
std::string beginningOf(const std::string& message) {
  constexpr std::size_t kShown = 90;
  std::size_t end = kShown;
  if (message.size() <= end) return message;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xc0) == 0x80) --end;
  return message.substr(0, end) + "..";
}

/// A link to what there is of a plan: its report, or its files and how to make one.
std::string linksOf(const RunReport::Item& item) {
  if (item.folder.empty()) return "<td></td>";
  const std::string folder = escaped(item.folder);
  std::string out = "<td><a href='" + folder + "/'>files</a>";
  if (item.has_report) out += " <a href='" + folder + "/report.html'>report</a>";
  return out + "</td>";
}

/// All that a person may want to look up; programs read the database.
std::string queryTable(const RunReport& report) {
  std::string out =
      "<input id='filter' placeholder='show those with these words' hidden>"
      "<table id='queries'><thead><tr><th>query</th><th>status</th><th class='number'>time s</th>"
      "<th class='number'>duration s</th><th class='number'>clearance mm</th><th>plan</th>"
      "<th>message</th></tr></thead><tbody>";
  constexpr double kMillimetres = 1000.0;
  // Messages are long: their beginning is shown, all of it after a click.
  for (const RunReport::Item& item : report.items) {
    out += "<tr>" + cell(item.id) + "<td class='word' style='color:" + colourOf(item.status) +
           "'>" + escaped(item.status) + "</td>" + numberCell(item.seconds) +
           numberCell(item.duration.value_or(std::nan(""))) +
           numberCell(item.clearance.value_or(std::nan("")), kMillimetres) + linksOf(item) +
           "<td><details><summary class='soft'>" + escaped(beginningOf(item.message)) +
           "</summary>" + escaped(item.message) + "</details></td></tr>";
  }
  const std::string rest = static_cast<long>(report.items.size()) < report.all
                               ? "The first " + std::to_string(report.items.size()) + " of " +
                                     std::to_string(report.all) + ", failures first. "
                               : "";
  return card("Queries", out + "</tbody></table><p class='soft'>" + rest +
                             "A plan's own report is made by <code>allclear report RUN --plan "
                             "QUERY</code>, all of them by <code>--reports</code>; every row is in "
                             "<code>results.sqlite</code>.</p>");
}

/// Folded away: it is for the one who wants to run it again.
std::string factTable(const RunReport& report) {
  std::string out = "<table>";
  for (const auto& [key, value] : report.facts) {
    out += "<tr><th>" + escaped(key) + "</th><td><code>" + escaped(value) + "</code></td></tr>";
  }
  return "<details class='card'><summary>What was run</summary>" + out + "</table></details>";
}

/// The one sentence that most readers came for, and what it took.
std::string headline(const RunReport& report) {
  constexpr double kHour = 3600.0;
  const bool is_good = report.certified == report.expected && report.changed.empty();
  std::string out = "<h1 class='" + std::string(is_good ? "good" : "bad") + "'>" +
                    std::to_string(report.certified) + " of " + std::to_string(report.expected) +
                    " queries have a certified plan (" +
                    percent(report.certified, report.expected) + ")</h1><div class='soft'>";
  if (!report.changed.empty()) {
    out += "<b>" + escaped(report.changed) + ".</b> They say nothing of these files as they are. ";
  }
  // A page of a run that goes on is worth having, too, and must not look finished.
  if (report.all < report.expected) {
    out += std::to_string(report.expected - report.all) +
           " are not solved yet: the run goes on where "
           "it stopped. ";
  }
  out += spanText(report.busy_seconds) + " of one core (" + shown(report.busy_seconds / kHour) +
         " core-hours)";
  if (report.cut_short > 0) {
    out += "; the time limit cut " + std::to_string(report.cut_short) +
           " short, which another run may solve otherwise";
  }
  return out + ".</div>";
}

}  // namespace

/// In the order of questions: did it work, where not, how fast and how good, why not, which query,
/// and with what it was run. Texts of the user (names, messages) pass `escaped` on their way.
std::string formatRunReport(const std::string& title, const RunReport& report) {
  std::string out =
      "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
      "<meta name='viewport' content='width=device-width, initial-scale=1'><title>" +
      escaped(title) + "</title><style>" + kStyle + "</style></head><body>\n" + headline(report) +
      card("Success by scene", sceneTable(report)) + distributions(report);
  if (!report.map.empty()) {
    out += card("Where there is a plan",
                mapSvg(report.map, report.map_x, report.map_y) +
                    "<p class='soft'>Green: certified; red: no plan; between: of several queries "
                    "of that place some have one.</p>");
  }
  return out + causeTable(report) + queryTable(report) + factTable(report) + "<script>" + kScript +
         "</script></body></html>\n";
}

}  // namespace allclear::batch
