// Pieces of meshes that bend: how far a patch of vertices reaches while each of them moves along a
// straight line. The inequality is in motion.h.
#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/assert.h"
#include "allclear/core/extremes.h"
#include "allclear/planner/certificate/motion.h"

namespace allclear {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// As for other pieces (motion.cpp): machine epsilons of the lengths involved, and of the instants.
constexpr double kRoundings = 1e3;

}  // namespace

/// A vertex is off by the rounding of its position, and of the instant times its speed.
CertifiedMotion::PieceCell CertifiedMotion::patchCell(const Piece& piece, Interval time) const {
  PieceCell cell;
  const DeformingMesh& mesh = *piece.deforming;
  // By the middle, which is inside of one stretch: the ends are keyframes where stretches meet.
  cell.from = mesh.at(time.middle());
  const int k = cell.from.keyframe;
  const bool bends = k + 1 < mesh.keyframeCount() && time.middle() > mesh.times()[k];
  // Keyframes end cells, or a vertex would not move along one line.
  ALLCLEAR_ASSERT(!bends || (time.lower >= mesh.times()[k] && time.upper <= mesh.times()[k + 1]));
  if (bends) {
    const double stretch = mesh.times()[k + 1] - mesh.times()[k];
    cell.from.share = std::clamp((time.lower - mesh.times()[k]) / stretch, 0.0, 1.0);
    const double to = std::clamp((time.upper - mesh.times()[k]) / stretch, 0.0, 1.0);
    cell.passed = to - cell.from.share;
  }
  cell.lower.setConstant(kInfinity);
  cell.upper.setConstant(-kInfinity);
  double scale = 0.0, travel = 0.0;
  for (const std::int32_t v : piece.patch) {
    for (const double s : {0.0, 1.0}) {
      const Vec3 p = piece.X_WO * mesh.position(v, {k, cell.from.share + s * cell.passed});
      cell.lower = cell.lower.cwiseMin(p);
      cell.upper = cell.upper.cwiseMax(p);
      scale = raised(scale, p.cwiseAbs().sum());
    }
    scale = raised(scale, mesh.keyframe(k)[v].cwiseAbs().sum() + piece.X_WO.p.cwiseAbs().sum());
    if (bends) travel = raised(travel, (mesh.keyframe(k + 1)[v] - mesh.keyframe(k)[v]).norm());
  }
  const double latest = std::max(std::abs(time.lower), std::abs(time.upper)) +
                        std::abs(bends ? mesh.times()[k + 1] : 0.0);
  const double off =
      bends ? kRoundings * kEpsilon * (1.0 + latest / (mesh.times()[k + 1] - mesh.times()[k]))
            : 0.0;
  cell.error = kRoundings * kEpsilon * scale + off * travel;
  cell.lower.array() -= cell.error;
  cell.upper.array() += cell.error;
  for (Pose& X : cell.control) X = piece.X_WO;
  return cell;
}

void CertifiedMotion::makePatches(const CertifiedBody& body, Solids* solids) const {
  const Obstacle& obstacle = problem_.obstacles[body.obstacle];
  for (std::size_t i = 0; i < solids->geometry.size(); ++i) {
    Piece piece;
    piece.geometry = &solids->geometry[i];
    piece.deforming = body.deforming.get();
    piece.patch = solids->patches[i];
    piece.X_WO = obstacle.X_WO;
    for (const Interval& cell : cells_) piece.cells.push_back(patchCell(piece, cell));
    solids->pieces.push_back(std::move(piece));
  }
}

/// How far a patch reaches along n (in the world) at the share s of a cell.
double CertifiedMotion::patchReach(const Piece& piece, const PieceCell& cell, const Vec3& n,
                                   double s) {
  const DeformingMesh::Instant when{cell.from.keyframe, cell.from.share + s * cell.passed};
  const Vec3 w = piece.X_WO.R.transpose() * n;
  double most = -kInfinity;
  for (const std::int32_t v : piece.patch) {
    most = raised(most, w.dot(piece.deforming->position(v, when)));
  }
  return most + n.dot(piece.X_WO.p);
}

}  // namespace allclear
