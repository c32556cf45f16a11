// Body curves of a robot's links over one span of a trajectory (docs/algorithms/motion-bounds.md).
//
// A span is one polynomial piece q(t) in Bernstein form. Its time is cut into equal cells, the same
// for all links, so that kinematics run once per instant. On a cell the link poses at the 8
// Chebyshev-Lobatto nodes are interpolated by a polynomial of degree 7 (interpolated_curve.h). Its
// remainder is at most a constant times (h/2)^8 sup|p^(8)|, h the length of the cell; the suprema
// come from the trajectory's derivatives and the reach of the links (link_bounds.cpp). With the 7
// checks between the nodes a second, mostly far sharper bound holds, of order 15.
//
// How many cells? The remainder over the whole span, e, scales with h^8 (or h^15), so that
// ceil((e / tolerance)^(1/8)) cells are certainly enough. The bound of a cell is sharper than that
// of the span, so fewer are tried first; a cell that fails makes the count grow, up to the certain
// one. Invariant: when `build` returns, every remainder is bounded by the tolerance.
#include "allclear/robot_models/motion/link_curves.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/assert.h"
#include "allclear/core/extremes.h"
#include "allclear/core/input_error.h"
#include "allclear/robot_models/motion/interpolated_curve.h"

namespace allclear {
namespace {

/// Values of the Bernstein polynomials of `degree` at the nodes and the checks: (degree + 1) x 15.
MatX sampleWeights(int degree) {
  MatX weights(degree + 1, kChecked);
  // By the recursion of de Casteljau: B_i^n = (1 - s) B_i^(n-1) + s B_(i-1)^(n-1).
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

/// A ball about all collision geometry of the link, in its frame.
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
  // Of one shape its own ball; of several one around the middle of the box about their balls.
  Ball all;
  if (balls.empty()) return all;
  all.center = balls.size() == 1 ? balls[0].center : Vec3(0.5 * (lower + upper));
  for (const Ball& ball : balls) {
    all.radius = std::max(all.radius, (ball.center - all.center).norm() + ball.radius);
  }
  return all;
}

double greatestReach(const ReachChain& chain) {
  double reach = 0.0;
  for (const ChainJoint& joint : chain.joints) reach = raised(reach, joint.reach);
  return reach;
}

/// What an error of the sampled poses can grow to in the curve: interpolation enlarges it by at
/// most 2.5 (the Lebesgue constant of the nodes is 2.1), the deviations at the checks count 1.4061
/// times and see the errors of the sample and of the polynomial: 2.5 + 1.4061 (1 + 2.5) < 8.
constexpr double kSampleGain = 8.0;

/// Rounding of a joint variable m q + offset, in the curve: a product and a sum, half an epsilon of
/// their size each.
constexpr double kVariableRounding = kSampleGain * kEpsilon;

/// How far the coordinates behind a curve may be from the span's, by rounding
/// (docs/algorithms/motion-bounds.md, "Rounding"). `control` are their coefficients over the cell,
/// of degree p, M the largest in size, r their range.
/// - Cutting the cell out of the span: 2 p levels of convex combinations, and their parameters:
///   4 (p + 1) M + 4 p r.
/// - Sampling: weights by p levels, p + 1 products and sums, nodes that are rounded themselves:
///   (2 p + 1) M + 2 p r, in single samples, so times `kSampleGain`.
void coordinateRounding(const MatX& control, VecX* rounding) {
  const double p = static_cast<double>(control.cols() - 1);
  const double of_size = 4.0 * (p + 1.0) + kSampleGain * (2.0 * p + 1.0);
  const double of_range = 4.0 * p + kSampleGain * 2.0 * p;
  rounding->resize(control.rows());
  for (Eigen::Index k = 0; k < control.rows(); ++k) {
    const double least = control.row(k).minCoeff(), greatest = control.row(k).maxCoeff();
    const double size = std::max(std::fabs(least), std::fabs(greatest));
    (*rounding)[k] =
        kEpsilon * (of_size * size + of_range * (greatest - least)) + kVariableRounding * size;
  }
}

/// Adds to the curve what errors of its joints can do: a turn by d about an axis at the distance
/// rho moves a point by at most rho d and every unit vector by d, a slide moves it by d.
/// `coordinate_error` [rad or m] is by coordinate, `offset_error` relative to a joint's offset.
void addJointErrors(const ReachChain& chain, const VecX& coordinate_error, double offset_error,
                    BodyCurve* curve) {
  double position = 0.0, rotation = 0.0;
  for (const ChainJoint& joint : chain.joints) {
    const double d =
        joint.factor * coordinate_error[joint.coordinate] + offset_error * joint.offset;
    position += joint.turns ? joint.reach * d : d;
    if (joint.turns) rotation += d;
  }
  curve->position_error += position * kMajorantRounding;
  curve->rotation_error += rotation * kMajorantRounding;
}

}  // namespace

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
    double length = tree_.mounts()[link].X_NL.p.norm() + ball.center.norm();
    for (int node : paths_.back()) length += tree_.nodes()[node].X_PF.p.norm();
    lengths_.push_back(length);
    names_.push_back(model.links()[link].name);
  }
  // Turns sweep all angles anyway; only the range of a slide enters the reach.
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

std::vector<Interval> LinkCurveBuilder::rangesFor(const BernsteinSpan& span) const {
  std::vector<Interval> ranges;
  for (int k : slides_) {
    // A Bernstein polynomial stays between its least and greatest coefficient.
    const double lower = span.control().row(k).minCoeff();
    const double upper = span.control().row(k).maxCoeff();
    if (lower >= ranges_[k].lower && upper <= ranges_[k].upper) continue;
    if (ranges.empty()) ranges = ranges_;
    ranges[k] = {std::min(lower, ranges[k].lower), std::max(upper, ranges[k].upper)};
  }
  return ranges;
}

// A half-space has no radius: its curve is as exact as that of a link of 1 m.
double LinkCurveBuilder::errorRadius(int i) const {
  return std::isfinite(radii_[i]) ? radii_[i] : 1.0;
}

LinkCurveBuilder::CellPlan LinkCurveBuilder::planCells(const BernsteinSpan& span, double tolerance,
                                                       const std::vector<ReachChain>& chains,
                                                       Workspace& w) const {
  ALLCLEAR_ASSERT(tolerance > 0.0);
  const double length = span.time().length();
  derivativeSuprema(span.control(), length, &w.suprema);
  nodeSeries(w);
  double plain = 0.0, checked = 0.0;
  int fastest = 0;
  for (int i = 0; i < static_cast<int>(links_.size()); ++i) {
    const MotionMajorant majorant = linkMajorant(i, chains[i], w);
    const double eighth = majorant.linear[8] + majorant.angular[8] * errorRadius(i);
    if (!(eighth <= plain)) fastest = i;
    plain = raised(plain, eighth);
    checked = raised(checked, majorant.linear[15] + majorant.angular[15] * errorRadius(i));
  }
  // The eighth root. A few roundings of it are far within the padding of the majorants.
  const double root = std::sqrt(std::sqrt(std::sqrt(plain * remainderFactor(length) / tolerance)));
  if (!(root <= max_cells_)) {
    throw InputError("link '" + names_[fastest] + "' moves too fast to be bounded: from t = " +
                     std::to_string(span.time().lower) + " s to " +
                     std::to_string(span.time().upper) + " s its motion would need more than " +
                     std::to_string(max_cells_) + " cells of time");
  }
  CellPlan plan;
  plan.certain_count = std::max(1, static_cast<int>(std::ceil(root)));
  // The bounds over a cell are sharper than those over the span: try three quarters.
  plan.count = plan.certain_count <= 2 ? plan.certain_count : 3 * plan.certain_count / 4;
  if (plan.count == 1) return plan;
  // With the checks, half of the tolerance is left to the deviation that they will find.
  const double rest = 2.0 * checked * checkedRemainderFactor(length) / tolerance;
  const double with_checks = std::max(1.0, std::ceil(std::pow(rest, 1.0 / 15.0)));
  plan.checked = with_checks < plan.count;
  if (plan.checked) plan.count = static_cast<int>(with_checks);
  return plan;
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
    if (!first && k == 0) {  // the last node of the cell before, samples - (kNodes - 1) instants
                             // back: the same instant
      std::copy_n(of_sample - (samples - kNodes + 1) * link_count, link_count, of_sample);
      continue;
    }
    w.q = w.sample_q.col(k);
    kinematics_.linkPoses(w.q, w.kinematics, w.poses);
    for (std::size_t i = 0; i < link_count; ++i) of_sample[i] = w.poses[links_[i]];
  }
}

double LinkCurveBuilder::buildCells(const BernsteinSpan& span, const CellPlan& plan,
                                    double tolerance, const std::vector<ReachChain>& chains,
                                    Workspace& w, LinkCurves* out) const {
  const int link_count = static_cast<int>(links_.size());
  out->samples = plan.checked ? kChecked : kNodes;
  out->cells.resize(plan.count);
  out->curves.resize(static_cast<std::size_t>(plan.count) * link_count);
  out->poses.resize(out->curves.size() * out->samples);
  std::array<Pose, kChecked> samples;
  for (int c = 0; c < plan.count; ++c) {
    // Neighbours share their end to the bit, and the last cell ends with the span.
    const Interval time{c == 0 ? span.time().lower : out->cells[c - 1].upper,
                        c == plan.count - 1
                            ? span.time().upper
                            : span.time().lower + span.time().length() * (c + 1) / plan.count};
    out->cells[c] = time;
    const BernsteinSpan part = span.restricted(time);
    if (plan.count > 1) {  // else the workspace has them from the span
      derivativeSuprema(part.control(), time.length(), &w.suprema);
      nodeSeries(w);
    }
    Pose* poses = out->poses.data() + static_cast<std::size_t>(c) * out->samples * link_count;
    samplePoses(part.control(), out->samples, c == 0, w, poses);
    coordinateRounding(part.control(), &w.rounding);
    double error = 0.0;
    for (int i = 0; i < link_count; ++i) {
      BodyCurve& curve = out->curves[static_cast<std::size_t>(i) * plan.count + c];
      for (int k = 0; k < out->samples; ++k) samples[k] = poses[k * link_count + i];
      curve.time = time;
      curve.reference_B = references_[i];
      error = raised(error, interpolateCurve(std::span(samples).first(out->samples),
                                             linkMajorant(i, chains[i], w),
                                             std::max(greatestReach(chains[i]), lengths_[i]),
                                             errorRadius(i), &curve));
      addJointErrors(chains[i], w.rounding, kVariableRounding, &curve);
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
  CellPlan plan = planCells(span, tolerance, chains, w);
  while (true) {
    // At the certain count nothing is left to refuse: rounding must not keep the loop going.
    const bool certain = plan.count >= plan.certain_count;
    const double error = buildCells(span, plan, certain ? HUGE_VAL : tolerance, chains, w, out);
    if (error == 0.0) return;
    // The error falls with at least the eighth power of the count; one cell more at the least.
    const double grown = std::ceil(plan.count * std::pow(error / tolerance, 1.0 / 8.0));
    plan.count = grown < plan.certain_count ? std::max(static_cast<int>(grown), plan.count + 1)
                                            : plan.certain_count;
  }
}

void LinkCurveBuilder::addCoordinateError(const BernsteinSpan& span, int i, const VecX& error,
                                          BodyCurve* curve) const {
  const std::vector<Interval> wider = rangesFor(span);
  if (wider.empty()) return addJointErrors(chains_[i], error, 0.0, curve);
  addJointErrors(reachChain(tree_, -1, links_[i], references_[i], wider), error, 0.0, curve);
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
  // The motion seen from the base: only the joints between the two links enter its bounds.
  std::vector<Pose> samples;
  for (int k = 0; k < curves.samples; ++k) {
    samples.push_back(poses[k * link_count + base].inverse() * poses[k * link_count + i]);
  }
  BodyCurve curve;
  curve.time = time;
  curve.reference_B = references_[i];
  const double size = greatestReach(chain) + lengths_[i] + poses[i].p.norm() + poses[base].p.norm();
  interpolateCurve(samples, motionMajorant(chain, suprema), size, errorRadius(i), &curve);
  VecX rounding;
  coordinateRounding(span.restricted(time).control(), &rounding);
  addJointErrors(chain, rounding, kVariableRounding, &curve);
  return curve;
}

}  // namespace allclear
