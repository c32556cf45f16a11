// What every entry to a minimum over time checks before it starts.

#include "allclear/distance/minimum/query.h"

#include <cmath>
#include <utility>

#include "allclear/core/input_error.h"

namespace allclear::mcd {
namespace {

bool isAtRest(const BodyCurve& curve) {
  return curve.bounds.linear[0] == 0.0 && curve.bounds.angular[0] == 0.0;
}

}  // namespace

void requireValid(const McdOptions& options) {
  if (!(options.tolerance > 0.0 && std::isfinite(options.tolerance))) {
    throw InputError("the tolerance of a minimum distance must be positive");
  }
  if (options.threshold && std::isnan(*options.threshold)) {
    throw InputError("the threshold of a minimum distance is not a number");
  }
  if (options.max_evaluations < 1) {
    throw InputError("a minimum distance needs at least one evaluation");
  }
}

void requireMatchingCurves(const MovingShape& a, const MovingShape& b) {
  if (a.shape == nullptr || b.shape == nullptr || a.curves.empty() || b.curves.empty()) {
    throw InputError("a moving shape needs a shape and at least one body curve");
  }
  if (a.curves.size() == b.curves.size()) {
    for (std::size_t i = 0; i < a.curves.size(); ++i) {
      const Interval &x = a.curves[i].time, &y = b.curves[i].time;
      // A single still curve may span any time.
      const bool still = a.curves.size() == 1 && (isAtRest(a.curves[0]) || isAtRest(b.curves[0]));
      if (!still && (x.lower != y.lower || x.upper != y.upper)) {
        throw InputError("the body curves of two shapes have different cells of time");
      }
    }
    return;
  }
  const BodyCurve& single = a.curves.size() == 1 ? a.curves[0] : b.curves[0];
  if ((a.curves.size() != 1 && b.curves.size() != 1) || !isAtRest(single)) {
    throw InputError("two shapes have different numbers of body curves, and neither is still");
  }
}

bool isCapsule(const Shape& shape) {
  return std::holds_alternative<Capsule>(shape) || std::holds_alternative<Sphere>(shape);
}

bool isHalfSpace(const Shape& shape) { return std::holds_alternative<HalfSpace>(shape); }

bool isMesh(const Shape& shape) { return std::holds_alternative<TriangleMesh>(shape); }

DistanceBracket swapped(DistanceBracket bracket) {
  std::swap(bracket.witness_A, bracket.witness_B);
  bracket.normal = -bracket.normal;
  return bracket;
}

}  // namespace allclear::mcd
