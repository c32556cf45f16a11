// Queries of a rigid shape and a mesh that bends: the search of surfaces (deform/), then the exact
// instant for gradients, or the depth where they meet.
#include "allclear/distance/deforming_mesh.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/input_error.h"
#include "allclear/distance/deform/sequence_depth.h"
#include "allclear/distance/deform/sequence_elements.h"
#include "allclear/distance/minimum/query.h"

namespace allclear {
namespace {

/// Instants at which a contact is looked at, beside the one that was found.
constexpr int kContactInstants = 12;

/// The deepest of a few instants.
/// Any instant bounds the least distance from above, so a sample is sound here; more of them find a
/// deeper one, and a better direction out.
void addDepth(const tree::RigidShape& shape, const deform::SequenceSearch& search,
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

}  // namespace

DistanceBracket minimumDistance(const MovingShape& a, const DeformingMesh& B, const Pose& X_WO,
                                const McdOptions& options) {
  mcd::requireValid(options);
  if (a.shape == nullptr || a.curves.empty()) {
    throw InputError("a moving shape needs a shape and at least one body curve");
  }
  if (options.spread != nullptr) throw InputError("a mesh that bends has no spread");
  const tree::RigidShape shape(*a.shape);
  const deform::SequenceElements elements(B, X_WO);
  deform::SequenceSearch search(shape, a, elements);
  const tree::SearchResult& found = search.run(options);
  const bool above = options.threshold && found.lower >= *options.threshold;
  if (options.refine && found.evaluated && !found.contact && !above) search.refine();
  DistanceBracket bracket = tree::bracketOf(found, X_WO);
  bracket.penetrating = found.contact;
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
  tree::setStatus(options, found, &bracket);
  return bracket;
}

/// The search over a motion that stands still for no time. A still pose does not stray: the error
/// that the search has put into its upper end is taken off again. Whether another pair of points is
/// as near is not looked at, so nothing is said to be unique.
SignedDistance signedDistance(const Shape& A, const Pose& X_WA, const DeformingMesh& B,
                              const Pose& X_WO, double t) {
  const BodyCurve still = BodyCurve::still(X_WA, {t, t});
  const MovingShape moving{&A, Pose(), {&still, 1}};
  const tree::RigidShape shape(A);
  const deform::SequenceElements elements(B, X_WO);
  deform::SequenceSearch search(shape, moving, elements);
  McdOptions options;
  options.tolerance = 1e-9;  // [m]; at one instant the bound is the distance, to rounding
  const tree::SearchResult& found = search.run(options);
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
