#pragma once

// The thesis's figures 6.12 to 6.15: a distance's magnitude over a motion, and the path of its
// direction on the unit sphere, one line and one sphere per method.

#include <filesystem>
#include <string>
#include <vector>

#include "allclear/core/types.h"
#include "bench/support/plot_svg.h"

namespace allclear::bench {

struct DirectionCurve {
  std::string name;
  std::vector<double> distances;  ///< [m]
  std::vector<Vec3> normals;
  std::string caption;
};

inline const char* curveColor(std::size_t i) {
  constexpr const char* kColors[] = {"#757575", "#ef6c00", "#1565c0", "#2e7d32"};
  return kColors[i % 4];
}

/// Orthographic view of directions; those behind are paler, steps over 10 degrees dashed.
inline std::string sphereOfDirections(const std::vector<Vec3>& normals, const Mat3& view, double cx,
                                      double cy, double radius, const char* color) {
  const auto place = [&](const Vec3& n) {
    const Vec3 v = view * n;
    return svgNumber(cx + radius * v.x()) + " " + svgNumber(cy - radius * v.y());
  };
  std::string back, front, jumps;
  for (std::size_t i = 1; i < normals.size(); ++i) {
    const Vec3 &a = normals[i - 1], &b = normals[i];
    const bool jump = a.dot(b) < 0.98480775;
    std::string& to = jump ? jumps : (view * (a + b)).z() < 0.0 ? back : front;
    to += "M" + place(a) + "L" + place(b);
  }
  std::string circles;
  for (int axis = 0; axis < 3; ++axis) {
    for (int i = 0; i <= 72; ++i) {
      const double u = std::numbers::pi * i / 36.0;
      Vec3 n = Vec3::Zero();
      n[(axis + 1) % 3] = std::cos(u);
      n[(axis + 2) % 3] = std::sin(u);
      circles += (i ? "L" : "M") + place(n);
    }
  }
  const auto path = [](const std::string& d, const std::string& style) {
    return d.empty() ? ""
                     : "<path d='" + d + "' fill='none' stroke-linecap='round' " + style + "/>\n";
  };
  const std::string c = std::string("stroke='") + color + "' ";
  return "<circle cx='" + svgNumber(cx) + "' cy='" + svgNumber(cy) + "' r='" + svgNumber(radius) +
         "' fill='#fafafa' stroke='#bbb'/>\n" + path(circles, "stroke='#e4e4e4'") +
         path(back, c + "stroke-width='2' stroke-opacity='0.35'") +
         path(jumps, c + "stroke-width='1' stroke-dasharray='3 3'") +
         path(front, c + "stroke-width='2.5'");
}

/// Looks at where the directions of the curves are on the whole.
inline Mat3 viewOf(const std::vector<DirectionCurve>& curves) {
  Mat3 spread = Mat3::Zero();
  Vec3 mean = Vec3::Zero();
  for (const Vec3& n : curves.back().normals) {
    spread += n * n.transpose();
    mean += n;
  }
  const double count = static_cast<double>(curves.back().normals.size());
  Vec3 toward = mean / count;
  if (toward.norm() < 0.3) {  // goes all round: from obliquely above the plane it goes round in
    const Eigen::SelfAdjointEigenSolver<Mat3> solver(spread);
    toward = solver.eigenvectors().col(0) + 0.5 * solver.eigenvectors().col(2);
  }
  toward.normalize();
  const Vec3 up = std::abs(toward.z()) < 0.9 ? Vec3::UnitZ() : Vec3::UnitY();
  Mat3 view;
  view.row(0) = up.cross(toward).normalized();
  view.row(2) = toward;
  view.row(1) = toward.cross(Vec3(view.row(0)));
  return view;
}

inline void writeDirectionPlot(const std::filesystem::path& file, const std::string& title,
                               const std::vector<DirectionCurve>& curves) {
  constexpr double kSphere = 200.0, kLeft = 60.0, kTop = 62.0, kBottom = 270.0;
  const int width =
      static_cast<int>(kSphere * static_cast<double>(std::max<std::size_t>(3, curves.size()))) + 40;
  const double right = width - 20.0;
  double low = 0.0, high = 1e-9;
  for (const auto& curve : curves) {
    for (double d : curve.distances) low = std::min(low, d), high = std::max(high, d);
  }
  const double margin = 0.05 * (high - low);
  low -= low < 0.0 ? margin : 0.0;
  high += margin;
  const double steps = static_cast<double>(curves.front().distances.size() - 1);
  const auto x = [&](double i) { return kLeft + (right - kLeft) * i / steps; };
  const auto y = [&](double d) { return kBottom - (kBottom - kTop) * (d - low) / (high - low); };
  std::string out = svgHead(width, 566, title);
  const double step = svgStep(high - low);
  for (double d = std::ceil(low / step) * step; d <= high; d += step) {
    const double shown = std::abs(d) < 1e-9 * step ? 0.0 : d;
    out += "<path d='M" + svgNumber(kLeft) + " " + svgNumber(y(d)) + "H" + svgNumber(right) +
           "' stroke='" + (shown == 0.0 ? "#999" : "#e4e4e4") + "'/>\n" +
           svgText(kLeft - 6, y(d) + 4, "end", svgNumber(shown));
  }
  const double along = svgStep(steps);
  for (double i = 0.0; i <= steps; i += along) {
    out += svgText(x(i), kBottom + 16, "middle", svgNumber(i));
  }
  out += svgText(kLeft, kTop - 10, "start", "distance [m]") +
         svgText(0.5 * (kLeft + right), kBottom + 32, "middle", "step");
  for (std::size_t c = 0; c < curves.size(); ++c) {
    std::string path;
    for (std::size_t i = 0; i < curves[c].distances.size(); ++i) {
      path += (i ? "L" : "M") + svgNumber(x(static_cast<double>(i))) + " " +
              svgNumber(y(curves[c].distances[i]));
    }
    out += "<path d='" + path + "' fill='none' stroke-width='" + (c == 0 ? "3" : "1.6") +
           "' stroke='" + curveColor(c) + "'/>\n";
    const double at = kLeft + 130.0 + 115.0 * static_cast<double>(c);
    out += "<rect x='" + svgNumber(at) + "' y='" + svgNumber(kTop - 16) +
           "' width='14' height='4' fill='" + std::string(curveColor(c)) + "'/>\n";
    out += svgText(at + 20.0, kTop - 10, "start", curves[c].name);
  }
  const Mat3 view = viewOf(curves);
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const double cx = 20.0 + kSphere * (static_cast<double>(c) + 0.5);
    out += svgText(cx, 338, "middle", curves[c].name);
    out += sphereOfDirections(curves[c].normals, view, cx, 440.0, 88.0, curveColor(c));
    out += svgText(cx, 552, "middle", curves[c].caption);
  }
  writeFileAtomically(file, out + "</svg>\n");
}

}  // namespace allclear::bench
