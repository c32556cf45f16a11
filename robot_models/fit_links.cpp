#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "allclear/robot_models/fitted_shapes.h"

namespace allclear {

std::vector<LinkFit> fitLinks(const RobotModel& robot, const CapsuleSetOptions& options,
                              int threads) {
  std::vector<LinkFit> fits;
  for (int i = 0; i < static_cast<int>(robot.links().size()); ++i) {
    if (!robot.links()[i].collision.empty()) fits.push_back({i, {}});
  }
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < fits.size(); i = next++) {
      fits[i].set = fitCapsules(robot.links()[fits[i].link].collision, options);
    }
  };
  const int available =
      threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<std::future<void>> workers;
  for (int i = 1; i < std::min(available, static_cast<int>(fits.size())); ++i) {
    workers.push_back(std::async(std::launch::async, work));
  }
  work();
  for (std::future<void>& worker : workers) worker.get();
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
