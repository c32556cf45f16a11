// Shapes as triangles for the report's viewer, and meshes small enough for a file that a browser
// opens.
//
// Three steps. `reportMesh` makes triangles of any shape; round shapes are solids of revolution of
// an outline. `simplified` thins out a fine mesh by clustering: it lays a grid over the mesh,
// merges the vertices of each cell into their mean, and drops the triangles that lose a corner; the
// grid is made coarser until few enough triangles remain. `packed` stores vertices as 16 bit
// fractions of the bounding box. All this is for looking at only: distances come from the shapes
// themselves.
#include "allclear/exports/report/mesh.h"

#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "allclear/distance/geometry/convex_hull.h"

namespace allclear {
namespace {

constexpr int kSides = 32;  // of a circle
constexpr int kArc = 8;     // rings of a quarter circle: 32 to a full one, as kSides

/// An angle [rad] this close to a quarter turn is the pole of a ball; rings are 0.2 rad apart.
constexpr double kPoleAngle = 1e-9;

/// By how much the grid's cells grow until the mesh is small enough: fine steps waste no triangles,
/// and each costs one pass over the vertices.
constexpr double kCellGrowth = 1.25;

/// A point (radius, height) of the outline of a solid of revolution about z.
struct Outline {
  double r, z;
};

/// The solid of revolution of an outline from bottom to top, scaled along x, y, z. Points of radius
/// zero become one vertex.
ReportMesh revolved(const std::vector<Outline>& outline, const Vec3& scale = Vec3::Ones()) {
  ReportMesh mesh;
  // A ring of vertices for each point of the outline; first[i] is where ring i begins.
  std::vector<int> first;
  for (const Outline& point : outline) {
    first.push_back(static_cast<int>(mesh.vertices.size()));
    const int count = point.r > 0.0 ? kSides : 1;
    for (int k = 0; k < count; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / kSides;
      mesh.vertices.push_back(
          Vec3(point.r * std::cos(angle), point.r * std::sin(angle), point.z).cwiseProduct(scale));
    }
  }
  // A strip of quadrilaterals, two triangles each, between every ring and the next one up. Where a
  // ring is a single point, one of the two triangles has no area and is left out.
  for (std::size_t i = 0; i + 1 < outline.size(); ++i) {
    const bool low_is_point = outline[i].r <= 0.0, high_is_point = outline[i + 1].r <= 0.0;
    for (int k = 0; k < kSides; ++k) {
      const int n = (k + 1) % kSides;
      const int low = first[i] + (low_is_point ? 0 : k), low_next = first[i] + n;
      const int high = first[i + 1] + (high_is_point ? 0 : k);
      const int high_next = first[i + 1] + (high_is_point ? 0 : n);
      if (!low_is_point) mesh.triangles.push_back({low, low_next, high_next});
      if (!high_is_point) mesh.triangles.push_back({low, high_next, high});
    }
  }
  return mesh;
}

/// Adds an arc of a ball's outline: `radius` about height `z`, latitudes `from` to `to` [rad], a
/// quarter or half circle.
void addArc(double radius, double z, double from, double to, std::vector<Outline>* outline) {
  const int steps = from < 0.0 && to > 0.0 ? 2 * kArc : kArc;
  for (int i = 0; i <= steps; ++i) {
    const double a = from + (to - from) * i / steps;
    const bool is_pole = std::abs(std::abs(a) - 0.5 * std::numbers::pi) < kPoleAngle;
    outline->push_back({is_pole ? 0.0 : radius * std::cos(a), z + radius * std::sin(a)});
  }
}

ReportMesh ballMesh(const Vec3& radii) {
  std::vector<Outline> outline;
  addArc(1.0, 0.0, -0.5 * std::numbers::pi, 0.5 * std::numbers::pi, &outline);
  return revolved(outline, radii);
}

/// The facets of the convex hull; a flat hull has none, so its rim becomes a fan.
ReportMesh hullMesh(const std::vector<Vec3>& points) {
  const ConvexHull hull = convexHull(points);
  ReportMesh mesh;
  std::map<int, int> index;
  for (int vertex : hull.vertices) {
    index[vertex] = static_cast<int>(mesh.vertices.size());
    mesh.vertices.push_back(points[vertex]);
  }
  for (const Triangle& t : hull.facets) {
    mesh.triangles.push_back({index[t[0]], index[t[1]], index[t[2]]});
  }
  if (hull.isFlat()) {  // the rim, as a fan
    for (int k = 1; k + 1 < static_cast<int>(mesh.vertices.size()); ++k) {
      mesh.triangles.push_back({0, k, k + 1});
    }
  }
  return mesh;
}

/// The triangles of a shape, in its own frame.
struct ToMesh {
  double plane_size;

  ReportMesh operator()(const Sphere& s) const { return ballMesh(Vec3::Constant(s.radius())); }
  ReportMesh operator()(const Ellipsoid& s) const { return ballMesh(s.radii()); }
  ReportMesh operator()(const Capsule& s) const {
    std::vector<Outline> outline;
    const double half_turn = 0.5 * std::numbers::pi;
    addArc(s.radius(), -0.5 * s.length(), -half_turn, 0.0, &outline);
    addArc(s.radius(), 0.5 * s.length(), 0.0, half_turn, &outline);
    return revolved(outline);
  }
  ReportMesh operator()(const Box& s) const {
    ReportMesh mesh;
    for (int i = 0; i < 8; ++i) {
      const Vec3 sign(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
      mesh.vertices.push_back(s.halfSize().cwiseProduct(sign));
    }
    mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                      {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    return mesh;
  }
  ReportMesh operator()(const Cylinder& s) const {
    const double r = s.radius(), h = 0.5 * s.length();
    return revolved({{0.0, -h}, {r, -h}, {r, h}, {0.0, h}});
  }
  ReportMesh operator()(const Cone& s) const {
    const double h = 0.5 * s.length();
    return revolved({{0.0, -h}, {s.radius(), -h}, {0.0, h}});
  }
  ReportMesh operator()(const HalfSpace&) const {
    const double h = 0.5 * plane_size;
    return {{{-h, -h, 0}, {h, -h, 0}, {h, h, 0}, {-h, h, 0}}, {{0, 1, 2}, {0, 2, 3}}};
  }
  ReportMesh operator()(const ConvexMesh& s) const { return hullMesh(s.points()); }
  ReportMesh operator()(const TriangleMesh& s) const { return {s.vertices(), s.triangles()}; }
};

struct Bounds {
  Vec3 lower = Vec3::Zero(), upper = Vec3::Zero();
};

Bounds boundsOf(const std::vector<Vec3>& points) {
  if (points.empty()) return {};
  Bounds out{points.front(), points.front()};
  for (const Vec3& p : points) {
    out.lower = out.lower.cwiseMin(p);
    out.upper = out.upper.cwiseMax(p);
  }
  return out;
}

/// The mesh with the vertices of each cell of the grid merged into their mean. Triangles that lose
/// a corner or come twice are dropped.
ReportMesh clustered(const ReportMesh& mesh, const Vec3& lower, double cell) {
  std::map<std::array<long, 3>, int> cells;
  ReportMesh out;
  std::vector<int> members, cluster;
  for (const Vec3& v : mesh.vertices) {
    const Vec3 s = (v - lower) / cell;
    const std::array<long, 3> key = {std::lround(s.x()), std::lround(s.y()), std::lround(s.z())};
    const auto [at, is_new] = cells.try_emplace(key, static_cast<int>(out.vertices.size()));
    if (is_new) {
      out.vertices.push_back(Vec3::Zero());
      members.push_back(0);
    }
    out.vertices[at->second] += v;
    ++members[at->second];
    cluster.push_back(at->second);
  }
  for (std::size_t i = 0; i < out.vertices.size(); ++i) out.vertices[i] /= members[i];
  // The same triangle may start at any of its corners: rotated so that the least index comes first,
  // equal triangles compare equal and keep their orientation.
  std::set<std::array<int, 3>> known;
  for (const Triangle& t : mesh.triangles) {
    Triangle c = {cluster[t[0]], cluster[t[1]], cluster[t[2]]};
    if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
    std::rotate(c.begin(), std::min_element(c.begin(), c.end()), c.end());
    if (known.insert(c).second) out.triangles.push_back(c);
  }
  return out;
}

}  // namespace

ReportMesh reportPlane(const std::vector<Geometry>& planes, std::size_t i, double plane_size) {
  // The corners of the square, cut off along one plane after the other.
  ReportMesh square = reportMesh(planes[i], plane_size);
  std::vector<Vec3> rim = square.vertices;
  for (std::size_t k = 0; k < planes.size(); ++k) {
    if (k == i) continue;
    const Pose& X = planes[k].X_BG;
    const auto height = [&](const Vec3& p) { return X.R.col(2).dot(p - X.p); };
    std::vector<Vec3> left;
    for (std::size_t v = 0; v < rim.size(); ++v) {
      const Vec3 &p = rim[v], &q = rim[(v + 1) % rim.size()];
      const double at_p = height(p), at_q = height(q);
      if (at_p >= 0.0) left.push_back(p);
      if ((at_p < 0.0) != (at_q < 0.0)) left.push_back(p + at_p / (at_p - at_q) * (q - p));
    }
    rim = left;
  }
  ReportMesh out{rim, {}};
  for (int v = 1; v + 1 < static_cast<int>(rim.size()); ++v) out.triangles.push_back({0, v, v + 1});
  return out;
}

ReportMesh reportMesh(const Geometry& geometry, double plane_size) {
  ReportMesh mesh = std::visit(ToMesh{plane_size}, geometry.shape);
  for (Vec3& v : mesh.vertices) v = geometry.X_BG * v;
  return mesh;
}

ReportMesh simplified(const ReportMesh& mesh, int most_triangles) {
  if (static_cast<int>(mesh.triangles.size()) <= most_triangles) return mesh;
  const Bounds bounds = boundsOf(mesh.vertices);
  const double extent = (bounds.upper - bounds.lower).maxCoeff();
  if (!(extent > 0.0)) return mesh;
  // A surface of n cells on a side has about 2 n^2 triangles a face: start finer than needed.
  double cell = 0.5 * extent / std::sqrt(std::max(1, most_triangles));
  while (true) {
    ReportMesh out = clustered(mesh, bounds.lower, cell);
    if (static_cast<int>(out.triangles.size()) <= most_triangles) return out;
    cell *= kCellGrowth;
  }
}

std::string base64(const void* data, std::size_t bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* in = static_cast<const unsigned char*>(data);
  std::string out;
  out.reserve((bytes + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes; i += 3) {
    // Three bytes are four digits of six bits; = fills up the last group.
    const std::size_t left = bytes - i;
    const unsigned word = static_cast<unsigned>(in[i]) << 16 |
                          (left > 1 ? static_cast<unsigned>(in[i + 1]) << 8 : 0u) |
                          (left > 2 ? static_cast<unsigned>(in[i + 2]) : 0u);
    out += kDigits[word >> 18];
    out += kDigits[word >> 12 & 63];
    out += left > 1 ? kDigits[word >> 6 & 63] : '=';
    out += left > 2 ? kDigits[word & 63] : '=';
  }
  return out;
}

std::string packedFloats(const std::vector<double>& values) {
  const std::vector<float> floats(values.begin(), values.end());
  return base64(floats.data(), floats.size() * sizeof(float));
}

PackedMesh packed(const ReportMesh& mesh) {
  const Bounds bounds = boundsOf(mesh.vertices);
  PackedMesh out;
  out.vertex_count = static_cast<int>(mesh.vertices.size());
  out.triangle_count = static_cast<int>(mesh.triangles.size());
  out.lower = bounds.lower;
  out.size = bounds.upper - bounds.lower;
  // 16 bits are a 65535th of the box: 15 micrometres for a metre. A flat box has no fraction.
  std::vector<std::uint16_t> fractions;
  for (const Vec3& v : mesh.vertices) {
    for (int k = 0; k < 3; ++k) {
      const double part = out.size[k] > 0.0 ? (v[k] - out.lower[k]) / out.size[k] : 0.0;
      fractions.push_back(static_cast<std::uint16_t>(std::lround(65535.0 * part)));
    }
  }
  out.vertices = base64(fractions.data(), 2 * fractions.size());
  std::vector<std::uint32_t> wide;
  for (const Triangle& t : mesh.triangles) {
    for (int k : t) wide.push_back(static_cast<std::uint32_t>(k));
  }
  if (out.vertex_count > 65536) {
    out.triangles = base64(wide.data(), 4 * wide.size());
  } else {
    const std::vector<std::uint16_t> narrow(wide.begin(), wide.end());
    out.triangles = base64(narrow.data(), 2 * narrow.size());
  }
  return out;
}

}  // namespace allclear
