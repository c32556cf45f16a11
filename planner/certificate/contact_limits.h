#pragma once

#include <string>
#include <vector>

#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/torque.h"

namespace allclear {

/// Appends "torque" of each planned coordinate, with its bounds against its limit.
void addTorqueLimits(const Problem& problem, const std::vector<DynamicsBound>& bounds,
                     const VecX& effort, const CertifiedLimitOptions& options,
                     std::vector<CertifiedLimit>* out);

/// Why the forces at the contacts cannot be bounded along this trajectory, as a phrase; empty where
/// they can, and where the problem asks for none.
std::string forcesLeftOpen(const Problem& problem, const Trajectory& trajectory,
                           const Trajectory* wrenches);

/// Throws `InputError` when `wrenches` (may be null) cannot be those of this problem along this
/// trajectory: other rows than its contacts have, or another duration.
void requireMatchingWrenches(const Problem& problem, const Trajectory& trajectory,
                             const Trajectory* wrenches);

/// Appends torques, where they are limited, and for each contact "friction", "centre of pressure"
/// (of soles) and "lift-off": the least room in its cone (`ContactCone`) and the least pressing
/// force over the weight, kept where they are at least 0. Nothing where `forcesLeftOpen` says why,
/// or the problem asks for no forces.
void addContactLimits(const Problem& problem, const Trajectory& trajectory,
                      const Trajectory* wrenches, const CertifiedLimitOptions& options,
                      std::vector<CertifiedLimit>* out);

}  // namespace allclear
