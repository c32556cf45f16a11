// The minimum over time of pairs of triangle meshes: space-time branch and bound (cold, warm,
// thresholded) beside the thesis's subdivision and sampling, on the same engine and on FCL's
// distances, in one run, over the same queries.

#include <fcl/fcl.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>

#include "allclear/core/input_error.h"
#include "allclear/distance/mcd_mesh.h"
#include "bench_report.h"
#include "mcd_table.h"
#include "plot_mcd_mesh.h"

#include "distance/mcd_motions.h"
#include "support/mesh_samples.h"

namespace allclear::bench {
namespace {

using test::ChainMotion;
using test::Draw;

using FclMesh = std::shared_ptr<fcl::BVHModel<fcl::OBBRSSd>>;

FclMesh rivalMesh(const TriangleMesh& mesh) {
  auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
  std::vector<fcl::Triangle> triangles;
  for (const Triangle& t : mesh.triangles()) triangles.emplace_back(t[0], t[1], t[2]);
  model->beginModel();
  model->addSubModel(mesh.vertices(), triangles);
  model->endModel();
  return model;
}

struct Query {
  ChainMotion motion;
  std::vector<BodyCurve> curves;
  double lever = 0.0;  ///< bound of the speed of A's points [m/s]
};

struct Case {
  std::string name;
  TriangleMesh a, b;
  FclMesh rival_a, rival_b;
  std::vector<Query> queries;
};

/// A link on a two-joint arm over one knot span, near B most of the time; each joint turns by about
/// `turn` [rad].
Query drawnQuery(Draw& draw, double reach_A, double reach_B, double turn) {
  Query query;
  const double far = reach_A + reach_B;
  for (int j = 0; j < 2; ++j) {
    test::ChainJoint joint;
    joint.X_PJ = {draw.rotation(), j == 0 ? Vec3(draw.direction() * far * draw.uniform(0.7, 1.4))
                                          : Vec3(draw.inBox(0.15))};
    joint.axis = draw.direction();
    joint.polynomial = draw.polynomial(turn, 5);
    query.motion.joints.push_back(joint);
  }
  query.motion.X_JB = {draw.rotation(), draw.inBox(0.1)};
  const int cells = query.motion.cellsFor({0, 1}, 2e-6, reach_A);
  query.curves = query.motion.curves({0, 1}, cells);
  return query;
}

constexpr double kTurn = 0.5;

Case makeCase(const std::string& name, TriangleMesh a, TriangleMesh b, int queries, int seed,
              double turn = kTurn) {
  Case result{name, a, b, rivalMesh(a), rivalMesh(b), {}};
  Draw draw(seed);
  const double reach_A = a.body()->reach(), reach_B = b.body()->reach();
  const BodyCurve still = BodyCurve::still(Pose{}, {0, 1});
  const Shape shape_A = a, shape_B = b;
  while (static_cast<int>(result.queries.size()) < queries) {
    Query query = drawnQuery(draw, reach_A, reach_B, turn);
    const DistanceBracket bracket =
        minimumDistance(*a.body(), {&shape_A, {}, query.curves}, *b.body(),
                        {&shape_B, {}, {&still, 1}}, McdOptions());
    if (bracket.penetrating || bracket.upper > 0.5 || bracket.lower < 0.01) continue;
    for (const BodyCurve& c : query.curves) {
      query.lever =
          std::max(query.lever, c.bounds.linear[0] +
                                    c.bounds.angular[0] * (reach_A + a.body()->center().norm()));
    }
    result.queries.push_back(std::move(query));
  }
  return result;
}

/// A mesh of the shared data, its middle at the origin, its longest side 2 `half`.
TriangleMesh realMesh(const std::string& file, double half) {
  const char* data = std::getenv("ALLCLEAR_DATA");
  const auto folder = std::filesystem::path(data != nullptr ? data : "../shared/data") / "meshes";
  if (!std::filesystem::exists(folder / file)) throw InputError("no such file: " + file);
  const TriangleMesh read = test::readObj(folder / file);
  Eigen::AlignedBox3d box;
  for (const Vec3& p : read.vertices()) box.extend(p);
  const double scale = 2.0 * half / box.sizes().maxCoeff();
  std::vector<Vec3> vertices;
  for (const Vec3& p : read.vertices()) vertices.push_back(scale * (p - box.center()));
  return {std::move(vertices), read.triangles()};
}

std::vector<Case> realCases(int queries) {
  std::vector<Case> cases;
  try {
    const TriangleMesh wingnut = realMesh("wingnut/wingnut.obj", 0.15);
    cases.push_back(makeCase("spot_torus", realMesh("spot/spot_low_resolution.obj", 0.15),
                             realMesh("torus/torus.obj", 0.25), queries, 8));
    cases.push_back(
        makeCase("wingnut_goat", wingnut, realMesh("goathead/goathead.obj", 0.2), queries, 9));
    cases.push_back(makeCase("wingnut_statue", wingnut,
                             realMesh("nefertiti/nefertiti-lowres.obj", 0.5), queries, 10));
    cases.push_back(makeCase("hammer_koala", realMesh("hammer/hammer.obj", 0.15),
                             realMesh("koala/koala.obj", 0.5), queries, 11));
  } catch (const InputError& error) {
    std::printf("real meshes are left out (ALLCLEAR_DATA): %s\n", error.what());
  }
  return cases;
}

double fclDistance(const Case& c, const Query& query, double t) {
  static const fcl::DistanceRequestd request(false);
  const Pose X = query.motion.pose(t);
  fcl::Transform3d T = fcl::Transform3d::Identity();
  T.linear() = X.R;
  T.translation() = X.p;
  fcl::DistanceResultd result;
  return fcl::distance(c.rival_a.get(), T, c.rival_b.get(), fcl::Transform3d::Identity(), request,
                       result);
}

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
    const MeshBody &A = *c.a.body(), &B = *c.b.body();
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
    McdOptions subdivision = options, sampling = options;
    subdivision.algorithm = McdAlgorithm::kSubdivision;
    sampling.algorithm = McdAlgorithm::kSampling;
    subdivision.max_evaluations = sampling.max_evaluations = 100000000;
    rival("subdivision", "subdivision, same engine", [&](int i, MeshMcdCounts* n) {
      return query(subdivision, i, nullptr, n).distance_evaluations;
    });
    rival("sampling", "sampling, same engine", [&](int i, MeshMcdCounts* n) {
      return query(sampling, i, nullptr, n).distance_evaluations;
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
        return minimumDistance(*c.a.body(), {&shape_A, {}, c.queries[i].curves}, *c.b.body(),
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
      keep(minimumDistance(*c.a.body(), {&shape_A, {}, c.queries[i % c.queries.size()].curves},
                           *c.b.body(), {&shape_B, {}, {&still, 1}}, options, &cache));
    });
    std::printf("far beyond the threshold: %.2f us\n", 1e-3 * ns);
    report_.figure("far_us", 1e-3 * ns);
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
  std::vector<double> at3, at4;
  for (double tolerance : {1e-3, 1e-4}) {
    for (const Case& c : cases) {
      (tolerance > 5e-4 ? at3 : at4).push_back(bench.run(c, tolerance, !quick));
    }
  }
  for (const Case& c : realCases(queries)) {
    for (double tolerance : {1e-3, 1e-4}) bench.run(c, tolerance, !quick);
  }
  bench.far(cases[1]);
  for (const std::size_t i : {0, 2}) {
    bench.lengths(cases[i].name.c_str(), cases[i].a, cases[i].b, queries);
  }
  // The same shapes, finer and finer.
  constexpr struct {
    const char* name;
    int rows, columns;
  } kGrowth[] = {{"300", 9, 16}, {"3k", 31, 48}, {"30k", 99, 150}, {"300k", 313, 480}};
  for (const bool both : {true, false}) {
    std::vector<double> means, triangles;
    for (const auto& [name, rows, columns] : kGrowth) {
      const TriangleMesh a = both ? test::blobMesh(0.15, rows, columns, 0.3)
                                  : test::blobMesh(0.15, kGrowth[1].rows, kGrowth[1].columns, 0.3);
      const Case c = makeCase(std::string(both ? "growth_" : "growth_of_one_") + name, a,
                              test::blobMesh(0.6, rows, columns, 0.1), queries, 5);
      means.push_back(bench.run(c, 1e-3, false));
      triangles.push_back(static_cast<double>(c.b.triangles().size()));
    }
    const auto exponent = [&](int from, int to, const char* range) {
      const double e =
          std::log(means[to] / means[from]) / std::log(triangles[to] / triangles[from]);
      const char* const which = both ? "both meshes" : "one mesh";
      std::printf("growth exponent in the triangles of %s, %s: %.3f\n", which, range, e);
      report.figure(std::string("exponent_triangles/") + (both ? "both/" : "one/") + range, e);
    };
    exponent(0, 2, "300 to 30k");
    exponent(1, 3, "3k to 300k");
    exponent(0, 3, "300 to 300k");
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const double growth = std::log10(at4[i] / at3[i]);
    std::printf("growth exponent in 1/tolerance, %s: %.3f\n", cases[i].name.c_str(), growth);
    report.figure("exponent_tolerance/" + cases[i].name, growth);
  }
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) == "--svg") plotMeshMinima(argv[i + 1]);
  }
  return 0;
}

}  // namespace
}  // namespace allclear::bench

int main(int argc, char** argv) { return allclear::bench::run(argc, argv); }
