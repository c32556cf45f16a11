#include "allclear/planner/seeds/path_spline.h"

#include <algorithm>
#include <cmath>

namespace allclear {
namespace {

/// Samples for the fit: several per control point, so that the curve cannot swing between them.
constexpr int kSamplesPerSpan = 16;
constexpr int kSamplesPerControl = 8;
/// A segment of no length has no direction: its corner then counts as a right angle, not as NaN.
constexpr double kLeastProduct = 1e-300;
/// How much longer the curve lingers at its very ends than on the way: it starts and stops there.
constexpr double kDwellAtEnds = 2.0;

/// 10 s^3 - 15 s^4 + 6 s^5 in Bernstein form on [0, 1]: 0 0 0 1 1 1.
double smoothStep(double s) { return s * s * s * (10.0 - s * (15.0 - 6.0 * s)); }

/// The time that a curve spends per length of the path, relative to its usual pace, at a share u of
/// the length. Corners add a bell of height `dwell` times the sharpness of the turn (0 straight on,
/// 1 back), as wide as a span; the ends add a decaying bump.
class Pace {
 public:
  Pace(const ConfigurationSpace& space, const std::vector<VecX>& path, double dwell, double width)
      : width_(width), dwell_(dwell) {
    const double total = pathLength(space, path);
    double at = 0.0;
    for (std::size_t i = 1; i + 1 < path.size(); ++i) {
      const VecX before = (path[i] - path[i - 1]).cwiseProduct(space.reach());
      const VecX after = (path[i + 1] - path[i]).cwiseProduct(space.reach());
      at += before.norm();
      const double cosine =
          before.dot(after) / std::max(kLeastProduct, before.norm() * after.norm());
      corners_.push_back({at / total, 0.5 * (1.0 - cosine)});
    }
  }

  double operator()(double u) const {
    double slow = 1.0;
    for (const auto& [at, turn] : corners_) {
      const double x = (u - at) / width_;
      slow += dwell_ * turn * std::exp(-x * x);
    }
    const double end = std::min(u, 1.0 - u) / width_;
    return slow + kDwellAtEnds * std::exp(-end);
  }

 private:
  std::vector<std::pair<double, double>> corners_;
  double width_;
  double dwell_;
};

}  // namespace

BSpline straightSpline(const VecX& start, const VecX& goal, int spans, double duration) {
  const auto basis = std::make_shared<const BSplineBasis>(BSplineBasis::uniform(spans));
  Samples samples;
  const int count = kSamplesPerControl * (spans + 5);
  samples.values.resize(start.size(), count);
  for (int i = 0; i < count; ++i) {
    const double s = static_cast<double>(i) / (count - 1);
    samples.times.push_back(s * duration);
    samples.values.col(i) = start + smoothStep(s) * (goal - start);
  }
  return fitSpline(basis, duration, samples, EndState::atRest(start), EndState::atRest(goal));
}

BSpline splineAlong(const ConfigurationSpace& space, const std::vector<VecX>& path, int spans,
                    double duration, double dwell, const EndState& start, const EndState& end) {
  const auto basis = std::make_shared<const BSplineBasis>(BSplineBasis::uniform(spans));
  const int count = kSamplesPerSpan * spans;
  const Pace pace(space, path, dwell, 1.0 / spans);
  const double total = pathLength(space, path);
  // Equal steps of length, each as long in time as its pace says; then scaled to the duration.
  // Where the pace is slow more spans lie along the same length, so the curve cuts that corner
  // less.
  std::vector<double> lengths{0.0};  // at the vertices
  for (std::size_t i = 1; i < path.size(); ++i) {
    lengths.push_back(lengths.back() + space.length(path[i] - path[i - 1]));
  }
  Samples samples;
  samples.values.resize(path.front().size(), count + 1);
  double time = 0.0;
  std::size_t segment = 0;
  for (int i = 0; i <= count; ++i) {
    const double u = static_cast<double>(i) / count;
    if (i > 0) time += pace(u - 0.5 / count);
    samples.times.push_back(time);
    while (segment + 2 < path.size() && lengths[segment + 1] < u * total) ++segment;
    const double length = lengths[segment + 1] - lengths[segment];
    const double share =
        length > 0.0 ? std::clamp((u * total - lengths[segment]) / length, 0.0, 1.0) : 0.0;
    samples.values.col(i) = path[segment] + share * (path[segment + 1] - path[segment]);
  }
  for (double& t : samples.times) t = std::min(duration, t * duration / time);
  return fitSpline(basis, duration, samples, start, end);
}

double unclearShare(SegmentCertifier& certifier, const BSpline& curve, double extra, int samples) {
  int unclear = 0;
  for (int i = 0; i < samples; ++i) {
    const double t = curve.duration() * (i + 0.5) / samples;
    if (!certifier.isClear(curve.value(t), extra)) ++unclear;
  }
  return static_cast<double>(unclear) / samples;
}

}  // namespace allclear
