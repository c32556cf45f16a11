#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include "allclear/core/file.h"
#include "allclear/distance/shape.h"
#include "support/random_robot.h"

namespace allclear::test {

/// Vertices and triangles while a mesh is put together.
struct MeshParts {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;

  TriangleMesh mesh() const { return {vertices, triangles}; }

  void add(const MeshParts& other) {
    const int shift = static_cast<int>(vertices.size());
    vertices.insert(vertices.end(), other.vertices.begin(), other.vertices.end());
    for (const Triangle& t : other.triangles) {
      triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
    }
  }
  void turnInsideOut() {
    for (Triangle& t : triangles) std::swap(t[1], t[2]);
  }
  void move(const Pose& X, const Vec3& scale) {
    for (Vec3& p : vertices) p = X * Vec3(scale.cwiseProduct(p));
  }
};

/// The boundary of the union of cells of an uneven grid: `filled(i, j, k)` for cells between
/// consecutive entries of `xs`, `ys`, `zs`. Closed, normals outwards.
template <class Filled>
MeshParts gridSolid(const std::vector<double>& xs, const std::vector<double>& ys,
                    const std::vector<double>& zs, const Filled& filled) {
  const std::vector<double>* const lines[] = {&xs, &ys, &zs};
  const auto holds = [&](std::array<int, 3> cell) {
    for (int d = 0; d < 3; ++d) {
      if (cell[d] < 0 || cell[d] + 1 >= static_cast<int>(lines[d]->size())) return false;
    }
    return static_cast<bool>(filled(cell[0], cell[1], cell[2]));
  };
  MeshParts out;
  std::map<std::array<int, 3>, int> known;
  const auto vertex = [&](const std::array<int, 3>& at) {
    const auto [it, is_new] = known.try_emplace(at, static_cast<int>(out.vertices.size()));
    if (is_new) out.vertices.push_back({xs[at[0]], ys[at[1]], zs[at[2]]});
    return it->second;
  };
  for (int i = 0; i + 1 < static_cast<int>(xs.size()); ++i) {
    for (int j = 0; j + 1 < static_cast<int>(ys.size()); ++j) {
      for (int k = 0; k + 1 < static_cast<int>(zs.size()); ++k) {
        if (!holds({i, j, k})) continue;
        for (int d = 0; d < 3; ++d) {
          for (const int side : {0, 1}) {
            std::array<int, 3> beside{i, j, k};
            beside[d] += side == 1 ? 1 : -1;
            if (holds(beside)) continue;
            std::array<int, 3> corner{i, j, k};
            corner[d] += side;
            const int u = (d + 1) % 3, v = (d + 2) % 3;
            int c[4];
            for (int n = 0; n < 4; ++n) {
              std::array<int, 3> at = corner;
              at[u] += n == 1 || n == 2;
              at[v] += n >= 2;
              c[n] = vertex(at);
            }
            if (side == 0) std::swap(c[1], c[3]);
            out.triangles.push_back({c[0], c[1], c[2]});
            out.triangles.push_back({c[0], c[2], c[3]});
          }
        }
      }
    }
  }
  return out;
}

inline MeshParts boxMesh(const Vec3& lower, const Vec3& upper) {
  return gridSolid({lower.x(), upper.x()}, {lower.y(), upper.y()}, {lower.z(), upper.z()},
                   [](int, int, int) { return true; });
}

/// A grid of points around a closed surface, `at(u, v)` for u, v in [0, 1); the second direction
/// closes up, the first one too when `is_ring`, else its ends are single points.
template <class At>
MeshParts wrappedMesh(int rows, int columns, bool is_ring, const At& at) {
  MeshParts out;
  std::vector<std::vector<int>> index(rows, std::vector<int>(columns));
  for (int i = 0; i < rows; ++i) {
    const bool is_pole = !is_ring && (i == 0 || i == rows - 1);
    for (int j = 0; j < columns; ++j) {
      index[i][j] = static_cast<int>(out.vertices.size()) - (is_pole && j > 0 ? 1 : 0);
      if (is_pole && j > 0) continue;
      out.vertices.push_back(
          at(is_ring ? i / double(rows) : i / double(rows - 1), j / static_cast<double>(columns)));
    }
  }
  for (int i = 0; i + (is_ring ? 0 : 1) < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const int a = index[i][j], b = index[(i + 1) % rows][j];
      const int c = index[(i + 1) % rows][(j + 1) % columns], d = index[i][(j + 1) % columns];
      if (a != b && b != c && a != c) out.triangles.push_back({a, b, c});
      if (a != c && c != d && a != d) out.triangles.push_back({a, c, d});
    }
  }
  return out;
}

inline MeshParts sphereMesh(int rows, int columns, double radius) {
  return wrappedMesh(rows, columns, false, [&](double u, double v) {
    const double polar = std::numbers::pi * u, turn = 2.0 * std::numbers::pi * v;
    return Vec3(radius * Vec3(std::sin(polar) * std::cos(turn), std::sin(polar) * std::sin(turn),
                              std::cos(polar)));
  });
}

inline MeshParts torusMesh(int rows, int columns, double radius, double tube) {
  return wrappedMesh(rows, columns, true, [&](double u, double v) {
    const double around = 2.0 * std::numbers::pi * u, turn = 2.0 * std::numbers::pi * v;
    const double out = radius + tube * std::cos(turn);
    return Vec3(out * std::cos(around), out * std::sin(around), tube * std::sin(turn));
  });
}

/// Lines of a grid: `count` cells of sizes that differ by up to two orders.
inline std::vector<double> gridLines(Random& random, int count) {
  std::vector<double> lines{0.0};
  for (int i = 0; i < count; ++i) lines.push_back(lines.back() + random.logUniform(0.02, 2.0));
  return lines;
}

enum class MeshKind {
  kL,
  kU,
  kDumbbell,
  kCells,  ///< random cells of a grid: holes, cavities, edges with four triangles
  kBoxes,  ///< boxes that cross each other
  kTorus,
  kSphere,
  kHollowSphere,  ///< a sphere inside another, turned inside out
  kOpenSphere,    ///< with triangles left out
  kSoup,          ///< triangles anyhow
};
constexpr int kMeshKindCount = 10;

/// A mesh of the kind about the origin, of about unit size. `closed`: whether it bounds a solid.
inline MeshParts meshOfKind(MeshKind kind, Random& random, bool* closed) {
  *closed = true;
  switch (kind) {
    case MeshKind::kL:
      return gridSolid(gridLines(random, 2), gridLines(random, 2), gridLines(random, 1),
                       [](int i, int j, int) { return i == 0 || j == 0; });
    case MeshKind::kU:
      return gridSolid(gridLines(random, 3), gridLines(random, 2), gridLines(random, 1),
                       [](int i, int j, int) { return i != 1 || j == 0; });
    case MeshKind::kDumbbell:
      return gridSolid(gridLines(random, 3), gridLines(random, 3), gridLines(random, 3),
                       [](int i, int j, int k) { return i != 1 || (j == 1 && k == 1); });
    case MeshKind::kCells: {
      bool filled[3][3][3];
      for (auto& plane : filled) {
        for (auto& row : plane) {
          for (bool& cell : row) cell = random.chance(0.5);
        }
      }
      filled[1][1][1] = true;
      return gridSolid(gridLines(random, 3), gridLines(random, 3), gridLines(random, 3),
                       [&](int i, int j, int k) { return filled[i][j][k]; });
    }
    case MeshKind::kBoxes: {
      MeshParts out;
      for (int n = random.integer(2, 4); n > 0; --n) {
        const Vec3 size(random.logUniform(0.02, 1.0), random.logUniform(0.02, 1.0),
                        random.logUniform(0.02, 1.0));
        MeshParts box = boxMesh(-size, size);
        box.move(random.chance(0.5) ? random.pose(0.5) : Pose{Mat3::Identity(), random.vector(0.5)},
                 Vec3::Ones());
        out.add(box);
      }
      return out;
    }
    case MeshKind::kTorus:
      return torusMesh(random.integer(5, 20), random.integer(3, 10), 1.0,
                       random.logUniform(0.03, 0.9));
    case MeshKind::kSphere:
      return sphereMesh(random.integer(3, 12), random.integer(3, 12), 1.0);
    case MeshKind::kHollowSphere: {
      MeshParts out = sphereMesh(9, 10, 1.0), inner = sphereMesh(7, 8, random.uniform(0.2, 0.9));
      inner.turnInsideOut();
      out.add(inner);
      return out;
    }
    case MeshKind::kOpenSphere: {
      *closed = false;
      MeshParts out = sphereMesh(8, 9, 1.0);
      const double share = random.uniform(0.05, 0.7);
      std::erase_if(out.triangles, [&](const Triangle&) { return random.chance(share); });
      if (out.triangles.empty()) out = sphereMesh(3, 3, 1.0);
      return out;
    }
    case MeshKind::kSoup: {
      *closed = false;
      MeshParts out;
      for (int n = random.integer(1, 30); n > 0; --n) {
        const Vec3 middle = random.vector(1.0);
        const double size = random.logUniform(1e-2, 1.0);
        for (int c = 0; c < 3; ++c) out.vertices.push_back(middle + random.vector(size));
        const int last = static_cast<int>(out.vertices.size());
        out.triangles.push_back({last - 3, last - 2, last - 1});
      }
      return out;
    }
  }
  return {};
}

/// Triangles without area: of one point, of two, and of three on a line.
inline void addDegenerateTriangles(MeshParts* parts, Random& random) {
  for (int n = 0; n < 6; ++n) {
    const Triangle t =
        parts->triangles[random.integer(0, static_cast<int>(parts->triangles.size()) - 1)];
    parts->triangles.push_back({t[0], t[0], t[n % 2 == 0 ? 0 : 1]});
    if (n % 3 != 0) continue;
    parts->vertices.push_back(0.5 * (parts->vertices[t[0]] + parts->vertices[t[1]]));
    parts->triangles.push_back({t[0], t[1], static_cast<int>(parts->vertices.size()) - 1});
  }
}

/// Triangles of a binary STL file, vertices at one place merged.
inline MeshParts readBinaryStl(const std::filesystem::path& path) {
  const std::string content = readFile(path);
  MeshParts out;
  std::uint32_t count = 0;
  if (content.size() < 84) return out;
  std::memcpy(&count, content.data() + 80, 4);
  if (content.size() < 84 + 50 * static_cast<std::size_t>(count)) return out;
  std::map<std::tuple<float, float, float>, int> known;
  for (std::uint32_t i = 0; i < count; ++i) {
    float v[9];
    std::memcpy(v, content.data() + 84 + 50 * static_cast<std::size_t>(i) + 12, sizeof v);
    Triangle t;
    for (int c = 0; c < 3; ++c) {
      const auto [it, is_new] = known.try_emplace({v[3 * c], v[3 * c + 1], v[3 * c + 2]},
                                                  static_cast<int>(out.vertices.size()));
      if (is_new) out.vertices.push_back({v[3 * c], v[3 * c + 1], v[3 * c + 2]});
      t[c] = it->second;
    }
    out.triangles.push_back(t);
  }
  return out;
}

}  // namespace allclear::test
