// The coefficients of normals, against extended precision.
#include "allclear/distance/deform/patch_rows.h"

#include <gtest/gtest.h>

#include <numeric>

#include "distance/deform/bending_meshes.h"

namespace allclear::deform {
namespace {

using test::BendingSample;
using test::Random;
using Exact = Vec3T<long double>;

std::array<Exact, 3> exactCoefficients(const MeshStep& step, const Triangle& t) {
  const auto edge = [&](std::span<const Vec3> at, int k) -> Exact {
    return at[t[k]].cast<long double>() - at[t[0]].cast<long double>();
  };
  const Exact e0 = edge(step.start, 1), f0 = edge(step.start, 2);
  const Exact e1 = edge(step.end, 1), f1 = edge(step.end, 2);
  return {e0.cross(f0), e0.cross(f1) + e1.cross(f0), e1.cross(f1)};
}

/// Triangles of all sizes and all degrees of thinness, far from the origin too.
BendingSample thinTriangles(Random& draw, int count) {
  BendingSample sample;
  for (int i = 0; i < count; ++i) {
    const double size = draw.logUniform(1e-6, 1e4);
    const Vec3 place = draw.inBox(draw.logUniform(1e-3, 1e3));
    for (std::vector<Vec3>* points : {&sample.start, &sample.end}) {
      const Vec3 along = size * draw.direction();
      const Vec3 across = size * draw.logUniform(1e-14, 1.0) * draw.direction();
      points->push_back(place);
      points->push_back(place + along);
      points->push_back(place + draw.uniform(0.2, 2.0) * along + across);
    }
    sample.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  return sample;
}

TEST(PatchRows, AreUnitVectorsWithinTheThresholdOrZero) {
  Random draw(41);
  const BendingSample sample = thinTriangles(draw, 5000);
  const MeshStep step = sample.step();
  const PatchTree tree =
      cutAlongMesh(step.triangles, step.start, oppositeHalfEdges(step.triangles));
  NormalRows rows;
  fillRows(step, tree, &rows);
  int zeros = 0;
  double worst = 0.0;
  for (std::size_t i = 0; i < tree.order.size(); ++i) {
    const auto exact = exactCoefficients(step, step.triangles[tree.order[i]]);
    for (int c = 0; c < 3; ++c) {
      const Vec3 kept(rows.row(3 * c)[i], rows.row(3 * c + 1)[i], rows.row(3 * c + 2)[i]);
      if (kept.isZero(0.0)) {
        ++zeros;
        continue;
      }
      const Vec3 unit = exact[c].normalized().cast<double>();
      worst = std::max(worst, (kept - unit).norm());
    }
  }
  EXPECT_LT(worst, 5e-7);  // half of `kLeastProduct`; what is left is the product's own rounding
  EXPECT_GT(zeros, 100);   // so thin that their normal is rounding
  EXPECT_LT(zeros, 8000);
}

TEST(PatchRows, FailuresAreFoundInEveryPlaceOfAChunk) {
  Random draw(42);
  BendingSample sheet;
  const auto level = [](int i, int j) -> Vec3 { return {0.1 * i, 0.1 * j, 0.0}; };
  test::addGrid(6, 9, level, level, &sheet);
  const PatchTree tree =
      cutAlongMesh(sheet.triangles, sheet.start, oppositeHalfEdges(sheet.triangles));
  NormalRows rows;
  const MeshStep step = sheet.step();
  fillRows(step, tree, &rows);
  const float sign = rows.row(2)[0];
  const float d[3] = {0, 0, sign};
  const int n = static_cast<int>(tree.order.size());
  EXPECT_EQ(firstFailure(rows, 0, n, 0, d).chunk, -1);
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < 3; ++c) {
      NormalRows changed = rows;
      float* z = changed.values.data() + (3 * c + 2) * changed.stride + i;
      *z = 1e-7F * sign;  // positive, but not by enough
      const FailedChunk failed = firstFailure(changed, 0, n, 0, d);
      EXPECT_EQ(failed.chunk, i / kChunk);
      EXPECT_EQ(failed.triangle, i);
      EXPECT_EQ(failed.coefficient, c);
      EXPECT_EQ(firstFailure(changed, 0, n, i / kChunk + 1, d).chunk, -1);
      EXPECT_EQ(firstFailure(changed, 0, i, 0, d).chunk, -1);
    }
  }
}

}  // namespace
}  // namespace allclear::deform
