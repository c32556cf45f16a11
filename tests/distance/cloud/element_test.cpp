// One element against one part of a shape: witnesses, and directions that separate.
#include "allclear/distance/cloud/element.h"

#include <gtest/gtest.h>

#include "allclear/distance/minimum/tree/boxes.h"
#include "distance/cloud/cloud_scenes.h"
#include "distance/minimum/mcd_shapes.h"

namespace allclear {
namespace {

using test::Random;

TEST(CloudElement, WitnessesAreAsFarApartAsTheDistance) {
  for (int seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int kind = random.integer(0, 6);
    const Shape shape = test::randomShape(random, kind == 6 ? 7 : kind);
    const tree::RigidShape rigid(shape);
    const Pose X_WG{random.rotation(), random.vector(0.5)},
        X_WO{random.rotation(), random.vector(0.5)};
    const Cloud cloud = random.chance(0.5) ? Cloud::boxes(test::randomBoxes(random, 1))
                                           : Cloud::balls({random.vector(0.5)}, 0.01);
    const auto d = cloud::elementDistance(rigid, rigid.root(), X_WG, cloud, 0, X_WO);
    EXPECT_NEAR(d.distance, test::bruteDistance(shape, X_WG, cloud, X_WO), 1e-7);
    EXPECT_NEAR((d.b - d.a - d.distance * d.normal).norm(), 0.0, 1e-7);
    const AlignedBox box{cloud.lower(0), cloud.upper(0)};
    const Vec3 n = X_WO.R * tree::directionTo(rigid, rigid.root(), X_WO.inverse() * X_WG, box);
    if (n.isZero(0.0)) continue;
    // Room along any direction is a lower bound; along this one most of the distance.
    EXPECT_NEAR(n.norm(), 1.0, 1e-12);
    const Vec3 w = X_WO.R.transpose() * n;
    double room = n.dot(X_WO.p) - n.dot(X_WG.p) -
                  rigid.reachAlong(rigid.root(), X_WG.R.transpose() * n) - cloud.radius();
    for (int k = 0; k < 3; ++k) room += w[k] * (w[k] > 0.0 ? box.lower[k] : box.upper[k]);
    EXPECT_LE(room, d.distance + 1e-7);
    EXPECT_TRUE(d.distance <= 0.01 || room > 0.9 * d.distance - 0.01) << room;
  }
}

}  // namespace
}  // namespace allclear
