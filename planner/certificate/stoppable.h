#pragma once

#include <exception>
#include <functional>

#include "allclear/planner/certificate.h"

namespace allclear {

/// Thrown where a proof was stopped: nothing is known of the trajectory.
struct ProofStopped : std::exception {
  const char* what() const noexcept override { return "the proof was stopped"; }
};

/// `certify` that ends by a `ProofStopped` within milliseconds once `stop` returns true; but for
/// single searches between exact meshes, and covers of a mesh that are made the first time. `stop`
/// is called by this thread, at most once in a millisecond. Empty: never.
Certificate certifyUnlessStopped(const Problem& problem, const Trajectory& trajectory,
                                 const Trajectory* wrenches, const CertificateOptions& options,
                                 const std::function<bool()>& stop);

}  // namespace allclear
