// Proves straight segments of the planned coordinates clear by bounds of motion (F. Schwarzer,
// M. Saha, J.-C. Latombe, "Adaptive dynamic collision checking for single and multiple articulated
// robots in complex environments", IEEE Trans. Robotics 2005).
//
// The idea. Let rho be the largest distance of a piece's points from the axis of a joint at the
// configuration q. Turning that joint by d moves each of them by at most rho |d| (a sliding joint:
// |d|). Going from q to q', move the joints one after the other from the base outwards: each moves
// all that follows as one rigid body, and distances from the axes of joints further out do not
// change by it. So a point moves by at most the sum of rho_k |d_k|, with all rho taken at q.
// Two pieces that are at least margin + (the sum for A) + (the sum for B) apart at q keep their
// margin all the way. Joints that move both alike do not change their distance: they are left out.
//
// A segment starts as one stretch about its middle with all pairs. Pairs that the bound does not
// prove there go on to the two halves. The order is breadth first: the middle of what is not proved
// yet is where a collision shows soonest.
//
// Symbols: a stretch is the part `middle` -+ `half` of the segment, in [0, 1]; `rates_` are joint
// motions |d_k| for the whole segment; `swept_` are their sums times rho along a piece's path.
//
// Conservative: rho is that of a ball about the piece; distances are compared with `kPadding`
// added.
#include "allclear/planner/seeds/segment_certifier.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "allclear/core/assert.h"
#include "allclear/core/stop_scope.h"
#include "allclear/distance/cloud.h"
#include "allclear/distance/support.h"

namespace allclear {
namespace {

constexpr double kPadding = 1e-9;  // [m]: far above the rounding of poses and sums

/// [m] While the joints move the arm by no more than this from an end, pairs may touch that are let
/// touch there: enough to lift an object off its table and turn it, too little to drag it along.
constexpr double kNearAnEnd = 0.1;

/// Box around a convex piece, in its own frame: centre and half sizes. Planes have no box:
/// infinite.
std::pair<Vec3, Vec3> boxAbout(const Shape& shape) {
  if (std::holds_alternative<HalfSpace>(shape)) {
    return {Vec3::Zero(), Vec3::Constant(std::numeric_limits<double>::infinity())};
  }
  Vec3 lower, upper;
  for (int k = 0; k < 3; ++k) {
    upper[k] = supportValue(shape, Vec3::Unit(k));
    lower[k] = -supportValue(shape, -Vec3::Unit(k));
  }
  return {0.5 * (lower + upper), 0.5 * (upper - lower) + Vec3::Constant(kPadding)};
}

/// Moves the frame of a joint from its zero position by x: rotates two columns of its axes about
/// the third, or shifts its origin. Cheaper than a product with a general rotation.
void moveNode(const MotionNode& node, double x, Pose* X) {
  if (!node.turns) {
    X->p += x * X->R.col(node.axis);
    return;
  }
  const double c = std::cos(x);
  const double s = std::sin(x);
  const Vec3 b = X->R.col((node.axis + 1) % 3);
  const Vec3 d = X->R.col((node.axis + 2) % 3);
  X->R.col((node.axis + 1) % 3) = c * b + s * d;
  X->R.col((node.axis + 2) % 3) = c * d - s * b;
}

/// A reach rho_k grows by no more than the body moves, and a stray is a sum of reaches times
/// strays: the sum of all strays is the most that a stray grows by per metre.
double strayGrowth(const RobotModel& robot, const Uncertainty& uncertainty) {
  const MotionTree tree(robot);
  double sum = uncertainty.base_angle;
  for (const MotionNode& node : tree.nodes()) {
    if (uncertainty.joints.size() > 0 && node.turns) {
      sum += std::abs(node.multiplier) * uncertainty.joints[node.coordinate];
    }
  }
  return sum;
}

}  // namespace

SegmentCertifier::SegmentCertifier(const Problem& problem, const CollisionModel& model)
    : problem_(problem),
      stray_(problem, model),
      cables_(problem),
      stray_growth_(strayGrowth(*problem.robot, problem.uncertainty)),
      tree_(*problem.robot),
      planned_of_(problem.robot->dimension(), -1) {
  for (int i = 0; i < problem.plannedCount(); ++i) planned_of_[problem.planned[i]] = i;
  addPairs(model);
  if (stray_.isNeeded()) strays_.resize(model.pairs.size());
  for (const Piece& piece : pieces_) {
    stride_ = std::max(stride_, static_cast<int>(piece.path.size()) + 1);
  }
  X_WN_.resize(tree_.nodes().size());
  centers_.resize(pieces_.size());
  shape_poses_.resize(pieces_.size());
  posed_at_.assign(pieces_.size(), -1);
  swept_.assign(pieces_.size() * stride_, 0.0);
  rates_.assign(tree_.nodes().size(), 0.0);

  // Place all nodes once, at the start. Later queries place only nodes that the plan moves and that
  // carry a piece: all others stay where they are.
  std::vector<char> moves(tree_.nodes().size(), 0);
  std::vector<char> carries(tree_.nodes().size(), 0);
  for (const Piece& piece : pieces_) {
    if (piece.node < 0) continue;
    for (int node : tree_.pathTo(piece.node)) carries[node] = 1;
  }
  for (int i = 0; i < tree_.nodeCount(); ++i) moving_.push_back(i);
  place(problem.plannedPart(problem.start));
  moving_.clear();
  for (int i = 0; i < tree_.nodeCount(); ++i) {
    const MotionNode& node = tree_.nodes()[i];
    moves[i] = planned_of_[node.coordinate] >= 0 || (node.parent >= 0 && moves[node.parent]);
    if (moves[i] && carries[i]) moving_.push_back(i);
  }
  if (std::any_of(model.pairs.begin(), model.pairs.end(),
                  [](const CollisionPair& pair) { return pair.ends.leaves || pair.ends.lands; })) {
    end_reach_ = reach(problem.plannedPart(problem.start));
    touching_ = model.pairs;
  }
}

std::vector<int> SegmentCertifier::addPieces(const CollisionBody& body,
                                             const std::vector<Geometry>& solids) {
  std::vector<int> added;
  for (const Geometry& geometry : solids) {
    // Obstacles that stand still are pieces of the world; those that move are in no pair.
    Piece piece{std::nullopt, &geometry.shape, -1,    geometry.X_BG, Vec3::Zero(), 0.0,
                {},           Vec3::Zero(),    Pose()};
    if (body.obstacle >= 0) {
      const Obstacle& obstacle = problem_.obstacles[body.obstacle];
      piece.X_NG = obstacle.X_WO * geometry.X_BG;
      piece.cloud = obstacle.cloud.get();
      piece.cloud_node = body.cloud_node;
      piece.X_WO = obstacle.X_WO;
      if (!obstacle.spread.isEmpty() && !obstacle.moves()) piece.spread = obstacle.spreadAt(0.0);
    } else {
      const LinkMount& mount = tree_.mounts()[body.link];
      piece.node = mount.node;
      piece.X_NG = mount.X_NL * geometry.X_BG;
      for (int node : tree_.pathTo(mount.node)) {
        if (planned_of_[tree_.nodes()[node].coordinate] >= 0) piece.path.push_back(node);
      }
    }
    const Ball ball = boundingBall(geometry.shape);
    piece.center_N = piece.X_NG * ball.center;
    piece.radius = ball.radius;
    const auto [center, half] = boxAbout(geometry.shape);
    piece.half = half;
    if (piece.spread) {
      piece.radius += displacementRadius(*piece.spread);
      for (int k = 0; k < 3; ++k) {
        piece.half[k] += displacementReach(*piece.spread, piece.X_NG.R.col(k));
      }
    }
    piece.X_BoxW = (piece.X_NG * Pose{Mat3::Identity(), center}).inverse();
    added.push_back(static_cast<int>(pieces_.size()));
    pieces_.push_back(std::move(piece));
  }
  return added;
}

void SegmentCertifier::addPairs(const CollisionModel& model) {
  std::array<std::vector<std::vector<int>>, kMeshFidelityCount>
      pieces_of;  // by fidelity, then body
  for (int c = 0; c < kMeshFidelityCount; ++c) {
    for (const CollisionBody& body : model.bodies) {
      pieces_of[c].push_back(addPieces(body, body.solids_by_fidelity[c]));
    }
  }
  for (const CollisionPair& pair : model.pairs) {
    const int obstacle = model.bodies[pair.b].obstacle;
    if (obstacle >= 0 && problem_.obstacles[obstacle].moves()) continue;
    const auto& solids_of = pieces_of[static_cast<int>(pair.fidelity)];
    for (int a : solids_of[pair.a]) {
      for (int b : solids_of[pair.b]) {
        const auto& p = pieces_[a].path;
        const auto& q = pieces_[b].path;
        const int shared = static_cast<int>(
            std::mismatch(p.begin(), p.end(), q.begin(), q.end()).first - p.begin());
        // The joints that both paths begin with move A and B as one.
        order_.push_back(static_cast<int>(pairs_.size()));
        const int of_model = static_cast<int>(&pair - model.pairs.data());
        pairs_.push_back({a, b, of_model, pair.leastMargin(), shared, pieces_[b].node < 0, {}});
      }
    }
  }
}

void SegmentCertifier::place(const VecX& q) {
  ++statistics_.configurations;
  for (int i : moving_) {
    const MotionNode& node = tree_.nodes()[i];
    const int k = planned_of_[node.coordinate];
    const double value = k >= 0 ? q[k] : problem_.start[node.coordinate];
    X_WN_[i] = node.parent < 0 ? node.X_PF : X_WN_[node.parent] * node.X_PF;
    moveNode(node, node.multiplier * value + node.offset, &X_WN_[i]);
  }
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    centers_[i] = piece.node < 0 ? piece.center_N : X_WN_[piece.node] * piece.center_N;
  }
  if (!touching_.empty()) noteEnds(q);
  if (!stray_.isNeeded()) return;
  const StrayReach::Placement placement = stray_.place(problem_.configuration(q));
  for (std::size_t p = 0; p < strays_.size(); ++p) {
    strays_[p] = stray_.of(static_cast<int>(p), placement);
  }
}

void SegmentCertifier::noteEnds(const VecX& q) {
  const auto isNear = [&](const VecX& end) {
    return (q - end).cwiseProduct(end_reach_).norm() <= kNearAnEnd;
  };
  near_start_ = isNear(problem_.plannedPart(problem_.start));
  // Wherever the arm may be at a goal that is a pose.
  const auto* goal = std::get_if<JointTarget>(&problem_.goal);
  near_goal_ = goal == nullptr || isNear(goal->values);
}

/// What the distance is to be at the configuration placed last. Bodies that may touch have no room
/// beside.
double SegmentCertifier::demand(const Pair& pair, double extra) const {
  const double stray = strays_.empty() ? 0.0 : strays_[pair.of_model];
  if (touching_.empty()) return pair.margin + stray + extra;
  const CollisionPair& of_model = touching_[pair.of_model];
  const EndMargins& ends = of_model.ends;
  if (!ends.leaves && !ends.lands) return pair.margin + stray + extra;
  double margin = of_model.margin + extra;
  if (near_start_ && ends.leaves) margin = std::min(margin, ends.start);
  if (near_goal_ && ends.lands) margin = std::min(margin, ends.goal);
  return margin + stray;
}

/// For every piece, adds up rho times rate along its path from the base. The sum after d joints is
/// kept for every d, so that a pair can subtract the part of the joints that it shares.
void SegmentCertifier::sweep() {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    double* swept = &swept_[i * stride_];
    for (std::size_t d = 0; d < piece.path.size(); ++d) {
      const int n = piece.path[d];
      const MotionNode& node = tree_.nodes()[n];
      double rho = 1.0;
      if (node.turns) {
        // Distance of the ball's centre from the axis, plus the ball's radius.
        const Vec3 across = (centers_[i] - X_WN_[n].p).cross(X_WN_[n].R.col(node.axis));
        rho = across.norm() + piece.radius;
      }
      swept[d + 1] = swept[d] + rho * rates_[n];
    }
  }
}

/// A cheap test that proves most pairs: ball against ball, or against the box of a piece that
/// stands still (a ball around a wall would reach far beyond it).
bool SegmentCertifier::ballsApart(const Pair& pair, double distance) const {
  const Piece& A = pieces_[pair.a];
  const Piece& B = pieces_[pair.b];
  if (pair.still) {
    const Vec3 p = B.X_BoxW * centers_[pair.a];
    const Vec3 beyond = (p.cwiseAbs() - B.half).cwiseMax(0.0);
    const double least = distance + A.radius;
    return least > 0.0 && beyond.squaredNorm() >= least * least;
  }
  const double least = distance + A.radius + B.radius;
  return least > 0.0 && (centers_[pair.a] - centers_[pair.b]).squaredNorm() >= least * least;
}

/// The pose of a piece's shape at the configuration placed last; computed when first asked for.
const Pose& SegmentCertifier::shapePose(int i) {
  const Piece& piece = pieces_[i];
  if (piece.node < 0) return piece.X_NG;
  if (posed_at_[i] != statistics_.configurations) {
    shape_poses_[i] = X_WN_[piece.node] * piece.X_NG;
    posed_at_[i] = statistics_.configurations;
  }
  return shape_poses_[i];
}

bool SegmentCertifier::apart(Pair& pair, double distance) {
  if (pieces_[pair.b].cloud != nullptr) return limitsKept(pair, distance, distance) == 2;
  ++statistics_.distances;
  return distanceAtLeast(*pieces_[pair.a].shape, shapePose(pair.a), *pieces_[pair.b].shape,
                         shapePose(pair.b), distance, &pair.cache,
                         pieces_[pair.b].spread ? &*pieces_[pair.b].spread : nullptr);
}

/// How many of both distances the pair keeps; of a cloud by one search.
int SegmentCertifier::limitsKept(Pair& pair, double low, double high) {
  const Piece& B = pieces_[pair.b];
  if (B.cloud == nullptr) return apart(pair, high) ? 2 : apart(pair, low) ? 1 : 0;
  ++statistics_.distances;
  const double grown = B.spread ? displacementRadius(*B.spread) : 0.0;
  return allclear::limitsKept(*pieces_[pair.a].shape, shapePose(pair.a), *B.cloud, B.X_WO,
                              low + grown, high + grown, B.cloud_node);
}

/// A pair that collided is likely to collide again: ask it first.
void SegmentCertifier::moveToFront(int pair) {
  const auto at = std::find(order_.begin(), order_.end(), pair);
  std::rotate(order_.begin(), at, at + 1);
}

bool SegmentCertifier::isClear(const VecX& q, double extra) {
  throwIfStopped();
  place(q);
  for (int i : order_) {
    Pair& pair = pairs_[i];
    const double distance = demand(pair, extra) + kPadding;
    if (ballsApart(pair, distance) || apart(pair, distance)) continue;
    moveToFront(i);
    return false;
  }
  return !cables_.isNeeded() || cables_.isClear(q, extra);
}

bool SegmentCertifier::isClear(const VecX& from, const VecX& to, double extra) {
  ALLCLEAR_ASSERT(from.size() == to.size() && from.size() == problem_.plannedCount());
  ++statistics_.segments;
  const VecX step = to - from;
  for (int i = 0; i < tree_.nodeCount(); ++i) {
    const MotionNode& node = tree_.nodes()[i];
    const int k = planned_of_[node.coordinate];
    rates_[i] = k < 0 ? 0.0 : std::abs(node.multiplier * step[k]);
  }
  // One stretch, the whole segment, with all pairs.
  pending_ = order_;
  queue_.assign(1, {0.5, 0.5, 0, static_cast<int>(order_.size())});
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    throwIfStopped();
    const Stretch stretch = queue_[next];
    place(from + stretch.middle * step);
    sweep();
    if (!prove(stretch, extra)) return false;
  }
  if (cables_.isNeeded() && !cables_.isClear(from, to, extra, kResolution)) return false;
  ++statistics_.certified;
  return true;
}

/// Proves the stretch's pairs from the placed middle of it, or queues its halves with those that
/// are left. False when a pair is too near at the middle, or the bound has become too small to
/// help.
bool SegmentCertifier::prove(const Stretch& stretch, double extra) {
  const int left = static_cast<int>(pending_.size());
  for (int j = stretch.first; j < stretch.first + stretch.count; ++j) {
    const int i = pending_[j];
    Pair& pair = pairs_[i];
    const double* a = &swept_[pair.a * stride_];
    const double* b = &swept_[pair.b * stride_];
    const double moved = a[pieces_[pair.a].path.size()] - a[pair.shared] +
                         b[pieces_[pair.b].path.size()] - b[pair.shared];
    // While a body moves by this much, what may stray grows by a share of it.
    const double room = stretch.half * moved * (1.0 + stray_growth_);
    const double least = demand(pair, extra) + kPadding;
    if (ballsApart(pair, least + room)) continue;
    const int kept = limitsKept(pair, least, least + room);
    if (kept == 2) continue;
    // A pair within `room` of its margin is not proved; one below the margin is a collision.
    if (room < kResolution || kept == 0) {
      moveToFront(i);
      return false;
    }
    pending_.push_back(i);
  }
  const int count = static_cast<int>(pending_.size()) - left;
  if (count == 0) return true;
  const double half = 0.5 * stretch.half;
  queue_.push_back({stretch.middle - half, half, left, count});
  queue_.push_back({stretch.middle + half, half, left, count});
  return true;
}

// With every rate 1, consecutive sums differ by rho: metres per unit of that joint.
VecX SegmentCertifier::reach(const VecX& q) {
  place(q);
  VecX reach = VecX::Zero(problem_.plannedCount());
  std::fill(rates_.begin(), rates_.end(), 1.0);
  sweep();
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    for (std::size_t d = 0; d < pieces_[i].path.size(); ++d) {
      const MotionNode& node = tree_.nodes()[pieces_[i].path[d]];
      const double one = swept_[i * stride_ + d + 1] - swept_[i * stride_ + d];
      // A coordinate counts by the piece that it moves most; mimics by their multiple of it.
      double& most = reach[planned_of_[node.coordinate]];
      most = std::max(most, one * std::abs(node.multiplier));
    }
  }
  return reach;
}

}  // namespace allclear
