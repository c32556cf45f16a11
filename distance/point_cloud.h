#pragma once

#include <vector>

#include "allclear/distance/shape.h"

namespace allclear {

/// The corners of a convex mesh, relative to the centre of a ball about them, made ready for
/// support queries. Solid sets keep the corners of their hull, its edges and faces; flat ones all
/// their points and no edges.
class PointCloud {
 public:
  /// Pre: finite, at least one.
  explicit PointCloud(const std::vector<Vec3>& points);

  const Ball& ball() const { return ball_; }
  int count() const { return static_cast<int>(corners_.size()); }
  const Vec3& corner(int i) const { return corners_[i]; }
  bool hasEdges() const { return !edge_start_.empty(); }

  /// Index of a corner farthest along d (not zero).
  int farthest(const Vec3& d) const;

  /// Calls visit(neighbour) for the other end of every edge at corner i. Pre: hasEdges().
  template <class Visit>
  void forNeighbours(int i, const Visit& visit) const {
    for (int k = edge_start_[i]; k < edge_start_[i + 1]; ++k) visit(neighbour_[k]);
  }
  /// Calls visit(unit direction) for every edge at corner i. Pre: hasEdges().
  template <class Visit>
  void forEdges(int i, const Visit& visit) const {
    for (int k = edge_start_[i]; k < edge_start_[i + 1]; ++k) visit(direction_[k]);
  }
  /// Calls visit(outward unit normal) for every face at corner i. Pre: hasEdges().
  template <class Visit>
  void forFaces(int i, const Visit& visit) const {
    for (int k = edge_start_[i]; k < edge_start_[i + 1]; ++k) visit(normal_[face_[k]]);
  }

 private:
  static constexpr int kCells = 8;  // per axis of a side of the cube of directions

  static int cellOf(const Vec3& d);
  int climb(int start, const Vec3& d) const;
  void buildGraph(const std::vector<std::array<int, 3>>& faces);
  void buildStarts();

  Ball ball_;
  std::vector<Vec3> corners_;
  std::vector<double> x_, y_, z_;  // the same, padded by repeats to a multiple of 8
  // Around corner i, entries edge_start_[i] .. edge_start_[i + 1] - 1: as many edges as faces.
  std::vector<int> edge_start_;
  std::vector<int> neighbour_;
  std::vector<Vec3> direction_;
  std::vector<int> face_;
  std::vector<Vec3> normal_;
  std::vector<int> start_;  // a corner far along the middle of each cell of directions
};

}  // namespace allclear
