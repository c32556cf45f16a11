// Static signed distance, pair by pair: nanoseconds per query beside FCL on the same poses in the
// same run, and the worst disagreement of the two. Half-space pairs are timed against FCL's
// collide() with one contact, for its distance() does not know them.

#include <fcl/fcl.h>

#include <time.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "allclear/distance/signed_distance.h"

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
  return {name, allclear::ConvexMesh(globe.corners),
          std::make_shared<fcl::Convexd>(points, static_cast<int>(globe.faces.size()) / 4, faces)};
}

std::vector<Model> makeModels() {
  using namespace allclear;
  const auto rival = [](auto* shape) { return Geometry(shape); };
  return {{"sphere", Sphere(0.3), rival(new fcl::Sphered(0.3))},
          {"capsule", Capsule(0.1, 0.6), rival(new fcl::Capsuled(0.1, 0.6))},
          {"box", Box(Vec3(0.3, 0.5, 0.7)), rival(new fcl::Boxd(0.3, 0.5, 0.7))},
          {"cylinder", Cylinder(0.25, 0.6), rival(new fcl::Cylinderd(0.25, 0.6))},
          {"cone", Cone(0.3, 0.6), rival(new fcl::Coned(0.3, 0.6))},
          {"ellipsoid", Ellipsoid(Vec3(0.2, 0.3, 0.4)), rival(new fcl::Ellipsoidd(0.2, 0.3, 0.4))},
          {"halfspace", HalfSpace{}, rival(new fcl::Halfspaced(fcl::Vector3d::UnitZ(), 0.0))},
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

/// Fastest of several rounds over all items [ns per item].
template <class Function>
double timePerItem(std::size_t items, const Function& run) {
  constexpr int kRounds = 7;
  double best = 1e300;
  for (int round = 0; round < kRounds; ++round) {
    const double start = threadNanoseconds();
    for (std::size_t i = 0; i < items; ++i) run(i);
    best = std::min(best, (threadNanoseconds() - start) / static_cast<double>(items));
  }
  return best;
}

struct Row {
  double ours[3];
  double rival[3];
  double disagreement[3];
  int rival_failures = 0;
};

Row measure(const Model& A, const Model& B, std::mt19937_64* random) {
  Row row;
  const bool by_contact = std::holds_alternative<allclear::HalfSpace>(A.shape) ||
                          std::holds_alternative<allclear::HalfSpace>(B.shape);
  for (int regime = 0; regime < 3; ++regime) {
    const std::vector<Placement> placements = makePlacements(A, B, regime, random);
    std::vector<RivalQuery> queries;
    for (const Placement& p : placements) {
      queries.push_back({A.rival.get(), rivalPose(p.X_WA), B.rival.get(), rivalPose(p.X_WB)});
    }
    std::vector<double> ours(placements.size());
    std::vector<double> theirs(placements.size());
    row.ours[regime] = timePerItem(placements.size(), [&](std::size_t i) {
      ours[i] = signedDistance(A.shape, placements[i].X_WA, B.shape, placements[i].X_WB).distance;
    });
    std::vector<bool> failed(placements.size(), false);
    row.rival[regime] = timePerItem(placements.size(), [&](std::size_t i) {
      try {
        theirs[i] = by_contact ? rivalCollide(queries[i]) : rivalDistance(queries[i]);
      } catch (const std::exception&) {
        failed[i] = true;
      }
    });
    row.disagreement[regime] = 0.0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      if (failed[i]) {
        ++row.rival_failures;
      } else if (!(by_contact && std::isnan(theirs[i]))) {
        row.disagreement[regime] =
            std::max(row.disagreement[regime], std::abs(ours[i] - theirs[i]));
      }
    }
  }
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Static shape distances beside FCL " FCL_VERSION);
  std::string json_file;
  std::string only;
  app.add_option("--json", json_file, "write the figures here");
  app.add_option("--only", only, "only pairs with this shape");
  CLI11_PARSE(app, argc, argv);

  std::mt19937_64 random(20240607);
  nlohmann::json figures;
  const std::vector<Model> models = makeModels();
  std::printf("%-22s %28s %28s %28s %7s %9s\n", "ns: allclear/FCL (ratio)", kRegimes[0],
              kRegimes[1], kRegimes[2], "failed", "disagree");
  double least_ratio = 1e300;
  for (std::size_t i = 0; i < models.size(); ++i) {
    for (std::size_t j = i; j < models.size(); ++j) {
      if (i == kHalfSpace && j == kHalfSpace) continue;
      if (!only.empty() && models[i].name != only && models[j].name != only) continue;
      const std::string pair = models[i].name + "-" + models[j].name;
      const Row row = measure(models[i], models[j], &random);
      std::printf("%-22s", pair.c_str());
      double worst = 0.0;
      for (int r = 0; r < 3; ++r) {
        const double ratio = row.rival[r] / row.ours[r];
        std::printf(" %9.0f /%9.0f %6.1fx", row.ours[r], row.rival[r], ratio);
        const std::string key = pair + "/" + kRegimes[r];
        figures[key + "/allclear_ns"] = row.ours[r];
        figures[key + "/fcl_ns"] = row.rival[r];
        figures[key + "/ratio"] = ratio;
        figures[key + "/disagreement_m"] = row.disagreement[r];
        worst = std::max(worst, row.disagreement[r]);
        least_ratio = std::min(least_ratio, ratio);
      }
      std::printf(" %7d %9.1e\n", row.rival_failures, worst);
      figures[pair + "/fcl_failures"] = row.rival_failures;
    }
  }
  std::printf("least ratio %.2f\n", least_ratio);
  figures["least_ratio"] = least_ratio;
  if (!json_file.empty()) {
    std::ofstream(json_file) << nlohmann::json{{"figures", figures}}.dump(1) << "\n";
  }
  return 0;
}
