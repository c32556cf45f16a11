#include "allclear/distance/mesh_depth/depth.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "allclear/core/input_error.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/mesh_depth/search.h"
#include "allclear/distance/minimum/mesh/mesh.h"
#include "allclear/distance/signed_distance.h"
#include "distance/minimum/mcd_motions.h"
#include "support/data.h"
#include "support/long_run.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

using test::isLong;
using test::Random;

Pose moved(const Pose& X, const Vec3& by) { return {X.R, X.p + by}; }

/// What must hold of every answer.
void expectLawful(const MeshBody& A, const Pose& X_A, const MeshBody& B, const Pose& X_B,
                  const SignedDistance& found, const std::string& where) {
  const double size = A.reach() + B.reach();
  ASSERT_TRUE(std::isfinite(found.distance)) << where;
  ASSERT_NEAR(found.normal.norm(), 1.0, 1e-12) << where;
  ASSERT_NEAR((found.witness_B - found.witness_A - found.distance * found.normal).norm(), 0.0,
              1e-12 * (size + X_A.p.norm() + X_B.p.norm()))
      << where;
  ASSERT_GE(found.gap, 0.0) << where;
  const MeshDistance now = meshDistance(A, X_A, B, X_B);
  if (!now.contact) {
    ASSERT_NEAR(found.distance, now.distance, 1e-9 * size) << where;
    return;
  }
  ASSERT_LE(found.distance, 0.0) << where;
  ASSERT_LE(found.gap, -found.distance) << where;
  const MeshDistance freed = meshDistance(A, X_A, B, moved(X_B, -found.distance * found.normal));
  ASSERT_FALSE(freed.contact) << where;
  ASSERT_LT(freed.distance, 1e-8 * size) << where;
  // The witnesses touch then.
  ASSERT_NEAR((freed.witness_A - freed.witness_B).norm(), freed.distance, 1e-12 * size) << where;
}

/// Translations shorter by `share`, in a cone about the answer's, do not separate.
void expectLocallyMinimal(const MeshBody& A, const Pose& X_A, const MeshBody& B, const Pose& X_B,
                          const SignedDistance& found, Random& draw, const std::string& where) {
  for (int i = 0; i < 12; ++i) {
    const double angle = draw.logUniform(1e-3, 0.02);
    const Vec3 beside =
        (found.normal + std::tan(angle) * draw.direction().cross(found.normal)).normalized();
    const double length = -found.distance * (1.0 - 1e-4);
    ASSERT_TRUE(meshesOverlap(A, X_A, B, moved(X_B, length * beside)))
        << where << " angle " << angle << " depth " << -found.distance;
  }
}

struct BoxPair {
  Vec3 half_A, half_B;
  Pose X_A, X_B;
  double depth;
};

/// Overlapping boxes, anything from a scratch to deep.
BoxPair drawnBoxes(Random& draw) {
  while (true) {
    BoxPair pair;
    for (int k = 0; k < 3; ++k) {
      pair.half_A[k] = draw.logUniform(0.02, 0.5);
      pair.half_B[k] = draw.logUniform(0.02, 0.5);
    }
    pair.X_A = {draw.rotation(), draw.inBox(1.0)};
    const double spread = draw.uniform(0.0, pair.half_A.norm() + pair.half_B.norm());
    pair.X_B = {draw.rotation(), pair.X_A.p + spread * draw.direction()};
    pair.depth = -signedDistance(Box(2.0 * pair.half_A), pair.X_A, Box(2.0 * pair.half_B), pair.X_B)
                      .distance;
    if (pair.depth > 1e-6) return pair;
  }
}

TEST(MeshDepth, OfBoxesIsExact) {
  Random draw(50);
  for (int i = 0; i < 500; ++i) {
    const BoxPair pair = drawnBoxes(draw);
    const TriangleMesh a = test::boxMesh(pair.half_A), b = test::boxMesh(pair.half_B);
    ASSERT_TRUE(bodyOf(a)->isConvex());
    const SignedDistance found = signedMeshDistance(Shape(a), pair.X_A, Shape(b), pair.X_B);
    const std::string where = "seed 50, case " + std::to_string(i);
    ASSERT_GE(-found.distance, pair.depth - 1e-12) << where;
    ASSERT_LE(-found.distance, pair.depth * (1.0 + 1e-9) + 1e-9) << where;
    expectLawful(*bodyOf(a), pair.X_A, *bodyOf(b), pair.X_B, found, where);
  }
}

/// Without the convex short cut, and without a hint of the hulls.
TEST(MeshDepth, GeneralSearchFindsTheExactDepthOfBoxes) {
  Random draw(51);
  const int cases = isLong() ? 20000 : 500;
  int exact = 0, close = 0;
  double worst = 1.0;
  for (int i = 0; i < cases; ++i) {
    const BoxPair pair = drawnBoxes(draw);
    const TriangleMesh a = test::boxMesh(pair.half_A), b = test::boxMesh(pair.half_B);
    const MeshBody &A = *bodyOf(a), &B = *bodyOf(b);
    const mesh::DepthSearchResult found =
        mesh::searchDepth(A, B, mesh::centred(A, pair.X_A, B, pair.X_B), {});
    const std::string where = "seed 51, case " + std::to_string(i);
    ASSERT_TRUE(found.found) << where;
    const double depth = found.translation.norm();
    ASSERT_GE(depth, pair.depth - 1e-12) << where;
    ASSERT_LE(found.lower, pair.depth + 1e-12) << where;
    ASSERT_FALSE(meshesOverlap(A, moved(pair.X_A, pair.X_B.R * found.translation), B, pair.X_B))
        << where;
    worst = std::max(worst, depth / pair.depth);
    exact += depth <= pair.depth * (1.0 + 1e-6) + 1e-8;
    close += depth <= pair.depth * 1.02;
  }
  std::printf("exact %.4f, within 1.02 %.4f, worst %.4f\n", double(exact) / cases,
              double(close) / cases, worst);
  EXPECT_GE(exact, 0.99 * cases);
  EXPECT_GE(close, 0.99 * cases);
}

/// Placed so that the bodies meet.
Pose drawnOverlap(Random& draw, const MeshBody& A, const Pose& X_A, const MeshBody& B) {
  for (double spread = 1.0;; spread *= 0.98) {
    Pose X{draw.rotation(), Vec3::Zero()};
    X.p = X_A * A.center() - X.R * B.center() + spread * (A.reach() + B.reach()) * draw.inBox(1.0);
    if (meshesOverlap(A, X_A, B, X)) return X;
  }
}

void checkPair(const TriangleMesh& a, const TriangleMesh& b, int cases, int seed) {
  Random draw(seed);
  const MeshBody &A = *bodyOf(a), &B = *bodyOf(b);
  const double size = A.reach() + B.reach();
  for (int i = 0; i < cases; ++i) {
    const std::string where = "seed " + std::to_string(seed) + ", case " + std::to_string(i);
    const Pose X_A{draw.rotation(), size * draw.inBox(1.0)};
    const Pose X_B = drawnOverlap(draw, A, X_A, B);
    MeshDepthCache cache;
    const SignedDistance found = signedMeshDistance(A, X_A, B, X_B, &cache);
    expectLawful(A, X_A, B, X_B, found, where);
    expectLocallyMinimal(A, X_A, B, X_B, found, draw, where);
    const SignedDistance again = signedMeshDistance(A, X_A, B, X_B);
    EXPECT_EQ(again.distance, found.distance) << where;
    EXPECT_EQ(again.normal, found.normal) << where;
    const SignedDistance swapped = signedMeshDistance(B, X_B, A, X_A);
    EXPECT_NEAR(swapped.distance, found.distance, 1e-9 * size) << where;
    const SignedDistance warm = signedMeshDistance(A, X_A, B, X_B, &cache);
    expectLawful(A, X_A, B, X_B, warm, where);
    EXPECT_LE(-warm.distance, -found.distance * (1.0 + 1e-6) + 1e-8 * size) << where;
    // Hulls hold the bodies, so that what frees them frees these.
    const double hulls = -signedDistance(A.hull(), X_A, B.hull(), X_B).distance;
    EXPECT_LE(-found.distance, hulls + 1e-8 * size) << where;
  }
}

TEST(MeshDepth, FreesBumpyBodies) {
  checkPair(test::blobMesh(0.15, 9, 16, 0.2), test::blobMesh(0.2, 9, 16, 0.3), 20, 52);
}

TEST(MeshDepth, FreesRings) {
  checkPair(test::torusMesh(0.3, 0.1, 24, 12), test::torusMesh(0.25, 0.05, 24, 12), 10, 53);
  checkPair(test::torusMesh(0.3, 0.1, 24, 12), test::blobMesh(0.3, 10, 20, 0.4), 10, 54);
}

TEST(MeshDepth, FreesRealMeshes) {
  ALLCLEAR_REQUIRE_DATA("meshes/mesh_distance_oracle.json");
  const auto folder = test::dataFolder() / "meshes";
  const auto data = nlohmann::json::parse(std::ifstream(folder / "mesh_distance_oracle.json"));
  const auto poseFrom = [](const nlohmann::json& json) {
    const auto& q = json["quat_wxyz"];
    const auto& p = json["xyz"];
    return Pose{Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix(),
                Vec3(p[0], p[1], p[2])};
  };
  Random draw(55);
  for (const auto& pair : data["pairs"]) {
    const auto read = [&](const char* mesh, const char* scale) {
      return test::readObj(folder / pair[mesh].get<std::string>(), pair[scale]);
    };
    const TriangleMesh a = read("mesh_a", "scale_a"), b = read("mesh_b", "scale_b");
    int met = 0;
    for (const auto& one : pair["cases"]) {
      const Pose X_A = poseFrom(one["pose_a"]), X_B = poseFrom(one["pose_b"]);
      if (!one["colliding"].get<bool>()) continue;
      const std::string where = pair["mesh_a"].get<std::string>() + " " + std::to_string(met);
      if (++met > (isLong() ? 1000 : 4)) break;
      const SignedDistance found = signedMeshDistance(*bodyOf(a), X_A, *bodyOf(b), X_B);
      EXPECT_TRUE(found.converged) << where;
      EXPECT_LT(found.distance, 0.0) << where;
      expectLawful(*bodyOf(a), X_A, *bodyOf(b), X_B, found, where);
      expectLocallyMinimal(*bodyOf(a), X_A, *bodyOf(b), X_B, found, draw, where);
    }
  }
}

TEST(MeshDepth, FreesABodyInsideOfAnother) {
  const TriangleMesh shell = test::blobMesh(1.0, 20, 30, 0.1);
  const TriangleMesh small = test::torusMesh(0.2, 0.05, 20, 10);
  const MeshBody &A = *bodyOf(shell), &B = *bodyOf(small);
  Random draw(56);
  for (int i = 0; i < 10; ++i) {
    const Pose X_B{draw.rotation(), draw.inBox(0.3)};
    ASSERT_TRUE(meshDistance(A, {}, B, X_B).contained);
    const SignedDistance found = signedMeshDistance(A, {}, B, X_B);
    expectLawful(A, {}, B, X_B, found, "seed 56, case " + std::to_string(i));
    EXPECT_LT(found.distance, -0.4);
    EXPECT_LT(found.gap, 0.9 * -found.distance);
  }
}

TEST(MeshDepth, OfPrimitivesInAMeshIsThatOfTheirShapes) {
  const Vec3 half(0.4, 0.5, 0.6);
  // A box that is not taken as convex: with a speck apart from it.
  TriangleMesh box = test::boxMesh(half);
  std::vector<Vec3> vertices = box.vertices();
  std::vector<Triangle> triangles = box.triangles();
  for (double k : {0.0, 1.0, 2.0}) vertices.push_back({9.0 + 1e-3 * k, 9.0 + 1e-3 * k * k, 9.0});
  triangles.push_back({8, 9, 10});
  const Shape mesh = TriangleMesh(vertices, triangles);
  ASSERT_FALSE(bodyOf(std::get<TriangleMesh>(mesh))->isConvex());
  Random draw(57);
  for (const Shape& shape :
       {Shape(Sphere(0.1)), Shape(Capsule(0.1, 0.3)), Shape(Box(Vec3(0.1, 0.2, 0.3))),
        Shape(Cylinder(0.1, 0.2)), Shape(Cone(0.1, 0.2)), Shape(Ellipsoid(Vec3(0.1, 0.2, 0.3))),
        Shape(ConvexMesh({Vec3(0, 0, 0), Vec3(0.1, 0, 0), Vec3(0, 0.2, 0), Vec3(0, 0, 0.3)}))}) {
    for (int i = 0; i < 6; ++i) {
      const Pose X_A{draw.rotation(), draw.inBox(1.0)};
      const Vec3 in_box = half.cwiseProduct(draw.inBox(1.0));
      const Pose X_B{draw.rotation(), X_A * in_box};
      const std::string where = "seed 57, " + shapeName(shape) + " " + std::to_string(i);
      const SignedDistance truth = signedDistance(Box(2.0 * half), X_A, shape, X_B);
      if (truth.distance > -1e-6) continue;
      const SignedDistance found = signedMeshDistance(mesh, X_A, shape, X_B);
      EXPECT_NEAR(found.distance, truth.distance, 1e-6) << where;
      const SignedDistance swapped = signedMeshDistance(shape, X_B, mesh, X_A);
      EXPECT_NEAR(swapped.distance, truth.distance, 1e-6) << where;
      EXPECT_NEAR((swapped.normal + found.normal).norm(), 0.0, 1e-4) << where;
    }
  }
  const SignedDistance plane = signedMeshDistance(mesh, {}, Shape(HalfSpace()), {});
  EXPECT_NEAR(plane.distance, -0.6, 1e-12);
}

TEST(MeshDepth, IsContinuousThroughTouching) {
  const TriangleMesh a = test::blobMesh(0.3, 12, 20, 0.3), b = test::torusMesh(0.3, 0.1, 20, 12);
  const MeshBody &A = *bodyOf(a), &B = *bodyOf(b);
  Random draw(58);
  for (int i = 0; i < 15; ++i) {
    const std::string where = "seed 58, case " + std::to_string(i);
    const Pose X_A{draw.rotation(), draw.inBox(1.0)};
    Pose X_B{draw.rotation(), X_A.p + 1.2 * draw.direction()};
    const MeshDistance start = meshDistance(A, X_A, B, X_B);
    ASSERT_FALSE(start.contact) << where;
    for (double room : {1e-2, 1e-3, 1e-5, 1e-7, 1e-10, 0.0, -1e-12, -1e-7, -1e-5, -1e-3, -3e-3}) {
      const Vec3 step = (start.distance - room) * -start.normal;
      const SignedDistance found = signedMeshDistance(A, X_A, B, moved(X_B, step));
      const std::string here = where + " room " + std::to_string(room);
      expectLawful(A, X_A, B, moved(X_B, step), found, here);
      // Apart the normal is that of the nearest points; in contact that of a facet next to it.
      if (room > 0.0) {
        EXPECT_NEAR(found.distance, room, 1e-12) << here;
        EXPECT_GT(found.normal.dot(start.normal), 1.0 - 1e-3) << here;
      } else {
        EXPECT_GE(found.distance, room - 1e-9) << here;
        EXPECT_LE(found.distance, 0.8 * room + 1e-12) << here;
        EXPECT_GT(found.normal.dot(start.normal), 0.7) << here;
      }
    }
  }
}

/// Both in one mesh, the second one moved.
TriangleMesh joined(const TriangleMesh& a, const TriangleMesh& b, const Vec3& by) {
  std::vector<Vec3> vertices = a.vertices();
  std::vector<Triangle> triangles = a.triangles();
  const int first = static_cast<int>(vertices.size());
  for (const Vec3& p : b.vertices()) vertices.push_back(p + by);
  for (const Triangle& t : b.triangles()) {
    triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  return {vertices, triangles};
}

TEST(MeshDepth, OfOddMeshesIsSafe) {
  Random draw(59);
  const TriangleMesh blob = test::blobMesh(0.3, 10, 16, 0.2);
  const TriangleMesh triangle({{0, 0, 0}, {0.3, 0, 0}, {0, 0.4, 0}}, {{0, 1, 2}});
  std::vector<Triangle> some(blob.triangles().begin() + 20, blob.triangles().end());
  const TriangleMesh open(blob.vertices(), some);
  const TriangleMesh crossing =
      joined(test::boxMesh({0.3, 0.1, 0.1}), test::boxMesh({0.1, 0.3, 0.1}), {0.05, 0.02, 0.03});
  const std::vector<TriangleMesh> odd{blob, triangle, open, crossing};
  for (std::size_t i = 0; i < odd.size(); ++i) {
    for (std::size_t k = 1; k < odd.size(); ++k) {
      const MeshBody &A = *bodyOf(odd[i]), &B = *bodyOf(odd[k]);
      for (int n = 0; n < 4; ++n) {
        const Pose X_A{draw.rotation(), draw.inBox(0.1)};
        const Pose X_B = drawnOverlap(draw, A, X_A, B);
        const std::string where = "seed 59, " + std::to_string(i) + " with " + std::to_string(k);
        const SignedDistance found = signedMeshDistance(A, X_A, B, X_B);
        expectLawful(A, X_A, B, X_B, found, where);
        EXPECT_LE(found.distance, 0.0) << where;
      }
    }
  }
}

TEST(MeshDepth, OfTouchingFacesIsNothing) {
  // Faces in one plane, and boxes side by side and aligned.
  const TriangleMesh a = test::boxMesh({0.5, 0.5, 0.5}), b = test::boxMesh({0.2, 0.3, 0.5});
  for (double overlap : {0.0, 1e-3, 0.2}) {
    const Pose X_B{Mat3::Identity(), {0.7 - overlap, 0.1, 0.0}};
    const MeshBody &A = *bodyOf(a), &B = *bodyOf(b);
    const SignedDistance found = signedMeshDistance(A, {}, B, X_B);
    EXPECT_NEAR(found.distance, -overlap, 1e-9);
    EXPECT_GT(found.normal.x(), 1.0 - 1e-9);
    const mesh::DepthSearchResult general =
        mesh::searchDepth(A, B, mesh::centred(A, {}, B, X_B), {});
    EXPECT_NEAR(general.translation.norm(), overlap, 1e-9);
    expectLawful(A, {}, B, X_B, found, "overlap " + std::to_string(overlap));
  }
  const TriangleMesh s({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}});
  const SignedDistance flat = signedMeshDistance(Shape(s), {}, Shape(s), {});
  EXPECT_LE(flat.distance, 0.0);
  EXPECT_GE(flat.distance, -1e-8);
  EXPECT_GT(std::abs(flat.normal.z()), 0.99);
}

TEST(MeshDepth, SaysWhenTwoWaysOutAreAsGood) {
  // A thin plate in the middle of a slab that has a block beside it, so as not to be convex.
  const TriangleMesh two =
      joined(test::boxMesh({1.0, 1.0, 0.2}), test::boxMesh({0.1, 0.1, 0.1}), {3.0, 0.0, 0.0});
  const TriangleMesh plate = test::boxMesh({0.3, 0.3, 0.05});
  const SignedDistance middle = signedMeshDistance(Shape(two), {}, Shape(plate), {});
  EXPECT_NEAR(middle.distance, -0.25, 1e-8);
  EXPECT_NEAR(middle.gap, 0.0, 1e-6);
  EXPECT_FALSE(middle.unique_normal);
  const Pose off{Mat3::Identity(), {0.0, 0.0, 0.03}};
  const SignedDistance above = signedMeshDistance(Shape(two), {}, Shape(plate), off);
  EXPECT_NEAR(above.distance, -0.22, 1e-8);
  EXPECT_TRUE(above.unique_normal);
  EXPECT_GT(above.normal.z(), 0.999);
}

/// Over time: the bracket of bodies that meet holds what is known of the depth at every instant.
TEST(MeshDepth, OverTimeIsBracketed) {
  Random draw(60);
  const Shape blob = test::blobMesh(0.2, 9, 16, 0.3), ring = test::torusMesh(0.3, 0.1, 20, 12);
  const Shape box = test::boxMesh({0.2, 0.3, 0.1});
  const int cases = isLong() ? 1000 : 40;
  int met = 0, narrower = 0;
  for (int i = 0; i < cases; ++i) {
    const Shape& b = i % 2 == 0 ? ring : box;
    test::ChainMotion motion = test::randomChain(draw, 2, 0.5);
    const std::vector<BodyCurve> curves = motion.curves({0, 1}, motion.cellsFor({0, 1}, 1e-7, 0.4));
    const BodyCurve still = BodyCurve::still(Pose{}, {0, 1});
    const MovingShape a{&blob, {}, curves}, fixed{&b, {}, {&still, 1}};
    const DistanceBracket bracket = minimumDistance(a, fixed, McdOptions());
    if (!bracket.penetrating) continue;
    ++met;
    const std::string where = "seed 60, case " + std::to_string(i);
    const MeshBody &A = *bodyOf(blob), &B = *bodyOf(b);
    double proven = HUGE_VAL;
    for (int k = 0; k <= 60; ++k) {
      const SignedDistance found = signedMeshDistance(A, motion.pose(k / 60.0), B, {});
      ASSERT_LE(bracket.lower, found.distance + found.gap + 1e-9) << where << " t " << k / 60.0;
      proven = std::min(proven, found.distance);
    }
    ASSERT_GE(bracket.upper, proven - 0.05) << where;  // between the samples it may be deeper
    const SignedDistance there = signedMeshDistance(A, motion.pose(bracket.t_star), B, {});
    EXPECT_LE(there.distance, 1e-6) << where;
    const Vec3 back = bracket.witness_B - bracket.witness_A;
    EXPECT_LE(-back.dot(bracket.normal), -bracket.lower + 1e-6) << where;
    // Moved back by that (and by what the motion is uncertain) B is free at that time.
    const Vec3 freed = -back + 2e-6 * bracket.normal;
    EXPECT_FALSE(meshesOverlap(A, motion.pose(bracket.t_star), B, moved({}, freed))) << where;
    McdOptions decide;
    decide.threshold = 0.01;
    const DistanceBracket decided = minimumDistance(a, fixed, decide);
    EXPECT_EQ(decided.status, McdStatus::kBelow) << where;
    EXPECT_LE(decided.lower, bracket.upper) << where;
    narrower += decided.lower < bracket.lower;
  }
  EXPECT_GT(met, cases / 40);
  EXPECT_GT(narrower, met / 3);
}

TEST(MeshDepth, RefusesWhatIsNoMesh) {
  EXPECT_THROW(signedMeshDistance(Shape(Sphere(1)), {}, Shape(Sphere(1)), {}), InputError);
}

}  // namespace
}  // namespace allclear
