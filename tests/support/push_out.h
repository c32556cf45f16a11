#pragma once

// A free body pushed out of another one by the optimiser: least displacement with a signed distance
// of at least a margin. What a distance is worth to an optimiser shows in how often that converges.

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "allclear/distance/mesh_depth/depth.h"
#include "allclear/distance/phong/smooth_distance.h"
#include "allclear/planner/program/nlp.h"
#include "support/mesh_samples.h"

namespace allclear::test {

/// Two bodies of diameter about 1, and what they are called.
struct PushOutPair {
  std::string name;
  std::shared_ptr<const SmoothBody> still, free;
};

/// x: translation and rotation vector of the free body, from where it started.
class PushOutProgram : public NonlinearProgram {
 public:
  PushOutProgram(const PushOutPair& pair, const Pose& start, const SmoothOptions& options)
      : pair_(pair), start_(start), options_(options) {}

  static constexpr double kMargin = 0.01;
  static constexpr double kLever = 0.3;  ///< what a radian counts

  Pose pose(const VecX& x) const {
    const Vec3 r = x.tail<3>();
    const double angle = r.norm();
    const Mat3 R = angle > 0.0 ? rotationAbout(r / angle, angle) : Mat3(Mat3::Identity());
    return {R * start_.R, start_.p + x.head<3>()};
  }
  SmoothDistance distance(const VecX& x) {
    ++queries;
    return smoothDistance(*pair_.still, Pose(), *pair_.free, pose(x), options_, &state_);
  }
  /// An iterate was taken: the branch may change here, and stays until the next one.
  void settle() {
    state_.frozen = false;
    last_ = distance(x_);
    state_.frozen = true;
  }

  Bounds bounds() const override {
    return {VecX::Constant(6, -3.0), VecX::Constant(6, 3.0), VecX::Constant(1, kMargin),
            VecX::Constant(1, HUGE_VAL)};
  }
  std::vector<Entry> jacobianEntries() const override {
    return {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}};
  }
  std::vector<Entry> hessianEntries() const override { return {}; }
  void setPoint(const VecX& x) override {
    x_ = x;
    last_ = distance(x);
  }
  double cost() override {
    return 0.5 * (x_.head<3>().squaredNorm() + kLever * kLever * x_.tail<3>().squaredNorm());
  }
  void costGradient(Eigen::Ref<VecX> gradient) override {
    gradient = x_;
    gradient.tail<3>() *= kLever * kLever;
  }
  void constraints(Eigen::Ref<VecX> g) override { g[0] = last_.distance; }
  void jacobian(Eigen::Ref<VecX> values) override {
    values.head<3>() = last_.gradient.translation_B;
    values.tail<3>() = leftJacobian(x_.tail<3>()).transpose() * last_.gradient.rotation_B;
  }
  void hessian(double, const VecX&, Eigen::Ref<VecX>) override {}

  int queries = 0;

 private:
  /// From the rate of a rotation vector to that of turning.
  static Mat3 leftJacobian(const Vec3& r) {
    const double angle = r.norm();
    Mat3 K;
    K << 0.0, -r.z(), r.y(), r.z(), 0.0, -r.x(), -r.y(), r.x(), 0.0;
    if (angle < 1e-6) return Mat3::Identity() + 0.5 * K;
    return Mat3::Identity() + (1.0 - std::cos(angle)) / (angle * angle) * K +
           (angle - std::sin(angle)) / (angle * angle * angle) * K * K;
  }

  const PushOutPair& pair_;
  Pose start_;
  SmoothOptions options_;
  SmoothState state_;
  VecX x_;
  SmoothDistance last_;
};

/// A surface of revolution about z from its outline (radius, z), closed at its ends on the axis.
inline TriangleMesh turnedMesh(const std::vector<Vec2>& outline, int around) {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  std::vector<std::vector<int>> rings;
  for (const Vec2& point : outline) {
    std::vector<int> ring;
    const int count = point.x() > 0.0 ? around : 1;
    for (int i = 0; i < around; ++i) {
      if (i < count) {
        const double angle = 2.0 * std::numbers::pi * i / around;
        vertices.push_back({point.x() * std::cos(angle), point.x() * std::sin(angle), point.y()});
      }
      ring.push_back(static_cast<int>(vertices.size()) - 1);
    }
    rings.push_back(ring);
  }
  for (std::size_t k = 1; k < rings.size(); ++k) {
    for (int i = 0; i < around; ++i) {
      const int j = (i + 1) % around;
      const int a = rings[k - 1][i], b = rings[k - 1][j], c = rings[k][i], d = rings[k][j];
      if (a != b) triangles.push_back({a, b, c});
      if (c != d) triangles.push_back({b, d, c});
    }
  }
  return {std::move(vertices), std::move(triangles)};
}

/// From below, up along the outside: outlines ascend so that triangles face outward.
inline TriangleMesh ellipsoidMesh(const Vec3& radii) {
  std::vector<Vec2> outline;
  for (int i = 0; i <= 12; ++i) {
    const double angle = std::numbers::pi * (i / 12.0 - 0.5);
    outline.push_back({i % 12 == 0 ? 0.0 : std::cos(angle), std::sin(angle)});
  }
  const TriangleMesh ball = turnedMesh(outline, 24);
  std::vector<Vec3> vertices = ball.vertices();
  for (Vec3& v : vertices) v = v.cwiseProduct(radii);
  return {std::move(vertices), ball.triangles()};
}
inline TriangleMesh coneMesh(double radius, double length) {
  return turnedMesh({{0.0, -0.5 * length}, {radius, -0.5 * length}, {0.0, 0.5 * length}}, 24);
}
inline TriangleMesh cupMesh() {
  return turnedMesh(
      {{0.0, -0.3}, {0.3, -0.3}, {0.4, 0.3}, {0.33, 0.3}, {0.24, -0.22}, {0.0, -0.22}}, 24);
}

/// The convex ones against their own like; the cup and the torus, by the pieces of their covers,
/// against a rod.
inline std::vector<PushOutPair> pushOutPairs() {
  const auto body = [](TriangleMesh mesh) {
    return std::make_shared<const SmoothBody>(Shape(std::move(mesh)));
  };
  const auto ellipsoid = body(ellipsoidMesh(Vec3(0.5, 0.35, 0.25)));
  const auto box = body(boxMesh(Vec3(0.3, 0.25, 0.2)));
  const auto cone = body(coneMesh(0.35, 0.8));
  const auto rod = body(boxMesh(Vec3(0.35, 0.06, 0.04)));
  return {{"ellipsoid", ellipsoid, ellipsoid},
          {"box", box, box},
          {"cone", cone, cone},
          {"cup", body(cupMesh()), rod},
          {"torus", body(torusMesh(0.38, 0.12, 32, 16)), rod}};
}

/// True ellipsoids, for which there is the gauge.
inline std::vector<PushOutPair> ellipsoidPushOutPairs() {
  const auto body = [](const Vec3& radii) {
    return std::make_shared<const SmoothBody>(Shape(Ellipsoid(radii)));
  };
  const auto egg = body(Vec3(0.5, 0.35, 0.25)), disc = body(Vec3(0.5, 0.5, 0.1));
  const auto cigar = body(Vec3(0.5, 0.12, 0.12)), ball = body(Vec3(0.4, 0.4, 0.4));
  return {{"eggs", egg, egg},
          {"disc-cigar", disc, cigar},
          {"discs", disc, disc},
          {"ball-cigar", ball, cigar}};
}

struct PushOutScore {
  int starts = 0;
  int converged = 0;  ///< says the solver, and the bodies are apart, says the Euclidean distance
  double iterations = 0.0;  ///< mean over those
  double queries = 0.0;     ///< mean over all
};

inline PushOutScore pushOut(const PushOutPair& pair, const SmoothOptions& options, int starts,
                            unsigned seed, int most_iterations) {
  std::mt19937 random(seed);
  const auto normal = [&] { return std::normal_distribution<double>()(random); };
  PushOutScore score;
  SmoothOptions euclid;
  euclid.method = SmoothMethod::kEuclidean;
  while (score.starts < starts) {
    const Pose start{
        Eigen::Quaterniond(normal(), normal(), normal(), normal()).normalized().toRotationMatrix(),
        0.2 * Vec3(normal(), normal(), normal())};
    const auto exact = [&](const Pose& X) {
      return smoothDistance(*pair.still, Pose(), *pair.free, X, euclid).distance;
    };
    if (exact(start) > -0.05) continue;
    ++score.starts;
    PushOutProgram program(pair, start, options);
    NlpOptions nlp;
    nlp.quasi_newton = true;
    nlp.tolerance = 1e-4;
    nlp.max_iterations = most_iterations;
    const NlpResult result = solveNlp(program, VecX::Zero(6), nlp, [&](const NlpIteration&) {
      program.settle();
      return true;
    });
    score.queries += static_cast<double>(program.queries) / starts;
    if (result.status != NlpResult::Status::kSolved) continue;
    if (exact(program.pose(result.x)) < 0.0) continue;
    ++score.converged;
    score.iterations += result.iterations;
  }
  if (score.converged > 0) score.iterations /= score.converged;
  return score;
}

}  // namespace allclear::test
