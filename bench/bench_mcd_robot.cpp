// A whole robot: the arm on 20 random trajectories among 12 obstacles plus its own pairs, all
// spans, each pair-span decided against a clearance of 0.1 m, curves of the links included.

#include <CLI/CLI.hpp>

#include "bench/mcd_arm.h"
#include "bench/support/bench_report.h"
#include "bench/support/mcd_table.h"
#include "bench/support/plots.h"

namespace allclear::bench {
namespace {

constexpr int kObstacles = 12;
constexpr int kTrajectories = 20;
constexpr int kSpans = 4;
constexpr double kClearance = 0.1;
constexpr double kTolerance = 1e-3;

struct Counts {
  int pair_spans = 0, above = 0, below = 0, undecided = 0, by_balls = 0, cells = 0;
  double least = HUGE_VAL;  // checks that the work is not optimised away
};

class Robot {
 public:
  Robot() : arm_(makeArm()), builder_(arm_), workspace_(builder_), self_(selfPairs()) {
    std::mt19937_64 engine(5);
    axes_ = axesOf(arm_, builder_.links());
    for (const CapsuleAxis& axis : randomObstacles(engine, kObstacles)) {
      still_.push_back(stillCurves(axis));
    }
    for (int i = 0; i < kTrajectories; ++i) {
      const BSpline trajectory = randomTrajectory(engine, kSpans, 0.4, 0.5);
      spans_.emplace_back();
      for (int s = 0; s < kSpans; ++s) spans_.back().push_back(trajectory.span(s));
    }
    curves_.resize(axes_.size());
  }

  void check(int trajectory, bool decide_only, double* curve_seconds, Counts* counts) {
    CapsuleQuery query;
    query.tolerance = kTolerance;
    query.threshold = kClearance;
    query.decide_only = decide_only;
    const auto decide = [&](const std::vector<CapsuleCurve>& a,
                            const std::vector<CapsuleCurve>& b) {
      const CapsuleBracket bracket = capsuleMinimum(a, b, query);
      ++counts->pair_spans;
      counts->above += bracket.status == McdStatus::kCertifiedAbove;
      counts->below += bracket.status == McdStatus::kBelow;
      counts->undecided += bracket.status == McdStatus::kUndecided;
      counts->by_balls += bracket.cell < 0;
      counts->least = std::min(counts->least, bracket.upper);
    };
    for (const BernsteinSpan& span : spans_[trajectory]) {
      const double start = secondsNow();
      builder_.build(span, kCurveShare * kTolerance, workspace_, &links_);
      counts->cells += links_.cellCount();
      for (std::size_t i = 0; i < axes_.size(); ++i) {
        curves_[i].resize(links_.cells.size());
        capsuleCurves(links_.of(static_cast<int>(i)), axes_[i], curves_[i]);
      }
      *curve_seconds += secondsNow() - start;
      for (const auto& link : curves_) {
        for (const auto& obstacle : still_) decide(link, obstacle);
      }
      for (const auto& [a, b] : self_) decide(curves_[a], curves_[b]);
    }
  }

 private:
  RobotModel arm_;
  LinkCurveBuilder builder_;
  LinkCurveBuilder::Workspace workspace_;
  std::vector<std::pair<int, int>> self_;
  std::vector<CapsuleAxis> axes_;
  std::vector<std::vector<CapsuleCurve>> still_, curves_;
  std::vector<std::vector<BernsteinSpan>> spans_;
  LinkCurves links_;
};

/// Adds one pair of bars: the time of the curves, and of the whole.
void measure(Robot& robot, bool decide_only, Report* report, TimeBars* bars) {
  std::vector<double> total(kTrajectories, HUGE_VAL), curves(kTrajectories, HUGE_VAL);
  Counts counts;
  for (int repeat = 0; repeat < 20; ++repeat) {
    counts = Counts();
    for (int i = 0; i < kTrajectories; ++i) {
      double curve_seconds = 0.0;
      const double start = secondsNow();
      robot.check(i, decide_only, &curve_seconds, &counts);
      total[i] = std::min(total[i], 1e3 * (secondsNow() - start));
      curves[i] = std::min(curves[i], 1e3 * curve_seconds);
    }
  }
  const Statistics all = statisticsOf(total), built = statisticsOf(curves);
  const double n = counts.pair_spans;
  std::printf(
      "%-12s mean %.4f ms per trajectory (worst %.4f), of which curves %.4f; %d pair-spans each, "
      "%.1f cells per span\n"
      "             above %.1f %% (balls alone %.1f %%), below %.1f %%, undecided %d; least %.4f "
      "m\n",
      decide_only ? "decide only" : "with minima", all.mean, all.p99, built.mean,
      counts.pair_spans / kTrajectories, counts.cells / static_cast<double>(kTrajectories * kSpans),
      100.0 * counts.above / n, 100.0 * counts.by_balls / n, 100.0 * counts.below / n,
      counts.undecided, counts.least);
  bars->bars.push_back({decide_only ? "decide only" : "with minima", {built.mean, all.mean}});
  const std::string key = decide_only ? "mcd_robot.decide." : "mcd_robot.minima.";
  report->figure(key + "mean_ms", all.mean);
  report->figure(key + "worst_ms", all.p99);
  report->figure(key + "curves_ms", built.mean);
  report->figure(key + "pair_spans", counts.pair_spans / static_cast<double>(kTrajectories));
}

}  // namespace
}  // namespace allclear::bench

int main(int argc, char** argv) {
  CLI::App app("A whole robot against a clearance of 0.1 m");
  std::string json;
  app.add_option("--json", json, "write the figures and the series of plots to this file");
  CLI11_PARSE(app, argc, argv);
  allclear::bench::Report report(json);
  allclear::bench::Robot robot;
  allclear::bench::TimeBars bars{"mcd_robot_times",
                                 "A whole robot, per trajectory",
                                 "ms",
                                 {"curves of the links", "with all pairs"},
                                 {}};
  for (const bool decide_only : {true, false}) {
    allclear::bench::measure(robot, decide_only, &report, &bars);
  }
  report.plot(allclear::bench::plotOf(bars));
  return 0;
}
