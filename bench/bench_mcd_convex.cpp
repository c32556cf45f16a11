// The minimum over time of the distance of other convex pairs: links of a seven-joint arm with
// boxes, cylinders, capsules and ellipsoids against still obstacles, certified, against dense
// sampling.

#include <CLI/CLI.hpp>

#include "allclear/distance/minimum/convex/convex.h"
#include "allclear/distance/signed_distance.h"
#include "bench/mcd_arm.h"
#include "bench/support/bench_report.h"
#include "bench/support/mcd_table.h"
#include "bench/support/plots.h"

namespace allclear::bench {
namespace {

constexpr int kObstacles = 12;
constexpr int kTrajectories = 8;
constexpr int kSpans = 4;
constexpr int kSamples = 200;

enum class Kind { kCapsule, kBox, kCylinder, kEllipsoid };

/// A shape of a kind with the proportions of a capsule.
Shape shapeLike(const CapsuleAxis& axis, Kind kind) {
  const double length = (axis.p1 - axis.p0).norm(), r = axis.radius;
  if (kind == Kind::kBox) return Box(Vec3(2 * r, 1.6 * r, length + r));
  if (kind == Kind::kCylinder) return Cylinder(r, length + r);
  if (kind == Kind::kEllipsoid) return Ellipsoid(Vec3(r, 0.8 * r, 0.5 * length + r));
  return Capsule(r, length);
}

class Bench {
 public:
  Bench() : arm_(makeArm()), builder_(arm_), workspace_(builder_) {
    std::mt19937_64 engine(2);
    obstacles_ = randomObstacles(engine, kObstacles);
    for (int i = 0; i < kTrajectories; ++i) {
      const BSpline trajectory = randomTrajectory(engine, kSpans, 0.4, 0.5);
      for (int s = 0; s < kSpans; ++s) spans_.push_back(trajectory.span(s));
    }
    poses_.resize(arm_.links().size());
  }

  void run(const char* label, Kind link, Kind obstacle, double tolerance, Report* report) {
    setShapes(link, obstacle);
    std::vector<double> times;
    double curves = 0.0, distances = 0.0, certificates = 0.0;
    int wrong = 0, violated = 0, undecided = 0;
    McdOptions options;
    options.tolerance = tolerance;
    for (const BernsteinSpan& span : spans_) {
      curves += buildCurves(span, tolerance);
      std::vector<std::vector<Pose>> poses = samplePoses(span);
      for (std::size_t a = 0; a < links_of_.size(); ++a) {
        for (std::size_t b = 0; b < still_.size(); ++b) {
          double best = HUGE_VAL;
          DistanceBracket bracket;
          for (int repeat = 0; repeat < 3; ++repeat) {
            const double start = secondsNow();
            bracket = minimumDistance(link_curves_[a], still_[b], options);
            best = std::min(best, secondsNow() - start);
          }
          times.push_back(1e6 * (best - overhead_));
          distances += bracket.distance_evaluations;
          certificates += bracket.bound_evaluations;
          undecided += bracket.status == McdStatus::kUndecided;
          const double truth = sampledTruth(a, b, poses);
          violated += bracket.lower > truth + 1e-8;
          wrong += bracket.upper > truth + tolerance * (1 + 1e-9) + 1e-8;
        }
      }
    }
    const auto n = static_cast<double>(times.size());
    const Statistics s = statisticsOf(times);
    const double built = 1e6 * curves / n;
    std::printf("%-20s %9.3f %9.3f %9.3f %9.2f %9.2f %8.3f %6d %9d %9d\n", label, s.mean + built,
                s.median + built, s.p99 + built, distances / n, certificates / n, built, wrong,
                violated, undecided);
    bars_.bars.push_back({label, {built, s.mean + built}});
    const std::string key = std::string("mcd_convex.") + label + ".";
    report->figure(key + "mean_us", s.mean + built);
    report->figure(key + "p99_us", s.p99 + built);
    report->figure(key + "distances", distances / n);
    report->figure(key + "wrong", wrong);
    report->figure(key + "violated", violated);
  }

  nlohmann::json plot() {
    bars_.name = "mcd_convex_times";
    bars_.title = "Minimum over time, certified, per pair and span";
    bars_.unit = "us";
    bars_.names = {"curves of the links", "with the query"};
    return plotOf(bars_);
  }

 private:
  void setShapes(Kind link, Kind obstacle) {
    links_of_.clear();
    still_shapes_.clear();
    still_poses_.clear();
    still_.clear();
    const std::vector<CapsuleAxis> axes = axesOf(arm_, builder_.links());
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const int index = builder_.links()[i];
      const Pose X_BG = arm_.links()[index].collision.front().X_BG;
      links_of_.push_back({shapeLike(axes[i], link), X_BG});
    }
    for (const CapsuleAxis& axis : obstacles_) {
      still_shapes_.push_back(shapeLike(axis, obstacle));
      still_poses_.push_back(capsuleBetween(axis.p0, axis.p1, axis.radius).X_BG);
    }
    for (std::size_t i = 0; i < obstacles_.size(); ++i) {
      const BodyCurve still = BodyCurve::still(still_poses_[i], {0.0, 1.0});
      still_.emplace_back(1);
      convexCurves({&still, 1}, still_shapes_[i], Pose{}, still_.back());
    }
  }

  double buildCurves(const BernsteinSpan& span, double tolerance) {
    const double start = secondsNow();
    builder_.build(span, kCurveShare * tolerance, workspace_, &body_curves_);
    link_curves_.resize(links_of_.size());
    for (std::size_t i = 0; i < links_of_.size(); ++i) {
      link_curves_[i].resize(body_curves_.cells.size());
      convexCurves(body_curves_.of(static_cast<int>(i)), links_of_[i].shape, links_of_[i].X_BG,
                   link_curves_[i]);
    }
    return secondsNow() - start;
  }

  std::vector<std::vector<Pose>> samplePoses(const BernsteinSpan& span) {
    std::vector<std::vector<Pose>> poses(links_of_.size());
    for (int k = 0; k <= kSamples; ++k) {
      const double t = span.time().lower + span.time().length() * k / kSamples;
      builder_.kinematics().linkPoses(span.value(t), workspace_.kinematics, poses_);
      for (std::size_t i = 0; i < links_of_.size(); ++i) {
        poses[i].push_back(poses_[builder_.links()[i]] * links_of_[i].X_BG);
      }
    }
    return poses;
  }

  double sampledTruth(std::size_t a, std::size_t b, const std::vector<std::vector<Pose>>& poses) {
    double least = HUGE_VAL;
    DistanceCache cache;
    for (const Pose& X : poses[a]) {
      least = std::min(
          least, signedDistance(links_of_[a].shape, X, still_shapes_[b], still_poses_[b], &cache)
                     .distance);
    }
    return least;
  }

  RobotModel arm_;
  LinkCurveBuilder builder_;
  LinkCurveBuilder::Workspace workspace_;
  std::vector<CapsuleAxis> obstacles_;
  std::vector<BernsteinSpan> spans_;
  std::vector<Geometry> links_of_;
  std::vector<Shape> still_shapes_;
  std::vector<Pose> still_poses_, poses_;
  std::vector<std::vector<ConvexCurve>> still_, link_curves_;
  LinkCurves body_curves_;
  double overhead_ = clockOverhead();
  TimeBars bars_;
};

}  // namespace
}  // namespace allclear::bench

int main(int argc, char** argv) {
  CLI::App app("Minimum over time of the distance of convex pairs");
  std::string json;
  app.add_option("--json", json, "write the figures and the series of plots to this file");
  CLI11_PARSE(app, argc, argv);
  using allclear::bench::Kind;
  allclear::bench::Report report(json);
  allclear::bench::Bench bench;
  std::printf("certified, tolerance 1e-3 m, per pair-span, curves included\n");
  std::printf("%-20s %9s %9s %9s %9s %9s %8s %6s %9s %9s\n", "link-obstacle", "mean us", "median",
              "p99", "distances", "certif.", "curves", "wrong", "violated", "undecided");
  bench.run("capsule-box", Kind::kCapsule, Kind::kBox, 1e-3, &report);
  bench.run("capsule-cylinder", Kind::kCapsule, Kind::kCylinder, 1e-3, &report);
  bench.run("box-box", Kind::kBox, Kind::kBox, 1e-3, &report);
  bench.run("cylinder-box", Kind::kCylinder, Kind::kBox, 1e-3, &report);
  bench.run("ellipsoid-ellipsoid", Kind::kEllipsoid, Kind::kEllipsoid, 1e-3, &report);
  bench.run("ellipsoids, 1e-6", Kind::kEllipsoid, Kind::kEllipsoid, 1e-6, &report);
  report.plot(bench.plot());
  return 0;
}
