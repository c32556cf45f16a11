#include "allclear/planner/scene.h"

#include <algorithm>

namespace allclear {

Pose Obstacle::pose(double t) const {
  if (!moves()) return X_WO;
  if (t <= motion.front().time) return motion.front().X_WO;
  if (t >= motion.back().time) return motion.back().X_WO;
  const auto after =
      std::upper_bound(motion.begin(), motion.end(), t,
                       [](double time, const PoseKnot& knot) { return time < knot.time; });
  const PoseKnot& b = *after;
  const PoseKnot& a = *(after - 1);
  const double s = (t - a.time) / (b.time - a.time);
  const Eigen::AngleAxisd turn(a.X_WO.R.transpose() * b.X_WO.R);
  return {a.X_WO.R * rotationAbout(turn.axis(), s * turn.angle()),
          (1.0 - s) * a.X_WO.p + s * b.X_WO.p};
}

}  // namespace allclear
