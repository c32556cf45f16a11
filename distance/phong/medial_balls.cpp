#include "allclear/distance/phong/medial_balls.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/simd.h"

namespace allclear::phong {
namespace {

/// The largest ball that touches the surface at p from inside: shrunk until nothing of the surface
/// is in it.
bool ballAt(const MeshBody& body, const PhongMesh& mesh, const SphereTree& tree, int triangle,
            double size, Vec3* center, double* radius) {
  constexpr int kMostSteps = 12;
  constexpr double kTouching = 1e-2;  // of the radius: what is given out is measured anyway
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
    r = std::min(r, q.squaredNorm() / (2.0 * along));
  }
  *center = p + r * inward;
  const double rounding = 1e-13 * (body.reach() + center->norm());
  *radius = (position(mesh, tree.nearest(mesh, *center, near)) - *center).norm() - rounding;
  return *radius > 0.0 && body.contains(*center - body.center());
}

/// How far pairs of balls are into each other, ball 0 against n of them.
ALLCLEAR_MULTIVERSION
void pairSlacks(const double* center, double radius, const double* x, const double* y,
                const double* z, const double* r, int n, double* slack) {
  for (int j = 0; j < n; ++j) {
    const double dx = center[0] - x[j], dy = center[1] - y[j], dz = center[2] - z[j];
    slack[j] = radius + r[j] - std::sqrt(dx * dx + dy * dy + dz * dz);
  }
}

}  // namespace

MedialBalls::MedialBalls(const MeshBody& body, const PhongMesh& mesh, const SphereTree& tree,
                         double size) {
  constexpr int kCandidates = 300, kMost = 96;
  constexpr double kWorth = 0.005;  // of the size: a ball stands out from others by that much
  if (!body.hasInside()) return;
  struct Candidate {
    Vec3 center;
    double radius;
    double out;  ///< how far it stands out from those taken
  };
  std::vector<Candidate> candidates;
  const int n = static_cast<int>(mesh.triangles.size());
  const int each = std::max(1, n / kCandidates);
  for (int i = 0; i < n; i += each) {
    Candidate c;
    if (!ballAt(body, mesh, tree, i, size, &c.center, &c.radius)) continue;
    c.out = 2.0 * c.radius;
    candidates.push_back(c);
  }
  while (count() < kMost && !candidates.empty()) {
    const auto best =
        std::max_element(candidates.begin(), candidates.end(),
                         [](const Candidate& a, const Candidate& b) { return a.out < b.out; });
    if (best->out < kWorth * size) return;
    const Candidate taken = *best;
    x.push_back(taken.center.x());
    y.push_back(taken.center.y());
    z.push_back(taken.center.z());
    radius.push_back(taken.radius);
    for (Candidate& c : candidates) {
      c.out = std::min(c.out, c.radius + (c.center - taken.center).norm() - taken.radius);
    }
  }
}

DepthProof::Cover DepthProof::coverOf(const std::array<int, 2>& pair, const MedialBalls& A,
                                      const MedialBalls& B, const Pose& X_AB) const {
  return {A.center(pair[0]) - X_AB * B.center(pair[1]), A.radius[pair[0]] + B.radius[pair[1]],
          pair};
}

/// All pairs of which the translations come into the ball of radius `depth`. True: one does it.
bool DepthProof::collect(double depth, const MedialBalls& A, const MedialBalls& B,
                         const Pose& X_AB) {
  const int nA = static_cast<int>(A.count()), nB = static_cast<int>(B.count());
  for (auto& axis : turned_) axis.resize(nB);
  slack_.resize(nB);
  for (int j = 0; j < nB; ++j) {
    const Vec3 q = X_AB * B.center(j);
    for (int k = 0; k < 3; ++k) turned_[k][j] = q[k];
  }
  covers_.clear();
  double most = -std::numeric_limits<double>::infinity();
  std::array<int, 2> best{-1, -1};
  for (int i = 0; i < nA; ++i) {
    const Vec3 p = A.center(i);
    pairSlacks(p.data(), A.radius[i], turned_[0].data(), turned_[1].data(), turned_[2].data(),
               B.radius.data(), nB, slack_.data());
    for (int j = 0; j < nB; ++j) {
      if (slack_[j] > most) {
        most = slack_[j];
        best = {i, j};
      }
      if (slack_[j] > -depth) covers_.push_back(coverOf({i, j}, A, B, X_AB));
    }
  }
  if (!(most > depth)) return false;
  known_.assign(1, best);
  return true;
}

/// Of those near a cell the ones that cover most of it: others would hardly cover its eighths.
void DepthProof::keepBest(int first) {
  constexpr int kBest = 64;
  if (static_cast<int>(near_.size()) - first <= kBest) return;
  std::nth_element(
      near_.begin() + first, near_.begin() + first + kBest, near_.end(),
      [&](int a, int b) { return rooms_[a] != rooms_[b] ? rooms_[a] > rooms_[b] : a < b; });
  near_.resize(first + kBest);
}

/// One ball covers the cell, or its eighths are to be looked at; false when its centre is bare.
bool DepthProof::coveredCell(const Cell& cell, double depth, std::vector<Cell>* children) {
  constexpr int kMostLevels = 5;
  const double diagonal = std::sqrt(3.0) * cell.half, distance = cell.center.norm();
  if (distance - diagonal >= depth) return true;
  const int first = static_cast<int>(near_.size());
  double most = -1.0;
  int best = -1;
  for (int k = cell.first; k < cell.first + cell.count; ++k) {
    const Cover& cover = covers_[near_[k]];
    const double room = cover.radius - (cover.center - cell.center).norm();
    if (room > most) {
      most = room;
      best = near_[k];
    }
    if (room <= -diagonal) continue;
    near_.push_back(near_[k]);
    rooms_[near_[k]] = room;
  }
  if (most > diagonal) {
    used_.push_back(best);
    near_.resize(first);
    return true;
  }
  if (cell.level == kMostLevels || (most <= 0.0 && distance < depth)) return false;
  if (cell.level > 0) keepBest(first);
  const int count = static_cast<int>(near_.size()) - first;
  if (count == 0) return false;
  for (int i = 0; i < 8; ++i) {
    const double h = 0.5 * cell.half;
    const Vec3 to(i & 1 ? h : -h, i & 2 ? h : -h, i & 4 ? h : -h);
    children->push_back({cell.center + to, h, first, count, cell.level + 1});
  }
  return true;
}

/// Whether `covers_` cover the ball of radius `depth` about 0; `used_` gets those that do.
bool DepthProof::covered(double depth) {
  constexpr int kMostCells = 600;
  near_.resize(covers_.size());
  for (std::size_t i = 0; i < near_.size(); ++i) near_[i] = static_cast<int>(i);
  rooms_.resize(covers_.size());
  used_.clear();
  cells_.assign(1, {Vec3::Zero(), depth, 0, static_cast<int>(near_.size()), 0});
  for (int done = 0; !cells_.empty(); ++done) {
    if (done == kMostCells) return false;
    const Cell cell = cells_.back();
    cells_.pop_back();
    if (!coveredCell(cell, depth, &cells_)) return false;
  }
  std::sort(used_.begin(), used_.end());
  used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
  return true;
}

bool DepthProof::atLeast(double depth, const MedialBalls& A, const MedialBalls& B,
                         const Pose& X_AB) {
  depth = std::max(depth, 0.0);
  covers_.clear();
  for (const auto& pair : known_) {
    covers_.push_back(coverOf(pair, A, B, X_AB));
    if (covers_.back().radius - covers_.back().center.norm() > depth) return true;
  }
  const bool is_point = depth == 0.0;  // one ball covers it or none does
  if (!is_point && known_.size() > 1 && covered(depth)) return true;
  if (collect(depth, A, B, X_AB)) return true;
  if (is_point || covers_.empty() || !covered(depth)) return false;
  known_.clear();
  for (int i : used_) known_.push_back(covers_[i].pair);
  return true;
}

}  // namespace allclear::phong
