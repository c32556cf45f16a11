#include "allclear/robot_models/kinematics_types.h"

namespace allclear {

std::optional<Vec3> zeroMomentPoint(const Wrench& ground_reaction, const Vec3& point,
                                    const Vec3& normal) {
  const double pressing = normal.dot(ground_reaction.force);
  if (!(pressing > 0.0)) return std::nullopt;
  const Vec3 moment = ground_reaction.moment - point.cross(ground_reaction.force);
  return point + normal.cross(moment) / pressing;
}

}  // namespace allclear
