// Checks what a caller gives as a step: the searches index and compare without looking again.
#include "allclear/distance/deform/step_check.h"

#include "allclear/core/input_error.h"

namespace allclear::deform {

void requireStep(const MeshStep& step) {
  // NaN fails `allFinite`.
  const auto count = static_cast<int>(step.start.size());
  if (step.end.size() != step.start.size()) {
    throw InputError("a step has " + std::to_string(step.start.size()) +
                     " vertices at its start and " + std::to_string(step.end.size()) +
                     " at its end");
  }
  for (std::size_t t = 0; t < step.triangles.size(); ++t) {
    for (int v : step.triangles[t]) {
      if (v >= 0 && v < count) continue;
      throw InputError("triangle " + std::to_string(t) + " names vertex " + std::to_string(v) +
                       " of " + std::to_string(count));
    }
  }
  for (std::size_t v = 0; v < step.start.size(); ++v) {
    if (step.start[v].allFinite() && step.end[v].allFinite()) continue;
    throw InputError("vertex " + std::to_string(v) + " is not finite");
  }
}

}  // namespace allclear::deform
