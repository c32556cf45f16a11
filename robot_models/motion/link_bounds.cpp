// Bounds of the derivatives of all links of a robot over a cell of time, for the body curves.
//
// `motionMajorant` (motion_bounds.cpp has the derivation) works along one chain. All links of a
// robot share most of their chains, so here the series are found once for every node i of the tree:
//   rates     W_i^(m) = sum of sup|x_j^(m)| over the turning nodes j from the base to i,
//   rotation  E_i = exp(sum_m W_i^(m) t^m / m!),
//   share     of a turn E_i - E_parent, of a slide (sum_m sup|x_i^(m)| t^m / m!) E_parent.
// A link's bound of order n is n! times the sum over its path of share[n], times the reach of the
// point from the axis for a turn.
#include <algorithm>
#include <cmath>

#include "allclear/core/assert.h"
#include "allclear/robot_models/motion/interpolated_curve.h"
#include "allclear/robot_models/motion/link_curves.h"

namespace allclear {

void derivativeSuprema(const MatX& control, double duration, DerivativeSuprema* out) {
  const int degree = static_cast<int>(control.cols()) - 1;
  ALLCLEAR_ASSERT(degree <= kMotionOrder);
  out->setZero(control.rows(), kMotionOrder);
  std::array<double, kMotionOrder + 1> d;
  for (int k = 0; k < control.rows(); ++k) {
    // The m-th derivative's Bernstein coefficients are the m-th differences of the control values,
    // times degree! / (degree - m)! / duration^m; the largest bounds it over the interval.
    double size = 0.0;
    bool constant = true;
    for (int i = 0; i <= degree; ++i) {
      d[i] = control(k, i);
      size = std::max(size, std::fabs(d[i]));
      constant = constant && d[i] == d[0];
    }
    if (constant) continue;
    // Coefficients carry a few roundings of their own; each difference at most doubles the error.
    double rounding = 16.0 * kEpsilon * size;
    double scale = 1.0;
    for (int m = 1; m <= degree; ++m) {
      scale *= (degree - m + 1) / duration;
      rounding *= 2.0;
      double greatest = 0.0;
      for (int i = 0; i <= degree - m; ++i) {
        d[i] = d[i + 1] - d[i];
        greatest = std::max(greatest, std::fabs(d[i]));
      }
      (*out)(k, m - 1) = scale * (greatest + rounding);
    }
  }
}

void LinkCurveBuilder::nodeSeries(Workspace& w) const {
  static const TimeSeries kStill{1.0};
  static const TimeSeries kZero{};
  for (int i = 0; i < tree_.nodeCount(); ++i) {
    const MotionNode& node = tree_.nodes()[i];
    w.rates[i] = node.parent < 0 ? kZero : w.rates[node.parent];
    if (!node.turns) continue;
    const double factor = std::fabs(node.multiplier);
    for (int m = 1; m <= kMotionOrder; ++m) {
      w.rates[i][m] += factor * w.suprema(node.coordinate, m - 1);
    }
  }
  exponentialSeries(w.rates, w.rotation);
  for (int i = 0; i < tree_.nodeCount(); ++i) {
    const MotionNode& node = tree_.nodes()[i];
    const TimeSeries& parent = node.parent < 0 ? kStill : w.rotation[node.parent];
    const auto rate = w.suprema.row(node.coordinate);
    w.share[i] = kZero;
    if (rate[0] == 0.0) continue;  // a coordinate that stands still
    if (node.turns) {
      for (int n = 1; n <= kMotionOrder; ++n) {
        w.share[i][n] = w.rotation[i][n] - parent[n] + kSeriesCancellation * w.rotation[i][n];
      }
      continue;
    }
    const double factor = std::fabs(node.multiplier);
    for (int n = 1; n <= kMotionOrder; ++n) {
      double factorial = 1.0;
      for (int m = 1; m <= n; ++m) {
        factorial *= m;
        w.share[i][n] += factor * rate[m - 1] / factorial * parent[n - m];
      }
    }
  }
}

MotionMajorant LinkCurveBuilder::linkMajorant(int i, const ReachChain& chain,
                                              const Workspace& w) const {
  const std::vector<int>& path = paths_[i];
  MotionMajorant majorant;
  if (path.empty()) return majorant;
  const TimeSeries& rotation = w.rotation[path.back()];
  // Orders that a curve uses, and their factorials: 1-3 for its derivative bounds, 8 and 15 for its
  // remainder.
  constexpr std::array<std::pair<int, double>, 5> kUsed{
      {{1, 1.0}, {2, 2.0}, {3, 6.0}, {8, 40320.0}, {15, 1307674368000.0}}};
  for (auto [n, factorial] : kUsed) {
    double sum = 0.0;
    for (std::size_t j = 0; j < path.size(); ++j) {
      const ChainJoint& joint = chain.joints[j];
      sum += (joint.turns ? joint.reach : 1.0) * w.share[path[j]][n];
    }
    majorant.linear[n] = factorial * sum * kMajorantRounding;
    majorant.angular[n] = factorial * rotation[n] * kMajorantRounding;
  }
  return majorant;
}

}  // namespace allclear
