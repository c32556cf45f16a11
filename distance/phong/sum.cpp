// Algorithm 5.1 of the thesis (V.C to V.F, ComputePhongDist) on part of the Minkowski sum of A and
// -B, in A's frame: q = a - (R b + t) is a point of the sum, n its outward normal, Psi its tangent
// plane, -n.q the distance. A Phong projection of the origin is a q with Psi q = 0 (Def. 5.1).
//
//   q := the last result, or the Euclidean one; r := alpha |q|                            (5.12)
//   repeat: build the sum in the ball (q, r); project the origin on its facets, breadth first from
//   the one nearest to q. Without a projection: let c be the centre of the facet that is nearest to
//   one (least |Psi c|). If c is a new point, go on with q := c, r := alpha |c|; else with a ball
//   beta times as large.
//
// Departures: a projection must have the right sign (the convolution has facets inside the sum, and
// the far side of the sum is a projection too); the normals at vertices are means over all facets
// around them, including those outside the ball. Invariant: every result but those on a frozen
// facet has passed the guard of pair_memory.h.

#include "allclear/distance/phong/sum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "allclear/distance/geometry/triangles.h"
#include "allclear/distance/phong/convolution.h"
#include "allclear/distance/phong/pair_memory.h"

namespace allclear {
namespace {

using phong::Convolution;
using phong::ConvolutionSide;
using phong::PhongTriangle;
using phong::SumVertex;

constexpr double kAlpha = 0.3;
constexpr double kBeta = 2.0;
constexpr int kMostBalls = 6;
/// Of the size: at contact alpha |q| is 0, and far away the ball would hold all facets.
constexpr double kLeastRadius = 0.02;
constexpr double kMostRadius = 0.5;
/// Of the size: centres nearer than this are the same facet's.
constexpr double kSamePoint = 1e-9;
/// Barycentric: how far outside the frozen facet a solution may be. Its planes mean little farther.
constexpr double kFarthestOutside = -0.5;
/// [rad] of a rotation for differences of the normal: their error is about the square, 1e-10.
constexpr double kRotationStep = 1e-5;

/// A facet of the sum with all that its planes depend on at any pose, and a point on it.
struct Facet {
  std::array<SumVertex, 3> vertices;
  Vec3 weights = Vec3::Zero();
};

struct SumMemory : phong::PairMemory {
  std::optional<ConvolutionSide> A, B;
  std::optional<Convolution> sum;
  Vec3 q = Vec3::Zero();  ///< the last result's point of the sum, A's frame
  Facet facet;
};

/// A facet at one pose: where it is and its tangent planes.
struct FacetPlanes {
  std::array<Vec3, 3> corners;
  PhongTriangle triangle;
};

FacetPlanes planesOf(const ConvolutionSide& A, const ConvolutionSide& B, const Pose& X_AB,
                     const std::array<SumVertex, 3>& vertices) {
  FacetPlanes out;
  std::array<Vec3, 3> normals;
  for (int k = 0; k < 3; ++k) {
    out.corners[k] = place(A, B, X_AB, vertices[k]);
    normals[k] = vertices[k].normal(X_AB.R);
  }
  out.triangle = phong::phongTriangle(normals);
  return out;
}

Vec3 blend(const std::array<Vec3, 3>& corners, const Vec3& w) {
  return w[0] * corners[0] + w[1] * corners[1] + w[2] * corners[2];
}

class SumQuery {
 public:
  SumQuery(const PhongBody& A, const Pose& X_WA, const PhongBody& B, const Pose& X_WB,
           SmoothState* state)
      : A_(A),
        B_(B),
        X_WA_(X_WA),
        X_WB_(X_WB),
        X_AB_(X_WA.inverse() * X_WB),
        size_(std::min(A.size(), B.size())),
        state_(*state),
        memory_(memoryOf<SumMemory>(state)) {
    if (memory_.sum) return;
    memory_.A.emplace(A.mesh(), A.tree());
    memory_.B.emplace(B.mesh(), B.tree());
    memory_.sum.emplace(*memory_.A, *memory_.B);
  }

  SmoothDistance run();

 private:
  std::optional<SmoothDistance> onFrozenFacet();
  std::optional<SmoothDistance> searchFrom(const Vec3& q);
  std::optional<Facet> firstProjection(const std::vector<int>& order, bool overlap) const;
  std::vector<int> breadthFirst(const Vec3& q, double radius) const;
  Vec3 nearestToProjection(const std::vector<int>& facets) const;
  Facet facetOf(int i) const;
  std::optional<SmoothDistance> distanceOn(const Facet& facet) const;
  Vec3 derivativeByRotation(const Facet& facet, const Vec3& Rb, const Vec3& n, double along,
                            const Vec3& row) const;
  void remember(const Facet& facet, const SmoothDistance& distance);

  const PhongBody &A_, &B_;
  const Pose &X_WA_, &X_WB_;
  Pose X_AB_;
  double size_;
  SmoothState& state_;
  SumMemory& memory_;
};

Facet SumQuery::facetOf(int i) const {
  Facet out;
  for (int k = 0; k < 3; ++k) {
    out.vertices[k] = memory_.sum->vertices()[memory_.sum->facets()[i].corners[k]];
  }
  return out;
}

/// The facets that reach into the ball, in breadth-first order over shared edges from the one
/// nearest to q; then the other connected parts, each from its nearest facet. The order matters:
/// the first projection found is taken, and one near q continues the last result.
std::vector<int> SumQuery::breadthFirst(const Vec3& q, double radius) const {
  const int n = static_cast<int>(memory_.sum->facets().size());
  std::vector<char> waiting(n, 0);
  std::vector<std::pair<double, int>> near;
  for (int i = 0; i < n; ++i) {
    const auto c = memory_.sum->corners(i);
    const double d = (nearestOnTriangle(cornersOf(c[0], c[1], c[2]), q) - q).norm();
    if (d > radius) continue;
    waiting[i] = 1;
    near.push_back({d, i});
  }
  std::sort(near.begin(), near.end());
  // `order` is the queue too: what comes after `next` waits for its neighbours to be added.
  std::vector<int> order;
  for (const auto& [d, i] : near) {
    if (!waiting[i]) continue;
    waiting[i] = 0;
    order.push_back(i);
    for (std::size_t next = order.size() - 1; next < order.size(); ++next) {
      for (int neighbour : memory_.sum->neighbours()[order[next]]) {
        if (neighbour < 0 || !waiting[neighbour]) continue;
        waiting[neighbour] = 0;
        order.push_back(neighbour);
      }
    }
  }
  return order;
}

std::optional<Facet> SumQuery::firstProjection(const std::vector<int>& order, bool overlap) const {
  for (int i : order) {
    Facet facet = facetOf(i);
    const FacetPlanes planes = planesOf(*memory_.A, *memory_.B, X_AB_, facet.vertices);
    const auto w = phong::projectOnTriangle(planes.triangle, planes.corners, Vec3::Zero());
    if (!w) continue;
    // n.q > 0: the origin is inside the sum, so the bodies overlap. Others are facets inside the
    // sum or on its far side.
    const Vec3 n =
        phong::phongNormal(phong::phongPlane(planes.triangle, *w), planes.triangle.sign).value;
    if ((n.dot(blend(planes.corners, *w)) > 0.0) != overlap) continue;
    facet.weights = *w;
    return facet;
  }
  return std::nullopt;
}

/// Centre of the facet that is nearest to having a projection, by |Psi c| (Algorithm 5.1, line 19).
Vec3 SumQuery::nearestToProjection(const std::vector<int>& facets) const {
  const Vec3 middle = Vec3::Constant(1.0 / 3.0);
  double least = std::numeric_limits<double>::infinity();
  Vec3 best = Vec3::Zero();
  for (int i : facets) {
    const FacetPlanes planes = planesOf(*memory_.A, *memory_.B, X_AB_, facetOf(i).vertices);
    const Vec3 c = blend(planes.corners, middle);
    const double off = (phong::phongPlane(planes.triangle, middle).value * c).norm();
    if (off >= least) continue;
    least = off;
    best = c;
  }
  return best;
}

std::optional<SmoothDistance> SumQuery::searchFrom(const Vec3& start) {
  const bool overlap = memory_.overlap(A_, X_WA_, B_, X_WB_);
  Vec3 q = start;
  double radius = kAlpha * q.norm();
  for (int ball = 0; ball < kMostBalls; ++ball) {
    radius = std::clamp(radius, kLeastRadius * size_, kMostRadius * size_);
    memory_.sum->build(X_AB_, q, radius);
    const std::vector<int> order = breadthFirst(q, radius);
    if (const auto facet = firstProjection(order, overlap)) {
      const auto found = distanceOn(*facet);
      if (!found || !memory_.accepts(found->distance, found->witness_A, found->witness_B, A_, X_WA_,
                                     B_, X_WB_)) {
        return std::nullopt;
      }
      if (!state_.frozen) remember(*facet, *found);
      return found;
    }
    const Vec3 next = order.empty() ? q : nearestToProjection(order);
    // Where the nearest facet is the one of before, only a larger ball brings new ones.
    if ((next - q).norm() < kSamePoint * size_) {
      radius *= kBeta;
    } else {
      q = next;
      radius = kAlpha * q.norm();
    }
  }
  return std::nullopt;
}

void SumQuery::remember(const Facet& facet, const SmoothDistance& distance) {
  memory_.facet = facet;
  memory_.q = X_WA_.R.transpose() * (distance.witness_A - distance.witness_B);
  state_.valid = true;
}

/// Derivative of the distance by B's rotation about its origin, at fixed weights first and then
/// with the change of weights that keeps F = 0 (`row`, see `distanceOn`). The normal's own
/// derivative is a central difference: it depends on the rotation through the areas of the facets
/// around.
Vec3 SumQuery::derivativeByRotation(const Facet& facet, const Vec3& Rb, const Vec3& n, double along,
                                    const Vec3& row) const {
  Vec3 rotation;
  for (int k = 0; k < 3; ++k) {
    const auto turned = [&](double angle) {
      const Pose X{rotationAbout(Vec3::Unit(k), angle) * X_AB_.R, X_AB_.p};
      const FacetPlanes there = planesOf(*memory_.A, *memory_.B, X, facet.vertices);
      return phong::phongNormal(phong::phongPlane(there.triangle, facet.weights),
                                there.triangle.sign)
          .value;
    };
    const Vec3 dn = (turned(kRotationStep) - turned(-kRotationStep)) / (2.0 * kRotationStep);
    const Vec3 dq = -Vec3::Unit(k).cross(Rb);  // q = a - R b - t
    rotation[k] = -n.dot(dq) - row.dot(dq - dn * along);
  }
  return rotation;
}

/// The distance -n.q at a solution, with its gradient by the implicit function theorem. Let Psi be
/// fixed rows that span the plane across n. F = Psi (q - n (n.q)) is 0 at the solution, and there
/// dF = Psi (dq - dn (n.q)), whatever rows span the planes nearby. The adjoint of dF by the weights
/// turns motions of q and n into the change of the distance that the weights bring.
std::optional<SmoothDistance> SumQuery::distanceOn(const Facet& facet) const {
  const ConvolutionSide &A = *memory_.A, &B = *memory_.B;
  const FacetPlanes planes = planesOf(A, B, X_AB_, facet.vertices);
  const Vec3& w = facet.weights;
  const phong::PhongPlane plane = phong::phongPlane(planes.triangle, w);
  const phong::PhongNormal normal = phong::phongNormal(plane, planes.triangle.sign);
  const Vec3 &n = normal.value, q = blend(planes.corners, w);
  const double along = n.dot(q);
  phong::Mat2 J;
  Vec2 by_weights;
  for (int k = 0; k < 2; ++k) {
    const Vec3 dq = planes.corners[k] - planes.corners[2];
    J.col(k) = plane.value * (dq - normal.derivative[k] * along);
    by_weights[k] = -n.dot(dq);
  }
  const Vec2 adjoint = J.transpose().partialPivLu().solve(by_weights);
  if (!adjoint.allFinite()) return std::nullopt;
  const Vec3 row = plane.value.transpose() * adjoint;
  Vec3 b = Vec3::Zero();
  for (int k = 0; k < 3; ++k) b += w[k] * B.mesh->vertices[facet.vertices[k].w];
  const Vec3 Rb = X_AB_.R * b;
  const Vec3 rotation = derivativeByRotation(facet, Rb, n, along, row);
  SmoothDistance out;
  out.distance = -along;
  out.normal = X_WA_.R * n;
  out.witness_B = X_WB_.p + X_WA_.R * Rb;
  out.witness_A = out.witness_B + X_WA_.R * q;
  // A translation of B by tau moves q by -tau and leaves all normals: derivative n + row.
  out.gradient =
      phong::gradientFromMotionOfB(X_WA_.R * (n + row), X_WA_.R * rotation, X_WA_, X_WB_);
  return out;
}

std::optional<SmoothDistance> SumQuery::onFrozenFacet() {
  Facet facet = memory_.facet;
  const FacetPlanes planes = planesOf(*memory_.A, *memory_.B, X_AB_, facet.vertices);
  if (!phong::solveOnTriangle(planes.triangle, planes.corners, Vec3::Zero(), &facet.weights) ||
      facet.weights.minCoeff() < kFarthestOutside) {
    return std::nullopt;
  }
  return distanceOn(facet);
}

SmoothDistance SumQuery::run() {
  if (state_.valid) {
    if (state_.frozen) {
      if (const auto found = onFrozenFacet()) return *found;
    }
    if (const auto found = searchFrom(memory_.q)) return *found;
  }
  const SignedDistance euclidean = memory_.euclidean(A_, X_WA_, B_, X_WB_);
  const Vec3 q = X_WA_.R.transpose() * (euclidean.witness_A - euclidean.witness_B);
  if (const auto found = searchFrom(q)) return *found;
  if (!state_.frozen) state_.valid = false;
  return phong::fallbackResult(euclidean, X_WA_, X_WB_);
}

}  // namespace

SmoothDistance phongDistance(const PhongBody& A, const Pose& X_WA, const PhongBody& B,
                             const Pose& X_WB, const SmoothOptions&, SmoothState* state) {
  SmoothState fresh;
  if (!state) state = &fresh;
  return SumQuery(A, X_WA, B, X_WB, state).run();
}

}  // namespace allclear
