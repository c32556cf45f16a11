// The first instant below a threshold against dense samples of the true motion, for all convex
// pairs; touches that are shorter than any step of time, and near misses.

#include <gtest/gtest.h>

#include "allclear/core/input_error.h"
#include "allclear/distance/minimum/convex/first_contact.h"
#include "distance/minimum/mcd_oracle.h"
#include "distance/minimum/mcd_shapes.h"

namespace allclear {
namespace {

using test::MovingSolid;
using test::Random;
using test::samplesOf;

const Interval kSpan{0.0, 1.0};
constexpr int kHalfSpace = 6;
constexpr int kSamples = 200;

double distanceAt(const MovingSolid& a, const MovingSolid& b, double t) {
  return signedDistance(a.shape, a.pose(t), b.shape, b.pose(t)).distance;
}

/// The first sample below the level, or a time after the span.
double firstSampleBelow(const MovingSolid& a, const MovingSolid& b, double level) {
  for (int i = 0; i <= kSamples; ++i) {
    const double t = kSpan.lower + kSpan.length() * i / kSamples;
    if (distanceAt(a, b, t) < level) return t;
  }
  return 2.0 * kSpan.upper;
}

/// What must be true of any answer.
void expectTrue(const MovingSolid& a, const MovingSolid& b, double threshold,
                const FirstContact& contact) {
  constexpr double kAccuracy = 1e-8;  // that `signedDistance` promises
  const double until = contact.clear_until;
  const bool whole = contact.status == ContactStatus::kNone;
  for (int i = 0; i < kSamples + whole; ++i) {
    const double t = kSpan.lower + (until - kSpan.lower) * i / kSamples;
    if (t < until || whole) {
      EXPECT_GE(distanceAt(a, b, t), threshold - kAccuracy) << t;
    }
  }
  if (contact.status != ContactStatus::kFound) return;
  EXPECT_GE(contact.below_at, contact.clear_until);
  EXPECT_LT(distanceAt(a, b, contact.below_at), threshold + kAccuracy);
  EXPECT_NEAR((contact.witness_B - contact.witness_A).dot(contact.normal), contact.distance, 1e-6);
}

TEST(FirstContact, OfRandomPairsIsBracketed) {
  int found = 0, none = 0, undecided = 0;
  for (int i = 0; i < samplesOf(600, 100000); ++i) {
    SCOPED_TRACE("seed " + std::to_string(i));
    Random random(9000000 + i);
    const int kind_a = i % 8, kind_b = i / 8 % 8;
    if (kind_a == kHalfSpace && kind_b == kHalfSpace) continue;
    MovingSolid a = test::randomSolid(random, kind_a), b = test::randomSolid(random, kind_b);
    test::fitCurves(&a, &b, kSpan, random.chance(0.3) ? 1e-4 : 1e-9);
    const double threshold = random.chance(0.5) ? 0.0 : random.uniform(-0.05, 0.2);
    const FirstContact contact = firstContact(a.moving(), b.moving(), threshold);
    expectTrue(a, b, threshold, contact);
    const double near = 1e-8 + 8.0 * test::errorOf(a, b);
    const double sampled = firstSampleBelow(a, b, threshold - near);
    if (sampled <= kSpan.upper) {
      ASSERT_EQ(contact.status, ContactStatus::kFound);
      EXPECT_LE(contact.clear_until, sampled);
      EXPECT_LE(contact.below_at, sampled + 1e-9);
    }
    found += contact.status == ContactStatus::kFound;
    none += contact.status == ContactStatus::kNone;
    undecided += contact.status == ContactStatus::kUndecided;
  }
  EXPECT_GT(found, 100);
  EXPECT_GT(none, 50);
  EXPECT_LT(undecided, 10);
}

/// A solid whose least distance from a plane at rest is `least`, met inside of the span; false when
/// it is below at the start already, or met at an end.
bool graze(Random& random, double least, MovingSolid* plane, MovingSolid* solid) {
  plane->shape = HalfSpace();
  plane->X_BG = {random.rotation(), random.inBox(0.5)};
  *solid = test::randomSolid(random, random.chance(0.5) ? 7 : 2);
  const auto truth =
      test::trueMinimum([&](double t) { return distanceAt(*plane, *solid, t); }, kSpan, 200);
  const bool inside = truth.t > 0.01 && truth.t < 0.99;
  plane->X_BG.p += (truth.value - least) * plane->X_BG.R.col(2);
  solid->curves = solid->chain.curves(kSpan, solid->chain.cellsFor(kSpan, 1e-12, solid->reach()));
  plane->curves = {BodyCurve::still(Pose{}, kSpan)};
  return inside && distanceAt(*plane, *solid, kSpan.lower) > 0.0;
}

TEST(FirstContact, FindsEveryGrazeAndRaisesNoFalseAlarm) {
  // As many near misses as touches.
  int touched = 0, missed = 0;
  const int count = samplesOf(75, 1500);
  for (int i = 0; touched < count || missed < count; ++i) {
    SCOPED_TRACE("seed " + std::to_string(i));
    Random random(9500000 + i);
    const double depth = random.logUniform(1e-7, 1e-4);
    MovingSolid plane, solid;
    const bool touches = i % 2 == 0;
    if (!graze(random, touches ? -depth : depth, &plane, &solid)) continue;
    ++(touches ? touched : missed);
    const FirstContact contact =
        firstContact(convexCurves(plane.moving()), convexCurves(solid.moving()), 0.0, {});
    ASSERT_EQ(contact.status, touches ? ContactStatus::kFound : ContactStatus::kNone);
    if (!touches) continue;
    EXPECT_LT(distanceAt(plane, solid, contact.below_at), 0.0);
    EXPECT_GT(distanceAt(plane, solid, contact.clear_until), -1e-11);
    EXPECT_LT(contact.below_at - contact.clear_until, 1e-6);
  }
}

/// A ball that falls by `depth` below the plane z = 0 at the time 0.5, as a parabola.
BodyCurve fallingBall(double radius, double depth) {
  std::array<Pose, LobattoNodes::kCount> poses;
  for (int i = 0; i < LobattoNodes::kCount; ++i) {
    const double s = LobattoNodes::at(i) - 0.5;
    poses[i] = {Mat3::Identity(), Vec3(s, 0.0, radius - depth + 4.0 * s * s)};
  }
  BodyCurve fall;
  fall.time = kSpan;
  fall.control = LobattoNodes::controlFromSamples(poses);
  fall.bounds.linear[0] = 5.0;
  return fall;
}

TEST(FirstContact, OfAFallingBallIsTheRootOfTheParabola) {
  const Shape plane = HalfSpace(), ball = Sphere(0.1), table = Box({4.0, 4.0, 1.0});
  const BodyCurve floor = BodyCurve::still(Pose{}, kSpan);
  const BodyCurve under = BodyCurve::still({Mat3::Identity(), {0, 0, -0.5}}, kSpan);
  for (double depth : {1.0, 0.3, 1e-3, 1e-6, 1e-10}) {
    const BodyCurve fall = fallingBall(0.1, depth);
    const double exact = 0.5 - std::sqrt(depth / 4.0);
    for (double tolerance : {1e-9, 1e-4}) {
      FirstContactOptions options;
      options.tolerance = tolerance;
      const FirstContact contact =
          firstContact({&plane, {}, {&floor, 1}}, {&ball, {}, {&fall, 1}}, 0.0, options);
      ASSERT_EQ(contact.status, ContactStatus::kFound) << depth;
      EXPECT_LE(contact.clear_until, exact + 1e-15);
      EXPECT_GE(contact.below_at, exact - 1e-15);
      // The curve is known to rounding; the slower the fall, the longer it takes to leave that.
      const double unknown = 2e-13 / (4.0 * std::sqrt(depth));
      EXPECT_LE(contact.below_at - contact.clear_until, tolerance + unknown);
    }
    // The same against the top of a table, by distances of boxes.
    const FirstContact contact =
        firstContact({&ball, {}, {&fall, 1}}, {&table, {}, {&under, 1}}, 0.0);
    ASSERT_EQ(contact.status, depth < 1e-9 ? contact.status : ContactStatus::kFound) << depth;
    EXPECT_LE(contact.clear_until, exact + 1e-12);
  }
  const BodyCurve miss = fallingBall(0.1, -1e-10);
  EXPECT_EQ(firstContact({&plane, {}, {&floor, 1}}, {&ball, {}, {&miss, 1}}, 0.0).status,
            ContactStatus::kNone);
}

TEST(FirstContact, AtTheStartIsTheStart) {
  const Shape plane = HalfSpace(), ball = Sphere(0.1);
  const BodyCurve floor = BodyCurve::still(Pose{}, kSpan);
  const BodyCurve inside = BodyCurve::still({Mat3::Identity(), {0, 0, 0.05}}, kSpan);
  const FirstContact contact =
      firstContact({&plane, {}, {&floor, 1}}, {&ball, {}, {&inside, 1}}, 0.0);
  EXPECT_EQ(contact.status, ContactStatus::kFound);
  EXPECT_EQ(contact.clear_until, 0.0);
  EXPECT_EQ(contact.below_at, 0.0);
  EXPECT_NEAR(contact.distance, -0.05, 1e-15);
}

TEST(FirstContact, AtRestOnTheThresholdIsUndecidedAtMost) {
  // A ball that lies on the plane throughout, to rounding: nothing can be proved, and that is said
  // without looking at every instant.
  const Shape plane = HalfSpace(), ball = Sphere(0.1);
  const BodyCurve floor = BodyCurve::still(Pose{}, kSpan);
  const BodyCurve on = BodyCurve::still({Mat3::Identity(), {0, 0, 0.1}}, kSpan);
  const FirstContact contact = firstContact({&plane, {}, {&floor, 1}}, {&ball, {}, {&on, 1}}, 0.0);
  EXPECT_EQ(contact.status, ContactStatus::kUndecided);
  EXPECT_EQ(contact.clear_until, 0.0);
  EXPECT_LT(contact.evaluations, 10);
}

TEST(FirstContact, RefusesWhatItCannotAnswer) {
  const Shape plane = HalfSpace(), ball = Sphere(0.1);
  const Shape mesh = TriangleMesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                  {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}});
  const BodyCurve floor = BodyCurve::still(Pose{}, kSpan);
  const BodyCurve fall = fallingBall(0.0, 0.1);
  EXPECT_THROW(firstContact({&ball, {}, {&floor, 1}}, {&mesh, {}, {&fall, 1}}, 0.0), InputError);
  EXPECT_THROW(firstContact({&plane, {}, {&floor, 1}}, {&plane, {}, {&fall, 1}}, 0.0), InputError);
  EXPECT_THROW(firstContact({&plane, {}, {&floor, 1}}, {&ball, {}, {&fall, 1}}, NAN), InputError);
  const FirstContact hull = firstContact({&plane, {}, {&floor, 1}}, {&mesh, {}, {&fall, 1}}, 0.0);
  EXPECT_EQ(hull.status, ContactStatus::kFound);
  EXPECT_NEAR(hull.below_at, 0.5 - std::sqrt(0.1 / 4.0), 1e-8);
}

}  // namespace
}  // namespace allclear
