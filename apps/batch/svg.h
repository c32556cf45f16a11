#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace allclear::batch {

/// Text for HTML and SVG: "<", ">", "&" and quotes as entities.
std::string escaped(const std::string& text);

/// A number for people: three digits.
std::string shown(double value);

/// How values are spread, as bars with an axis and a line at the median. `log_scale` for positive
/// values over decades. Empty text without values. NaN and infinite values are left out.
std::string histogramSvg(std::vector<double> values, const std::string& unit, bool log_scale);

/// Certified ones, and all, of a cell of a map.
struct MapCell {
  long certified = 0;
  long all = 0;
};

/// A map of shares over two parameters, a cell for each pair of values, y upwards.
std::string mapSvg(const std::map<std::pair<double, double>, MapCell>& cells,
                   const std::string& x_name, const std::string& y_name);

}  // namespace allclear::batch
