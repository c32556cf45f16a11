// Proves that one curve follows another: the distance of M. Frechet, in the maximum norm.
//
// Idea. Both curves are cut into pieces, and each piece is replaced by its chord. If every curve
// follows its chords within e and f, and the chords of one follow those of the other within D, then
// one curve follows the other within e + D + f (walks can be composed). Of chains of chords the
// question has an exact answer (H. Alt, M. Godau, "Computing the Frechet distance between two
// polygonal curves", IJCGA 1995).
//
// A piece and its chord. The piece is a polynomial with Bernstein coefficients c_0 .. c_d. Let k be
// the coordinate in which its chord is longest, and let q_k go forward there. The chord's point
// with the same coordinate k then walks from its start to its end, and the difference in
// coordinate j,
//   q_j - c_0j - (q_k - c_0k) (c_dj - c_0j) / (c_dk - c_0k),
// is a polynomial whose coefficients bound it: on a straight line it is zero at any pace. The steps
// between coefficients c_ik that go back, R in all, change q_k by at most R from a function that
// never does; the chord's point walks by that one, clamped to the chord. As no coordinate of the
// chord is longer than k, every difference grows by at most R.
//
// Chains of chords. A walk is a path through the square (a, b) of the places on both chains that
// never goes back and stays where the distance is at most D. In the cell of two chords that set is
// convex, so what can be reached on a cell's right and upper edge follows from what can be reached
// on its left and lower one. The search goes through the cells that can be reached, one column (a
// chord of the curve) after the other.
//
// Rounding. D is lowered, and the errors of pieces are raised, by kRounding of the size of all
// numbers in them: a few dozen operations lose less.
#include "allclear/planner/certificate/followed_path.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "allclear/core/stop_scope.h"

namespace allclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Relative to the numbers' sizes: 450 roundings, of which there are fewer.
constexpr double kRounding = 1e-13;
/// Of the bound: what each of the two chains of chords may take of it.
constexpr double kChordShare = 0.01;
/// Halvings of a span at most: pieces that are smaller still are at rest, or the curve is too fast.
constexpr int kMostHalvings = 14;
/// Pieces of a curve at most: beyond that the proof is given up.
constexpr std::size_t kMostPieces = 2'000'000;
/// [units] What is proven is no less: below, rounding would decide.
constexpr double kLeastClaim = 1e-9;
/// Bounds are found to this share.
constexpr double kClaimShare = 1.02;

/// Within how much a piece follows its chord.
double chordError(const MatX& c) {
  const Eigen::Index last = c.cols() - 1;
  const VecX chord = c.col(last) - c.col(0);
  Eigen::Index k = 0;
  const bool is_point = !(chord.cwiseAbs().maxCoeff(&k) > 0.0);
  double off = 0.0, back = 0.0;
  for (Eigen::Index i = 1; i <= last; ++i) {
    const double walked = is_point ? 0.0 : (c(k, i) - c(k, 0)) / chord[k];
    const double here = (c.col(i) - c.col(0) - walked * chord).cwiseAbs().maxCoeff();
    if (!(here <= off)) off = here;  // NaN too
    const double step = chord[k] < 0.0 ? c(k, i - 1) - c(k, i) : c(k, i) - c(k, i - 1);
    if (!is_point && step < 0.0) back -= step;
  }
  return off + back + kRounding * c.cwiseAbs().maxCoeff();
}

/// A curve as a chain of chords.
struct Chain {
  std::vector<VecX> points;
  double error = 0.0;  ///< the curve follows its chords within this
  bool complete = true;
};

/// The chain of a curve, with pieces that follow their chords within `allowed` where halving gets
/// there.
Chain chainOf(const Trajectory& curve, double allowed) {
  Chain chain;
  const std::function<void(const BernsteinSpan&, int)> add = [&](const BernsteinSpan& piece,
                                                                 int halvings) {
    throwIfStopped();
    const double error = chordError(piece.control());
    if (error <= allowed || halvings == kMostHalvings || chain.points.size() > kMostPieces) {
      if (!(error <= chain.error)) chain.error = error;
      chain.points.emplace_back(piece.control().col(piece.degree()));
      return;
    }
    const double middle = piece.time().middle();
    add(piece.restricted({piece.time().lower, middle}), halvings + 1);
    add(piece.restricted({middle, piece.time().upper}), halvings + 1);
  };
  for (int i = 0; i < curve.spanCount(); ++i) {
    const BernsteinSpan span = curve.span(i);
    if (i == 0) chain.points.emplace_back(span.control().col(0));
    // Where two spans meet they agree to rounding, or the jump counts.
    const double jump = (span.control().col(0) - chain.points.back()).cwiseAbs().maxCoeff();
    if (!(jump <= kRounding * (1.0 + chain.points.back().cwiseAbs().maxCoeff()))) {
      chain.points.emplace_back(span.control().col(0));
    }
    add(span, 0);
  }
  chain.complete = chain.points.size() <= kMostPieces;
  return chain;
}

double sizeOf(const Chain& chain) {
  double size = 1.0;
  for (const VecX& point : chain.points) size = std::max(size, point.cwiseAbs().maxCoeff());
  return size;
}

/// A part of a chord, in units of it; empty when lower > upper.
struct Part {
  double lower = 1.0, upper = 0.0;
  bool isEmpty() const { return !(lower <= upper); }
};

/// Where on the chord from a to b the distance to p is at most D.
Part near(const VecX& p, const VecX& a, const VecX& b, double D) {
  Part part{0.0, 1.0};
  for (Eigen::Index k = 0; k < p.size(); ++k) {
    const double from = a[k] - p[k], step = b[k] - a[k];
    // |from + u step| <= D. A step that rounding could fill counts as none.
    if (!(std::abs(from) <= D) || !(std::abs(from + step) <= D)) {
      if (std::abs(step) <= kRounding * D) return {};
      const double one = (-D - from) / step, other = (D - from) / step;
      part.lower = std::max(part.lower, std::min(one, other));
      part.upper = std::min(part.upper, std::max(one, other));
    }
  }
  return part;
}

/// What of `free` can be reached from `reached` by going forward, or, when the whole other edge of
/// the cell opens it, all of it.
Part onwards(const Part& free, const Part& reached, bool is_open) {
  if (free.isEmpty() || is_open) return free;
  if (reached.isEmpty()) return {};
  return {std::max(free.lower, reached.lower), free.upper};
}

/// A reachable part of chord `chord` of the path, from one point of the curve.
struct Reach {
  std::size_t chord = 0;
  Part part;
};

/// Whether the chain `a` follows `b` within D.
bool follows(const std::vector<VecX>& a, const std::vector<VecX>& b, double D) {
  const auto distance = [](const VecX& p, const VecX& q) { return (p - q).cwiseAbs().maxCoeff(); };
  if (!(distance(a.front(), b.front()) <= D) || !(distance(a.back(), b.back()) <= D)) return false;
  // The left edge of the square: the curve stands at its start while the path goes on.
  std::vector<Reach> column;
  StopSteps stop;
  for (std::size_t j = 0; j + 1 < b.size(); ++j) {
    stop.step();
    const Part part = near(a.front(), b[j], b[j + 1], D);
    if (!(part.lower <= 0.0) || part.isEmpty()) break;
    column.push_back({j, part});
    if (part.upper < 1.0) break;
  }
  std::vector<Reach> next;
  for (std::size_t i = 0; i + 1 < a.size(); ++i) {
    next.clear();
    // The lower edge of the cell at hand. That of the square: the path stands at its start.
    Part below;
    if (!column.empty() && column.front().chord == 0) {
      below = near(b.front(), a[i], a[i + 1], D);
      const bool from_start = column.front().part.lower <= 0.0;
      if (!(below.lower <= 0.0) || !from_start) below = {};
    }
    std::size_t at = 0;
    std::size_t j = column.empty() ? b.size() : column.front().chord;
    while (j + 1 < b.size()) {
      stop.step();
      Part left;
      if (at < column.size() && column[at].chord == j) left = column[at++].part;
      const Part right = onwards(near(a[i + 1], b[j], b[j + 1], D), left, !below.isEmpty());
      if (!right.isEmpty()) next.push_back({j, right});
      below = onwards(near(b[j + 1], a[i], a[i + 1], D), below, !left.isEmpty());
      ++j;
      // Nothing comes from below: on to the next chord that the column reaches.
      if (below.isEmpty()) {
        if (at == column.size()) break;
        j = std::max(j, column[at].chord);
      }
    }
    column.swap(next);
    if (column.empty()) return false;
  }
  return column.back().chord + 2 == b.size() && column.back().part.upper >= 1.0;
}

/// The two chains, with pieces for claims of about `within`.
struct Chains {
  Chain curve, path;
  double rounding;

  Chains(const Trajectory& of_curve, const Trajectory& of_path, double within)
      : curve(chainOf(of_curve, kChordShare * within)),
        path(chainOf(of_path, kChordShare * within)) {
    rounding = kRounding * (sizeOf(curve) + sizeOf(path));
  }
  bool follow(double within) const {
    const double D = within - curve.error - path.error - rounding;
    return curve.complete && path.complete && D > 0.0 && follows(curve.points, path.points, D);
  }
};

}  // namespace

bool isProvenToFollow(const Trajectory& curve, const Trajectory& path, double within) {
  return curve.dimension() == path.dimension() && within > 0.0 && std::isfinite(within) &&
         Chains(curve, path, within).follow(within);
}

double provenDeviation(const Trajectory& curve, const Trajectory& path, double most) {
  // Each claim is proven with the pieces that `isProvenToFollow` makes for it.
  if (!isProvenToFollow(curve, path, most)) return kInfinity;
  double proven = most, refused = 0.0;
  while (proven > kLeastClaim && proven > kClaimShare * refused) {
    const double next =
        std::max(kLeastClaim, refused > 0.0 ? std::sqrt(proven * refused) : 0.1 * proven);
    if (next >= proven) break;
    if (isProvenToFollow(curve, path, next)) {
      proven = next;
    } else {
      refused = next;
    }
  }
  return proven;
}

}  // namespace allclear
