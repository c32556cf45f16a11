#pragma once

// The plots of bench_mcd_mesh (thesis, figures 6.10 and 6.11): the distance of two meshes over time
// with the minimum that was found over each stretch, and bars of what a minimum takes.

#include <algorithm>
#include <string>
#include <vector>

#include "allclear/distance/mesh/distance.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/minimum/reference/reference.h"
#include "bench/support/bench_report.h"
#include "bench/support/mcd_table.h"
#include "bench/support/plots.h"

#include "distance/minimum/mcd_motions.h"
#include "support/mesh_samples.h"

namespace allclear::bench {

constexpr int kStretches = 8;

/// A bent bar that turns about two axes past another body.
inline test::ChainMotion turningPast(double reach) {
  test::ChainMotion motion;
  test::ChainJoint shoulder, wrist;
  shoulder.X_PJ.p = Vec3(0.0, -1.15 * reach, 0.1 * reach);
  shoulder.axis = Vec3::UnitZ();
  shoulder.polynomial = {-0.9, 2.2, 2.4, -1.2};
  wrist.X_PJ.p = Vec3(0.15 * reach, 0.1 * reach, 0.0);
  wrist.axis = Vec3(1.0, 1.0, 0.0).normalized();
  wrist.polynomial = {0.3, 4.0, -6.0, 5.0, -1.0};
  motion.joints = {shoulder, wrist};
  return motion;
}

/// A minimum over each stretch of the motion, by the certified search or by subdivision.
inline std::vector<DistanceBracket> stretchMinima(const TriangleMesh& a,
                                                  const test::ChainMotion& motion,
                                                  const TriangleMesh& b, bool certified,
                                                  std::vector<double>* milliseconds) {
  const Shape shape_A = a, shape_B = b;
  McdOptions options;
  options.tolerance = 1e-3;
  options.max_evaluations = 100000000;
  std::vector<DistanceBracket> minima;
  for (int i = 0; i < kStretches; ++i) {
    const Interval time{double(i) / kStretches, double(i + 1) / kStretches};
    const int cells = motion.cellsFor(time, 2e-6, bodyOf(a)->reach());
    const std::vector<BodyCurve> curves = motion.curves(time, cells);
    const BodyCurve still = BodyCurve::still(Pose{}, time);
    const double start = secondsNow();
    const MovingShape moving{&shape_A, {}, curves}, resting{&shape_B, {}, {&still, 1}};
    minima.push_back(certified ? minimumDistance(*bodyOf(a), moving, *bodyOf(b), resting, options)
                               : referenceMinimum(ReferenceAlgorithm::kSubdivision, *bodyOf(a),
                                                  moving, *bodyOf(b), resting, options));
    milliseconds->push_back(1e3 * (secondsNow() - start));
  }
  return minima;
}

inline nlohmann::json meshDistancePlot(const TriangleMesh& a, const TriangleMesh& b) {
  const test::ChainMotion motion = turningPast(bodyOf(a)->reach() + bodyOf(b)->reach());
  DistancePlot plot;
  plot.name = "mcd_mesh_distance";
  plot.title = "Distance of two meshes (red) and its proven minimum per stretch (green)";
  std::vector<double> unused;
  const auto minima = stretchMinima(a, motion, b, true, &unused);
  for (int i = 0; i < kStretches; ++i) {
    plot.minima.push_back(
        {double(i) / kStretches, double(i + 1) / kStretches, std::max(0.0, minima[i].lower)});
  }
  const Shape shape_A = a, shape_B = b;
  for (int i = 0; i <= 320; ++i) {
    plot.times.push_back(i / 320.0);
    plot.distances.push_back(
        meshDistance(shape_A, motion.pose(plot.times.back()), shape_B, Pose{}).distance);
  }
  return plotOf(plot);
}

/// The thesis's adaptive subdivision beside branch and bound in space and time, the mean over the
/// stretches, on the same engine, for finer and finer meshes.
inline nlohmann::json meshTimesPlot() {
  TimeBars bars{"mcd_mesh_times",
                "Minimum over time of two meshes, tolerance 1e-3 m",
                "ms",
                {"space-time", "subdivision"},
                {}};
  for (const auto& [rings, sides] : {std::pair{9, 16}, {17, 27}, {33, 51}}) {
    const TriangleMesh a = test::blobMesh(0.15, rings, sides, 0.3);
    const TriangleMesh b = test::blobMesh(0.2, rings, sides, 0.2);
    const test::ChainMotion motion = turningPast(bodyOf(a)->reach() + bodyOf(b)->reach());
    std::vector<double> means;
    for (const bool certified : {true, false}) {
      std::vector<double> milliseconds;
      stretchMinima(a, motion, b, certified, &milliseconds);
      means.push_back(statisticsOf(milliseconds).mean);
    }
    const std::string count = std::to_string(a.triangles().size());
    bars.bars.push_back({count + " x " + count, means});
  }
  return plotOf(bars);
}

inline void plotMeshMinima(Report* report) {
  report->plot(
      meshDistancePlot(test::blobMesh(0.15, 33, 51, 0.3), test::torusMesh(0.3, 0.1, 40, 24)));
  report->plot(meshTimesPlot());
}

}  // namespace allclear::bench
