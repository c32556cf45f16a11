// A stretch of cable beside moving bodies: the set that a cable of its length cannot leave, the
// bounds of room and span over time against points of the bodies at many instants, and the
// degenerate cables: no slack, no radius, both ends in one place, no length at all.
#include "allclear/distance/minimum/cable/cable.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "allclear/core/input_error.h"
#include "allclear/distance/minimum/cable/cable_bound.h"
#include "allclear/distance/support.h"
#include "distance/minimum/mcd_shapes.h"
#include "support/long_run.h"

namespace allclear::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double lengthOf(const std::vector<Vec3>& line) {
  double length = 0.0;
  for (std::size_t i = 1; i < line.size(); ++i) length += (line[i] - line[i - 1]).norm();
  return length;
}

/// A random polyline of that length from A to B: random corners, drawn apart until they use it.
std::vector<Vec3> polyline(Random& draw, const Vec3& A, const Vec3& B, double length) {
  const int corners = draw.integer(1, 6);
  std::vector<Vec3> aside{Vec3::Zero()};
  for (int i = 0; i < corners; ++i) aside.push_back(draw.direction() * draw.logUniform(1e-3, 1.0));
  aside.push_back(Vec3::Zero());
  const auto drawn = [&](double scale) {
    std::vector<Vec3> line = aside;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(line.size() - 1);
      line[i] = A + share * (B - A) + scale * aside[i];
    }
    return line;
  };
  double low = 0.0, high = 1.0;
  while (lengthOf(drawn(high)) < length) high *= 2.0;
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (low + high);
    (lengthOf(drawn(middle)) <= length ? low : high) = middle;
  }
  return drawn(low);
}

double roomAt(const Vec3& x, const Vec3& A, const Vec3& B, double length, double radius) {
  return 0.5 * ((x - A).norm() + (x - B).norm() - length) - radius;
}

/// The distance of a point from a segment.
double segmentDistance(const Vec3& x, const Vec3& A, const Vec3& B) {
  const Vec3 d = B - A;
  const double s = d.isZero(0.0) ? 0.0 : std::clamp(d.dot(x - A) / d.squaredNorm(), 0.0, 1.0);
  return (x - A - s * d).norm();
}

TEST(Cable, PolylinesOfItsLengthStayWhereNoRoomIs) {
  Random draw(20'240'921);
  const int count = isLong() ? 1'000'000 : 5'000;
  double nearest = kInfinity;
  for (int i = 0; i < count; ++i) {
    const Vec3 A = draw.inBox(1.0);
    const Vec3 B = draw.chance(0.05) ? A : Vec3(A + draw.direction() * draw.logUniform(1e-3, 1.0));
    const double length = (B - A).norm() + draw.logUniform(1e-6, 1.0);
    const double radius = draw.chance(0.2) ? 0.0 : draw.logUniform(1e-3, 0.05);
    const std::vector<Vec3> line = polyline(draw, A, B, length);
    const auto& corner = line[draw.index(static_cast<int>(line.size()))];
    const Vec3 x = corner + radius * draw.direction();  // of the cable's surface
    // A small ball about that point touches the cable: there must be no room for it.
    const Sphere ball(1e-6);
    const CableInstant found = cableInstant(A, B, length, radius, ball, {Mat3::Identity(), x});
    ASSERT_LE(found.lower, 0.0) << "polyline " << i;
    ASSERT_LE(found.room, 0.0) << "polyline " << i;
    nearest = std::min(nearest, -found.room);
  }
  // The set is no larger than it must be: some cable nearly fills it.
  EXPECT_LT(nearest, 1e-5);
}

TEST(Cable, RoomIsNeverMoreThanTheDistance) {
  // The tightest place of a cable at a point: two straight pieces over it, as near as they get.
  Random draw(11);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 A = draw.inBox(1.0), B = draw.inBox(1.0), x = draw.inBox(2.0);
    const double length = (B - A).norm() * (1.0 + draw.logUniform(1e-4, 1.0));
    for (const Vec3& corner : polyline(draw, A, B, length)) {
      EXPECT_LE(roomAt(x, A, B, length, 0.0), (x - corner).norm() + 1e-12);
    }
  }
}

TEST(Cable, NoSlackIsTheSegment) {
  Random draw(12);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 A = draw.inBox(1.0), B = draw.inBox(1.0), p = draw.inBox(1.0);
    const double length = (B - A).norm();
    const Sphere ball(draw.logUniform(1e-3, 0.3));
    const CableInstant found = cableInstant(A, B, length, 0.0, ball, {Mat3::Identity(), p});
    const double distance = segmentDistance(p, A, B) - ball.radius();
    EXPECT_LE(found.room, std::max(0.0, distance) + 1e-9);
    EXPECT_EQ(found.room > 1e-9, distance > std::sqrt(2e-9) ? true : found.room > 1e-9);
    if (distance <= 0.0) {
      EXPECT_NEAR(found.room, 0.0, 1e-9);  // the segment meets the ball
    }
    // Both ends in one place, and no length: a point.
    const CableInstant point = cableInstant(A, A, 0.0, 0.0, ball, {Mat3::Identity(), p});
    const double away = std::max(0.0, (p - A).norm() - ball.radius());
    EXPECT_NEAR(point.room, away, 1e-9);
    EXPECT_NEAR(point.lower, away, 1e-7);
  }
}

TEST(Cable, InstantBracketsTheLeastRoomOfEveryShape) {
  Random draw(13);
  const int count = isLong() ? 20'000 : 1'500;
  for (int i = 0; i < count; ++i) {
    const int kind = draw.integer(0, 7);
    const Shape shape = randomShape(draw, kind);
    const Pose X{draw.rotation(), draw.inBox(0.6)};
    const Vec3 A = draw.inBox(0.6);
    const Vec3 B = draw.chance(0.05) ? A : Vec3(draw.inBox(0.6));
    const double length = (B - A).norm() + (draw.chance(0.1) ? 0.0 : draw.logUniform(1e-4, 0.5));
    const double radius = draw.chance(0.2) ? 0.0 : 0.01;
    const CableInstant found = cableInstant(A, B, length, radius, shape, X);
    ASSERT_LE(found.lower, found.room) << i;
    ASSERT_LE(found.room - found.lower, 1e-6) << i << ' ' << shapeName(shape);
    if (kind == 6) continue;
    // Points of the body: means of points of support.
    for (int k = 0; k < 20; ++k) {
      const Vec3 one = support(shape, draw.direction()), two = support(shape, draw.direction());
      const Vec3 x = X * (one + draw.uniform(0.0, 1.0) * (two - one));
      ASSERT_LE(found.lower, roomAt(x, A, B, length, radius)) << i << ' ' << shapeName(shape);
    }
  }
}

TEST(Cable, PlaneMirrorsTheWay) {
  // A at height 1, B at height 2, 4 apart: over the floor the shortest way is that to the mirror.
  const CableInstant found = cableInstant(Vec3(0, 0, 1), Vec3(4, 0, 2), 4.0, 0.1, HalfSpace(), {});
  EXPECT_NEAR(found.room, 0.5 * (5.0 - 4.0) - 0.1, 1e-12);
  EXPECT_NEAR(found.lower, found.room, 1e-10);
  EXPECT_NEAR(found.x.x(), 4.0 / 3.0, 1e-12);
}

TEST(Cable, DirectionsOfPlanesAreNoLongerThanOne) {
  Random draw(21);
  for (int i = 0; i < 5000; ++i) {
    const Vec3 n = draw.direction();
    const Vec3 u = draw.direction(), v = draw.chance(0.2) ? Vec3(-u) : draw.direction();
    const mcd::PlaneDirections plane = mcd::planeDirections({u, v}, n);
    EXPECT_GE(plane.alpha, 0.0);
    EXPECT_LE(plane.alpha * plane.alpha + plane.tau.squaredNorm(), 1.0);
    EXPECT_LE(plane.along.squaredNorm(), 1.0);
    EXPECT_NEAR(plane.tau.dot(n), 0.0, 1e-15);
  }
}

/// Two clips and a body on random chains of joints.
struct Scene {
  MovingSolid a, b, body;
  Vec3 p_A, p_B;
  double length, radius;

  MovingCable cable() const { return {p_A, p_B, a.curves, b.curves, length, radius}; }
  double spanAt(double t) const { return (a.chain.pose(t) * p_A - b.chain.pose(t) * p_B).norm(); }
  /// An upper bound of the true room: that of a point of the body.
  double roomAt(double t) const {
    return cableInstant(a.chain.pose(t) * p_A, b.chain.pose(t) * p_B, length, radius, body.shape,
                        body.pose(t))
        .room;
  }
};

Scene randomScene(Random& draw, int kind, int cells) {
  Scene scene;
  scene.a = randomSolid(draw, 0);
  scene.b = randomSolid(draw, 0);
  scene.body = randomSolid(draw, kind);
  if (kind == 6) scene.body.chain.joints.clear();  // planes do not turn
  scene.p_A = draw.inBox(0.3);
  scene.p_B = draw.inBox(0.3);
  for (MovingSolid* solid : {&scene.a, &scene.b, &scene.body}) {
    solid->curves = solid->chain.curves({0.0, 1.0}, cells);
  }
  scene.length = scene.spanAt(draw.uniform(0.0, 1.0)) + draw.logUniform(1e-3, 0.3);
  scene.radius = draw.chance(0.2) ? 0.0 : 0.01;
  return scene;
}

TEST(Cable, SpanIsBracketedOverTime) {
  Random draw(14);
  const int count = isLong() ? 5'000 : 300;
  for (int i = 0; i < count; ++i) {
    const Scene scene = randomScene(draw, 0, 8);
    const CableSpan span = greatestSpan(scene.cable(), 1e-4);
    double most = 0.0;
    for (int k = 0; k <= 500; ++k) most = std::max(most, scene.spanAt(k / 500.0));
    ASSERT_LE(most, span.upper) << i;
    ASSERT_GE(scene.spanAt(span.t), span.lower) << i;
    // As much as asked for makes no finer search, but a true bound.
    const CableSpan enough = greatestSpan(scene.cable(), 1e-4, span.upper + 0.1);
    ASSERT_GE(enough.upper, most) << i;
    ASSERT_LE(enough.upper, span.upper + 0.1) << i;
  }
}

TEST(Cable, RoomIsBracketedOverTime) {
  Random draw(15);
  const int count = isLong() ? 4'000 : 240;
  int bracketed = 0;
  for (int i = 0; i < count; ++i) {
    const Scene scene = randomScene(draw, i % 8, 12);
    CableRoomOptions options;
    options.tolerance = 1e-3;
    const CableRoom room = cableRoom(scene.cable(), scene.body.moving(), options);
    ASSERT_LE(room.lower, room.upper) << i;
    for (int k = 0; k <= 200; ++k) {
      const double t = std::clamp(k <= 100 ? k / 100.0 : room.t + 1e-4 * (k - 150), 0.0, 1.0);
      ASSERT_LE(room.lower, scene.roomAt(t)) << i << " at " << t;
    }
    if (room.status != McdStatus::kBracketed) continue;
    ++bracketed;
    ASSERT_GE(room.upper, scene.roomAt(room.t) - 1e-9) << i;
    // The decision about a threshold on either side of it.
    options.threshold = room.lower - 1e-3;
    options.decide_only = true;
    ASSERT_EQ(cableRoom(scene.cable(), scene.body.moving(), options).status,
              McdStatus::kCertifiedAbove)
        << i;
    options.threshold = room.upper + 1e-3;
    ASSERT_EQ(cableRoom(scene.cable(), scene.body.moving(), options).status, McdStatus::kBelow)
        << i;
  }
  EXPECT_GT(bracketed, count / 2);
}

/// The greatest amount by which bounds of coarse curves are wrong, with or without remainders.
double worstFault(bool with_remainder) {
  Random draw(16);
  double worst = -kInfinity;
  for (int i = 0; i < 60; ++i) {
    Scene scene = randomScene(draw, i % 6, 1);
    for (MovingSolid* solid : {&scene.a, &scene.b, &scene.body}) {
      for (BodyCurve& curve : solid->curves) {
        if (!with_remainder) curve.position_error = curve.rotation_error = 0.0;
      }
    }
    const CableSpan span = greatestSpan(scene.cable(), 1e-7);
    CableRoomOptions options;
    options.tolerance = 1e-7;
    const CableRoom room = cableRoom(scene.cable(), scene.body.moving(), options);
    for (int k = 0; k <= 400; ++k) {
      const double t = k / 400.0;
      worst = std::max(worst, scene.spanAt(t) - span.upper);
      if (room.status == McdStatus::kUndecided) continue;
      worst = std::max(worst, room.lower - scene.roomAt(t));
    }
  }
  return worst;
}

TEST(Cable, BoundsNeedTheRemainder) {
  EXPECT_LE(worstFault(true), 0.0);
  EXPECT_GT(worstFault(false), 1e-9);
}

TEST(Cable, TautAtExactlyItsLength) {
  // Two clips that move apart at 1 m/s, from 0.5 m.
  std::vector<BodyCurve> away(1, BodyCurve::still({}, {0.0, 1.0}));
  for (int i = 0; i <= BodyCurve::kDegree; ++i) {
    away[0].control[i].p = Vec3(0.5 + static_cast<double>(i) / BodyCurve::kDegree, 0.0, 0.0);
  }
  const std::vector<BodyCurve> still(1, BodyCurve::still({}, {0.0, 1.0}));
  const MovingCable cable{Vec3::Zero(), Vec3::Zero(), still, away, 1.5, 0.0};
  const CableSpan span = greatestSpan(cable, 1e-9);
  EXPECT_NEAR(span.upper, 1.5, 1e-9);
  EXPECT_GE(span.upper, 1.5);
  EXPECT_NEAR(span.t, 1.0, 1e-9);
}

TEST(Cable, RefusesCurvesInOtherCells) {
  const std::vector<BodyCurve> two(2, BodyCurve::still({}, {0.0, 1.0}));
  const std::vector<BodyCurve> three(3, BodyCurve::still({}, {0.0, 1.0}));
  EXPECT_THROW(greatestSpan({Vec3::Zero(), Vec3::Zero(), two, three, 1.0, 0.0}, 1e-3), InputError);
}

}  // namespace
}  // namespace allclear::test
