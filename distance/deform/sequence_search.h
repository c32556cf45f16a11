#pragma once

#include <limits>
#include <span>
#include <vector>

#include "allclear/distance/deform/sequence_shape.h"
#include "allclear/distance/deforming_mesh.h"
#include "allclear/distance/minimum_distance.h"

namespace allclear::deform {

/// What a search of surfaces knows when it ends: distances [m] of the true motion, and the nearest
/// points of the polynomial one in the frame O of the mesh.
struct SequenceResult {
  double lower = std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool contact = false;    ///< the surfaces meet, or solids hold one another
  bool evaluated = false;  ///< there are nearest points
  bool spent = false;      ///< out of evaluations
  double t = 0.0;
  double error = 0.0;  ///< [m] of the motion, in `upper`
  double width = 0.0;  ///< [s] of the stretch of time about t that was looked at
  Vec3 a = Vec3::Zero();
  Vec3 b = Vec3::Zero();
  Vec3 normal = Vec3::UnitX();
  int evaluations = 0;
  int bounds = 0;
};

/// Least distance over time of a rigid shape and a mesh that bends, by branch and bound.
class SequenceSearch {
 public:
  /// Borrows all. `remainder`: the share of E that bounds subtract; less than 1 is unsound, and for
  /// tests that show so.
  SequenceSearch(const RigidShape& shape, const MovingShape& a, const DeformingMesh& mesh,
                 const Pose& X_WO, double remainder = 1.0);

  /// Over all of the curves' time. Stops once a contact is found.
  SequenceResult run(const McdOptions& options);
  /// At an instant; `upper` [m]: what is known of the distance there.
  SequenceResult at(double t, double upper) const;

  Interval time() const { return {a_.curves.front().time.lower, a_.curves.back().time.upper}; }
  /// The pose of the shape's frame G in O, by the polynomial.
  Pose pose(double t) const { return pose(curveAt(t), t); }

 private:
  /// A stretch of time within one curve of A and between two keyframes of B.
  struct Slice {
    double t0 = 0.0, t1 = 0.0;
    int curve = 0;
    int keyframe = 0;
    double f0 = 0.0, f1 = 0.0;  ///< shares of the way to the next keyframe
    Pose P0, P1, Pm;            ///< of G in O at both ends and in the middle
    bool has_middle = false;
    int child = -1;  ///< its halves are child and child + 1
  };
  struct Part {
    RigidPart part;
    int child = -1, children = 0;
  };
  struct Item {
    double bound;
    int slice;
    int part;
    std::int32_t node;  ///< of the mesh, or ~(place in its order) of a triangle
  };
  struct NodeBox {
    Vec3 lower, upper;
  };

  int curveAt(double t) const;
  Pose pose(int curve, double t) const { return X_OW_ * (a_.curves[curve].pose(t) * a_.X_BG); }
  void addSlice(int curve, double t0, double t1, const Pose& P0);
  void makeSlices();
  void needMiddle(int slice);
  int halves(int slice);
  void needChildren(int part);
  NodeBox boxAt(const Slice& slice, std::int32_t node, double f) const;
  TriangleCorners cornersAt(const Slice& slice, std::int32_t place, double f) const;
  double radiusOf(const Slice& slice, const RigidPart& part) const;
  double errorOf(const Slice& slice, const RigidPart& part) const;
  double remainderOf(const Slice& slice, const RigidPart& part) const;
  double roomAlong(const Slice& slice, const RigidPart& part, std::int32_t node,
                   const Vec3& n) const;
  double ballBound(const Slice& slice) const;
  Vec3 direction(const Slice& slice, const RigidPart& part, std::int32_t node) const;
  Vec3 measure(const Slice& slice, const RigidPart& part, std::int32_t node, double error);
  void push(int slice, int part, std::int32_t node, double known);
  void split(const Item& item);
  void pop(Item* item);
  void close(double bound) { result_.lower = std::min(result_.lower, bound); }
  double limit() const;
  bool isInside() const;
  double someDistance() const;
  bool openFresh();

  const RigidShape& shape_;
  const MovingShape& a_;
  const DeformingMesh& mesh_;
  Pose X_OW_;
  double remainder_;
  double rounding_ = 0.0;
  double threshold_ = std::numeric_limits<double>::infinity();
  double tolerance_ = 0.0;
  std::vector<Slice> slices_;
  std::vector<Part> parts_;
  std::vector<Item> open_;
  std::vector<Item> fresh_;
  long popped_ = 0;
  Vec3 hint_ = Vec3::Zero();
  SequenceResult result_;
};

}  // namespace allclear::deform
