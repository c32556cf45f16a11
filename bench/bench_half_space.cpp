// Convex meshes above a plane at rest: support queries, the minimum over time, first contact, and
// the sequence of lowest corners; with the tables of H. S. Kim, "An animation speed-independent
// collision detection algorithm" (2004), beside what his method gives here.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <random>

#include "allclear/distance/geometry/support_corners.h"
#include "allclear/distance/minimum/bracket.h"
#include "allclear/distance/minimum/convex/certified.h"
#include "allclear/distance/minimum/convex/first_contact.h"
#include "allclear/distance/minimum/convex/half_space.h"
#include "allclear/distance/minimum/convex/lowest_corners.h"
#include "bench/kim_diagram.h"
#include "bench/support/bench_report.h"
#include "distance/minimum/mcd_motions.h"

namespace allclear::bench {
namespace {

using test::Random;

std::vector<Vec3> spherePoints(int count, double radius) {
  Random random(count);
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) points.push_back(radius * random.directionOfNormals());
  return points;
}

// --- Support queries

void supports(Report* report) {
  std::printf(
      "support queries on spheres, ns: random direction, turning by 0.01 rad from the grid "
      "and by a walk\n%9s %9s %9s %9s\n",
      "corners", "random", "turning", "walk");
  for (int count : {100, 1000, 10000, 100000}) {
    const PointCloud cloud(spherePoints(count, 1.0));
    std::vector<Vec3> random, turning;
    Random draw(1);
    Vec3 d = draw.directionOfNormals();
    Vec3 axis = draw.directionOfNormals();
    for (int i = 0; i < 4096; ++i) {
      random.push_back(draw.directionOfNormals());
      if (i % 256 == 0) axis = draw.directionOfNormals();
      d = Eigen::AngleAxisd(0.01, axis) * d;
      turning.push_back(d);
    }
    PointCloud::Walk walk;
    const double a = nanosecondsPerCall([&](int i) { keep(cloud.farthest(random[i & 4095])); });
    const double b = nanosecondsPerCall([&](int i) { keep(cloud.farthest(turning[i & 4095])); });
    const double c =
        nanosecondsPerCall([&](int i) { keep(cloud.farthest(turning[i & 4095], &walk)); });
    std::printf("%9d %9.1f %9.1f %9.1f\n", count, a, b, c);
    const std::string key = "support." + std::to_string(count) + ".";
    report->figure(key + "random_ns", a);
    report->figure(key + "turning_ns", b);
    report->figure(key + "walk_ns", c);
  }
}

// --- The minimum over time

/// Motions of one cell that turn by about `turn` [rad] above z = 0 and come within 0.5 m of it.
struct Motions {
  std::vector<std::vector<ConvexCurve>> shapes;
  std::vector<BodyCurve> bodies;

  Motions(const Shape& shape, double turn, int count) {
    Random random(7);
    for (int i = 0; i < count; ++i) {
      const Vec3 axis = random.directionOfNormals();
      const Mat3 R = random.rotationOfNormals();
      const Vec3 p(0.0, 0.0, random.uniform(0.8, 2.0)), v = random.inBox(0.5),
                                                        a = random.inBox(0.5);
      std::array<Pose, LobattoNodes::kCount> poses;
      for (int k = 0; k < LobattoNodes::kCount; ++k) {
        const double s = LobattoNodes::at(k);
        poses[k] = {Eigen::AngleAxisd(turn * s, axis).toRotationMatrix() * R, p + s * (v + s * a)};
      }
      BodyCurve body;
      body.time = {0.0, 1.0};
      body.control = LobattoNodes::controlFromSamples(poses);
      body.bounds.linear[0] = 3.0;
      body.bounds.angular[0] = turn;
      bodies.push_back(body);
      shapes.emplace_back(1);
      convexCurves({&body, 1}, shape, Pose{}, shapes.back());
    }
  }
};

std::vector<ConvexCurve> floorCurve() {
  static const Shape plane = HalfSpace();
  const BodyCurve still = BodyCurve::still(Pose{}, {0.0, 3.0});
  std::vector<ConvexCurve> curves(1);
  convexCurves({&still, 1}, plane, Pose{}, curves);
  return curves;
}

DistanceBracket general(std::span<const ConvexCurve> plane, std::span<const ConvexCurve> shape,
                        const McdOptions& options) {
  mcd::ConvexMotion motion(plane, shape);
  return mcd::bracketOf(motion, mcd::certifiedConvex(&motion, options), options, true);
}

void minima(Report* report) {
  constexpr int kMotions = 400;
  std::printf(
      "\nminimum over time above a plane at rest, ns: bracket of the tolerance, and 0.1 m "
      "decided; by the search for all convex pairs and by the one for planes\n"
      "%9s %6s %6s | %9s %9s | %9s %9s | %9s\n",
      "corners", "turn", "tol.", "general", "direct", "general", "direct", "violated");
  const auto floor = floorCurve();
  for (int count : {100, 1000, 10000, 100000}) {
    const std::vector<Vec3> points = spherePoints(count, 0.5);
    const Shape shape = ConvexMesh(points);
    for (double turn : {0.3, 1.5}) {
      const Motions motions(shape, turn, kMotions);
      for (double tolerance : {1e-3, 1e-6}) {
        if (tolerance == 1e-6 && count != 100) continue;
        McdOptions bracket, decide;
        bracket.tolerance = decide.tolerance = tolerance;
        decide.threshold = 0.1;
        decide.decide_only = true;
        const auto time = [&](const auto& query, const McdOptions& options) {
          return nanosecondsPerCall(
              [&](int i) { keep(query(floor, motions.shapes[i % kMotions], options)); }, 0.05, 5);
        };
        const auto direct = [](auto a, const auto& b, const McdOptions& o) {
          return minimumDistance(std::span<const ConvexCurve>(a), b, o);
        };
        const double old_bracket = time(general, bracket), new_bracket = time(direct, bracket);
        const double old_decide = time(general, decide), new_decide = time(direct, decide);
        int violated = 0;
        for (int i = 0; count <= 1000 && i < kMotions; ++i) {
          const DistanceBracket found = minimumDistance(floor, motions.shapes[i], bracket);
          double least = HUGE_VAL;
          for (int k = 0; k <= 200; ++k) {
            const Pose X = motions.bodies[i].pose(k / 200.0);
            for (const Vec3& p : points) least = std::min(least, (X * p).z());
          }
          violated += found.lower > least + 1e-13 || found.upper < found.lower;
        }
        std::printf("%9d %6.1f %6.0e | %9.0f %9.0f | %9.0f %9.0f | %9d\n", count, turn, tolerance,
                    old_bracket, new_bracket, old_decide, new_decide, violated);
        char key[80];
        std::snprintf(key, sizeof key, "minimum.%d.%.1f.%.0e.", count, turn, tolerance);
        report->figure(std::string(key) + "general_ns", old_bracket);
        report->figure(std::string(key) + "direct_ns", new_bracket);
        report->figure(std::string(key) + "direct_threshold_ns", new_decide);
        report->figure(std::string(key) + "violated", violated);
      }
    }
  }
}

// --- Kim's experiment

const Fall kFall = {3.0, 15.0, -9.8, {-1.789, 1.123, -0.789}};
constexpr double kEnd = 3.0;
constexpr int kCells = 8;

/// Curves of the fall over [0, kEnd], and of the shape along them.
struct FallCurves {
  std::array<BodyCurve, kCells> bodies;
  std::array<ConvexCurve, kCells> curves;

  explicit FallCurves(const Shape& shape) { fill(shape); }
  void fill(const Shape& shape) {
    const double speed = kFall.omega.norm();
    for (int c = 0; c < kCells; ++c) {
      const double start = kEnd * c / kCells, length = kEnd / kCells;
      std::array<Pose, LobattoNodes::kCount> poses;
      for (int k = 0; k < LobattoNodes::kCount; ++k) {
        const double t = start + length * LobattoNodes::at(k);
        poses[k] = {kFall.rotation(t), {10.0 * t, 5.0 * t, kFall.height(t)}};
      }
      BodyCurve& body = bodies[c];
      body.time = {start, c + 1 == kCells ? kEnd : start + length};
      body.control = LobattoNodes::controlFromSamples(poses);
      body.position_error = 1e-13;
      // Interpolation of exp(i w t) at eight Chebyshev-Lobatto nodes.
      body.rotation_error = std::pow(0.5 * length * speed, 8) / 40320.0 / 64.0 + 1e-14;
      body.bounds.linear[0] = 60.0;
      body.bounds.angular[0] = speed;
    }
    convexCurves(bodies, shape, Pose{}, curves);
  }
};

struct Body {
  const char* name;
  std::vector<Vec3> points;
  double printed_continuous, printed_005, printed_001;  ///< unit not given
};

std::vector<Vec3> ring(int sides, double radius, double z) {
  std::vector<Vec3> points;
  for (int i = 0; i < sides; ++i) {
    const double turn = 2.0 * std::numbers::pi * i / sides;
    points.emplace_back(radius * std::cos(turn), radius * std::sin(turn), z);
  }
  return points;
}

std::vector<Body> bodies() {
  std::vector<Vec3> cube, octahedron, cone = ring(12, 0.6, -0.4), pot;
  for (int i = 0; i < 8; ++i)
    cube.emplace_back(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
  for (int i = 0; i < 6; ++i) octahedron.push_back((i % 2 ? -0.8 : 0.8) * Vec3::Unit(i / 2));
  cone.emplace_back(0.0, 0.0, 0.8);
  for (double z : {-0.5, -0.3, 0.1, 0.5}) {
    for (const Vec3& p : ring(16, z < -0.4 || z > 0.4 ? 0.45 : 0.7, z)) pot.push_back(p);
  }
  const double none = std::nan("");
  return {{"cube (6)", cube, 0.159, 2.50, 12.5},
          {"octahedron (8)", octahedron, 0.156, 2.49, 12.5},
          {"cone (13)", cone, 0.307, 2.61, 12.8},
          {"pot (50)", pot, 0.411, 5.45, 27.6},
          {"sphere (64)", spherePoints(34, 0.75), 1.299, 6.48, 31.8},
          {"sphere (100)", spherePoints(52, 0.75), 1.483, 11.4, 50.0},
          {"sphere (200)", spherePoints(102, 0.75), 4.379, 17.2, 80.6},
          {"sphere, 10^4", spherePoints(10000, 0.75), none, none, none},
          {"sphere, 10^5", spherePoints(100000, 0.75), none, none, none}};
}

/// The rival that keeps its last corner: the first step at which the lowest corner is below.
double walkContact(const PointCloud& cloud, double step) {
  PointCloud::Walk walk;
  const Vec3 c = cloud.ball().center;
  for (int i = 0; i * step <= kEnd; ++i) {
    const double t = i * step;
    const Vec3 m = kFall.down(t);
    if (kFall.height(t) - m.dot(cloud.corner(cloud.farthest(m, &walk)) + c) <= 0.0) return t;
  }
  return kEnd;
}

void kim(Report* report) {
  std::printf(
      "\nfirst contact in Kim's scene, us: his figures (continuous, discrete 0.005 and "
      "0.001; unit not given); his method as printed and with the true speed; a walk in "
      "steps; ours with curves, and with curves ready\n"
      "%-15s | %7s %7s %7s | %9s %9s | %8s %8s | %7s %7s | %s\n",
      "body (faces)", "print", "0.005", "0.001", "printed", "speed", "0.005", "0.001", "ours",
      "ready", "contact");
  const auto floor = floorCurve();
  for (const Body& body : bodies()) {
    const Shape shape = ConvexMesh(body.points);
    const PointCloud& cloud = std::get<ConvexMesh>(shape).cloud();
    KimDiagram printed(body.points, kFall, std::sqrt(3.0)), speed(body.points, kFall, 1.0);
    const auto us = [](const auto& call) { return 1e-3 * nanosecondsPerCall(call, 0.02, 3); };
    const double t_printed = us([&](int) { keep(printed.firstContact(kEnd)); });
    const double t_speed = us([&](int) { keep(speed.firstContact(kEnd)); });
    const double t_005 = us([&](int) { keep(walkContact(cloud, 0.005)); });
    const double t_001 = us([&](int) { keep(walkContact(cloud, 0.001)); });
    FallCurves curves(shape);
    const double t_ready = us([&](int) { keep(firstContact(floor, curves.curves, 0.0, {})); });
    const double t_ours = us([&](int) {
      curves.fill(shape);
      keep(firstContact(floor, curves.curves, 0.0, {}));
    });
    const FirstContact contact = firstContact(floor, curves.curves, 0.0, {});
    std::printf(
        "%-15s | %7.3f %7.2f %7.1f | %9.1f %9.1f | %8.1f %8.1f | %7.2f %7.2f | %.9f, his "
        "%.9f, steps %.3f\n",
        body.name, body.printed_continuous, body.printed_005, body.printed_001, t_printed, t_speed,
        t_005, t_001, t_ours, t_ready, contact.below_at, printed.firstContact(kEnd).value_or(-1.0),
        walkContact(cloud, 0.005));
    const std::string key = std::string("kim.") + body.name + ".";
    report->figure(key + "printed_us", t_printed);
    report->figure(key + "walk_us", t_005);
    report->figure(key + "ours_us", t_ours);
    report->figure(key + "ready_us", t_ready);
  }
}

// --- The sequence of lowest corners

void sequences(Report* report) {
  std::printf("\nsequence of lowest corners over one turn of 1.5 rad\n%9s %9s %9s %9s\n", "corners",
              "changes", "us", "us/change");
  const auto floor = floorCurve();
  for (int count : {100, 1000, 10000}) {
    const Shape shape = ConvexMesh(spherePoints(count, 0.5));
    const Motions motions(shape, 1.5, 20);
    double changes = 0.0;
    for (const auto& curves : motions.shapes) {
      changes += static_cast<double>(mcd::lowestCorners(floor, curves).size()) / 20.0;
    }
    const double us =
        1e-3 *
        nanosecondsPerCall([&](int i) { keep(mcd::lowestCorners(floor, motions.shapes[i % 20])); },
                           0.05, 3);
    std::printf("%9d %9.1f %9.1f %9.2f\n", count, changes, us, us / changes);
    report->figure("sequence." + std::to_string(count) + ".us_per_change", us / changes);
  }
}

}  // namespace
}  // namespace allclear::bench

int main(int argc, char** argv) {
  CLI::App app("Convex meshes above a plane at rest");
  std::string json;
  app.add_option("--json", json, "write the figures to this file");
  CLI11_PARSE(app, argc, argv);
  allclear::bench::Report report(json);
  allclear::bench::supports(&report);
  allclear::bench::minima(&report);
  allclear::bench::kim(&report);
  allclear::bench::sequences(&report);
  return 0;
}
