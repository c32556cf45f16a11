// One interface to the Euclidean, softened and Phong distances: prepares a shape for the method
// that a query needs, and dispatches.
//
// Which method `kAutomatic` takes: the softened distance never exceeds the distance and is smooth
// everywhere, but it needs few convex pieces. Where these match a mesh badly, the dual Phong
// distance works on the mesh's own facets. Shapes without facets, round ones, have the softened
// distance, and spheres and ellipsoids among each other their gauge.

#include "allclear/distance/phong/smooth_distance.h"

#include <mutex>
#include <optional>

#include "allclear/distance/fitting.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/mesh_depth/depth.h"
#include "allclear/distance/phong/dual.h"
#include "allclear/distance/phong/sum.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/distance/soft/distance.h"
#include "allclear/distance/soft/gauge.h"

namespace allclear {
namespace {

// Convex pieces may represent a mesh for the softened distance when they are few (its cost grows
// with the pairs of pieces) and fill little more volume than the mesh (else ways are closed that
// the mesh leaves open).
constexpr std::size_t kFewPieces = 16;
constexpr double kMostVolume = 1.1;

bool isMesh(const SmoothBody& body) { return std::holds_alternative<TriangleMesh>(body.shape()); }

bool isFewPieces(const SmoothBody& body) { return !isMesh(body) || body.isWellCovered(); }

/// Whether the Phong methods accept the body: it has flat facets and is not rounded.
bool hasFacets(const SmoothBody& body) {
  const Shape& shape = body.shape();
  return isMesh(body) || std::holds_alternative<Box>(shape) ||
         std::holds_alternative<ConvexMesh>(shape);
}

/// Nothing unless the body is a sphere or an ellipsoid.
std::optional<PosedEllipsoid> ellipsoidOf(const SmoothBody& body) {
  return asEllipsoid({{body.shape(), Pose()}});
}

/// The distance of a half-space from a mesh is that from its convex hull: both are reached by the
/// mesh's lowest vertex.
Shape hullOf(const Shape& shape) {
  const TriangleMesh* mesh = std::get_if<TriangleMesh>(&shape);
  return mesh ? Shape(allclear::hullOf(*mesh)) : shape;
}

struct SoftMemory : SmoothMemory {
  SoftWorkspace workspace;
};

SignedDistance exactDistance(const SmoothBody& A, const Pose& X_WA, const SmoothBody& B,
                             const Pose& X_WB) {
  const auto isPlane = [](const SmoothBody& body) {
    return std::holds_alternative<HalfSpace>(body.shape());
  };
  if (!isMesh(A) && !isMesh(B)) return signedDistance(A.shape(), X_WA, B.shape(), X_WB);
  if (isPlane(A) || isPlane(B)) {
    return signedDistance(hullOf(A.shape()), X_WA, hullOf(B.shape()), X_WB);
  }
  return signedMeshDistance(A.shape(), X_WA, B.shape(), X_WB);
}

}  // namespace

struct SmoothBody::Prepared {
  std::vector<Geometry> pieces;  ///< as given; empty: use the mesh's cover, or the shape
  std::once_flag soft_once;
  std::optional<SoftBody> soft;
  std::once_flag phong_once;
  std::optional<PhongBody> phong;
  std::once_flag cover_once;
  bool is_well_covered = false;
};

SmoothBody::SmoothBody(Shape shape) : SmoothBody(std::move(shape), {}) {}
SmoothBody::SmoothBody(Shape shape, std::vector<Geometry> pieces)
    : shape_(std::move(shape)), prepared_(std::make_unique<Prepared>()) {
  prepared_->pieces = std::move(pieces);
}
SmoothBody::~SmoothBody() = default;

bool SmoothBody::isWellCovered() const {
  std::call_once(prepared_->cover_once, [&] {
    const TriangleMesh* mesh = std::get_if<TriangleMesh>(&shape_);
    std::vector<Geometry> pieces = prepared_->pieces;
    // A convex shape is its own cover.
    if (pieces.empty() && mesh == nullptr) {
      prepared_->is_well_covered = true;
      return;
    }
    if (pieces.empty()) {
      for (const ConvexMesh& piece : coverOf(*mesh, MeshFidelity::kPieces)) {
        pieces.push_back({piece, Pose()});
      }
    }
    const std::vector<Geometry> whole{{shape_, Pose()}};
    prepared_->is_well_covered =
        pieces.size() <= kFewPieces && solidVolume(pieces) <= kMostVolume * solidVolume(whole);
  });
  return prepared_->is_well_covered;
}

const SoftBody& SmoothBody::soft() const {
  std::call_once(prepared_->soft_once, [&] {
    if (prepared_->pieces.empty()) {
      prepared_->soft.emplace(shape_);
    } else {
      prepared_->soft.emplace(prepared_->pieces);
    }
  });
  return *prepared_->soft;
}

const PhongBody& SmoothBody::phong() const {
  std::call_once(prepared_->phong_once, [&] { prepared_->phong.emplace(shape_); });
  return *prepared_->phong;
}

SmoothMethod chosenMethod(const SmoothBody& A, const SmoothBody& B) {
  if (ellipsoidOf(A) && ellipsoidOf(B)) return SmoothMethod::kGauge;
  if (!hasFacets(A) || !hasFacets(B)) return SmoothMethod::kSoft;
  return isFewPieces(A) && isFewPieces(B) ? SmoothMethod::kSoft : SmoothMethod::kDualPhong;
}

SmoothDistance smoothDistance(const SmoothBody& A, const Pose& X_WA, const SmoothBody& B,
                              const Pose& X_WB, const SmoothOptions& options, SmoothState* state) {
  // Rounded shapes have no facets for the Phong methods.
  SmoothMethod method =
      options.method == SmoothMethod::kAutomatic ? chosenMethod(A, B) : options.method;
  const bool is_phong = method == SmoothMethod::kPhong || method == SmoothMethod::kDualPhong;
  const bool lacks_facets = is_phong && !(hasFacets(A) && hasFacets(B));
  const bool lacks_gauge = method == SmoothMethod::kGauge && !(ellipsoidOf(A) && ellipsoidOf(B));
  if (lacks_facets || lacks_gauge) method = SmoothMethod::kSoft;
  switch (method) {
    case SmoothMethod::kEuclidean:
      return asSmooth(exactDistance(A, X_WA, B, X_WB), X_WA, X_WB);
    case SmoothMethod::kPhong:
      return phongDistance(A.phong(), X_WA, B.phong(), X_WB, options, state);
    case SmoothMethod::kDualPhong:
      return dualPhongDistance(A.phong(), X_WA, B.phong(), X_WB, options, state);
    case SmoothMethod::kGauge:
      return gaugeDistance(*ellipsoidOf(A), X_WA, *ellipsoidOf(B), X_WB);
    case SmoothMethod::kSoft:
    case SmoothMethod::kAutomatic:
      break;
  }
  SoftMemory fresh;
  SoftMemory& memory = state ? memoryOf<SoftMemory>(state) : fresh;
  SmoothDistance out =
      softDistance(A.soft(), X_WA, B.soft(), X_WB, options.softness, &memory.workspace);
  out.fallback |= lacks_facets || lacks_gauge;
  return out;
}

}  // namespace allclear
