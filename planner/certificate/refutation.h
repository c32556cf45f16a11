#pragma once

#include <optional>
#include <string>
#include <utility>

#include "allclear/planner/certificate.h"

namespace allclear {

/// [m]: the distance at the instant claimed is computed from forward kinematics here as there, but
/// to rounding; far below any bracket's width.
inline constexpr double kInstantTolerance = 1e-6;

/// Thrown inside of `verifyCertificate` only: the first claim that does not hold.
class Refutation {
 public:
  explicit Refutation(std::string why) : why_(std::move(why)) {}
  const std::string& why() const { return why_; }

 private:
  std::string why_;
};

inline void require(bool condition, const std::string& why) {
  if (!condition) throw Refutation(why);
}

/// The fidelity that a pair is proven at: that of its first entry. All pieces of both bodies must
/// be there at this level, so entries of another level are too many and refused.
inline std::optional<MeshFidelity> fidelityOf(const Certificate& certificate, const std::string& a,
                                              const std::string& b) {
  for (const CertificatePair& pair : certificate.pairs) {
    if (pair.a == a && pair.b == b) return pair.fidelity;
  }
  return std::nullopt;
}

}  // namespace allclear
