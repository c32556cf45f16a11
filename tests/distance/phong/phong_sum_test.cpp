#include "allclear/distance/phong/sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <random>

#include "allclear/distance/mesh_depth/depth.h"
#include "allclear/distance/phong/convolution.h"
#include "allclear/distance/support.h"
#include "distance/phong/phong_motions.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

using phong::Convolution;
using phong::ConvolutionSide;

using test::moved;
using test::randomPose;

struct Bodies {
  PhongBody blob{Shape(test::blobMesh(0.5, 8, 12, 0.05, 3))};
  PhongBody torus{Shape(test::torusMesh(0.4, 0.15, 16, 10))};
  PhongBody box{Shape(test::boxMesh({0.5, 0.35, 0.2}))};

  const PhongBody& at(int i) const { return i % 3 == 0 ? blob : i % 3 == 1 ? torus : box; }
};

const Bodies& bodies() {
  static const Bodies all;
  return all;
}

TEST(Convolution, OfConvexBodiesIsTheClosedSurfaceOfTheirMinkowskiSum) {
  std::mt19937_64 random(51);
  const PhongBody A{Shape(test::blobMesh(0.5, 5, 7))}, B{Shape(test::boxMesh({0.3, 0.2, 0.4}))};
  const ConvolutionSide sA(A.mesh(), A.tree()), sB(B.mesh(), B.tree());
  Convolution sum(sA, sB);
  for (int i = 0; i < test::phongSamples(3, 30); ++i) {
    const Pose X = randomPose(&random, 0.5);
    sum.build(X, Vec3::Zero(), 10.0);
    double volume = 0.0;
    for (std::size_t f = 0; f < sum.facets().size(); ++f) {
      const auto c = sum.corners(static_cast<int>(f));
      volume += c[0].dot(c[1].cross(c[2])) / 6.0;
      for (int n : sum.neighbours()[f]) EXPECT_GE(n, 0);
      // Every facet is on the boundary: nothing of the sum is beyond its plane.
      const Vec3 n = (c[1] - c[0]).cross(c[2] - c[0]);
      if (n.norm() < 1e-9) continue;
      const double reach = supportValue(A.body().hull(), n.normalized()) +
                           supportValue(B.body().hull(), -(X.R.transpose() * n.normalized())) -
                           n.normalized().dot(X.p);
      EXPECT_NEAR(c[0].dot(n.normalized()), reach, 1e-9);
    }
    // By its supports in many directions: mean width times area does not say the volume, but the
    // surface closes and its volume is that of the hull of all differences.
    std::vector<Vec3> points;
    for (const Vec3& a : A.mesh().vertices) {
      for (const Vec3& b : B.mesh().vertices) {
        if (b.cwiseAbs().isApprox(Vec3(0.3, 0.2, 0.4))) points.push_back(a - X * b);
      }
    }
    const PhongBody hull{Shape(ConvexMesh(points))};
    EXPECT_NEAR(volume, hull.body().topology().volume, 1e-9) << i;
  }
}

TEST(Convolution, PartInABallIsThatOfTheWholeWithTheSameNormals) {
  std::mt19937_64 random(52);
  const PhongBody &A = bodies().torus, &B = bodies().blob;
  const ConvolutionSide sA(A.mesh(), A.tree()), sB(B.mesh(), B.tree());
  Convolution whole(sA, sB), part(sA, sB);
  Pose X = randomPose(&random, 0.4);
  for (int i = 0; i < 12; ++i) {  // small motions: the pairs found before are used again
    X = moved(X, Vec3(0.004, -0.002, 0.003), Vec3(0.01, 0.004, -0.006));
    whole.build(X, Vec3::Zero(), 10.0);
    const Vec3 center = whole.corners(static_cast<int>(whole.facets().size() / 3))[0];
    const double radius = 0.1;
    part.build(X, center, radius);
    EXPECT_LT(part.facets().size(), whole.facets().size() / 2);
    std::map<std::array<std::pair<int, int>, 3>, std::array<Vec3, 3>> normals;
    const auto key = [](const Convolution& sum, const phong::SumFacet& facet) {
      std::array<std::pair<int, int>, 3> out;
      for (int k = 0; k < 3; ++k) {
        const auto& v = sum.vertices()[facet.corners[k]];
        out[k] = {v.v, v.w};
      }
      std::sort(out.begin(), out.end());
      return out;
    };
    for (const auto& facet : part.facets()) {
      std::array<Vec3, 3> n;
      for (int k = 0; k < 3; ++k) n[k] = part.vertices()[facet.corners[k]].normal(X.R);
      normals[key(part, facet)] = n;
    }
    int inside = 0;
    for (std::size_t f = 0; f < whole.facets().size(); ++f) {
      const auto c = whole.corners(static_cast<int>(f));
      const Vec3 nearest = nearestOnTriangle(cornersOf(c[0], c[1], c[2]), center);
      if ((nearest - center).norm() > radius) continue;
      ++inside;
      const auto found = normals.find(key(whole, whole.facets()[f]));
      ASSERT_NE(found, normals.end());
      for (int k = 0; k < 3; ++k) {
        const Vec3 n = whole.vertices()[whole.facets()[f].corners[k]].normal(X.R);
        double least = 10.0;
        for (const Vec3& m : found->second) least = std::min(least, (n - m).norm());
        EXPECT_LE(least, 1e-9);
      }
    }
    EXPECT_GT(inside, 5);
  }
}

TEST(PhongSum, GradientIsTheDerivativeOfTheFrozenValue) {
  std::mt19937_64 random(53);
  int checked = 0;
  double worst = 0.0;
  const int count = test::phongSamples(25, 400);
  for (int i = 0; i < count; ++i) {
    const PhongBody &A = bodies().at(i), &B = bodies().at(i / 3);
    const Pose X_A = randomPose(&random, 0.2), X_B = randomPose(&random, 0.4);
    SmoothState state;
    const SmoothDistance d = phongDistance(A, X_A, B, X_B, {}, &state);
    if (d.fallback) continue;
    state.frozen = true;
    const auto value = [&](const Pose& Y_A, const Pose& Y_B) {
      return phongDistance(A, Y_A, B, Y_B, {}, &state).distance;
    };
    const DistanceGradient& g = d.gradient;
    VecX exact(12), differences(12);
    exact << g.translation_A, g.rotation_A, g.translation_B, g.rotation_B;
    if (exact.norm() > 10.0) continue;  // bends too strongly for differences
    double error = 1.0;
    for (double h : {2e-4, 5e-5, 1e-5}) {
      for (int k = 0; k < 12; ++k) {
        Vec3 of[4] = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
        const auto central = [&](double s) {
          of[k / 3][k % 3] = s;
          const double up = value(moved(X_A, of[0], of[1]), moved(X_B, of[2], of[3]));
          of[k / 3][k % 3] = -s;
          return (up - value(moved(X_A, of[0], of[1]), moved(X_B, of[2], of[3]))) / (2.0 * s);
        };
        differences[k] = (4.0 * central(0.5 * h) - central(h)) / 3.0;
      }
      error = std::min(error, (exact - differences).norm() / exact.norm());
    }
    worst = std::max(worst, error);
    EXPECT_LE(error, 1e-8) << "sample " << i << " distance " << d.distance;
    ++checked;
  }
  std::printf("checked %d of %d, worst %.2g\n", checked, count, worst);
  EXPECT_GT(checked, count / 3);
}

TEST(PhongSum, NeverClaimsToBeApartWhereBodiesMeetAndStaysNearTheDistance) {
  std::mt19937_64 random(54);
  int tracked = 0, all = 0;
  for (int i = 0; i < test::phongSamples(15, 200); ++i) {
    const PhongBody &A = bodies().at(i), &B = bodies().at(i / 3);
    const Pose X_A = randomPose(&random, 0.1);
    Pose X_B = randomPose(&random, 0.4);
    SmoothState state;
    for (int step = 0; step < 6; ++step) {
      X_B = moved(X_B, 0.003 * Vec3(1.0, -0.4, 0.3), 0.01 * Vec3(0.2, 1.0, -0.5));
      const SmoothDistance d = phongDistance(A, X_A, B, X_B, {}, &state);
      const bool overlap = meshesOverlap(A.body(), X_A, B.body(), X_B);
      EXPECT_EQ(d.distance > 0.0, !overlap) << i << " step " << step << " " << d.fallback;
      EXPECT_LE((d.witness_B - d.witness_A - d.distance * d.normal).norm(), 1e-8);
      ++all;
      if (d.fallback) continue;
      ++tracked;
      if (overlap) continue;
      const double exact = meshDistance(A.body(), X_A, B.body(), X_B).distance;
      EXPECT_GE(d.distance, exact - 1e-12);
      EXPECT_LE(d.distance, 1.6 * exact + 0.05 * std::min(A.size(), B.size()));
    }
  }
  EXPECT_GE(tracked, 0.6 * all);
}

}  // namespace
}  // namespace allclear
