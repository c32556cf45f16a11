// Distances of pairs at start and goal, from the finest solids that enclose the bodies: from hulls,
// which are cheap, where these keep the margin, else from pieces, at last from the exact meshes.
#include "allclear/planner/problem/end_margin.h"

#include <algorithm>

#include "allclear/distance/enclosing_solids.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/planner/problem/cloud_distance.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {
namespace {

/// Left below the distance at the end: the optimiser keeps its curves two tolerances above what is
/// asked for, and the bounds of the certificate need some of the rest.
constexpr double kTolerancesLeft = 4.0;

std::vector<Pose> posesAt(const Problem& problem, const VecX& q) {
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(q, workspace, X_WL);
  return X_WL;
}

}  // namespace

double marginAtEnd(double margin, double distance, double tolerance) {
  if (!(distance > 0.0) || distance >= margin) return margin;
  return distance - std::min(kTolerancesLeft * tolerance, 0.5 * distance);
}

EndClearances::EndClearances(const Problem& problem) : problem_(problem) {
  if (problem.collision.end_margin != EndMargin::kRelax) return;
  start_ = posesAt(problem, problem.start);
  if (const auto* goal = std::get_if<JointTarget>(&problem.goal)) {
    goal_ = posesAt(problem, problem.configuration(goal->values));
  }
}

EndMargins EndClearances::of(const Body& a, const Body& b, double margin) const {
  for (const Body* body : {&a, &b}) {
    if (body->obstacle >= 0 && problem_.obstacles[body->obstacle].moves()) return {margin, margin};
  }
  return {start_.empty() ? margin : at(start_, a, b, margin),
          goal_.empty() ? margin : at(goal_, a, b, margin)};
}

double EndClearances::at(const std::vector<Pose>& X_WL, const Body& a, const Body& b,
                         double margin) const {
  const auto pose = [&](const Body& body) {
    return body.obstacle >= 0 ? problem_.obstacles[body.obstacle].X_WO : X_WL[body.link];
  };
  const Pose X_WA = pose(a), X_WB = pose(b);
  // Each level encloses the bodies: the first that keeps the margin is enough, the last counts.
  double distance = 0.0;
  for (int level = 0; level < kMeshFidelityCount; ++level) {
    const auto fidelity = static_cast<MeshFidelity>(level);
    if (const Cloud* cloud =
            b.obstacle >= 0 ? problem_.obstacles[b.obstacle].cloud.get() : nullptr) {
      distance = cloudDistance(enclosingSolids(*a.geometry, fidelity), X_WA, *cloud, X_WB);
    } else {
      distance = leastSignedDistance(enclosingSolids(*a.geometry, fidelity), X_WA,
                                     enclosingSolids(*b.geometry, fidelity), X_WB);
    }
    if (distance >= margin) return margin;
  }
  return marginAtEnd(margin, distance, problem_.collision.tolerance);
}

}  // namespace allclear
