#include "allclear/distance/smooth_distance.h"

#include <mutex>
#include <optional>

#include "allclear/core/assert.h"
#include "allclear/distance/soft_distance.h"

namespace allclear {
namespace {

/// Of meshes with more pieces than this the pieces are no close picture.
constexpr std::size_t kFewPieces = 4;

bool isMesh(const SmoothBody& body) { return std::holds_alternative<TriangleMesh>(body.shape()); }

bool hasFewPieces(const SmoothBody& body) {
  return !isMesh(body) || body.soft().pieces().size() <= kFewPieces;
}

/// Of the pieces of meshes the least.
SignedDistance exactDistance(const SmoothBody& A, const Pose& X_WA, const SmoothBody& B,
                             const Pose& X_WB) {
  return signedDistance(A.shape(), X_WA, B.shape(), X_WB);
}

}  // namespace

struct SmoothBody::Made {
  std::once_flag soft_made;
  std::optional<SoftBody> soft;
};

SmoothBody::SmoothBody(Shape shape) : shape_(std::move(shape)), made_(std::make_unique<Made>()) {}
SmoothBody::~SmoothBody() = default;

const SoftBody& SmoothBody::soft() const {
  std::call_once(made_->soft_made, [&] { made_->soft.emplace(shape_); });
  return *made_->soft;
}

const char* smoothMethodName(SmoothMethod method) {
  static constexpr const char* kNames[] = {"euclidean", "phong", "dual_phong", "soft", "automatic"};
  return kNames[static_cast<int>(method)];
}

SmoothMethod chosenMethod(const SmoothBody& A, const SmoothBody& B) {
  return hasFewPieces(A) && hasFewPieces(B) ? SmoothMethod::kSoft : SmoothMethod::kDualPhong;
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
                              const Pose& X_WB, const SmoothOptions& options, SmoothState*) {
  const SmoothMethod method =
      options.method == SmoothMethod::kAutomatic ? chosenMethod(A, B) : options.method;
  if (method == SmoothMethod::kEuclidean) {
    return asSmooth(exactDistance(A, X_WA, B, X_WB), X_WA, X_WB);
  }
  SmoothDistance out = softDistance(A.soft(), X_WA, B.soft(), X_WB, options.softness);
  out.fallback |= method != SmoothMethod::kSoft;
  return out;
}

}  // namespace allclear
