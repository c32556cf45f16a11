#pragma once

// The thesis's four scenes for distances with smooth directions (VI.B, Fig. 6.12 to 6.15), their
// models made by formulas with about its numbers of triangles. Lengths are in metres, the smaller
// body of each scene about 1 m.

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/distance/shape.h"

namespace allclear::bench {

/// Rings of `sides` points each, joined by triangles, the ends closed to the given points. Counter-
/// clockwise as seen from the last end.
inline TriangleMesh loft(const std::vector<std::vector<Vec3>>& rings, const Vec3& first,
                         const Vec3& last) {
  std::vector<Vec3> vertices;
  for (const auto& ring : rings) vertices.insert(vertices.end(), ring.begin(), ring.end());
  const int sides = static_cast<int>(rings.front().size());
  const int n = static_cast<int>(vertices.size());
  vertices.push_back(first);
  vertices.push_back(last);
  std::vector<Triangle> triangles;
  for (int j = 0; j < sides; ++j) {
    const int k = (j + 1) % sides;
    triangles.push_back({n, k, j});
    triangles.push_back({n + 1, n - sides + j, n - sides + k});
    for (int i = 0; i + sides < n; i += sides) {
      triangles.push_back({i + j, i + k, i + sides + j});
      triangles.push_back({i + k, i + sides + k, i + sides + j});
    }
  }
  return {std::move(vertices), std::move(triangles)};
}

/// Rings about z of the radii and heights of a profile; its ends are on the axis.
inline TriangleMesh turned(const std::vector<Vec2>& profile, int sides) {
  std::vector<std::vector<Vec3>> rings;
  for (std::size_t i = 1; i + 1 < profile.size(); ++i) {
    rings.emplace_back();
    for (int j = 0; j < sides; ++j) {
      const double u = 2.0 * std::numbers::pi * j / sides;
      rings.back().push_back(
          {profile[i].x() * std::cos(u), profile[i].x() * std::sin(u), profile[i].y()});
    }
  }
  return loft(rings, {0.0, 0.0, profile.front().y()}, {0.0, 0.0, profile.back().y()});
}

/// A closed body along x: ellipses with half-axes `wide(s)` (y) and `high(s)` (z), centre height
/// `lift(s)`, s in [0, 1].
inline TriangleMesh drawnOut(double length, int rings, int sides,
                             const std::function<double(double)>& wide,
                             const std::function<double(double)>& high,
                             const std::function<double(double)>& lift) {
  std::vector<std::vector<Vec3>> all;
  for (int i = 0; i < rings; ++i) {
    // Denser at the ends, where the body rounds off.
    const double s = 0.5 * (1.0 - std::cos(std::numbers::pi * (i + 0.5) / rings));
    all.emplace_back();
    for (int j = 0; j < sides; ++j) {
      const double u = 2.0 * std::numbers::pi * j / sides;
      all.back().push_back(
          {length * (s - 0.5), wide(s) * std::cos(u), lift(s) + high(s) * std::sin(u)});
    }
  }
  return loft(all, {-0.5 * length, 0.0, lift(0.0)}, {0.5 * length, 0.0, lift(1.0)});
}

inline std::vector<Vec2> line(const Vec2& from, const Vec2& to, int pieces) {
  std::vector<Vec2> out;
  for (int i = 0; i < pieces; ++i) out.push_back(from + (to - from) * i / pieces);
  return out;
}

inline std::vector<Vec2> polyline(const std::vector<Vec2>& corners,
                                  const std::vector<int>& pieces) {
  std::vector<Vec2> out;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (const Vec2& p : line(corners[i], corners[i + 1], pieces[i])) out.push_back(p);
  }
  out.push_back(corners.back());
  return out;
}

inline TriangleMesh coneModel() {
  return turned(polyline({{0.0, -0.4}, {0.4, -0.4}, {0.0, 0.5}}, {5, 12}), 32);
}

/// 36 triangles.
inline TriangleMesh axisModel() {
  return turned({{0.0, -1.0}, {0.15, -1.0}, {0.15, 1.0}, {0.0, 1.0}}, 9);
}

inline TriangleMesh cupModel() {
  return turned(
      polyline({{0.0, -0.4}, {0.32, -0.4}, {0.4, 0.4}, {0.34, 0.4}, {0.26, -0.32}, {0.0, -0.32}},
               {3, 5, 1, 5, 3}),
      32);
}

inline double rounded(double s) { return std::sqrt(std::max(0.0, 4.0 * s * (1.0 - s))); }

inline TriangleMesh spoonModel() {
  const auto bowl = [](double s) { return s < 0.38 ? rounded(s / 0.38) : 0.0; };
  const auto grip = [](double s) { return std::pow(rounded(s), 0.5); };
  return drawnOut(
      1.0, 26, 25, [=](double s) { return 0.03 * grip(s) + 0.08 * bowl(s); },
      [=](double s) { return 0.02 * grip(s) + 0.02 * bowl(s); },
      [](double s) { return 0.08 * std::sin(2.2 * s); });
}

inline TriangleMesh fishModel() {
  const auto body = [](double s) { return std::sin(std::numbers::pi * std::pow(s, 0.7)); };
  const auto tail = [](double s) {
    return s > 0.72
               ? std::pow((s - 0.72) / 0.28, 1.2) * std::sqrt(std::max(0.0, 1.0 - s) / 0.05 + 0.02)
               : 0.0;
  };
  return drawnOut(
      1.0, 25, 19, [=](double s) { return 0.015 + 0.1 * std::max(0.0, body(s)); },
      [=](double s) { return 0.02 + 0.2 * std::max(0.0, body(s)) + 0.1 * std::min(1.4, tail(s)); },
      [](double) { return 0.0; });
}

inline TriangleMesh torusModel(double R, double r, int around, int along) {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < along; ++j) {
      const double u = 2.0 * std::numbers::pi * i / around, v = 2.0 * std::numbers::pi * j / along;
      const double rho = R + r * std::cos(v);
      vertices.push_back({rho * std::cos(u), rho * std::sin(u), r * std::sin(v)});
      const int a = i * along + j, b = i * along + (j + 1) % along;
      const int c = (i + 1) % around * along + j, d = (i + 1) % around * along + (j + 1) % along;
      triangles.push_back({a, c, b});
      triangles.push_back({b, c, d});
    }
  }
  return {std::move(vertices), std::move(triangles)};
}

/// A moves, B stands still at the origin.
struct PhongScene {
  std::string name;
  TriangleMesh A, B;
  std::function<Pose(double)> pose_A;  ///< at s in [0, 1]
};

inline Pose posed(const Mat3& R, const Vec3& p) { return {R, p}; }

inline std::vector<PhongScene> phongScenes() {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  return {
      {"cone_axis", coneModel(), axisModel(),
       [=](double s) {
         return posed(rotationAbout(y, 0.5 * kTurn * s) * rotationAbout(x, 0.3),
                      Vec3(0.45 - 0.9 * s, 0.03, 0.12));
       }},
      {"spoon_cup", spoonModel(), cupModel(),
       [=](double s) {
         return posed(rotationAbout(y, -0.9) * rotationAbout(x, kTurn * s), Vec3(0.12, 0.02, 0.05));
       }},
      {"fish_torus", fishModel(), torusModel(0.45, 0.16, 40, 20),
       [=](double s) {
         return posed(rotationAbout(y, 0.35) * rotationAbout(x, kTurn * s) * rotationAbout(y, 0.9),
                      Vec3(0.12, 0.07, 0.04));
       }},
      {"torus_torus", torusModel(0.4, 0.12, 40, 25), torusModel(0.4, 0.12, 40, 25),
       [=](double s) {
         const Mat3 R = rotationAbout(z, kTurn * s);
         return posed(R * rotationAbout(x, 0.25 * kTurn + 0.3 * std::sin(kTurn * s)),
                      R * Vec3(0.5 + 0.03 * std::sin(2.0 * kTurn * s), 0.0, 0.02));
       }},
  };
}

}  // namespace allclear::bench
