// The poses of a line, and how far along it a pose is.
//
// Symbols. A stretch starts at (p_A, R_A), goes by the way d and turns by the vector r = theta n, n
// a unit vector: its pose at u is p(u) = p_A + u d, R(u) = exp(u theta n) R_A.
//
// Progress. The position is nearest at u_p = d . (p - p_A) / |d|^2. With Q = R R_A^T the trace of
// Q^T exp(psi n), which falls as the angle between R and R(u) grows, is
//
//     n . Q n + cos(psi) (tr Q - n . Q n) + sin(psi) n . v(Q),    v(Q) = (Q32-Q23, Q13-Q31,
//     Q21-Q12),
//
// so it is greatest at psi = atan2(n . v(Q), tr Q - n . Q n). Between the two best places the share
// of one tolerance grows and that of the other falls: where they are equal the larger one is least,
// and halving finds the place.
#include "allclear/planner/problem/line.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/planner/problem/pose_error.h"

namespace allclear {
namespace {

/// A way or a turn below this [m or rad] has no direction: far below what a tolerance can mean.
constexpr double kNoLength = 1e-12;
/// Halvings for the best progress: 1e-7 of a stretch.
constexpr int kHalvings = 24;

/// The vector part of a matrix: twice the sine times the axis of a rotation.
Vec3 vectorPart(const Mat3& Q) { return {Q(2, 1) - Q(1, 2), Q(0, 2) - Q(2, 0), Q(1, 0) - Q(0, 1)}; }

Mat3 turned(const Vec3& turn, double u, const Mat3& R) {
  const double angle = turn.norm();
  if (!(angle > kNoLength)) return R;
  return rotationAbout(turn / angle, u * angle) * R;
}

}  // namespace

double chordError(double phi) { return std::sqrt(2.0) * phi * phi / 8.0; }

double angleOfNorm(double norm) {
  const double sine = norm / (2.0 * std::sqrt(2.0));
  return sine < 1.0 ? 2.0 * std::asin(sine) : std::numeric_limits<double>::infinity();
}

LinePath::LinePath(const KeepOnLine& line) : line_(line), corners_{line.X_WA} {
  for (const KeepOnLine::Stretch& stretch : line_.stretches) {
    const Pose& from = corners_.back();
    const Pose to{turned(stretch.turn_W, 1.0, from.R), from.p + stretch.way_W};
    corners_.push_back(to);
  }
}

Pose LinePath::at(int stretch, double u) const {
  const KeepOnLine::Stretch& along = line_.stretches[stretch];
  const Pose& from = corners_[stretch];
  return {turned(along.turn_W, u, from.R), from.p + u * along.way_W};
}

LinePath::Shares LinePath::shares(const Pose& X_WP, const Pose& target) const {
  Shares out;
  out.position = (X_WP.p - target.p).norm() / line_.position_tolerance;
  if (std::isfinite(line_.angle_tolerance)) {
    out.angle = angleOfNorm((X_WP.R - target.R).norm()) / line_.angle_tolerance;
  }
  return out;
}

bool LinePath::goes(int stretch) const { return line_.stretches[stretch].way_W.norm() > kNoLength; }
bool LinePath::turns(int stretch) const {
  return std::isfinite(line_.angle_tolerance) && line_.stretches[stretch].turn_W.norm() > kNoLength;
}

double LinePath::nearestPosition(int stretch, const Vec3& p) const {
  const Vec3& way = line_.stretches[stretch].way_W;
  return std::clamp(way.dot(p - corners_[stretch].p) / way.squaredNorm(), 0.0, 1.0);
}

double LinePath::nearestTurn(int stretch, const Mat3& R) const {
  const Vec3& turn = line_.stretches[stretch].turn_W;
  const double theta = turn.norm();
  const Vec3 n = turn / theta;
  const Mat3 Q = R * corners_[stretch].R.transpose();
  const double psi = std::atan2(n.dot(vectorPart(Q)), Q.trace() - n.dot(Q * n));
  if (psi >= 0.0 && psi <= theta) return psi / theta;
  // Beyond the ends: the end that is nearer.
  return std::cos(psi) >= std::cos(theta - psi) ? 0.0 : 1.0;
}

double LinePath::progress(int stretch, const Pose& X_WP) const {
  if (!turns(stretch)) return goes(stretch) ? nearestPosition(stretch, X_WP.p) : 0.0;
  const double by_turn = nearestTurn(stretch, X_WP.R);
  if (!goes(stretch)) return by_turn;
  double a = nearestPosition(stretch, X_WP.p), b = by_turn;
  for (int i = 0; i < kHalvings; ++i) {
    const double u = 0.5 * (a + b);
    const Shares at_u = shares(X_WP, at(stretch, u));
    (at_u.position < at_u.angle ? a : b) = u;
  }
  return 0.5 * (a + b);
}

double LinePath::smoothProgress(int stretch, const Pose& X_WP, Vec3* by_p, Vec3* by_turn) const {
  if (by_p != nullptr) by_p->setZero();
  if (by_turn != nullptr) by_turn->setZero();
  const KeepOnLine::Stretch& along = line_.stretches[stretch];
  // A way within the tolerance says little about the turn.
  const double length = along.way_W.norm(), theta = along.turn_W.norm();
  if (goes(stretch) && (!turns(stretch) || length > 2.0 * line_.position_tolerance)) {
    const double u = nearestPosition(stretch, X_WP.p);
    if (by_p != nullptr && u > 0.0 && u < 1.0) *by_p = along.way_W / (length * length);
    return u;
  }
  if (!turns(stretch)) return 0.0;
  const double u = nearestTurn(stretch, X_WP.R);
  if (by_turn == nullptr || !(u > 0.0 && u < 1.0)) return u;
  const Vec3 n = along.turn_W / theta;
  const Mat3 Q = X_WP.R * corners_[stretch].R.transpose();
  const double a = Q.trace() - n.dot(Q * n), b = n.dot(vectorPart(Q));
  for (int k = 0; k < 3; ++k) {
    // dQ = [omega] Q, column by column.
    Mat3 dQ;
    for (int j = 0; j < 3; ++j) dQ.col(j) = Vec3::Unit(k).cross(Q.col(j));
    const double da = dQ.trace() - n.dot(dQ * n), db = n.dot(vectorPart(dQ));
    (*by_turn)[k] = (a * db - b * da) / ((a * a + b * b) * theta);
  }
  return u;
}

Pose endOf(const KeepOnLine& line) {
  const LinePath path(line);
  return path.corner(path.count());
}

std::vector<KeepOnLine::Stretch> stretchesBetween(const std::vector<Pose>& poses) {
  std::vector<KeepOnLine::Stretch> out;
  for (std::size_t i = 1; i < poses.size(); ++i) {
    const Vec3 turn = rotationVector(poses[i].R * poses[i - 1].R.transpose());
    out.push_back({poses[i].p - poses[i - 1].p, turn});
  }
  return out;
}

void goAlong(Problem& problem, KeepOnLine line) {
  problem.goal =
      PoseTarget{line.link, line.X_LP, endOf(line), line.position_tolerance, line.angle_tolerance};
  problem.path_constraints.emplace_back(std::move(line));
}

const KeepOnLine* lineToGoal(const Problem& problem) {
  const auto* goal = std::get_if<PoseTarget>(&problem.goal);
  if (goal == nullptr) return nullptr;
  for (const PathConstraint& constraint : problem.path_constraints) {
    const auto* line = std::get_if<KeepOnLine>(&constraint);
    if (line == nullptr || line->link != goal->link) continue;
    const Pose end = endOf(*line);
    const bool is_same = end.R == goal->X_WP.R && end.p == goal->X_WP.p &&
                         line->X_LP.R == goal->X_LP.R && line->X_LP.p == goal->X_LP.p;
    if (is_same) return line;
  }
  return nullptr;
}

}  // namespace allclear
