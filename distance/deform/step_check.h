#pragma once

#include "allclear/distance/self_contact.h"

namespace allclear::deform {

/// Throws `InputError` when a triangle names a vertex that is not there, the ends have different
/// numbers of vertices, or a coordinate is not finite.
void requireStep(const MeshStep& step);

}  // namespace allclear::deform
