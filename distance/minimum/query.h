#pragma once

#include "allclear/distance/minimum_distance.h"

namespace allclear::mcd {

/// Throws `InputError` unless the tolerance is positive and finite, the threshold (if any) a number
/// and at least one evaluation allowed.
void requireValid(const McdOptions& options);

/// Throws `InputError` unless both have a shape and curves, and the curves are cells of the same
/// times or one of them is a single curve at rest.
void requireMatchingCurves(const MovingShape& a, const MovingShape& b);

/// Spheres and capsules: what the kernel for capsules takes.
bool isCapsule(const Shape& shape);
bool isHalfSpace(const Shape& shape);
bool isMesh(const Shape& shape);

/// The bracket of (a, b) from that of (b, a).
DistanceBracket swapped(DistanceBracket bracket);

}  // namespace allclear::mcd
