#include "allclear/planner/certificate/instant.h"

#include <algorithm>

#include "allclear/distance/signed_distance.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {

std::vector<PairDistance> pairDistances(const Problem& problem, const CertifiedGeometry& geometry,
                                        const VecX& q, std::optional<double> t) {
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(q, workspace, X_WL);
  const auto poseOf = [&](const CertifiedBody& body) {
    return body.link >= 0 ? X_WL[body.link]
                          : problem.obstacles[body.obstacle].pose(t.value_or(0.0));
  };
  std::vector<PairDistance> distances;
  for (const CertifiedPair& pair : geometry.pairs) {
    const CertifiedBody &a = geometry.bodies[pair.a], &b = geometry.bodies[pair.b];
    const bool moves = b.obstacle >= 0 && problem.obstacles[b.obstacle].moves();
    if (moves && !t) continue;
    const Pose X_WA = poseOf(a), X_WB = poseOf(b);
    double least = 0.0;
    for (MeshFidelity fidelity : kFidelities) {
      least = std::numeric_limits<double>::infinity();
      const std::vector<Geometry> B = b.solids(fidelity);
      for (const Geometry& i : a.solids(fidelity)) {
        for (const Geometry& j : B) {
          least = std::min(least,
                           signedDistance(i.shape, X_WA * i.X_BG, j.shape, X_WB * j.X_BG).distance);
        }
      }
      if (least >= pair.margin) break;
    }
    distances.push_back({a.name, b.name, least, pair.margin, pair.fixed});
  }
  std::stable_sort(distances.begin(), distances.end(),
                   [](const PairDistance& x, const PairDistance& y) {
                     return x.distance - x.margin < y.distance - y.margin;
                   });
  return distances;
}

}  // namespace allclear
