#pragma once

#include <functional>

#include "allclear/planner/certificate.h"

namespace allclear {

/// `certify` that ends by `Stopped` (core/stop_scope.h) within milliseconds once `stop` returns
/// true; but for single calls of qhull. `stop` is called by this thread, at most once in a
/// millisecond. Empty: when the thread's own scope says so.
Certificate certifyUnlessStopped(const Problem& problem, const Trajectory& trajectory,
                                 const Trajectory* wrenches, const CertificateOptions& options,
                                 std::function<bool()> stop);

}  // namespace allclear
