// Queries of a rigid shape and a mesh that bends: the search of surfaces (deform/), then the exact
// instant for gradients, or the depth where they meet.
#include "allclear/distance/deforming_mesh.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/input_error.h"
#include "allclear/distance/deform/sequence_depth.h"
#include "allclear/distance/deform/sequence_search.h"
#include "allclear/distance/minimum/query.h"

namespace allclear {
namespace {

/// Instants at which a contact is looked at, beside the one that was found.
constexpr int kContactInstants = 12;

/// Steps of the golden section: each leaves 0.62 of the time, 40 of them 5e-9.
constexpr int kRefinements = 40;

/// Lowers the result to the least distance within its stretch of time and those beside it.
/// By golden section: distances of surfaces have kinks where the nearest features change, and no
/// slope to rely on. Only the upper end gets better. The lower one stays as proven, so that a
/// second minimum in the stretch, which this may miss, costs exactness and never truth.
void refine(const deform::SequenceSearch& search, deform::SequenceResult* best) {
  constexpr double kGolden = 0.6180339887498949;
  const Interval whole = search.time();
  double low = std::max(whole.lower, best->t - best->width);
  double high = std::min(whole.upper, best->t + best->width);
  const auto look = [&](double t) {
    const deform::SequenceResult at = search.at(t, std::numeric_limits<double>::infinity());
    // A contact that the bracket excludes is one of rounding.
    if (!at.contact && at.upper < best->upper) {
      best->upper = at.upper;
      best->t = at.t;
      best->a = at.a;
      best->b = at.b;
      best->normal = at.normal;
    }
    return at.upper;
  };
  double x = high - kGolden * (high - low), y = low + kGolden * (high - low);
  double at_x = look(x), at_y = look(y);
  for (int i = 0; i < kRefinements && high > low; ++i) {
    if (at_x <= at_y) {
      high = y;
      y = x;
      at_y = at_x;
      x = high - kGolden * (high - low);
      at_x = look(x);
    } else {
      low = x;
      x = y;
      at_x = at_y;
      y = low + kGolden * (high - low);
      at_y = look(y);
    }
  }
  // The least may be at either end: where the stretch of time, or a keyframe, ends.
  look(std::max(whole.lower, best->t - best->width));
  look(std::min(whole.upper, best->t + best->width));
}

/// The deepest of a few instants.
/// Any instant bounds the least distance from above, so a sample is sound here; more of them find a
/// deeper one, and a better direction out.
void addDepth(const deform::RigidShape& shape, const deform::SequenceSearch& search,
              const DeformingMesh& mesh, const Pose& X_WO, double error, DistanceBracket* bracket) {
  const Interval time = search.time();
  const double found = bracket->t_star;
  SignedDistance deepest;
  deepest.distance = std::numeric_limits<double>::infinity();
  for (int i = -1; i <= kContactInstants; ++i) {
    const double t = i < 0 ? found : time.lower + time.length() * i / kContactInstants;
    const SignedDistance d = deform::depthAt(shape, search.pose(t), mesh, t);
    if (!(d.distance < deepest.distance)) continue;
    deepest = d;
    bracket->t_star = t;
  }
  // Solids inside of one another need not meet any leaf.
  if (!std::isfinite(deepest.distance)) return;
  bracket->witness_A = X_WO * deepest.witness_A;
  bracket->witness_B = X_WO * deepest.witness_B;
  bracket->normal = X_WO.R * deepest.normal;
  bracket->upper = std::min(bracket->upper, deepest.distance + deepest.gap + error);
}

/// A threshold that is decided counts before the width: who asks for one needs no narrow bracket.
/// The error of the curves is in both ends, and no search makes it less: what is asked for beside
/// it is half of the tolerance.
McdStatus statusOf(const DistanceBracket& bracket, const McdOptions& options, bool spent,
                   double error) {
  if (options.threshold && bracket.lower >= *options.threshold) return McdStatus::kCertifiedAbove;
  if (options.threshold && bracket.upper < *options.threshold) return McdStatus::kBelow;
  const double width = std::max(options.tolerance, 0.5 * options.tolerance + 2.0 * error);
  constexpr double kWidthRounding = 1e-9;  // relative: the search's rule compares the same numbers
  const bool is_narrow = bracket.upper - bracket.lower <= width * (1.0 + kWidthRounding);
  return is_narrow && !spent ? McdStatus::kBracketed : McdStatus::kUndecided;
}

}  // namespace

DistanceBracket minimumDistance(const MovingShape& a, const DeformingMesh& B, const Pose& X_WO,
                                const McdOptions& options) {
  mcd::requireValid(options);
  if (a.shape == nullptr || a.curves.empty()) {
    throw InputError("a moving shape needs a shape and at least one body curve");
  }
  if (options.spread != nullptr) throw InputError("a mesh that bends has no spread");
  const deform::RigidShape shape(*a.shape);
  deform::SequenceSearch search(shape, a, B, X_WO);
  deform::SequenceResult found = search.run(options);
  const bool above = options.threshold && found.lower >= *options.threshold;
  if (options.refine && found.evaluated && !found.contact && !above) refine(search, &found);
  DistanceBracket bracket;
  bracket.upper = found.upper;
  bracket.lower = std::min(found.lower, found.upper);
  bracket.t_star = found.t;
  bracket.evaluated = found.evaluated;
  bracket.witness_A = X_WO * found.a;
  bracket.witness_B = X_WO * found.b;
  bracket.normal = X_WO.R * found.normal;
  bracket.penetrating = found.contact;
  bracket.distance_evaluations = found.evaluations;
  bracket.bound_evaluations = found.bounds;
  if (found.contact) {
    // No body is deeper than it is wide, nor out of a hull farther than that is wide.
    bracket.lower = -2.0 * shape.root().reach - found.error;
    const bool is_decided =
        options.threshold && options.decide_only && bracket.upper < *options.threshold;
    if (!is_decided) addDepth(shape, search, B, X_WO, found.error, &bracket);
    // There the depth is in the hull of all of B, which may be wider than A by far.
    if (B.hasInside()) bracket.lower = -std::numeric_limits<double>::infinity();
    bracket.lower = std::min(bracket.lower, bracket.upper);
  }
  bracket.status = statusOf(bracket, options, found.spent, found.error);
  return bracket;
}

/// The search over a motion that stands still for no time. A still pose does not stray: the error
/// that the search has put into its upper end is taken off again. Whether another pair of points is
/// as near is not looked at, so nothing is said to be unique.
SignedDistance signedDistance(const Shape& A, const Pose& X_WA, const DeformingMesh& B,
                              const Pose& X_WO, double t) {
  const BodyCurve still = BodyCurve::still(X_WA, {t, t});
  const MovingShape moving{&A, Pose(), {&still, 1}};
  const deform::RigidShape shape(A);
  deform::SequenceSearch search(shape, moving, B, X_WO);
  McdOptions options;
  options.tolerance = 1e-9;  // [m]; at one instant the bound is the distance, to rounding
  const deform::SequenceResult found = search.run(options);
  SignedDistance out;
  if (found.contact) {
    out = deform::depthAt(shape, X_WO.inverse() * X_WA, B, t);
    if (std::isfinite(out.distance)) {
      out.distance = std::min(out.distance, 0.0);
      out.witness_A = X_WO * out.witness_A;
      out.witness_B = X_WO * out.witness_B;
      out.normal = X_WO.R * out.normal;
      return out;
    }
    // In contact, but in no hull: no way out is known, and 0 is the most that contact allows.
    out.distance = 0.0;
    return out;
  }
  out.witness_A = X_WO * found.a;
  out.witness_B = X_WO * found.b;
  out.normal = X_WO.R * found.normal;
  out.distance = found.upper - found.error;
  out.unique_normal = out.unique_witness = false;
  return out;
}

}  // namespace allclear
