// What cores promise to the searches: support points, curvature, creases and support sets.

#include "allclear/distance/convex/core.h"

#include "allclear/core/assert.h"
#include "allclear/distance/convex/core_pair.h"
#include "allclear/distance/convex/support_contact.h"
#include "distance/convex/signed_distance_oracle.h"

namespace allclear::test {
namespace {

constexpr int kBoundedKinds[] = {0, 1, 2, 3, 4, 5, 7};

double supportOf(const Shape& shape, const Vec3& d) {
  return static_cast<double>(supportOracle(shape, d.cast<Real>()));
}

TEST(ConvexCore, WithItsRadiusHasTheSupportFunctionOfTheShape) {
  Random random(1);
  for (int i = 0; i < 700; ++i) {
    const Shape shape = drawShape(kBoundedKinds[i % 7], &random, 100.0);
    const ConvexCore core = coreOf(shape);
    const Vec3 d = random.direction();
    const Vec3 point = coreSupport(core, d);
    EXPECT_NEAR(d.dot(point + core.offset) + core.radius, supportOf(shape, d), 1e-14);
    EXPECT_LE(point.norm(), core.extent * (1.0 + 1e-14));
  }
}

TEST(ConvexCore, OfAnUnboundedOrHollowShapeViolatesTheContract) {
  EXPECT_THROW(coreOf(HalfSpace{}), ContractViolation);
  EXPECT_THROW(coreOf(TriangleMesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}})),
               ContractViolation);
}

TEST(ConvexCore, CurvatureIsTheSecondDerivativeOfTheSupportFunction) {
  Random random(2);
  for (const Shape& shape :
       {Shape(Ellipsoid(Vec3(1.0, 0.6, 0.3))), Shape(Cylinder(0.5, 1.0)), Shape(Cone(0.5, 0.2))}) {
    const ConvexCore core = coreOf(shape);
    for (int i = 0; i < 50; ++i) {
      // Below the cone's lines and off the cylinder's, where the support function is smooth.
      Vec3 d = random.direction();
      d.z() = -0.3 - std::abs(d.z());
      d.normalize();
      if (std::hypot(d.x(), d.y()) < 0.1) continue;
      const Vec3 s = random.direction(), t = random.direction();
      const auto h = [&](double a, double b) { return supportOf(shape, d + a * s + b * t); };
      const double e = 1e-3;
      const double mixed = (h(e, e) - h(e, -e) - h(-e, e) + h(-e, -e)) / (4.0 * e * e);
      EXPECT_NEAR(coreCurvature(core, d, coreSupport(core, d), s, t), mixed, 2e-3);
    }
  }
}

TEST(ConvexCore, JumpsOnItsCreasesOnly) {
  Random random(3);
  for (const Shape& shape : {Shape(Box(Vec3(1, 2, 3))), Shape(Cylinder(1, 2)), Shape(Cone(1, 3)),
                             Shape(Capsule(0.1, 2.0))}) {
    const ConvexCore core = coreOf(shape);
    const Creases creases = creasesNear(core, Vec3::UnitX(), 4.0);
    EXPECT_GE(creases.circles, 1);
    for (int i = 0; i < creases.circles; ++i) {
      // Two normals on either side of the circle, at a place of it that lies on no other crease.
      const CreaseCircle& c = creases.circle[i];
      const Vec3 e = c.axis.cross(random.direction()).normalized();
      const Vec3 on = (c.sine * c.axis + c.cosine * e).normalized();
      EXPECT_NEAR(c.offset(on), 0.0, 1e-15);
      const Vec3 above = (on + 1e-9 * c.axis).normalized();
      const Vec3 below = (on - 1e-9 * c.axis).normalized();
      EXPECT_GT((coreSupport(core, above) - coreSupport(core, below)).norm(), 0.5);
      EXPECT_EQ(supportSet(core, on, 1e-12).form, SupportSet::Form::kSegment);
    }
    for (int i = 0; i < creases.normals; ++i) {
      EXPECT_EQ(supportSet(core, creases.normal[i], 1e-12).dimension(), 2);
    }
  }
}

TEST(SupportSet, HoldsItsNearestPointAndReachesAsFarAsTheSupportPoint) {
  Random random(4);
  const ConvexMesh octahedron(
      {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}});
  const Vec3 face = Vec3(1, 1, 1).normalized();
  const Shape shapes[] = {Box(Vec3(1, 2, 3)), Cylinder(1, 2), Cone(1, 3), octahedron};
  const Vec3 normals[] = {Vec3::UnitX(), -Vec3::UnitZ(), -Vec3::UnitZ(), face};
  for (int k = 0; k < 4; ++k) {
    const ConvexCore core = coreOf(shapes[k]);
    const SupportSet set = supportSet(core, normals[k], 1e-10);
    EXPECT_EQ(set.dimension(), 2);
    const double height = normals[k].dot(coreSupport(core, normals[k]));
    for (int i = 0; i < 50; ++i) {
      Vec3 wanted = random.inBox(2.0);
      wanted += (height - normals[k].dot(wanted)) * normals[k];
      const Vec3 nearest = nearestInSet(core, set, wanted);
      EXPECT_NEAR(normals[k].dot(nearest), height, 1e-14);
      EXPECT_LE(static_cast<double>(outsideBy(shapes[k], (nearest + core.offset).cast<Real>())),
                1e-13);
      EXPECT_LT((nearestInSet(core, set, nearest) - nearest).norm(), 1e-13);
      // No point of the set is nearer: the way out to `wanted` leads away from the whole shape.
      const Vec3 out = wanted - nearest;
      const Vec3 edge = out - normals[k].dot(out) * normals[k];
      for (int j = 0; j < 20; ++j) {
        Vec3 beside = nearest + 0.1 * random.inBox(1.0);
        beside += (height - normals[k].dot(beside)) * normals[k];
        const Vec3 other = nearestInSet(core, set, beside);
        EXPECT_LE(edge.dot(other - nearest), 1e-13) << "shape " << k;
      }
    }
  }
}

CorePair pairOf(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB) {
  return CorePair(coreOf(A), X_WA, coreOf(B), X_WB);
}

TEST(CorePair, SeparationIsALowerBoundThatDoesNotDependOnThePlaceInTheWorld) {
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    const Shape A = drawShape(kBoundedKinds[i % 7], &random, 10.0);
    const Shape B = drawShape(kBoundedKinds[i / 7 % 7], &random, 10.0);
    const Pose X_WA = random.pose(1.0), X_WB = random.pose(1.0);
    const Vec3 n_A = random.direction();
    const CorePair pair = pairOf(A, X_WA, B, X_WB);
    const double radii = pair.A.radius + pair.B.radius;
    const OraclePair oracle(A, X_WA, B, X_WB);
    const double exact = static_cast<double>(oracle.separation((X_WA.R * n_A).cast<Real>()));
    EXPECT_NEAR(pair.separation(n_A) - radii, exact, 1e-14 + 8.0 * pair.rounding);
    EXPECT_LE(exact, signedDistance(A, X_WA, B, X_WB).distance + 1e-12);
  }
}

TEST(SupportContact, OfTheAnswerHasNoMismatchAndKnowsParallelFaces) {
  const Shape box = Box(Vec3(1, 1, 1));
  const CorePair stacked = pairOf(box, Pose{}, box, {Mat3::Identity(), Vec3(0.3, 0.2, 1.5)});
  EXPECT_LT(contactAt(stacked, Vec3::UnitZ(), 0.5).mismatch, 1e-15);
  EXPECT_FALSE(contactIsUnique(stacked, Vec3::UnitZ()));
  // Corner above a face: one contact; along another normal the points do not face each other.
  const Pose X{rotationFromRpy({0.5, 0.6, 0.1}), Vec3(0.1, 0.0, 2.0)};
  const CorePair tilted = pairOf(box, Pose{}, box, X);
  const double room = tilted.separation(Vec3::UnitZ());
  EXPECT_LT(contactAt(tilted, Vec3::UnitZ(), room).mismatch, 1e-14);
  EXPECT_TRUE(contactIsUnique(tilted, Vec3::UnitZ()));
  const Vec3 n = Vec3(0.3, 0.0, 1.0).normalized();
  EXPECT_GT(contactAt(tilted, n, tilted.separation(n)).mismatch, 0.1);
}

}  // namespace
}  // namespace allclear::test
