#include "allclear/distance/signed_distance.h"

#include <algorithm>
#include <array>
#include <limits>

#include "allclear/distance/convex/core.h"
#include "allclear/distance/convex/pairs.h"
#include "allclear/distance/mesh_depth/depth.h"

namespace allclear {
namespace {

constexpr std::size_t kShapes = std::variant_size_v<Shape>;

SignedDistance meshPair(const PairQuery& query) {
  if (!(query.limit >= 0.0)) {
    return signedMeshDistance(query.A, query.X_WA, query.B, query.X_WB);
  }
  MeshDistanceOptions options;
  options.enough = query.limit;
  const MeshDistance found = meshDistance(query.A, query.X_WA, query.B, query.X_WB, options);
  SignedDistance out;
  out.distance = found.contact ? -std::numeric_limits<double>::min() : found.distance;
  return out;
}

template <PairFunction function>
SignedDistance swapped(const PairQuery& query) {
  SignedDistance out =
      function({query.B, query.X_WB, query.A, query.X_WA, query.limit, query.cache});
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

// Order of the alternatives of `Shape`.
enum : std::size_t { kSphere, kCapsule, kBox, kCylinder, kCone, kEllipsoid, kHalfSpace, kConvex };

constexpr Table makeTable() {
  Table table{};
  for (Row& row : table) row.fill(&convexConvex);
  for (std::size_t i = 0; i < kShapes; ++i) {
    table[kHalfSpace][i] = &halfSpaceConvex;
    table[i][kHalfSpace] = &swapped<halfSpaceConvex>;
  }
  for (std::size_t i = 0; i < kShapes; ++i) {
    table[i][kShapes - 1] = &meshPair;
    table[kShapes - 1][i] = &meshPair;
  }
  list<kHalfSpace, kHalfSpace, halfSpaceHalfSpace>(&table);
  list<kSphere, kSphere, sphereSphere>(&table);
  list<kSphere, kCapsule, sphereCapsule>(&table);
  list<kSphere, kBox, sphereBox>(&table);
  list<kSphere, kCylinder, sphereCylinder>(&table);
  list<kSphere, kCone, sphereCone>(&table);
  list<kSphere, kEllipsoid, sphereEllipsoid>(&table);
  list<kCapsule, kCapsule, capsuleCapsule>(&table);
  return table;
}

constexpr Table kTable = makeTable();

}  // namespace

SignedDistance signedDistance(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                              DistanceCache* cache) {
  constexpr double kNoLimit = std::numeric_limits<double>::quiet_NaN();
  return kTable[A.index()][B.index()]({A, X_WA, B, X_WB, kNoLimit, cache});
}

bool distanceAtLeast(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                     double limit, DistanceCache* cache) {
  return kTable[A.index()][B.index()]({A, X_WA, B, X_WB, limit, cache}).distance >= limit;
}

Vec3 support(const Shape& shape, const Vec3& direction_G) {
  if (const TriangleMesh* mesh = std::get_if<TriangleMesh>(&shape)) {
    return *std::max_element(
        mesh->vertices().begin(), mesh->vertices().end(),
        [&](const Vec3& a, const Vec3& b) { return a.dot(direction_G) < b.dot(direction_G); });
  }
  const ConvexCore core = coreOf(shape);
  const Vec3 point = coreSupport(core, direction_G) + core.offset;
  return core.radius > 0.0 ? point + core.radius * direction_G.normalized() : point;
}

double supportValue(const Shape& shape, const Vec3& direction_G) {
  if (std::holds_alternative<HalfSpace>(shape)) {
    const bool along_normal =
        direction_G.x() == 0.0 && direction_G.y() == 0.0 && direction_G.z() > 0.0;
    return along_normal ? 0.0 : std::numeric_limits<double>::infinity();
  }
  return support(shape, direction_G).dot(direction_G);
}

DistanceGradient distanceGradient(const SignedDistance& result, const Pose& X_WA,
                                  const Pose& X_WB) {
  const Vec3& n = result.normal;
  return {-n, -(result.witness_A - X_WA.p).cross(n), n, (result.witness_B - X_WB.p).cross(n)};
}

}  // namespace allclear
