#include "allclear/planner/certificate/instant.h"

#include <algorithm>
#include <limits>

#include "allclear/core/extremes.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/planner/certificate/fidelity.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {
namespace {

/// The least signed distance [m] of any solid of A to any of B.
double leastDistance(const std::vector<Geometry>& A, const Pose& X_WA,
                     const std::vector<Geometry>& B, const Pose& X_WB) {
  double least = std::numeric_limits<double>::infinity();
  for (const Geometry& i : A) {
    for (const Geometry& j : B) {
      least =
          lowered(least, signedDistance(i.shape, X_WA * i.X_BG, j.shape, X_WB * j.X_BG).distance);
    }
  }
  return least;
}

/// The poses of all bodies in configuration q; of obstacles that move, at time t [s].
class BodyPoses {
 public:
  BodyPoses(const Problem& problem, const VecX& q, double t) : problem_(problem), t_(t) {
    const Kinematics kinematics(*problem.robot);
    Kinematics::Workspace workspace = kinematics.makeWorkspace();
    kinematics.linkPoses(q, workspace, X_WL_);
  }
  Pose of(const CertifiedBody& body) const {
    return body.link >= 0 ? X_WL_[body.link] : problem_.obstacles[body.obstacle].pose(t_);
  }

 private:
  const Problem& problem_;
  double t_;
  std::vector<Pose> X_WL_;
};

}  // namespace

/// Each pair at the coarsest fidelity that shows it clear, else at the finest.
std::vector<PairDistance> pairDistances(const Problem& problem, const CertifiedGeometry& geometry,
                                        const VecX& q, std::optional<double> t) {
  const BodyPoses poses(problem, q, t.value_or(0.0));
  std::vector<PairDistance> distances;
  for (const CertifiedPair& pair : geometry.pairs) {
    const CertifiedBody &a = geometry.bodies[pair.a], &b = geometry.bodies[pair.b];
    // Obstacles come last in the bodies, so only b can be one.
    const bool moves = b.obstacle >= 0 && problem.obstacles[b.obstacle].moves();
    if (moves && !t) continue;
    const Pose X_WA = poses.of(a), X_WB = poses.of(b);
    double least = 0.0;
    refineUntil([&](MeshFidelity fidelity) {
      least = leastDistance(a.solids(fidelity), X_WA, b.solids(fidelity), X_WB);
      return least >= pair.margin;
    });
    distances.push_back({a.name, b.name, least, pair.margin, pair.fixed});
  }
  std::stable_sort(distances.begin(), distances.end(),
                   [](const PairDistance& x, const PairDistance& y) {
                     return x.distance - x.margin < y.distance - y.margin;
                   });
  return distances;
}

std::vector<PairDistance> fixedContacts(const Problem& problem, const CertifiedGeometry& geometry) {
  const BodyPoses poses(problem, problem.start, 0.0);
  std::vector<PairDistance> contacts;
  for (const CertifiedPair& pair : geometry.pairs) {
    if (!pair.fixed) continue;
    const CertifiedBody &a = geometry.bodies[pair.a], &b = geometry.bodies[pair.b];
    // A coarse solid may overlap where the bodies do not: only the finest level that overlaps
    // counts.
    double least = 0.0;
    refineUntil([&](MeshFidelity fidelity) {
      least = leastDistance(a.solids(fidelity), poses.of(a), b.solids(fidelity), poses.of(b));
      return least > 0.0;
    });
    if (!(least > 0.0)) contacts.push_back({a.name, b.name, least, pair.margin, true});
  }
  return contacts;
}

}  // namespace allclear
