// Pairs of ellipsoids: the tables of Choi, "A robust and efficient method to compute the closest
// approach distance between two ellipsoids" (2019), with what the paper printed, what its methods
// give here, and the product's gauge; the growth with the ratio of radii; batches; and the signed
// distance beside the search of all convex pairs.
//
// Inputs are drawn before the clock starts. All methods get the same (radii, rotation, direction)
// and times include what each prepares from them.

#include <time.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>

#include "allclear/distance/convex/pairs.h"
#include "allclear/distance/ellipsoid_pair.h"
#include "bench/support/bench_report.h"
#include "support/choi_2019.h"
#include "support/ellipsoid_draws.h"

namespace allclear::bench {
namespace {

using test::ChoiOptions;
using test::ChoiPair;
using test::ChoiResult;
using test::EllipsoidPairDraw;
using test::Random;

constexpr std::size_t kBlock = 20000;  // pairs drawn, then timed
constexpr int kRounds = 5;
constexpr double kNoLimit = std::numeric_limits<double>::quiet_NaN();

/// Processor time of this thread, so that a busy machine disturbs little [ns].
double threadNanoseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

struct Pairs {
  std::vector<EllipsoidPairDraw> draws;
  std::vector<Ellipsoid> A, B;
  std::vector<Pose> X_AB;  ///< B's centre is n
  std::vector<double> column[18];
  EllipsoidPairColumns columns;

  Pairs(Random* random, std::size_t count, double gamma, double Gamma, bool log_uniform) {
    for (std::size_t i = 0; i < count; ++i) {
      const EllipsoidPairDraw draw = test::drawEllipsoids(random, gamma, Gamma, log_uniform);
      draws.push_back(draw);
      A.emplace_back(draw.a);
      B.emplace_back(draw.b);
      X_AB.push_back({draw.R(), draw.n});
      for (int k = 0; k < 3; ++k) {
        column[k].push_back(draw.a[k]);
        column[3 + k].push_back(draw.b[k]);
        column[15 + k].push_back(draw.n[k]);
        for (int j = 0; j < 3; ++j) column[6 + 3 * k + j].push_back(X_AB[i].R(k, j));
      }
    }
    columns.count = count;
    for (int k = 0; k < 3; ++k) {
      columns.radii_A[k] = column[k].data();
      columns.radii_B[k] = column[3 + k].data();
      columns.p_AB[k] = column[15 + k].data();
    }
    for (int k = 0; k < 9; ++k) columns.R_AB[k] = column[6 + k].data();
  }
};

/// What a method takes for many pairs.
struct Cost {
  double sum = 0.0, nanoseconds = 0.0;
  long pairs = 0;
  int most = 0, failed = 0;
  double worst_error = 0.0;  ///< of d, against the product's

  double mean() const { return sum / static_cast<double>(pairs); }
  double perPair() const { return nanoseconds / static_cast<double>(pairs); }
};

/// The least time of a few rounds over a block [ns].
double timed(const std::function<void()>& run) {
  double best = HUGE_VAL;
  for (int round = 0; round < kRounds; ++round) {
    const double start = threadNanoseconds();
    run();
    best = std::min(best, threadNanoseconds() - start);
  }
  return best;
}

using ChoiMethod = ChoiResult (ChoiPair::*)(const ChoiOptions&) const;

void addRival(const Pairs& pairs, ChoiMethod method, const ChoiOptions& options,
              const std::vector<double>& approach, Cost* cost) {
  std::vector<ChoiResult> results(pairs.draws.size());
  cost->nanoseconds += timed([&] {
    for (std::size_t i = 0; i < results.size(); ++i) {
      const ChoiPair pair(pairs.draws[i].a, pairs.draws[i].b, pairs.X_AB[i].R, pairs.draws[i].n);
      results[i] = (pair.*method)(options);
    }
  });
  for (std::size_t i = 0; i < results.size(); ++i) {
    cost->sum += results[i].iterations;
    cost->most = std::max(cost->most, results[i].iterations);
    cost->failed += !results[i].converged;
    cost->worst_error = std::max(cost->worst_error, std::abs(results[i].d / approach[i] - 1.0));
  }
  cost->pairs += static_cast<long>(results.size());
}

void addOurs(const Pairs& pairs, Cost* cost, std::vector<double>* approach) {
  std::vector<ClosestApproach> results(pairs.draws.size());
  cost->nanoseconds += timed([&] {
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i] = closestApproach(pairs.A[i], Pose(), pairs.B[i], pairs.X_AB[i]);
    }
  });
  for (std::size_t i = 0; i < results.size(); ++i) {
    cost->sum += results[i].iterations;
    cost->most = std::max(cost->most, results[i].iterations);
    (*approach)[i] = results[i].distance;
  }
  cost->pairs += static_cast<long>(results.size());
}

struct Batch {
  double gauges = 0.0, bounds = 0.0;  ///< [ns]
};

void addBatch(const Pairs& pairs, Batch* batch) {
  std::vector<double> gauge(pairs.columns.count), lower(pairs.columns.count);
  EllipsoidGaugeColumns results;
  results.gauge = gauge.data();
  batch->gauges += timed([&] { ellipsoidGauges(pairs.columns, results); });
  batch->bounds += timed([&] { lowerEllipsoidGauges(pairs.columns, lower.data()); });
}

/// The three methods of the paper, ours and the batch, on the same pairs.
struct Experiment {
  Cost fixed_point, steffensen, hybrid, ours;
  Batch batch;

  void run(Random* random, long count, double gamma, double Gamma, bool log_uniform,
           const ChoiOptions& options, bool with_rivals = true) {
    for (long done = 0; done < count; done += kBlock) {
      const std::size_t n = static_cast<std::size_t>(std::min<long>(kBlock, count - done));
      const Pairs pairs(random, n, gamma, Gamma, log_uniform);
      std::vector<double> approach(n);
      addOurs(pairs, &ours, &approach);
      addBatch(pairs, &batch);
      if (!with_rivals) continue;
      addRival(pairs, &ChoiPair::fixedPoint, options, approach, &fixed_point);
      addRival(pairs, &ChoiPair::steffensen, options, approach, &steffensen);
      addRival(pairs, &ChoiPair::hybrid, options, approach, &hybrid);
    }
  }
};

void printCost(const char* label, const char* paper, const Cost& cost, const std::string& key,
               Report* report) {
  std::printf("  %-22s %-24s %6.2f %5d %8.0f ns %10.1e %8d\n", label, paper, cost.mean(), cost.most,
              cost.perPair(), cost.worst_error, cost.failed);
  report->figure(key + "/mean_iterations", cost.mean());
  report->figure(key + "/most_iterations", cost.most);
  report->figure(key + "/ns", cost.perPair());
  report->figure(key + "/worst_error", cost.worst_error);
}

/// One table of the paper; `paper` has its figures (mean / max / us) for the three methods.
void table(const char* title, const std::array<const char*, 3>& paper, const std::string& key,
           long count, double gamma, double Gamma, bool log_uniform, const ChoiOptions& options,
           Report* report) {
  Random random(20191206);
  Experiment e;
  e.run(&random, count, gamma, Gamma, log_uniform, options);
  std::printf("%s (%ld pairs)\n  %-22s %-24s %6s %5s %11s %10s %8s\n", title, count, "",
              "paper: mean / max / us", "mean", "max", "here", "error d", "no end");
  printCost("fixed point", paper[0], e.fixed_point, key + "/fixed_point", report);
  printCost("Steffensen", paper[1], e.steffensen, key + "/steffensen", report);
  printCost("hybrid", paper[2], e.hybrid, key + "/hybrid", report);
  printCost("gauge, single", "", e.ours, key + "/ours", report);
  const double batched = e.batch.gauges / static_cast<double>(e.ours.pairs);
  const double bounds = e.batch.bounds / static_cast<double>(e.ours.pairs);
  const double single_ratio = e.hybrid.perPair() / e.ours.perPair();
  const double batch_ratio = e.hybrid.perPair() / batched;
  std::printf("  gauge, batched %.1f ns; bound without iterating %.1f ns\n", batched, bounds);
  std::printf("  hybrid over ours: %.2fx single, %.1fx batched\n\n", single_ratio, batch_ratio);
  report->figure(key + "/batch_ns", batched);
  report->figure(key + "/bound_ns", bounds);
  report->figure(key + "/hybrid_over_single", single_ratio);
  report->figure(key + "/hybrid_over_batch", batch_ratio);
}

/// Iterations and times of many pairs, without the rivals.
void manyPairs(long count, Report* report) {
  const struct {
    const char* key;
    double gamma, Gamma;
    bool log_uniform;
  } kCases[] = {{"5", 5.0, 3.0, false}, {"1000", 1000.0, 3.0, false}, {"1e6", 1e6, 1e6, true}};
  std::printf("the gauge alone, %ld pairs each: ratio of radii, iterations, ns single, batched\n",
              count);
  for (const auto& c : kCases) {
    Random random(20191206);
    Experiment e;
    e.run(&random, count, c.gamma, c.Gamma, c.log_uniform, ChoiOptions(), false);
    const double batched = e.batch.gauges / static_cast<double>(e.ours.pairs);
    std::printf("  %-6s %5.2f / %-3d %6.0f ns %7.1f ns\n", c.key, e.ours.mean(), e.ours.most,
                e.ours.perPair(), batched);
    report->figure(std::string("alone/") + c.key + "/most_iterations", e.ours.most);
  }
}

/// Figure 2 of the paper: iterations against the ratio of radii, Gamma = 3.
void growth(long count, Report* report) {
  std::printf("iterations (mean / max) and ns against the ratio of radii, Gamma = 3\n");
  std::printf("  %-8s %18s %18s %24s %24s %10s\n", "ratio", "fixed point", "Steffensen", "hybrid",
              "gauge", "batched");
  for (const double gamma : {1.0, 2.0, 5.0, 7.0, 20.0, 50.0, 133.0, 300.0, 1000.0}) {
    Random random(2);
    Experiment e;
    e.run(&random, count, gamma, 3.0, false, ChoiOptions());
    const double batched = e.batch.gauges / static_cast<double>(e.ours.pairs);
    std::printf(
        "  %-8g %10.2f / %-5d %10.2f / %-5d %10.2f / %-3d %5.0f ns %10.2f / %-3d %5.0f ns"
        " %7.1f ns\n",
        gamma, e.fixed_point.mean(), e.fixed_point.most, e.steffensen.mean(), e.steffensen.most,
        e.hybrid.mean(), e.hybrid.most, e.hybrid.perPair(), e.ours.mean(), e.ours.most,
        e.ours.perPair(), batched);
    report->figure("growth/" + std::to_string(static_cast<int>(gamma)) + "/ours_ns",
                   e.ours.perPair());
  }
  std::printf(
      "  (paper: over 100 iterations from 7 on (fixed point), from 133 on (Steffensen); "
      "hybrid 5.84 on average)\n\n");
}

/// Errata: formula (11) as printed.
void asPrinted(long count, Report* report) {
  Random random(3);
  Cost printed;
  const Pairs pairs(&random, static_cast<std::size_t>(count), 5.0, 3.0, false);
  Cost ours;
  std::vector<double> approach(pairs.draws.size());
  addOurs(pairs, &ours, &approach);
  ChoiOptions options;
  options.sign_of_11_as_printed = true;
  addRival(pairs, &ChoiPair::hybrid, options, approach, &printed);
  std::printf("hybrid with (11) as printed, ratio 5: %.1f / %d iterations, error of d %.0e\n\n",
              printed.mean(), printed.most, printed.worst_error);
  report->figure("as_printed/mean_iterations", printed.mean());
}

/// The signed distance and decisions beside the search of all convex pairs.
void distances(int count, Report* report) {
  std::printf(
      "signed distance [ns]: search of all convex pairs, now, share, decision at 0, "
      "largest difference / size\n");
  const struct {
    const char* name;
    double low, high;
  } kRegimes[] = {{"far", 1.5, 3.0}, {"near", 1.0, 1.2}, {"shallow", 0.9, 1.0}, {"deep", 0.0, 0.9}};
  for (const double gamma : {3.0, 30.0, 1000.0}) {
    for (const auto& regime : kRegimes) {
      Random random(4);
      std::vector<Shape> A, B;
      std::vector<Pose> X_WA, X_WB;
      for (int i = 0; i < count; ++i) {
        const EllipsoidPairDraw draw = test::drawEllipsoids(&random, gamma, 3.0, false);
        A.emplace_back(Ellipsoid(draw.a));
        B.emplace_back(Ellipsoid(draw.b));
        Pose X_AB{draw.R(), draw.n};
        const double d =
            ellipsoidGauge(Ellipsoid(draw.a), Pose(), Ellipsoid(draw.b), X_AB).approach;
        X_AB.p *= random.uniform(regime.low, regime.high) * d;
        X_WA.push_back({random.rotation(), random.inBox(1.0)});
        X_WB.push_back(X_WA.back() * X_AB);
      }
      std::vector<double> search(A.size()), now(A.size());
      const double n = static_cast<double>(count);
      const auto run = [&](PairFunction function, double limit, std::vector<double>* out) {
        return timed([&] {
                 for (std::size_t i = 0; i < A.size(); ++i) {
                   (*out)[i] = function({A[i], X_WA[i], B[i], X_WB[i], limit, nullptr}).distance;
                 }
               }) /
               n;
      };
      std::vector<double> decisions(A.size());
      const double old_ns = run(&convexConvex, kNoLimit, &search);
      const double new_ns = run(&ellipsoidEllipsoid, kNoLimit, &now);
      const double decide_ns = run(&ellipsoidEllipsoid, 0.0, &decisions);
      double worst = 0.0;
      for (std::size_t i = 0; i < A.size(); ++i) {
        worst = std::max(worst, std::abs(search[i] - now[i]));
      }
      std::printf("  ratio %-5g %-8s %7.0f %7.0f %6.2fx %6.0f %9.0e\n", gamma, regime.name, old_ns,
                  new_ns, new_ns / old_ns, decide_ns, worst);
      const std::string key =
          "distance/" + std::to_string(static_cast<int>(gamma)) + "/" + regime.name;
      report->figure(key + "/ns", new_ns);
      report->figure(key + "/share_of_search", new_ns / old_ns);
      report->figure(key + "/decision_ns", decide_ns);
    }
  }
}

}  // namespace
}  // namespace allclear::bench

int main(int argc, char** argv) {
  using namespace allclear::bench;
  CLI::App app("Pairs of ellipsoids beside the methods of Choi (2019)");
  std::string json_file;
  long count = 200000;
  app.add_option("--json", json_file, "write the figures here");
  app.add_option("--pairs", count, "in each table (the paper: 10 million)")->capture_default_str();
  bool alone = false;
  app.add_flag("--alone", alone, "only the gauge, without the rivals");
  CLI11_PARSE(app, argc, argv);
  Report report(json_file);
  if (alone) {
    manyPairs(count, &report);
    return 0;
  }

  ChoiOptions options;
  table("ratio of radii 5, of sizes 3, |du| < 1e-8",
        {"9.5 / 81 / 0.504", "5.4 / 12 / 0.320", "5.1 / 15 / 0.305"}, "gamma_5", count, 5.0, 3.0,
        false, options, &report);
  table("ratio of radii 1000, of sizes 3, |du| < 1e-8", {"-", "-", "< 100"}, "gamma_1000",
        count / 4, 1000.0, 3.0, false, options, &report);
  table("ratios log-uniform to 1e6, |du| < 1e-8", {"-", "-", "-"}, "gamma_1e6", count / 4, 1e6, 1e6,
        true, options, &report);
  options.tolerance = 1e-2;
  options.by_contact = true;
  table("ratio of radii 4.86, of sizes 2.55, rule (13) with 1 %",
        {"2.4 / 16 / 0.221", "2.3 / 9 / 0.216", "2.5 / 9 / 0.203"}, "rule_13", count, 4.86, 2.55,
        false, options, &report);
  growth(count / 10, &report);
  asPrinted(count / 10, &report);
  distances(2000, &report);
  return 0;
}
