// Owners of vertices and edges, and cones of normals over the tree.

#include "allclear/distance/phong/convolution_side.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "allclear/distance/phong/surface.h"
#include "support/mesh_samples.h"

namespace allclear::phong {
namespace {

/// Calls visit(node, triangle) for every triangle below every node.
void forTrianglesBelow(const SphereTree& tree, const std::function<void(int, int)>& visit) {
  const auto& nodes = tree.nodes();
  std::vector<std::vector<int>> below(nodes.size());
  for (int i = static_cast<int>(nodes.size()) - 1; i >= 0; --i) {
    const int child = nodes[i].child;
    if (child < 0) {
      below[i] = {~child};
    } else {
      below[i] = below[child];
      below[i].insert(below[i].end(), below[child + 1].begin(), below[child + 1].end());
    }
    for (int t : below[i]) visit(i, t);
  }
}

bool holds(const ConvolutionSide::Cones& cones, int node, const Vec3& normal) {
  if (cones.none[node]) return false;
  return angleBetween(cones.axis[node], normal) <=
         std::atan2(cones.angle[node][1], cones.angle[node][0]) + 1e-12;
}

TEST(ConvolutionSide, ConesHoldTheNormalsBelowTheirNodes) {
  const PhongBody body{Shape(test::torusMesh(0.4, 0.15, 12, 8))};
  const PhongMesh& mesh = body.mesh();
  const ConvolutionSide side(mesh, body.tree());
  std::vector<std::vector<int>> triangles_at(mesh.vertices.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (int v : mesh.triangles[t]) triangles_at[v].push_back(static_cast<int>(t));
  }
  forTrianglesBelow(body.tree(), [&](int node, int t) {
    EXPECT_TRUE(holds(side.face_cones, node, mesh.normals[t]));
    for (int k = 0; k < 3; ++k) {
      for (int other : triangles_at[mesh.triangles[t][k]]) {
        EXPECT_TRUE(holds(side.ring_cones, node, mesh.normals[other]));
      }
      if (!side.owns_edge[t][k]) continue;
      EXPECT_TRUE(holds(side.arc_cones, node, mesh.normals[t]));
      EXPECT_TRUE(holds(side.arc_cones, node, mesh.normals[mesh.neighbours[t][k]]));
    }
  });
}

TEST(ConvolutionSide, EveryVertexAndEveryConvexEdgeHasOneOwner) {
  const PhongBody body{Shape(test::torusMesh(0.4, 0.15, 12, 8))};
  const PhongMesh& mesh = body.mesh();
  const ConvolutionSide side(mesh, body.tree());
  std::vector<int> owners(mesh.vertices.size(), 0);
  std::map<std::pair<int, int>, int> edge_owners;
  int convex = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const Triangle& corners = mesh.triangles[t];
      owners[corners[k]] += side.owns_vertex[t][k];
      const int a = corners[(k + 1) % 3], b = corners[(k + 2) % 3];
      edge_owners[std::minmax(a, b)] += side.owns_edge[t][k];
      // Convex: the mean normal of both sides points away from the middles of the two triangles.
      const int n = mesh.neighbours[t][k];
      const Vec3 edge = 0.5 * (mesh.vertices[a] + mesh.vertices[b]);
      Vec3 apex = Vec3::Zero();
      for (int v : mesh.triangles[n]) {
        if (v != a && v != b) apex = mesh.vertices[v];
      }
      const Vec3 mean = mesh.normals[t] + mesh.normals[n];
      const double rise = mean.dot(apex - edge) + mean.dot(mesh.vertices[corners[k]] - edge);
      if (std::fabs(rise) < 1e-6) continue;
      convex += rise < 0.0;
      if (side.owns_edge[t][k]) {
        EXPECT_LT(rise, 0.0);
      }
    }
  }
  for (int count : owners) EXPECT_EQ(count, 1);
  int owned = 0;
  for (const auto& [edge, count] : edge_owners) {
    EXPECT_LE(count, 1);
    owned += count;
  }
  EXPECT_EQ(2 * owned, convex);  // each edge is met from both sides
}

TEST(ConvolutionSide, AVertexOfABoxSupportsItsOctant) {
  const PhongBody body{Shape(test::boxMesh({0.05, 0.05, 0.05}))};
  const ConvolutionSide side(body.mesh(), body.tree());
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int sample = 0; sample < 200; ++sample) {
    const Vec3 d = Vec3(normal(random), normal(random), normal(random)).normalized();
    for (std::size_t v = 0; v < body.mesh().vertices.size(); ++v) {
      const Vec3& p = body.mesh().vertices[v];
      if (p.cwiseAbs().minCoeff() < 0.049) continue;  // not a corner of the box
      const bool is_octant = (p.array() * d.array() > 0.0).all();
      EXPECT_EQ(side.supports(static_cast<int>(v), d), is_octant);
      if (is_octant) {
        EXPECT_TRUE(side.supports(static_cast<int>(v), d, kSlackAngle));
      }
    }
  }
}

}  // namespace
}  // namespace allclear::phong
