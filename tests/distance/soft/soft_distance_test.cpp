// The softened distance: never above the distance, smooth, with its own exact gradient.

#include "allclear/distance/soft/distance.h"

#include "allclear/core/input_error.h"
#include "allclear/distance/soft/body.h"
#include "allclear/distance/soft/pair.h"
#include "allclear/distance/soft/result.h"
#include "allclear/distance/soft/support.h"
#include "allclear/distance/support.h"
#include "distance/convex/signed_distance_oracle.h"

namespace allclear::test {
namespace {

Pose moved(const Pose& X, const Vec3& translation, const Vec3& turn) {
  const double angle = turn.norm();
  const Mat3 R = angle > 0.0 ? rotationAbout(turn / angle, angle) : Mat3(Mat3::Identity());
  return {R * X.R, X.p + translation};
}

double sizeOf(const Shape& shape) {
  return std::holds_alternative<HalfSpace>(shape) ? 1.0 : boundingBall(shape).radius;
}

struct Sample {
  Shape A, B;
  Pose X_WA, X_WB;
  double size = 0.0;
};

/// From deep inside of each other to well apart.
Sample drawSample(int kind_A, int kind_B, double aspect, Random* draw) {
  Sample s{drawShape(kind_A, draw, aspect), drawShape(kind_B, draw, aspect), {}, {}, 0.0};
  s.size = sizeOf(s.A) + sizeOf(s.B);
  s.X_WA = {draw->rotationOfQuaternion(), draw->directionOfNormals()};
  s.X_WB.R = draw->rotationOfQuaternion();
  const auto center = [](const Shape& shape) {
    return std::holds_alternative<HalfSpace>(shape) ? Vec3(Vec3::Zero())
                                                    : boundingBall(shape).center;
  };
  const double apart = draw->chance(0.1) ? 0.0 : s.size * draw->logUniform(1e-9, 2.0);
  s.X_WB.p = s.X_WA * center(s.A) - s.X_WB.R * center(s.B) + apart * draw->directionOfNormals();
  return s;
}

/// Bodies that face, touch or enclose each other squarely: flat on flat, centre on centre.
void alignAtRandom(Sample* s, Random* draw) {
  if (draw->chance(0.7)) return;
  s->X_WB.R = s->X_WA.R;
  if (draw->chance(0.5)) s->X_WB.p = s->X_WA.p;
}

TEST(SoftSupport, IsAboveTheSupportAndHasItsOwnDerivative) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random draw(seed);
    const int kind = static_cast<int>(seed % 8);
    if (kind == kHalfSpaceIndex) continue;
    const Shape shape = drawShape(kind, &draw, 100.0);
    const SoftBody body(shape);
    const SoftCore& core = body.pieces().front().body;
    const double softness = draw.logUniform(1e-3, 1.0);
    const Vec3 d = draw.chance(0.2) ? Vec3(Vec3::UnitZ()) : draw.directionOfNormals();
    const auto at = [&](const Vec3& direction) {
      Columns one;
      one.add(direction);
      double hard = 0.0;
      hardSupports(core, one, &hard);
      return std::pair(hard, softSupport(core, direction, softness, hard));
    };
    const auto [hard, soft] = at(d);
    EXPECT_NEAR(hard, d.dot(support(shape, d) - core.core.offset) - core.core.radius, 1e-14);
    EXPECT_GE(soft.value, hard);
    EXPECT_LE(soft.value, hard + softness * std::max(3.0, body.pieces().front().log_corners));
    EXPECT_LE(soft.point.norm(), core.core.extent * (1.0 + 1e-12));
    const Vec3 along = draw.directionOfNormals();
    const double step = 1e-5 * softness;
    const double slope =
        (at(d + step * along).second.value - at(d - step * along).second.value) / (2.0 * step);
    EXPECT_NEAR(soft.point.dot(along), slope, 1e-5);
  }
}

/// Softness for the sample, log-uniform: from sharp to larger than the bodies.
double drawSoftness(const Sample& s, Random* draw) { return s.size * draw->logUniform(1e-5, 3.0); }

TEST(SoftDistance, IsNeverAboveTheDistance) {
  const int samples = isLong() ? 4000 : 60;
  int deep = 0;
  for (int i = 0; i < 64 * samples; ++i) {
    SCOPED_TRACE(::testing::Message() << "seed " << i);
    Random draw(static_cast<unsigned>(i));
    if (i % 64 == 9 * kHalfSpaceIndex) continue;
    Sample s = drawSample(i / 8 % 8, i % 8, draw.chance(0.5) ? 10.0 : 1e4, &draw);
    alignAtRandom(&s, &draw);
    const SignedDistance exact = signedDistance(s.A, s.X_WA, s.B, s.X_WB);
    const SmoothDistance soft =
        softDistance(SoftBody(s.A), s.X_WA, SoftBody(s.B), s.X_WB, drawSoftness(s, &draw));
    ASSERT_TRUE(std::isfinite(soft.distance));
    ASSERT_LE(soft.distance, exact.distance + (exact.converged ? 0.0 : exact.gap))
        << kConvexNames[i / 8 % 8] << " and " << kConvexNames[i % 8];
    deep += exact.distance < -0.1 * s.size;
  }
  EXPECT_GT(deep, samples);
}

TEST(SoftDistance, GradientIsTheDerivativeOfTheValue) {
  const int samples = isLong() ? 300 : 4;
  for (int i = 0; i < 64 * samples; ++i) {
    SCOPED_TRACE(::testing::Message() << "seed " << i);
    Random draw(static_cast<unsigned>(i));
    if (i % 64 == 9 * kHalfSpaceIndex) continue;
    Sample s = drawSample(i / 8 % 8, i % 8, 10.0, &draw);
    alignAtRandom(&s, &draw);
    const SoftBody A(s.A), B(s.B);
    const double softness = s.size * draw.logUniform(3e-3, 0.3);
    const auto value = [&](const Pose& X_WA, const Pose& X_WB) {
      return softDistance(A, X_WA, B, X_WB, softness).distance;
    };
    const DistanceGradient g = softDistance(A, s.X_WA, B, s.X_WB, softness).gradient;
    const double step = 1e-4 * softness;
    const Vec3 u = draw.directionOfNormals(), none = Vec3::Zero();
    const auto slope = [&](bool of_A, bool turns) {
      const auto at = [&](double t) {
        const Pose X =
            moved(of_A ? s.X_WA : s.X_WB, turns ? none : Vec3(t * u), turns ? Vec3(t * u) : none);
        return of_A ? value(X, s.X_WB) : value(s.X_WA, X);
      };
      return (8.0 * (at(step) - at(-step)) - at(2.0 * step) + at(-2.0 * step)) / (12.0 * step);
    };
    const double size = s.size + (s.X_WB.p - s.X_WA.p).norm();
    const double rounding = 1e-8 + 1e-15 * size / step;
    EXPECT_NEAR(g.translation_A.dot(u), slope(true, false), rounding);
    EXPECT_NEAR(g.translation_B.dot(u), slope(false, false), rounding);
    EXPECT_NEAR(g.rotation_A.dot(u), slope(true, true), rounding * std::max(1.0, size));
    EXPECT_NEAR(g.rotation_B.dot(u), slope(false, true), rounding * std::max(1.0, size));
  }
}

/// The definition, over all directions, in long double; of two convex pieces that are no planes.
double inFull(const SoftPiece& A, const Pose& X_WA, const SoftPiece& B, const Pose& X_WB,
              double softness) {
  std::vector<Real> values;
  const auto add = [&](const SoftPiece& owner, const Pose& X_WP, const SoftPiece& other,
                       const Pose& X_WQ, const Columns& directions) {
    for (int k = 0; k < directions.count(); ++k) {
      const Vec3 n = directions[k];
      const Vec3 outward = X_WP.R * n;
      const Vec3 back = -(X_WQ.R.transpose() * outward);
      Columns one, other_one;
      one.add(n);
      other_one.add(back);
      double hard_own = 0.0, hard_other = 0.0;
      hardSupports(owner.body, one, &hard_own);
      hardSupports(other.body, other_one, &hard_other);
      values.push_back(Real(outward.dot(X_WQ.p - X_WP.p)) - owner.body.core.radius -
                       other.body.core.radius -
                       softSupport(owner.body, n, 0.5 * softness, hard_own).value -
                       softSupport(other.body, back, 0.5 * softness, hard_other).value);
    }
  };
  add(A, X_WA * A.X_BC, B, X_WB * B.X_BC, A.fan);
  add(B, X_WB * B.X_BC, A, X_WA * A.X_BC, B.own);
  const Real top = *std::max_element(values.begin(), values.end());
  Real sum = 0;
  for (Real v : values) sum += std::exp((v - top) / softness);
  return static_cast<double>(top + softness * std::log(sum / values.size()));
}

TEST(SoftDistance, WhatIsLeftOutDoesNotCount) {
  for (int i = 0; i < 640; ++i) {
    SCOPED_TRACE(::testing::Message() << "seed " << i);
    if (i / 8 % 8 == kHalfSpaceIndex || i % 8 == kHalfSpaceIndex) continue;
    Random draw(static_cast<unsigned>(i));
    const Sample s = drawSample(i / 8 % 8, i % 8, 100.0, &draw);
    const SoftBody A(s.A), B(s.B);
    const double softness = drawSoftness(s, &draw);
    const double full = inFull(A.pieces()[0], s.X_WA, B.pieces()[0], s.X_WB, softness);
    const double value = softDistance(A, s.X_WA, B, s.X_WB, softness).distance;
    // Terms left out, and the rounding subtracted for sizes and for places.
    const double places = s.X_WA.p.norm() + s.X_WB.p.norm();
    EXPECT_NEAR(value, full,
                1e-12 * softness + 3e-14 * (s.size + std::fabs(full)) + 1.1e-15 * places);
  }
}

TEST(SoftDistance, TheFanLeavesNoGap) {
  const SoftBody ball(Sphere(1.0));
  const Columns& fan = ball.pieces()[0].fan;
  Random draw(1);
  double least = 1.0;
  for (int i = 0; i < 20000; ++i) {
    const Vec3 d = draw.directionOfNormals();
    double nearest = -1.0;
    for (int k = 0; k < fan.count(); ++k) nearest = std::max(nearest, fan[k].dot(d));
    least = std::min(least, nearest);
  }
  EXPECT_GT(least, kFanCosine);  // the bound by which far pieces are left out rests on it
}

TEST(SoftDistance, IsBelowByAboutSevenTimesTheSoftness) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random draw(seed);
    Sample s = drawSample(2, 2, 3.0, &draw);
    s.X_WB.R = s.X_WA.R;  // faces against faces: the best direction is one of those asked
    const double softness = 0.002;
    const double exact = signedDistance(s.A, s.X_WA, s.B, s.X_WB).distance;
    if (exact > 0.0) continue;
    const double soft =
        softDistance(SoftBody(s.A), s.X_WA, SoftBody(s.B), s.X_WB, softness).distance;
    EXPECT_GT(exact - soft, 4.0 * softness);
    EXPECT_LT(exact - soft, 8.0 * softness);
  }
}

TEST(SoftDistance, MovingBothChangesNothing) {
  for (int i = 0; i < 64; ++i) {
    if (i == 9 * kHalfSpaceIndex) continue;
    SCOPED_TRACE(::testing::Message() << "seed " << i);
    Random draw(static_cast<unsigned>(i));
    const Sample s = drawSample(i / 8, i % 8, 10.0, &draw);
    const Pose X{draw.rotationOfQuaternion(), draw.directionOfNormals()};
    const SoftBody A(s.A), B(s.B);
    const SmoothDistance r = softDistance(A, s.X_WA, B, s.X_WB, 0.05);
    const SmoothDistance t = softDistance(A, X * s.X_WA, B, X * s.X_WB, 0.05);
    EXPECT_NEAR(r.distance, t.distance, 1e-12 * s.size);
    if (!r.tie) {
      EXPECT_LT((X.R * r.normal - t.normal).norm(), 1e-8);
    }
    EXPECT_LT((X.R * r.gradient.translation_B - t.gradient.translation_B).norm(), 1e-10);
  }
}

TEST(SoftDistance, OfSeveralPiecesIsNeverAboveTheLeastOfTheirs) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random draw(seed);
    std::vector<Geometry> pieces;
    for (int k = draw.index(6) + 1; k > 0; --k) {
      const int kind = draw.index(6);
      pieces.push_back(
          {drawShape(kind, &draw, 10.0),
           {draw.rotationOfQuaternion(), draw.uniform(0.0, 3.0) * draw.directionOfNormals()}});
    }
    const Shape B = drawShape(kConvexIndex, &draw, 5.0);
    const Pose X_WA{draw.rotationOfQuaternion(), draw.directionOfNormals()};
    const Pose X_WB{draw.rotationOfQuaternion(),
                    draw.uniform(0.0, 4.0) * draw.directionOfNormals()};
    const double softness = draw.logUniform(1e-3, 0.3);
    double exact = HUGE_VAL, sum = 0.0;
    for (const Geometry& piece : pieces) {
      exact = std::min(exact, signedDistance(piece.shape, X_WA * piece.X_BG, B, X_WB).distance);
    }
    const SoftBody body(pieces), other(B);
    const SmoothDistance soft = softDistance(body, X_WA, other, X_WB, softness);
    EXPECT_LE(soft.distance, exact);
    for (const Geometry& piece : pieces) {
      const double one = softDistance(SoftBody({piece}), X_WA, other, X_WB, softness).distance;
      sum += std::exp((soft.distance - one) / softness);
    }
    EXPECT_NEAR(sum, 1.0, 1e-9);  // value = -softness log(sum of exp(-one / softness))
    const double step = 1e-4 * softness;
    const Vec3 u = draw.directionOfNormals();
    const auto at = [&](double t) {
      return softDistance(body, X_WA, other, moved(X_WB, Vec3::Zero(), t * u), softness).distance;
    };
    const double slope =
        (8.0 * (at(step) - at(-step)) - at(2.0 * step) + at(-2.0 * step)) / (12.0 * step);
    EXPECT_NEAR(soft.gradient.rotation_B.dot(u), slope, 1e-7 + 1e-14 / step);
  }
}

// What a caller allows to be left out is bounded by its share: of the value in units of the
// softness, and of the mean of unit normals. Bodies of several pieces, so that whole pairs and the
// directions of light pairs drop out.
TEST(SoftDistance, LeavesOutNoMoreThanTheShareThatItIsGiven) {
  SoftWorkspace workspace;
  double most = 0.0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random draw(seed);
    const auto drawBody = [&](double spread) {
      std::vector<Geometry> pieces;
      for (int k = draw.index(5) + 1; k > 0; --k) {
        pieces.push_back(
            {drawShape(draw.index(6), &draw, 10.0),
             {draw.rotationOfQuaternion(), draw.uniform(0.0, spread) * draw.directionOfNormals()}});
      }
      return SoftBody(pieces);
    };
    const SoftBody A = drawBody(3.0), B = drawBody(2.0);
    const Pose X_WA{draw.rotationOfQuaternion(), draw.directionOfNormals()};
    const Pose X_WB{draw.rotationOfQuaternion(),
                    draw.uniform(0.0, 6.0) * draw.directionOfNormals()};
    const double softness = draw.logUniform(1e-3, 1.0);
    const SmoothDistance full = softDistance(A, X_WA, B, X_WB, softness);
    for (const double share : {1e-1, 1e-3, 1e-7}) {
      const SmoothDistance less = softDistance(A, X_WA, B, X_WB, softness, &workspace, share);
      const double value = std::fabs(less.distance - full.distance) / softness;
      const double slope = (less.gradient.translation_B - full.gradient.translation_B).norm();
      // Directions and pairs may each leave out the share; a mean of unit vectors moves by twice
      // what its weights lose.
      EXPECT_LE(value, 2.0 * share + 1e-11);
      EXPECT_LE(slope, 4.0 * share + 1e-11);
      most = std::max(most, std::max(value, slope) / share);
    }
  }
  EXPECT_GT(most, 1e-3);  // something was left out
}

TEST(SoftDistance, KeepsAMeshOfManyCornersEnclosed) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random draw(seed);
    const auto cloud = [&] {
      const Vec3 scale(drawSize(&draw, 30.0), drawSize(&draw, 30.0), drawSize(&draw, 30.0));
      std::vector<Vec3> points;
      for (int i = 0; i < 400; ++i) points.push_back(scale.cwiseProduct(draw.directionOfNormals()));
      return ConvexMesh(points);
    };
    const Shape A = cloud(), B = cloud();
    const SoftBody soft_A(A), soft_B(B);
    const SoftCore& core = soft_A.pieces()[0].body;
    EXPECT_LE(core.corner_count, 64);
    EXPECT_LT(core.core.radius, 0.2 * core.core.extent);  // what the ball grew by
    const Pose X_WA{draw.rotationOfQuaternion(), Vec3::Zero()};
    const Pose X_WB{draw.rotationOfQuaternion(),
                    draw.uniform(0.0, 2.0) * draw.directionOfNormals()};
    const double exact = signedDistance(A, X_WA, B, X_WB).distance;
    const double soft =
        softDistance(soft_A, X_WA, soft_B, X_WB, draw.logUniform(1e-6, 0.1)).distance;
    EXPECT_LE(soft, exact);
  }
}

TEST(SoftDistance, OfAPairIsNotBelowItsLowerBound) {
  SoftWorkspace workspace;
  for (int i = 0; i < 640; ++i) {
    SCOPED_TRACE(::testing::Message() << "seed " << i);
    if (i / 8 % 8 == kHalfSpaceIndex || i % 8 == kHalfSpaceIndex) continue;
    Random draw(static_cast<unsigned>(i));
    Sample s = drawSample(i / 8 % 8, i % 8, 100.0, &draw);
    if (draw.chance(0.5)) s.X_WB.p += 10.0 * s.size * draw.direction();
    const SoftBody bodies[] = {SoftBody(s.A), SoftBody(s.B)};
    const SoftPiece &A = bodies[0].pieces()[0], &B = bodies[1].pieces()[0];
    EXPECT_LE(A.fan.count() + B.own.count(), kMostPairDirections);
    const Pose X_WA = s.X_WA * A.X_BC, X_WB = s.X_WB * B.X_BC;
    const double softness = drawSoftness(s, &draw);
    OwnSupports along_fan, along_own;
    along_fan.reset(A.fan_supports.size());
    along_own.reset(B.own_supports.size());
    const SoftPiecePair pair{0.0, &A, &B, X_WA, X_WB, &along_fan, &along_own};
    const Softness how{softness, -std::log(kNegligibleShare), HUGE_VAL};
    const double value = softPairDistance(pair, how, &workspace).value;
    const double places = X_WA.p.norm() + X_WB.p.norm();
    EXPECT_GE(value, lowerSoftPairDistance(A, X_WA, B, X_WB, softness) -
                         1e-12 * (s.size + softness + places));
  }
}

TEST(SoftDistance, DoesNotDependOnWhatTheWorkspaceWasUsedFor) {
  SoftWorkspace used;
  for (int i = 0; i < 320; ++i) {
    SCOPED_TRACE(::testing::Message() << "seed " << i);
    if (i % 64 == 9 * kHalfSpaceIndex) continue;
    Random draw(static_cast<unsigned>(i));
    const Sample s = drawSample(i / 8 % 8, i % 8, 10.0, &draw);
    const SoftBody A(s.A), B(s.B);
    const double softness = s.size * draw.logUniform(1e-3, 0.3);
    const SmoothDistance again = softDistance(A, s.X_WA, B, s.X_WB, softness, &used);
    const SmoothDistance fresh = softDistance(A, s.X_WA, B, s.X_WB, softness);
    EXPECT_EQ(again.distance, fresh.distance);
    EXPECT_EQ(again.normal, fresh.normal);
    EXPECT_EQ(again.gradient.rotation_B, fresh.gradient.rotation_B);
  }
}

TEST(SmoothDistance, OfAnExactDistanceKeepsItsValueAndSaysWhereNormalsTie) {
  const Sphere ball(0.2);
  const Pose X{Mat3::Identity(), Vec3(0.5, 0.0, 0.0)};
  const SignedDistance exact = signedDistance(ball, Pose(), ball, X);
  const SmoothDistance smooth = asSmooth(exact, Pose(), X);
  EXPECT_EQ(smooth.distance, exact.distance);
  EXPECT_LT((smooth.gradient.translation_B - Vec3::UnitX()).norm(), 1e-15);
  EXPECT_FALSE(smooth.tie);
  EXPECT_TRUE(asSmooth(signedDistance(ball, Pose(), ball, Pose()), Pose(), Pose()).tie);
}

TEST(SoftDistance, WitnessesAreParallelToTheNormal) {
  Random draw(7);
  const Sample s = drawSample(2, 4, 5.0, &draw);
  const SmoothDistance soft = softDistance(SoftBody(s.A), s.X_WA, SoftBody(s.B), s.X_WB, 0.01);
  EXPECT_LT((soft.witness_B - soft.witness_A - soft.distance * soft.normal).norm(), 1e-12);
  EXPECT_NEAR(soft.normal.norm(), 1.0, 1e-12);
}

TEST(SoftDistance, SaysWhereDirectionsTieAndWhereThereIsNone) {
  const SoftBody ball(Sphere(0.1)), plane{Shape(HalfSpace())};
  EXPECT_TRUE(softDistance(ball, Pose(), ball, Pose(), 0.01).tie);
  const Pose apart{Mat3::Identity(), Vec3(0.1, 0.0, 0.0)};
  EXPECT_FALSE(softDistance(ball, Pose(), ball, apart, 0.001).tie);
  EXPECT_TRUE(softDistance(plane, Pose(), plane, Pose(), 0.01).fallback);
  EXPECT_THROW(softDistance(ball, Pose(), ball, apart, 0.0), InputError);
}

}  // namespace
}  // namespace allclear::test
