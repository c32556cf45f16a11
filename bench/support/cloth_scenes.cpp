// A small simulator of cloth by position-based dynamics (M. Mueller et al. 2007): springs along the
// edges and across them, gravity, a ball, wind. It need not be right, only move as cloth does.
#include "bench/support/cloth_scenes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "allclear/core/input_error.h"

namespace allclear::bench {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kFrame = 1.0 / 60.0;  ///< [s]
constexpr int kSubsteps = 4;
constexpr int kIterations = 6;
constexpr double kBendStiffness = 0.4;
constexpr double kDamping = 0.999;
constexpr double kShortest = 1e-12;

class Cloth {
 public:
  /// A grid of rows x columns vertices; `closes` joins the last column to the first.
  Cloth(int rows, int columns, bool closes, const std::function<Vec3(double, double)>& place) {
    const int across = closes ? columns : columns - 1;
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        points.push_back(place(double(i) / (rows - 1), double(j) / across));
      }
    }
    for (int i = 0; i + 1 < rows; ++i) {
      for (int j = 0; j < across; ++j) {
        const int a = i * columns + j, b = i * columns + (j + 1) % columns;
        const int c = a + columns, d = b + columns;
        if ((i + j) % 2 == 0) {
          triangles.push_back({a, c, d});
          triangles.push_back({a, d, b});
        } else {
          triangles.push_back({a, c, b});
          triangles.push_back({b, c, d});
        }
      }
    }
    before = points;
    is_held.assign(points.size(), 0);
    addSprings();
  }

  /// One frame. `move(t)` sets held points; `push(p, v)` is the acceleration at a point; `collide`
  /// moves a point out of what is in the way.
  void frame(double t, const std::function<void(double, Cloth&)>& move,
             const std::function<Vec3(const Vec3&, double)>& push,
             const std::function<void(Vec3&)>& collide) {
    const double h = kFrame / kSubsteps;
    for (int s = 0; s < kSubsteps; ++s) {
      const double now = t + s * h;
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (is_held[i]) continue;
        const Vec3 p = points[i];
        points[i] += kDamping * (p - before[i]) + h * h * push(p, now);
        before[i] = p;
      }
      move(now + h, *this);
      for (int k = 0; k < kIterations; ++k) {
        for (const Spring& spring : springs_) relax(spring);
      }
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (!is_held[i]) collide(points[i]);
      }
    }
  }

  std::vector<Triangle> triangles;
  std::vector<Vec3> points, before;
  std::vector<char> is_held;

 private:
  struct Spring {
    int a, b;
    double length, stiffness;
  };

  /// Along every edge, and between the two corners across it.
  void addSprings() {
    std::map<std::pair<int, int>, int> across;
    for (const Triangle& t : triangles) {
      for (int k = 0; k < 3; ++k) {
        const int a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
        const auto [at, is_new] = across.insert({{std::min(a, b), std::max(a, b)}, c});
        if (is_new) {
          add(a, b, 1.0);
        } else {
          add(c, at->second, kBendStiffness);
        }
      }
    }
  }
  void add(int a, int b, double stiffness) {
    springs_.push_back({a, b, (points[a] - points[b]).norm(), stiffness});
  }

  void relax(const Spring& s) {
    const double wa = is_held[s.a] ? 0.0 : 1.0, wb = is_held[s.b] ? 0.0 : 1.0;
    const Vec3 d = points[s.b] - points[s.a];
    const double length = d.norm();
    if (wa + wb == 0.0 || length < kShortest) return;
    const Vec3 step = s.stiffness * (length - s.length) / ((wa + wb) * length) * d;
    points[s.a] += wa * step;
    points[s.b] -= wb * step;
  }

  std::vector<Spring> springs_;
};

Vec3 gravity(const Vec3&, double) { return {0, 0, -9.81}; }

/// Air that blows along x, with eddies.
Vec3 wind(const Vec3& p, double t) {
  const double eddy = std::sin(7 * p.x() - 9 * t) * std::cos(5 * p.z() + 4 * t);
  const double small = std::sin(23 * p.x() - 21 * t + 11 * p.z());
  return {14.0, 16.0 * eddy + 6.0 * small, -9.81 + 3.0 * std::sin(9 * p.x() + 5 * t)};
}

struct Plan {
  Cloth cloth;
  int warm_up;  ///< frames before the first keyframe
  std::function<void(double, Cloth&)> move = [](double, Cloth&) {};
  std::function<Vec3(const Vec3&, double)> push = gravity;
  std::function<void(Vec3&)> collide = [](Vec3&) {};
};

/// A sheet, level at first, held at two corners: it swings down.
Plan hung(int rows, int columns) {
  Plan plan{Cloth(rows, columns, false,
                  [](double u, double v) -> Vec3 {
                    return {v, -u, 0.01 * std::sin(9 * u + 5 * v)};
                  }),
            20};
  plan.cloth.is_held[0] = plan.cloth.is_held[columns - 1] = 1;
  return plan;
}

Plan flag(int rows, int columns) {
  Plan plan{Cloth(rows, columns, false,
                  [](double u, double v) -> Vec3 {
                    return {1.2 * v, 0.02 * std::sin(8 * v), 0.8 * (1 - u)};
                  }),
            40};
  for (int i = 0; i < rows; ++i) plan.cloth.is_held[i * columns] = 1;
  plan.push = wind;
  return plan;
}

/// A tube whose upper rim turns against the lower one.
Plan twist(int rows, int columns) {
  Plan plan{Cloth(rows, columns, true,
                  [](double u, double v) -> Vec3 {
                    return {0.2 * std::cos(2 * kPi * v), 0.2 * std::sin(2 * kPi * v), 1.2 * u};
                  }),
            30};
  const std::vector<Vec3> rest = plan.cloth.points;
  const int n = static_cast<int>(rest.size());
  for (int j = 0; j < columns; ++j) plan.cloth.is_held[j] = plan.cloth.is_held[n - 1 - j] = 1;
  plan.move = [rest, n, columns](double t, Cloth& cloth) {
    const Eigen::AngleAxisd turn(std::min(2.5 * t, 3.0), Vec3::UnitZ());
    for (int i = n - columns; i < n; ++i) {
      cloth.points[i] = turn * rest[i] - Vec3(0, 0, std::min(0.15 * t, 0.3));
    }
  };
  plan.push = [](const Vec3&, double) -> Vec3 { return Vec3(0, 0, -1.0); };
  return plan;
}

/// A pleated skirt whose waist turns to and fro.
Plan skirt(int rows, int columns) {
  Plan plan{Cloth(rows, columns, true,
                  [](double u, double v) -> Vec3 {
                    const double a = 2 * kPi * v, wide = 0.14 + 0.25 * u;
                    const double r = wide + 0.06 * u * std::sin(24 * a);
                    return {r * std::cos(a), r * std::sin(a), -0.55 * u};
                  }),
            30};
  const std::vector<Vec3> rest = plan.cloth.points;
  for (int j = 0; j < columns; ++j) plan.cloth.is_held[j] = 1;
  plan.move = [rest, columns](double t, Cloth& cloth) {
    const Eigen::AngleAxisd turn(1.2 * std::sin(5 * t), Vec3::UnitZ());
    for (int j = 0; j < columns; ++j) cloth.points[j] = turn * rest[j];
  };
  return plan;
}

/// A sheet that falls onto a ball and a floor.
Plan drape(int rows, int columns) {
  Plan plan{Cloth(rows, columns, false,
                  [](double u, double v) -> Vec3 {
                    return {1.4 * v - 0.7, 1.4 * u - 0.7, 0.02 * std::sin(6 * u + 3 * v)};
                  }),
            20};
  plan.collide = [](Vec3& p) {
    const Vec3 centre(0.02, 0.03, -0.32);
    const double radius = 0.3, r = (p - centre).norm();
    if (r < radius) p = centre + radius / r * (p - centre);
    p.z() = std::max(p.z(), -0.75);
  };
  return plan;
}

}  // namespace

ClothScene clothScene(const std::string& name, double detail, int frames) {
  // 120 x 118 squares of two triangles; a tube is longer around.
  const int rows = static_cast<int>(std::lround(118 * detail)) + 1;
  const int columns = static_cast<int>(std::lround(120 * detail)) + 1;
  const std::map<std::string, Plan (*)(int, int)> plans{
      {"hung", hung}, {"flag", flag}, {"twist", twist}, {"skirt", skirt}, {"drape", drape}};
  const auto found = plans.find(name);
  if (found == plans.end()) throw InputError("no scene '" + name + "'");
  const bool is_tube = name == "twist" || name == "skirt";
  Plan plan = is_tube ? found->second(rows * 2 / 3, columns * 3 / 2) : found->second(rows, columns);
  ClothScene scene{name, plan.cloth.triangles, {}};
  for (int k = 0; k < plan.warm_up + frames; ++k) {
    plan.cloth.frame(k * kFrame, plan.move, plan.push, plan.collide);
    if (k + 1 >= plan.warm_up) scene.keyframes.push_back(plan.cloth.points);
  }
  return scene;
}

}  // namespace allclear::bench
