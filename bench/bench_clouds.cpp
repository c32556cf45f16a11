// Scenes of primitives as point clouds: plans the problems of `planning_problems_v1` files with
// their obstacles as they are and as points on their surfaces, and says how many were certified
// and in what time; and what the distance of a link and a cloud over a span costs by the number of
// points.
//   bench_clouds [FILE_OR_FOLDER...] [--every K] [--time S] [--counts N...] [--kernel] [--turned]
//     [--json F]
// With --kernel, no problem is planned: only a moving body against a furnished room of so many
// points, with balls of 3 mm; its walls along the axes of the tree, or (--turned) slanted. Beside
// the times: bounds that a bracket took, and points within 0.1 mm of the nearest one.
// A count is that of a whole scene. The points' spacing s follows from it (area = count s^2), their
// balls have the radius s: the union of the balls is about the obstacles grown by s. So the clouds
// are held against the primitives at a margin of s more.
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "allclear/config/problem_sets/planning_problems.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/cloud.h"
#include "allclear/exports/report/mesh.h"
#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/problem/support_polygon.h"
#include "bench/support/bench_report.h"
#include "distance/minimum/mcd_shapes.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<fs::path> files;
  int every = 20;
  double time = 10.0;
  std::vector<int> counts{1000, 10000, 100000, 1000000};
  bool kernel = false;
  bool turned = false;
  std::string json;
};

/// Triangles of all obstacles but planes, in the world.
struct Surfaces {
  std::vector<std::array<Vec3, 3>> triangles;
  std::vector<double> area_until;

  explicit Surfaces(const Problem& problem) {
    double sum = 0.0;
    for (const Obstacle& obstacle : problem.obstacles) {
      for (const Geometry& geometry : obstacle.geometry) {
        if (std::holds_alternative<HalfSpace>(geometry.shape)) continue;
        const ReportMesh mesh = reportMesh(geometry, 1.0);
        for (const Triangle& t : mesh.triangles) {
          std::array<Vec3, 3> corner;
          for (int k = 0; k < 3; ++k) corner[k] = obstacle.X_WO * mesh.vertices[t[k]];
          sum += 0.5 * (corner[1] - corner[0]).cross(corner[2] - corner[0]).norm();
          triangles.push_back(corner);
          area_until.push_back(sum);
        }
      }
    }
  }
  double area() const { return area_until.empty() ? 0.0 : area_until.back(); }

  /// Evenly over the area: along it at equal steps, across by a sequence of low discrepancy.
  std::vector<Vec3> points(int count) const {
    constexpr double kGolden = 0.7548776662466927, kGolden2 = 0.5698402909980532;
    std::vector<Vec3> out;
    for (int i = 0; i < count; ++i) {
      const double at = area() * (i + 0.5) / count;
      const auto found = std::lower_bound(area_until.begin(), area_until.end(), at);
      const auto& t = triangles[static_cast<std::size_t>(found - area_until.begin())];
      double u = std::fmod(i * kGolden, 1.0), v = std::fmod(i * kGolden2, 1.0);
      if (u + v > 1.0) {
        u = 1.0 - u;
        v = 1.0 - v;
      }
      out.push_back(t[0] + u * (t[1] - t[0]) + v * (t[2] - t[0]));
    }
    return out;
  }
};

/// The obstacles as one cloud; planes stay.
Problem withCloud(const Problem& problem, const Surfaces& surfaces, int count, double radius) {
  Problem out = problem;
  out.obstacles.clear();
  for (const Obstacle& obstacle : problem.obstacles) {
    const bool is_plane = std::holds_alternative<HalfSpace>(obstacle.geometry.at(0).shape);
    if (is_plane) out.obstacles.push_back(obstacle);
  }
  Obstacle scan;
  scan.id = "scan";
  scan.cloud = std::make_shared<const Cloud>(Cloud::balls(surfaces.points(count), radius));
  out.obstacles.push_back(std::move(scan));
  return out;
}

/// Links that never move, as a pedestal: no plan keeps them a margin away from what they stand on,
/// and none is asked to; but a cloud has the margin in its radius.
void allowUnmoved(Problem* problem) {
  const auto& links = problem->robot->links();
  for (int l = 0; l < static_cast<int>(links.size()); ++l) {
    if (isMoved(*problem, l)) continue;
    for (const Obstacle& obstacle : problem->obstacles) {
      problem->collision.allowed.emplace_back(links[l].name, obstacle.id);
    }
  }
}

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Of this thread: other work on the machine counts little.
double cpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Seconds of all pairs of a link and the cloud over all spans of a trajectory, each.
double costOfPairSpan(const Problem& problem, const Trajectory& trajectory) {
  const ClearanceEvaluator evaluator(problem, FidelityPolicy::kHulls);
  ClearanceEvaluator::Workspace workspace(evaluator);
  int links = 0, before = -1;
  for (const CollisionPair& pair : evaluator.model().pairs) {
    if (evaluator.model().bodies[pair.b].cloud_node < 0 || pair.a == before) continue;
    before = pair.a;
    ++links;
  }
  constexpr int kTimes = 3;
  constexpr double kInfluence = 0.02, kTolerance = 1e-3;  // [m]
  std::vector<Clearance> found;
  const double start = cpuSeconds();
  for (int i = 0; i < kTimes; ++i) {
    for (int span = 0; span < trajectory.spanCount(); ++span) {
      found.clear();
      evaluator.nearPairs(trajectory.span(span), span, kInfluence, kTolerance, workspace, &found);
    }
  }
  return (cpuSeconds() - start) / (kTimes * trajectory.spanCount() * std::max(1, links));
}

struct Sums {
  int problems = 0, primitives = 0, clouds = 0;
  std::vector<double> ratios, seconds, seconds_primitives, cost, bytes, build;
};

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(q * static_cast<double>(values.size())))];
}

Plan planned(const Problem& problem, const Arguments& arguments, double* seconds) {
  PlanOptions options;
  options.time_limit = arguments.time;
  options.attempts = 1000;
  options.threads = 1;
  options.improve = Improve::kNone;
  const double start = cpuSeconds();  // one thread
  Plan plan = allclear::plan(problem, options);
  *seconds = cpuSeconds() - start;
  return plan;
}

void run(const Problem& problem, int count, const Arguments& arguments, Sums* sums) {
  const Surfaces surfaces(problem);
  if (!(surfaces.area() > 0.0)) return;
  const double radius = std::sqrt(surfaces.area() / count);
  Problem grown = problem;
  grown.collision.margin += radius;
  // The robot's own pairs keep their margin: the clouds are about obstacles alone. Names of links
  // in pairs may be no others'.
  const auto& links = problem.robot->links();
  for (Obstacle& obstacle : grown.obstacles) {
    if (problem.robot->findLink(obstacle.id) >= 0) obstacle.id += " of the scene";
  }
  for (std::size_t a = 0; a < links.size(); ++a) {
    for (std::size_t b = a + 1; b < links.size(); ++b) {
      grown.collision.pair_margins.push_back(
          {links[a].name, links[b].name, problem.collision.margin});
    }
  }
  const auto start = std::chrono::steady_clock::now();
  Problem scanned = withCloud(problem, surfaces, count, radius);
  sums->build.push_back(since(start));
  sums->bytes.push_back(static_cast<double>(scanned.obstacles.back().cloud->bytes()) / count);
  allowUnmoved(&grown);
  allowUnmoved(&scanned);
  double seconds_primitives = 0.0, seconds = 0.0;
  const Plan of_primitives = planned(grown, arguments, &seconds_primitives);
  const Plan of_cloud = planned(scanned, arguments, &seconds);
  ++sums->problems;
  const bool a = of_primitives.status == PlanStatus::kCertified;
  const bool b = of_cloud.status == PlanStatus::kCertified;
  if (a != b) {
    std::printf("  %s of '%s' is not certified: %s\n", a ? "the cloud" : "the primitives",
                problem.name.c_str(), (a ? of_cloud : of_primitives).message.c_str());
  }
  sums->primitives += a ? 1 : 0;
  sums->clouds += b ? 1 : 0;
  if (b) sums->cost.push_back(costOfPairSpan(scanned, *of_cloud.trajectory));
  if (!a || !b) return;
  sums->seconds.push_back(seconds);
  sums->seconds_primitives.push_back(seconds_primitives);
  sums->ratios.push_back(seconds / seconds_primitives);
}

/// Floor, two walls and a shelf, as points on rectangles.
std::vector<Vec3> roomOfPoints(int count) {
  struct Rectangle {
    Vec3 corner, u, v;
  };
  const std::vector<Rectangle> room = {
      {{-1.5, -1.5, 0}, {3, 0, 0}, {0, 3, 0}},    {{-1.5, 1.5, 0}, {3, 0, 0}, {0, 0, 2}},
      {{1.5, -1.5, 0}, {0, 3, 0}, {0, 0, 2}},     {{0.3, -0.5, 0.4}, {0.6, 0, 0}, {0, 1, 0}},
      {{0.3, -0.5, 0.8}, {0.6, 0, 0}, {0, 1, 0}}, {{0.3, -0.5, 0}, {0.6, 0, 0}, {0, 0, 1.2}},
      {{0.3, 0.5, 0}, {0.6, 0, 0}, {0, 0, 1.2}},  {{0.9, -0.5, 0}, {0, 1, 0}, {0, 0, 1.2}}};
  double area = 0.0;
  for (const Rectangle& r : room) area += r.u.cross(r.v).norm();
  const double spacing = std::sqrt(area / count);
  std::vector<Vec3> points;
  for (const Rectangle& r : room) {
    const int n = std::max(1, static_cast<int>(r.u.norm() / spacing));
    const int m = std::max(1, static_cast<int>(r.v.norm() / spacing));
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < m; ++j)
        points.push_back(r.corner + r.u * (i + 0.5) / n + r.v * (j + 0.5) / m);
    }
  }
  return points;
}

/// Points within `margin` of the distance that was found, at its instant.
double tiesOf(const test::MovingSolid& body, const Cloud& cloud, const Pose& X_WO,
              const DistanceBracket& found, double margin) {
  std::vector<char> marks(static_cast<std::size_t>(cloud.size()), 0);
  markNear(body.shape, body.pose(found.t_star), cloud, X_WO, found.upper + margin, &marks);
  return static_cast<double>(std::count(marks.begin(), marks.end(), 1));
}

/// Medians over random bodies that turn by up to 0.15 rad, near the shelf or in it.
void runKernel(const Arguments& arguments, bench::Report* report) {
  constexpr double kTolerance = 1e-4;  // [m]
  constexpr int kTiesEvery = 20;       // of so many bodies one of each shape
  std::printf("%9s %9s %10s %11s %7s %5s %14s %8s\n", "points", "bytes/pt", "decide us",
              "bracket us", "bounds", "ties", "in contact us", "build s");
  for (const int count : arguments.counts) {
    std::vector<Vec3> points = roomOfPoints(count);
    Pose X_WO;
    if (arguments.turned) X_WO.R = rotationFromRpy({0.5, 0.4, 0.7});
    for (Vec3& p : points) p = X_WO.R.transpose() * p;
    const auto start = std::chrono::steady_clock::now();
    const Cloud cloud = Cloud::balls(points, 0.003);
    const double build = since(start);
    const BodyCurve still = BodyCurve::still(X_WO, {0.0, 1.0});
    std::vector<double> decide, bracket, bounds, ties, deep;
    std::vector<std::pair<test::MovingSolid, DistanceBracket>> apart;
    for (int seed = 0; seed < 900; ++seed) {
      test::Random random(seed);
      test::MovingSolid body;
      body.chain = test::randomChain(random, 2, 0.15, 0.3);
      if (seed % 2 == 0) body.shape = Capsule(0.06, 0.3);
      if (seed % 2 == 1) body.shape = Box(Vec3(0.1, 0.1, 0.35));
      body.chain.move(
          {random.uniform(-0.2, 0.6), random.uniform(-0.8, 0.8), random.uniform(0.25, 1.2)});
      body.curves = body.chain.curves({0.0, 1.0}, 1);
      const auto timed = [&](const McdOptions& options, DistanceBracket* out) {
        const double begin = cpuSeconds();
        *out = minimumDistance(body.moving(), MovingCloud{&cloud, {&still, 1}}, options);
        return cpuSeconds() - begin;
      };
      McdOptions options;
      options.tolerance = kTolerance;
      DistanceBracket found;
      const double whole = timed(options, &found);
      (found.upper > 0.0 ? bracket : deep).push_back(whole);
      if (found.upper > 0.0) {
        bounds.push_back(found.bound_evaluations);
        if (seed % kTiesEvery < 2) apart.push_back({body, found});
      }
      if (found.upper < 0.021) continue;
      options.threshold = 0.02;
      options.decide_only = true;
      decide.push_back(timed(options, &found));
    }
    // Afterwards: marks of all points would put the tree out of the cache.
    for (const auto& [body, found] : apart) {
      ties.push_back(tiesOf(body, cloud, X_WO, found, kTolerance));
    }
    const std::string name = "points_" + std::to_string(count);
    std::printf("%9zu %9.1f %10.1f %11.1f %7.0f %5.0f %14.1f %8.2f\n", points.size(),
                static_cast<double>(cloud.bytes()) / static_cast<double>(points.size()),
                1e6 * quantile(decide, 0.5), 1e6 * quantile(bracket, 0.5), quantile(bounds, 0.5),
                quantile(ties, 0.5), 1e6 * quantile(deep, 0.5), build);
    report->figure(name + ".decide_us", 1e6 * quantile(decide, 0.5));
    report->figure(name + ".bracket_us", 1e6 * quantile(bracket, 0.5));
    report->figure(name + ".bracket_bounds", quantile(bounds, 0.5));
    report->figure(name + ".contact_us", 1e6 * quantile(deep, 0.5));
  }
}

void findFiles(const std::vector<fs::path>& given, Arguments* out) {
  const char* data = std::getenv("ALLCLEAR_DATA");
  std::vector<fs::path> places = given;
  if (places.empty()) places.push_back(fs::path(data ? data : "../shared/data") / "problems");
  for (const fs::path& path : places) {
    if (fs::is_regular_file(path)) {
      out->files.push_back(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      const bool reference = entry.path().string().find("reference_paths") != std::string::npos;
      if (entry.path().extension() == ".json" && !reference) out->files.push_back(entry.path());
    }
  }
  std::sort(out->files.begin(), out->files.end());
}

int main(int argc, char** argv) {
  CLI::App app{"Scenes of primitives as point clouds"};
  Arguments arguments;
  std::vector<fs::path> given;
  app.add_option("files", given, "files or folders; none: all of the shared data");
  app.add_option("--every", arguments.every, "of so many problems the first")
      ->check(CLI::PositiveNumber);
  app.add_option("--time", arguments.time, "limit of a plan [s]");
  app.add_option("--counts", arguments.counts, "points of a scene");
  app.add_flag("--kernel", arguments.kernel, "distances alone");
  app.add_flag("--turned", arguments.turned, "with --kernel: the room at a slant");
  app.add_option("--json", arguments.json, "write the figures to this file");
  CLI11_PARSE(app, argc, argv);
  bench::Report report(arguments.json);
  if (arguments.kernel) {
    runKernel(arguments, &report);
    return 0;
  }
  findFiles(given, &arguments);
  std::printf("%9s %9s %11s %8s %9s %9s %8s %12s %9s %9s\n", "points", "problems", "primitives",
              "clouds", "median s", "prim. s", "ratio", "us/pair-span", "bytes/pt", "build s");
  for (const int count : arguments.counts) {
    Sums sums;
    for (const fs::path& file : arguments.files) {
      const ProblemSet set = ProblemSet::load(file);
      for (int i = 0; i < set.count(); i += arguments.every) {
        run(set.problem(i), count, arguments, &sums);
      }
    }
    const std::string name = "points_" + std::to_string(count);
    std::printf("%9d %9d %11d %8d %9.3f %9.3f %8.2f %12.1f %9.1f %9.2f\n", count, sums.problems,
                sums.primitives, sums.clouds, quantile(sums.seconds, 0.5),
                quantile(sums.seconds_primitives, 0.5), quantile(sums.ratios, 0.5),
                1e6 * quantile(sums.cost, 0.5), quantile(sums.bytes, 0.5),
                quantile(sums.build, 0.5));
    std::fflush(stdout);
    report.figure(name + ".certified_share_primitives",
                  sums.primitives / static_cast<double>(std::max(1, sums.problems)));
    report.figure(name + ".certified_share_clouds",
                  sums.clouds / static_cast<double>(std::max(1, sums.problems)));
    report.figure(name + ".median_time_ratio", quantile(sums.ratios, 0.5));
    report.figure(name + ".us_per_pair_span", 1e6 * quantile(sums.cost, 0.5));
    report.figure(name + ".bytes_per_point", quantile(sums.bytes, 0.5));
  }
  return 0;
}

}  // namespace
}  // namespace allclear

int main(int argc, char** argv) { return allclear::main(argc, argv); }
