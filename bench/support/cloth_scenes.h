#pragma once

#include <string>
#include <vector>

#include "allclear/distance/shape.h"

namespace allclear::bench {

/// Cloth that moves, as keyframes of one mesh. Nothing keeps it from passing through itself.
struct ClothScene {
  std::string name;
  std::vector<Triangle> triangles;
  std::vector<std::vector<Vec3>> keyframes;
};

/// Names: hung, flag, twist, skirt, drape. `detail` 1 gives about 28,000 triangles (the thesis's
/// pieces have 9,952 to 28,802); 0.5 a quarter of them. The same every time.
ClothScene clothScene(const std::string& name, double detail, int frames);

}  // namespace allclear::bench
