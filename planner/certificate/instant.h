#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allclear/planner/certificate/geometry.h"

namespace allclear {

/// Two bodies at one instant.
struct PairDistance {
  std::string a;
  std::string b;
  double distance = 0.0;  ///< signed [m]
  double margin = 0.0;    ///< [m]
  bool fixed = false;     ///< they do not move relative to each other
  /// The closest points, in the world; of bodies that overlap, those that meet when the second is
  /// moved out by the shortest way. Only where they are asked for.
  Vec3 p_WA = Vec3::Zero(), p_WB = Vec3::Zero();
};

/// The signed distances of all pairs in configuration `q` of the robot, the nearest to its margin
/// (or deepest beyond it) first. Obstacles that move are where they are at time t [s]; without one
/// their pairs are left out.
std::vector<PairDistance> pairDistances(const Problem& problem, const CertifiedGeometry& geometry,
                                        const VecX& q, std::optional<double> t,
                                        bool with_points = false);

/// The pairs that do not move relative to each other and are nearer than their margin, or may meet
/// when they stray, at the finest fidelity at which they are: the nearest to its margin first. They
/// do not depend on the trajectory. Never longer than the fixed pairs.
std::vector<PairDistance> fixedContacts(const Problem& problem, const CertifiedGeometry& geometry);

/// The same, with those that are nearer than `least_wanted` [m].
std::vector<PairDistance> fixedPairsWithin(const Problem& problem,
                                           const CertifiedGeometry& geometry, double least_wanted);

}  // namespace allclear
