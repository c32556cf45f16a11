#include "allclear/distance/smooth_distance.h"

#include <mutex>
#include <optional>

#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/mesh_depth/depth.h"
#include "allclear/distance/phong/dual.h"
#include "allclear/distance/phong/sum.h"
#include "allclear/distance/soft/distance.h"
#include "allclear/distance/volume.h"

namespace allclear {
namespace {

// Pieces stand for a mesh when they are few and fill little more than it does.
constexpr std::size_t kFewPieces = 16;
constexpr double kMostVolume = 1.1;

bool isMesh(const SmoothBody& body) { return std::holds_alternative<TriangleMesh>(body.shape()); }

bool isFewPieces(const SmoothBody& body) { return !isMesh(body) || body.isWellCovered(); }

/// Whether the Phong methods take the body: one with flat faces and no rounding.
bool hasFaces(const SmoothBody& body) {
  const Shape& shape = body.shape();
  return isMesh(body) || std::holds_alternative<Box>(shape) ||
         std::holds_alternative<ConvexMesh>(shape);
}

/// A plane sees a mesh's hull alone.
Shape forPlane(const Shape& shape) {
  const TriangleMesh* mesh = std::get_if<TriangleMesh>(&shape);
  return mesh ? Shape(hullOf(*mesh)) : shape;
}

SignedDistance exactDistance(const SmoothBody& A, const Pose& X_WA, const SmoothBody& B,
                             const Pose& X_WB) {
  const auto isPlane = [](const SmoothBody& body) {
    return std::holds_alternative<HalfSpace>(body.shape());
  };
  if (!isMesh(A) && !isMesh(B)) return signedDistance(A.shape(), X_WA, B.shape(), X_WB);
  if (isPlane(A) || isPlane(B)) {
    return signedDistance(forPlane(A.shape()), X_WA, forPlane(B.shape()), X_WB);
  }
  return signedMeshDistance(A.shape(), X_WA, B.shape(), X_WB);
}

}  // namespace

struct SmoothBody::Made {
  std::vector<Geometry> pieces;  ///< empty: those of the mesh's cover, or the shape
  std::once_flag soft_made;
  std::optional<SoftBody> soft;
  std::once_flag phong_made;
  std::optional<PhongBody> phong;
  std::once_flag cover_looked_at;
  bool is_well_covered = false;
};

SmoothBody::SmoothBody(Shape shape) : SmoothBody(std::move(shape), {}) {}
SmoothBody::SmoothBody(Shape shape, std::vector<Geometry> pieces)
    : shape_(std::move(shape)), made_(std::make_unique<Made>()) {
  made_->pieces = std::move(pieces);
}
SmoothBody::~SmoothBody() = default;

bool SmoothBody::isWellCovered() const {
  std::call_once(made_->cover_looked_at, [&] {
    const TriangleMesh* mesh = std::get_if<TriangleMesh>(&shape_);
    std::vector<Geometry> pieces = made_->pieces;
    if (pieces.empty() && mesh == nullptr) {
      made_->is_well_covered = true;
      return;
    }
    if (pieces.empty()) {
      for (const ConvexMesh& piece : coverOf(*mesh, MeshFidelity::kPieces)) {
        pieces.push_back({piece, Pose()});
      }
    }
    const std::vector<Geometry> whole{{shape_, Pose()}};
    made_->is_well_covered =
        pieces.size() <= kFewPieces && solidVolume(pieces) <= kMostVolume * solidVolume(whole);
  });
  return made_->is_well_covered;
}

const SoftBody& SmoothBody::soft() const {
  std::call_once(made_->soft_made, [&] {
    if (made_->pieces.empty()) {
      made_->soft.emplace(shape_);
    } else {
      made_->soft.emplace(made_->pieces);
    }
  });
  return *made_->soft;
}

const PhongBody& SmoothBody::phong() const {
  std::call_once(made_->phong_made, [&] { made_->phong.emplace(shape_); });
  return *made_->phong;
}

const char* smoothMethodName(SmoothMethod method) {
  static constexpr const char* kNames[] = {"euclidean", "phong", "dual_phong", "soft", "automatic"};
  return kNames[static_cast<int>(method)];
}

SmoothMethod chosenMethod(const SmoothBody& A, const SmoothBody& B) {
  if (!hasFaces(A) || !hasFaces(B)) return SmoothMethod::kSoft;
  return isFewPieces(A) && isFewPieces(B) ? SmoothMethod::kSoft : SmoothMethod::kDualPhong;
}

SmoothDistance asSmooth(const SignedDistance& exact, const Pose& X_WA, const Pose& X_WB) {
  SmoothDistance out;
  out.distance = exact.distance;
  out.witness_A = exact.witness_A;
  out.witness_B = exact.witness_B;
  out.normal = exact.normal;
  out.gradient = distanceGradient(exact, X_WA, X_WB);
  out.tie = !exact.unique_normal;
  return out;
}

SmoothDistance smoothDistance(const SmoothBody& A, const Pose& X_WA, const SmoothBody& B,
                              const Pose& X_WB, const SmoothOptions& options, SmoothState* state) {
  SmoothMethod method =
      options.method == SmoothMethod::kAutomatic ? chosenMethod(A, B) : options.method;
  const bool is_phong = method == SmoothMethod::kPhong || method == SmoothMethod::kDualPhong;
  const bool is_refused = is_phong && !(hasFaces(A) && hasFaces(B));
  if (is_refused) method = SmoothMethod::kSoft;
  switch (method) {
    case SmoothMethod::kEuclidean:
      return asSmooth(exactDistance(A, X_WA, B, X_WB), X_WA, X_WB);
    case SmoothMethod::kPhong:
      return phongDistance(A.phong(), X_WA, B.phong(), X_WB, options, state);
    case SmoothMethod::kDualPhong:
      return dualPhongDistance(A.phong(), X_WA, B.phong(), X_WB, options, state);
    case SmoothMethod::kSoft:
    case SmoothMethod::kAutomatic:
      break;
  }
  SmoothDistance out = softDistance(A.soft(), X_WA, B.soft(), X_WB, options.softness);
  out.fallback |= is_refused;
  return out;
}

}  // namespace allclear
