// Rigorous bounds of the derivatives of a point on a chain of joints, of any order
// (docs/algorithms/motion-bounds.md).
//
// Reach. rho_k bounds the distance of the point from the axis of joint k over all configurations
// (any angles; slides within their ranges). The region of all places that the point can take is
// carried from the tip to the base, joint by joint. It is a solid cylinder: all points within
// `radius` of a segment c0-c1, measured perpendicular to its direction u. Turning it by all angles
// about an axis gives a solid of revolution, enclosed by a cylinder about that axis; so the form is
// kept and every step is conservative.
//
// Derivatives. At the distance rho_k from the axis of a turning joint k, seen from the base,
//   |p^(n)| / n! <= sum_turns  rho_k [t^n](E_k - E_{k-1})
//                 + sum_slides [t^n] (sum_{m>=1} Q_k^(m) t^m / m!) E_{k-1}
// with Q_k^(m) >= sup|x_k^(m)|, W_k^(m) the sum of Q_j^(m) over the turns j <= k, and
// E_k(t) = exp(sum_m W_k^(m) t^m / m!); [t^n] is the n-th coefficient. Why: the rotation of joint j
// about its axis a is exp(x_j(t) [a]x), and |[a]x| <= 1, so the series of exp(sum_m Q_j^(m) t^m /
// m!) majorises its Taylor coefficients, term by term; a product of rotations is majorised by the
// product, hence the sum of rates. Joint k moves the point only where its own rotation is
// differentiated, at the lever rho_k; the rotations before it carry that along. E_k - E_{k-1}
// counts exactly the products in which k takes part.
#include "allclear/robot_models/motion/motion_bounds.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/assert.h"
#include "allclear/core/simd.h"

namespace allclear {
namespace {

// Directions closer than this [rad] count as parallel: sliding a region along its own axis only
// lengthens it. The neglected part across is at most 1e-12 of the travel, the pad of a reach.
constexpr double kParallel = 1e-12;

/// All places a point can take, seen from the frame of the chain at hand: within `radius` of the
/// segment c0-c1, measured perpendicular to its direction `u`.
struct Region {
  Vec3 c0;
  Vec3 c1;
  Vec3 u;
  double radius;

  void moveTo(const Pose& X) {
    c0 = X * c0;
    c1 = X * c1;
    u = X.R * u;
  }

  /// Greatest distance from the axis through the origin along the unit vector a.
  double distanceFromAxis(const Vec3& a) const {
    // The distance is convex along the segment: greatest at an end. There the disk of radius r
    // perpendicular to u adds r d with |d| = 1, d.u = 0: |Pc + r Pd|^2 <= |Pc|^2 + 2 r (Pc).d +
    // r^2, greatest for d along the part of Pc perpendicular to u. (P projects across a.)
    double greatest = 0.0;
    for (const Vec3& c : {c0, c1}) {
      const Vec3 across = c - a * a.dot(c);
      const double towards = (across - u * u.dot(across)).norm();
      greatest =
          std::max(greatest, across.squaredNorm() + 2.0 * radius * towards + radius * radius);
    }
    return std::sqrt(greatest) * kMajorantRounding;
  }

  /// Becomes the region swept by all turns about that axis, then slid along it by x in `slide`.
  void sweep(const Vec3& a, Interval slide) {
    const double side = radius * u.cross(a).norm();  // what the disk adds along a
    const double z0 = a.dot(c0);
    const double z1 = a.dot(c1);
    radius = distanceFromAxis(a);
    c0 = a * (std::min(z0, z1) - side + slide.lower);
    c1 = a * (std::max(z0, z1) + side + slide.upper);
    u = a;
  }

  /// Becomes the region slid along a by x in `slide`; nothing turns, so it keeps its shape if it
  /// can.
  void slideAlong(const Vec3& a, Interval slide) {
    if (radius == 0.0 && (c1 - c0).isZero(0.0)) u = a;
    if (u.cross(a).norm() < kParallel) {
      const Vec3 low = a.dot(c0) < a.dot(c1) ? c0 : c1;
      const Vec3 high = a.dot(c0) < a.dot(c1) ? c1 : c0;
      c0 = low + a * slide.lower;
      c1 = high + a * slide.upper;
      return;
    }
    // Travel across the segment widens the radius, travel along it lengthens it.
    const Vec3 middle = a * slide.middle();
    const double half = 0.5 * slide.length();
    const double along = half * std::fabs(a.dot(u));
    c0 += middle;
    c1 += middle;
    const Vec3 d = (c1 - c0).dot(u) < 0.0 ? Vec3(-u) : u;
    c0 -= d * along;
    c1 += d * along;
    radius = (radius + half * u.cross(a).norm()) * kMajorantRounding;
  }
};

constexpr int kLanes = 8;
using Lanes = double[kMotionOrder + 1][kLanes];

/// One series per lane: w becomes exp(sum_{m>=1} W^(m) t^m / m!), by n e_n = sum_m p_m e_{n-m}
/// where p_m is m times the m-th coefficient of the exponent.
ALLCLEAR_MULTIVERSION
void exponentialKernel(Lanes& series) {
  Lanes p, e;
  double factor = 1.0;  // 1 / (m - 1)!
  for (int m = 1; m <= kMotionOrder; ++m) {
    for (int l = 0; l < kLanes; ++l) p[m][l] = series[m][l] * factor;
    factor /= m;
  }
  for (int l = 0; l < kLanes; ++l) e[0][l] = 1.0;
  for (int n = 1; n <= kMotionOrder; ++n) {
    double sum[kLanes] = {};
    for (int m = 1; m <= n; ++m) {
      for (int l = 0; l < kLanes; ++l) sum[l] += p[m][l] * e[n - m][l];
    }
    const double share = 1.0 / n;
    for (int l = 0; l < kLanes; ++l) e[n][l] = sum[l] * share;
  }
  for (int n = 0; n <= kMotionOrder; ++n) {
    for (int l = 0; l < kLanes; ++l) series[n][l] = e[n][l];
  }
}

/// Range of the node's joint variable.
Interval travel(const MotionNode& node, const std::vector<Interval>& ranges) {
  const Interval range = ranges[node.coordinate];
  const double a = node.multiplier * range.lower + node.offset;
  const double b = node.multiplier * range.upper + node.offset;
  return {std::min(a, b), std::max(a, b)};
}

/// Passes one joint towards the base. `forward`: the joint's moving side faces the tip.
ChainJoint passJoint(const MotionNode& node, bool forward, const std::vector<Interval>& ranges,
                     Region* region) {
  ChainJoint joint{node.coordinate, std::fabs(node.multiplier), std::fabs(node.offset), node.turns,
                   0.0};
  const Vec3 axis = Vec3::Unit(node.axis);
  // Forward: the region is in the joint's moving frame N, move about its axis, then express it in
  // the parent's. Backward: the base link is on the moving side, so seen from N the parent's side
  // moves, by the inverse motion.
  if (!forward) region->moveTo(node.X_PF.inverse());
  if (node.turns) {
    region->sweep(axis, {0.0, 0.0});
    joint.reach = region->radius;
  } else {
    const Interval x = travel(node, ranges);
    region->slideAlong(axis, forward ? x : Interval{-x.upper, -x.lower});
  }
  if (forward) region->moveTo(node.X_PF);
  return joint;
}

}  // namespace

std::vector<Interval> coordinateRanges(const RobotModel& model) {
  std::vector<Interval> ranges;
  for (const Coordinate& c : model.coordinates()) {
    const bool limited = std::isfinite(c.lower) && std::isfinite(c.upper);
    ranges.push_back(limited ? Interval{c.lower, c.upper} : Interval{0.0, 0.0});
  }
  return ranges;
}

ReachChain reachChain(const MotionTree& tree, int base_link, int link, const Vec3& p_LQ,
                      const std::vector<Interval>& ranges) {
  ALLCLEAR_ASSERT(static_cast<int>(ranges.size()) == tree.dimension());
  const LinkMount& tip = tree.mounts()[link];
  const int base_node = base_link < 0 ? -1 : tree.mounts()[base_link].node;
  const std::vector<int> to_tip = tree.pathTo(tip.node);
  const std::vector<int> to_base = tree.pathTo(base_node);
  // Joints above the common ancestor move both links alike: they drop out.
  const std::size_t shared =
      std::mismatch(to_tip.begin(), to_tip.end(), to_base.begin(), to_base.end()).first -
      to_tip.begin();

  const Vec3 p = tip.X_NL * p_LQ;
  Region region{p, p, Vec3::UnitZ(), 0.0};
  ReachChain chain;
  for (std::size_t i = to_tip.size(); i > shared; --i) {
    chain.joints.push_back(passJoint(tree.nodes()[to_tip[i - 1]], true, ranges, &region));
  }
  // Then down to the base link, against the direction of these joints.
  for (std::size_t i = shared; i < to_base.size(); ++i) {
    chain.joints.push_back(passJoint(tree.nodes()[to_base[i]], false, ranges, &region));
  }
  std::reverse(chain.joints.begin(), chain.joints.end());
  return chain;
}

TimeSeries exponentialSeries(const TimeSeries& w) {
  TimeSeries e;
  exponentialSeries({&w, 1}, {&e, 1});
  return e;
}

void exponentialSeries(std::span<const TimeSeries> w, std::span<TimeSeries> out) {
  ALLCLEAR_ASSERT(w.size() == out.size());
  Lanes lanes{};
  for (std::size_t first = 0; first < w.size(); first += kLanes) {
    const std::size_t count = std::min<std::size_t>(kLanes, w.size() - first);
    for (std::size_t l = 0; l < count; ++l) {
      for (int m = 0; m <= kMotionOrder; ++m) lanes[m][l] = w[first + l][m];
    }
    exponentialKernel(lanes);
    for (std::size_t l = 0; l < count; ++l) {
      for (int m = 0; m <= kMotionOrder; ++m) out[first + l][m] = lanes[m][l];
    }
  }
}

MotionMajorant motionMajorant(const ReachChain& chain, const DerivativeSuprema& suprema) {
  TimeSeries w{};
  TimeSeries e = exponentialSeries(w);
  TimeSeries linear{};
  for (const ChainJoint& joint : chain.joints) {
    const auto rates = suprema.row(joint.coordinate);
    if (joint.turns) {
      for (int m = 1; m <= kMotionOrder; ++m) w[m] += joint.factor * rates[m - 1];
      const TimeSeries before = e;  // E_{k-1}
      e = exponentialSeries(w);
      for (int n = 1; n <= kMotionOrder; ++n) {
        linear[n] += joint.reach * (e[n] - before[n] + kSeriesCancellation * e[n]);
      }
      continue;
    }
    // A slide: its travel's series times the rotations before it.
    for (int n = 1; n <= kMotionOrder; ++n) {
      double factorial = 1.0;
      for (int m = 1; m <= n; ++m) {
        factorial *= m;
        linear[n] += joint.factor * rates[m - 1] / factorial * e[n - m];
      }
    }
  }
  MotionMajorant majorant;
  double factorial = 1.0;
  for (int n = 1; n <= kMotionOrder; ++n) {
    factorial *= n;
    majorant.linear[n] = factorial * linear[n] * kMajorantRounding;
    majorant.angular[n] = factorial * e[n] * kMajorantRounding;
  }
  return majorant;
}

}  // namespace allclear
