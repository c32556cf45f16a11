#pragma once

// The series of plots, as `bench/plot.py` reads them from a bench's `--json` file. Every plot has a
// `kind`, a `name` (of the file that is drawn) and a `title`.

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "allclear/core/types.h"

namespace allclear::bench {

/// A number with the digits that a plot can show.
inline double plotNumber(double value) { return std::round(value * 1e6) / 1e6; }

/// The distance of two bodies [m] at times [s], and its minimum over each stretch of time.
struct DistancePlot {
  struct Minimum {
    double t0, t1, value;
  };
  std::string name, title;
  std::vector<double> times, distances;
  std::vector<Minimum> minima;
};

inline nlohmann::json plotOf(const DistancePlot& plot) {
  nlohmann::json minima = nlohmann::json::array();
  for (const auto& m : plot.minima) minima.push_back({m.t0, m.t1, m.value});
  return {{"kind", "distance"},  {"name", plot.name},           {"title", plot.title},
          {"times", plot.times}, {"distances", plot.distances}, {"minima", minima}};
}

/// Bars of times, one or two to a label.
struct TimeBars {
  struct Bar {
    std::string label;
    std::vector<double> values;
  };
  std::string name, title;
  std::string unit;
  std::vector<std::string> names;  ///< of the values of a bar
  std::vector<Bar> bars;
};

inline nlohmann::json plotOf(const TimeBars& plot) {
  nlohmann::json bars = nlohmann::json::array();
  for (const auto& bar : plot.bars) bars.push_back({{"label", bar.label}, {"values", bar.values}});
  return {{"kind", "bars"},    {"name", plot.name},   {"title", plot.title},
          {"unit", plot.unit}, {"names", plot.names}, {"bars", bars}};
}

/// The distance over a motion's steps [m] and its direction at each, by one method.
struct DirectionCurve {
  std::string name, caption;
  std::vector<double> distances;
  std::vector<Vec3> normals;
  std::vector<char> fallback;  ///< whether the method fell back to another one at a step
};

/// Distances over the steps of a motion and the paths of their directions on the unit sphere.
inline nlohmann::json directionPlot(const std::string& name, const std::string& title,
                                    const std::vector<DirectionCurve>& curves) {
  nlohmann::json list = nlohmann::json::array();
  for (const DirectionCurve& curve : curves) {
    nlohmann::json distances = nlohmann::json::array(), normals = nlohmann::json::array();
    nlohmann::json fallbacks = nlohmann::json::array();
    for (std::size_t i = 0; i < curve.distances.size(); ++i) {
      const Vec3& n = curve.normals[i];
      distances.push_back(plotNumber(curve.distances[i]));
      normals.push_back({plotNumber(n.x()), plotNumber(n.y()), plotNumber(n.z())});
      if (curve.fallback[i]) fallbacks.push_back(i);
    }
    list.push_back({{"name", curve.name},
                    {"caption", curve.caption},
                    {"distances", distances},
                    {"normals", normals},
                    {"fallback_steps", fallbacks}});
  }
  return {{"kind", "directions"}, {"name", name}, {"title", title}, {"curves", list}};
}

}  // namespace allclear::bench
