// The steps of the search for the depth, each against something slower: the projection beyond
// planes, the sweep of two triangles, the descent from a contact.

#include <gtest/gtest.h>

#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/mesh_depth/descent.h"
#include "allclear/distance/mesh_depth/line_kernels.h"
#include "allclear/distance/mesh_depth/nearest_beyond.h"
#include "distance/minimum/mcd_motions.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

using test::Random;

/// The nearest point beyond all planes, by trying every set of up to three planes.
std::optional<double> nearestByEnumeration(const std::vector<mesh::ContactPlane>& planes,
                                           double margin) {
  const int n = static_cast<int>(planes.size());
  double best = HUGE_VAL;
  const auto offer = [&](const Vec3& p) {
    for (const mesh::ContactPlane& plane : planes) {
      if (plane.normal.dot(p) < plane.least + margin - 1e-9) return;
    }
    best = std::min(best, p.norm());
  };
  offer(Vec3::Zero());
  for (int i = 0; i < n; ++i) {
    for (int j = i; j < n; ++j) {
      for (int k = j; k < n; ++k) {
        // Repeats leave rows of zeros: the least-norm solution is that of the fewer planes.
        Mat3 N = Mat3::Zero();
        Vec3 h = Vec3::Zero();
        const int set[] = {i, j, k};
        for (int r = 0; r < 3; ++r) {
          if (r > 0 && set[r] == set[r - 1]) continue;
          N.row(r) = planes[set[r]].normal.transpose();
          h[r] = planes[set[r]].least + margin;
        }
        offer(N.completeOrthogonalDecomposition().solve(h));
      }
    }
  }
  return best < HUGE_VAL ? std::optional(best) : std::nullopt;
}

TEST(NearestBeyond, IsTheNearestPointBeyondAllPlanes) {
  Random draw(91);
  int found = 0, none = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<mesh::ContactPlane> planes;
    // Normals in a cone leave room beyond all planes; all around they often leave none.
    const double spread = draw.chance(0.5) ? 0.8 : 3.0;
    const Vec3 axis = draw.direction();
    for (int k = draw.integer(1, 8); k > 0; --k) {
      const Vec3 n = (axis + spread * draw.inBox(1.0)).normalized();
      planes.push_back({n, draw.uniform(-0.2, 1.0)});
    }
    const double margin = 1e-6;
    const auto nearest = mesh::nearestBeyond(planes, margin);
    const std::optional<double> truth = nearestByEnumeration(planes, margin);
    const std::string where = "seed 91, case " + std::to_string(i);
    ASSERT_EQ(nearest.has_value(), truth.has_value()) << where;
    if (!nearest) {
      ++none;
      continue;
    }
    ++found;
    ASSERT_NEAR(nearest->point.norm(), *truth, 1e-7) << where;
    for (const mesh::ContactPlane& plane : planes) {
      ASSERT_GE(plane.normal.dot(nearest->point), plane.least + margin - 1e-8) << where;
    }
    for (int k = 0; k < nearest->active; ++k) {
      const mesh::ContactPlane& plane = planes[nearest->plane[k]];
      ASSERT_NEAR(plane.normal.dot(nearest->point), plane.least + margin, 1e-8) << where;
    }
  }
  EXPECT_GT(found, 1000);
  EXPECT_GT(none, 100);
}

TEST(NearestBeyond, OfFacingPlanesIsNothing) {
  EXPECT_FALSE(mesh::nearestBeyond({{Vec3::UnitX(), 1.0}, {-Vec3::UnitX(), 1.0}}, 0.0));
  const auto origin = mesh::nearestBeyond({{Vec3::UnitX(), -1.0}, {-Vec3::UnitX(), -1.0}}, 0.0);
  ASSERT_TRUE(origin);
  EXPECT_EQ(origin->point.norm(), 0.0);
  EXPECT_EQ(origin->active, 0);
}

/// A unit triangle falls past another one along z: they meet from one height to the next.
TEST(SweepTriangles, GivesTheHeightsBetweenWhichTrianglesMeet) {
  mesh::LineMotion line{};
  line.v[2] = 1.0;
  const TriangleCorners flat = cornersOf(Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0));
  const TriangleCorners upright =
      cornersOf(Vec3(0.2, 0.2, 2.0), Vec3(0.3, 0.2, 2.0), Vec3(0.2, 0.2, 3.0));
  line.offset = 1e-6;
  mesh::TriangleSweep sweep;
  mesh::sweepTriangles(line, flat, upright, &sweep);
  EXPECT_NEAR(sweep.in, 2.0 - 1e-6, 1e-12);
  EXPECT_NEAR(sweep.out, 3.0 + 1e-6, 1e-12);
  EXPECT_FALSE(sweep.thin);
  // From B to A: A comes from below and leaves above.
  EXPECT_NEAR(sweep.normal_in[2], -1.0, 1e-12);
  EXPECT_NEAR(sweep.normal_out[2], 1.0, 1e-12);
  EXPECT_NEAR(sweep.gap, 2.0, 1e-12);
  line.offset = 0.25;
  mesh::sweepTriangles(line, flat, upright, &sweep);
  EXPECT_NEAR(sweep.in, 1.75, 1e-12);
  EXPECT_NEAR(sweep.out, 3.25, 1e-12);
}

TEST(ContactDescent, EndsAtFreeTranslationsThatAreNoLonger) {
  const TriangleMesh a = test::blobMesh(0.15, 10, 16, 0.3), b = test::torusMesh(0.2, 0.07, 20, 10);
  const MeshBody &A = *bodyOf(a), &B = *bodyOf(b);
  Random draw(92);
  int shortened = 0, contacts = 0;
  for (int i = 0; i < 60; ++i) {
    const Pose X{draw.rotation(), Vec3(0.1 * draw.inBox(1.0))};
    if (!meshesOverlap(A, X, B, Pose{})) continue;
    const Pose X_BA = mesh::centred(A, X, B, Pose{});
    mesh::TranslationSpace space(A, B, X_BA);
    mesh::ContactDescent descent(&space);
    std::vector<mesh::ContactPlane> planes;
    const Vec3 d = draw.direction();
    const std::optional<double> s = space.contactFromOutside(d, space.farthest(), &planes);
    ASSERT_TRUE(s) << "seed 92, case " << i;
    ++contacts;
    const Vec3 end = descent.descend(*s * d, planes);
    ASSERT_LE(end.norm(), *s + 1e-12) << "seed 92, case " << i;
    ASSERT_FALSE(meshesOverlap(A, {X.R, X.p + end}, B, Pose{})) << "seed 92, case " << i;
    shortened += end.norm() < 0.99 * *s;
  }
  EXPECT_GT(contacts, 20);
  EXPECT_GT(shortened, contacts / 2);
}

}  // namespace
}  // namespace allclear
