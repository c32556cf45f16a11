// A rigid arm against a mesh that bends: a flag of about 7,000 triangles and 120 keyframes in 2 s,
// and the links of an arm on a trajectory of 2 s, as capsules, hulls and triangle meshes. Times are
// the least CPU time of a few rounds, one thread; curves of the links are not counted.
#include <time.h>

#include <algorithm>
#include <numeric>

#include <CLI/CLI.hpp>

#include "allclear/distance/deforming_mesh.h"
#include "bench/mcd_arm.h"
#include "bench/support/bench_report.h"
#include "distance/deform/sequence_scenes.h"
#include "support/mesh_samples.h"

namespace allclear::bench {
namespace {

constexpr int kCells = 59;    // a side: 6,962 triangles
constexpr int kFrames = 120;  // in 2 s
constexpr double kDuration = 2.0;
constexpr int kSpans = 4;
constexpr int kRounds = 7;

/// A flag of 1 x 1 m in the plane x = 0, in waves of 10 cm that run along y.
DeformingMesh flag(int cells, int frames) {
  std::vector<std::vector<Vec3>> keyframes;
  std::vector<double> times;
  for (int k = 0; k < frames; ++k) {
    times.push_back(kDuration * k / (frames - 1));
    std::vector<Vec3> frame;
    for (int i = 0; i <= cells; ++i) {
      for (int j = 0; j <= cells; ++j) {
        const double u = static_cast<double>(i) / cells, v = static_cast<double>(j) / cells;
        const double wave = 0.1 * u * std::sin(9.0 * u - 7.0 * times.back() + 1.5 * v);
        frame.emplace_back(wave, u - 0.5, v - 0.5 - 0.1 * u * u);
      }
    }
    keyframes.push_back(std::move(frame));
  }
  return {test::gridTriangles(cells, cells), std::move(keyframes), std::move(times)};
}

enum class Looks { kCapsule, kHull, kMesh };

/// A blob about as large as the link's capsule.
Geometry linkOf(const Geometry& capsule, Looks looks) {
  if (looks == Looks::kCapsule) return capsule;
  const auto& c = std::get<Capsule>(capsule.shape);
  const TriangleMesh ball = test::blobMesh(c.radius(), 10, 12, 0.1);
  std::vector<Vec3> vertices = ball.vertices();
  for (Vec3& p : vertices) p.z() *= (0.5 * c.length() + c.radius()) / c.radius();
  if (looks == Looks::kHull) return {ConvexMesh(vertices), capsule.X_BG};
  return {TriangleMesh(vertices, ball.triangles()), capsule.X_BG};
}

class Scene {
 public:
  explicit Scene(Looks looks) : mesh_(flag(kCells, kFrames)), arm_(makeArm()), builder_(arm_) {
    std::mt19937_64 engine(11);
    const BSpline trajectory = randomTrajectory(engine, kSpans, kDuration / kSpans, 0.15);
    LinkCurveBuilder::Workspace workspace(builder_);
    LinkCurves links;
    curves_.resize(builder_.links().size());
    for (int s = 0; s < kSpans; ++s) {
      builder_.build(trajectory.span(s), 1e-5, workspace, &links);
      for (std::size_t l = 0; l < curves_.size(); ++l) {
        const auto more = links.of(static_cast<int>(l));
        curves_[l].insert(curves_[l].end(), more.begin(), more.end());
      }
    }
    for (const int link : builder_.links()) {
      shapes_.push_back(linkOf(arm_.links()[link].collision.front(), looks));
    }
  }

  DistanceBracket query(std::size_t link, const McdOptions& options) const {
    return minimumDistance({&shapes_[link].shape, shapes_[link].X_BG, curves_[link]}, mesh_, X_WO_,
                           options);
  }
  std::size_t links() const { return shapes_.size(); }
  /// Moves the flag along x until the nearest link is so far.
  void place(double gap) {
    double low = 0.0, high = 4.0;
    for (int i = 0; i < 30; ++i) {
      X_WO_.p = Vec3(0.5 * (low + high), 0.0, 0.5);
      double least = HUGE_VAL;
      for (std::size_t l = 0; l < links(); ++l) {
        McdOptions options;
        options.threshold = 4.0 * gap;
        least = std::min(least, query(l, options).upper);
      }
      (least < gap ? low : high) = 0.5 * (low + high);
    }
  }

 private:
  DeformingMesh mesh_;
  RobotModel arm_;
  LinkCurveBuilder builder_;
  std::vector<std::vector<BodyCurve>> curves_;
  std::vector<Geometry> shapes_;
  Pose X_WO_;
};

/// Of this thread: other work on the machine counts little.
double cpuMilliseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

double bestMilliseconds(const auto& call) {
  double best = HUGE_VAL;
  for (int i = 0; i < kRounds; ++i) {
    const double start = cpuMilliseconds();
    call();
    best = std::min(best, cpuMilliseconds() - start);
  }
  return best;
}

void measure(const char* name, Looks looks, Report* report) {
  Scene scene(looks);
  const std::string key = std::string("sequence.") + name;
  for (const double gap : {0.075, 0.026}) {
    scene.place(gap);
    std::printf("%-8s nearest link at %.0f mm:", name, 1e3 * gap);
    for (const double threshold : {0.005, 0.02}) {
      McdOptions options;
      options.threshold = threshold;
      options.decide_only = true;
      int above = 0;
      const double ms = bestMilliseconds([&] {
        above = 0;
        for (std::size_t l = 0; l < scene.links(); ++l) {
          above += scene.query(l, options).status == McdStatus::kCertifiedAbove;
        }
      });
      std::printf("  decide %.0f mm %.3f ms (%d of %zu above)", 1e3 * threshold, ms, above,
                  scene.links());
      report->figure(key + ".decide_ms", ms);
    }
    McdOptions options;
    options.tolerance = 1e-4;
    std::vector<double> each;
    double widest = 0.0;
    for (std::size_t l = 0; l < scene.links(); ++l) {
      each.push_back(bestMilliseconds([&] {
        const DistanceBracket bracket = scene.query(l, options);
        widest = std::max(widest, bracket.upper - bracket.lower);
      }));
    }
    const double mean =
        std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(each.size());
    std::printf("\n         bracket to 1e-4: mean %.2f ms a link, worst %.2f ms, widest %.1e m\n",
                mean, *std::max_element(each.begin(), each.end()), widest);
    report->figure(key + ".bracket_ms", mean);
  }
}

void measurePreparation(Report* report) {
  const DeformingMesh source = flag(71, 300);  // 10,082 triangles
  std::vector<std::vector<Vec3>> keyframes;
  for (int k = 0; k < source.keyframeCount(); ++k) keyframes.push_back(source.keyframe(k));
  double best = HUGE_VAL;
  std::size_t bytes = 0, kept = 0;
  for (int i = 0; i < 3; ++i) {
    auto copy = keyframes;
    auto triangles = source.triangles();
    const double start = cpuMilliseconds();
    const DeformingMesh mesh(std::move(triangles), std::move(copy), source.times());
    best = std::min(best, cpuMilliseconds() - start);
    bytes = mesh.treeBytes();
    kept = mesh.nodes().size() * static_cast<std::size_t>(mesh.keyframeCount());
  }
  std::printf("preparing %zu triangles x %d keyframes: %.0f ms; %.1f bytes a node and keyframe\n",
              source.triangles().size(), source.keyframeCount(), best,
              static_cast<double>(bytes) / static_cast<double>(kept));
  report->figure("sequence.prepare_ms", best);
}

}  // namespace
}  // namespace allclear::bench

int main(int argc, char** argv) {
  CLI::App app("An arm's links against a mesh that bends");
  std::string json;
  app.add_option("--json", json, "write the figures to this file");
  CLI11_PARSE(app, argc, argv);
  allclear::bench::Report report(json);
  allclear::bench::measurePreparation(&report);
  allclear::bench::measure("capsule", allclear::bench::Looks::kCapsule, &report);
  allclear::bench::measure("hull", allclear::bench::Looks::kHull, &report);
  allclear::bench::measure("mesh", allclear::bench::Looks::kMesh, &report);
  return 0;
}
