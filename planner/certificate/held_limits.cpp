// Bounds how far a link is from a pose that it keeps, and from a line that it follows.
//
// Symbols: X_L(t) = (R_L, p_L) the pose of the link in the world, X_A(t) that of the link it is
// held relative to (the identity for the world), P the frame that is held, u_P its origin in the
// link. All poses are polynomials in Bernstein form to within the errors of their curves.
//
// A held pose. P is to be at X_AP in A. A rotation does not change lengths, so
//
//     |R_A^T (p_P - p_A) - p_AP| = |p_P - X_A p_AP|,     |R_A^T R_P - R_AP|_F = |R_P - R_A R_AP|_F:
//
// differences of polynomials, with the errors of both. Where both curves share a cell of time their
// coefficients have the same weights. The rotation that is left, by an angle a, has the norm
// 2 sqrt(2) sin(a / 2).
//
// A line. The claim is that at each t there is a u(t) in [0, 1] with |p_P - p(u)| and the angle
// between R_P and R(u) within the tolerances. Any choice of u(t) proves it: this one is linear in
// time over a piece of a cell, between good values at its ends. Then p(u(t)) is linear in t.
// R(u(t)) is not, but it is near the straight line between its ends: it turns by phi = theta |u_1 -
// u_0| about one axis n, its second derivative by the angle is [n]^2 R, of norm sqrt(2), so the
// difference is at most sqrt(2) phi^2 / 8. Halving a piece brings all of that nearer to the curve,
// by its square.
//
// Corners. Stretches are followed in their order: there are instants t_1 <= t_2 <= .. at which P is
// within the tolerances of the corners, and between which it is on the stretch between them. Again
// any instants will do: here the nearest approach within the first stay at each corner. The values
// at these instants are part of the bounds.
#include "allclear/planner/certificate/held_limits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/planner/certificate/greatest_norm.h"
#include "allclear/planner/problem/line.h"

namespace allclear {
namespace {

constexpr int kDegree = BodyCurve::kDegree;

/// A bound is tight enough this much above what is reached, or at this share of the tolerance.
constexpr double kTightness = 0.01;
constexpr double kSmallShare = 0.01;
/// Halvings of a cell: each brings the bound four times nearer to the curve.
constexpr int kMostHalvings = 14;
/// Instants of a cell at which corners are looked for.
constexpr int kCornerSamples = 32;

CertifiedLimit limitOf(const std::string& link, const char* quantity, double upper, double t,
                       double limit, double tolerance) {
  return {link, quantity, 0.0, upper, 0.0, limit, t, upper <= limit + tolerance};
}

/// Of a norm of a difference of rotations: what is certainly no more than the limit is kept.
CertifiedLimit turnLimit(const std::string& link, const char* quantity, const GreatestNorm& norm,
                         double limit, double tolerance) {
  return limitOf(link, quantity, angleOfNorm(norm.upper), norm.t, limit, tolerance);
}

VectorPiece difference(VectorPiece a, const VectorPiece& b) {
  a.coefficient -= b.coefficient;
  return a;
}

double sizeOf(const VectorPiece& piece) { return piece.coefficient.cwiseAbs().maxCoeff(); }

/// P's distance from where it is to be, over one cell.
void addPlace(const KeepPose& keep, const BodyCurve& of_link, const BodyCurve& of_other,
              GreatestNorm* greatest) {
  const VectorPiece place = placeOf(of_link, keep.X_LP.p);
  const VectorPiece target = placeOf(of_other, keep.X_AP.p);
  const double size = sizeOf(place) + sizeOf(target);
  const double error =
      pointError(of_link, keep.X_LP.p, size) + pointError(of_other, keep.X_AP.p, size);
  greatest->add(difference(place, target), error);
}

void addTurn(const KeepPose& keep, const BodyCurve& of_link, const BodyCurve& of_other,
             GreatestNorm* greatest) {
  const VectorPiece off = difference(turnOf(of_link, keep.X_LP.R), turnOf(of_other, keep.X_AP.R));
  greatest->add(off, turnError(of_link) + turnError(of_other));
}

/// The greatest distance and turn from a line, over its stretches.
class LineBounds {
 public:
  LineBounds(const KeepOnLine& line, const std::vector<BodyCurve>& curves)
      : line_(line), path_(line), curves_(curves) {}

  OffBounds run() {
    const std::vector<double> times = cornerTimes();
    for (int stretch = 0; stretch < path_.count(); ++stretch) {
      const double from = stretch == 0 ? curves_.front().time.lower : times[stretch - 1];
      const double to = stretch + 1 == path_.count() ? curves_.back().time.upper : times[stretch];
      for (const BodyCurve& curve : curves_) {
        const Interval part{std::max(from, curve.time.lower), std::min(to, curve.time.upper)};
        if (!(part.lower < part.upper)) continue;
        bound(isWhole(part, curve) ? curve : curve.restricted(part), stretch, 0);
      }
    }
    return {place_, turn_};
  }

 private:
  static bool isWhole(Interval part, const BodyCurve& curve) {
    return part.lower == curve.time.lower && part.upper == curve.time.upper;
  }

  Pose poseAt(const BodyCurve& curve, double t) const { return curve.pose(t) * line_.X_LP; }
  bool turns() const { return std::isfinite(line_.angle_tolerance); }

  /// The instants at the inner corners, ascending; their values are taken in.
  std::vector<double> cornerTimes() {
    std::vector<double> times;
    std::size_t cell = 0;
    int sample = 0;
    for (int corner = 1; corner < path_.count(); ++corner) {
      // From the last corner on: the first stay within the tolerances, else the nearest approach.
      double least = std::numeric_limits<double>::infinity();
      std::size_t best_cell = cell;
      int best_sample = sample;
      for (std::size_t c = cell; c < curves_.size(); ++c) {
        for (int s = c == cell ? sample : 0; s <= kCornerSamples; ++s) {
          const double share =
              path_.shares(poseAt(curves_[c], timeOf(c, s)), path_.corner(corner)).most();
          if (least <= 1.0 && !(share <= 1.0)) {
            c = curves_.size() - 1;  // the stay is over
            break;
          }
          if (!(share < least)) continue;
          least = share, best_cell = c, best_sample = s;
        }
      }
      cell = best_cell, sample = best_sample;
      times.push_back(timeOf(cell, sample));
      seeCorner(curves_[cell], times.back(), corner);
    }
    return times;
  }

  double timeOf(std::size_t cell, int sample) const {
    const Interval& time = curves_[cell].time;
    if (sample == kCornerSamples) return time.upper;
    return time.lower + time.length() * sample / kCornerSamples;
  }

  void seeCorner(const BodyCurve& curve, double t, int corner) {
    const Pose X_WP = poseAt(curve, t);
    const Pose& target = path_.corner(corner);
    const double off = (X_WP.p - target.p).norm(), turn = (X_WP.R - target.R).norm();
    place_.see(off, t);
    place_.raise(off + placeError(curve, X_WP.p));
    if (!turns()) return;
    turn_.see(turn, t);
    turn_.raise(turn + turnError(curve));
  }

  double placeError(const BodyCurve& curve, const Vec3& p) const {
    return pointError(curve, line_.X_LP.p, p.cwiseAbs().maxCoeff() + greatest_);
  }

  /// What is left of the place and of the rotation when those of the line are taken off, with u
  /// linear from `from` to `to`.
  VectorPiece placeOff(const BodyCurve& curve, int stretch, double from, double to) const {
    VectorPiece piece = placeOf(curve, line_.X_LP.p);
    const Vec3& way = line_.stretches[stretch].way_W;
    for (int k = 0; k <= kDegree; ++k) {
      const double u = from + (to - from) * k / kDegree;
      piece.coefficient.col(k) -= path_.corner(stretch).p + u * way;
    }
    return piece;
  }
  VectorPiece turnOff(const BodyCurve& curve, int stretch, double from, double to) const {
    VectorPiece piece = turnOf(curve, line_.X_LP.R);
    const Mat3 first = path_.at(stretch, from).R, last = path_.at(stretch, to).R;
    for (int k = 0; k <= kDegree; ++k) {
      const double s = static_cast<double>(k) / kDegree;
      const Mat3 chord = (1.0 - s) * first + s * last;
      piece.coefficient.col(k) -= Eigen::Map<const Eigen::Matrix<double, 9, 1>>(chord.data());
    }
    return piece;
  }

  /// One norm over a piece: what it reaches at the ends, and its bound.
  struct Bracket {
    double first = 0.0, last = 0.0, upper = 0.0, error = 0.0;
    /// Whether halving the piece could gain anything that counts.
    bool isTight(double reached, double tolerance) const {
      return upper <= (1.0 + kTightness) * reached + 2.0 * error + kSmallShare * tolerance;
    }
  };
  static Bracket bracketOf(const VectorPiece& piece, double error, double chord) {
    return {piece.coefficient.col(0).norm(), piece.coefficient.col(kDegree).norm(),
            greatestCoefficient(piece) + error + chord, error};
  }

  void bound(const BodyCurve& curve, int stretch, int depth) {
    const double from = path_.progress(stretch, curve.control[0] * line_.X_LP);
    const double to = path_.progress(stretch, curve.control[kDegree] * line_.X_LP);
    // Any progress proves the claim: a good one at both ends, linear between them.
    const VectorPiece off = placeOff(curve, stretch, from, to);
    const double size = placeOf(curve, line_.X_LP.p).coefficient.cwiseAbs().maxCoeff();
    const Bracket place = bracketOf(off, pointError(curve, line_.X_LP.p, size + greatest_), 0.0);
    place_.see(place.first, curve.time.lower);
    place_.see(place.last, curve.time.upper);
    bool is_tight = place.isTight(place_.reached, line_.position_tolerance);
    Bracket turn;
    if (turns()) {
      const double phi = line_.stretches[stretch].turn_W.norm() * std::abs(to - from);
      turn = bracketOf(turnOff(curve, stretch, from, to), turnError(curve), chordError(phi));
      turn_.see(turn.first, curve.time.lower);
      turn_.see(turn.last, curve.time.upper);
      is_tight = is_tight && turn.isTight(turn_.reached, line_.angle_tolerance);
    }
    if (is_tight || depth == kMostHalvings || !std::isfinite(place.upper + turn.upper)) {
      place_.raise(place.upper);
      if (turns()) turn_.raise(turn.upper);
      return;
    }
    const double middle = curve.time.middle();
    bound(curve.restricted({curve.time.lower, middle}), stretch, depth + 1);
    bound(curve.restricted({middle, curve.time.upper}), stretch, depth + 1);
  }

  const KeepOnLine& line_;
  const LinePath path_;
  const std::vector<BodyCurve>& curves_;
  /// [m] The size of the line's own places: what differences round by.
  const double greatest_ = [this] {
    double most = 0.0;
    for (int i = 0; i <= path_.count(); ++i) {
      most = std::max(most, path_.corner(i).p.cwiseAbs().maxCoeff());
    }
    return most;
  }();
  GreatestNorm place_, turn_;
};

}  // namespace

OffBounds offHeldPose(const KeepPose& keep, const std::vector<BodyCurve>& of_link,
                      const std::vector<BodyCurve>& of_other) {
  OffBounds off;
  for (std::size_t i = 0; i < of_link.size(); ++i) {
    if (std::isfinite(keep.position_tolerance)) addPlace(keep, of_link[i], of_other[i], &off.place);
    if (std::isfinite(keep.angle_tolerance)) addTurn(keep, of_link[i], of_other[i], &off.turn);
  }
  return off;
}

OffBounds offLine(const KeepOnLine& line, const std::vector<BodyCurve>& curves) {
  return LineBounds(line, curves).run();
}

void addHeldPose(const Problem& problem, const KeepPose& keep, double tolerance,
                 const CertifiedMotion& motion, std::vector<CertifiedLimit>* out) {
  const std::string& link = problem.robot->links()[keep.link].name;
  const std::vector<BodyCurve>& curves = motion.linkCurve(keep.link);
  std::vector<BodyCurve> world;
  for (const BodyCurve& curve : curves) world.push_back(BodyCurve::still({}, curve.time));
  const OffBounds off =
      offHeldPose(keep, curves, keep.relative_to < 0 ? world : motion.linkCurve(keep.relative_to));
  if (std::isfinite(keep.position_tolerance)) {
    out->push_back(limitOf(link, "held position", off.place.upper, off.place.t,
                           keep.position_tolerance, tolerance));
  }
  if (std::isfinite(keep.angle_tolerance)) {
    out->push_back(turnLimit(link, "held orientation", off.turn, keep.angle_tolerance, tolerance));
  }
}

void addLine(const Problem& problem, const KeepOnLine& line, double tolerance,
             const CertifiedMotion& motion, std::vector<CertifiedLimit>* out) {
  const std::string& link = problem.robot->links()[line.link].name;
  const OffBounds off = offLine(line, motion.linkCurve(line.link));
  out->push_back(limitOf(link, "distance from the line", off.place.upper, off.place.t,
                         line.position_tolerance, tolerance));
  if (!std::isfinite(line.angle_tolerance)) return;
  out->push_back(turnLimit(link, "turn from the line", off.turn, line.angle_tolerance, tolerance));
}

}  // namespace allclear
