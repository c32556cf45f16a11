#include "allclear/distance/mesh/distance.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "allclear/core/input_error.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/signed_distance.h"
#include "distance/minimum/mcd_motions.h"
#include "support/data.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

using test::Random;

Pose poseFrom(const nlohmann::json& json) {
  const auto& q = json["quat_wxyz"];
  const auto& p = json["xyz"];
  Pose X;
  X.R = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
  X.p = Vec3(p[0], p[1], p[2]);
  return X;
}

TEST(MeshDistance, AgreesWithTheOracleOnRealMeshes) {
  ALLCLEAR_REQUIRE_DATA("meshes/mesh_distance_oracle.json");
  const auto folder = test::dataFolder() / "meshes";
  const auto data = nlohmann::json::parse(std::ifstream(folder / "mesh_distance_oracle.json"));
  int cases = 0;
  for (const auto& pair : data["pairs"]) {
    const auto read = [&](const char* mesh, const char* scale) {
      return test::readObj(folder / pair[mesh].get<std::string>(), pair[scale]);
    };
    const TriangleMesh a = read("mesh_a", "scale_a"), b = read("mesh_b", "scale_b");
    const MeshBody &A = *bodyOf(a), &B = *bodyOf(b);
    MeshCache cache;
    for (const auto& one : pair["cases"]) {
      SCOPED_TRACE(pair["mesh_a"].get<std::string>() + " case " + std::to_string(cases));
      ++cases;
      const Pose X_A = poseFrom(one["pose_a"]), X_B = poseFrom(one["pose_b"]);
      // The oracle is about surfaces: a body inside of another counts as apart.
      MeshDistanceOptions surfaces;
      surfaces.inside = false;
      const MeshDistance cold = meshDistance(A, X_A, B, X_B, surfaces);
      EXPECT_EQ(cold.contact, one["colliding"].get<bool>());
      const double truth = one["distance"];
      EXPECT_NEAR(cold.distance, truth, 1e-9 * truth);
      EXPECT_NEAR((cold.witness_B - cold.witness_A).norm(), truth, 1e-9 * truth + 1e-13);
      const MeshDistance warm = meshDistance(A, X_A, B, X_B, surfaces, &cache);
      EXPECT_NEAR(warm.distance, cold.distance, 1e-14 * (1.0 + truth));
      EXPECT_EQ(meshesOverlap(A, X_A, B, X_B), meshDistance(B, X_B, A, X_A).contact);
      if (truth > 0.0) {
        MeshDistanceOptions decide = surfaces;
        decide.enough = 0.999 * truth;
        EXPECT_FALSE(meshDistance(A, X_A, B, X_B, decide).evaluated);
        decide.enough = 1.001 * truth;
        EXPECT_TRUE(meshDistance(A, X_A, B, X_B, decide).evaluated);
      }
    }
  }
  EXPECT_EQ(cases, 363);
}

/// Every triangle with every triangle.
double bruteForce(const TriangleMesh& a, const Pose& X_A, const TriangleMesh& b, const Pose& X_B) {
  const auto corners = [](const TriangleMesh& mesh, const Pose& X, const Triangle& t) {
    return cornersOf(X * mesh.vertices()[t[0]], X * mesh.vertices()[t[1]],
                     X * mesh.vertices()[t[2]]);
  };
  double least = HUGE_VAL;
  for (const Triangle& s : a.triangles()) {
    const TriangleCorners of_a = corners(a, X_A, s);
    for (const Triangle& t : b.triangles()) {
      least = std::min(least, triangleDistance(of_a, corners(b, X_B, t)).distance);
    }
  }
  return least;
}

/// Triangles anywhere: needles, points, lattice corners, copies.
TriangleMesh soup(Random& draw) {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  const int count = static_cast<int>(draw.logUniform(1.0, 60.0));
  const double spread = draw.logUniform(1e-3, 1.0), offset = draw.chance(0.2) ? 1e3 : 0.0;
  while (static_cast<int>(triangles.size()) < count) {
    const int n = static_cast<int>(vertices.size());
    const Vec3 at = draw.inBox(spread) + Vec3::Constant(offset);
    const double size = draw.logUniform(1e-6, 1.0);
    for (int k = 0; k < 3; ++k) {
      Vec3 p = at + size * draw.inBox(1.0);
      if (draw.chance(0.1)) p = p.array().round();
      vertices.push_back(n > 0 && draw.chance(0.2) ? vertices[draw.integer(0, n - 1)] : p);
    }
    triangles.push_back({n, n + 1, draw.chance(0.1) ? n : n + 2});
  }
  triangles.push_back({0, 1, 2});
  vertices[1] = vertices[0] + Vec3(0.1, 0.0, 0.0);
  vertices[2] = vertices[0] + Vec3(0.0, 0.2, 0.0);
  return {vertices, triangles};
}

TEST(MeshDistance, AgreesWithBruteForceOnTriangleSoups) {
  Random draw(30);
  const int cases = std::getenv("ALLCLEAR_LONG") ? 20000 : 1500;
  for (int i = 0; i < cases; ++i) {
    const TriangleMesh a = soup(draw), b = soup(draw);
    const Pose X_A{draw.rotation(), draw.inBox(1.0)};
    const Pose X_B{draw.rotation(), draw.inBox(1.0) * draw.logUniform(1e-3, 1e4)};
    const double truth = bruteForce(a, X_A, b, X_B);
    const double scale = X_B.p.norm() + 2000.0;
    MeshDistanceOptions surfaces;
    surfaces.inside = false;
    const MeshDistance found = meshDistance(a, X_A, b, X_B, surfaces);
    ASSERT_NEAR(found.distance, truth, 2e-15 * scale) << "seed 30, case " << i;
    ASSERT_NEAR((found.witness_B - found.witness_A - truth * found.normal).norm(), 0.0,
                1e-14 * scale)
        << "seed 30, case " << i;
  }
}

Shape drawnConvex(Random& draw, int kind) {
  const auto size = [&] { return draw.logUniform(0.02, 0.5); };
  switch (kind) {
    case 0:
      return Sphere(size());
    case 1:
      return Capsule(size(), size());
    case 2:
      return Box(Vec3(size(), size(), size()));
    case 3:
      return Cylinder(size(), size());
    case 4:
      return Cone(size(), size());
    case 5:
      return Ellipsoid(Vec3(size(), size(), size()));
    default: {
      std::vector<Vec3> points;
      for (int i = draw.integer(1, 20); i > 0; --i) points.push_back(draw.inBox(0.3));
      return ConvexMesh(points);
    }
  }
}

/// Squares of single precision overflow and underflow at the ends; no bound may.
TEST(MeshDistance, IsTheSameAtEveryScale) {
  Random draw(6);
  const TriangleMesh torus = test::torusMesh(1.0, 0.3, 30, 20, 0.2);
  const TriangleMesh blob = test::blobMesh(0.5, 20, 24, 0.3);
  const auto scaled = [](const TriangleMesh& mesh, double scale) {
    std::vector<Vec3> vertices;
    for (const Vec3& p : mesh.vertices()) vertices.push_back(scale * p);
    return MeshBody(Shape(TriangleMesh(vertices, mesh.triangles())));
  };
  for (int i = 0; i < 2; ++i) {
    const Pose X{draw.rotation(), draw.direction() * draw.uniform(1.0, 3.0)};
    const double truth = meshDistance(scaled(torus, 1.0), {}, scaled(blob, 1.0), X).distance;
    for (const double scale : {1e-24, 1e-12, 1e-3, 1e6, 1e15, 1e24}) {
      const MeshDistance found =
          meshDistance(scaled(torus, scale), {}, scaled(blob, scale), {X.R, scale * X.p});
      ASSERT_NEAR(found.distance / scale, truth, 1e-9) << "seed 6, case " << i << " " << scale;
    }
  }
}

TEST(MeshDistance, ToConvexShapesAgreesWithThatOfTheTriangles) {
  Random draw(31);
  for (int i = 0; i < 1400; ++i) {
    const TriangleMesh mesh = soup(draw);
    const Shape shape = drawnConvex(draw, i % 7);
    const Pose X_A{draw.rotation(), draw.inBox(0.8) - Vec3::Constant(0.0)};
    const Vec3 near = X_A * mesh.vertices()[draw.integer(0, 2)];
    const Pose X_B{draw.rotation(), near + draw.inBox(1.0)};
    double truth = HUGE_VAL;
    for (const Triangle& t : mesh.triangles()) {
      const Shape one =
          ConvexMesh({mesh.vertices()[t[0]], mesh.vertices()[t[1]], mesh.vertices()[t[2]]});
      truth = std::min(truth, signedDistance(one, X_A, shape, X_B).distance);
    }
    const MeshDistance found = meshDistance(Shape(mesh), X_A, shape, X_B);
    const MeshDistance swapped = meshDistance(shape, X_B, Shape(mesh), X_A);
    const std::string where = "seed 31, case " + std::to_string(i) + " " + shapeName(shape);
    ASSERT_NEAR(found.distance, std::max(truth, 0.0), 1e-9 + 1e-12 * near.norm()) << where;
    if (std::abs(truth) > 1e-9) {
      ASSERT_EQ(found.contact, truth < 0.0) << where;
    }
    ASSERT_NEAR(swapped.distance, found.distance, 1e-9) << where;
    if (found.contact) continue;
    ASSERT_NEAR((found.witness_B - found.witness_A - found.distance * found.normal).norm(), 0.0,
                1e-8)
        << where;
  }
}

TEST(MeshDistance, ToAPlaneIsThatOfTheDeepestVertex) {
  Random draw(32);
  for (int i = 0; i < 500; ++i) {
    const TriangleMesh mesh = soup(draw);
    const Pose X_A{draw.rotation(), draw.inBox(1.0)}, X_B{draw.rotation(), draw.inBox(1.0)};
    double lowest = HUGE_VAL;
    for (const Vec3& p : mesh.vertices())
      lowest = std::min(lowest, X_B.R.col(2).dot(X_A * p - X_B.p));
    const MeshDistance found = meshDistance(Shape(mesh), X_A, Shape(HalfSpace()), X_B);
    ASSERT_NEAR(found.distance, std::max(lowest, 0.0), 1e-11) << "seed 32, case " << i;
    ASSERT_EQ(found.contact, lowest <= 0.0) << "seed 32, case " << i;
  }
}

TEST(MeshDistance, CountsABodyInsideAsContact) {
  const TriangleMesh shell = test::blobMesh(1.0, 20, 30, 0.1);
  const TriangleMesh small = test::torusMesh(0.2, 0.05, 20, 10);
  const MeshDistance found = meshDistance(Shape(shell), {}, Shape(small), {});
  EXPECT_TRUE(found.contact);
  EXPECT_TRUE(found.contained);
  EXPECT_EQ(found.distance, 0.0);
  EXPECT_TRUE(meshDistance(Shape(small), {}, Shape(shell), {}).contained);
  for (const Shape& shape : {Shape(Sphere(0.1)), Shape(Box(Vec3(0.1, 0.2, 0.3))),
                             Shape(Cone(0.1, 0.1)), Shape(Ellipsoid(Vec3(0.1, 0.2, 0.3)))}) {
    EXPECT_TRUE(meshDistance(Shape(shell), {}, shape, {}).contained) << shapeName(shape);
    EXPECT_TRUE(meshDistance(shape, {}, Shape(shell), {}).contained) << shapeName(shape);
  }
  // Without one triangle it is a surface only.
  std::vector<Triangle> open(shell.triangles().begin() + 1, shell.triangles().end());
  const Shape holed = TriangleMesh(shell.vertices(), open);
  EXPECT_FALSE(meshDistance(holed, {}, Shape(small), {}).contact);
  // The hole of a ring is outside.
  const Shape ring = test::torusMesh(1.0, 0.2, 40, 20);
  EXPECT_FALSE(meshDistance(ring, {}, Shape(Sphere(0.1)), {}).contact);
  EXPECT_TRUE(meshDistance(ring, {}, Shape(Sphere(0.1)), {Mat3::Identity(), {1, 0, 0}}).contained);
}

TEST(MeshDistance, OfTenMillionTrianglesIsExact) {
  if (std::getenv("ALLCLEAR_LONG") == nullptr) GTEST_SKIP() << "slow: set ALLCLEAR_LONG";
  const Shape earth = test::blobMesh(0.5, 2236, 2236);
  const auto body = bodyOf(earth);
  EXPECT_LE(static_cast<double>(body->bytes()) / 1e7, 300.0);
  Random draw(46);
  for (int i = 0; i < 50; ++i) {
    const Pose X{draw.rotation(), draw.direction() * draw.uniform(0.65, 2.0)};
    const MeshDistance found = meshDistance(earth, {}, Shape(Sphere(0.1)), X);
    // Sides of 0.0014 rad: the facets are within 3e-7 of the ball.
    EXPECT_NEAR(found.distance, X.p.norm() - 0.6, 1e-6) << "seed 46, case " << i;
    EXPECT_FALSE(found.contact);
  }
  EXPECT_TRUE(meshDistance(earth, {}, Shape(Sphere(0.1)), {}).contained);
}

TEST(MeshDistance, WitnessesOfACurvedBodyInASurfaceAreInBoth) {
  const Shape box = test::boxMesh(Vec3::Ones());
  const Vec3 radii(0.3, 0.2, 0.1);
  Random draw(47);
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE("seed 47, case " + std::to_string(i));
    // Its middle is near the face x = 1, so that it pierces one of the face's triangles.
    const Pose X{
        draw.rotation(),
        {1.0 + draw.uniform(-0.05, 0.05), draw.uniform(-0.9, 0.9), draw.uniform(-0.9, 0.9)}};
    MeshDistanceOptions surfaces;
    surfaces.inside = false;
    const MeshDistance found = meshDistance(box, {}, Shape(Ellipsoid(radii)), X, surfaces);
    ASSERT_TRUE(found.contact);
    EXPECT_LE((found.witness_A - found.witness_B).norm(), 1e-9);
    EXPECT_NEAR(found.witness_A.cwiseAbs().maxCoeff(), 1.0, 1e-9);
    EXPECT_LE((X.inverse() * found.witness_B).cwiseQuotient(radii).norm(), 1.0 + 1e-9);
  }
}

TEST(MeshDistance, SurfacesThatTouchOverlap) {
  // Exact numbers: the faces x = 1 and x = 2 - 1 are in one plane.
  const MeshBody a(Shape(test::boxMesh(Vec3::Ones())));
  for (const Vec3& p : {Vec3(2, 0, 0), Vec3(2, 0.5, 0.25), Vec3(0, -2, 1), Vec3(2, 2, 2)}) {
    EXPECT_TRUE(meshesOverlap(a, {}, a, {Mat3::Identity(), p}));
    EXPECT_TRUE(meshDistance(a, {}, a, {Mat3::Identity(), p}).contact);
  }
  EXPECT_FALSE(meshesOverlap(a, {}, a, {Mat3::Identity(), {2.0 + 1e-12, 0, 0}}));
}

TEST(MeshDistance, RefusesWhatIsNoMesh) {
  EXPECT_THROW(meshDistance(Shape(Sphere(1)), {}, Shape(Sphere(1)), {}), InputError);
  EXPECT_THROW(MeshBody{Shape(HalfSpace())}, InputError);
}

}  // namespace
}  // namespace allclear
