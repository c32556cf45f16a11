#pragma once

#include <vector>

#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/greatest_norm.h"
#include "allclear/planner/certificate/motion.h"

namespace allclear {

/// How far a frame is from where it is to be, for all t: [m], and the norm of the nine numbers by
/// which its rotation differs. One that is not limited is left at 0.
struct OffBounds {
  GreatestNorm place;
  GreatestNorm turn;
};

/// Of a link that keeps a pose relative to another (to the world: a curve at rest). Both have their
/// curves over the same cells of time.
OffBounds offHeldPose(const KeepPose& keep, const std::vector<BodyCurve>& of_link,
                      const std::vector<BodyCurve>& of_other);

/// Of a link that follows a line: from one pose of the line at each t, in the line's order.
OffBounds offLine(const KeepOnLine& line, const std::vector<BodyCurve>& curves);

/// Appends "held position" and "held orientation" of a link that keeps a pose, each where it is
/// limited: bounds, for all t, of how far it is from where it is to be. `tolerance` [m or rad] is
/// what a bound may be beyond its limit.
void addHeldPose(const Problem& problem, const KeepPose& keep, double tolerance,
                 const CertifiedMotion& motion, std::vector<CertifiedLimit>* out);

/// Appends "distance from the line" and, where it is limited, "turn from the line": bounds, for all
/// t, of how far frame P is from a pose of the line, the same pose for both, the poses in the order
/// of its stretches.
void addLine(const Problem& problem, const KeepOnLine& line, double tolerance,
             const CertifiedMotion& motion, std::vector<CertifiedLimit>* out);

}  // namespace allclear
