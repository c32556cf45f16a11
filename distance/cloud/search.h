#pragma once

#include <limits>
#include <vector>

#include "allclear/distance/cloud.h"
#include "allclear/distance/deform/sequence_shape.h"
#include "allclear/distance/minimum_distance.h"

namespace allclear::cloud {

/// What a search knows when it ends: distances [m] of the true motion, and the nearest points of
/// the polynomial one in the world.
struct CloudResult {
  double lower = std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool contact = false;    ///< a triangle mesh meets an element, or holds one
  bool evaluated = false;  ///< there are nearest points
  bool spent = false;      ///< out of evaluations
  double t = 0.0;
  double error = 0.0;  ///< [m] of the motions, in `upper`
  double width = 0.0;  ///< [s] of the stretch of time about t that was looked at
  Vec3 a = Vec3::Zero();
  Vec3 b = Vec3::Zero();
  Vec3 normal = Vec3::UnitX();
  int part = 0;  ///< that are the nearest
  std::int32_t element = 0;
  int evaluations = 0;
  int bounds = 0;
};

/// The terms of the bound; a share less than 1 is unsound, and for tests that show so.
struct BoundTerms {
  double remainder_a = 1.0;
  double remainder_b = 1.0;
  double error = 1.0;
  double radius = 1.0;
  double far_end = 1.0;  ///< 0: the later end of a stretch is not looked at
};

/// Least distance over time of a rigid shape and a cloud, by branch and bound.
class CloudSearch {
 public:
  /// Borrows all.
  CloudSearch(const deform::RigidShape& shape, const MovingShape& a, const MovingCloud& b,
              const BoundTerms& terms = {});

  /// Over all of the curves' time. Of a triangle mesh it stops once a contact is found.
  CloudResult run(const McdOptions& options);
  /// Lowers the result to the least distance of its two nearest parts in its stretch of time.
  void refine(CloudResult* result) const;

  Interval time() const;
  /// No distance is below this [m].
  double floor() const;

 private:
  /// A stretch of time within one curve of both.
  struct Slice {
    double t0 = 0.0, t1 = 0.0;
    int curve_a = 0, curve_b = 0;
    Pose A0, A1, Am;  ///< X_WG at both ends and in the middle
    Pose B0, B1, Bm;  ///< X_WO
    bool has_middle = false;
    int child = -1;  ///< its halves are child and child + 1
  };
  struct Part {
    deform::RigidPart part;
    int child = -1, children = 0;
  };
  struct Item {
    double bound;
    int slice;
    int part;
    std::int32_t node;  ///< of the cloud, or ~element
  };

  Pose poseA(int curve, double t) const { return a_.curves[curve].pose(t) * a_.X_BG; }
  Pose poseB(int curve, double t) const;
  void makeSlices();
  void needMiddle(int slice);
  int halves(int slice);
  void needChildren(int part);
  AlignedBox boxOf(std::int32_t node) const;
  double radiusOfA(const Slice& slice, const deform::RigidPart& part) const;
  double radiusOfB(const Slice& slice, const AlignedBox& box) const;
  double errorOf(const Slice& slice, const deform::RigidPart& part, const AlignedBox& box) const;
  double remainderOf(const Slice& slice, const deform::RigidPart& part,
                     const AlignedBox& box) const;
  double lossOf(const Slice& slice, const deform::RigidPart& part, const AlignedBox& box) const;
  double roomAlong(const Slice& slice, const deform::RigidPart& part, std::int32_t node,
                   const AlignedBox& box, const Vec3& n) const;
  double ballBound(const Slice& slice) const;
  Vec3 direction(const Slice& slice, const deform::RigidPart& part, const AlignedBox& box) const;
  Vec3 measure(const Slice& slice, int part, std::int32_t element, double error);
  void push(int slice, int part, std::int32_t node, double known);
  bool splitsInTime(const Item& item) const;
  void split(const Item& item);
  void pop(Item* item);
  bool openFresh();
  void close(double bound) { result_.lower = std::min(result_.lower, bound); }
  double limit() const;
  bool holdsElement() const;
  double someDistance() const;

  const deform::RigidShape& shape_;
  const MovingShape& a_;
  const MovingCloud& b_;
  const Cloud& cloud_;
  BoundTerms terms_;
  bool b_is_still_ = false;
  double rounding_ = 0.0;
  double threshold_ = std::numeric_limits<double>::infinity();
  double tolerance_ = 0.0;
  std::vector<Slice> slices_;
  std::vector<Part> parts_;
  std::vector<Item> open_;
  std::vector<Item> fresh_;
  long popped_ = 0;
  CloudResult result_;
};

}  // namespace allclear::cloud
