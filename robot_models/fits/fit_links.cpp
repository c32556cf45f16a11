// Capsules about every link. Links are independent, so they are fitted in parallel; each writes
// only its own result, so that the number of threads changes nothing.
#include "allclear/core/parallel.h"
#include "allclear/robot_models/fitted_shapes.h"

namespace allclear {

std::vector<LinkFit> fitLinks(const RobotModel& robot, const CapsuleSetOptions& options,
                              int threads) {
  std::vector<LinkFit> fits;
  for (int i = 0; i < static_cast<int>(robot.links().size()); ++i) {
    if (!robot.links()[i].collision.empty()) fits.push_back({i, {}});
  }
  parallelFor(threadCount(threads), static_cast<int>(fits.size()), [&](int i, int) {
    fits[i].set = fitCapsules(robot.links()[fits[i].link].collision, options);
  });
  return fits;
}

FittedShapes fittedShapes(const RobotModel& robot, const std::vector<LinkFit>& fits) {
  FittedShapes shapes{robot.name(), robot.sourceSha256(), {}};
  for (const LinkFit& fit : fits) {
    shapes.links.push_back({robot.links()[fit.link].name, fit.set.capsules});
  }
  return shapes;
}

}  // namespace allclear
