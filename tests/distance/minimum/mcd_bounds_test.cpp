// Every bound that the minimum over time rests on, by itself against samples of the truth.

#include <gtest/gtest.h>

#include "allclear/distance/minimum/capsule/capsule.h"
#include "allclear/distance/minimum/convex/convex.h"
#include "allclear/distance/minimum/reference/approach_speed.h"
#include "allclear/distance/support.h"
#include "distance/minimum/mcd_oracle.h"
#include "distance/minimum/mcd_shapes.h"

namespace allclear {
namespace {

using test::MovingSolid;
using test::Random;
using test::samplesOf;

constexpr int kSteps = 40;

struct CapsulePair {
  MovingSolid a, b;
  std::vector<CapsuleCurve> a_curves, b_curves;

  /// Cells as coarse as drawn.
  CapsulePair(Random& draw, int cells)
      : a(test::randomSolid(draw, 1)), b(test::randomSolid(draw, 1)) {
    fill(&a, cells, &a_curves);
    fill(&b, cells, &b_curves);
  }
  static void fill(MovingSolid* solid, int cells, std::vector<CapsuleCurve>* curves) {
    solid->curves = solid->chain.curves({0.0, 1.0}, cells);
    curves->resize(cells);
    capsuleCurves(solid->curves, capsuleAxis(solid->shape, solid->X_BG), *curves);
  }
};

Vec3 endOf(const CapsuleInstant& instant, int index) {
  return {instant.x[index], instant.x[4 + index], instant.x[8 + index]};
}

TEST(BodyCurve, APartIsTheSameMotionOnItsTime) {
  for (int i = 0; i < samplesOf(200, 10000); ++i) {
    Random draw(50 + i);
    const BodyCurve whole = test::randomSolid(draw, 1).chain.curves({0.3, 1.3}, 1)[0];
    Interval time{draw.uniform(0.3, 1.3), 0.0};
    time.upper = std::min(1.3, time.lower + draw.logUniform(1e-6, 2.0));
    if (draw.chance(0.2)) time.lower = 0.3;
    if (draw.chance(0.2)) time.upper = 1.3;
    const BodyCurve part = whole.restricted(time);
    EXPECT_EQ(part.position_error, whole.position_error);
    for (int k = 0; k <= 8; ++k) {
      const double t = time.lower + time.length() * k / 8;
      const Pose X = whole.pose(t), Y = part.pose(t);
      // Of a short part the parameter has fewer digits than t.
      const double rounding = 1e-13 + 1e-14 / time.length();
      ASSERT_LE((X.R - Y.R).norm() + (X.p - Y.p).norm(), rounding) << "seed " << 50 + i;
    }
  }
}

TEST(CapsuleCurve, ErrorCoversTheTrueAxisAndIsOfItsOrder) {
  double sharpest = 0.0;
  for (int i = 0; i < samplesOf(400, 20000); ++i) {
    Random draw(100 + i);
    const CapsulePair pair(draw, draw.integer(1, 3));
    const CapsuleAxis axis = capsuleAxis(pair.a.shape, pair.a.X_BG);
    for (const CapsuleCurve& curve : pair.a_curves) {
      for (int k = 0; k <= kSteps; ++k) {
        const double s = static_cast<double>(k) / kSteps;
        CapsuleInstant instant;
        capsuleInstant(curve, curve, s, &instant);
        const Pose X = pair.a.chain.pose(curve.time.lower + s * curve.time.length());
        const double off = std::max((X * axis.p0 - endOf(instant, 0)).norm(),
                                    (X * axis.p1 - endOf(instant, 1)).norm());
        ASSERT_LE(off, curve.error) << "seed " << 100 + i;
        if (curve.error > 1e-9) sharpest = std::max(sharpest, off / curve.error);
      }
    }
  }
  EXPECT_GT(sharpest, 0.2);  // without any one of the remainder's terms the bound would not hold
}

TEST(CapsuleCurve, BallHoldsTheTrueCapsule) {
  for (int i = 0; i < samplesOf(400, 20000); ++i) {
    Random draw(200 + i);
    const CapsulePair pair(draw, 1);
    const CapsuleAxis axis = capsuleAxis(pair.a.shape, pair.a.X_BG);
    const CapsuleCurve& curve = pair.a_curves[0];
    const Vec3 center(curve.ball_center[0], curve.ball_center[1], curve.ball_center[2]);
    for (int k = 0; k <= kSteps; ++k) {
      const Pose X = pair.a.chain.pose(static_cast<double>(k) / kSteps);
      for (const Vec3& p : {axis.p0, axis.p1}) {
        ASSERT_LE((X * p - center).norm() + axis.radius, curve.ball_radius) << "seed " << 200 + i;
      }
    }
  }
}

TEST(CapsuleCurve, SpeedsBoundThePolynomialAndTheTrueMotion) {
  double sharpest = 0.0;
  for (int i = 0; i < samplesOf(400, 20000); ++i) {
    Random draw(300 + i);
    const CapsulePair pair(draw, draw.integer(1, 3));
    const CapsuleAxis axis = capsuleAxis(pair.a.shape, pair.a.X_BG);
    for (const CapsuleCurve& curve : pair.a_curves) {
      CapsuleInstant last;
      capsuleInstant(curve, curve, 0.0, &last);
      for (int k = 1; k <= kSteps; ++k) {
        CapsuleInstant instant;
        capsuleInstant(curve, curve, static_cast<double>(k) / kSteps, &instant);
        for (int end : {0, 1}) {
          const double moved = (endOf(instant, end) - endOf(last, end)).norm();
          ASSERT_LE(moved, curve.speed / kSteps + 1e-14) << "seed " << 300 + i;
          if (curve.speed > 0.0) sharpest = std::max(sharpest, moved * kSteps / curve.speed);
          const double t = curve.time.lower + curve.time.length() * k / kSteps;
          const double step = curve.time.length() / kSteps;
          const Vec3& p = end == 0 ? axis.p0 : axis.p1;
          ASSERT_LE((pair.a.chain.pose(t) * p - pair.a.chain.pose(t - step) * p).norm(),
                    curve.lever_speed * step + 1e-14)
              << "seed " << 300 + i;
        }
        last = instant;
      }
    }
  }
  EXPECT_GT(sharpest, 0.99);
}

TEST(CapsuleCurve, JumpIsTheGapBetweenCells) {
  Random draw(7);
  CapsulePair pair(draw, 2);
  pair.a.curves[1].control.front().p += Vec3(3e-3, 0.0, 4e-3);
  capsuleCurves(pair.a.curves, capsuleAxis(pair.a.shape, pair.a.X_BG), pair.a_curves);
  EXPECT_EQ(pair.a_curves[0].jump, 0.0);
  EXPECT_NEAR(pair.a_curves[1].jump, 5e-3, 1e-12);
}

TEST(CapsuleCertificate, IsBelowTheSquaredAxisDistanceAndTightOnShortIntervals) {
  double widest = 0.0;
  for (int i = 0; i < samplesOf(3000, 200000); ++i) {
    Random draw(10000 + i);
    CapsulePair pair(draw, 1);
    if (draw.chance(0.1)) pair.b_curves = pair.a_curves;
    const CapsuleCurve &a = pair.a_curves[0], &b = pair.b_curves[0];
    const double s0 = draw.chance(0.3) ? 0.0 : draw.uniform(0.0, 1.0);
    const double s1 = draw.chance(0.3) ? 1.0 : std::min(1.0, s0 + draw.logUniform(1e-4, 1.0));
    const double bound = capsuleCertificate(a, b, s0, s1);
    const auto squared = [&](double s) {
      CapsuleInstant instant;
      capsuleInstant(a, b, s, &instant);
      return instant.distance * instant.distance;
    };
    const double truth = test::trueMinimum(squared, {s0, s1}, 30).value;
    ASSERT_LE(bound, truth) << "seed " << 10000 + i;
    // On a short interval the bound loses no more than the distance itself can change.
    const double length = 1e-5 * (1.0 - s0);
    const double at_start = squared(s0);
    const double change = 2.0 * std::sqrt(at_start) * (a.speed + b.speed) * length;
    const double tiny = capsuleCertificate(a, b, s0, s0 + length);
    widest = std::max(widest, (at_start - tiny) / (change + 1e-9));
  }
  EXPECT_LT(widest, 1.0);
}

TEST(CapsuleApproach, BoundsHowFastTheRoomAlongANormalShrinks) {
  double sharpest = 0.0;
  for (int i = 0; i < samplesOf(400, 20000); ++i) {
    Random draw(400 + i);
    const CapsulePair pair(draw, 1);
    const CapsuleCurve &a = pair.a_curves[0], &b = pair.b_curves[0];
    const Vec3 n = draw.direction();
    const double forward = capsuleApproach(a, b, n, false);
    const double backward = capsuleApproach(a, b, n, true);
    const auto room = [&](double s) {
      CapsuleInstant x;
      capsuleInstant(a, b, s, &x);
      return std::min(n.dot(endOf(x, 2)), n.dot(endOf(x, 3))) -
             std::max(n.dot(endOf(x, 0)), n.dot(endOf(x, 1)));
    };
    for (int k = 0; k < kSteps; ++k) {
      const double change = room((k + 1.0) / kSteps) - room(static_cast<double>(k) / kSteps);
      ASSERT_LE(-change, forward / kSteps + 1e-14) << "seed " << 400 + i;
      ASSERT_LE(change, backward / kSteps + 1e-14) << "seed " << 400 + i;
      if (forward > 1e-6) sharpest = std::max(sharpest, -change * kSteps / forward);
    }
  }
  EXPECT_GT(sharpest, 0.95);
}

struct ConvexPair {
  MovingSolid a, b;
  std::vector<ConvexCurve> a_curves, b_curves;

  ConvexPair(Random& draw, int kind_a, int kind_b, int cells)
      : a(test::randomSolid(draw, kind_a)), b(test::randomSolid(draw, kind_b)) {
    for (auto [solid, curves] : {std::pair{&a, &a_curves}, std::pair{&b, &b_curves}}) {
      solid->curves = solid->chain.curves({0.0, 1.0}, cells);
      curves->resize(cells);
      convexCurves(solid->curves, solid->shape, solid->X_BG, *curves);
    }
  }
};

/// A random kind but no half-space.
int solidKind(Random& draw) {
  const int kind = draw.integer(0, 6);
  return kind == 6 ? 7 : kind;
}

TEST(ConvexCurve, ErrorsCoverTheTruePointsAndRotation) {
  double sharpest = 0.0;
  for (int i = 0; i < samplesOf(300, 20000); ++i) {
    Random draw(500 + i);
    const ConvexPair pair(draw, solidKind(draw), 0, draw.integer(1, 3));
    for (std::size_t c = 0; c < pair.a_curves.size(); ++c) {
      const ConvexCurve& curve = pair.a_curves[c];
      for (int k = 0; k <= kSteps; ++k) {
        const double t = curve.time.lower + curve.time.length() * k / kSteps;
        const Pose polynomial = pair.a.curves[c].pose(t) * pair.a.X_BG;
        const Pose truth = pair.a.pose(t);
        const Vec3 p = support(pair.a.shape, draw.direction());
        ASSERT_LE(p.norm(), curve.reach * (1 + 1e-12));
        const double off = (polynomial * p - truth * p).norm();
        ASSERT_LE(off, curve.error) << "seed " << 500 + i;
        ASSERT_LE(((polynomial.R - truth.R) * draw.direction()).norm(), curve.rotation_error);
        ASSERT_LE((truth * p - curve.ball_center).norm(), curve.ball_radius) << "seed " << 500 + i;
        if (curve.error > 1e-9) sharpest = std::max(sharpest, off / curve.error);
      }
    }
  }
  EXPECT_GT(sharpest, 0.1);
}

TEST(DirectionalBound, IsBelowTheTrueDistanceForAnyNormals) {
  int positive = 0;
  double tightest = HUGE_VAL;
  for (int i = 0; i < samplesOf(1500, 100000); ++i) {
    Random draw(20000 + i);
    const bool plane = draw.chance(0.2);
    const ConvexPair pair(draw, plane ? 6 : solidKind(draw), solidKind(draw), draw.integer(1, 3));
    mcd::ConvexMotion motion(pair.a_curves, pair.b_curves);
    const int cell = draw.integer(0, motion.cells() - 1);
    const double s0 = draw.chance(0.3) ? 0.0 : draw.uniform(0.0, 1.0);
    const double s1 = draw.chance(0.3) ? 1.0 : std::min(1.0, s0 + draw.logUniform(1e-4, 1.0));
    const mcd::Instant start = motion.at({cell, s0}), end = motion.at({cell, s1});
    const bool any = draw.chance(0.3);
    const Vec3 n0 = any ? draw.direction() : start.normal;
    const Vec3 n1 = any ? draw.direction() : end.normal;
    const double bound = motion.lowerBound(cell, s0, s1, n0, n1);
    positive += bound > 0.0;
    const Interval time = motion.cellTime(cell);
    for (int k = 0; k <= 10; ++k) {
      const double t = time.lower + (s0 + (s1 - s0) * k / 10.0) * time.length();
      ASSERT_LE(bound - motion.error(), test::trueDistance(pair.a, pair.b, t).upper)
          << "seed " << 20000 + i;
    }
    if (!any && s1 - s0 < 1e-3) {
      tightest = std::min(tightest, bound - std::min(start.distance, end.distance));
    }
  }
  EXPECT_GT(positive, 100);
  EXPECT_GT(tightest, -0.05);
}

TEST(ConvexApproach, BoundsHowFastTheRoomAlongANormalShrinks) {
  for (int i = 0; i < samplesOf(300, 20000); ++i) {
    Random draw(600 + i);
    const ConvexPair pair(draw, solidKind(draw), solidKind(draw), 1);
    mcd::ConvexMotion motion(pair.a_curves, pair.b_curves);
    mcd::Instant from;
    from.normal = draw.direction();
    const double speed = approachSpeed(motion, 0, from, false);
    const double lever = motion.leverSpeed(0);
    const auto room = [&](double t) {
      const Pose A = pair.a.pose(t), B = pair.b.pose(t);
      const Vec3& n = from.normal;
      return n.dot(B.p - A.p) - supportValue(pair.b.shape, -(B.R.transpose() * n)) -
             supportValue(pair.a.shape, A.R.transpose() * n);
    };
    for (int k = 0; k < kSteps; ++k) {
      const double change = room((k + 1.0) / kSteps) - room(static_cast<double>(k) / kSteps);
      ASSERT_LE(-change, speed / kSteps + 2.0 * motion.error()) << "seed " << 600 + i;
      ASSERT_LE(std::abs(change), lever / kSteps + 1e-13) << "seed " << 600 + i;
    }
  }
}

}  // namespace
}  // namespace allclear
