// Directions between boxes and parts: rooms along them never exceed the distance.
#include "allclear/distance/minimum/tree/boxes.h"

#include <gtest/gtest.h>

#include "allclear/distance/signed_distance.h"
#include "distance/minimum/mcd_shapes.h"

namespace allclear {
namespace {

using test::Random;

AlignedBox randomBox(Random& random) {
  const Vec3 corner = random.vector(1.0);
  Vec3 size(random.logUniform(1e-3, 1.0), random.logUniform(1e-3, 1.0), random.logUniform(1e-3, 1));
  if (random.chance(0.2)) size[random.integer(0, 2)] = 0.0;
  return {corner, corner + size};
}

TEST(TreeBoxes, RoomAlongTheirDirectionsIsADistanceAtMost) {
  int useful = 0;
  for (int seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    const int kind = random.integer(0, 6);
    const Shape shape = test::randomShape(random, kind == 6 ? 7 : kind);
    const tree::RigidShape rigid(shape);
    const tree::RigidPart& part = rigid.root();
    const Pose X_OG{random.rotation(), random.vector(1.0)};
    const AlignedBox box = randomBox(random);
    const Shape solid = Box((box.upper - box.lower).cwiseMax(1e-9));
    const Pose X_OB{Mat3::Identity(), 0.5 * (box.lower + box.upper)};
    const double distance = signedDistance(shape, X_OG, solid, X_OB).distance;
    for (const Vec3& n : {tree::directionBetweenBoxes(X_OG * part.center, X_OG.R * part.half, box),
                          tree::directionTo(rigid, part, X_OG, box)}) {
      if (n.isZero(0.0)) continue;
      EXPECT_NEAR(n.norm(), 1.0, 1e-12);
      const double room =
          tree::leastAlong(box, n) - n.dot(X_OG.p) - rigid.reachAlong(part, X_OG.R.transpose() * n);
      EXPECT_LE(room, distance + 1e-7) << seed;
      useful += room > 0.5 * distance && distance > 0.1 ? 1 : 0;
    }
    // The box about the part holds it.
    const AlignedBox about = tree::boxAbout(part, X_OG);
    for (int i = 0; i < 20; ++i) {
      const Vec3 n = random.direction();
      EXPECT_GE(n.dot(X_OG.p) + rigid.reachAlong(part, X_OG.R.transpose() * n),
                tree::leastAlong(about, n) - 1e-12);
      EXPECT_LE(n.dot(X_OG.p) + rigid.reachAlong(part, X_OG.R.transpose() * n),
                -tree::leastAlong(about, -n) + 1e-12);
    }
  }
  EXPECT_GT(useful, 200);
}

TEST(TreeBoxes, MeetWhereTheyHaveAPointInCommon) {
  const AlignedBox a{Vec3::Zero(), Vec3::Ones()};
  EXPECT_TRUE(tree::meet(a, {Vec3::Ones(), Vec3::Constant(2.0)}));
  EXPECT_FALSE(tree::meet(a, {Vec3(0, 0, 1.1), Vec3::Constant(2.0)}));
  EXPECT_TRUE(tree::meet(a, a));
}

}  // namespace
}  // namespace allclear
