#include "allclear/planner/run/run_context.h"

#include <memory>
#include <mutex>

#include "allclear/core/parallel.h"

namespace allclear {

RunContext contextOf(const PlanOptions& options, const PlanHooks& hooks, double time_limit) {
  RunContext context;
  // A caller's `stop` need not be safe in several threads: searches and the owner of a `StopScope`
  // may ask at the same time.
  if (hooks.stop) {
    context.stop = [stop = hooks.stop, asking = std::make_shared<std::mutex>()] {
      const std::lock_guard<std::mutex> lock(*asking);
      return stop();
    };
  }
  context.threads = threadCount(options.threads);
  context.seed = options.seed;
  return context.endingAfter(time_limit, hooks.start.value_or(context.start));
}

}  // namespace allclear
