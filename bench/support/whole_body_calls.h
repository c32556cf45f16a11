#pragma once

// What one minimum over time takes on a plan of a humanoid, by the thesis's searches and by the
// certified ones: its Tables 6.1 to 6.3 and the curves of its Figures 6.5 and 6.10. As there, the
// motion has eight stretches of time, and one call is one pair on one stretch.

#include <ctime>

#include <optional>
#include <string>
#include <vector>

#include "allclear/distance/fitting.h"
#include "allclear/distance/minimum/reference/reference.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/planner/certificate/motion.h"
#include "bench/support/bench_report.h"
#include "bench/support/mcd_table.h"
#include "bench/support/plots.h"

namespace allclear::bench {

constexpr int kStretchesOfMotion = 8;
constexpr double kCallTolerance = 1e-3;  ///< [m], as the thesis's 1e-3
constexpr double kPoseTolerance = 2e-6;  ///< [m] of the links' polynomials
constexpr int kMostOfACall = 100000000;  ///< distances: searches end by their tolerance

/// [s] of this thread alone, whatever else runs on the machine.
inline double cpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The pairs of a plan on stretches of its time, as capsules (one for each link) or as meshes.
class PlanCalls {
 public:
  PlanCalls(const Problem& problem, const Trajectory& trajectory, bool capsules)
      : problem_(problem),
        geometry_(certifiedGeometry(problem)),
        motion_(problem, geometry_, trajectory, kPoseTolerance) {
    for (const CertifiedBody& body : geometry_.bodies) {
      shapes_.push_back(body.geometry);
      if (capsules) shapes_.back() = {fitCapsule(body.geometry)};
    }
    for (const CertifiedPair& pair : geometry_.pairs) {
      if (!pair.fixed) pairs_.emplace_back(pair.a, pair.b);
    }
  }

  int calls() const { return static_cast<int>(pairs_.size()) * kStretchesOfMotion; }
  std::pair<int, int> pairOf(int call) const { return pairs_[call / kStretchesOfMotion]; }

  /// The least of a pair on a stretch; without an algorithm by the certified search.
  DistanceBracket minimum(std::pair<int, int> pair, int stretch,
                          std::optional<ReferenceAlgorithm> algorithm) const {
    McdOptions options;
    options.tolerance = kCallTolerance;
    options.max_evaluations = kMostOfACall;
    DistanceBracket least;
    least.lower = least.upper = HUGE_VAL;
    std::vector<BodyCurve> still_a, still_b;
    const auto curves_a = curvesOf(pair.first, stretch, &still_a);
    const auto curves_b = curvesOf(pair.second, stretch, &still_b);
    for (const Geometry& a : shapes_[pair.first]) {
      for (const Geometry& b : shapes_[pair.second]) {
        const MovingShape A{&a.shape, a.X_BG, curves_a}, B{&b.shape, b.X_BG, curves_b};
        const DistanceBracket found = algorithm ? referenceMinimum(*algorithm, A, B, options)
                                                : minimumDistance(A, B, options);
        least.lower = std::min(least.lower, found.lower);
        least.upper = std::min(least.upper, found.upper);
      }
    }
    return least;
  }

  /// The distance of a pair at t, for the same shapes.
  double distance(std::pair<int, int> pair, double t) {
    const auto poseOf = [&](int i) {
      const CertifiedBody& body = geometry_.bodies[i];
      return body.link >= 0 ? motion_.linkPoses(t)[body.link]
                            : problem_.obstacles[body.obstacle].pose(t);
    };
    double least = HUGE_VAL;
    for (const Geometry& a : shapes_[pair.first]) {
      for (const Geometry& b : shapes_[pair.second]) {
        const Pose X_WA = poseOf(pair.first) * a.X_BG, X_WB = poseOf(pair.second) * b.X_BG;
        least = std::min(least, signedDistance(a.shape, X_WA, b.shape, X_WB).distance);
      }
    }
    return least;
  }

  /// The distance of two bodies over time, and what is proven of each stretch.
  DistancePlot plot(const std::string& a, const std::string& b, const std::string& name,
                    const std::string& title) {
    constexpr int kSamples = 400;
    DistancePlot out{name, title, {}, {}, {}};
    const std::pair<int, int> pair{indexOf(a), indexOf(b)};
    const double end = motion_.trajectoryEnd();
    for (int i = 0; i <= kSamples; ++i) {
      out.times.push_back(end * i / kSamples);
      out.distances.push_back(distance(pair, out.times.back()));
    }
    for (int s = 0; s < kStretchesOfMotion; ++s) {
      out.minima.push_back({end * s / kStretchesOfMotion, end * (s + 1) / kStretchesOfMotion,
                            minimum(pair, s, std::nullopt).lower});
    }
    return out;
  }

 private:
  int indexOf(const std::string& name) const {
    for (std::size_t i = 0; i < geometry_.bodies.size(); ++i) {
      if (geometry_.bodies[i].name == name) return static_cast<int>(i);
    }
    throw InputError("no body '" + name + "'");
  }

  /// The cells of time whose middle lies in a stretch; they begin and end at rows of the plan.
  std::pair<int, int> cellsOf(int stretch) const {
    const double length = motion_.trajectoryEnd() / kStretchesOfMotion;
    int first = -1, count = 0;
    for (std::size_t i = 0; i < motion_.cells().size(); ++i) {
      const Interval& cell = motion_.cells()[i];
      const double middle = 0.5 * (cell.lower + cell.upper);
      if (middle < stretch * length || middle > (stretch + 1) * length) continue;
      if (first < 0) first = static_cast<int>(i);
      ++count;
    }
    return {first, count};
  }

  std::span<const BodyCurve> curvesOf(int body, int stretch, std::vector<BodyCurve>* still) const {
    const auto [first, count] = cellsOf(stretch);
    const CertifiedBody& b = geometry_.bodies[body];
    if (b.link >= 0) return std::span(motion_.linkCurve(b.link)).subspan(first, count);
    const Interval time{motion_.cells()[first].lower, motion_.cells()[first + count - 1].upper};
    still->push_back(BodyCurve::still(problem_.obstacles[b.obstacle].pose(0.0), time));
    return *still;
  }

  const Problem& problem_;
  CertifiedGeometry geometry_;
  CertifiedMotion motion_;
  std::vector<std::vector<Geometry>> shapes_;  ///< by body
  std::vector<std::pair<int, int>> pairs_;
};

/// Times of every `stride`-th call by one algorithm [ms of CPU], each the lesser of two runs.
inline std::vector<double> timedCalls(const PlanCalls& calls,
                                      std::optional<ReferenceAlgorithm> algorithm, int stride) {
  std::vector<double> out;
  for (int i = 0; i < calls.calls(); i += stride) {
    double least = HUGE_VAL;
    for (int round = 0; round < 2; ++round) {
      const double start = cpuSeconds();
      keep(calls.minimum(calls.pairOf(i), i % kStretchesOfMotion, algorithm));
      least = std::min(least, 1e3 * (cpuSeconds() - start));
      if (least > 100.0) break;  // long enough for the clock
    }
    out.push_back(least);
  }
  return out;
}

}  // namespace allclear::bench
