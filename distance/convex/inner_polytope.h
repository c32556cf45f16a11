#pragma once

#include <algorithm>
#include <limits>

#include "allclear/distance/convex/feature_descent.h"
#include "allclear/distance/convex/gjk.h"
#include "allclear/distance/convex/shell.h"

namespace allclear {

/// A polytope with corners on the surface of B - A, growing towards it.
class InnerPolytope {
 public:
  /// Room for the expansions of a search, plus a start of at most 11 corners; all on the stack.
  static constexpr int kMostCorners = 200;
  static constexpr int kMostFaces = 2 * kMostCorners;

  explicit InnerPolytope(const CorePair& pair) : pair_(pair) {
    shell_.tolerance = 2.0 * pair.rounding;
  }

  /// Starts from the corners of GJK's last simplex when they span enough room.
  bool startFrom(const GjkResult& r);
  /// Starts from extreme points. False when B - A is flat; then `flat_normal` is its normal.
  bool start(Vec3* flat_normal);

  /// The point of B - A farthest along u.
  MinkowskiPoint support(const Vec3& u) const { return lowestAlong(pair_, -u); }

  /// The face nearest to the origin among those not done, or -1.
  int nearestFace() const { return shell_.nearestFace(); }

  double leastOffset() const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < shell_.faces().size(); ++i) {
      const ShellFace& face = shell_.faces()[i];
      if (face.alive) least = std::min(least, face.offset);
    }
    return least;
  }

  /// Adds w, beyond face f, as a corner. False when there is no room or rounding forbids it. (One
  /// corner more means two faces more; the 8 keep a distance for those made before old ones go.)
  bool extend(int f, const MinkowskiPoint& corner) {
    if (shell_.points().size() >= kMostCorners || shell_.faces().size() + 8 >= kMostFaces ||
        !shell_.extend(f, corner.w)) {
      return false;
    }
    corners_.push_back(corner);
    return true;
  }
  /// Adds the corner if it is beyond any face.
  void extendByAny(const MinkowskiPoint& corner) {
    for (std::size_t f = 0; f < shell_.faces().size(); ++f) {
      if (shell_.faces()[f].alive &&
          shell_.height(static_cast<int>(f), corner.w) > shell_.tolerance) {
        extend(static_cast<int>(f), corner);
        return;
      }
    }
  }

  const ShellFace& face(int f) const { return shell_.faces()[f]; }
  int faceCount() const { return static_cast<int>(shell_.faces().size()); }
  void setDone(int f) { shell_.setDone(f); }

  /// The points of A and B that made the corners of face f.
  NamedContact namedBy(int f) const {
    NamedContact out;
    for (int corner : face(f).corner) {
      out.a[out.count] = corners_[corner].a;
      out.b[out.count++] = corners_[corner].b;
    }
    return out;
  }

 private:
  MinkowskiPoint farthestFromLine(const Vec3& p0, const Vec3& along, double* distance) const;
  void begin(const MinkowskiPoint& a, const MinkowskiPoint& b, const MinkowskiPoint& c,
             const MinkowskiPoint& d, bool above) {
    shell_.start(a.w, b.w, c.w, d.w, above);
    for (const MinkowskiPoint* p : {&a, above ? &c : &b, above ? &b : &c, &d}) {
      corners_.push_back(*p);
    }
  }

  using Shell = ConvexShell<FixedVector<Vec3, kMostCorners>, FixedVector<ShellFace, kMostFaces>,
                            FixedVector<ShellEdge, kMostFaces>, FixedVector<int, kMostFaces>,
                            FixedVector<double, kMostFaces>>;

  const CorePair& pair_;
  Shell shell_;
  FixedVector<MinkowskiPoint, kMostCorners> corners_;  // of the shell's points
};

}  // namespace allclear
