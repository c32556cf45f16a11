#include "allclear/planner/planner.h"

#include "allclear/planner/search/sequence_search.h"

namespace allclear {

SequencePlan planSequence(const Sequence& sequence, const PlanOptions& options,
                          const PlanHooks& hooks) {
  return SequenceSearch(sequence, options, hooks).run();
}

}  // namespace allclear
