// The minimum over time of the distance of two capsules: all algorithms on the same pair-spans of a
// seven-joint arm, against the truth by dense sampling with polishing.

#include <CLI/CLI.hpp>
#include <cmath>

#include "allclear/distance/minimum/capsule/segments_kernel.h"
#include "allclear/distance/minimum/convex/convex.h"
#include "allclear/distance/minimum/reference/reference.h"
#include "bench/mcd_arm.h"
#include "bench/support/bench_report.h"
#include "bench/support/mcd_table.h"
#include "bench/support/plots.h"

namespace allclear::bench {
namespace {

constexpr int kObstacles = 12;
constexpr int kTrajectories = 20;
constexpr int kSpans = 4;

struct Query {
  int trajectory, span;
  int a;      ///< capsule of the arm
  int b;      ///< capsule of the arm, or -1
  int still;  ///< obstacle, or -1
  double truth = 0.0;
};

double axisDistance(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  const Vec3 u = a1 - a0, v = b1 - b0, r = b0 - a0;
  return std::sqrt(
      mcd::closestOfSegments(u.x(), u.y(), u.z(), v.x(), v.y(), v.z(), r.x(), r.y(), r.z())
          .squared);
}

class Workload {
 public:
  Workload() : arm_(makeArm()), builder_(arm_), workspace_(builder_), engine_(2) {
    axes_ = axesOf(arm_, builder_.links());
    obstacles_ = randomObstacles(engine_, kObstacles);
    for (const CapsuleAxis& axis : obstacles_) still_.push_back(stillCurves(axis));
    for (int i = 0; i < kTrajectories; ++i) {
      trajectories_.push_back(randomTrajectory(engine_, kSpans, 0.4, 0.5));
    }
    poses_.resize(arm_.links().size());
    for (int t = 0; t < kTrajectories; ++t) {
      for (int s = 0; s < kSpans; ++s) addSpan(t, s);
    }
  }

  const std::vector<Query>& queries() const { return queries_; }
  int spans() const { return kTrajectories * kSpans; }
  Interval spanTime(const Query& q) const { return trajectories_[q.trajectory].spanTime(q.span); }

  /// Curves of all capsules over a span, as the pairs of the span share them.
  void build(int trajectory, int span, double tolerance) {
    builder_.build(trajectories_[trajectory].span(span), tolerance, workspace_, &links_);
    curves_.resize(axes_.size());
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      curves_[i].resize(links_.cells.size());
      capsuleCurves(links_.of(static_cast<int>(i)), axes_[i], curves_[i]);
    }
  }
  int cells() const { return links_.cellCount(); }
  std::span<const CapsuleCurve> curvesA(const Query& q) const { return curves_[q.a]; }
  std::span<const CapsuleCurve> curvesB(const Query& q) const {
    return q.b >= 0 ? curves_[q.b] : still_[q.still];
  }
  double radii(const Query& q) const {
    return axes_[q.a].radius + (q.b >= 0 ? axes_[q.b] : obstacles_[q.still]).radius;
  }
  double leverTravel(const Query& q) const {
    double travel = 0.0;
    const auto a = curvesA(q), b = curvesB(q);
    for (std::size_t i = 0; i < a.size(); ++i) {
      travel += (a[i].lever_speed + b[b.size() > 1 ? i : 0].lever_speed) * a[i].time.length();
    }
    return travel;
  }

  /// End points of all capsules at time t by forward kinematics.
  void forward(int trajectory, double t, std::vector<Vec3>* ends) {
    builder_.kinematics().linkPoses(trajectories_[trajectory].value(t), workspace_.kinematics,
                                    poses_);
    ends->resize(2 * axes_.size());
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const Pose& X = poses_[builder_.links()[i]];
      (*ends)[2 * i] = X * axes_[i].p0;
      (*ends)[2 * i + 1] = X * axes_[i].p1;
    }
  }
  double distance(const Query& q, const std::vector<Vec3>& ends) const {
    const Vec3& b0 = q.b >= 0 ? ends[2 * q.b] : obstacles_[q.still].p0;
    const Vec3& b1 = q.b >= 0 ? ends[2 * q.b + 1] : obstacles_[q.still].p1;
    return axisDistance(ends[2 * q.a], ends[2 * q.a + 1], b0, b1) - radii(q);
  }

 private:
  void addSpan(int t, int s) {
    for (int a = 0; a < kJoints; ++a) {
      for (int o = 0; o < kObstacles; ++o) queries_.push_back({t, s, a, -1, o});
    }
    for (auto [a, b] : selfPairs()) queries_.push_back({t, s, a, b, -1});
  }

  RobotModel arm_;
  LinkCurveBuilder builder_;
  LinkCurveBuilder::Workspace workspace_;
  std::mt19937_64 engine_;
  std::vector<CapsuleAxis> axes_, obstacles_;
  std::vector<std::vector<CapsuleCurve>> still_, curves_;
  std::vector<BSpline> trajectories_;
  std::vector<Query> queries_;
  std::vector<Pose> poses_;
  LinkCurves links_;
};

/// Dense sampling of the true motion; the neighbourhood of every low local minimum polished.
void findTruth(Workload& work, std::vector<Query>& queries) {
  constexpr int kSamples = 400;
  std::vector<std::vector<Vec3>> ends(kSamples + 1);
  std::vector<Vec3> moment;
  std::vector<double> d(kSamples + 1);
  const Query* built = nullptr;
  for (Query& q : queries) {
    const Interval time = work.spanTime(q);
    const auto at = [&](int i) { return time.lower + time.length() * i / kSamples; };
    if (built == nullptr || built->trajectory != q.trajectory || built->span != q.span) {
      for (int i = 0; i <= kSamples; ++i) work.forward(q.trajectory, at(i), &ends[i]);
      built = &q;
    }
    q.truth = HUGE_VAL;
    for (int i = 0; i <= kSamples; ++i) {
      d[i] = work.distance(q, ends[i]);
      q.truth = std::min(q.truth, d[i]);
    }
    const double least = q.truth;
    for (int i = 0; i <= kSamples; ++i) {
      const double left = i > 0 ? d[i - 1] : HUGE_VAL, right = i < kSamples ? d[i + 1] : HUGE_VAL;
      if (d[i] > left || d[i] > right || d[i] > least + 1e-2) continue;
      double low = at(std::max(i - 1, 0)), high = at(std::min(i + 1, kSamples));
      for (int k = 0; k < 40; ++k) {
        const double t1 = low + (high - low) * 0.382, t2 = high - (high - low) * 0.382;
        work.forward(q.trajectory, t1, &moment);
        const double f1 = work.distance(q, moment);
        work.forward(q.trajectory, t2, &moment);
        const double f2 = work.distance(q, moment);
        q.truth = std::min({q.truth, f1, f2});
        (f1 < f2 ? high : low) = f1 < f2 ? t2 : t1;
      }
    }
  }
}

struct Row {
  std::vector<double> microseconds;
  double evaluations = 0.0, certificates = 0.0, worst = 0.0;
  int wrong = 0, violated = 0, undecided = 0;
};

class Bench {
 public:
  explicit Bench(Report* report) : report_(report), queries_(work_.queries()) {
    findTruth(work_, queries_);
  }

  void run(double tolerance, const std::string& name) {
    const int stride = tolerance < 1e-5 ? 40 : tolerance < 5e-4 ? 8 : 1;  // slow rivals' spans
    const double curves = timeCurves(tolerance);
    std::printf(
        "\ntolerance %g m, %zu pair-spans, %.2f cells per span; curves %.3f us per pair-span, "
        "included below except for sampling\n",
        tolerance, queries_.size(), cells_, curves);
    std::printf("%-22s %9s %9s %9s %9s %7s %6s %9s %8s %9s\n", "algorithm", "mean us", "median",
                "p99", "distances", "certif.", "wrong", "worst m", "violated", "vs cert.");
    const Row certified = runAlgorithm(std::nullopt, tolerance, 1);
    const double base = print("certified", name, certified, curves, 0.0);
    bars_.title = "Minimum over time of one pair and span, tolerance " + name + " m";
    bars_.bars = {{"certified", {base}}};
    using enum ReferenceAlgorithm;
    for (const auto algorithm : {kGolden, kHybrid, kAdvancement, kAdvancementIsotropic}) {
      const bool quick = algorithm == kGolden || algorithm == kHybrid;
      const Row row = runAlgorithm(algorithm, tolerance, quick ? 1 : stride);
      const double mean = print(referenceAlgorithmName(algorithm), name, row, curves, base);
      bars_.bars.push_back({referenceAlgorithmName(algorithm), {mean}});
    }
    print("sampling", name, runSampling(tolerance, tolerance), 0.0, base);
    print("sampling-short-cells", name, runSampling(tolerance, 1e-8), 0.0, base);
  }

  /// Of the pairs that stay apart on the first trajectory, the one that comes nearest.
  std::size_t closestPair(std::size_t per_span) const {
    std::size_t closest = 0;
    double least = HUGE_VAL;
    for (std::size_t pair = 0; pair < per_span; ++pair) {
      double distance = HUGE_VAL;
      for (int s = 0; s < kSpans; ++s) {
        distance = std::min(distance, queries_[s * per_span + pair].truth);
      }
      if (distance <= 0.0 || distance >= least) continue;
      least = distance;
      closest = pair;
    }
    return closest;
  }

  /// Its distance over time with the certified minimum of each span; and the algorithms' times at
  /// the last tolerance run.
  void plot() {
    const std::size_t per_span = queries_.size() / work_.spans();
    const std::size_t pair = closestPair(per_span);
    DistancePlot plot;
    plot.name = "mcd_capsule_distance";
    plot.title = "Distance of the closest pair (red) and its certified minimum per span (green)";
    std::vector<Vec3> ends;
    for (int s = 0; s < kSpans; ++s) {
      const Query& q = queries_[s * per_span + pair];
      work_.build(0, s, kCurveShare * 1e-3);
      const Interval time = work_.spanTime(q);
      CapsuleQuery query;
      query.tolerance = 1e-3;
      plot.minima.push_back({time.lower, time.upper,
                             capsuleMinimum(work_.curvesA(q), work_.curvesB(q), query).lower});
      for (int i = s > 0; i <= 100; ++i) {
        plot.times.push_back(time.lower + time.length() * i / 100);
        work_.forward(0, plot.times.back(), &ends);
        plot.distances.push_back(work_.distance(q, ends));
      }
    }
    report_->plot(plotOf(plot));
    bars_.name = "mcd_capsule_times";
    bars_.unit = "us";
    bars_.names = {"mean time, curves included"};
    report_->plot(plotOf(bars_));
  }

 private:
  double timeCurves(double tolerance) {
    double best = HUGE_VAL;
    for (int repeat = 0; repeat < 5; ++repeat) {
      cells_ = 0.0;
      double sum = 0.0;
      for (int t = 0; t < kTrajectories; ++t) {
        for (int s = 0; s < kSpans; ++s) {
          const double start = secondsNow();
          work_.build(t, s, kCurveShare * tolerance);
          sum += secondsNow() - start;
          cells_ += static_cast<double>(work_.cells()) / work_.spans();
        }
      }
      best = std::min(best, sum);
    }
    return 1e6 * best / static_cast<double>(queries_.size());
  }

  template <class Run>
  void forSpans(double tolerance, int stride, const Run& run) {
    const std::size_t per_span = queries_.size() / work_.spans();
    for (int i = 0; i < work_.spans(); i += stride) {
      work_.build(i / kSpans, i % kSpans, kCurveShare * tolerance);
      run(std::span<Query>(queries_).subspan(i * per_span, per_span));
    }
  }

  /// Without an algorithm: the certified search.
  Row runAlgorithm(std::optional<ReferenceAlgorithm> algorithm, double tolerance, int stride) {
    Row row;
    McdOptions options;
    options.tolerance = tolerance;
    options.max_evaluations = 1 << 20;
    CapsuleQuery query;
    query.tolerance = tolerance;
    forSpans(tolerance, stride, [&](std::span<Query> queries) {
      for (const Query& q : queries) {
        const auto a = work_.curvesA(q), b = work_.curvesB(q);
        double best = HUGE_VAL, lower = 0.0, upper = 0.0;
        for (int repeat = 0; repeat < (stride > 1 ? 1 : 3); ++repeat) {
          const double start = secondsNow();
          if (!algorithm) {
            const CapsuleBracket bracket = capsuleMinimum(a, b, query);
            best = std::min(best, secondsNow() - start);
            lower = bracket.lower;
            upper = bracket.upper;
            count(&row, repeat, bracket.distance_evaluations, bracket.bound_evaluations,
                  bracket.status);
          } else {
            const DistanceBracket bracket = referenceMinimum(*algorithm, a, b, options);
            best = std::min(best, secondsNow() - start);
            lower = bracket.lower;
            upper = bracket.upper;
            count(&row, repeat, bracket.distance_evaluations, bracket.bound_evaluations,
                  bracket.status);
          }
        }
        row.microseconds.push_back(1e6 * std::max(0.0, best - overhead_));
        judge(q, tolerance, lower, upper, !algorithm || isSound(*algorithm), &row);
      }
    });
    return row;
  }

  static void count(Row* row, int repeat, int evaluations, int certificates, McdStatus status) {
    if (repeat > 0) return;
    row->evaluations += evaluations;
    row->certificates += certificates;
    row->undecided += status == McdStatus::kUndecided;
  }

  static void judge(const Query& q, double tolerance, double lower, double upper, bool sound,
                    Row* row) {
    constexpr double kRounding = 1e-12;
    const double above = upper - q.truth;
    row->worst = std::max(row->worst, above);
    row->wrong += above > tolerance * (1.0 + 1e-9) + kRounding;
    // The truth is approached from above: a sound lower bound cannot exceed it.
    if (sound) row->violated += lower > q.truth + kRounding;
    row->violated += upper < q.truth - 1e-7;
  }

  /// Sampling by forward kinematics at the error bound (6.3), n = travel / tolerance, the poses of
  /// a span shared by its pairs. Where that takes long, only a few spans.
  /// Its samples follow from the curves' bounds of speed, which are best on short cells.
  Row runSampling(double tolerance, double curve_tolerance) {
    Row row;
    const int stride = tolerance < 1e-5 ? 80 : tolerance < 5e-4 ? 16 : 2;
    std::vector<std::vector<Vec3>> ends;
    forSpans(curve_tolerance, stride, [&](std::span<Query> queries) {
      double most = 1.0;
      for (const Query& q : queries) most = std::max(most, work_.leverTravel(q) / tolerance);
      const int samples = static_cast<int>(std::ceil(most));
      ends.resize(samples + 1);
      const Interval time = work_.spanTime(queries[0]);
      const int repeats = tolerance < 5e-4 ? 1 : 3;
      double forward = HUGE_VAL;
      for (int repeat = 0; repeat < repeats; ++repeat) {
        const double start = secondsNow();
        for (int i = 0; i <= samples; ++i) {
          work_.forward(queries[0].trajectory, time.lower + time.length() * i / samples, &ends[i]);
        }
        forward = std::min(forward, secondsNow() - start);
      }
      const double shared = 1e6 * forward / static_cast<double>(queries.size());
      for (const Query& q : queries) {
        const double needed = std::max(1.0, std::ceil(work_.leverTravel(q) / tolerance));
        const int step = std::max(1, static_cast<int>(samples / needed));
        double best = HUGE_VAL, least = HUGE_VAL;
        for (int repeat = 0; repeat < repeats; ++repeat) {
          const double begin = secondsNow();
          least = work_.distance(q, ends[samples]);
          for (int i = 0; i < samples; i += step) {
            least = std::min(least, work_.distance(q, ends[i]));
          }
          best = std::min(best, secondsNow() - begin);
        }
        row.evaluations += 1 + (samples + step - 1) / step;
        row.microseconds.push_back(shared + 1e6 * (best - overhead_));
        judge(q, tolerance, least - tolerance, least, true, &row);
      }
    });
    return row;
  }

  double print(const std::string& label, const std::string& name, const Row& row, double curves,
               double base) {
    const Statistics s = statisticsOf(row.microseconds);
    const double mean = s.mean + curves;
    const auto n = static_cast<double>(row.microseconds.size());
    std::printf("%-22s %9.3f %9.3f %9.3f %9.2f %7.2f %5.2f%% %9.2g %8d", label.c_str(), mean,
                s.median + curves, s.p99 + curves, row.evaluations / n, row.certificates / n,
                100.0 * row.wrong / n, row.worst, row.violated);
    if (base > 0.0) std::printf(" %8.1fx", mean / base);
    std::printf("%s\n", row.microseconds.size() < queries_.size() ? "  (part of the spans)" : "");
    const std::string key = "mcd_capsule." + name + "." + label + ".";
    report_->figure(key + "mean_us", mean);
    report_->figure(key + "median_us", s.median + curves);
    report_->figure(key + "p99_us", s.p99 + curves);
    report_->figure(key + "distances", row.evaluations / n);
    report_->figure(key + "certificates", row.certificates / n);
    report_->figure(key + "wrong_percent", 100.0 * row.wrong / n);
    report_->figure(key + "violated", row.violated);
    if (base > 0.0) report_->figure(key + "times_certified", mean / base);
    return mean;
  }

  Report* report_;
  Workload work_;
  std::vector<Query> queries_;
  double cells_ = 0.0;
  TimeBars bars_;
  double overhead_ = clockOverhead();
};

}  // namespace
}  // namespace allclear::bench

int main(int argc, char** argv) {
  CLI::App app("Minimum over time of the distance of two capsules");
  std::string json;
  app.add_option("--json", json, "write the figures and the series of plots to this file");
  CLI11_PARSE(app, argc, argv);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  allclear::bench::Report report(json);
  allclear::bench::Bench bench(&report);
  bench.run(1e-3, "1e-3");
  if (report.isWritten()) bench.plot();
  bench.run(1e-4, "1e-4");
  bench.run(1e-6, "1e-6");
  return 0;
}
