// The distance of two ellipsoids against the search of all convex pairs, which knows nothing of the
// gauge, of the climb or of its proofs.

#include <gtest/gtest.h>

#include <cmath>

#include "allclear/distance/convex/ellipsoid_normal.h"
#include "allclear/distance/convex/pairs.h"
#include "allclear/distance/ellipsoid_pair.h"
#include "allclear/distance/signed_distance.h"
#include "support/ellipsoid_draws.h"

namespace allclear {
namespace {

using test::Random;

struct PlacedPair {
  Ellipsoid A, B;
  Pose X_WA, X_WB;
  double size;
  double gauge;

  SignedDistance distance(DistanceCache* cache = nullptr) const {
    return signedDistance(A, X_WA, B, X_WB, cache);
  }
  SignedDistance bySearch() const {
    return convexConvex({Shape(A), X_WA, Shape(B), X_WB, std::nan(""), nullptr});
  }
};

/// The centres are `low` to `high` times as far apart as at contact.
PlacedPair drawPlaced(Random* draw, double gamma, double low, double high) {
  const test::EllipsoidPairDraw pair = test::drawEllipsoids(draw, gamma, 3.0, true);
  const Ellipsoid A(pair.a), B(pair.b);
  const double d = ellipsoidGauge(A, Pose(), B, Pose{pair.R(), pair.n}).approach;
  const Pose X_WA{draw->rotation(), draw->inBox(1.0)};
  const double gauge = draw->uniform(low, high);
  const Pose X_AB{pair.R(), gauge * d * pair.n};
  return {A, B, X_WA, X_WA * X_AB, pair.a.maxCoeff() + pair.b.maxCoeff(), gauge};
}

TEST(EllipsoidDistance, IsThatOfTheSearchOfAllConvexPairs) {
  Random draw(31);
  for (const double gamma : {1.0001, 3.0, 30.0, 1000.0}) {
    for (int i = 0; i < 1500; ++i) {
      const PlacedPair pair = drawPlaced(&draw, gamma, i % 2 ? 1.0 : 0.0, i % 2 ? 2.0 : 1.0);
      const SignedDistance found = pair.distance(), search = pair.bySearch();
      // The search proves no more than its gap; its error is far below that.
      EXPECT_NEAR(found.distance, search.distance, 1e-12 * pair.size)
          << "ratio of radii " << gamma << ", pair " << i << ", gauge " << pair.gauge;
      EXPECT_LE(found.distance, search.distance + search.gap + 1e-14 * pair.size);
      EXPECT_GE(found.gap, 0.0);
      if (found.unique_normal && search.unique_normal) {
        EXPECT_LT((found.normal - search.normal).norm(), 1e-4) << "pair " << i;
      }
      EXPECT_LT((found.witness_B - found.witness_A - found.distance * found.normal).norm(),
                1e-14 * (pair.size + pair.X_WA.p.norm()));
    }
  }
}

TEST(EllipsoidDistance, HasWitnessesOnTheSurfaces) {
  Random draw(32);
  for (int i = 0; i < 3000; ++i) {
    const PlacedPair pair = drawPlaced(&draw, 30.0, 0.5, 2.0);
    const SignedDistance found = pair.distance();
    const auto level = [](const Ellipsoid& E, const Pose& X, const Vec3& p) {
      return (X.inverse() * p).cwiseQuotient(E.radii()).norm();
    };
    EXPECT_NEAR(level(pair.A, pair.X_WA, found.witness_A), 1.0, 1e-9) << "pair " << i;
    EXPECT_NEAR(level(pair.B, pair.X_WB, found.witness_B), 1.0, 1e-9) << "pair " << i;
  }
}

TEST(EllipsoidDistance, GivesNoDepthAsProvenThatTheSearchBeats) {
  // Local maxima of the room are common here: thin bodies, deep in each other.
  Random draw(33);
  int proven = 0, local = 0;
  for (int i = 0; i < 3000; ++i) {
    const PlacedPair pair = drawPlaced(&draw, draw.logUniform(3.0, 1000.0), 0.0, 1.0);
    const EllipsoidsInA in(pair.A.radii(), pair.X_WA, pair.B.radii(), pair.X_WB);
    EllipsoidNormal at = normalAt(in, draw.direction());  // often not the best one's slope
    climbRoom(in, std::nan(""), &at);
    const double best = pair.bySearch().distance;
    if (isProvenMaximum(in, at)) {
      ++proven;
      EXPECT_GE(at.room + at.miss.norm(), best - 1e-12 * pair.size) << "pair " << i;
    } else if (at.room < best - 1e-9 * pair.size) {
      ++local;
    }
  }
  EXPECT_GT(proven, 1000);
  EXPECT_GT(local, 30);  // else the test shows nothing
}

TEST(EllipsoidDistance, OfACigarThroughADiscIsTheShorterWayOut) {
  // Along z the cigar is 1 long and the disc thin; sideways the way out is shorter off the centre.
  const Ellipsoid cigar(Vec3(0.05, 0.05, 1.0)), disc(Vec3(1.0, 1.0, 0.02));
  for (const double x : {0.0, 0.1, 0.5, 0.9, 0.99}) {
    for (const double z : {0.0, 0.3, 0.9}) {
      const Pose X_WB{Mat3::Identity(), Vec3(x, 0.0, z)};
      const SignedDistance found = signedDistance(cigar, Pose(), disc, X_WB);
      const SignedDistance search =
          convexConvex({Shape(cigar), Pose(), Shape(disc), X_WB, std::nan(""), nullptr});
      EXPECT_NEAR(found.distance, search.distance, 1e-12) << "x " << x << ", z " << z;
    }
  }
}

TEST(EllipsoidDistance, OfCoincidingCentersIsMinusTheLeastSumOfRadii) {
  const Ellipsoid A(Vec3(1.0, 2.0, 3.0)), B(Vec3(0.5, 0.25, 1.0));
  const SignedDistance found = signedDistance(A, Pose(), B, Pose());
  EXPECT_NEAR(found.distance, -1.5, 1e-12);
  EXPECT_FALSE(found.unique_normal);
}

TEST(EllipsoidDistance, DecidesOnTheSideOfEveryLimit) {
  Random draw(34);
  for (int i = 0; i < 6000; ++i) {
    const PlacedPair pair = drawPlaced(&draw, draw.logUniform(1.0, 1000.0), 0.3, 1.7);
    const double exact = pair.distance().distance;
    const double off = draw.logUniform(1e-11, 1.0) * pair.size;
    for (const double limit : {exact - off, exact + off, 0.0}) {
      if (std::abs(exact - limit) < 1e-12 * pair.size) continue;
      DistanceCache cache;
      for (int round = 0; round < 2; ++round) {  // without and with what the cache remembers
        EXPECT_EQ(distanceAtLeast(pair.A, pair.X_WA, pair.B, pair.X_WB, limit, &cache),
                  exact >= limit)
            << "pair " << i << ", distance " << exact << ", limit " << limit;
      }
    }
  }
}

TEST(EllipsoidDistance, HasTheSignOfTheGaugeNextToContact) {
  Random draw(35);
  for (int i = 0; i < 20000; ++i) {
    const double off = draw.logUniform(1e-12, 0.5);
    const bool apart = draw.chance(0.5);
    const double gauge = apart ? 1.0 + off : 1.0 - off;
    const PlacedPair pair = drawPlaced(&draw, draw.logUniform(1.0, 100.0), gauge, gauge);
    // Placing in the world rounds the pose to 1e-16 of a metre.
    const double least = pair.A.radii().minCoeff() + pair.B.radii().minCoeff();
    if (off * least < 1e-14 * (pair.size + pair.X_WA.p.norm())) continue;
    EXPECT_EQ(distanceAtLeast(pair.A, pair.X_WA, pair.B, pair.X_WB, 0.0), apart) << "pair " << i;
  }
}

TEST(EllipsoidDistance, StartsFromAnyCachedNormal) {
  Random draw(36);
  for (int i = 0; i < 3000; ++i) {
    const PlacedPair pair = drawPlaced(&draw, 30.0, 0.2, 2.0);
    DistanceCache cache{draw.direction(), true};
    const double first = pair.distance(&cache).distance;
    EXPECT_NEAR(first, pair.distance().distance, 1e-12 * pair.size) << "pair " << i;
    EXPECT_NEAR(pair.distance(&cache).distance, first, 1e-12 * pair.size);
  }
}

TEST(EllipsoidDistance, OfExtremeRatiosIsLeftToTheGeneralSearch) {
  Random draw(37);
  for (int i = 0; i < 200; ++i) {
    const PlacedPair pair = drawPlaced(&draw, 1e7, 0.5, 2.0);
    const SignedDistance found = pair.distance(), search = pair.bySearch();
    EXPECT_NEAR(found.distance, search.distance, 1e-8 * pair.size) << "pair " << i;
  }
}

}  // namespace
}  // namespace allclear
