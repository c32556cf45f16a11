// Penetration depth of triangle meshes: time cold and warm at several sizes, how often box pairs
// get their exact depth by the general search, how the answers compare with the depth of the
// convex hulls (never above it) and with what is proven, and whether warm answers differ from cold
// ones.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <vector>

#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/mesh_depth/depth.h"
#include "allclear/distance/mesh_depth/search.h"
#include "allclear/distance/signed_distance.h"
#include "bench/support/bench_report.h"

#include "distance/minimum/mcd_motions.h"
#include "support/mesh_samples.h"

namespace allclear::bench {
namespace {

using test::Random;
/// Of this process: what else the machine does counts less than by the clock on the wall.
struct Clock {
  static double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
};

double secondsSince(double start) { return Clock::now() - start; }

struct Series {
  std::vector<double> values;
  void add(double value) { values.push_back(value); }
  double mean() const {
    double sum = 0.0;
    for (double v : values) sum += v;
    return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
  }
  double quantile(double share) {
    if (values.empty()) return 0.0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  }
};

void boxPairs(int cases, Report* report) {
  Random draw(70);
  Series ratio;
  int exact = 0, close = 0;
  for (int i = 0; i < cases;) {
    Vec3 half_A, half_B;
    for (int k = 0; k < 3; ++k) {
      half_A[k] = draw.logUniform(0.02, 0.5);
      half_B[k] = draw.logUniform(0.02, 0.5);
    }
    const Pose X_A{draw.rotation(), Vec3::Zero()};
    const Pose X_B{draw.rotation(),
                   draw.uniform(0.0, half_A.norm() + half_B.norm()) * draw.direction()};
    const double depth = -signedDistance(Box(2.0 * half_A), X_A, Box(2.0 * half_B), X_B).distance;
    if (depth < 1e-6) continue;
    ++i;
    const TriangleMesh a = test::boxMesh(half_A), b = test::boxMesh(half_B);
    const MeshBody &A = *bodyOf(a), &B = *bodyOf(b);
    const mesh::DepthSearchResult found =
        mesh::searchDepth(A, B, mesh::centred(A, X_A, B, X_B), {});
    const double here = found.translation.norm() / depth;
    ratio.add(here);
    exact += here < 1.0 + 1e-6;
    close += here < 1.02;
  }
  const double n = cases;
  std::printf(
      "%d box pairs, general search: exact %.2f %%, within 2 %% %.2f %%, median %.6f, worst "
      "%.4f\n",
      cases, 100.0 * exact / n, 100.0 * close / n, ratio.quantile(0.5), ratio.quantile(1.0));
  report->figure("boxes/exact", exact / n);
  report->figure("boxes/within_2_percent", close / n);
  report->figure("boxes/median_ratio", ratio.quantile(0.5));
  report->figure("boxes/worst_ratio", ratio.quantile(1.0));
}

void meshPair(const char* name, const TriangleMesh& a, const TriangleMesh& b, int cases,
              Report* report) {
  const MeshBody &A = *bodyOf(a), &B = *bodyOf(b);
  Random draw(71);
  Series cold, warm, moved, hull, proven, difference;
  int colliding = 0;
  for (int i = 0; i < cases;) {
    const Pose X_A{draw.rotation(), Vec3::Zero()};
    Pose X_B{draw.rotation(), 0.7 * (A.reach() + B.reach()) * draw.inBox(1.0)};
    if (!meshesOverlap(A, X_A, B, X_B)) continue;
    ++i;
    MeshDepthCache cache;
    SignedDistance found, again;
    double least = HUGE_VAL, least_warm = HUGE_VAL;
    for (int round = 0; round < 5; ++round) {
      cache = {};
      double start = Clock::now();
      found = signedMeshDistance(A, X_A, B, X_B, &cache);
      least = std::min(least, secondsSince(start));
      start = Clock::now();
      again = signedMeshDistance(A, X_A, B, X_B, &cache);
      least_warm = std::min(least_warm, secondsSince(start));
    }
    cold.add(1e3 * least);
    warm.add(1e3 * least_warm);
    const Pose freed{X_B.R, X_B.p - found.distance * found.normal};
    colliding += meshesOverlap(A, X_A, B, freed);
    hull.add(found.distance / signedDistance(A.hull(), X_A, B.hull(), X_B).distance);
    proven.add(1.0 - found.gap / -found.distance);
    // Warm from the answer at a pose nearby, against cold at the same place.
    X_B.p += 1e-3 * (A.reach() + B.reach()) * draw.direction();
    if (!meshesOverlap(A, X_A, B, X_B)) continue;
    const double start = Clock::now();
    const double from_near = signedMeshDistance(A, X_A, B, X_B, &cache).distance;
    moved.add(1e3 * secondsSince(start));
    const double from_nothing = signedMeshDistance(A, X_A, B, X_B).distance;
    difference.add(std::abs(from_near / from_nothing - 1.0));
  }
  std::printf(
      "%-10s %6zu %6zu | cold %8.3f %8.3f  warm %8.3f  moved %8.3f ms | colliding %d | of "
      "hulls' %.3f  proven %.3f | warm-cold %.5f %.5f\n",
      name, a.triangles().size(), b.triangles().size(), cold.mean(), cold.quantile(0.99),
      warm.mean(), moved.mean(), colliding, hull.mean(), proven.mean(), difference.mean(),
      difference.quantile(1.0));
  const std::string key = name;
  report->figure(key + "/cold_mean_ms", cold.mean());
  report->figure(key + "/cold_p99_ms", cold.quantile(0.99));
  report->figure(key + "/warm_mean_ms", warm.mean());
  report->figure(key + "/moved_mean_ms", moved.mean());
  report->figure(key + "/still_colliding", colliding);
  report->figure(key + "/share_of_hull_depth", hull.mean());
  report->figure(key + "/proven_share", proven.mean());
  report->figure(key + "/warm_cold_mean", difference.mean());
  report->figure(key + "/warm_cold_most", difference.quantile(1.0));
}

int run(int argc, char** argv) {
  Report report(argc, argv);
  bool quick = false;
  for (int i = 1; i < argc; ++i) quick = quick || std::string(argv[i]) == "--quick";
  const int cases = quick ? 15 : 60;
  boxPairs(quick ? 500 : 5000, &report);
  std::printf(
      "%-10s %6s %6s | mean and p99 cold, mean warm, warm after a move of 1/1000 of the "
      "size | ...\n",
      "", "A", "B");
  meshPair("300", test::blobMesh(0.15, 9, 16, 0.2), test::blobMesh(0.2, 9, 16, 0.3), cases,
           &report);
  meshPair("1k", test::blobMesh(0.15, 20, 25, 0.2), test::torusMesh(0.2, 0.07, 25, 20), cases,
           &report);
  meshPair("5k", test::blobMesh(0.15, 50, 50, 0.2), test::blobMesh(0.2, 50, 50, 0.3), cases,
           &report);
  meshPair("70k", test::blobMesh(0.15, 175, 200, 0.2), test::blobMesh(0.2, 175, 200, 0.3),
           cases / 3, &report);
  return 0;
}

}  // namespace
}  // namespace allclear::bench

int main(int argc, char** argv) { return allclear::bench::run(argc, argv); }
