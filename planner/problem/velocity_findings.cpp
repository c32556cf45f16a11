#include "allclear/planner/problem/velocity_findings.h"

#include <cmath>

#include "allclear/core/formatted.h"

namespace allclear {

std::vector<Finding> velocityFindings(const Problem& problem) {
  std::vector<Finding> out;
  const VecX& limits = problem.limits.velocity;
  for (int c = 0; c < limits.size(); ++c) {
    const Coordinate& joint = problem.robot->coordinates()[c];
    if (std::isnan(limits[c]) || (limits[c] > 0.0 && limits[c] <= joint.velocity)) continue;
    const std::string what = "limits: velocity of joint '" + joint.name + "'";
    const std::string value = formatted("%.9g", limits[c]);
    const std::string why = limits[c] > 0.0 ? value + " is above the robot's own limit " +
                                                  formatted("%.9g", joint.velocity)
                                            : value + " must be positive";
    out.push_back({what, limits[c], joint.velocity, what + ": " + why});
  }
  return out;
}

}  // namespace allclear
