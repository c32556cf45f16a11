#include "allclear/robot_models/kinematics_types.h"

namespace allclear {

std::optional<Vec3> zeroMomentPoint(const Wrench& ground_reaction, const Vec3& point,
                                    const Vec3& normal) {
  // Of the points on a plane, at which has the wrench no moment along the plane? With M the moment
  // about `point` and F the force: M - r x F is along n for r = n x M / (n.F), r in the plane.
  const double pressing = normal.dot(ground_reaction.force);
  if (!(pressing > 0.0)) return std::nullopt;
  const Vec3 moment = ground_reaction.moment - point.cross(ground_reaction.force);
  return point + normal.cross(moment) / pressing;
}

}  // namespace allclear
