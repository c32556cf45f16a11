#pragma once

#include <vector>

#include "allclear/distance/shape.h"

namespace allclear {

struct ConvexHull;
struct PlanarHull;

/// The corners of a convex mesh, relative to the centre of a ball about them, made ready for
/// support queries: the corners of their hull, its edges and the normals of its faces. A flat set
/// has both normals of its plane, and those of its edges in the plane.
class PointCloud {
 public:
  /// Pre: finite, at least one.
  explicit PointCloud(const std::vector<Vec3>& points);

  const Ball& ball() const { return ball_; }
  int count() const { return static_cast<int>(corners_.size()); }
  const Vec3& corner(int i) const { return corners_[i]; }

  /// Index of a corner farthest along d (not zero).
  int farthest(const Vec3& d) const;

  /// Calls visit(neighbour) for the other end of every edge at corner i.
  template <class Visit>
  void forNeighbours(int i, const Visit& visit) const {
    for (int k = edge_start_[i]; k < edge_start_[i + 1]; ++k) visit(neighbour_[k]);
  }
  /// Calls visit(unit direction) for every edge at corner i.
  template <class Visit>
  void forEdges(int i, const Visit& visit) const {
    for (int k = edge_start_[i]; k < edge_start_[i + 1]; ++k) visit(direction_[k]);
  }
  /// Calls visit(outward unit normal) for every face at corner i.
  template <class Visit>
  void forFaces(int i, const Visit& visit) const {
    for (int k = normal_start_[i]; k < normal_start_[i + 1]; ++k) visit(normal_[k]);
  }

 private:
  static constexpr int kCells = 8;  // per axis of a side of the cube of directions

  static int cellOf(const Vec3& d);
  int climb(int start, const Vec3& d) const;
  void keepSolid(const std::vector<Vec3>& points, const ConvexHull& hull);
  void keepFlat(const std::vector<Vec3>& points, const PlanarHull& hull);
  void buildStarts();

  Ball ball_;
  std::vector<Vec3> corners_;
  std::vector<double> x_, y_, z_;  // the same, padded by repeats to a multiple of 8
  // What corner i has is at entries ..._start_[i] to ..._start_[i + 1] - 1.
  std::vector<int> edge_start_;
  std::vector<int> neighbour_;
  std::vector<Vec3> direction_;
  std::vector<int> normal_start_;
  std::vector<Vec3> normal_;
  std::vector<int> start_;  // a corner far along the middle of each cell of directions
};

}  // namespace allclear
