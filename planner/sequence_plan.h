#pragma once

#include <optional>
#include <string>

#include "allclear/planner/planner.h"
#include "allclear/planner/sequence.h"

namespace allclear {

struct SequenceStatistics {
  double seconds = 0.0;
  int plans = 0;    ///< searches for a motion
  int returns = 0;  ///< times that the search went back to another end of an earlier motion
  int looks = 0;    ///< problems that the look-ahead asked for their ends
};

/// A plan of all motions of a sequence.
struct SequencePlan {
  PlanStatus status = PlanStatus::kNotFound;
  std::string message;  ///< the verdict; without a plan, the first motion that has none, and why
  /// Every motion with its problem and certificate, the events, the duration; clear as a whole or
  /// empty.
  SequenceCertificate certificate;
  std::optional<NamedTrajectory> trajectory;  ///< all motions as one; with the certificate
  /// Without a plan: the motion that failed, as it failed after the best motions before it.
  struct Failure {
    std::string segment;
    Problem problem;
    Plan plan;
  };
  std::optional<Failure> failure;
  PlanOptions options;
  SequenceStatistics statistics;
};

/// Plans all motions of a sequence, each as `plan` does. Where a motion may end in several
/// configurations, that one is tried first from which the motions after it look cheapest, and when
/// a later one has no plan, the search goes back to the next. Bounded by counts, so deterministic,
/// but for the time limit: `PlanOptions::time_limit` [s] is that of each motion, and that times the
/// number of motions is the limit of the whole. Throws `InputError` as `plan` does.
SequencePlan planSequence(const Sequence& sequence, const PlanOptions& options = {},
                          const PlanHooks& hooks = {});

}  // namespace allclear
