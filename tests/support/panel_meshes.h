#pragma once

// Boxes made of panels, with openings, and the faults that files of meshes have.

#include <array>
#include <vector>

#include "allclear/distance/geometry/triangles.h"
#include "allclear/distance/shape.h"
#include "distance/cover/cover_meshes.h"
#include "support/random.h"

namespace allclear::test {

/// A box about the origin of single sheets; bit i of `lacking`: no sheet on side i (x-, x+, y-,
/// ..).
inline MeshParts sheetBox(const Vec3& size, unsigned lacking) {
  MeshParts out;
  for (int i = 0; i < 8; ++i) {
    out.vertices.push_back(0.5 *
                           size.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  }
  // By side, counter-clockwise from outside.
  static constexpr int kSides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (int i = 0; i < 6; ++i) {
    if ((lacking >> i & 1U) != 0) continue;
    const int* q = kSides[i];
    out.triangles.push_back({q[0], q[1], q[2]});
    out.triangles.push_back({q[0], q[2], q[3]});
  }
  return out;
}

/// The same of walls `thick`, a closed surface; the walls are within the box.
inline MeshParts wallBox(const Vec3& size, double thick, unsigned lacking) {
  const auto lines = [&](int k) {
    const double h = 0.5 * size[k];
    return std::vector<double>{-h, -h + thick, h - thick, h};
  };
  return gridSolid(lines(0), lines(1), lines(2), [&](int i, int j, int k) {
    const int at[] = {i, j, k};
    for (int d = 0; d < 3; ++d) {
      if (at[d] == 0 && (lacking >> (2 * d) & 1U) == 0) return true;
      if (at[d] == 2 && (lacking >> (2 * d + 1) & 1U) == 0) return true;
    }
    return false;
  });
}

/// Takes away the two triangles of the largest quad that faces out of the box; returns its area.
inline double takeLargestQuad(MeshParts* parts) {
  const auto area = [&](std::size_t i) {
    const Triangle& t = parts->triangles[i];
    const Vec3& a = parts->vertices[t[0]];
    return (parts->vertices[t[1]] - a).cross(parts->vertices[t[2]] - a).norm();
  };
  std::size_t best = 0;
  for (std::size_t i = 0; i + 1 < parts->triangles.size(); i += 2) {
    if (area(i) > area(best)) best = i;
  }
  const double taken = area(best);
  parts->triangles.erase(parts->triangles.begin() + best, parts->triangles.begin() + best + 2);
  return taken;
}

/// Turns some triangles the wrong way.
inline void flipSome(MeshParts* parts, double share, Random& random) {
  for (Triangle& t : parts->triangles) {
    if (random.chance(share)) std::swap(t[1], t[2]);
  }
}

/// Repeats some triangles, either way round, with corners of their own at the same places.
inline void repeatSome(MeshParts* parts, double share, Random& random) {
  const std::vector<Triangle> before = parts->triangles;
  for (Triangle t : before) {
    if (!random.chance(share)) continue;
    for (int& corner : t) {
      parts->vertices.push_back(parts->vertices[corner]);
      corner = static_cast<int>(parts->vertices.size()) - 1;
    }
    if (random.chance(0.5)) std::swap(t[1], t[2]);
    parts->triangles.push_back(t);
  }
}

/// Cuts some triangles in two through the middle of an edge, not their neighbours: T-junctions.
inline void cutSomeEdges(MeshParts* parts, double share, Random& random) {
  const std::size_t count = parts->triangles.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!random.chance(share)) continue;
    const Triangle t = parts->triangles[i];
    const int middle = static_cast<int>(parts->vertices.size());
    parts->vertices.push_back(0.5 * (parts->vertices[t[0]] + parts->vertices[t[1]]));
    parts->triangles[i] = {t[0], middle, t[2]};
    parts->triangles.push_back({middle, t[1], t[2]});
  }
}

/// Distance of a point from the nearest triangle, one after another.
inline double distanceFrom(const TriangleMesh& mesh, const Vec3& p) {
  double least = HUGE_VAL;
  for (const Triangle& t : mesh.triangles()) {
    const TriangleCorners at =
        cornersOf(mesh.vertices()[t[0]], mesh.vertices()[t[1]], mesh.vertices()[t[2]]);
    least = std::min(least, triangleDistance(at, cornersOf(p, p, p)).distance);
  }
  return least;
}

/// A point of a triangle, sometimes of its rim.
inline Vec3 pointOn(const TriangleMesh& mesh, int triangle, Random& random) {
  const Triangle& t = mesh.triangles()[triangle];
  Vec3 w(random.uniform(0, 1), random.uniform(0, 1),
         random.chance(0.3) ? 0.0 : random.uniform(0, 1));
  w /= w.sum();
  return w[0] * mesh.vertices()[t[0]] + w[1] * mesh.vertices()[t[1]] + w[2] * mesh.vertices()[t[2]];
}

}  // namespace allclear::test
