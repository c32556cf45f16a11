#pragma once

#include <string>

namespace allclear {

/// Files to write after planning; a file with an empty name is not written.
struct OutputSettings {
  std::string csv;
  double rate = 250.0;  ///< rows per second of the CSV [Hz]: between UR's 125 and 500
  std::string trajectory;
  std::string certificate;
  std::string proof;
  std::string report;
  std::string ros2;
};

}  // namespace allclear
