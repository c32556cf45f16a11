// Capsules, or one ellipsoid, about every link. Links are independent, so they are fitted in
// parallel; each writes only its own result, so that the number of threads changes nothing.
#include <numbers>

#include "allclear/core/parallel.h"
#include "allclear/robot_models/fitted_shapes.h"

namespace allclear {
namespace {

/// Calls fit(solids) for every link with collision geometry.
template <class Fit>
std::vector<LinkFit> fitEach(const RobotModel& robot, int threads, const Fit& fit) {
  std::vector<LinkFit> fits;
  for (int i = 0; i < static_cast<int>(robot.links().size()); ++i) {
    if (!robot.links()[i].collision.empty()) fits.push_back({i, {}});
  }
  parallelFor(threadCount(threads), static_cast<int>(fits.size()),
              [&](int i, int) { fits[i].set = fit(robot.links()[fits[i].link].collision); });
  return fits;
}

/// One ellipsoid in the place of the capsules; the volumes of the solids are those of a set of one.
CapsuleSet ellipsoidAbout(const std::vector<Geometry>& solids) {
  CapsuleSetOptions one;
  one.max_count = 1;
  CapsuleSet set = fitCapsules(solids, one);
  set.capsules = {fitEllipsoid(solids)};
  set.volume =
      4.0 / 3.0 * std::numbers::pi * std::get<Ellipsoid>(set.capsules[0].shape).radii().prod();
  set.covers_inside = true;  // it holds the convex hull
  return set;
}

}  // namespace

std::vector<LinkFit> fitLinks(const RobotModel& robot, const CapsuleSetOptions& options,
                              int threads) {
  return fitEach(robot, threads,
                 [&](const std::vector<Geometry>& solids) { return fitCapsules(solids, options); });
}

std::vector<LinkFit> fitLinkEllipsoids(const RobotModel& robot, int threads) {
  return fitEach(robot, threads, ellipsoidAbout);
}

FittedShapes fittedShapes(const RobotModel& robot, const std::vector<LinkFit>& fits) {
  FittedShapes shapes{robot.name(), robot.sourceSha256(), {}};
  for (const LinkFit& fit : fits) {
    shapes.links.push_back({robot.links()[fit.link].name, fit.set.capsules});
  }
  return shapes;
}

}  // namespace allclear
