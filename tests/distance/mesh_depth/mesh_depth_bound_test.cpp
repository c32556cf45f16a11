// What the search of the depth rests on: the kernels' intervals, the balls, and the short cuts past
// whole traversals, each against something slower.

#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/mesh_depth/overlap_balls.h"

#include <gtest/gtest.h>

#include "allclear/distance/mesh_depth/translation_space.h"
#include "distance/minimum/mcd_motions.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

using test::Random;
using test::samplesOf;

Vec3 pointOf(Random& draw, const TriangleCorners& t) {
  // On corners and edges as often as inside.
  double u = draw.uniform(0.0, 1.0), v = draw.uniform(0.0, 1.0);
  if (draw.chance(0.3)) u = std::round(u);
  if (draw.chance(0.3)) v = std::round(v);
  if (u + v > 1.0) {
    u = 1.0 - u;
    v = 1.0 - v;
  }
  return t.corner(0) + u * (t.corner(1) - t.corner(0)) + v * (t.corner(2) - t.corner(0));
}

struct LeafBelow {
  int node, slot, leaf;
};

/// A child of some node, and a triangle below it.
LeafBelow drawnLeaf(Random& draw, const MeshBvh& bvh) {
  const auto among = [&](int count) { return draw.integer(0, count - 1); };
  LeafBelow found{among(static_cast<int>(bvh.nodes().size())), 0, 0};
  found.slot = among(bvh.width(found.node));
  int below = bvh.nodes()[found.node].child[found.slot];
  while (below >= 0) below = bvh.nodes()[below].child[among(bvh.width(below))];
  found.leaf = ~below;
  return found;
}

/// Points of two triangles that meet, to within the offset, at a known place of the line.
struct KnownContact {
  mesh::LineMotion line;
  double s, most;
};

KnownContact drawnContact(Random& draw, const Vec3& a, const Vec3& b, double size, double offset) {
  KnownContact known;
  known.most = draw.logUniform(1e-3, 10.0) * size;
  known.s = known.most * draw.uniform(0.0, 1.0);
  double speed = 1.0;
  if (draw.chance(0.1)) known.s = known.most = speed = 0.0;
  Vec3 v = speed * draw.direction();
  if (draw.chance(0.2)) v = speed * Vec3::Unit(draw.integer(0, 2));
  Mat3 R = draw.rotation();
  if (draw.chance(0.2)) R.setIdentity();
  known.line.offset = offset;
  const Vec3 off = 0.999 * known.line.offset * draw.uniform(0.0, 1.0) * draw.direction();
  const Vec3 T = b - R * a - known.s * v + off;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) known.line.R[3 * i + k] = R(i, k);
    known.line.T[i] = T[i];
    known.line.v[i] = v[i];
  }
  return known;
}

TEST(MeshDepthBound, IntervalsOfBoxesHoldEveryContact) {
  Random draw(80);
  const std::vector<TriangleMesh> meshes{
      test::blobMesh(0.2, 9, 16, 0.3), test::torusMesh(0.3, 0.1, 24, 12),
      test::boxMesh({0.3, 1e-7, 0.2}), test::blobMesh(2e-4, 20, 25, 0.2),
      test::blobMesh(40.0, 12, 12, 0.1)};
  const int cases = samplesOf(100000, 3000000);
  double wide = 0.0, met = 0.0, kept = 0.0;
  for (int i = 0; i < cases; ++i) {
    const auto one = [&]() -> const MeshBody& { return *bodyOf(meshes[draw.integer(0, 4)]); };
    const MeshBody &A = one(), &B = one();
    const LeafBelow in_A = drawnLeaf(draw, *A.bvh()), in_B = drawnLeaf(draw, *B.bvh());
    const Vec3 a = pointOf(draw, A.bvh()->triangles()[in_A.leaf]);
    const Vec3 b = pointOf(draw, B.bvh()->triangles()[in_B.leaf]);
    const double size = A.reach() + B.reach(), offset = draw.logUniform(1e-12, 1e-2) * size;
    const KnownContact known = drawnContact(draw, a, b, size, offset);
    const mesh::CoarseLine coarse = mesh::coarsen(known.line, known.most, A.reach(), B.reach());
    const MeshNode &of_A = A.bvh()->nodes()[in_A.node], &of_B = B.bvh()->nodes()[in_B.node];
    mesh::LaneIntervals lanes[2];
    const float first = 0.0F, last = static_cast<float>(known.most) * 1.000001F;
    const unsigned meet[2] = {mesh::intervalsOpeningA(coarse, of_A, mesh::lineBox(of_B, in_B.slot),
                                                      first, last, &lanes[0]),
                              mesh::intervalsOpeningB(coarse, mesh::lineBox(of_A, in_A.slot), of_B,
                                                      first, last, &lanes[1])};
    const int slot[2] = {in_A.slot, in_B.slot};
    for (int side = 0; side < 2; ++side) {
      const std::string where = "seed 80, case " + std::to_string(i);
      ASSERT_TRUE(meet[side] >> slot[side] & 1U) << where;
      ASSERT_LE(static_cast<double>(lanes[side].in[slot[side]]), known.s) << where;
      ASSERT_GE(static_cast<double>(lanes[side].out[slot[side]]), known.s) << where;
    }
    // Of triangles against a triangle, along their normals too.
    const bool leaves[2] = {of_B.child[in_B.slot] < 0, of_A.child[in_A.slot] < 0};
    const LeafCorners* corners[2] = {A.bvh()->corners(in_A.node), B.bvh()->corners(in_B.node)};
    for (int side = 0; side < 2; ++side) {
      if (!leaves[side] || corners[side] == nullptr) continue;
      const MeshBody &opened = side == 0 ? A : B, &other = side == 0 ? B : A;
      mesh::LaneIntervals narrow = lanes[side];
      const unsigned left =
          mesh::narrowAlongNormals(coarse, *corners[side], side == 0,
                                   other.bvh()->triangles()[side == 0 ? in_B.leaf : in_A.leaf],
                                   first, last, meet[side], &narrow);
      const std::string where = "seed 80, case " + std::to_string(i);
      ASSERT_TRUE(left >> slot[side] & 1U) << where;
      ASSERT_LE(static_cast<double>(narrow.in[slot[side]]), known.s) << where;
      ASSERT_GE(static_cast<double>(narrow.out[slot[side]]), known.s) << where;
      ASSERT_EQ(left & ~meet[side], 0U) << where;
      const int width = opened.bvh()->width(side == 0 ? in_A.node : in_B.node);
      for (int l = 0; l < width && offset < 1e-6 * size && known.most < 0.01 * size; ++l) {
        met += meet[side] >> l & 1U;
        kept += left >> l & 1U;
      }
    }
    wide += known.most > 0.0 && lanes[0].in[in_A.slot] <= 0.0F &&
            static_cast<double>(lanes[0].out[in_A.slot]) >= known.most;
  }
  EXPECT_LT(wide, 0.6 * cases);  // they say something
  EXPECT_GT(met, 0.01 * cases);
  EXPECT_LT(kept, 0.97 * met);
}

TEST(MeshDepthBound, IntervalsOfTrianglesAreThoseOfTheirDistance) {
  Random draw(81);
  const int cases = samplesOf(20000, 500000);
  int ends = 0;
  for (int i = 0; i < cases; ++i) {
    const auto one = [&]() {
      const double size = draw.logUniform(0.1, 1.0), thin = draw.logUniform(1e-2, 1.0);
      const Vec3 e = size * draw.direction(), f = thin * size * draw.direction();
      const Vec3 p = draw.inBox(1.0);
      return cornersOf(p, p + e, p + f);
    };
    const TriangleCorners A = one();
    TriangleCorners B = one();
    if (i % 4 == 0) {
      // Nearly parallel to A, to either side of what counts as oblique.
      const Mat3 R = Eigen::AngleAxisd(draw.logUniform(1e-4, 0.1), draw.direction()).matrix();
      B = cornersOf(R * A.corner(1), R * A.corner(0), R * A.corner(2));
    }
    const KnownContact known = drawnContact(draw, pointOf(draw, A), pointOf(draw, B), 1.0, 0.0);
    const Mat3 R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(known.line.R);
    const Vec3 v = Eigen::Map<const Vec3>(known.line.v);
    const TriangleCorners turned = cornersOf(R * A.corner(0), R * A.corner(1), R * A.corner(2));
    const auto distanceAt = [&](double s) {
      const Vec3 by = Eigen::Map<const Vec3>(known.line.T) + s * v;
      return triangleDistance(
                 cornersOf(turned.corner(0) + by, turned.corner(1) + by, turned.corner(2) + by), B)
          .distance;
    };
    mesh::TriangleSweep sweep;
    mesh::sweepTriangles(known.line, turned, B, &sweep);
    const std::string where = "seed 81, case " + std::to_string(i);
    if (known.most == 0.0 || sweep.thin) continue;
    ASSERT_LE(sweep.in, known.s + 1e-9) << where;
    ASSERT_GE(sweep.out, known.s - 1e-9) << where;
    const double length = sweep.out - sweep.in;
    if (length <= 1e-6) continue;
    ++ends;
    for (double share : {1e-3, 0.3, 0.7, 0.999}) {
      ASSERT_LE(distanceAt(sweep.in + share * length), 1e-12) << where;
    }
    for (double beyond : {1e-5, 1e-2, 1.0}) {
      ASSERT_GT(distanceAt(sweep.in - beyond), 0.0) << where;
      ASSERT_GT(distanceAt(sweep.out + beyond), 0.0) << where;
    }
  }
  EXPECT_GT(ends, cases / 3);
}

TEST(MeshDepthBound, DepthBelowTheSurfaceIsThatToTheNearestTriangle) {
  Random draw(82);
  for (const TriangleMesh& mesh :
       {test::blobMesh(0.2, 9, 16, 0.3), test::torusMesh(0.3, 0.1, 24, 12)}) {
    const MeshBody& body = *bodyOf(mesh);
    int nearest = -1;
    for (int i = 0; i < 1000; ++i) {
      const Vec3 p = body.reach() * draw.inBox(1.0);
      double least = HUGE_VAL;
      for (const TriangleCorners& t : body.bvh()->triangles()) {
        least = std::min(least, (nearestOnTriangle(t, p) - p).norm());
      }
      const double expected = body.contains(p) ? least : -least;
      // With and without a triangle known from elsewhere.
      ASSERT_NEAR(mesh::depthBelowSurface(body, p, &nearest), expected, 1e-12) << i;
      ASSERT_NEAR(mesh::depthBelowSurface(body, p), expected, 1e-12) << i;
    }
  }
}

/// A pair of bodies that meet.
struct Overlap {
  Pose X_A, X_B, X_BA;
};

Overlap drawnOverlap(Random& draw, const MeshBody& A, const MeshBody& B) {
  while (true) {
    const Pose X_A{draw.rotation(), Vec3::Zero()};
    const Pose X_B{draw.rotation(), 0.7 * (A.reach() + B.reach()) * draw.inBox(1.0)};
    if (meshesOverlap(A, X_A, B, X_B)) return {X_A, X_B, mesh::centred(A, X_A, B, X_B)};
  }
}

TEST(MeshDepthBound, BallsRuleOutOnlyTranslationsThatMeet) {
  Random draw(83);
  const std::vector<TriangleMesh> meshes{test::blobMesh(0.15, 12, 20, 0.3),
                                         test::torusMesh(0.2, 0.07, 24, 12),
                                         test::boxMesh({0.05, 0.1, 0.2})};
  int ruled_out = 0, proven = 0;
  for (int i = 0; i < samplesOf(400, 4000); ++i) {
    const MeshBody& A = *bodyOf(meshes[i % 3]);
    const MeshBody& B = *bodyOf(meshes[i / 3 % 3]);
    const Overlap at = drawnOverlap(draw, A, B);
    mesh::OverlapBalls balls(A, at.X_BA, B);
    double lower = 0.0;
    for (int k = 0; k < 6; ++k) {
      lower = std::max(lower, balls.addAt(0.5 * (A.reach() + B.reach()) * draw.inBox(1.0)));
    }
    for (int k = 0; k < 40; ++k) {
      const Vec3 t = draw.logUniform(1e-3, 1.0) * (A.reach() + B.reach()) * draw.direction();
      const bool meets = balls.proveContactAt(t);
      proven += t.norm() < lower;
      if (!meets && t.norm() >= lower) continue;
      ruled_out += meets;
      const Pose moved{at.X_A.R, at.X_A.p + at.X_B.R * t};
      ASSERT_TRUE(meshesOverlap(A, moved, B, at.X_B)) << "seed 83, case " << i << ", " << k;
    }
  }
  EXPECT_GT(ruled_out, 400);
  EXPECT_GT(proven, 100);
}

bool isAmong(const mesh::ContactPlane& plane, const std::vector<mesh::ContactPlane>& planes) {
  for (const mesh::ContactPlane& p : planes) {
    if ((p.normal - plane.normal).norm() < 1e-8 && std::abs(p.least - plane.least) < 1e-9) {
      return true;
    }
  }
  return false;
}

/// A space that has seen many directions answers like a new one.
TEST(MeshDepthBound, WhatWasInTheWayChangesNoAnswer) {
  const TriangleMesh a = test::blobMesh(0.15, 12, 20, 0.3), b = test::torusMesh(0.2, 0.07, 24, 12);
  const MeshBody &A = *bodyOf(a), &B = *bodyOf(b);
  Random draw(84);
  int in_the_way = 0, free = 0;
  for (int i = 0; i < 10; ++i) {
    const Overlap at = drawnOverlap(draw, A, B);
    mesh::TranslationSpace used(A, B, at.X_BA);
    Vec3 d = draw.direction();
    for (int k = 0; k < 100; ++k) {
      if (k % 10 == 0) d = draw.direction();
      d = (d + 0.02 * draw.direction()).normalized();
      const double most = draw.uniform(0.0, 0.6);
      mesh::TranslationSpace fresh(A, B, at.X_BA);
      std::vector<mesh::ContactPlane> planes, expected;
      const std::optional<double> s = used.contactFromOutside(d, most, &planes);
      const std::optional<double> truth = fresh.contactFromOutside(d, most, &expected);
      const std::string where = "seed 84, case " + std::to_string(i) + ", " + std::to_string(k);
      ASSERT_EQ(s.has_value(), truth.has_value()) << where;
      (s ? free : in_the_way) += 1;
      const Pose moved{at.X_A.R, at.X_A.p + at.X_B.R * (most * d)};
      if (!s) continue;
      ASSERT_FALSE(meshesOverlap(A, moved, B, at.X_B)) << where;
      ASSERT_EQ(*s, *truth) << where;
      ASSERT_EQ(planes.size(), expected.size()) << where;
    }
  }
  EXPECT_GT(in_the_way, 100);
  EXPECT_GT(free, 100);
}

/// The planes found on the way to a contact are those that a search at the contact finds.
TEST(MeshDepthBound, PlanesAtTheFirstContactAreAllOfThem) {
  const TriangleMesh a = test::blobMesh(0.15, 12, 20, 0.3), b = test::torusMesh(0.2, 0.07, 24, 12);
  const MeshBody &A = *bodyOf(a), &B = *bodyOf(b);
  Random draw(85);
  int several = 0, met = 0;
  for (int i = 0; i < samplesOf(2000, 20000); ++i) {
    const Overlap at = drawnOverlap(draw, A, B);
    mesh::TranslationSpace space(A, B, at.X_BA);
    const double c = space.clearance();
    std::vector<mesh::ContactPlane> start, planes, expected;
    const Vec3 d = draw.direction();
    const std::optional<double> s = space.contactFromOutside(d, space.farthest(), &start);
    if (!s) continue;
    // From a contact, along it, so that its own pairs remain.
    const Vec3 from = *s * d, n = start.empty() ? d : start[0].normal;
    const Vec3 along = n.cross(draw.direction()).normalized();
    const Vec3 to = from + draw.logUniform(1e-4, 0.2) * along;
    const std::optional<double> share = space.firstContact(from, to, 0.25 * c, &planes, 2.0 * c);
    met += share.has_value();
    const Vec3 t = from + share.value_or(1.0) * (to - from);
    space.planesAt(t, 2.0 * c, &expected);
    ASSERT_EQ(planes.size(), expected.size()) << "seed 85, case " << i;
    for (const mesh::ContactPlane& plane : expected) {
      ASSERT_TRUE(isAmong(plane, planes)) << "seed 85, case " << i;
    }
    several += planes.size() > 1;
  }
  EXPECT_GT(met, 100);
  EXPECT_GT(several, 50);
}

}  // namespace
}  // namespace allclear
