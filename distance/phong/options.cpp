#include "allclear/distance/phong/options.h"

namespace allclear {

const char* smoothMethodName(SmoothMethod method) {
  static constexpr const char* kNames[] = {"euclidean", "phong", "dual_phong",
                                           "soft",      "gauge", "automatic"};
  return kNames[static_cast<int>(method)];
}

}  // namespace allclear
