// Distances of all pairs in one configuration. Each mesh counts at the first fidelity that keeps
// the pair's margin: a coarse solid encloses its mesh, so its distance is a lower bound, and only
// where that is too small does a finer one cost anything. Pairs that nothing parts count at the
// finest level at which they are still too near.
#include "allclear/planner/certificate/instant.h"

#include <algorithm>
#include <limits>

#include "allclear/core/extremes.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/planner/certificate/fidelity.h"
#include "allclear/planner/problem/cloud_distance.h"
#include "allclear/planner/problem/stray_reach.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {
namespace {

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

/// How much nearer the two may come than at the start when what is uncertain strays [m]; between
/// hulls, which enclose all other solids.
double strayAtStart(const Problem& problem, const StrayReach& reach, const CertifiedBody& a,
                    const CertifiedBody& b) {
  const Uncertainty& uncertainty = problem.uncertainty;
  if (uncertainty.isZero()) return 0.0;
  const auto solidsOf = [&](const CertifiedBody& body) {
    std::vector<StraySolid> solids;
    for (const Geometry& solid : body.solids(MeshFidelity::kHull)) {
      solids.push_back(reach.solid(body.link, solid));
    }
    return solids;
  };
  const StrayReach::Placement at = reach.place(problem.start);
  const std::vector<StraySolid> solids_a = solidsOf(a), solids_b = solidsOf(b);
  const bool both_of_robot = b.obstacle < 0;  // obstacles come last, so only b can be one
  const std::size_t shared =
      both_of_robot ? sharedNodes(solids_a[0].path, solids_b[0].path) : std::size_t{0};
  const auto most = [&](const std::vector<StraySolid>& solids) {
    double moved = 0.0;
    for (const StraySolid& solid : solids) {
      moved = raised(moved, reach.displacement(at, solid, shared, !both_of_robot, uncertainty));
    }
    return moved;
  };
  if (both_of_robot) return most(solids_a) + most(solids_b);
  const bool has_value = uncertainty.obstacles.size() > 0;
  return most(solids_a) + (has_value ? uncertainty.obstacles[b.obstacle] : 0.0);
}

/// Where an obstacle may be displaced to at t.
std::optional<Mat3> spreadOf(const Problem& problem, const CertifiedBody& body, double t) {
  if (body.obstacle < 0 || problem.obstacles[body.obstacle].spread.isEmpty()) return std::nullopt;
  return problem.obstacles[body.obstacle].spreadAt(t);
}

/// Sets the closest points: those of the two solids that are the nearest to each other.
void setClosestPoints(const std::vector<Geometry>& A, const Pose& X_WA,
                      const std::vector<Geometry>& B, const Pose& X_WB, const Mat3* spread,
                      PairDistance* pair) {
  // Few solids, one configuration: no need to prune.
  double least = std::numeric_limits<double>::infinity();
  for (const Geometry& a : A) {
    for (const Geometry& b : B) {
      const SignedDistance found = signedDistance(a.shape, X_WA * a.X_BG, b.shape, X_WB * b.X_BG,
                                                  nullptr, {.spread = spread});
      if (!(found.distance < least)) continue;
      least = found.distance;
      pair->p_WA = found.witness_A;
      pair->p_WB = found.witness_B;
    }
  }
}

}  // namespace

/// Each pair at the coarsest fidelity that shows it clear, else at the finest.
std::vector<PairDistance> pairDistances(const Problem& problem, const CertifiedGeometry& geometry,
                                        const VecX& q, std::optional<double> t, bool with_points) {
  const BodyPoses poses(problem, q, t.value_or(0.0));
  std::vector<PairDistance> distances;
  for (const CertifiedPair& pair : geometry.pairs) {
    const CertifiedBody &a = geometry.bodies[pair.a], &b = geometry.bodies[pair.b];
    // Obstacles come last in the bodies, so only b can be one.
    const bool moves = b.obstacle >= 0 && problem.obstacles[b.obstacle].moves();
    if (moves && !t) continue;
    const Pose X_WA = poses.of(a), X_WB = poses.of(b);
    const std::optional<Mat3> K = spreadOf(problem, b, t.value_or(0.0));
    const Mat3* spread = K ? &*K : nullptr;
    double least = 0.0;
    MeshFidelity used = MeshFidelity::kHull;
    const auto measure = [&](MeshFidelity fidelity) {
      used = fidelity;
      least = b.cloud != nullptr
                  ? cloudDistance(a.solids(fidelity), X_WA, *b.cloud, X_WB, spread)
                  : leastSignedDistance(a.solids(fidelity), X_WA,
                                        b.solidsAt(fidelity, t.value_or(0.0)), X_WB, spread);
      return least;
    };
    if (pair.touchesAtContact()) {
      least = touchDistance(pair.margin, measure);
    } else {
      refineUntil([&](MeshFidelity fidelity) { return measure(fidelity) >= pair.margin; });
    }
    distances.push_back({a.name, b.name, least, pair.margin, pair.fixed});
    if (with_points && b.cloud != nullptr) {
      const SignedDistance nearest = closestOfCloud(a.solids(used), X_WA, *b.cloud, X_WB, spread);
      distances.back().p_WA = nearest.witness_A;
      distances.back().p_WB = nearest.witness_B;
    } else if (with_points) {
      setClosestPoints(a.solids(used), X_WA, b.solidsAt(used, t.value_or(0.0)), X_WB, spread,
                       &distances.back());
    }
  }
  std::stable_sort(distances.begin(), distances.end(),
                   [](const PairDistance& x, const PairDistance& y) {
                     return x.distance - x.margin < y.distance - y.margin;
                   });
  return distances;
}

std::vector<PairDistance> fixedContacts(const Problem& problem, const CertifiedGeometry& geometry) {
  return fixedPairsWithin(problem, geometry, 0.0);
}

std::vector<PairDistance> fixedPairsWithin(const Problem& problem,
                                           const CertifiedGeometry& geometry, double least_wanted) {
  const BodyPoses poses(problem, problem.start, 0.0);
  const StrayReach reach(*problem.robot);
  std::vector<PairDistance> near;
  for (const CertifiedPair& pair : geometry.pairs) {
    if (!pair.fixed) continue;
    const CertifiedBody &a = geometry.bodies[pair.a], &b = geometry.bodies[pair.b];
    // A coarse solid may overlap where the bodies do not: only the finest level that overlaps
    // counts.
    const double stray = strayAtStart(problem, reach, a, b);
    const double wanted = std::max(pair.margin, least_wanted);
    const std::optional<Mat3> K = spreadOf(problem, b, 0.0);  // it does not change, nor move
    double least = 0.0;
    const auto isFar = [&] { return least > stray && least >= wanted; };
    const auto measure = [&](MeshFidelity fidelity) {
      const Mat3* spread = K ? &*K : nullptr;
      least = b.cloud != nullptr
                  ? cloudDistance(a.solids(fidelity), poses.of(a), *b.cloud, poses.of(b), spread)
                  : leastSignedDistance(a.solids(fidelity), poses.of(a), b.solids(fidelity),
                                        poses.of(b), spread);
      return least;
    };
    if (pair.touchesAtContact()) {
      least = touchDistance(-kTouchingDepth, measure);
    } else {
      refineUntil([&](MeshFidelity fidelity) {
        measure(fidelity);
        return isFar();
      });
    }
    if (!isFar()) near.push_back({a.name, b.name, least, pair.margin, true});
  }
  std::stable_sort(near.begin(), near.end(), [](const PairDistance& x, const PairDistance& y) {
    return x.distance - x.margin < y.distance - y.margin;
  });
  return near;
}

}  // namespace allclear
