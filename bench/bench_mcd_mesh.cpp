// The minimum over time of pairs of triangle meshes: space-time branch and bound (cold, warm,
// thresholded) beside the thesis's subdivision and sampling, on the same engine and on FCL's
// distances, in one run, over the same queries.

#include <cmath>
#include <cstdio>
#include <functional>

#include "bench/mcd_mesh_cases.h"
#include "bench/mcd_mesh_plots.h"
#include "bench/support/bench_report.h"
#include "bench/support/mcd_table.h"

namespace allclear::bench {
namespace {

/// Algorithm 4.1 with (4.8) on FCL; returns the distances asked for.
int fclSubdivision(const Case& c, const Query& q, double tolerance) {
  int calls = 0;
  double best = HUGE_VAL;
  const auto at = [&](double t) {
    ++calls;
    const double d = fclDistance(c, q, t);
    best = std::min(best, d);
    return d;
  };
  const std::function<void(double, double, double, double)> divide = [&](double t0, double t1,
                                                                         double d0, double d1) {
    const double lower = 0.5 * (d0 + d1 - q.lever * (t1 - t0));
    if (best - lower <= tolerance) return;
    const double t = 0.5 * (t0 + t1), d = at(t);
    divide(t0, t, d0, d);
    divide(t, t1, d, d1);
  };
  const double d0 = at(0.0), d1 = at(1.0);
  divide(0.0, 1.0, d0, d1);
  return calls;
}

struct Timing {
  std::vector<double> seconds;
  double nodes = 0.0, triangles = 0.0, calls = 0.0;
};

template <class Call>
Timing timed(const Case& c, int most, int rounds, const Call& call) {
  Timing timing;
  const int n = std::min(most, static_cast<int>(c.queries.size()));
  timing.seconds.assign(n, HUGE_VAL);
  for (int r = 0; r < rounds; ++r) {
    for (int i = 0; i < n; ++i) {
      MeshMcdCounts counts;
      const double start = secondsNow();
      const double calls = call(i, &counts);
      timing.seconds[i] = std::min(timing.seconds[i], secondsNow() - start);
      if (r > 0) continue;
      timing.nodes += static_cast<double>(counts.node_tests) / n;
      timing.triangles += static_cast<double>(counts.triangle_tests) / n;
      timing.calls += calls / n;
    }
  }
  return timing;
}

/// 20 samples timed, as many as the tolerance needs (6.3) charged.
Timing sampledByFcl(const Case& c, double tolerance) {
  const int all = static_cast<int>(c.queries.size());
  const auto samples = [&](int i) { return std::ceil(c.queries[i].lever / tolerance); };
  Timing timing = timed(c, all, 1, [&](int i, MeshMcdCounts*) {
    for (int k = 0; k < 20; ++k) keep(fclDistance(c, c.queries[i], (k + 0.5) / 20));
    return samples(i);
  });
  for (int i = 0; i < all; ++i) timing.seconds[i] *= samples(i) / 20;
  return timing;
}

/// Means of space-time [s], cold, measured in turns so that what else the machine does counts
/// alike.
struct Measured {
  const Case* of;
  double tolerance;
  double mean = 0.0;
};
void measureInTurns(std::vector<Measured>* all) {
  std::vector<std::vector<double>> least(all->size());
  for (int round = 0; round < 9; ++round) {
    for (std::size_t m = 0; m < all->size(); ++m) {
      const Case& c = *(*all)[m].of;
      const Shape shape_A = c.a, shape_B = c.b;
      const BodyCurve still = BodyCurve::still(Pose{}, {0, 1});
      McdOptions options;
      options.tolerance = (*all)[m].tolerance;
      const int queries = static_cast<int>(c.queries.size());
      const Timing timing = timed(c, queries, 2, [&](int i, MeshMcdCounts* counts) {
        return minimumDistance(*bodyOf(c.a), {&shape_A, {}, c.queries[i].curves}, *bodyOf(c.b),
                               {&shape_B, {}, {&still, 1}}, options, nullptr, counts)
            .distance_evaluations;
      });
      least[m].resize(queries, HUGE_VAL);
      for (int i = 0; i < queries; ++i) least[m][i] = std::min(least[m][i], timing.seconds[i]);
    }
  }
  for (std::size_t m = 0; m < all->size(); ++m) (*all)[m].mean = statisticsOf(least[m]).mean;
}

class Bench {
 public:
  explicit Bench(Report* report) : report_(*report) {}

  double row(const std::string& key, const char* label, const Timing& t) {
    const Statistics s = statisticsOf(t.seconds);
    std::printf("  %-28s %9.4f %9.4f %9.4f ms %9.0f %9.0f %8.0f\n", label, 1e3 * s.mean,
                1e3 * s.median, 1e3 * s.p99, t.nodes, t.triangles, t.calls);
    report_.figure(key + "/mean_ms", 1e3 * s.mean);
    report_.figure(key + "/median_ms", 1e3 * s.median);
    report_.figure(key + "/p99_ms", 1e3 * s.p99);
    report_.figure(key + "/nodes", t.nodes);
    report_.figure(key + "/triangles", t.triangles);
    return s.mean;
  }

  /// Returns the mean of space-time, cold.
  double run(const Case& c, double tolerance, bool rivals) {
    char eps[16];
    std::snprintf(eps, sizeof eps, "%.0e", tolerance);
    const std::string key = c.name + "/" + eps;
    std::printf("%s, %zu x %zu triangles, tolerance %s m, %zu queries\n", c.name.c_str(),
                c.a.triangles().size(), c.b.triangles().size(), eps, c.queries.size());
    std::printf("  %-28s %9s %9s %9s    %9s %9s %8s\n", "", "mean", "median", "p99", "nodes",
                "triangles", "calls");
    const Shape shape_A = c.a, shape_B = c.b;
    const MeshBody &A = *bodyOf(c.a), &B = *bodyOf(c.b);
    const BodyCurve still = BodyCurve::still(Pose{}, {0, 1});
    McdOptions options;
    options.tolerance = tolerance;
    std::vector<MeshCache> caches(c.queries.size());
    const auto query = [&](const McdOptions& with, int i, MeshCache* cache, MeshMcdCounts* counts) {
      return minimumDistance(A, {&shape_A, {}, c.queries[i].curves}, B, {&shape_B, {}, {&still, 1}},
                             with, cache, counts);
    };
    const int all = static_cast<int>(c.queries.size());
    const Timing first = timed(c, all, 1, [&](int i, MeshMcdCounts* n) {
      return query(options, i, nullptr, n).distance_evaluations;
    });
    const double first_mean = row(key + "/space_time_first", "space-time, first run", first);
    const double cold =
        row(key + "/space_time", "space-time, cold", timed(c, all, 5, [&](int i, MeshMcdCounts* n) {
              return query(options, i, nullptr, n).distance_evaluations;
            }));
    for (int i = 0; i < all; ++i) query(options, i, &caches[i], nullptr);
    row(key + "/space_time_warm", "space-time, warm",
        timed(c, all, 5, [&](int i, MeshMcdCounts* n) {
          return query(options, i, &caches[i], n).distance_evaluations;
        }));
    McdOptions threshold = options;
    threshold.threshold = 0.01;
    threshold.decide_only = true;
    row(key + "/threshold", "space-time, above 1 cm?",
        timed(c, all, 5, [&](int i, MeshMcdCounts* n) {
          return query(threshold, i, nullptr, n).distance_evaluations;
        }));
    report_.figure(key + "/first_over_hot", first_mean / cold);
    std::printf("  first run / hot %.2f\n", first_mean / cold);
    if (!rivals) return cold;
    const auto ratio = [&](const char* name, double mean, double own) {
      std::printf("  %-28s %.1f x\n", name, mean / own);
      report_.figure(key + "/" + name, mean / own);
    };
    const auto rival = [&](const char* name, const char* label, const auto& call) {
      const Timing t = timed(c, all, 1, call);
      const double mean = row(key + "/" + name, label, t);
      const Timing own = timed(c, all, 3, [&](int i, MeshMcdCounts* n) {
        return query(options, i, nullptr, n).distance_evaluations;
      });
      ratio((std::string(name) + "_ratio").c_str(), mean, statisticsOf(own.seconds).mean);
    };
    McdOptions unlimited = options;
    unlimited.max_evaluations = 100000000;
    const auto reference = [&](ReferenceAlgorithm algorithm, int i, MeshMcdCounts* counts) {
      return referenceMinimum(algorithm, A, {&shape_A, {}, c.queries[i].curves}, B,
                              {&shape_B, {}, {&still, 1}}, unlimited, counts);
    };
    rival("subdivision", "subdivision, same engine", [&](int i, MeshMcdCounts* n) {
      return reference(ReferenceAlgorithm::kSubdivision, i, n).distance_evaluations;
    });
    rival("sampling", "sampling, same engine", [&](int i, MeshMcdCounts* n) {
      return reference(ReferenceAlgorithm::kSampling, i, n).distance_evaluations;
    });
    rival("subdivision_fcl", "subdivision, FCL",
          [&](int i, MeshMcdCounts*) { return fclSubdivision(c, c.queries[i], tolerance); });
    const double mean =
        row(key + "/sampling_fcl", "sampling, FCL (extrapolated)", sampledByFcl(c, tolerance));
    const Timing own = timed(c, all, 3, [&](int i, MeshMcdCounts* n) {
      return query(options, i, nullptr, n).distance_evaluations;
    });
    ratio("sampling_fcl_ratio", mean, statisticsOf(own.seconds).mean);
    return cold;
  }

  /// Space-time and sampling on FCL at 1e-3 by how far the link moves.
  void lengths(const char* name, const TriangleMesh& a, const TriangleMesh& b, int queries) {
    std::printf("%s by the length of the motion, tolerance 1e-03 m\n", name);
    for (const double turn : {0.25, 0.5, 1.0, 2.0}) {
      const Case c = makeCase(name, a, b, queries, 7, turn);
      const Shape shape_A = c.a, shape_B = c.b;
      const BodyCurve still = BodyCurve::still(Pose{}, {0, 1});
      double lever = 0.0;
      for (const Query& q : c.queries) lever += q.lever / static_cast<double>(c.queries.size());
      const Timing own = timed(c, queries, 5, [&](int i, MeshMcdCounts* n) {
        return minimumDistance(*bodyOf(c.a), {&shape_A, {}, c.queries[i].curves}, *bodyOf(c.b),
                               {&shape_B, {}, {&still, 1}}, McdOptions(), nullptr, n)
            .distance_evaluations;
      });
      const double mean = statisticsOf(own.seconds).mean;
      const double ratio =
          statisticsOf(sampledByFcl(c, McdOptions().tolerance).seconds).mean / mean;
      std::printf("  up to %.2f m: %.4f ms, sampling on FCL %.0f x\n", lever, 1e3 * mean, ratio);
      char key[64];
      std::snprintf(key, sizeof key, "%s/turn_%.2f", name, turn);
      report_.figure(std::string(key) + "/mean_ms", 1e3 * mean);
      report_.figure(std::string(key) + "/sampling_fcl_ratio", ratio);
    }
  }

  /// Far beyond the threshold: decided by what the balls sweep.
  void far(const Case& c) {
    const Shape shape_A = c.a, shape_B = c.b;
    Pose away;
    away.p = Vec3(20.0, 0.0, 0.0);
    const BodyCurve still = BodyCurve::still(away, {0, 1});
    McdOptions options;
    options.threshold = 0.1;
    options.decide_only = true;
    MeshCache cache;
    const double ns = nanosecondsPerCall([&](int i) {
      keep(minimumDistance(*bodyOf(c.a), {&shape_A, {}, c.queries[i % c.queries.size()].curves},
                           *bodyOf(c.b), {&shape_B, {}, {&still, 1}}, options, &cache));
    });
    std::printf("far beyond the threshold: %.2f us\n", 1e-3 * ns);
    report_.figure("far_us", 1e-3 * ns);
  }

  /// The same shapes, finer and finer: both, or one of them.
  void growthInTriangles(bool both, int queries) {
    constexpr struct {
      const char* name;
      int rows, columns;
    } kSizes[] = {{"300", 9, 16}, {"3k", 31, 48}, {"30k", 99, 150}, {"300k", 313, 480}};
    std::vector<Case> cases;
    for (const auto& [name, rows, columns] : kSizes) {
      const TriangleMesh a = both ? test::blobMesh(0.15, rows, columns, 0.3)
                                  : test::blobMesh(0.15, kSizes[1].rows, kSizes[1].columns, 0.3);
      cases.push_back(makeCase(std::string(both ? "growth_" : "growth_of_one_") + name, a,
                               test::blobMesh(0.6, rows, columns, 0.1), queries, 5));
      run(cases.back(), 1e-3, false);
    }
    std::vector<Measured> all;
    for (const Case& c : cases) all.push_back({&c, 1e-3});
    measureInTurns(&all);
    const auto exponent = [&](int from, int to, const char* range) {
      const auto triangles = [&](int i) {
        return static_cast<double>(cases[i].b.triangles().size());
      };
      const double e =
          std::log(all[to].mean / all[from].mean) / std::log(triangles(to) / triangles(from));
      std::printf("growth exponent in the triangles of %s, %s: %.3f\n",
                  both ? "both meshes" : "one mesh", range, e);
      report_.figure(std::string("exponent_triangles/") + (both ? "both/" : "one/") + range, e);
    };
    exponent(0, 2, "300 to 30k");
    exponent(1, 3, "3k to 300k");
    exponent(0, 3, "300 to 300k");
  }

  void growthInTolerance(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
      std::vector<Measured> two{{&c, 1e-3}, {&c, 1e-4}};
      measureInTurns(&two);
      const double growth = std::log10(two[1].mean / two[0].mean);
      std::printf("growth exponent in 1/tolerance, %s: %.3f (%.4f and %.4f ms)\n", c.name.c_str(),
                  growth, 1e3 * two[0].mean, 1e3 * two[1].mean);
      report_.figure("exponent_tolerance/" + c.name, growth);
    }
  }

 private:
  Report& report_;
};

int run(int argc, char** argv) {
  Report report(argc, argv);
  Bench bench(&report);
  bool quick = false;
  for (int i = 1; i < argc; ++i) quick = quick || std::string(argv[i]) == "--quick";
  const int queries = quick ? 20 : 60;
  std::vector<Case> cases;
  cases.push_back(makeCase("300x300", test::blobMesh(0.15, 9, 16, 0.2),
                           test::blobMesh(0.2, 9, 16, 0.3), queries, 1));
  cases.push_back(makeCase("3468x972", test::blobMesh(0.15, 33, 51, 0.3),
                           test::blobMesh(0.1, 17, 27, 0.2), queries, 2));
  cases.push_back(makeCase("3468x1920_torus", test::blobMesh(0.15, 33, 51, 0.3),
                           test::torusMesh(0.3, 0.1, 40, 24), queries, 3));
  cases.push_back(makeCase("3468x100k", test::blobMesh(0.15, 33, 51, 0.3),
                           test::blobMesh(0.6, 199, 250, 0.1, 11), queries, 4));
  for (double tolerance : {1e-3, 1e-4}) {
    for (const Case& c : cases) bench.run(c, tolerance, !quick);
  }
  const std::vector<Case> real = realCases(queries);
  for (const Case& c : real) {
    for (double tolerance : {1e-3, 1e-4}) bench.run(c, tolerance, !quick);
  }
  bench.far(cases[1]);
  for (const std::size_t i : {0, 2}) {
    bench.lengths(cases[i].name.c_str(), cases[i].a, cases[i].b, queries);
  }
  for (const bool both : {true, false}) bench.growthInTriangles(both, queries);
  bench.growthInTolerance(cases);
  bench.growthInTolerance(real);
  if (report.isWritten()) plotMeshMinima(&report);
  return 0;
}

}  // namespace
}  // namespace allclear::bench

int main(int argc, char** argv) { return allclear::bench::run(argc, argv); }
