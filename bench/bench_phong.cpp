// Smooth distances in the thesis's four scenes (VI.B, Fig. 6.12 to 6.15, Table 6.4): how far the
// direction turns in one step, how often by more than 10 degrees, fallbacks, times; and random deep
// motions of the same models.
//
//   bench_phong [--json F] [--plots FOLDER] [--steps N,N] [--scene NAME] [--deep N]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <random>
#include <sstream>

#include "allclear/distance/dual_phong.h"
#include "allclear/distance/mesh_depth.h"
#include "bench_report.h"
#include "phong_plots.h"
#include "phong_scenes.h"

namespace allclear::bench {
namespace {

using Query = std::function<SmoothDistance(const PhongBody&, const Pose&, const PhongBody&,
                                           const Pose&, SmoothState*)>;

struct Method {
  std::string name;
  Query query;
};

struct EuclideanState {
  MeshDepthCache cache;
};

std::vector<Method> methods() {
  const auto euclid = [](const PhongBody& A, const Pose& X_WA, const PhongBody& B,
                         const Pose& X_WB, SmoothState* state) {
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
  return {{"euclid", euclid}, {"dual_phong", dual}};
}

struct Run {
  std::vector<double> distances, turns, micros;  ///< turns [deg] from the step before
  std::vector<Vec3> normals;
  std::vector<char> fallback;
  int false_free = 0;

  double greatestTurn() const { return *std::max_element(turns.begin(), turns.end()); }
  int over(double degrees) const {
    return static_cast<int>(
        std::count_if(turns.begin(), turns.end(), [&](double t) { return t > degrees; }));
  }
  int fallbacks() const { return static_cast<int>(std::count(fallback.begin(), fallback.end(), 1)); }
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

Run follow(const Method& method, const PhongBody& A, const PhongBody& B,
           const std::function<Pose(double)>& pose_A, int steps) {
  using Clock = std::chrono::steady_clock;
  Run run;
  SmoothState state;
  MeshCache exact;
  const Pose still;
  for (int i = 0; i <= steps; ++i) {
    const Pose X_WA = pose_A(static_cast<double>(i) / steps);
    const auto start = Clock::now();
    const SmoothDistance d = method.query(A, X_WA, B, still, &state);
    run.micros.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
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

}  // namespace
}  // namespace allclear::bench

int main(int argc, char** argv) {
  using namespace allclear;
  using namespace allclear::bench;
  Report report(argc, argv);
  for (const PhongScene& scene : phongScenes()) {
    const PhongBody A{Shape(scene.A)}, B{Shape(scene.B)};
    std::printf("%s: %zu / %zu triangles, refined %zu / %zu, smoothing %.3g / %.3g, size %.3g %.3g\n", scene.name.c_str(),
                scene.A.triangles().size(), scene.B.triangles().size(), A.mesh().triangles.size(),
                B.mesh().triangles.size(), A.smoothing(), B.smoothing(), A.size(), B.size());
    for (const Method& method : methods()) {
      const Run run = follow(method, A, B, scene.pose_A, 600);
      double low = 1e9, high = -1e9;
      for (double d : run.distances) low = std::min(low, d), high = std::max(high, d);
      std::printf("  %-12s max %6.1f deg, over 10: %3d, fallbacks %3d, mean %8.2f us, p99 %8.1f us, d in [%.3f, %.3f] false free %d\n",
                  method.name.c_str(), run.greatestTurn(), run.over(10.0), run.fallbacks(),
                  run.meanTime(), run.timeQuantile(0.99), low, high, run.false_free);
    }
  }
  return 0;
}
