#include "allclear/planner/certificate/deforming.h"

#include <algorithm>
#include <cmath>

namespace allclear {
namespace {

/// Off the surface the winding number is a whole number: it is computed to far better than this.
constexpr double kOutside = 0.25;

/// At t = 0 the point must be off the surface by far more than poses round [m].
constexpr double kLeastRoom = 1e-9;

/// Whether a piece of the robot's body is proven off a patch at t = 0, and outside of the mesh.
bool startsOutside(const CertifiedPair& pair, const CertificatePair& proof,
                   const DeformingMesh& mesh, CertifiedMotion& motion) {
  if (proof.cells.empty()) return false;
  const auto first = std::min_element(
      proof.cells.begin(), proof.cells.end(),
      [](const CoverCell& x, const CoverCell& y) { return x.time.lower < y.time.lower; });
  if (!(first->lower > kLeastRoom)) return false;
  if (proof.piece_b > 0) return true;  // the same point as with patch 0
  const PieceIndex piece{pair.a, proof.piece_a, proof.fidelity};
  const Vec3 p = motion.inFrameOf(pair.b, motion.pointAt(piece, 0.0));
  return std::abs(mesh.windingNumber(p, 0.0)) < kOutside;
}

}  // namespace

std::vector<std::string> insideFindings(const CertifiedGeometry& geometry,
                                        const std::vector<CertificatePair>& pairs,
                                        CertifiedMotion& motion) {
  std::vector<std::string> findings;
  for (const CertifiedPair& pair : geometry.pairs) {
    const CertifiedBody &a = geometry.bodies[pair.a], &b = geometry.bodies[pair.b];
    if (pair.fixed || b.deforming == nullptr || !b.deforming->hasInside()) continue;
    // Each piece of the body against each patch; the first fault speaks for the pair.
    for (const CertificatePair& proof : pairs) {
      if (proof.a != a.name || proof.b != b.name) continue;
      motion.ensurePieces(pair.a, proof.fidelity);
      if (startsOutside(pair, proof, *b.deforming, motion)) continue;
      findings.push_back("'" + a.name + "' is not shown to start outside of the closed mesh '" +
                         b.name + "'");
      break;
    }
  }
  return findings;
}

}  // namespace allclear
