#pragma once

#include <string>

namespace allclear {

/// Files to write after planning; a file with an empty name is not written.
struct OutputSettings {
  std::string csv;
  /// [Hz]: rows at this rate, beside those at the joints of the curve, for what cannot interpolate
  /// polynomials itself; 0: none.
  double rate = 0.0;
  std::string trajectory;
  std::string certificate;
  std::string proof;
  std::string report;
  std::string ros2;
};

}  // namespace allclear
