#include "allclear/robot_models/motion/link_curves.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

constexpr int kNodes = LobattoNodes::kCount;
constexpr int kChecked = kNodes + LobattoNodes::kChecks;
constexpr double kEpsilon = 2.220446049250313e-16;

/// Bound of Chebyshev-Lobatto interpolation at 8 nodes, given one of the eighth derivative:
/// |error| <= (h/2)^8 / 8! / 64 * sup|p^(8)|, for the node polynomial (1 - s^2) U_6(s) / 2^6.
double remainderFactor(double cell_length) {
  const double second = 0.25 * cell_length * cell_length;
  return second * second * (second * second) / 40320.0 / 64.0;
}

/// The same where the polynomial is held against the motion at the checks.
double checkedRemainderFactor(double cell_length) {
  const double half = 0.5 * cell_length;
  const double second = half * half, fourth = second * second;
  return kCheckedRest * fourth * fourth * fourth * second * half;
}

/// Values of the Bernstein polynomials of `degree` at the nodes and the checks: (degree + 1) x 15.
MatX sampleWeights(int degree) {
  MatX weights(degree + 1, kChecked);
  for (int node = 0; node < kChecked; ++node) {
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

/// How far, at most, the motion is from the polynomial at the checks: squares of the distance of
/// the curve's reference point and of the rotation's.
std::pair<double, double> squaredDeviation(std::span<const Pose> samples, const Vec3& reference_B) {
  const auto polynomial = LobattoNodes::atChecks(samples.first<kNodes>());
  double position = 0.0, rotation = 0.0;
  for (int j = 0; j < LobattoNodes::kChecks; ++j) {
    const Pose& X = samples[kNodes + j];
    const Mat3 turned = X.R - polynomial[j].R;
    const Vec3 moved = turned * reference_B + (X.p - polynomial[j].p);
    position = std::max(position, moved.squaredNorm());
    rotation = std::max(rotation, turned.squaredNorm());
  }
  return {position, rotation};
}

/// The polynomial through the samples, of which those at the checks may be missing, and its bounds.
/// Returns the error without the rounding, at `radius` from the reference point.
double setCurve(std::span<const Pose> samples, const MotionMajorant& majorant, double reach,
                double radius, BodyCurve* curve) {
  const double length = curve->time.length();
  const double factor = remainderFactor(length);
  curve->control = LobattoNodes::controlFromSamples(samples.first<kNodes>());
  curve->position_error = majorant.linear[8] * factor;
  curve->rotation_error = majorant.angular[8] * factor;
  if (samples.size() == kChecked) {
    const auto [position, rotation] = squaredDeviation(samples, curve->reference_B);
    const double rest = checkedRemainderFactor(length);
    curve->position_error = std::min(
        curve->position_error, kCheckedShare * std::sqrt(position) + majorant.linear[15] * rest);
    curve->rotation_error = std::min(
        curve->rotation_error, kCheckedShare * std::sqrt(rotation) + majorant.angular[15] * rest);
  }
  for (int n = 1; n <= 3; ++n) {
    curve->bounds.linear[n - 1] = majorant.linear[n];
    curve->bounds.angular[n - 1] = majorant.angular[n];
  }
  const double error = curve->error(radius);
  curve->position_error += poseRounding(curve->control, reach);
  curve->rotation_error += 1e3 * kEpsilon;
  return error;
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
    if (rate[0] == 0.0) continue;
    if (node.turns) {
      for (int n = 1; n <= kMotionOrder; ++n) {
        w.share[i][n] = w.rotation[i][n] - parent[n] + 1e-14 * w.rotation[i][n];
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
  constexpr std::array<std::pair<int, double>, 5> kUsed{
      {{1, 1.0}, {2, 2.0}, {3, 6.0}, {8, 40320.0}, {15, 1307674368000.0}}};
  for (auto [n, factorial] : kUsed) {
    double sum = 0.0;
    for (std::size_t j = 0; j < path.size(); ++j) {
      const ChainJoint& joint = chain.joints[j];
      sum += (joint.turns ? joint.reach : 1.0) * w.share[path[j]][n];
    }
    majorant.linear[n] = factorial * sum * (1.0 + 1e-12);
    majorant.angular[n] = factorial * rotation[n] * (1.0 + 1e-12);
  }
  return majorant;
}

double LinkCurveBuilder::errorRadius(int i) const {
  return std::isfinite(radii_[i]) ? radii_[i] : 1.0;
}

LinkCurveBuilder::Cells LinkCurveBuilder::promisingCells(const BernsteinSpan& span,
                                                         double tolerance,
                                                         const std::vector<ReachChain>& chains,
                                                         Workspace& w) const {
  ALLCLEAR_ASSERT(tolerance > 0.0);
  const double length = span.time().length();
  derivativeSuprema(span.control(), length, &w.suprema);
  nodeSeries(w);
  double plain = 0.0, checked = 0.0;
  for (int i = 0; i < static_cast<int>(links_.size()); ++i) {
    const MotionMajorant majorant = linkMajorant(i, chains[i], w);
    plain = std::max(plain, majorant.linear[8] + majorant.angular[8] * errorRadius(i));
    checked = std::max(checked, majorant.linear[15] + majorant.angular[15] * errorRadius(i));
  }
  // A few roundings of the root are far within the padding of the majorants.
  const double root = std::sqrt(std::sqrt(std::sqrt(plain * remainderFactor(length) / tolerance)));
  ALLCLEAR_ASSERT(root <= max_cells_);
  Cells cells;
  cells.enough = std::max(1, static_cast<int>(std::ceil(root)));
  // The bounds over a cell are sharper than those over the span.
  cells.count = cells.enough <= 2 ? cells.enough : 3 * cells.enough / 4;
  if (cells.count == 1) return cells;
  const double rest = 2.0 * checked * checkedRemainderFactor(length) / tolerance;
  const int with_checks = std::max(1, static_cast<int>(std::ceil(std::pow(rest, 1.0 / 15.0))));
  cells.checked = with_checks < cells.count;
  if (cells.checked) cells.count = with_checks;
  return cells;
}

void LinkCurveBuilder::samplePoses(const MatX& control, int samples, bool first, Workspace& w,
                                   Pose* poses) const {
  const std::size_t link_count = links_.size();
  if (w.weights.rows() != control.cols()) {
    w.weights = sampleWeights(static_cast<int>(control.cols()) - 1);
  }
  w.sample_q = control.lazyProduct(w.weights.leftCols(samples));
  for (int k = 0; k < samples; ++k) {
    Pose* of_sample = poses + k * link_count;
    if (!first && k == 0) {  // the last node of the cell before
      std::copy_n(of_sample - (samples - kNodes + 1) * link_count, link_count, of_sample);
      continue;
    }
    w.q = w.sample_q.col(k);
    kinematics_.linkPoses(w.q, w.kinematics, w.poses);
    for (std::size_t i = 0; i < link_count; ++i) of_sample[i] = w.poses[links_[i]];
  }
}

double LinkCurveBuilder::buildCells(const BernsteinSpan& span, const Cells& cells, double tolerance,
                                    const std::vector<ReachChain>& chains, Workspace& w,
                                    LinkCurves* out) const {
  const int link_count = static_cast<int>(links_.size());
  out->samples = cells.checked ? kChecked : kNodes;
  out->cells.resize(cells.count);
  out->curves.resize(static_cast<std::size_t>(cells.count) * link_count);
  out->poses.resize(out->curves.size() * out->samples);
  std::array<Pose, kChecked> samples;
  for (int c = 0; c < cells.count; ++c) {
    const Interval time{c == 0 ? span.time().lower : out->cells[c - 1].upper,
                        c == cells.count - 1
                            ? span.time().upper
                            : span.time().lower + span.time().length() * (c + 1) / cells.count};
    out->cells[c] = time;
    const BernsteinSpan part = span.restricted(time);
    if (cells.count > 1) {  // else the workspace has them from the span
      derivativeSuprema(part.control(), time.length(), &w.suprema);
      nodeSeries(w);
    }
    Pose* poses = out->poses.data() + static_cast<std::size_t>(c) * out->samples * link_count;
    samplePoses(part.control(), out->samples, c == 0, w, poses);
    double error = 0.0;
    for (int i = 0; i < link_count; ++i) {
      BodyCurve& curve = out->curves[static_cast<std::size_t>(i) * cells.count + c];
      for (int k = 0; k < out->samples; ++k) samples[k] = poses[k * link_count + i];
      curve.time = time;
      curve.reference_B = references_[i];
      error = std::max(
          error, setCurve(std::span(samples).first(out->samples), linkMajorant(i, chains[i], w),
                          greatestReach(chains[i]), errorRadius(i), &curve));
    }
    if (error > tolerance) return error;
  }
  return 0.0;
}

void LinkCurveBuilder::build(const BernsteinSpan& span, double tolerance, Workspace& w,
                             LinkCurves* out) const {
  ALLCLEAR_ASSERT(span.dimension() == tree_.dimension());
  const std::vector<Interval> wider = rangesFor(span);
  const std::vector<ReachChain> own =
      wider.empty() ? std::vector<ReachChain>() : chainsWithin(wider);
  const std::vector<ReachChain>& chains = wider.empty() ? chains_ : own;
  Cells cells = promisingCells(span, tolerance, chains, w);
  while (true) {
    const bool certain = cells.count >= cells.enough;
    const double error = buildCells(span, cells, certain ? HUGE_VAL : tolerance, chains, w, out);
    if (error == 0.0) return;
    const double grown = std::ceil(cells.count * std::pow(error / tolerance, 1.0 / 8.0));
    cells.count = std::clamp(static_cast<int>(grown), cells.count + 1, cells.enough);
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
  const Pose* poses = curves.poses.data() + cell * curves.samples * link_count;
  std::vector<Pose> samples;
  for (int k = 0; k < curves.samples; ++k) {
    samples.push_back(poses[k * link_count + base].inverse() * poses[k * link_count + i]);
  }
  BodyCurve curve;
  curve.time = time;
  curve.reference_B = references_[i];
  const double size = greatestReach(chain) + poses[i].p.norm() + poses[base].p.norm();
  setCurve(samples, motionMajorant(chain, suprema), size, errorRadius(i), &curve);
  return curve;
}

}  // namespace allclear
