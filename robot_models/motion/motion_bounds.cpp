// Rigorous bounds of the derivatives of a point on a chain of joints, of any order.
//
// A point at distance rho from the axis of a turning joint k, seen from the base, has
//   |p^(n)| / n! <= sum_turns rho_k [t^n](E_k - E_{k-1}) + sum_slides [t^n] (sum_{m>=1} Q_k^(m)
//   t^m/m!) E_{k-1}
// with E_k(t) = exp(sum_m W_k^(m) t^m / m!), W_k^(m) the sum of sup|q_j^(m)| over the turns j <= k.
// (Turning joint k alone contributes rho_k times the derivatives of its own rotation; the rotations
// before it carry that along; E_k - E_{k-1} counts exactly the products in which k takes part.)
#include "allclear/robot_models/motion/motion_bounds.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/assert.h"
#include "allclear/core/simd.h"

namespace allclear {
namespace {

constexpr double kRounding = 1.0 + 1e-12;  // far more than the few hundred roundings of a bound
constexpr double kCancellation = 1e-14;    // of the difference of two series, relative to either

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
    double greatest = 0.0;
    for (const Vec3& c : {c0, c1}) {
      const Vec3 across = c - a * a.dot(c);
      const double towards = (across - u * u.dot(across)).norm();
      greatest =
          std::max(greatest, across.squaredNorm() + 2.0 * radius * towards + radius * radius);
    }
    return std::sqrt(greatest) * kRounding;
  }

  /// Becomes the region swept by all turns about that axis, then slid along it by x in `slide`.
  void sweep(const Vec3& a, Interval slide) {
    const double side = radius * u.cross(a).norm();
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
    if (u.cross(a).norm() < 1e-12) {
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
    radius = (radius + half * u.cross(a).norm()) * kRounding;
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

Interval travel(const MotionNode& node, const std::vector<Interval>& ranges) {
  const Interval range = ranges[node.coordinate];
  const double a = node.multiplier * range.lower + node.offset;
  const double b = node.multiplier * range.upper + node.offset;
  return {std::min(a, b), std::max(a, b)};
}

/// Passes one joint towards the base. `forward`: the joint's moving side faces the tip.
ChainJoint passJoint(const MotionNode& node, bool forward, const std::vector<Interval>& ranges,
                     Region* region) {
  ChainJoint joint{node.coordinate, std::fabs(node.multiplier), node.turns, 0.0};
  const Vec3 axis = Vec3::Unit(node.axis);
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
  const std::size_t shared =
      std::mismatch(to_tip.begin(), to_tip.end(), to_base.begin(), to_base.end()).first -
      to_tip.begin();

  const Vec3 p = tip.X_NL * p_LQ;
  Region region{p, p, Vec3::UnitZ(), 0.0};
  ReachChain chain;
  for (std::size_t i = to_tip.size(); i > shared; --i) {
    chain.joints.push_back(passJoint(tree.nodes()[to_tip[i - 1]], true, ranges, &region));
  }
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
      const TimeSeries before = e;
      e = exponentialSeries(w);
      for (int n = 1; n <= kMotionOrder; ++n) {
        linear[n] += joint.reach * (e[n] - before[n] + kCancellation * e[n]);
      }
      continue;
    }
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
    majorant.linear[n] = factorial * linear[n] * kRounding;
    majorant.angular[n] = factorial * e[n] * kRounding;
  }
  return majorant;
}

}  // namespace allclear
