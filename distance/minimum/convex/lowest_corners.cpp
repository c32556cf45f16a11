// The sequence of extreme vertices of a moving polyhedron with respect to a plane (H. S. Kim, "An
// animation speed-independent collision detection algorithm", 2004).
//
// Kim tells intervals with one extreme vertex, or with two neighbours, by arcs on the sphere of
// directions: the length of the arc, bounded by the speed, against the distance from the borders
// of the vertices' regions. Here the region's borders are met directly. The corner v is the lowest
// as long as no neighbour gains, m(s).e <= 0 for every edge e at v, and with the Bernstein
// coefficients m_k of the way down m each m.e is a polynomial of degree 7. The first of their
// roots ends v's time; there the walk goes on to the corner that is lowest then.
//
// First root by clipping: a polynomial lies within the hull of its control points (k/7, q_k), so
// it does not reach a level before that hull does. The hull reaches it first on the line between
// some point below and some point above, of *all* such pairs (lines from the first point alone may
// skip a root). Cutting there and repeating converges quadratically to a simple root.

#include "allclear/distance/minimum/convex/lowest_corners.h"

#include <algorithm>

#include "allclear/core/assert.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/geometry/support_corners.h"
#include "allclear/distance/minimum/convex/half_space.h"

namespace allclear::mcd {
namespace {

constexpr int kCount = BodyCurve::kDegree + 1;
/// Cuts for one root. A double root converges linearly; where these are not enough the sequence is
/// cut a little early, which is harmless: the same corner is found again.
constexpr int kCuts = 60;
/// Shares of a stretch that are nothing but rounding.
constexpr double kNoShare = 1e-14;
/// The sequence is cut where a neighbour gains this share of the tolerance, so that it gains the
/// whole of it nowhere.
constexpr double kCutAt = 0.5;

using Numbers = std::array<double, kCount>;

/// The coefficients right of `share`.
void cutLeft(double share, Numbers* q) {
  for (int level = 1; level < kCount; ++level) {
    for (int i = 0; i < kCount - level; ++i) {
      (*q)[i] = (1.0 - share) * (*q)[i] + share * (*q)[i + 1];
    }
  }
}

/// Where in [0, most] the polynomial first exceeds `level`, to rounding; `most` when it does not.
double firstAbove(Numbers q, double level, double most) {
  double done = 0.0;  // the polynomial is below on [0, done]; q is over [done, 1]
  for (int cut = 0; cut < kCuts && done < most; ++cut) {
    if (q[0] > level) return done;
    double share = 1.0;
    for (int i = 0; i < kCount; ++i) {
      if (q[i] > level) continue;
      for (int j = i + 1; j < kCount; ++j) {
        if (q[j] <= level) continue;
        const double along = (level - q[i]) / (q[j] - q[i]);
        share = std::min(share, (i + along * (j - i)) / BodyCurve::kDegree);
      }
    }
    if (share >= 1.0) return most;
    done += share * (1.0 - done);
    if (share < kNoShare) break;
    cutLeft(share, &q);
  }
  return std::min(done, most);
}

class Sequence {
 public:
  Sequence(std::span<const ConvexCurve> plane, std::span<const ConvexCurve> mesh, double tolerance)
      : motion_(plane, mesh),
        cloud_(std::get<ConvexMesh>(*mesh[0].shape).cloud()),
        level_(kCutAt * tolerance) {}

  std::vector<LowestCorner> run() {
    for (int cell = 0; cell < motion_.cells(); ++cell) runCell(cell);
    return std::move(out_);
  }

 private:
  void runCell(int cell) {
    HalfSpaceMotion::Stretch rest;
    motion_.whole(cell, &rest);
    for (double share = 0.0; share < 1.0;) {
      const double* m = rest.row[0];
      const int corner = cloud_.farthest({m[1], m[2], m[3]}, &walk_);
      share = std::max(heldUntil(rest, corner), kNoShare);
      HalfSpaceMotion::Stretch held = rest;
      if (share < 1.0) HalfSpaceMotion::split(rest, share, &held, &rest);
      append(held, corner);
    }
  }

  /// The share of the stretch up to which no neighbour is lower.
  double heldUntil(const HalfSpaceMotion::Stretch& stretch, int corner) const {
    double share = 1.0;
    cloud_.forEdgeVectors(corner, [&](const Vec3& e) {
      Numbers gain;
      double most = 0.0;
      for (int k = 0; k < kCount; ++k) {
        const double* m = stretch.row[k];
        gain[k] = m[1] * e.x() + m[2] * e.y() + m[3] * e.z();
        most = std::max(most, gain[k]);
      }
      if (most > level_) share = firstAbove(gain, level_, share);
    });
    return share;
  }

  void append(const HalfSpaceMotion::Stretch& held, int corner) {
    const Interval time = motion_.cellTime(held.cell);
    LowestCorner entry;
    entry.corner = corner;
    entry.cell = held.cell;
    entry.time = {time.lower + held.s0 * time.length(),
                  held.s1 < 1.0 ? time.lower + held.s1 * time.length() : time.upper};
    const Vec3& p = cloud_.corner(corner);
    for (int k = 0; k < kCount; ++k) {
      const double* row = held.row[k];
      entry.distance[k] = row[0] - (row[1] * p.x() + row[2] * p.y() + row[3] * p.z());
    }
    out_.push_back(entry);
  }

  HalfSpaceMotion motion_;
  const PointCloud& cloud_;
  PointCloud::Walk walk_;
  double level_;
  std::vector<LowestCorner> out_;
};

}  // namespace

std::vector<LowestCorner> lowestCorners(std::span<const ConvexCurve> plane,
                                        std::span<const ConvexCurve> mesh, double tolerance) {
  ALLCLEAR_ASSERT(!plane.empty() && !mesh.empty());
  if (!std::holds_alternative<ConvexMesh>(*mesh[0].shape) || !isAboveStillPlane(plane, mesh)) {
    throw InputError("lowest corners are those of a convex mesh above a half-space at rest");
  }
  return Sequence(plane, mesh, tolerance).run();
}

}  // namespace allclear::mcd
