#pragma once

#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// What would let a certificate of the problem claim more than is known, or claim it of the wrong
/// body:
/// - one name for two bodies, or a margin or allowed pair for an unknown one;
/// - links that planned joints move and that have visuals but no collision geometry, unless
///   `CollisionSettings::missing` says what to do with them;
/// - torques, balance or forces of unplanned contacts of bodies without a mass, or torques of a
///   floating base without contact forces;
/// - cables that mean nothing or that no bound is known for (`cableFindings`).
///
/// Pre: dimensions and indices of the problem are right.
std::vector<Finding> claimFindings(const Problem& problem);

/// Bodies that planned joints move and that have no mass to count on, carried objects among them:
/// what is said of impacts would mean nothing. Pre: as above.
std::vector<Finding> massFindings(const Problem& problem);

/// Throws `InputError` with the first of `claimFindings`.
void requireCertifiable(const Problem& problem);

}  // namespace allclear
