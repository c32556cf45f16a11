// Queries of a rigid shape and a cloud: the search over time and the one at rest (cloud/), for a
// mesh that meets the cloud with its hull.
#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/distance/cloud.h"
#include "allclear/distance/cloud/rest.h"
#include "allclear/distance/cloud/search.h"
#include "allclear/distance/minimum/query.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/distance/support.h"

namespace allclear {
namespace {

using cloud::CloudResult;
using cloud::CloudSearch;
using cloud::ElementDistance;
using deform::RigidShape;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// As of the search: what it leaves open of a depth counts as narrow.
constexpr double kDepthShare = 0.2;

/// Width of the bracket at one instant [m], where the bound is the distance to rounding.
constexpr double kRestTolerance = 1e-9;

/// The cells of both, or one curve for all.
void requireMatching(const MovingShape& a, const MovingCloud& b) {
  if (a.shape == nullptr || b.cloud == nullptr || a.curves.empty() || b.curves.empty()) {
    throw InputError("a shape, a cloud and at least one curve of each are needed");
  }
  if (b.node < 0 || b.node >= static_cast<std::int32_t>(b.cloud->nodes().size())) {
    throw InputError("a cloud has no such node");
  }
  // A single curve is of a body at rest, or of the only cell.
  if (a.curves.size() == 1 || b.curves.size() == 1) return;
  if (a.curves.size() != b.curves.size()) {
    throw InputError("the curves of a shape and a cloud have different cells");
  }
  for (std::size_t i = 0; i < a.curves.size(); ++i) {
    if (a.curves[i].time.lower != b.curves[i].time.lower ||
        a.curves[i].time.upper != b.curves[i].time.upper) {
      throw InputError("the curves of a shape and a cloud have different cells");
    }
  }
}

/// A threshold that is decided counts before the width: who asks for one needs no narrow bracket.
/// The error of the curves is in both ends, and no search makes it less: what is asked for beside
/// it is half of the tolerance.
McdStatus statusOf(const DistanceBracket& bracket, const McdOptions& options, bool spent,
                   double error) {
  if (options.threshold && bracket.lower >= *options.threshold) return McdStatus::kCertifiedAbove;
  if (options.threshold && bracket.upper < *options.threshold) return McdStatus::kBelow;
  const double width = std::max(
      {options.tolerance, 0.5 * options.tolerance + 2.0 * error, -kDepthShare * bracket.upper});
  constexpr double kWidthRounding = 1e-9;  // relative: the search's rule compares the same numbers
  const bool is_narrow = bracket.upper - bracket.lower <= width * (1.0 + kWidthRounding);
  return is_narrow && !spent ? McdStatus::kBracketed : McdStatus::kUndecided;
}

CloudResult searched(CloudSearch* search, const McdOptions& options) {
  CloudResult found = search->run(options);
  const bool above = options.threshold && found.lower >= *options.threshold;
  if (options.refine && found.evaluated && !found.contact && !above) search->refine(&found);
  return found;
}

/// As if B stood still for no time.
struct Instant {
  Instant(const Shape& A, const Pose& X_WA, const Cloud& B, const Pose& X_WO, std::int32_t node)
      : curve_a(BodyCurve::still(X_WA, {0.0, 0.0})),
        curve_b(BodyCurve::still(X_WO, {0.0, 0.0})),
        a{&A, Pose(), {&curve_a, 1}},
        b{&B, {&curve_b, 1}, node} {}
  BodyCurve curve_a, curve_b;
  MovingShape a;
  MovingCloud b;
};

SignedDistance asDistance(const Vec3& a, const Vec3& b, const Vec3& normal, double distance,
                          double gap) {
  SignedDistance out;
  out.distance = distance;
  out.gap = gap;
  out.witness_A = a;
  out.witness_B = b;
  out.normal = normal;
  out.unique_normal = out.unique_witness = false;
  return out;
}

}  // namespace

DistanceBracket minimumDistance(const MovingShape& a, const MovingCloud& b,
                                const McdOptions& given) {
  mcd::requireValid(given);
  requireMatching(a, b);
  McdOptions options = given;
  double grown = 0.0;
  if (given.spread != nullptr) {
    grown =
        std::max(displacementRadius(given.spread->start), displacementRadius(given.spread->end));
    if (options.threshold) *options.threshold += grown;
  }
  // The search of the shape itself: exact for convex shapes, in contact too.
  const RigidShape shape(*a.shape);
  CloudSearch search(shape, a, b);
  CloudResult found = searched(&search, options);
  double floor = search.floor();
  const bool meets = found.contact;
  if (meets) {
    // How deep, and which way out, the hull tells: no more than 0 is the mesh's own distance.
    const double touched = found.upper;
    const RigidShape hull(shape.hull());
    const MovingShape solid{&shape.hull(), a.X_BG, a.curves};
    CloudSearch deep(hull, solid, b);
    found = searched(&deep, options);
    found.upper = std::min(found.upper, touched);
    floor = deep.floor();
  }
  DistanceBracket bracket;
  bracket.upper = found.upper - grown;
  bracket.lower = std::min(std::max(found.lower, floor), found.upper) - grown;
  bracket.t_star = found.t;
  bracket.evaluated = found.evaluated;
  bracket.witness_A = found.a;
  bracket.witness_B = found.b - grown * found.normal;
  bracket.normal = found.normal;
  bracket.penetrating = meets;
  bracket.distance_evaluations = found.evaluations;
  bracket.bound_evaluations = found.bounds;
  if (!std::isfinite(bracket.upper)) {
    bracket.upper = kInfinity;
    bracket.evaluated = false;
  }
  options.threshold = given.threshold;
  bracket.status = statusOf(bracket, options, found.spent, found.error);
  return bracket;
}

SignedDistance signedDistance(const Shape& A, const Pose& X_WA, const Cloud& B, const Pose& X_WO,
                              std::int32_t node) {
  const RigidShape shape(A);
  if (!shape.isMesh()) {
    const ElementDistance d =
        cloud::restDistance(shape, X_WA, B, X_WO, node, kInfinity, /*any=*/false);
    return asDistance(d.a, d.b, d.normal, d.distance, d.gap);
  }
  // A mesh by its triangles, as over time.
  const Instant at(A, X_WA, B, X_WO, node);
  McdOptions options;
  options.tolerance = kRestTolerance;
  CloudSearch search(shape, at.a, at.b);
  const CloudResult found = search.run(options);
  if (found.contact) return signedDistance(shape.hull(), X_WA, B, X_WO, node);
  return asDistance(found.a, found.b, found.normal, found.upper - found.error, 0.0);
}

bool distanceAtLeast(const Shape& A, const Pose& X_WA, const Cloud& B, const Pose& X_WO,
                     double limit, std::int32_t node) {
  const RigidShape shape(A);
  if (!shape.isMesh()) {
    return !(cloud::restDistance(shape, X_WA, B, X_WO, node, limit, /*any=*/true).distance < limit);
  }
  // A limit of 0 or less asks how deep the two are: only the depth can tell.
  if (!(limit > 0.0)) return signedDistance(A, X_WA, B, X_WO, node).distance >= limit;
  const Instant at(A, X_WA, B, X_WO, node);
  McdOptions options;
  options.tolerance = kRestTolerance;
  options.threshold = limit;
  options.decide_only = true;
  CloudSearch search(shape, at.a, at.b);
  const CloudResult found = search.run(options);
  return !found.contact && found.lower >= limit;
}

void markNear(const Shape& A, const Pose& X_WA, const Cloud& B, const Pose& X_WO, double limit,
              std::vector<char>* marks) {
  const RigidShape shape(A);
  const Pose X_OA = X_WO.inverse() * X_WA;
  const Vec3 center = X_OA * shape.root().center;
  const double reach = limit + B.radius();
  const Vec3 half = (X_OA.R * shape.root().half).cwiseAbs().rowwise().sum() +
                    Vec3::Constant(reach + kRestTolerance);
  std::vector<std::int32_t> open{0};
  while (!open.empty()) {
    const Cloud::Node& node = B.nodes()[open.back()];
    open.pop_back();
    bool beside = false;
    for (int k = 0; k < 3; ++k) {
      beside = beside || static_cast<double>(node.lower[k]) > center[k] + half[k] ||
               static_cast<double>(node.upper[k]) < center[k] - half[k];
    }
    // Of what is within reach of the box about A each element is asked.
    throwIfStopped();
    if (beside) continue;
    if (node.child >= 0) {
      open.push_back(node.child);
      open.push_back(node.child + 1);
      continue;
    }
    for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
      if ((*marks)[i] != 0) continue;
      const Vec3 size = (B.upper(i) - B.lower(i)).cwiseMax(kRestTolerance);
      const Shape element = B.isBalls() ? Shape(Sphere(B.radius())) : Shape(Box(size));
      const Pose X_WE{X_WO.R, X_WO * B.center(i)};
      if (!distanceAtLeast(A, X_WA, element, X_WE, limit)) (*marks)[i] = 1;
    }
  }
}

}  // namespace allclear
