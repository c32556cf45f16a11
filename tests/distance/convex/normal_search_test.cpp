// The searches for a separating normal, each on its own: GJK, the axes of boxes, Newton's
// refinement of a normal, the expanding polytope.

#include "allclear/distance/convex/box_axes.h"
#include "allclear/distance/convex/gjk.h"
#include "allclear/distance/convex/normal_refinement.h"
#include "allclear/distance/convex/penetration.h"
#include "distance/convex/signed_distance_oracle.h"

namespace allclear::test {
namespace {

struct Sample {
  Shape A, B;
  Pose X_WA, X_WB;

  CorePair cores() const { return CorePair(coreOf(A), X_WA, coreOf(B), X_WB); }
};

Sample drawSample(int kind_A, int kind_B, double apart, Random* random) {
  Sample s{drawShape(kind_A, random, 5.0), drawShape(kind_B, random, 5.0), {}, {}};
  s.X_WA = {random->rotation(), Vec3::Zero()};
  s.X_WB.R = random->rotation();
  const Ball a = boundingBall(s.A), b = boundingBall(s.B);
  s.X_WB.p =
      s.X_WA * a.center - s.X_WB.R * b.center + apart * (a.radius + b.radius) * random->direction();
  return s;
}

TEST(Gjk, BracketsTheDistanceOfSeparateCores) {
  Random random(10);
  int contradicted = 0;
  for (int i = 0; i < 400; ++i) {
    const int kinds[] = {1, 2, 3, 4, 5, 7};
    const Sample s = drawSample(kinds[i % 6], kinds[i / 6 % 6], 1.1, &random);
    const CorePair pair = s.cores();
    const GjkResult r = gjk(pair, random.direction());
    if (r.overlap) {  // a flat simplex: the lower bound contradicts it
      ++contradicted;
      EXPECT_GT(r.lower, 16.0 * pair.rounding) << "sample " << i;
      continue;
    }
    const double truth =
        signedDistance(s.A, s.X_WA, s.B, s.X_WB).distance + pair.A.radius + pair.B.radius;
    EXPECT_LE(r.lower, truth + 16.0 * pair.rounding) << "sample " << i;
    EXPECT_GE(r.upper, truth - 16.0 * pair.rounding) << "sample " << i;
    EXPECT_NEAR(pair.separation(r.normal), r.lower, 1e-15);
    EXPECT_NEAR((r.witnessB() - r.witnessA()).norm(), r.upper, 1e-14);
    if (pair.A.isPolytope() && pair.B.isPolytope()) {
      EXPECT_LE(r.upper - r.lower, 1e-13 * pair.scale) << "sample " << i;
    }
  }
  EXPECT_LE(contradicted, 20);
}

TEST(Gjk, EndsEarlyOnceItsBracketDecides) {
  const Box box(Vec3(1, 1, 1));
  const CorePair pair(coreOf(box), Pose{}, coreOf(box), {Mat3::Identity(), Vec3(3, 0.4, 0.3)});
  GjkOptions options;
  options.enough = 1.5;  // the distance is 2
  const GjkResult above = gjk(pair, Vec3(1, 1, 1), options);
  EXPECT_GE(above.lower, 1.5);
  options.enough = 2.5;
  const GjkResult below = gjk(pair, Vec3(1, 1, 1), options);
  EXPECT_LT(below.upper, 2.5);
}

TEST(Gjk, FindsOverlapsAndTouches) {
  Random random(11);
  for (int i = 0; i < 200; ++i) {
    const Sample s = drawSample(2 + i % 4, 2 + i / 4 % 4, 0.1, &random);
    EXPECT_EQ(gjk(s.cores(), random.direction()).overlap,
              signedDistance(s.A, s.X_WA, s.B, s.X_WB).distance < 0.0);
  }
  const Box box(Vec3(1, 1, 1));
  const CorePair touching(coreOf(box), Pose{}, coreOf(box), {Mat3::Identity(), Vec3(1, 0.2, 0.1)});
  EXPECT_TRUE(gjk(touching, Vec3::UnitX()).overlap);
}

TEST(BoxAxes, FindTheLargestSeparationOfOverlappingBoxesAndSegments) {
  Random random(12);
  int overlaps = 0;
  for (int i = 0; i < 500; ++i) {
    Sample s = drawSample(2, 1 + i % 2, random.uniform(0.0, 0.5), &random);
    const CorePair pair = s.cores();
    const NormalCandidate best = bestBoxAxis(pair);
    if (best.separation > 0.0) continue;  // apart: only a lower bound
    ++overlaps;
    EXPECT_NEAR(best.n.norm(), 1.0, 1e-14);
    EXPECT_NEAR(pair.separation(best.n), best.separation, 1e-14 + 4.0 * pair.rounding);
    const OraclePair oracle(s.A, s.X_WA, s.B, s.X_WB);
    const Real truth = bestSeparatingAxis(oracle, polytopeFeatures(s.A, oracle.R_WA),
                                          polytopeFeatures(s.B, oracle.R_WB));
    EXPECT_NEAR(best.separation - pair.B.radius, static_cast<double>(truth), 1e-14);
  }
  EXPECT_GT(overlaps, 250);
}

TEST(BoxAxes, AreNotIsolatedInTheMiddleOfABox) {
  const Box box(Vec3(1, 2, 3));
  const CorePair same(coreOf(box), Pose{}, coreOf(box), Pose{});
  const NormalCandidate best = bestBoxAxis(same);
  EXPECT_DOUBLE_EQ(best.separation, -1.0);
  EXPECT_FALSE(best.isolated);  // +x and -x are as short
  const CorePair aside(coreOf(box), Pose{}, coreOf(box), {Mat3::Identity(), Vec3(0.2, 0, 0)});
  EXPECT_TRUE(bestBoxAxis(aside).isolated);
}

TEST(NormalRefinement, ReachesTheDistanceFromANormalNearby) {
  Random random(13);
  int proven = 0;
  for (int i = 0; i < 300; ++i) {
    const int kinds[] = {2, 3, 4, 5, 7};
    const Sample s = drawSample(kinds[i % 5], kinds[i / 5 % 5], 1.2, &random);
    const CorePair pair = s.cores();
    const SignedDistance truth = signedDistance(s.A, s.X_WA, s.B, s.X_WB);
    const Vec3 n_A = s.X_WA.R.transpose() * truth.normal;
    const Vec3 start = (n_A + 1e-3 * random.direction()).normalized();
    NormalCandidate best;
    SupportContact contact;
    if (!refineNormal(pair, start, 0.05, RefineUntil::kProven, &best, &contact)) continue;
    ++proven;
    EXPECT_NEAR(best.separation, truth.distance, 1e-12 * pair.scale) << "sample " << i;
    EXPECT_NEAR((contact.b - contact.a).norm(), truth.distance, 1e-9 * pair.scale);
  }
  EXPECT_GE(proven, 290);
}

TEST(NormalRefinement, OfferKeepsTheBetterAndNotesTies) {
  const Box box(Vec3(1, 1, 1));
  const CorePair pair(coreOf(box), Pose{}, coreOf(box), Pose{});
  NormalCandidate best;
  offer(pair, Vec3::UnitX(), -1.0, true, &best);
  EXPECT_TRUE(best.isolated);
  offer(pair, Vec3::UnitY(), -2.0, true, &best);
  EXPECT_EQ(best.n, Vec3::UnitX());
  EXPECT_TRUE(best.isolated);
  offer(pair, Vec3::UnitY(), -1.0, true, &best);
  EXPECT_FALSE(best.isolated);
  offer(pair, Vec3::UnitZ(), -0.5, true, &best);
  EXPECT_EQ(best.n, Vec3::UnitZ());
  EXPECT_TRUE(best.isolated);
}

TEST(Penetration, IsAsShallowAsAnyDirectionAndWithinItsBounds) {
  Random random(15);
  const int count = isLong() ? 1000 : 60;
  for (int i = 0; i < count; ++i) {
    const int kinds[] = {2, 3, 4, 5, 7};
    const Sample s = drawSample(kinds[i % 5], kinds[i / 5 % 5], random.uniform(0.0, 0.3), &random);
    const CorePair pair = s.cores();
    const GjkResult r = gjk(pair, random.direction());
    if (!r.overlap) continue;
    const PenetrationResult result = searchPenetration(pair, r);
    EXPECT_TRUE(result.converged);
    EXPECT_NEAR(pair.separation(result.best.n), result.best.separation, 8.0 * pair.rounding);
    const OraclePair oracle(s.A, s.X_WA, s.B, s.X_WB);
    const double shallowest = static_cast<double>(bestDirectionSwept(oracle, 1000, &random));
    EXPECT_LE(shallowest, result.best.separation + 1e-9 * pair.scale) << "sample " << i;
    EXPECT_LE(shallowest, result.upper + 1e-13 * pair.scale) << "sample " << i;
  }
}

/// Bodies that are their own mirror images, about one centre: with every way out goes the opposite.
TEST(Penetration, NotesNormalsThatAreAsGood) {
  Random random(16);
  for (int i = 0; i < 200; ++i) {
    std::vector<Vec3> corners;
    for (int k = 0; k < 6; ++k) {
      corners.push_back(random.direction());
      corners.push_back(-corners.back());
    }
    const Shape mesh = ConvexMesh(corners);
    const Shape others[] = {Box(Vec3(0.5, 0.7, 0.9)), Cylinder(0.4, 0.8), Capsule(0.2, 0.5), mesh};
    const SignedDistance found = signedDistance(mesh, {random.rotation(), Vec3::Zero()},
                                                others[i % 4], {random.rotation(), Vec3::Zero()});
    EXPECT_LT(found.distance, 0.0);
    EXPECT_FALSE(found.unique_normal) << "sample " << i;
  }
}

}  // namespace
}  // namespace allclear::test
