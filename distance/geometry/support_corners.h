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

  /// Whether queries climb, rather than compare all corners.
  bool climbs() const { return !scans_; }

  /// Index of a corner farthest along d (not zero). Falls short of the farthest by rounding alone,
  /// less than 4e-13 of the extent times |d|.
  int farthest(const Vec3& d) const;

  /// Where a caller's last query ended. Start with a fresh one for every cloud and motion.
  struct Walk {
    int corner = -1;
    Vec3 direction = Vec3::Zero();
  };
  /// The same, for directions that turn a little from query to query: walks on from the last
  /// answer, where that is near.
  int farthest(const Vec3& d, Walk* walk) const;

  /// Calls visit(neighbour) for the other end of every edge at corner i.
  template <class Visit>
  void forNeighbours(int i, const Visit& visit) const {
    for (int k = edge_start_[i]; k < edge_start_[i + 1]; ++k) visit(edge_[k].to);
  }
  /// Calls visit(vector to the other end) for every edge at corner i.
  template <class Visit>
  void forEdgeVectors(int i, const Visit& visit) const {
    for (int k = edge_start_[i]; k < edge_start_[i + 1]; ++k) visit(edge_[k].vector);
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
  /// From a corner to a neighbour: as a vector, so that the gain of a step is rounded at the
  /// step's own size and not at that of the whole mesh; beside the index, as a climb reads both.
  struct Edge {
    Vec3 vector;
    int to;
  };

  int cellOf(const Vec3& d) const;
  int climb(int start, const Vec3& d) const;
  void keepSolid(const std::vector<Vec3>& points, const ConvexHull& hull);
  bool isConvex(const std::vector<Triangle>& faces) const;
  void keepFlat(const std::vector<Vec3>& points, const PlanarHull& hull);
  void buildStarts();

  Ball ball_;
  std::vector<Vec3> corners_;
  bool scans_ = true;              // all corners are compared: they are few, or no convex surface
  std::vector<double> x_, y_, z_;  // the same corners if so, repeated to a multiple of 8
  // What corner i has is at entries ..._start_[i] to ..._start_[i + 1] - 1.
  std::vector<int> edge_start_;
  std::vector<Edge> edge_;
  std::vector<Vec3> direction_;
  std::vector<int> normal_start_;
  std::vector<Vec3> normal_;
  int cells_ = 0;           // per axis of a side of the cube of directions
  double near_ = 0.0;       // square of the turn [rad] up to which a walk is shorter than a climb
  std::vector<int> start_;  // a corner farthest along the middle of each cell of directions
};

}  // namespace allclear
