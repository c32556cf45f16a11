#pragma once

// Meshes for tests and benches: procedural ones, and Wavefront files of the shared data.

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "allclear/distance/shape.h"

namespace allclear::test {

/// `v` and `f` lines; polygons as fans.
inline TriangleMesh readObj(const std::filesystem::path& path, double scale = 1.0) {
  std::ifstream file(path);
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "v") {
      Vec3 p;
      words >> p.x() >> p.y() >> p.z();
      vertices.push_back(scale * p);
    } else if (kind == "f") {
      std::vector<int> corners;
      for (std::string word; words >> word;) corners.push_back(std::stoi(word) - 1);
      for (std::size_t i = 2; i < corners.size(); ++i) {
        triangles.push_back({corners[0], corners[i - 1], corners[i]});
      }
    }
  }
  return {std::move(vertices), std::move(triangles)};
}

inline TriangleMesh boxMesh(const Vec3& half) {
  std::vector<Vec3> vertices;
  for (int i = 0; i < 8; ++i) {
    vertices.push_back(
        {i & 1 ? half.x() : -half.x(), i & 2 ? half.y() : -half.y(), i & 4 ? half.z() : -half.z()});
  }
  return {vertices,
          {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
           {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}}};
}

/// `around` by `along` vertices on a torus of radii R and r, with `bumps` waves of height `wave`.
inline TriangleMesh torusMesh(double R, double r, int around, int along, double wave = 0.0,
                              int bumps = 5) {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < along; ++j) {
      const double u = 2.0 * std::numbers::pi * i / around, v = 2.0 * std::numbers::pi * j / along;
      const double here = r * (1.0 + wave * std::sin(bumps * u) * std::cos(bumps * v));
      const double rho = R + here * std::cos(v);
      vertices.push_back({rho * std::cos(u), rho * std::sin(u), here * std::sin(v)});
      const int a = i * along + j, b = i * along + (j + 1) % along;
      const int c = (i + 1) % around * along + j, d = (i + 1) % around * along + (j + 1) % along;
      triangles.push_back({a, c, b});
      triangles.push_back({b, c, d});
    }
  }
  return {vertices, triangles};
}

/// A sphere of `rings` parallels with `sides` vertices each, deformed by bumps of relative height
/// `wave`: 2 * sides * rings triangles.
inline TriangleMesh blobMesh(double radius, int rings, int sides, double wave = 0.0, int bumps = 5) {
  std::vector<Vec3> vertices;
  const auto place = [&](double polar, double around) {
    const double r =
        radius * (1.0 + wave * std::sin(bumps * around) * std::sin(bumps * polar) *
                            std::sin(polar));
    vertices.push_back({r * std::sin(polar) * std::cos(around),
                        r * std::sin(polar) * std::sin(around), r * std::cos(polar)});
  };
  for (int i = 0; i < rings; ++i) {
    for (int j = 0; j < sides; ++j) {
      place(std::numbers::pi * (i + 1) / (rings + 1), 2.0 * std::numbers::pi * j / sides);
    }
  }
  place(0.0, 0.0);
  place(std::numbers::pi, 0.0);
  const int north = rings * sides, south = north + 1;
  std::vector<Triangle> triangles;
  for (int j = 0; j < sides; ++j) {
    const int k = (j + 1) % sides;
    triangles.push_back({north, j, k});
    triangles.push_back({south, (rings - 1) * sides + k, (rings - 1) * sides + j});
    for (int i = 0; i + 1 < rings; ++i) {
      triangles.push_back({i * sides + j, (i + 1) * sides + j, i * sides + k});
      triangles.push_back({i * sides + k, (i + 1) * sides + j, (i + 1) * sides + k});
    }
  }
  return {vertices, triangles};
}

}  // namespace allclear::test
