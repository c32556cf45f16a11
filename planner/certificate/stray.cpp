// Bounds of how much nearer two solids come when joints, obstacles and base stray. The inequality
// is derived in stray.h and docs/algorithms/motion-bounds.md.
//
// Parts. The duration is divided into equal parts, whose number follows from the trajectory's spans
// alone: a checker on another machine divides it the same way. Each solid has, per part, the sum of
// rho_k d_k over the joints from depth k of its path on, for every k: two solids then take the sum
// from the depth at which their paths part.
#include "allclear/planner/certificate/stray.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/extremes.h"

#include "allclear/planner/certificate/motion.h"

namespace allclear {
namespace {

/// A joint turns by some 0.01 rad within a part of a motion across the workspace: reaches then grow
/// by a few percent.
constexpr int kLeastParts = 512;
constexpr int kPartsPerSpan = 8;  // of long motions with many spans
constexpr int kMostParts = 1 << 14;

}  // namespace

StrayBound::StrayBound(const Problem& problem, const Trajectory& trajectory)
    : problem_(problem),
      duration_(trajectory.duration()),
      parts_(std::clamp(kPartsPerSpan * trajectory.spanCount(), kLeastParts, kMostParts)),
      reach_(*problem.robot),
      unit_(VecX::Ones(problem.robot->dimension())) {
  for (int i = 0; i < parts_; ++i) {
    const Interval time{duration_ * i / parts_, duration_ * (i + 1) / parts_};
    const VecX middle = trajectory.value(time.middle());
    const Trajectory::Bounds bounds = trajectory.bounds(0, time);
    placements_.push_back(reach_.place(problem.configuration(middle)));
    // Coordinates that are not planned do not move.
    VecX deviation = VecX::Zero(problem.robot->dimension());
    for (int k = 0; k < problem.plannedCount(); ++k) {
      deviation[problem.planned[k]] =
          raised(bounds.upper[k] - middle[k], middle[k] - bounds.lower[k]);
    }
    deviation_.push_back(std::move(deviation));
  }
}

int StrayBound::addSolid(int link, int obstacle, const Geometry& geometry) {
  Solid solid;
  solid.is_of_robot = obstacle < 0;
  // No joint moves an obstacle: its path is empty, which leaves one depth, of zeros, in each part.
  if (obstacle >= 0) {
    const VecX& displaced = problem_.uncertainty.obstacles;
    solid.displaced = displaced.size() == 0 ? 0.0 : displaced[obstacle];
    solid.sums.assign(static_cast<std::size_t>(parts_), {});
    solid.of_base.assign(static_cast<std::size_t>(parts_), 0.0);
  } else {
    const StraySolid shape = reach_.solid(link, geometry);
    solid.path = shape.path;
    for (int part = 0; part < parts_; ++part) addPart(part, shape, &solid);
  }
  solids_.push_back(std::move(solid));
  return static_cast<int>(solids_.size()) - 1;
}

/// Adds up from the tip to the base: `moved` is how far the joints beyond move the solid during the
/// part.
void StrayBound::addPart(int part, const StraySolid& shape, Solid* solid) {
  const Uncertainty& uncertainty = problem_.uncertainty;
  const StrayReach::Placement& at = placements_[part];
  const std::size_t depths = shape.path.size();
  std::vector<Sums> sums(depths + 1);
  double moved = 0.0;
  for (std::size_t k = depths; k-- > 0;) {
    const int node = shape.path[k];
    const double at_middle = reach_.reach(at, shape, k);
    const bool turns = reach_.tree().nodes()[node].turns;
    const double rho = turns ? at_middle + moved : 1.0;
    const auto times = [](double length, double stray) {
      return stray == 0.0 ? 0.0 : length * stray;  // an infinite solid that does not stray
    };
    sums[k].joints = sums[k + 1].joints + times(rho, reach_.strayOf(node, uncertainty.joints));
    sums[k].per_unit = sums[k + 1].per_unit + times(rho, reach_.strayOf(node, unit_));
    moved += times(at_middle, reach_.strayOf(node, deviation_[part]));
  }
  solid->sums.insert(solid->sums.end(), sums.begin(), sums.end());
  double of_base = uncertainty.base_position;
  if (uncertainty.base_angle != 0.0) {
    of_base += uncertainty.base_angle * (reach_.reachOfBase(at, shape) + moved);
  }
  solid->of_base.push_back(of_base);
}

int StrayBound::partAt(double t) const {
  return std::clamp(static_cast<int>(t / duration_ * parts_), 0, parts_ - 1);
}

Stray StrayBound::between(int a, int b, Interval time) const {
  const Solid &A = solids_[a], &B = solids_[b];
  const bool both_of_robot = A.is_of_robot && B.is_of_robot;
  const std::size_t shared = both_of_robot ? sharedNodes(A.path, B.path) : 0;
  // One part more on either side, as the division is rounded.
  const int first = std::max(0, partAt(time.lower) - 1);
  const int last = std::min(parts_ - 1, partAt(time.upper) + 1);
  // NaN counts as the greatest.
  const auto raise = [](double* most, double value) {
    if (value > *most || std::isnan(value)) *most = value;
  };
  Stray most;
  for (int part = first; part <= last; ++part) {
    const Sums &of_a = A.at(part, shared), &of_b = B.at(part, shared);
    raise(&most.joints, of_a.joints + of_b.joints);
    raise(&most.per_unit, of_a.per_unit + of_b.per_unit);
    // The base moves all of the robot alike.
    if (!both_of_robot) raise(&most.scene, A.of_base[part] + B.of_base[part]);
  }
  most.scene += A.displaced + B.displaced;
  return most;
}

/// Made when first asked for: most problems have no uncertainty.
int CertifiedMotion::straySolid(PieceIndex i) {
  Piece& piece = solids_[static_cast<int>(i.fidelity)][i.body].pieces[i.piece];
  if (piece.stray_solid < 0) {
    const CertifiedBody& body = geometry_.bodies[i.body];
    piece.stray_solid = stray_->addSolid(body.link, body.obstacle, *piece.geometry);
  }
  return piece.stray_solid;
}

Stray CertifiedMotion::stray(PieceIndex a, PieceIndex b, Interval time) {
  if (stray_ == nullptr) stray_ = std::make_unique<StrayBound>(problem_, trajectory_);
  const int solid_a = straySolid(a);
  return stray_->between(solid_a, straySolid(b), time);
}

double CertifiedMotion::allowance(PieceIndex a, PieceIndex b, Interval time) {
  return problem_.uncertainty.isZero() ? 0.0 : stray(a, b, time).total();
}

}  // namespace allclear
