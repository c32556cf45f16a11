#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "allclear/distance/self_contact.h"
#include "support/random.h"

namespace allclear::test {

/// A mesh with its vertices at both ends of a step.
struct BendingSample {
  std::vector<Triangle> triangles;
  std::vector<Vec3> start, end;
  MeshStep step() const { return {triangles, start, end}; }
};

/// Adds a grid of rows x columns vertices whose places are given by two functions of (row, column).
template <class Start, class End>
void addGrid(int rows, int columns, const Start& start, const End& end, BendingSample* sample) {
  const int base = static_cast<int>(sample->start.size());
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      sample->start.push_back(start(i, j));
      sample->end.push_back(end(i, j));
    }
  }
  for (int i = 0; i + 1 < rows; ++i) {
    for (int j = 0; j + 1 < columns; ++j) {
      const int a = base + i * columns + j, b = a + 1, c = a + columns, d = c + 1;
      // Diagonals alternate, so that no direction is preferred.
      if ((i + j) % 2 == 0) {
        sample->triangles.push_back({a, c, d});
        sample->triangles.push_back({a, d, b});
      } else {
        sample->triangles.push_back({a, c, b});
        sample->triangles.push_back({b, c, d});
      }
    }
  }
}

inline void addNoise(Random& draw, double scale, BendingSample* sample) {
  for (Vec3& p : sample->start) p += draw.inBox(scale);
  for (Vec3& p : sample->end) p += draw.inBox(scale);
}

/// A strip that winds about an axis several times, as a spiral stair; its layers pass through each
/// other, while all normals stay nearly upright.
inline BendingSample helicalStrip(Random& draw) {
  BendingSample sample;
  const double turns = draw.uniform(1.2, 2.5), inner = draw.uniform(0.1, 0.5);
  const double rise = draw.uniform(0.05, 0.3), other = draw.uniform(-0.3, 0.15);
  const int columns = draw.integer(14, 24);
  const auto at = [&](double pitch) {
    return [=](int i, int j) -> Vec3 {
      const double angle = 2 * std::numbers::pi * turns * j / (columns - 1);
      const double r = inner + (1 - inner) * i;
      return {r * std::cos(angle), r * std::sin(angle), pitch * angle};
    };
  };
  addGrid(2, columns, at(rise), at(other), &sample);
  addNoise(draw, draw.logUniform(1e-4, 0.05), &sample);
  return sample;
}

/// Two sheets that are one mesh but have no edge in common; one may sink through the other.
inline BendingSample twoSheets(Random& draw) {
  BendingSample sample;
  const int n = draw.integer(3, 6);
  const double aside = draw.uniform(0.0, 1.6), above = draw.uniform(0.05, 0.5);
  const double sinks = draw.uniform(-0.3, 1.0);
  const auto at = [&](double x, double z) {
    return [=](int i, int j) -> Vec3 { return {x + double(i) / (n - 1), double(j) / (n - 1), z}; };
  };
  addGrid(n, n, at(0, 0), at(0, 0), &sample);
  addGrid(n, n, at(aside, above), at(aside, above - sinks), &sample);
  addNoise(draw, draw.logUniform(1e-4, 0.1), &sample);
  return sample;
}

/// A sheet under waves of random direction, length and height.
inline BendingSample randomSmooth(Random& draw) {
  BendingSample sample;
  const int n = draw.integer(5, 8);
  struct Wave {
    Vec3 height;
    double u, v, phase;
  };
  std::vector<Wave> waves[2];
  const double height = draw.uniform(0.1, 0.5);
  for (auto& at_end : waves) {
    for (int k = 0; k < 4; ++k) {
      const Vec3 direction = draw.inBox(height);
      const double u = draw.uniform(-6, 6), v = draw.uniform(-6, 6);
      at_end.push_back({direction, u, v, draw.uniform(0, 6.28)});
    }
  }
  const auto at = [&](const std::vector<Wave>& sum) {
    return [&sum, n](int i, int j) -> Vec3 {
      const double u = double(i) / (n - 1), v = double(j) / (n - 1);
      Vec3 p(u, v, 0);
      for (const Wave& w : sum) p += w.height * std::sin(w.u * u + w.v * v + w.phase);
      return p;
    };
  };
  addGrid(n, n, at(waves[0]), at(waves[1]), &sample);
  return sample;
}

/// Triangles around one vertex, that may go about it twice.
inline BendingSample starOfVertex(Random& draw) {
  BendingSample sample;
  const int n = draw.integer(5, 12);
  const int turns = draw.integer(1, 2);
  const bool is_closed = draw.chance(0.7);
  const double rough = draw.logUniform(0.01, 0.8);
  const auto ring = [&](std::vector<Vec3>* out) {
    out->push_back(draw.inBox(0.2));
    const double tilt = draw.uniform(-0.5, 0.5);
    for (int k = 0; k < n; ++k) {
      const double angle = 2 * std::numbers::pi * turns * (k + draw.uniform(-0.4, 0.4)) / n;
      const double r = draw.uniform(0.6, 1.2);
      out->push_back({r * std::cos(angle), r * std::sin(angle),
                      tilt * std::cos(angle / turns) + rough * draw.uniform(-0.5, 0.5)});
    }
  };
  ring(&sample.start);
  ring(&sample.end);
  for (int k = 0; k + (is_closed ? 0 : 1) < n; ++k) {
    sample.triangles.push_back({0, 1 + k, 1 + (k + 1) % n});
  }
  return sample;
}

/// A sheet bent about an axis, less or more than a full turn.
inline BendingSample curledSheet(Random& draw) {
  BendingSample sample;
  const int rows = draw.integer(2, 4), columns = draw.integer(8, 16);
  const double from = draw.uniform(0.3, 6.0), to = draw.uniform(2.0, 8.5);
  const double shear = draw.uniform(-0.05, 0.05);
  const auto at = [&](double angle) {
    return [=](int i, int j) -> Vec3 {
      const double s = double(j) / (columns - 1), a = angle * s;
      const double r = (1.0 + shear * s) / angle;
      return {r * std::sin(a), 0.15 * i, r * (1 - std::cos(a))};
    };
  };
  addGrid(rows, columns, at(from), at(to), &sample);
  addNoise(draw, draw.logUniform(1e-4, 0.05), &sample);
  return sample;
}

/// A flat strip in the form of a C, whose ends pass over each other, or through each other.
inline BendingSample openRing(Random& draw) {
  BendingSample sample;
  const int columns = draw.integer(12, 20);
  const double from = draw.uniform(4.5, 7.0), to = draw.uniform(5.5, 7.5);
  const double inner = draw.uniform(0.4, 0.8);
  const double lift = draw.uniform(-0.2, 0.2), drop = draw.uniform(-0.2, 0.2);
  const auto at = [&](double angle, double height) {
    return [=](int i, int j) -> Vec3 {
      const double s = double(j) / (columns - 1), a = angle * s;
      const double r = inner + (1 - inner) * i;
      return {r * std::cos(a), r * std::sin(a), height * (s - 0.5)};
    };
  };
  addGrid(2, columns, at(from, lift), at(to, drop), &sample);
  addNoise(draw, draw.logUniform(1e-4, 0.03), &sample);
  return sample;
}

struct BendingFamily {
  const char* name;
  BendingSample (*draw)(Random&);
};
inline constexpr BendingFamily kBendingFamilies[] = {
    {"helical strip", helicalStrip}, {"two sheets", twoSheets},
    {"random smooth", randomSmooth}, {"star of a vertex", starOfVertex},
    {"curled sheet", curledSheet},   {"C strip", openRing}};

/// A contact that is clear enough to count: inside of the features by `kClearDepth` of their size.
struct OracleContact {
  std::array<int, 3> a{-1, -1, -1}, b{-1, -1, -1};
  double time = 0.0;
};
constexpr double kClearDepth = 1e-4;

/// All t of [0, 1] at which the points p0..p3 are coplanar, by monotone parts of the cubic.
inline std::vector<double> coplanarTimes(const std::array<Vec3, 4>& p,
                                         const std::array<Vec3, 4>& q) {
  const auto volume = [&](double t) {
    const auto at = [&](int k) -> Vec3 { return (1 - t) * p[k] + t * q[k]; };
    const Vec3 o = at(0);
    return (at(1) - o).dot((at(2) - o).cross(at(3) - o));
  };
  // The cubic through four values: c0 + c1 t + c2 t^2 + c3 t^3.
  const double v0 = volume(0), v1 = volume(1.0 / 3), v2 = volume(2.0 / 3), v3 = volume(1);
  const double c1 = (-11 * v0 + 18 * v1 - 9 * v2 + 2 * v3) / 2;
  const double c2 = 9 * (2 * v0 - 5 * v1 + 4 * v2 - v3) / 2;
  const double c3 = 9 * (-v0 + 3 * v1 - 3 * v2 + v3) / 2;
  std::vector<double> parts{0.0};
  const double disc = c2 * c2 - 3 * c3 * c1;
  if (disc > 0) {
    const double w = -(c2 + std::copysign(std::sqrt(disc), c2));
    for (double t : {w / (3 * c3), c1 / w}) {
      if (t > 0 && t < 1) parts.push_back(t);
    }
  }
  parts.push_back(1.0);
  std::sort(parts.begin(), parts.end());
  std::vector<double> roots;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    double low = parts[i], high = parts[i + 1];
    const double at_low = volume(low), at_high = volume(high);
    if ((at_low > 0) == (at_high > 0)) continue;
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high);
      ((volume(middle) > 0) == (at_low > 0) ? low : high) = middle;
    }
    roots.push_back(0.5 * (low + high));
  }
  return roots;
}

/// Whether p is clearly within a triangle whose plane it is in.
inline bool isClearlyWithin(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 n = (b - a).cross(c - a);
  const double square = n.squaredNorm();
  const double u = (b - p).cross(c - p).dot(n) / square, v = (c - p).cross(a - p).dot(n) / square;
  return u > kClearDepth && v > kClearDepth && 1 - u - v > kClearDepth;
}

inline bool clearlyCross(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 n = (b - a).cross(d - c);
  const double square = n.squaredNorm();
  const double u = (c - a).cross(d - c).dot(n) / square, v = (c - a).cross(b - a).dot(n) / square;
  return u > kClearDepth && u < 1 - kClearDepth && v > kClearDepth && v < 1 - kClearDepth;
}

/// Whether boxes about all places of some vertices are apart. Saves the oracle's time only.
template <std::size_t N, std::size_t M>
bool areFarApart(const MeshStep& step, const std::array<int, N>& a, const std::array<int, M>& b) {
  Vec3 low_a = step.start[a[0]], high_a = low_a, low_b = step.start[b[0]], high_b = low_b;
  for (int v : a) {
    low_a = low_a.cwiseMin(step.start[v]).cwiseMin(step.end[v]);
    high_a = high_a.cwiseMax(step.start[v]).cwiseMax(step.end[v]);
  }
  for (int v : b) {
    low_b = low_b.cwiseMin(step.start[v]).cwiseMin(step.end[v]);
    high_b = high_b.cwiseMax(step.start[v]).cwiseMax(step.end[v]);
  }
  return (low_a.array() > high_b.array()).any() || (low_b.array() > high_a.array()).any();
}

/// All pairs of a vertex and a triangle, and of two edges, that share no vertex and clearly touch.
/// Looks at every pair.
inline std::vector<OracleContact> oracleContacts(const MeshStep& step) {
  std::vector<OracleContact> found;
  const auto& P = step.start;
  const auto& Q = step.end;
  const auto at = [&](int v, double t) -> Vec3 { return (1 - t) * P[v] + t * Q[v]; };
  std::vector<std::array<int, 2>> edges;
  std::vector<int> vertices;
  for (const Triangle& f : step.triangles) {
    for (int k = 0; k < 3; ++k) {
      edges.push_back({std::min(f[k], f[(k + 1) % 3]), std::max(f[k], f[(k + 1) % 3])});
      vertices.push_back(f[k]);
    }
  }
  const auto unique = [](auto* list) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  };
  unique(&edges);
  unique(&vertices);
  for (const Triangle& f : step.triangles) {
    for (int v : vertices) {
      if (v == f[0] || v == f[1] || v == f[2]) continue;
      if (areFarApart(step, std::array{v}, f)) continue;
      for (double t :
           coplanarTimes({P[v], P[f[0]], P[f[1]], P[f[2]]}, {Q[v], Q[f[0]], Q[f[1]], Q[f[2]]})) {
        if (!isClearlyWithin(at(v, t), at(f[0], t), at(f[1], t), at(f[2], t))) continue;
        found.push_back({{v, -1, -1}, f, t});
        break;
      }
    }
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (std::size_t j = i + 1; j < edges.size(); ++j) {
      const auto [a, b] = edges[i];
      const auto [c, d] = edges[j];
      if (a == c || a == d || b == c || b == d) continue;
      if (areFarApart(step, edges[i], edges[j])) continue;
      for (double t : coplanarTimes({P[a], P[b], P[c], P[d]}, {Q[a], Q[b], Q[c], Q[d]})) {
        if (!clearlyCross(at(a, t), at(b, t), at(c, t), at(d, t))) continue;
        found.push_back({{a, b, -1}, {c, d, -1}, t});
        break;
      }
    }
  }
  return found;
}

/// The same pair whatever the order of its features and of their vertices.
inline std::array<int, 6> keyOf(std::array<int, 3> a, std::array<int, 3> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  if (b < a) std::swap(a, b);
  return {a[0], a[1], a[2], b[0], b[1], b[2]};
}

}  // namespace allclear::test
