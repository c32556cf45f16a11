// Smooth distances in the thesis's four scenes (VI.B, Fig. 6.12 to 6.15, Table 6.4): how far the
// direction turns in one step, how often by more than 10 degrees, fallbacks, times; and random deep
// motions of the same models.
//
//   bench_phong [--json F] [--steps N,N] [--scene NAME] [--deep N]

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <random>
#include <sstream>

#include "allclear/distance/mesh_depth/depth.h"
#include "allclear/distance/phong/dual.h"
#include "allclear/distance/phong/smooth_distance.h"
#include "allclear/distance/phong/sum.h"
#include "bench/phong_scenes.h"
#include "bench/support/bench_report.h"
#include "bench/support/plots.h"

namespace allclear::bench {
namespace {

using Query = std::function<SmoothDistance(const PhongBody&, const Pose&, const PhongBody&,
                                           const Pose&, SmoothState*)>;

struct Method {
  std::string name;
  Query query;
};

struct EuclideanState : SmoothMemory {
  MeshDepthCache cache;
};

std::vector<Method> methods(const PhongScene& scene) {
  const auto euclid = [](const PhongBody& A, const Pose& X_WA, const PhongBody& B, const Pose& X_WB,
                         SmoothState* state) {
    if (!state->memory) state->memory = std::make_shared<EuclideanState>();
    auto& cache = static_cast<EuclideanState*>(state->memory.get())->cache;
    const SignedDistance d = signedMeshDistance(A.body(), X_WA, B.body(), X_WB, &cache);
    SmoothDistance out;
    out.distance = d.distance;
    out.normal = d.normal;
    out.witness_A = d.witness_A;
    out.witness_B = d.witness_B;
    return out;
  };
  const auto dual = [](const PhongBody& A, const Pose& X_WA, const PhongBody& B, const Pose& X_WB,
                       SmoothState* state) {
    return dualPhongDistance(A, X_WA, B, X_WB, {}, state);
  };
  const auto sum = [](const PhongBody& A, const Pose& X_WA, const PhongBody& B, const Pose& X_WB,
                      SmoothState* state) { return phongDistance(A, X_WA, B, X_WB, {}, state); };
  // The softened distance is of the bodies' convex pieces, its softness by the smaller size: as
  // the planner sets out with, and nearly as it ends.
  const auto A_soft = std::make_shared<SmoothBody>(Shape(scene.A));
  const auto B_soft = std::make_shared<SmoothBody>(Shape(scene.B));
  A_soft->soft();
  B_soft->soft();
  const auto soft = [=](double share) {
    return [=](const PhongBody& A, const Pose& X_WA, const PhongBody& B, const Pose& X_WB,
               SmoothState* state) {
      SmoothOptions options;
      options.method = SmoothMethod::kSoft;
      options.softness = share * std::min(A.size(), B.size());
      return smoothDistance(*A_soft, X_WA, *B_soft, X_WB, options, state);
    };
  };
  return {{"euclid", euclid},
          {"phong", sum},
          {"dual_phong", dual},
          {"soft_5%", soft(0.05)},
          {"soft_1%", soft(0.01)}};
}

struct Run {
  std::vector<double> distances, turns, micros;  ///< turns [deg] from the step before
  std::vector<Vec3> normals;
  std::vector<char> fallback;
  int false_free = 0;
  double first = 0.0;  ///< [us], the query without a state

  double greatestTurn() const { return *std::max_element(turns.begin(), turns.end()); }
  int over(double degrees) const {
    return static_cast<int>(
        std::count_if(turns.begin(), turns.end(), [&](double t) { return t > degrees; }));
  }
  int fallbacks() const {
    return static_cast<int>(std::count(fallback.begin(), fallback.end(), 1));
  }
  double meanTime() const {
    double sum = 0.0;
    for (double t : micros) sum += t;
    return sum / static_cast<double>(micros.size());
  }
  double timeQuantile(double q) const {
    std::vector<double> sorted = micros;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
  }
};

double angleBetween(const Vec3& a, const Vec3& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b)) * 180.0 / std::numbers::pi;
}

/// Of this thread's processor time: what else the machine does counts as little as can be.
double threadMicros() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

Run follow(const Method& method, const PhongBody& A, const PhongBody& B,
           const std::function<Pose(double)>& pose_A, int steps) {
  Run run;
  SmoothState state;
  MeshCache exact;
  const Pose still;
  for (int i = 0; i <= steps; ++i) {
    const Pose X_WA = pose_A(static_cast<double>(i) / steps);
    const double start = threadMicros();
    const SmoothDistance d = method.query(A, X_WA, B, still, &state);
    const double micros = threadMicros() - start;
    if (i == 0) {
      run.first = micros;
    } else {
      run.micros.push_back(micros);
    }
    if (i > 0) run.turns.push_back(angleBetween(run.normals.back(), d.normal));
    run.distances.push_back(d.distance);
    run.normals.push_back(d.normal);
    run.fallback.push_back(d.fallback);
    if (d.distance > 0.0 && meshesOverlap(A.body(), X_WA, B.body(), still, &exact)) {
      ++run.false_free;
    }
  }
  return run;
}

struct Settings {
  std::vector<int> steps{600, 6000};
  std::string scene;
  int deep = 40;
};

Settings settingsOf(int argc, char** argv) {
  Settings out;
  for (int i = 1; i + 1 < argc; ++i) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--scene") out.scene = value;
    if (name == "--deep") out.deep = std::stoi(value);
    if (name == "--steps") {
      out.steps.clear();
      std::istringstream words(value);
      for (std::string word; std::getline(words, word, ',');) out.steps.push_back(std::stoi(word));
    }
  }
  return out;
}

/// Shares of the steps where the method answered itself.
struct Tracked {
  int near = 0, near_all = 0, deep = 0, deep_all = 0;

  void take(const Run& run, double size) {
    for (std::size_t i = 0; i < run.distances.size(); ++i) {
      const bool is_near = std::abs(run.distances[i]) <= 0.1 * size;
      if (!is_near && run.distances[i] > 0.0) continue;
      (is_near ? near_all : deep_all) += 1;
      (is_near ? near : deep) += !run.fallback[i];
    }
  }
  double nearShare() const { return near_all ? 100.0 * near / near_all : 100.0; }
  double deepShare() const { return deep_all ? 100.0 * deep / deep_all : 100.0; }
};

void print(const std::string& key, const std::string& method, const Run& run, double size,
           Report* report) {
  Tracked tracked;
  tracked.take(run, size);
  const std::string at = key + "." + method + ".";
  std::printf("  %-11s %7.2f %6d %6d %9.1f %9.1f %9.1f %7.1f %7.1f %5d\n", method.c_str(),
              report->figure(at + "greatest_turn_deg", run.greatestTurn()),
              static_cast<int>(report->figure(at + "over_10_deg", run.over(10.0))),
              static_cast<int>(report->figure(at + "fallbacks", run.fallbacks())),
              report->figure(at + "mean_us", run.meanTime()),
              report->figure(at + "p99_us", run.timeQuantile(0.99)), run.first,
              report->figure(at + "tracked_near_percent", tracked.nearShare()),
              report->figure(at + "tracked_deep_percent", tracked.deepShare()),
              static_cast<int>(report->figure(at + "false_free", run.false_free)));
}

constexpr const char* kHead =
    "  method      max deg  >10 fallbk   mean us    p99 us  first us  near %  deep %  free but "
    "not\n";

void runScene(const PhongScene& scene, const Settings& settings, Report* report) {
  const PhongBody A{Shape(scene.A)}, B{Shape(scene.B)};
  A.prepare();  // once per body: not a query's time
  B.prepare();
  const std::vector<Method> all = methods(scene);
  for (int steps : settings.steps) {
    std::printf("%s, %d steps (%zu / %zu triangles)\n%s", scene.name.c_str(), steps,
                scene.A.triangles().size(), scene.B.triangles().size(), kHead);
    std::vector<DirectionCurve> curves;
    for (const Method& method : all) {
      const Run run = follow(method, A, B, scene.pose_A, steps);
      print(scene.name + "." + std::to_string(steps), method.name, run,
            std::min(A.size(), B.size()), report);
      char caption[80];
      std::snprintf(caption, sizeof caption, "at most %.1f° a step, %d over 10°",
                    run.greatestTurn(), run.over(10.0));
      curves.push_back({method.name, caption, run.distances, run.normals, run.fallback});
    }
    if (!report->isWritten()) continue;
    const std::string count = std::to_string(steps);
    report->plot(
        directionPlot(scene.name + "_" + count, scene.name + ": " + count + " steps", curves));
  }
}

/// Overlapping all the way, turning about a random axis while drifting.
std::function<Pose(double)> deepMotion(std::mt19937_64* random, double size) {
  std::normal_distribution<double> normal(0.0, 1.0);
  const auto vector = [&] { return Vec3(normal(*random), normal(*random), normal(*random)); };
  const Mat3 R =
      Eigen::Quaterniond(normal(*random), normal(*random), normal(*random), normal(*random))
          .normalized()
          .toRotationMatrix();
  const Vec3 axis = vector().normalized(), p = 0.12 * size * vector(), v = 0.05 * size * vector();
  return [=](double s) { return Pose{rotationAbout(axis, 2.0 * s) * R, p + s * v}; };
}

void runDeep(const Settings& settings, Report* report) {
  constexpr int kSteps = 200;
  std::map<std::string, int> over, steps;
  std::map<std::string, Tracked> tracked;
  for (const PhongScene& scene : phongScenes()) {
    const PhongBody A{Shape(scene.A)}, B{Shape(scene.B)};
    const double size = std::min(A.size(), B.size());
    std::mt19937_64 random(20240611);
    for (int i = 0; i < settings.deep / 4; ++i) {
      const auto motion = deepMotion(&random, size);
      for (const Method& method : methods(scene)) {
        const Run run = follow(method, A, B, motion, kSteps);
        over[method.name] += run.over(10.0);
        steps[method.name] += kSteps;
        tracked[method.name].take(run, size);
      }
    }
  }
  std::printf("random deep motions\n  method      steps   over 10 deg  near %%  deep %%\n");
  for (const auto& [name, count] : over) {
    std::printf(
        "  %-11s %5d %13d %7.1f %7.1f\n", name.c_str(), steps[name],
        static_cast<int>(report->figure("deep." + name + ".over_10_deg", count)),
        report->figure("deep." + name + ".tracked_near_percent", tracked[name].nearShare()),
        report->figure("deep." + name + ".tracked_deep_percent", tracked[name].deepShare()));
  }
}

}  // namespace
}  // namespace allclear::bench

int main(int argc, char** argv) {
  using namespace allclear::bench;
  Report report(argc, argv);
  const Settings settings = settingsOf(argc, argv);
  for (const PhongScene& scene : phongScenes()) {
    if (settings.scene.empty() || settings.scene == scene.name) runScene(scene, settings, &report);
  }
  if (settings.deep > 0 && settings.scene.empty()) runDeep(settings, &report);
  return 0;
}
