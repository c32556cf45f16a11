// Pictures of a report as SVG text, with plain rules: bars of equal width (on a logarithmic axis
// too), ticks at round numbers. Colours are those of the page's style.
#include "allclear/apps/batch/svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace allclear::batch {
namespace {

constexpr double kWidth = 420.0, kHeight = 190.0;  // [px] of a histogram
constexpr double kLeft = 36.0, kRight = 12.0, kTop = 18.0, kBottom = 34.0;
constexpr int kMostBars = 30;
constexpr double kMapSize = 420.0;  // [px] of the longer side of a map

/// Tenths of a pixel: finer than anybody sees, and pages of thousands of bars stay small.
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string text(double x, double y, const std::string& anchor, const std::string& content) {
  return "<text x='" + number(x) + "' y='" + number(y) + "' text-anchor='" + anchor + "'>" +
         escaped(content) + "</text>";
}

std::string line(double x0, double y0, double x1, double y1, const std::string& style) {
  return "<line x1='" + number(x0) + "' y1='" + number(y0) + "' x2='" + number(x1) + "' y2='" +
         number(y1) + "' class='" + style + "'/>";
}

/// 1, 2 or 5 times a power of ten, so that there are about five of them in `span`.
double roundStep(double span) {
  constexpr double kSteps = 5.0;
  const double raw = span / kSteps;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power) return factor * power;
  }
  return 10.0 * power;
}

/// An axis in the values that are drawn: themselves, or their decimal logarithms.
struct Axis {
  double lower, upper;
  bool is_log;

  double x(double drawn) const {
    return kLeft + (kWidth - kLeft - kRight) * (drawn - lower) / (upper - lower);
  }
  double value(double drawn) const { return is_log ? std::pow(10.0, drawn) : drawn; }
};

/// A line below the bars, with ticks at round values; on a logarithmic axis at powers of ten.
std::string ticks(const Axis& axis) {
  const double y = kHeight - kBottom;
  std::string out = line(kLeft, y, kWidth - kRight, y, "axis");
  const double step = axis.is_log ? std::max(1.0, std::floor((axis.upper - axis.lower) / 4.0))
                                  : roundStep(axis.upper - axis.lower);
  constexpr double kSlack = 1e-9;  // of a step: a tick at the very end counts
  // Ticks are multiples of the step, not sums of it: sums drift, and 0 would be shown as 1e-17.
  for (double k = std::ceil(axis.lower / step - kSlack); k * step <= axis.upper + kSlack * step;
       ++k) {
    const double at = k * step;
    out += line(axis.x(at), y, axis.x(at), y + 4.0, "axis") +
           text(axis.x(at), y + 16.0, "middle", shown(axis.value(at)));
  }
  return out;
}

/// From the least value to the greatest, which are the first and the last.
Axis axisOf(const std::vector<double>& drawn, bool is_log) {
  double lower = drawn.front(), upper = drawn.back();
  if (!(upper > lower)) {  // one value: a bar in the middle
    const double room = std::max(0.5, 0.1 * std::abs(lower));
    lower -= room;
    upper += room;
  }
  return {lower, upper, is_log};
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    // All five: the text may stand in an attribute, in either kind of quotes.
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// Three digits: as much as a tick or a median of many queries can tell. A minus zero is 0.
std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value == 0.0 ? 0.0 : value);
  return text;
}

std::string histogramSvg(std::vector<double> values, const std::string& unit, bool log_scale) {
  // What is not known has no bar; nor has a time of 0 on a logarithmic axis, where it is infinitely
  // far away.
  std::erase_if(values, [&](double v) { return !std::isfinite(v) || (log_scale && !(v > 0.0)); });
  if (values.empty()) return "";
  std::sort(values.begin(), values.end());
  const double median = values[values.size() / 2];
  if (log_scale) {
    for (double& v : values) v = std::log10(v);
  }
  const Axis axis = axisOf(values, log_scale);
  // About the square root of their number, as histograms commonly have.
  const int bars =
      std::clamp(static_cast<int>(std::sqrt(static_cast<double>(values.size()))) + 4, 5, kMostBars);
  std::vector<long> counts(static_cast<std::size_t>(bars), 0);
  // The greatest value has the share 1: it belongs to the last bar, not to one after it.
  for (const double v : values) {
    const double share = (v - axis.lower) / (axis.upper - axis.lower);
    ++counts[static_cast<std::size_t>(std::min(bars - 1, static_cast<int>(share * bars)))];
  }
  const double most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  const double room = kHeight - kTop - kBottom;
  std::string out = "<svg viewBox='0 0 " + number(kWidth) + " " + number(kHeight) + "'>";
  for (int i = 0; i < bars; ++i) {
    const double from = axis.lower + (axis.upper - axis.lower) * i / bars;
    const double to = axis.lower + (axis.upper - axis.lower) * (i + 1) / bars;
    const long count = counts[static_cast<std::size_t>(i)];
    if (count == 0) continue;
    const double height = room * static_cast<double>(count) / most;
    out += "<rect class='bar' x='" + number(axis.x(from) + 0.5) + "' y='" +
           number(kTop + room - height) + "' width='" + number(axis.x(to) - axis.x(from) - 1.0) +
           "' height='" + number(height) + "'><title>" + std::to_string(count) + " from " +
           shown(axis.value(from)) + " to " + shown(axis.value(to)) + " " + unit +
           "</title></rect>";
  }
  const double at = axis.x(log_scale ? std::log10(median) : median);
  out +=
      ticks(axis) + text(kLeft - 5.0, kTop + 4.0, "end", std::to_string(static_cast<long>(most))) +
      text(kLeft - 5.0, kTop + room, "end", "0") + line(at, kTop - 4.0, at, kTop + room, "median") +
      text(at > 0.5 * kWidth ? at - 4.0 : at + 4.0, kTop - 5.0, at > 0.5 * kWidth ? "end" : "start",
           "median " + shown(median) + " " + unit) +
      text(kWidth - kRight, kHeight - 3.0, "end", unit);
  return out + "</svg>";
}

std::string mapSvg(const std::map<std::pair<double, double>, MapCell>& cells,
                   const std::string& x_name, const std::string& y_name) {
  std::set<double> xs, ys;
  for (const auto& [place, cell] : cells) {
    xs.insert(place.first);
    ys.insert(place.second);
  }
  if (xs.empty()) return "";
  const auto indexIn = [](const std::set<double>& set, double value) {
    return static_cast<double>(std::distance(set.begin(), set.find(value)));
  };
  constexpr double kMargin = 62.0;
  // Cells are squares of equal size wherever the values lie: a map of indices, with the values at
  // its ends. Parameters of a sweep are mostly equally spaced, and then it is a map to scale.
  const double side = kMapSize / static_cast<double>(std::max(xs.size(), ys.size()));
  const double width = side * static_cast<double>(xs.size());
  const double height = side * static_cast<double>(ys.size());
  std::string out = "<svg class='map' viewBox='0 0 " + number(width + kMargin + 20.0) + " " +
                    number(height + 50.0) + "'>";
  for (const auto& [place, cell] : cells) {
    const double share = static_cast<double>(cell.certified) / static_cast<double>(cell.all);
    const double x = kMargin + side * indexIn(xs, place.first);
    // Heights in SVG grow downward, those of the reader upward: the least value is in the lowest
    // row.
    const double y = 8.0 + height - side * (indexIn(ys, place.second) + 1.0);
    // From the colour of failures to that of success.
    char colour[48];
    std::snprintf(colour, sizeof colour, "rgb(%.0f,%.0f,%.0f)", 214.0 - 214.0 * share,
                  96.0 + 40.0 * share, 90.0 + 16.0 * share);
    out += "<rect x='" + number(x) + "' y='" + number(y) + "' width='" + number(side) +
           "' height='" + number(side) + "' fill='" + colour + "'><title>" + escaped(x_name) + " " +
           shown(place.first) + ", " + escaped(y_name) + " " + shown(place.second) + ": " +
           std::to_string(cell.certified) + " of " + std::to_string(cell.all) +
           " certified</title></rect>";
  }
  const double bottom = 8.0 + height + 16.0;
  out += text(kMargin, bottom, "start", shown(*xs.begin())) +
         text(kMargin + width, bottom, "end", shown(*xs.rbegin())) +
         text(kMargin + 0.5 * width, bottom + 18.0, "middle", x_name) +
         text(kMargin - 6.0, 8.0 + height, "end", shown(*ys.begin())) +
         text(kMargin - 6.0, 18.0, "end", shown(*ys.rbegin()));
  const std::string y = number(8.0 + 0.5 * height);
  out += "<text transform='translate(14 " + y + ") rotate(-90)' text-anchor='middle'>" +
         escaped(y_name) + "</text>";
  return out + "</svg>";
}

}  // namespace allclear::batch
