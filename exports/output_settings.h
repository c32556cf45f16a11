#pragma once

#include <optional>
#include <string>

#include "allclear/core/pose.h"

namespace allclear {

/// The motion of a tool as rows of its pose and velocity (`formatToolCsv`).
struct ToolCsvSettings {
  std::string file;
  std::string link;
  Pose X_LP;            ///< the tool's frame P in the link's
  double rate = 100.0;  ///< [Hz]
};

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
  std::optional<ToolCsvSettings> tool_csv;
};

}  // namespace allclear
