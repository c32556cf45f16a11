#pragma once

// Joints and pieces as a proof has them, in long double.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace allclear::test {

using Real = long double;
using Point = std::array<Real, 3>;

struct AffineMap {  ///< columns of R, then p; literally what the file says
  std::array<Point, 4> column{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}}};

  Point turned(const Point& x) const {
    Point y{};
    for (int i = 0; i < 3; ++i) {
      y[i] = x[0] * column[0][i] + x[1] * column[1][i] + x[2] * column[2][i];
    }
    return y;
  }
  AffineMap operator*(const AffineMap& other) const {
    AffineMap out;
    for (int k = 0; k < 4; ++k) out.column[k] = turned(other.column[k]);
    for (int i = 0; i < 3; ++i) out.column[3][i] += column[3][i];
    return out;
  }
};

struct MovingSource {
  double tube = 0.0;
  std::vector<std::vector<double>> spans;  ///< Bernstein coefficients by interval
};

struct MovingNode {
  int parent = -1;
  bool turns = true;
  int source = -1;
  double factor = 0.0, offset = 0.0;
  AffineMap X_PF;
};

struct MovingPiece {
  std::vector<int> path;  ///< nodes beyond the last one that both pieces stand on
  int node = -1;
  AffineMap X_NG;
  std::string shape = "hull";
  std::array<double, 3> size{};
  std::vector<std::array<double, 3>> points;
  std::vector<std::array<int, 3>> triangles;
};

inline Real dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// The polynomial with Bernstein coefficients b, at s in [0, 1].
inline Real valueOf(std::vector<Real> b, Real s) {
  for (std::size_t r = b.size(); r-- > 1;) {
    for (std::size_t j = 0; j < r; ++j) b[j] += s * (b[j + 1] - b[j]);
  }
  return b[0];
}

/// Greatest w.x of its points.
inline Real support(const MovingPiece& p, const Point& w) {
  const Real radial = std::hypot(w[0], w[1]);
  if (p.shape == "cylinder") return p.size[0] * radial + p.size[1] * std::abs(w[2]);
  if (p.shape == "cone") {
    return std::max(p.size[1] * w[2], p.size[0] * radial - p.size[1] * w[2]);
  }
  if (p.shape == "ellipsoid") {
    return std::hypot(p.size[0] * w[0], p.size[1] * w[1], p.size[2] * w[2]);
  }
  if (p.shape == "plane") return 0.0L;
  Real most = -1e30L;
  for (const auto& x : p.points) most = std::max(most, dot(w, {x[0], x[1], x[2]}));
  return most + (p.shape == "hull" ? p.size[0] * std::hypot(radial, w[2]) : 0.0L);
}

}  // namespace allclear::test
