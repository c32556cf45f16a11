// Queries of a rigid shape and a cloud: the search over time and the one at rest (cloud/), for a
// mesh that meets the cloud with its hull.
#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/distance/cloud.h"
#include "allclear/distance/cloud/elements.h"
#include "allclear/distance/cloud/rest.h"
#include "allclear/distance/minimum/query.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/distance/support.h"

namespace allclear {
namespace {

using cloud::CloudElements;
using cloud::CloudSearch;
using tree::RigidShape;
using tree::SearchResult;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

SearchResult searched(const RigidShape& shape, const MovingShape& a, const CloudElements& b,
                      const McdOptions& options, double focus = tree::kUnfocused) {
  CloudSearch search(shape, a, b);
  const SearchResult& found = search.run(options, focus);
  const bool above = options.threshold && found.lower >= *options.threshold;
  if (options.refine && found.evaluated && !found.contact && !above) search.refine();
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

DistanceBracket minimumDistance(const MovingShape& a, const MovingCloud& b, const McdOptions& given,
                                double focus) {
  mcd::requireValid(given);
  requireMatching(a, b);
  McdOptions options = given;
  double grown = 0.0;
  if (given.spread != nullptr) {
    grown =
        std::max(displacementRadius(given.spread->start), displacementRadius(given.spread->end));
    if (options.threshold) *options.threshold += grown;
    focus += grown;
  }
  // The search of the shape itself: exact for convex shapes, in contact too.
  const CloudElements elements(b);
  const RigidShape shape(*a.shape);
  SearchResult found = searched(shape, a, elements, options, focus);
  double floor = elements.floor(shape);
  const bool meets = found.contact;
  if (meets) {
    // How deep, and which way out, the hull tells: no more than 0 is the mesh's own distance.
    const double touched = found.upper;
    const RigidShape hull(shape.hull());
    found = searched(hull, {&shape.hull(), a.X_BG, a.curves}, elements, options, focus);
    found.upper = std::min(found.upper, touched);
    floor = elements.floor(hull);
  }
  DistanceBracket bracket = tree::bracketOf(found, elements.X_WF);
  bracket.upper -= grown;
  bracket.lower = std::min(std::max(found.lower, floor), found.upper) - grown;
  bracket.witness_B -= grown * bracket.normal;
  bracket.penetrating = meets;
  if (!std::isfinite(bracket.upper)) {
    bracket.upper = kInfinity;
    bracket.evaluated = false;
  }
  tree::setStatus(given, found, &bracket, focus - grown);
  return bracket;
}

SignedDistance signedDistance(const Shape& A, const Pose& X_WA, const Cloud& B, const Pose& X_WO,
                              std::int32_t node) {
  const RigidShape shape(A);
  if (!shape.isMesh()) {
    const tree::Nearest d = cloud::restDistance(shape, X_WA, B, X_WO, node);
    return asDistance(d.a, d.b, d.normal, d.distance, d.gap);
  }
  // A mesh by its triangles, as over time.
  const Instant at(A, X_WA, B, X_WO, node);
  McdOptions options;
  options.tolerance = kRestTolerance;
  const CloudElements elements(at.b);
  const SearchResult found = searched(shape, at.a, elements, options);
  if (found.contact) return signedDistance(shape.hull(), X_WA, B, X_WO, node);
  const Pose& X_WF = elements.X_WF;
  return asDistance(X_WF * found.a, X_WF * found.b, X_WF.R * found.normal,
                    found.upper - found.error, 0.0);
}

bool distanceAtLeast(const Shape& A, const Pose& X_WA, const Cloud& B, const Pose& X_WO,
                     double limit, std::int32_t node) {
  const RigidShape shape(A);
  if (!shape.isMesh()) {
    return cloud::limitsKept(shape, X_WA, B, X_WO, node, limit, limit) == 2;
  }
  // A limit of 0 or less asks how deep the two are: only the depth can tell.
  if (!(limit > 0.0)) return signedDistance(A, X_WA, B, X_WO, node).distance >= limit;
  const Instant at(A, X_WA, B, X_WO, node);
  McdOptions options;
  options.tolerance = kRestTolerance;
  options.threshold = limit;
  options.decide_only = true;
  const SearchResult found = searched(shape, at.a, CloudElements(at.b), options);
  return !found.contact && found.lower >= limit;
}

int limitsKept(const Shape& A, const Pose& X_WA, const Cloud& B, const Pose& X_WO, double low,
               double high, std::int32_t node) {
  const RigidShape shape(A);
  if (!shape.isMesh()) return cloud::limitsKept(shape, X_WA, B, X_WO, node, low, high);
  if (distanceAtLeast(A, X_WA, B, X_WO, high, node)) return 2;
  return distanceAtLeast(A, X_WA, B, X_WO, low, node) ? 1 : 0;
}

void markNear(const Shape& A, const Pose& X_WA, const Cloud& B, const Pose& X_WO, double limit,
              std::vector<char>* marks) {
  const RigidShape shape(A);
  AlignedBox about = tree::boxAbout(shape.root(), X_WO.inverse() * X_WA);
  const Vec3 reach = Vec3::Constant(limit + B.radius() + kRestTolerance);
  about.lower -= reach;
  about.upper += reach;
  std::vector<std::int32_t> open{0};
  while (!open.empty()) {
    const std::int32_t n = open.back();
    const Cloud::Node& node = B.nodes()[n];
    open.pop_back();
    // Of what is within reach of the box about A each element is asked.
    throwIfStopped();
    if (!tree::meet(about, cloud::boxOf(B, n))) continue;
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
