// How far a shape reaches out of another one: the largest distance of its points from what the
// outer shape is thick about (centre, axis), less the outer size; for boxes and ends the largest
// extent.
#include <algorithm>
#include <limits>

#include "allclear/core/input_error.h"
#include "allclear/distance/fit/enclose.h"
#include "allclear/distance/fitting.h"

namespace allclear {
namespace {

// How far the solids reach beyond +-half along d from p.
double reachAlong(const fitting::Solids& solids, const Vec3& p, const Vec3& d, double half) {
  const Interval range = fitting::extent(solids, d);
  const double middle = d.dot(p);
  return std::max(range.upper - middle, middle - range.lower) - half;
}

struct Reach {
  const fitting::Solids& solids;
  const Pose& X;

  double operator()(const Sphere& s) const {
    return fitting::farthestFromSegment(solids, {X.p, X.p}).distance - s.radius();
  }
  double operator()(const Capsule& s) const {
    return fitting::farthestFromSegment(solids, fitting::axisOf({s, X})).distance - s.radius();
  }
  double operator()(const Box& s) const {
    double reach = -std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3; ++k) {
      reach = std::max(reach, reachAlong(solids, X.p, X.R.col(k), s.halfSize()[k]));
    }
    return reach;
  }
  double operator()(const Cylinder& s) const {
    const double side = fitting::farthestFromLine(solids, X.p, X.R.col(2)).distance - s.radius();
    return std::max(side, reachAlong(solids, X.p, X.R.col(2), 0.5 * s.length()));
  }
  template <class Other>
  double operator()(const Other& s) const {
    throw InputError("cannot tell what a " + shapeName(s) + " encloses");
  }
};

}  // namespace

double reachOutside(const Geometry& inner, const Geometry& outer) {
  const fitting::Solids solids = fitting::gather({&inner, 1});
  return std::visit(Reach{solids, outer.X_BG}, outer.shape);
}

}  // namespace allclear
