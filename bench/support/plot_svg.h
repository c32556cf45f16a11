#pragma once

// Two plots as SVG, in the manner of the thesis's figures: a distance over time with its minima per
// stretch of time (6.5, 6.10), and bars of times (6.6, 6.11). Any browser shows them; for a PNG:
// rsvg-convert or `chromium --headless --screenshot`.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "allclear/core/file.h"

namespace allclear::bench {

inline std::string svgNumber(double value, const char* format = "%.4g") {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

inline std::string svgText(double x, double y, const char* anchor, const std::string& text) {
  std::string safe;
  for (char c : text) safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  return "<text x='" + svgNumber(x) + "' y='" + svgNumber(y) + "' text-anchor='" + anchor + "'>" +
         safe + "</text>\n";
}

inline std::string svgHead(int width, int height, const std::string& title) {
  const std::string size =
      "width='" + std::to_string(width) + "' height='" + std::to_string(height);
  return "<svg xmlns='http://www.w3.org/2000/svg' " + size + "' font-family='sans-serif' " +
         "font-size='12' fill='#222'>\n<rect width='100%' height='100%' fill='#fff'/>\n" +
         svgText(0.5 * width, 18, "middle", title);
}

/// The step of round numbers that cuts `range` into about four.
inline double svgStep(double range) {
  const double power = std::pow(10.0, std::floor(std::log10(range / 4.0)));
  for (double step : {1.0, 2.0, 5.0}) {
    if (range / (step * power) <= 6.0) return step * power;
  }
  return 10.0 * power;
}

/// A distance [m] at times [s]: red; green: what was found to be its minimum over each stretch.
struct DistancePlot {
  struct Minimum {
    double t0, t1, value;
  };
  std::string title;
  std::vector<double> times, distances;
  std::vector<Minimum> minima;
};

inline void writeDistancePlot(const std::filesystem::path& file, const DistancePlot& plot) {
  constexpr double kLeft = 60, kRight = 620, kTop = 50, kBottom = 290;
  double low = 0.0, high = 1e-9;
  for (double d : plot.distances) low = std::min(low, d), high = std::max(high, d);
  for (const auto& m : plot.minima) low = std::min(low, m.value), high = std::max(high, m.value);
  high += 0.05 * (high - low);
  const double t0 = plot.times.front(), t1 = plot.times.back();
  const auto x = [&](double t) { return kLeft + (kRight - kLeft) * (t - t0) / (t1 - t0); };
  const auto y = [&](double d) { return kBottom - (kBottom - kTop) * (d - low) / (high - low); };
  std::string out = svgHead(640, 330, plot.title);
  const double step = svgStep(high - low);
  for (double d = std::ceil(low / step) * step; d <= high; d += step) {
    const std::string at = svgNumber(y(d));
    out += "<path d='M60 " + at + "H620' stroke='#ddd'/>\n" +
           svgText(kLeft - 6, y(d) + 4, "end", svgNumber(std::abs(d) < 1e-12 ? 0.0 : d));
  }
  const double t_step = svgStep(t1 - t0);
  for (double t = std::ceil(t0 / t_step) * t_step; t <= t1 + 1e-9; t += t_step) {
    out += svgText(x(t), kBottom + 16, "middle", svgNumber(t));
  }
  std::string exact, found;
  for (std::size_t i = 0; i < plot.times.size(); ++i) {
    exact += (i ? "L" : "M") + svgNumber(x(plot.times[i])) + " " + svgNumber(y(plot.distances[i]));
  }
  for (const auto& m : plot.minima) {
    found += (found.empty() ? "M" : "L") + svgNumber(x(m.t0)) + " " + svgNumber(y(m.value)) + "H" +
             svgNumber(x(m.t1));
  }
  out += "<path d='" + exact + "' fill='none' stroke='#c62828' stroke-width='2'/>\n";
  out += "<path d='" + found + "' fill='none' stroke='#2e7d32' stroke-width='2'/>\n";
  out += svgText(0.5 * (kLeft + kRight), 324, "middle", "time [s]") +
         svgText(kLeft, kTop - 6, "start", "distance [m]");
  writeFileAtomically(file, out + "</svg>\n");
}

/// Bars of times, one or two (blue, then red) to a label.
struct TimeBars {
  struct Bar {
    std::string label;
    std::vector<double> values;
  };
  std::string title;
  std::string unit;
  std::vector<std::string> names;  ///< of the values of a bar
  std::vector<Bar> bars;
};

inline void writeTimeBars(const std::filesystem::path& file, const TimeBars& plot) {
  constexpr double kLeft = 70, kTop = 56, kBottom = 290;
  constexpr const char* kColors[] = {"#1565c0", "#c62828"};
  double slot = 110.0;
  for (const auto& bar : plot.bars) slot = std::max(slot, 7.0 * double(bar.label.size()));
  const double bars_width = slot * static_cast<double>(plot.bars.size());
  const double names_width = 60.0 + 150.0 * static_cast<double>(plot.names.size());
  const int width = static_cast<int>(kLeft + std::max(bars_width, names_width) + 20);
  double high = 1e-12;
  for (const auto& bar : plot.bars) {
    for (double v : bar.values) high = std::max(high, v);
  }
  const auto y = [&](double v) { return kBottom - (kBottom - kTop) * v / (1.08 * high); };
  std::string out = svgHead(width, 320, plot.title);
  const double step = svgStep(high);
  for (double v = 0.0; v <= high * 1.05; v += step) {
    out += "<path d='M70 " + svgNumber(y(v)) + "H" + std::to_string(width - 20) +
           "' stroke='#ddd'/>\n" + svgText(kLeft - 6, y(v) + 4, "end", svgNumber(v));
  }
  out += svgText(kLeft - 40, kTop - 10, "start", "[" + plot.unit + "]");
  for (std::size_t k = 0; k < plot.names.size(); ++k) {
    const double at = kLeft + 60.0 + 150.0 * static_cast<double>(k);
    out += "<rect x='" + svgNumber(at) + "' y='30' width='10' height='10' fill='" + kColors[k % 2] +
           "'/>\n" + svgText(at + 15, 40, "start", plot.names[k]);
  }
  for (std::size_t i = 0; i < plot.bars.size(); ++i) {
    const auto& values = plot.bars[i].values;
    const double bar_width = 0.7 * slot / static_cast<double>(values.size());
    const double first = kLeft + slot * (static_cast<double>(i) + 0.15);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double at = first + bar_width * static_cast<double>(k);
      out +=
          "<rect x='" + svgNumber(at) + "' y='" + svgNumber(y(values[k])) + "' width='" +
          svgNumber(bar_width - 2) + "' height='" + svgNumber(kBottom - y(values[k])) + "' fill='" +
          kColors[k % 2] + "'/>\n" +
          svgText(at + 0.5 * bar_width, y(values[k]) - 4, "middle", svgNumber(values[k], "%.3g"));
    }
    out += svgText(kLeft + slot * (static_cast<double>(i) + 0.5), kBottom + 18, "middle",
                   plot.bars[i].label);
  }
  writeFileAtomically(file, out + "</svg>\n");
}

}  // namespace allclear::bench
