#include "allclear/distance/convex/convex_distance.h"

#include <array>
#include <limits>

#include "allclear/core/assert.h"
#include "allclear/distance/convex/pairs.h"

namespace allclear {
namespace {

constexpr std::size_t kShapes = std::variant_size_v<Shape>;

// Order of the alternatives of `Shape`.
enum : std::size_t { kSphere, kCapsule, kBox, kCylinder, kCone, kEllipsoid, kHalfSpace, kConvex };
constexpr std::size_t kMesh = kShapes - 1;
static_assert(std::is_same_v<std::variant_alternative_t<kConvex, Shape>, ConvexMesh> &&
              std::is_same_v<std::variant_alternative_t<kMesh, Shape>, TriangleMesh>);

SignedDistance notConvex(const PairQuery&) {
  contractViolated("convexDistance of a triangle mesh", __FILE__, __LINE__);
}

/// Answers for (B, A) by the function for (A, B).
template <PairFunction function>
SignedDistance swapped(const PairQuery& query) {
  SignedDistance out = function({query.B, query.X_WB, query.A, query.X_WA, query.limit, query.cache,
                                 query.tolerance, query.spread});
  std::swap(out.witness_A, out.witness_B);
  out.normal = -out.normal;
  return out;
}

using Row = std::array<PairFunction, kShapes>;
using Table = std::array<Row, kShapes>;

template <std::size_t i, std::size_t j, PairFunction function>
constexpr void list(Table* table) {
  (*table)[i][j] = function;
  if (i != j) (*table)[j][i] = &swapped<function>;
}

constexpr Table makeTable() {
  Table table{};
  // Any two bounded convex shapes, unless a more special entry below replaces it.
  for (Row& row : table) row.fill(&convexConvex);
  for (std::size_t i = 0; i < kShapes; ++i) {
    table[kHalfSpace][i] = &halfSpaceConvex;
    table[i][kHalfSpace] = &swapped<halfSpaceConvex>;
  }
  for (std::size_t i = 0; i < kShapes; ++i) table[kMesh][i] = table[i][kMesh] = &notConvex;
  list<kHalfSpace, kHalfSpace, halfSpaceHalfSpace>(&table);
  list<kSphere, kSphere, sphereSphere>(&table);
  list<kSphere, kCapsule, sphereCapsule>(&table);
  list<kSphere, kBox, sphereBox>(&table);
  list<kSphere, kCylinder, sphereCylinder>(&table);
  list<kSphere, kCone, sphereCone>(&table);
  list<kSphere, kEllipsoid, sphereEllipsoid>(&table);
  list<kCapsule, kCapsule, capsuleCapsule>(&table);
  list<kEllipsoid, kEllipsoid, ellipsoidEllipsoid>(&table);
  return table;
}

constexpr Table kTable = makeTable();

/// Displaced bodies have no closed forms: they take the search of all convex pairs.
PairFunction functionFor(const PairQuery& query) {
  const std::size_t a = query.A.index(), b = query.B.index();
  const bool bounded = a != kHalfSpace && b != kHalfSpace && a != kMesh && b != kMesh;
  return query.spread != nullptr && bounded ? &convexConvex : kTable[a][b];
}

}  // namespace

SignedDistance convexDistance(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                              DistanceCache* cache, double tolerance, const Mat3* spread) {
  constexpr double kNoLimit = std::numeric_limits<double>::quiet_NaN();
  const PairQuery query{A, X_WA, B, X_WB, kNoLimit, cache, tolerance, spread};
  return functionFor(query)(query);
}

bool convexDistanceAtLeast(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                           double limit, DistanceCache* cache, const Mat3* spread) {
  const PairQuery query{A, X_WA, B, X_WB, limit, cache, 0.0, spread};
  return functionFor(query)(query).distance >= limit;
}

}  // namespace allclear
