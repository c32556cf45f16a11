// Static signed distance, pair by pair: nanoseconds per query to rounding, and with a tolerance,
// beside FCL and (where it was built with it) Coal on the same poses in the same run, and the worst
// disagreements. All take turns, round by round, and the fastest round of each counts.
//
// Half-space pairs are timed against FCL's collide() with one contact, for its distance() does not
// know them; they are not compared with Coal, which has closed forms for them as we do.

#include <fcl/fcl.h>

#include <time.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "allclear/distance/signed_distance.h"
#ifdef ALLCLEAR_WITH_COAL
#include "bench/support/coal_rival.h"
#endif

namespace {

using allclear::Pose;
using allclear::Shape;
using allclear::SignedDistance;
using allclear::Vec3;
using Geometry = std::shared_ptr<fcl::CollisionGeometryd>;

constexpr int kPairsPerRegime = 400;
constexpr int kHalfSpace = 6;
constexpr const char* kRegimes[] = {"separated", "near", "penetrating"};

struct Model {
  std::string name;
  Shape shape;
  Geometry rival;
  // Of a convex mesh, for Coal.
  std::vector<Vec3> corners;
  std::vector<allclear::Triangle> triangles;
};

/// Corners of a sphere-like polytope with triangular faces, ordered counterclockwise from outside.
struct Globe {
  std::vector<Vec3> corners;
  std::vector<int> faces;  // FCL's format: count, then that many indices
};

Globe makeGlobe(int rings, int sectors, const Vec3& radii) {
  Globe globe;
  const double pi = std::acos(-1.0);
  globe.corners.push_back(Vec3(0.0, 0.0, radii.z()));
  for (int i = 1; i < rings; ++i) {
    for (int j = 0; j < sectors; ++j) {
      const double polar = pi * i / rings;
      const double turn = 2.0 * pi * j / sectors;
      globe.corners.push_back(radii.cwiseProduct(Vec3(
          std::sin(polar) * std::cos(turn), std::sin(polar) * std::sin(turn), std::cos(polar))));
    }
  }
  globe.corners.push_back(Vec3(0.0, 0.0, -radii.z()));
  const int last = static_cast<int>(globe.corners.size()) - 1;
  const auto at = [&](int i, int j) { return 1 + (i - 1) * sectors + j % sectors; };
  const auto face = [&](int a, int b, int c) {
    globe.faces.insert(globe.faces.end(), {3, a, b, c});
  };
  for (int j = 0; j < sectors; ++j) {
    face(0, at(1, j), at(1, j + 1));
    for (int i = 1; i + 1 < rings; ++i) {
      face(at(i, j), at(i + 1, j), at(i + 1, j + 1));
      face(at(i, j), at(i + 1, j + 1), at(i, j + 1));
    }
    face(last, at(rings - 1, j + 1), at(rings - 1, j));
  }
  return globe;
}

Model convexModel(const std::string& name, const Globe& globe) {
  const auto points = std::make_shared<const std::vector<fcl::Vector3d>>(globe.corners.begin(),
                                                                         globe.corners.end());
  const auto faces = std::make_shared<const std::vector<int>>(globe.faces);
  Model model{
      name,
      allclear::ConvexMesh(globe.corners),
      std::make_shared<fcl::Convexd>(points, static_cast<int>(globe.faces.size()) / 4, faces),
      globe.corners,
      {}};
  for (std::size_t i = 0; i < globe.faces.size(); i += 4) {
    model.triangles.push_back({globe.faces[i + 1], globe.faces[i + 2], globe.faces[i + 3]});
  }
  return model;
}

std::vector<Model> makeModels() {
  using namespace allclear;
  const auto model = [](const char* name, const Shape& shape, auto* rival) -> Model {
    return {name, shape, Geometry(rival), {}, {}};
  };
  return {model("sphere", Sphere(0.3), new fcl::Sphered(0.3)),
          model("capsule", Capsule(0.1, 0.6), new fcl::Capsuled(0.1, 0.6)),
          model("box", Box(Vec3(0.3, 0.5, 0.7)), new fcl::Boxd(0.3, 0.5, 0.7)),
          model("cylinder", Cylinder(0.25, 0.6), new fcl::Cylinderd(0.25, 0.6)),
          model("cone", Cone(0.3, 0.6), new fcl::Coned(0.3, 0.6)),
          model("ellipsoid", Ellipsoid(Vec3(0.2, 0.3, 0.4)), new fcl::Ellipsoidd(0.2, 0.3, 0.4)),
          model("halfspace", HalfSpace{}, new fcl::Halfspaced(fcl::Vector3d::UnitZ(), 0.0)),
          convexModel("convex26", makeGlobe(5, 6, Vec3(0.25, 0.3, 0.35))),
          convexModel("convex482", makeGlobe(17, 30, Vec3(0.25, 0.3, 0.35)))};
}

struct Placement {
  Pose X_WA;
  Pose X_WB;
};

/// Random poses whose signed distance lies in the regime: up to one size apart, within 1e-3 of
/// touching, or overlapping by up to a fifth of the size.
std::vector<Placement> makePlacements(const Model& A, const Model& B, int regime,
                                      std::mt19937_64* random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const auto rotation = [&] {
    return Eigen::Quaterniond(normal(*random), normal(*random), normal(*random), normal(*random))
        .normalized()
        .toRotationMatrix();
  };
  std::vector<Placement> placements;
  while (placements.size() < kPairsPerRegime) {
    Placement p{{rotation(), Vec3(normal(*random), normal(*random), normal(*random))},
                {rotation(), Vec3::Zero()}};
    const Vec3 way = Vec3(normal(*random), normal(*random), normal(*random)).normalized();
    p.X_WB.p = p.X_WA.p + 0.5 * way;
    const SignedDistance now = allclear::signedDistance(A.shape, p.X_WA, B.shape, p.X_WB);
    const double u = uniform(*random);
    const double wanted = regime == 0   ? 0.6 * u + 0.01
                          : regime == 1 ? 1e-3 * (2.0 * u - 1.0)
                                        : -0.12 * u - 1e-3;
    p.X_WB.p += (wanted - now.distance) * now.normal;
    const double then = allclear::signedDistance(A.shape, p.X_WA, B.shape, p.X_WB).distance;
    const bool fits = regime == 0 ? then > 0.0 : regime == 1 ? std::abs(then) < 2e-3 : then < 0.0;
    if (fits) placements.push_back(p);
  }
  return placements;
}

fcl::Transform3d rivalPose(const Pose& X) {
  fcl::Transform3d T = fcl::Transform3d::Identity();
  T.linear() = X.R;
  T.translation() = X.p;
  return T;
}

struct RivalQuery {
  const fcl::CollisionGeometryd* A;
  fcl::Transform3d T_A;
  const fcl::CollisionGeometryd* B;
  fcl::Transform3d T_B;
};

double rivalDistance(const RivalQuery& q) {
  static const fcl::DistanceRequestd request(true, true);
  fcl::DistanceResultd result;
  return fcl::distance(q.A, q.T_A, q.B, q.T_B, request, result);
}

/// Minus the depth; NaN when FCL says the two do not touch.
double rivalCollide(const RivalQuery& q) {
  static const fcl::CollisionRequestd request(1, true);
  fcl::CollisionResultd result;
  fcl::collide(q.A, q.T_A, q.B, q.T_B, request, result);
  return result.numContacts() > 0 ? -result.getContact(0).penetration_depth : std::nan("");
}

/// Processor time of this thread, so that a busy machine disturbs little.
double threadNanoseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

/// One of those that answer the queries of a cell: its answers, and its fastest round.
struct Contender {
  std::vector<double> answers;  ///< empty: it takes no part
  double best_ns = 1e300;       ///< per query
  int failures = 0;

  /// `answer(i)` may throw: a failure.
  template <class Answer>
  void run(std::size_t queries, const Answer& answer) {
    answers.assign(queries, std::nan(""));
    failures = 0;
    const double start = threadNanoseconds();
    for (std::size_t i = 0; i < queries; ++i) {
      try {
        answers[i] = answer(i);
      } catch (const std::exception&) {
        ++failures;
      }
    }
    best_ns = std::min(best_ns, (threadNanoseconds() - start) / static_cast<double>(queries));
  }
  /// The worst disagreement with the other's answers [m], of those that both have.
  double disagreement(const Contender& other) const {
    double worst = 0.0;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const double difference = std::abs(answers[i] - other.answers[i]);
      if (difference > worst) worst = difference;
    }
    return worst;
  }
};

/// What was measured of one pair in one regime.
struct Cell {
  Contender exact, coarse, fcl, coal;
  Contender prepared;  ///< Coal with an object made for the pair
};

Cell measure(const Model& A, const Model& B, int regime, double tolerance,
             std::mt19937_64* random) {
  constexpr int kRounds = 9;
  constexpr int kRoundsOfFcl = 3;
  const std::vector<Placement> placements = makePlacements(A, B, regime, random);
  const bool by_contact = std::holds_alternative<allclear::HalfSpace>(A.shape) ||
                          std::holds_alternative<allclear::HalfSpace>(B.shape);
  std::vector<RivalQuery> queries;
  for (const Placement& p : placements) {
    queries.push_back({A.rival.get(), rivalPose(p.X_WA), B.rival.get(), rivalPose(p.X_WB)});
  }
  const auto ours = [&](std::size_t i, double allowed) {
    const Placement& p = placements[i];
    return signedDistance(A.shape, p.X_WA, B.shape, p.X_WB, nullptr, {.tolerance = allowed})
        .distance;
  };
  const std::size_t count = placements.size();
  Cell cell;
#ifdef ALLCLEAR_WITH_COAL
  namespace bench = allclear::bench;
  bench::CoalQueries coal(bench::coalGeometry(A.shape, A.corners, A.triangles),
                          bench::coalGeometry(B.shape, B.corners, B.triangles), tolerance);
  for (const Placement& p : placements) coal.addPoses(p.X_WA, p.X_WB);
#endif
  for (int round = 0; round < kRounds; ++round) {
    cell.exact.run(count, [&](std::size_t i) { return ours(i, 0.0); });
    cell.coarse.run(count, [&](std::size_t i) { return ours(i, tolerance); });
#ifdef ALLCLEAR_WITH_COAL
    if (!by_contact) {
      cell.coal.run(count, [&](std::size_t i) { return coal.distance(i); });
      cell.prepared.run(count, [&](std::size_t i) { return coal.preparedDistance(i); });
    }
#endif
    if (round >= kRoundsOfFcl) continue;
    cell.fcl.run(count, [&](std::size_t i) {
      return by_contact ? rivalCollide(queries[i]) : rivalDistance(queries[i]);
    });
  }
  return cell;
}

/// In how many cells we are faster than a rival, and the least ratio of its time to ours.
struct Standing {
  int cells = 0;
  int faster = 0;
  double least = 1e300;

  void add(double ratio) {
    ++cells;
    if (ratio > 1.0) ++faster;
    least = std::min(least, ratio);
  }
  void report(const char* what, const char* key, nlohmann::json* figures) const {
    if (cells == 0) return;
    std::printf("%s: faster in %d of %d cells, least ratio %.2f\n", what, faster, cells, least);
    (*figures)[std::string(key) + "/cells"] = cells;
    (*figures)[std::string(key) + "/faster"] = faster;
    (*figures)[std::string(key) + "/least_ratio"] = least;
  }
};

/// The standings so far, and the lines and figures of each cell.
struct Table {
  Standing against_fcl, coarse_against_coal, exact_against_coal;
  Standing coarse_against_prepared, exact_against_prepared;
  nlohmann::json figures;

  static void printHead() {
    std::printf("%-22s %-11s %8s %8s %8s %8s %8s | %7s %8s %7s | %7s %8s %8s\n", "ns per query", "",
                "exact", "coarse", "FCL", "Coal", "prepared", "F/exact", "C/coarse", "C/exact",
                "error", "FCL", "Coal");
  }

  void add(const std::string& pair, const char* regime, const Cell& cell) {
    const std::string key = pair + "/" + regime;
    const double fcl = cell.fcl.best_ns / cell.exact.best_ns;
    std::printf("%-22s %-11s %8.0f %8.0f %8.0f ", pair.c_str(), regime, cell.exact.best_ns,
                cell.coarse.best_ns, cell.fcl.best_ns);
    figures[key + "/allclear_ns"] = cell.exact.best_ns;
    figures[key + "/allclear_coarse_ns"] = cell.coarse.best_ns;
    figures[key + "/fcl_ns"] = cell.fcl.best_ns;
    figures[key + "/ratio"] = fcl;
    figures[key + "/coarse_error_m"] = cell.coarse.disagreement(cell.exact);
    figures[key + "/disagreement_m"] = cell.fcl.disagreement(cell.exact);
    figures[key + "/fcl_failures"] = cell.fcl.failures;
    against_fcl.add(fcl);
    if (!cell.coal.answers.empty()) {
      const double coarse = cell.coal.best_ns / cell.coarse.best_ns;
      const double exact = cell.coal.best_ns / cell.exact.best_ns;
      std::printf("%8.0f %8.0f | %6.1fx %7.2fx %6.2fx | ", cell.coal.best_ns, cell.prepared.best_ns,
                  fcl, coarse, exact);
      figures[key + "/coal_ns"] = cell.coal.best_ns;
      figures[key + "/coal_ratio_coarse"] = coarse;
      figures[key + "/coal_ratio"] = exact;
      figures[key + "/coal_disagreement_m"] = cell.coal.disagreement(cell.exact);
      coarse_against_coal.add(coarse);
      exact_against_coal.add(exact);
      figures[key + "/coal_prepared_ns"] = cell.prepared.best_ns;
      coarse_against_prepared.add(cell.prepared.best_ns / cell.coarse.best_ns);
      exact_against_prepared.add(cell.prepared.best_ns / cell.exact.best_ns);
    } else {
      std::printf("%8s %8s | %6.1fx %8s %7s | ", "-", "-", fcl, "-", "-");
    }
    std::printf("%7.0e %8.0e", cell.coarse.disagreement(cell.exact),
                cell.fcl.disagreement(cell.exact));
    if (!cell.coal.answers.empty()) std::printf(" %8.0e", cell.coal.disagreement(cell.exact));
    if (cell.fcl.failures > 0) std::printf("  (FCL failed %d times)", cell.fcl.failures);
    std::printf("\n");
  }
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Static shape distances beside FCL " FCL_VERSION " and, where CMake found it, Coal");
  std::string json_file;
  std::string only;
  std::string only_regime;
  double tolerance = 1e-6;
  app.add_option("--json", json_file, "write the figures here");
  app.add_option("--only", only, "only pairs with this shape, or this pair (A-B)");
  app.add_option("--regime", only_regime, "only separated, near or penetrating");
  app.add_option("--tolerance", tolerance, "of coarse queries, ours and Coal's [m]");
  CLI11_PARSE(app, argc, argv);

  std::mt19937_64 random(20240607);
  const std::vector<Model> models = makeModels();
  Table table;
  Table::printHead();
  for (std::size_t i = 0; i < models.size(); ++i) {
    for (std::size_t j = i; j < models.size(); ++j) {
      if (i == kHalfSpace && j == kHalfSpace) continue;
      const std::string pair = models[i].name + "-" + models[j].name;
      if (!only.empty() && models[i].name != only && models[j].name != only && pair != only) {
        continue;
      }
      for (int regime = 0; regime < 3; ++regime) {
        if (!only_regime.empty() && only_regime != kRegimes[regime]) continue;
        table.add(pair, kRegimes[regime],
                  measure(models[i], models[j], regime, tolerance, &random));
      }
    }
  }
  table.against_fcl.report("to rounding, beside FCL", "fcl", &table.figures);
  table.coarse_against_coal.report("at equal tolerance, beside Coal", "coal_coarse",
                                   &table.figures);
  table.exact_against_coal.report("to rounding, beside Coal", "coal_exact", &table.figures);
  table.coarse_against_prepared.report("at equal tolerance, beside Coal prepared for the pair",
                                       "coal_prepared_coarse", &table.figures);
  table.exact_against_prepared.report("to rounding, beside Coal prepared for the pair",
                                      "coal_prepared_exact", &table.figures);
  if (!json_file.empty()) {
    std::ofstream(json_file) << nlohmann::json{{"figures", table.figures}}.dump(1) << "\n";
  }
  return 0;
}
