#include "allclear/robot_models/link_curves.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

constexpr int kNodes = LobattoNodes::kCount;
constexpr double kEpsilon = 2.220446049250313e-16;

/// Bound of Chebyshev-Lobatto interpolation at 8 nodes, given one of the eighth derivative:
/// |error| <= (h/2)^8 / 8! / 64 * sup|p^(8)|, for the node polynomial (1 - s^2) U_6(s) / 2^6.
double remainderFactor(double cell_length) {
  return std::pow(0.5 * cell_length, 8) / 40320.0 / 64.0;
}

/// Values of the Bernstein polynomials of `degree` at the Lobatto nodes: (degree + 1) x 8.
MatX lobattoWeights(int degree) {
  MatX weights(degree + 1, kNodes);
  for (int node = 0; node < kNodes; ++node) {
    const double s = LobattoNodes::at(node);
    weights.col(node).setZero();
    weights(0, node) = 1.0;
    for (int level = 1; level <= degree; ++level) {
      for (int i = level; i > 0; --i) {
        weights(i, node) = (1.0 - s) * weights(i, node) + s * weights(i - 1, node);
      }
      weights(0, node) *= 1.0 - s;
    }
  }
  return weights;
}

Ball geometryBall(const Link& link) {
  std::vector<Ball> balls;
  Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 upper = -lower;
  for (const Geometry& geometry : link.collision) {
    Ball ball = boundingBall(geometry.shape);
    ball.center = geometry.X_BG * ball.center;
    if (!std::isfinite(ball.radius)) return {Vec3::Zero(), ball.radius};
    lower = lower.cwiseMin(ball.center - Vec3::Constant(ball.radius));
    upper = upper.cwiseMax(ball.center + Vec3::Constant(ball.radius));
    balls.push_back(ball);
  }
  Ball all;
  if (balls.empty()) return all;
  all.center = balls.size() == 1 ? balls[0].center : Vec3(0.5 * (lower + upper));
  for (const Ball& ball : balls) {
    all.radius = std::max(all.radius, (ball.center - all.center).norm() + ball.radius);
  }
  return all;
}

/// Rounding of poses and of their interpolation: proportional to the lengths that entered them.
double poseRounding(const std::array<Pose, kNodes>& control, double reach) {
  double size = reach;
  for (const Pose& X : control) size = std::max(size, X.p.cwiseAbs().maxCoeff());
  return 1e3 * kEpsilon * size;
}

void setErrors(const MotionMajorant& majorant, double reach, const Vec3& reference,
               BodyCurve* curve) {
  const double factor = remainderFactor(curve->time.length());
  curve->reference_B = reference;
  curve->position_error = majorant.linear[8] * factor + poseRounding(curve->control, reach);
  curve->rotation_error = majorant.angular[8] * factor + 1e3 * kEpsilon;
  for (int n = 1; n <= 3; ++n) {
    curve->bounds.linear[n - 1] = majorant.linear[n];
    curve->bounds.angular[n - 1] = majorant.angular[n];
  }
}

double greatestReach(const ReachChain& chain) {
  double reach = 0.0;
  for (const ChainJoint& joint : chain.joints) reach = std::max(reach, joint.reach);
  return reach;
}

}  // namespace

void derivativeSuprema(const MatX& control, double duration, DerivativeSuprema* out) {
  const int degree = static_cast<int>(control.cols()) - 1;
  ALLCLEAR_ASSERT(degree <= kMotionOrder);
  out->setZero(control.rows(), kMotionOrder);
  std::array<double, kMotionOrder + 1> d;
  for (int k = 0; k < control.rows(); ++k) {
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

LinkCurveBuilder::Workspace::Workspace(const LinkCurveBuilder& builder)
    : kinematics(builder.kinematics_.makeWorkspace()),
      rates(builder.tree_.nodeCount()),
      rotation(rates),
      share(rates) {}

LinkCurveBuilder::LinkCurveBuilder(const RobotModel& model, Options options)
    : tree_(model),
      kinematics_(model),
      links_(std::move(options.links)),
      ranges_(options.ranges.empty() ? coordinateRanges(model) : std::move(options.ranges)),
      max_cells_(options.max_cells) {
  const int link_count = static_cast<int>(model.links().size());
  if (links_.empty()) {
    for (int l = 0; l < link_count; ++l) {
      if (!model.links()[l].collision.empty()) links_.push_back(l);
    }
  }
  for (int link : links_) {
    ALLCLEAR_ASSERT(link >= 0 && link < link_count);
    const Ball ball = geometryBall(model.links()[link]);
    references_.push_back(ball.center);
    radii_.push_back(ball.radius);
    paths_.push_back(tree_.pathTo(tree_.mounts()[link].node));
  }
  for (const MotionNode& node : tree_.nodes()) {
    if (!node.turns) slides_.push_back(node.coordinate);
  }
  chains_ = chainsWithin(ranges_);
}

std::vector<ReachChain> LinkCurveBuilder::chainsWithin(const std::vector<Interval>& ranges) const {
  std::vector<ReachChain> chains;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    chains.push_back(reachChain(tree_, -1, links_[i], references_[i], ranges));
  }
  return chains;
}

/// The known ranges, widened to hold the slides of `span`; empty when they hold it already.
std::vector<Interval> LinkCurveBuilder::rangesFor(const BernsteinSpan& span) const {
  std::vector<Interval> ranges;
  for (int k : slides_) {
    const double lower = span.control().row(k).minCoeff();
    const double upper = span.control().row(k).maxCoeff();
    if (lower >= ranges_[k].lower && upper <= ranges_[k].upper) continue;
    if (ranges.empty()) ranges = ranges_;
    ranges[k] = {std::min(lower, ranges[k].lower), std::max(upper, ranges[k].upper)};
  }
  return ranges;
}

/// `motionMajorant` shares nothing between links; here the series of every node are found once.
void LinkCurveBuilder::nodeSeries(Workspace& w) const {
  static const TimeSeries kStill{1.0};
  static const TimeSeries kZero{};
  for (int i = 0; i < tree_.nodeCount(); ++i) {
    const MotionNode& node = tree_.nodes()[i];
    const TimeSeries& parent_rates = node.parent < 0 ? kZero : w.rates[node.parent];
    const TimeSeries& parent = node.parent < 0 ? kStill : w.rotation[node.parent];
    w.rates[i] = parent_rates;
    w.rotation[i] = parent;
    w.share[i] = kZero;
    const double factor = std::fabs(node.multiplier);
    const auto rate = w.suprema.row(node.coordinate);
    if (rate[0] == 0.0) continue;
    if (node.turns) {
      for (int m = 1; m <= kMotionOrder; ++m) w.rates[i][m] += factor * rate[m - 1];
      w.rotation[i] = exponentialSeries(w.rates[i]);
      for (int n = 1; n <= kMotionOrder; ++n) {
        w.share[i][n] = w.rotation[i][n] - parent[n] + 1e-14 * w.rotation[i][n];
      }
      continue;
    }
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
  for (int n : {1, 2, 3, 8}) {
    double sum = 0.0;
    for (std::size_t j = 0; j < path.size(); ++j) {
      const ChainJoint& joint = chain.joints[j];
      sum += (joint.turns ? joint.reach : 1.0) * w.share[path[j]][n];
    }
    const double factorial = n <= 2 ? n : n == 3 ? 6.0 : 40320.0;
    majorant.linear[n] = factorial * sum * (1.0 + 1e-12);
    majorant.angular[n] = factorial * rotation[n] * (1.0 + 1e-12);
  }
  return majorant;
}

int LinkCurveBuilder::cellsNeeded(const BernsteinSpan& span, double tolerance,
                                  const std::vector<ReachChain>& chains, Workspace& w) const {
  ALLCLEAR_ASSERT(tolerance > 0.0);
  derivativeSuprema(span.control(), span.time().length(), &w.suprema);
  nodeSeries(w);
  double error = 0.0;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const MotionMajorant majorant = linkMajorant(static_cast<int>(i), chains[i], w);
    const double radius = std::isfinite(radii_[i]) ? radii_[i] : 1.0;
    error = std::max(error, majorant.linear[8] + majorant.angular[8] * radius);
  }
  error *= remainderFactor(span.time().length());
  const double cells = std::ceil(std::pow(error / tolerance, 1.0 / 8.0));
  ALLCLEAR_ASSERT(cells <= max_cells_);
  return std::max(1, static_cast<int>(cells));
}

void LinkCurveBuilder::build(const BernsteinSpan& span, double tolerance, Workspace& w,
                             LinkCurves* out) const {
  ALLCLEAR_ASSERT(span.dimension() == tree_.dimension());
  const std::vector<Interval> wider = rangesFor(span);
  const std::vector<ReachChain> own =
      wider.empty() ? std::vector<ReachChain>() : chainsWithin(wider);
  const std::vector<ReachChain>& chains = wider.empty() ? chains_ : own;
  const int cells = cellsNeeded(span, tolerance, chains, w);
  const int link_count = static_cast<int>(links_.size());
  const MatX weights = lobattoWeights(span.degree());
  out->cells.resize(cells);
  out->curves.resize(static_cast<std::size_t>(cells) * link_count);
  out->node_q.resize(static_cast<std::size_t>(cells) * kNodes);
  out->node_poses.resize(out->node_q.size() * link_count);

  for (int c = 0; c < cells; ++c) {
    const Interval time{c == 0 ? span.time().lower : out->cells[c - 1].upper,
                        c == cells - 1
                            ? span.time().upper
                            : span.time().lower + span.time().length() * (c + 1) / cells};
    out->cells[c] = time;
    const BernsteinSpan part = span.restricted(time);
    derivativeSuprema(part.control(), time.length(), &w.suprema);
    nodeSeries(w);
    w.cell_control.noalias() = part.control() * weights;
    Pose* poses = out->node_poses.data() + static_cast<std::size_t>(c) * kNodes * link_count;
    for (int node = 0; node < kNodes; ++node) {
      VecX& q = out->node_q[static_cast<std::size_t>(c) * kNodes + node];
      q = w.cell_control.col(node);
      if (c > 0 && node == 0) {  // the last node of the cell before
        std::copy(poses - link_count, poses, poses);
        continue;
      }
      kinematics_.linkPoses(q, w.kinematics, w.poses);
      for (int i = 0; i < link_count; ++i) poses[node * link_count + i] = w.poses[links_[i]];
    }
    for (int i = 0; i < link_count; ++i) {
      BodyCurve& curve = out->curves[static_cast<std::size_t>(i) * cells + c];
      std::array<Pose, kNodes> samples;
      for (int node = 0; node < kNodes; ++node) samples[node] = poses[node * link_count + i];
      curve.time = time;
      curve.control = LobattoNodes::controlFromSamples(samples);
      setErrors(linkMajorant(i, chains[i], w), greatestReach(chains[i]), references_[i], &curve);
    }
  }
}

BodyCurve LinkCurveBuilder::relativeCurve(const BernsteinSpan& span, const LinkCurves& curves,
                                          int cell, int base, int i) const {
  const std::vector<Interval> wider = rangesFor(span);
  const ReachChain chain =
      reachChain(tree_, links_[base], links_[i], references_[i], wider.empty() ? ranges_ : wider);
  const Interval time = curves.cells[cell];
  DerivativeSuprema suprema;
  derivativeSuprema(span.restricted(time).control(), time.length(), &suprema);
  const std::size_t link_count = links_.size();
  const Pose* poses = curves.node_poses.data() + cell * kNodes * link_count;
  std::array<Pose, kNodes> samples;
  for (int node = 0; node < kNodes; ++node) {
    samples[node] = poses[node * link_count + base].inverse() * poses[node * link_count + i];
  }
  BodyCurve curve;
  curve.time = time;
  curve.control = LobattoNodes::controlFromSamples(samples);
  const double size = greatestReach(chain) + poses[i].p.norm() + poses[base].p.norm();
  setErrors(motionMajorant(chain, suprema), size, references_[i], &curve);
  return curve;
}

}  // namespace allclear
