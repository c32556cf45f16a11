// The least room of a body beside a stretch of cable, and the greatest span of the stretch, over
// time: branch and bound on Bernstein coefficients.
//
// Bounds. During a part of a cell of time the two clips A and B are polynomials with coefficients
// A_i, B_i, the shape's pose one with (R_i, p_i), i = 0 .. 7, each to within a known error.
//
// Span: A - B at any instant is a convex combination of A_i - B_i, so |A - B| <= max_i |A_i - B_i|.
//
// Room: the sum of distances is convex in (x, A, B), so it is above its plane of support at any
// place: for unit vectors u and v (or shorter ones) and w = u + v
//
//     |x - A| + |x - B| >= w.x - u.A - v.B.
//
// The least over the body's points x is w.p - h(-R^T w) - u.A - v.B with the support function h of
// the shape, which is convex: so at each instant it is at least the same convex combination of
//
//     w.p_i - h(-R_i^T w) - u.A_i - v.B_i,                                                 (bound)
//
// and at least the least of these eight. That holds for any u and v: those at the middle of the
// part make it tight to second order in the part's length. Half-spaces: cable_bound.h.
//
// Errors. When x, A and B are off by e_x, e_A, e_B the sum changes by at most 2 e_x + e_A + e_B.
//
// Search. Balls first: they decide for most bodies. Then parts of cells, the earliest first; a part
// is dropped when its bound reaches `cut()`, else halved.
//
// Invariant: dropped and pending parts cover all of the time, the room is at least `out_.lower` on
// all that was dropped, and `out_.upper` is met at `out_.t`.
#include <algorithm>
#include <cmath>
#include <vector>

#include "allclear/core/input_error.h"
#include "allclear/distance/geometry/bernstein.h"
#include "allclear/distance/minimum/cable/cable_bound.h"

namespace allclear {
namespace {

using mcd::CableDirections;

constexpr int kCount = BodyCurve::kDegree + 1;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kDepth = 60;  // pending parts: halving ends before at `kShortest`
/// Parts shorter than this share of a cell keep the bound that they have: within, all changes by
/// rounding.
constexpr double kShortest = 1e-9;
/// [m] How near to a threshold the least room may be and still be decided: far below any machine's
/// accuracy, and far above the rounding of bounds.
constexpr double kDecisive = 1e-7;

using Points = std::array<Vec3, kCount>;

const BodyCurve& curveOf(std::span<const BodyCurve> curves, std::size_t cell) {
  return curves.size() == 1 ? curves[0] : curves[cell];
}

/// The number of cells: still curves serve all of them.
std::size_t cellCount(std::initializer_list<std::span<const BodyCurve>> all) {
  std::size_t count = 1;
  for (const auto& curves : all) count = std::max(count, curves.size());
  for (const auto& curves : all) {
    if (curves.size() != count && curves.size() != 1) {
      throw InputError("cable: the motions of its clips and the body are not in the same cells");
    }
  }
  return count;
}

Points pointsOf(const BodyCurve& curve, const Vec3& p) {
  Points points;
  for (int i = 0; i < kCount; ++i) points[i] = curve.control[i] * p;
  return points;
}

/// More than what rounding makes of points of a curve within `reach` of its body's origin.
double roundingOf(const BodyCurve& curve, double reach) {
  double most = 0.0;
  for (const Pose& X : curve.control) most = raised(most, X.p.norm());
  return mcd::kCableRoundings * (most + reach);
}

double errorAt(const BodyCurve& curve, const Vec3& p) {
  return curve.error((p - curve.reference_B).norm()) + roundingOf(curve, p.norm());
}

template <std::size_t kSize, class Value>
Value valueAt(std::array<Value, kSize> c, double s) {
  for (std::size_t level = 1; level < kSize; ++level) {
    for (std::size_t i = 0; i + level < kSize; ++i) c[i] = (1.0 - s) * c[i] + s * c[i + 1];
  }
  return c[0];
}

/// The search for the greatest span.
class SpanSearch {
 public:
  SpanSearch(const MovingCable& cable, double tolerance, double enough)
      : cable_(cable), tolerance_(tolerance), enough_(enough) {}

  CableSpan run() {
    const std::size_t cells = cellCount({cable_.curves_A, cable_.curves_B});
    out_.t = curveOf(cable_.curves_A, 0).time.lower;
    // The ends of all cells first: a good lower end drops most cells at once.
    std::vector<Cell> pending;
    for (std::size_t c = 0; c < cells; ++c) pending.push_back(cellOf(c));
    for (const Cell& cell : pending) look(cell);
    for (const Cell& cell : pending) search(cell);
    return out_;
  }

 private:
  struct Cell {
    Points difference;
    double error;
    Interval time;
  };

  Cell cellOf(std::size_t c) const {
    const BodyCurve &a = curveOf(cable_.curves_A, c), &b = curveOf(cable_.curves_B, c);
    Cell cell{pointsOf(a, cable_.p_A), errorAt(a, cable_.p_A) + errorAt(b, cable_.p_B),
              cable_.curves_A.size() > 1 ? a.time : b.time};
    const Points other = pointsOf(b, cable_.p_B);
    for (int i = 0; i < kCount; ++i) cell.difference[i] -= other[i];
    return cell;
  }

  /// The first and the last coefficient are the curve's ends.
  void look(const Cell& cell) {
    see(cell.difference[0].norm() - cell.error, cell.time.lower);
    see(cell.difference[kCount - 1].norm() - cell.error, cell.time.upper);
  }
  void see(double span, double t) {
    if (!(span > out_.lower)) return;
    out_.lower = span;
    out_.t = t;
  }

  void search(const Cell& cell) {
    // Squares first: one root for all eight.
    double squared = 0.0;
    for (const Vec3& d : cell.difference) squared = raised(squared, d.squaredNorm());
    const double upper = std::sqrt(squared) + cell.error;
    const double cut = std::max(enough_, out_.lower + std::max(tolerance_, 4.0 * cell.error));
    const bool is_dropped = upper <= cut || !(cell.time.length() > kShortest) || !(upper < 1e300);
    if (is_dropped) {
      out_.upper = raised(out_.upper, upper);
      return;
    }
    Cell left = cell, right = cell;
    mcd::restrictTo(0.0, 0.5, &left.difference);
    mcd::restrictTo(0.5, 1.0, &right.difference);
    left.time.upper = right.time.lower = cell.time.middle();
    see(right.difference[0].norm() - cell.error, cell.time.middle());
    search(left);
    search(right);
  }

  const MovingCable& cable_;
  const double tolerance_, enough_;
  CableSpan out_;
};

/// The search for the least room.
class RoomSearch {
 public:
  RoomSearch(const MovingCable& cable, const MovingShape& body, const CableRoomOptions& options)
      : cable_(cable),
        shape_(*body.shape),
        X_BG_(body.X_BG),
        curves_(body.curves),
        options_(options),
        ball_(boundingBall(*body.shape)),
        is_plane_(std::holds_alternative<HalfSpace>(*body.shape)) {
    out_.lower = out_.upper = kInfinity;
  }

  CableRoom run() {
    const std::size_t cells = cellCount({cable_.curves_A, cable_.curves_B, curves_});
    for (std::size_t c = 0; c < cells && !stopped_; ++c) {
      load(c);
      double far;
      if (isFar(&far)) {
        out_.lower = lowered(out_.lower, far);
      } else {
        searchCell();
      }
    }
    // What was not looked at has no bound.
    if (stopped_) out_.lower = -kInfinity;
    if (!out_.evaluated) out_.upper = kInfinity;
    const double threshold = options_.threshold.value_or(-kInfinity);
    const double width = std::max(options_.tolerance, 0.5 * options_.tolerance + 2.0 * most_error_);
    if (options_.threshold && out_.lower >= threshold) {
      out_.status = McdStatus::kCertifiedAbove;
    } else if (out_.upper < threshold) {
      out_.status = McdStatus::kBelow;
    } else if (out_.evaluated && out_.upper - out_.lower <= width * kWidthRounding) {
      out_.status = McdStatus::kBracketed;
    }
    return out_;
  }

 private:
  /// The search compares the same numbers rounded in another order.
  static constexpr double kWidthRounding = 1.0 + 1e-9;

  /// What is known of the cell searched now.
  void load(std::size_t c) {
    const BodyCurve &a = curveOf(cable_.curves_A, c), &b = curveOf(cable_.curves_B, c);
    const BodyCurve& g = curveOf(curves_, c);
    A_ = pointsOf(a, cable_.p_A);
    B_ = pointsOf(b, cable_.p_B);
    for (int i = 0; i < kCount; ++i) X_[i] = g.control[i] * X_BG_;
    time_ = curves_.size() > 1 ? g.time : cable_.curves_A.size() > 1 ? a.time : b.time;
    const double radius = is_plane_ ? 0.0 : ball_.radius + ball_.center.norm();
    double body_error = g.error((X_BG_.p - g.reference_B).norm() + radius);
    body_error += roundingOf(g, X_BG_.p.norm() + radius);
    // Of the room, which is half of a sum.
    error_ = 0.5 * (2.0 * body_error + errorAt(a, cable_.p_A) + errorAt(b, cable_.p_B)) +
             mcd::kCableRoundings * (std::abs(cable_.length) + std::abs(cable_.radius));
    most_error_ = raised(most_error_, error_);
  }

  double roomOf(double sum) const { return 0.5 * (sum - cable_.length) - cable_.radius; }

  /// Until the room is seen below the threshold, that has to be decided; then a bracket is enough.
  double cut() const {
    const double threshold = options_.threshold.value_or(kInfinity);
    const bool is_open = options_.threshold && out_.upper >= threshold;
    const double slack = std::max(options_.tolerance - 2.0 * error_, 0.5 * options_.tolerance);
    return std::min(out_.upper - (is_open ? kDecisive : slack), threshold);
  }

  /// Directions from the middle of the cell to the ball about the shape; along them the ball's room
  /// is that of its centre, less its radius times |u + v|.
  bool isFar(double* lower) const {
    if (is_plane_) return false;
    const Vec3 A = valueAt(A_, 0.5), B = valueAt(B_, 0.5);
    Points centers;
    for (int i = 0; i < kCount; ++i) centers[i] = X_[i] * ball_.center;
    const Vec3 center = valueAt(centers, 0.5);
    const double a = (center - A).norm(), b = (center - B).norm();
    if (!(a > 0.0) || !(b > 0.0)) return false;
    const Vec3 u = (center - A) / a, v = (center - B) / b;
    double least = kInfinity;
    for (int i = 0; i < kCount; ++i) {
      // The coefficients R_i are no rotations: the ball's image is no larger than |R_i| times it.
      const double reach = (X_[i].R.transpose() * (u + v)).norm() * ball_.radius;
      least = lowered(least, u.dot(centers[i] - A_[i]) + v.dot(centers[i] - B_[i]) - reach);
    }
    *lower = roomOf(least) - error_;
    return *lower >= options_.threshold.value_or(kInfinity) || (out_.evaluated && *lower >= cut());
  }

  /// (bound) over the part [s0, s1] of the cell, the motion's error left out.
  double boundOver(const CableDirections& at, double s0, double s1) const {
    std::array<Eigen::Vector4d, kCount> rows;
    if (is_plane_) return planeBound(at, s0, s1);
    const Vec3 w = at.u + at.v;
    // Four numbers instead of the twelve of a pose: restriction is linear.
    for (int i = 0; i < kCount; ++i) {
      rows[i][0] = w.dot(X_[i].p) - at.u.dot(A_[i]) - at.v.dot(B_[i]);
      rows[i].tail<3>() = X_[i].R.transpose() * -w;
    }
    mcd::restrictTo(s0, s1, &rows);
    double least = kInfinity;
    for (const Eigen::Vector4d& row : rows) {
      least = lowered(least, row[0] - mcd::cableSupport(shape_, Vec3(row.tail<3>())));
    }
    return roomOf(least);
  }

  double planeBound(const CableDirections& at, double s0, double s1) const {
    const Vec3 n = X_[0].R.col(2).normalized();
    const mcd::PlaneDirections plane = mcd::planeDirections(at, n);
    std::array<Eigen::Vector2d, kCount> rows;
    for (int i = 0; i < kCount; ++i) {
      const Vec3 between = B_[i] - A_[i];
      rows[i][0] =
          plane.alpha * (n.dot(A_[i] - X_[i].p) + n.dot(B_[i] - X_[i].p)) + plane.tau.dot(between);
      rows[i][1] = plane.along.dot(between);
    }
    mcd::restrictTo(s0, s1, &rows);
    // Either bound holds at all eight, so the better of the two does.
    double mirrored = kInfinity, straight = kInfinity;
    for (const Eigen::Vector2d& row : rows) {
      mirrored = lowered(mirrored, row[0]);
      straight = lowered(straight, row[1]);
    }
    return roomOf(std::max(mirrored, straight));
  }

  /// The body beside the cable at s of the cell.
  CableInstant at(double s) {
    // The polynomial's own pose, no rotation: bounds are of the same polynomial.
    std::array<Vec3, kCount> column[4];
    for (int i = 0; i < kCount; ++i) {
      for (int k = 0; k < 3; ++k) column[k][i] = X_[i].R.col(k);
      column[3][i] = X_[i].p;
    }
    Pose X;
    for (int k = 0; k < 3; ++k) X.R.col(k) = valueAt(column[k], s);
    X.p = valueAt(column[3], s);
    if (is_plane_) X.R = X_[0].R;
    const CableInstant found =
        cableInstant(valueAt(A_, s), valueAt(B_, s), cable_.length, cable_.radius, shape_, X);
    const double upper = found.room + error_;
    if (upper < out_.upper) {
      out_.upper = upper;
      out_.t = time_.lower + s * time_.length();
      out_.x = found.x;
      out_.evaluated = true;
    }
    if (options_.decide_only && options_.threshold && out_.upper < *options_.threshold) {
      stopped_ = true;
    }
    return found;
  }

  void searchCell() {
    struct Part {
      double s0, s1;
    };
    std::array<Part, kDepth> pending;
    pending[0] = {0.0, 1.0};
    // Depth first, the earlier half first.
    for (int top = 0; top >= 0;) {
      const Part part = pending[top];
      const CableInstant middle = at(0.5 * (part.s0 + part.s1));
      const double lower = boundOver({middle.u, middle.v}, part.s0, part.s1) - error_;
      if (++out_.evaluations >= options_.max_evaluations && lower < cut()) stopped_ = true;
      if (stopped_) return;
      if (lower >= cut() || part.s1 - part.s0 < kShortest || top + 1 == kDepth) {
        out_.lower = lowered(out_.lower, lower);
        --top;
        continue;
      }
      const double s = 0.5 * (part.s0 + part.s1);
      pending[top] = {s, part.s1};
      pending[++top] = {part.s0, s};
    }
  }

  const MovingCable& cable_;
  const Shape& shape_;
  const Pose X_BG_;
  const std::span<const BodyCurve> curves_;
  const CableRoomOptions& options_;
  const Ball ball_;
  const bool is_plane_;

  // Of the cell searched now:
  Points A_, B_;
  std::array<Pose, kCount> X_;
  Interval time_;
  double error_ = 0.0;

  double most_error_ = 0.0;
  bool stopped_ = false;
  CableRoom out_;
};

}  // namespace

CableSpan greatestSpan(const MovingCable& cable, double tolerance, double enough) {
  return SpanSearch(cable, tolerance, enough).run();
}

CableRoom cableRoom(const MovingCable& cable, const MovingShape& body,
                    const CableRoomOptions& options) {
  return RoomSearch(cable, body, options).run();
}

}  // namespace allclear
