// Balls inside a body, and proofs of depth by them.
//
// Finding balls. The largest ball that touches the surface at p from inside has its centre on the
// medial surface. It is found by shrinking (J. Ma, S. W. Bae, S. Choi, 3D medial axis point
// approximation using nearest neighbors and the normal field, 2012): start with a large ball that
// touches at p; let q be the surface point nearest to its centre; if q is inside, the ball through
// p and q that touches at p is the next one. Of many such balls a greedy choice keeps those that
// stand out most from the ones chosen before.
//
// Proving a depth h. The translations t of B at which ball i of A meets ball j of B are a ball
// about c = p_i - X q_j of radius r_i + s_j. The proof shows that these balls cover the ball of
// radius h about 0: one covers it alone, or the cube around it is halved into cells until one ball
// covers each. Invariant: `true` is a proof whatever the limits below; they only bound the work.

#include "allclear/distance/phong/medial_balls.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/simd.h"

namespace allclear::phong {
namespace {

/// The largest ball that touches the surface at the middle of `triangle` from inside. False when
/// there is none: the surface has no inside there.
bool touchingBall(const MeshBody& body, const PhongMesh& mesh, const SphereTree& tree, int triangle,
                  double size, Vec3* center, double* radius) {
  constexpr int kMostSteps = 12;
  // Of the radius: near enough to the largest ball. The final radius is measured in any case.
  constexpr double kTouching = 1e-2;
  constexpr double kRounding = 1e-13;  // of the coordinates: some hundred ulps
  const Vec3 p =
      (mesh.corner(triangle, 0) + mesh.corner(triangle, 1) + mesh.corner(triangle, 2)) / 3.0;
  const Vec3 inward = -mesh.normals[triangle];
  double r = 0.5 * size;
  int near = -1;
  for (int step = 0; step < kMostSteps; ++step) {
    const Vec3 c = p + r * inward;
    const SurfacePoint nearest = tree.nearest(mesh, c, near);
    near = nearest.triangle;
    const Vec3 q = position(mesh, nearest) - p;
    const double along = q.dot(inward);
    if ((position(mesh, nearest) - c).norm() >= r * (1.0 - kTouching)) break;
    if (!(along > 0.0)) break;
    // The ball that touches at p, with q on it: |q - r n|^2 = r^2, q relative to p, n inward.
    r = std::min(r, q.squaredNorm() / (2.0 * along));
  }
  *center = p + r * inward;
  const double rounding = kRounding * (body.reach() + center->norm());
  *radius = (position(mesh, tree.nearest(mesh, *center, near)) - *center).norm() - rounding;
  return *radius > 0.0 && body.contains(*center - body.center());
}

/// How far one ball overlaps each of n others: radius + r - distance of centres, negative apart.
ALLCLEAR_MULTIVERSION
void overlapsOf(const double* center, double radius, const double* x, const double* y,
                const double* z, const double* r, int n, double* overlap) {
  for (int j = 0; j < n; ++j) {
    const double dx = center[0] - x[j], dy = center[1] - y[j], dz = center[2] - z[j];
    overlap[j] = radius + r[j] - std::sqrt(dx * dx + dy * dy + dz * dz);
  }
}

}  // namespace

MedialBalls::MedialBalls(const MeshBody& body, const PhongMesh& mesh, const SphereTree& tree,
                         double size) {
  constexpr int kCandidates = 300, kMost = 96;
  constexpr double kLeastGain = 0.005;  // of the size: a ball that stands out by less is not kept
  if (!body.hasInside()) return;
  struct Candidate {
    Vec3 center;
    double radius;
    double out;  ///< how far it stands out of the balls chosen so far
  };
  std::vector<Candidate> candidates;
  const int n = static_cast<int>(mesh.triangles.size());
  const int stride = std::max(1, n / kCandidates);
  for (int i = 0; i < n; i += stride) {
    Candidate c;
    if (!touchingBall(body, mesh, tree, i, size, &c.center, &c.radius)) continue;
    c.out = 2.0 * c.radius;
    candidates.push_back(c);
  }
  while (count() < kMost && !candidates.empty()) {
    const auto best =
        std::max_element(candidates.begin(), candidates.end(),
                         [](const Candidate& a, const Candidate& b) { return a.out < b.out; });
    if (best->out < kLeastGain * size) return;
    const Candidate chosen = *best;
    x.push_back(chosen.center.x());
    y.push_back(chosen.center.y());
    z.push_back(chosen.center.z());
    radius.push_back(chosen.radius);
    // A ball reaches out of another one by this much, at the side away from its centre.
    for (Candidate& c : candidates) {
      c.out = std::min(c.out, c.radius + (c.center - chosen.center).norm() - chosen.radius);
    }
  }
}

DepthProof::MeetingBall DepthProof::meetingBall(const std::array<int, 2>& pair,
                                                const MedialBalls& A, const MedialBalls& B,
                                                const Pose& X_AB) const {
  return {A.center(pair[0]) - X_AB * B.center(pair[1]), A.radius[pair[0]] + B.radius[pair[1]],
          pair};
}

/// Collects the balls of translations that reach into the ball of radius `depth`. True when one of
/// them covers it alone.
bool DepthProof::collectBalls(double depth, const MedialBalls& A, const MedialBalls& B,
                              const Pose& X_AB) {
  const int nA = static_cast<int>(A.count()), nB = static_cast<int>(B.count());
  for (auto& axis : turned_) axis.resize(nB);
  overlaps_.resize(nB);
  for (int j = 0; j < nB; ++j) {
    const Vec3 q = X_AB * B.center(j);
    for (int k = 0; k < 3; ++k) turned_[k][j] = q[k];
  }
  balls_.clear();
  double most = -std::numeric_limits<double>::infinity();
  std::array<int, 2> best{-1, -1};
  for (int i = 0; i < nA; ++i) {
    const Vec3 p = A.center(i);
    overlapsOf(p.data(), A.radius[i], turned_[0].data(), turned_[1].data(), turned_[2].data(),
               B.radius.data(), nB, overlaps_.data());
    for (int j = 0; j < nB; ++j) {
      if (overlaps_[j] > most) {
        most = overlaps_[j];
        best = {i, j};
      }
      if (overlaps_[j] > -depth) balls_.push_back(meetingBall({i, j}, A, B, X_AB));
    }
  }
  // A pair that overlaps by more than `depth`: its ball about c has radius r + s > |c| + depth.
  if (!(most > depth)) return false;
  known_.assign(1, best);
  return true;
}

/// Keeps the balls that the cell's centre is deepest in: others would hardly cover its eighths.
void DepthProof::keepDeepest(int first) {
  constexpr int kMostKept = 64;
  if (static_cast<int>(reaching_.size()) - first <= kMostKept) return;
  std::nth_element(reaching_.begin() + first, reaching_.begin() + first + kMostKept,
                   reaching_.end(), [&](int a, int b) {
                     return depth_in_ball_[a] != depth_in_ball_[b]
                                ? depth_in_ball_[a] > depth_in_ball_[b]
                                : a < b;
                   });
  reaching_.resize(first + kMostKept);
}

/// Covers the cell by one ball, or adds its eighths to `children`. False when the cell cannot be
/// covered: no ball holds its centre, or the cells became too small.
bool DepthProof::coverOrSplit(const Cell& cell, double depth, std::vector<Cell>* children) {
  constexpr int kMostLevels = 5;
  const double diagonal = std::sqrt(3.0) * cell.half, distance = cell.center.norm();
  if (distance - diagonal >= depth) return true;  // outside the ball to be covered
  const int first = static_cast<int>(reaching_.size());
  double most = -1.0;
  int best = -1;
  for (int k = cell.first; k < cell.first + cell.count; ++k) {
    const MeetingBall& ball = balls_[reaching_[k]];
    const double depth_in_ball = ball.radius - (ball.center - cell.center).norm();
    if (depth_in_ball > most) {
      most = depth_in_ball;
      best = reaching_[k];
    }
    if (depth_in_ball <= -diagonal) continue;  // it does not reach the cell
    reaching_.push_back(reaching_[k]);
    depth_in_ball_[reaching_[k]] = depth_in_ball;
  }
  if (most > diagonal) {
    used_.push_back(best);
    reaching_.resize(first);
    return true;
  }
  if (cell.level == kMostLevels || (most <= 0.0 && distance < depth)) return false;
  if (cell.level > 0) keepDeepest(first);
  const int count = static_cast<int>(reaching_.size()) - first;
  if (count == 0) return false;
  for (int i = 0; i < 8; ++i) {
    const double h = 0.5 * cell.half;
    const Vec3 to(i & 1 ? h : -h, i & 2 ? h : -h, i & 4 ? h : -h);
    children->push_back({cell.center + to, h, first, count, cell.level + 1});
  }
  return true;
}

/// Whether `balls_` cover the ball of radius `depth` about 0; stores in `used_` those that do.
bool DepthProof::ballsCover(double depth) {
  constexpr int kMostCells = 600;
  reaching_.resize(balls_.size());
  for (std::size_t i = 0; i < reaching_.size(); ++i) reaching_[i] = static_cast<int>(i);
  depth_in_ball_.resize(balls_.size());
  used_.clear();
  cells_.assign(1, {Vec3::Zero(), depth, 0, static_cast<int>(reaching_.size()), 0});
  // Depth first. Each cell that is split appends its list of balls to `reaching_`, for its eighths.
  for (int done = 0; !cells_.empty(); ++done) {
    if (done == kMostCells) return false;
    const Cell cell = cells_.back();
    cells_.pop_back();
    if (!coverOrSplit(cell, depth, &cells_)) return false;
  }
  std::sort(used_.begin(), used_.end());
  used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
  return true;
}

bool DepthProof::atLeast(double depth, const MedialBalls& A, const MedialBalls& B,
                         const Pose& X_AB) {
  depth = std::max(depth, 0.0);
  // The pairs that proved the last depth, alone or together.
  balls_.clear();
  for (const auto& pair : known_) {
    balls_.push_back(meetingBall(pair, A, B, X_AB));
    if (balls_.back().radius - balls_.back().center.norm() > depth) return true;
  }
  const bool is_point = depth == 0.0;  // one ball covers it or none does
  if (!is_point && known_.size() > 1 && ballsCover(depth)) return true;
  // All pairs.
  if (collectBalls(depth, A, B, X_AB)) return true;
  if (is_point || balls_.empty() || !ballsCover(depth)) return false;
  known_.clear();
  for (int i : used_) known_.push_back(balls_[i].pair);
  return true;
}

}  // namespace allclear::phong
