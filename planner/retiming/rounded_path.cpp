// Rounds the corners of a polyline.
//
// Points first. Paths of other programs have thousands of points on curves, and noise between
// points that nearly coincide; corners there would be rounded within the distance of two points,
// which takes sharp turns. So a straight line replaces the points between two others as long as it
// stays within a part of their room, in their order.
//
// A corner V between the directions u and v, from l before it to l after it, tau in [0, 1]:
//   q = V + l (v f(tau) - u f(1 - tau)),   f = 2 tau^3 - tau^4.
// f'' = 12 tau (1 - tau) is the same from both sides, so q'' is along v - u, zero at both ends; and
// f'(0) = 0, f'(1) = 2: the curve leaves and meets the lines with their own length 2 l tau as its
// parameter, twice continuously differentiable. From the point of the polyline with the same
// parameter it is l f(tau) (v - u) away, at most 3/16 l |v - u| (at tau = 1/2). Turning back is
// such a corner as well: at tau = 1/2 the derivative is zero and the second is not.
#include "allclear/planner/retiming/rounded_path.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/stop_scope.h"

namespace allclear {
namespace {

/// Of the room, what lines may take that replace points.
constexpr double kRoomOfLines = 0.4;
/// Of the room, what is left for the rows' polynomials and for the proof.
constexpr double kRoomUsed = 0.95;
/// [rad or m] Lines that replace points may always be so far from them: a third of what is told
/// from rounding (`provenDeviation`).
constexpr double kOnTheLine = 3e-10;
/// [rad or m] A corner with less room is a rest.
constexpr double kLeastRoom = 1e-7;
/// Directions that differ by less are the same: a line of 1 rad leaves them by that much.
constexpr double kStraight = 1e-10;
/// Of a segment, what the corners at its ends may take together.
constexpr double kOfSegment = 0.98;
/// Greatest distance of the rounding from the polyline, by l |v - u|.
constexpr double kBulge = 3.0 / 16.0;

/// The points first .. last as one segment: how far it is from them, walking both in their order.
double lineError(const MatX& points, int first, int last) {
  const VecX a = points.col(first), chord = points.col(last) - a;
  const double squared = chord.squaredNorm();
  double walked = 0.0, error = 0.0;
  StopSteps stop;
  for (int i = first + 1; i < last; ++i) {
    stop.step();
    const double u = squared > 0.0 ? chord.dot(points.col(i) - a) / squared : 0.0;
    walked = std::clamp(u, walked, 1.0);
    error = std::max(error, (points.col(i) - a - walked * chord).cwiseAbs().maxCoeff());
  }
  return error;
}

/// Points of the polyline that stay, and by how much the lines between them leave it.
struct Corners {
  std::vector<int> points;
  std::vector<double> errors;  ///< of the line that begins at each
};

/// Farther and farther points by doubling, then halving: the farthest found whose line is good.
int farthestInLine(const MatX& points, const std::vector<double>& room, int from) {
  const int last = static_cast<int>(points.cols()) - 1;
  const auto is_good = [&](int to) {
    double least = room[from];
    for (int i = from; i <= to; ++i) least = std::min(least, room[i]);
    return lineError(points, from, to) <= std::max(kOnTheLine, kRoomOfLines * least);
  };
  // Where a line is good, a longer one may be bad and a still longer one good: a good one will do.
  int good = from + 1, step = 1, bad = last + 1;
  while (good < last) {
    const int next = std::min(good + step, last);
    if (!is_good(next)) {
      bad = next;
      break;
    }
    good = next;
    step *= 2;
  }
  while (bad - good > 1) {
    const int middle = good + (bad - good) / 2;
    (is_good(middle) ? good : bad) = middle;
  }
  return good;
}

Corners cornersOf(const MatX& points, const std::vector<double>& room) {
  Corners out;
  const int last = static_cast<int>(points.cols()) - 1;
  double left_out = 0.0;  ///< by loops that come back to where they began
  for (int i = 0; i < last;) {
    throwIfStopped();
    const int next = farthestInLine(points, room, i);
    const double error = std::max(left_out, lineError(points, i, next));
    // A point that repeats the one before gives no direction.
    if ((points.col(next) - points.col(i)).cwiseAbs().maxCoeff() <= kOnTheLine) {
      left_out = error;
    } else {
      out.points.push_back(i);
      out.errors.push_back(error);
      left_out = 0.0;
    }
    i = next;
  }
  if (out.points.empty()) return {};
  out.points.push_back(last);
  return out;
}

/// What a corner would take of each of its two segments; 0 for a rest.
double wantedLength(const VecX& u, const VecX& v, double room) {
  const double turn = (v - u).cwiseAbs().maxCoeff();
  return room < kLeastRoom ? 0.0 : room / (kBulge * std::max(turn, kStraight));
}

std::vector<int> between(int first, int last) {
  std::vector<int> out;
  for (int i = first; i <= last; ++i) out.push_back(i);
  return out;
}

/// Puts stretches together, piece by piece.
class StretchBuilder {
 public:
  void add(PathPiece piece, double length) {
    if (!(length > 0.0)) return;
    if (is_at_rest_) stretches_.emplace_back();
    is_at_rest_ = false;
    auto& pieces = stretches_.back().pieces;
    piece.begin = pieces.empty() ? 0.0 : pieces.back().end;
    piece.end = piece.begin + length;
    pieces.push_back(std::move(piece));
  }
  void rest() { is_at_rest_ = true; }
  std::vector<PathStretch> take() { return std::move(stretches_); }

 private:
  std::vector<PathStretch> stretches_;
  bool is_at_rest_ = true;
};

}  // namespace

int PathStretch::pieceAt(double s) const {
  const auto later =
      std::upper_bound(pieces.begin(), pieces.end() - 1, s,
                       [](double x, const PathPiece& piece) { return x < piece.end; });
  return static_cast<int>(later - pieces.begin());
}

std::array<VecX, 3> PathStretch::at(int i, double s) const {
  const PathPiece& piece = pieces[static_cast<std::size_t>(i)];
  if (!piece.isCorner()) {
    return {piece.at + (s - piece.begin) * piece.into, piece.into, VecX::Zero(piece.at.size())};
  }
  const double twice = piece.end - piece.begin;  // 2 l
  const double tau = std::clamp((s - piece.begin) / twice, 0.0, 1.0), left = 1.0 - tau;
  const auto f = [](double x) { return x * x * x * (2.0 - x); };
  const auto slope = [](double x) { return x * x * (6.0 - 4.0 * x); };
  const double l = 0.5 * twice;
  return {piece.at + l * (f(tau) * piece.out_of - f(left) * piece.into),
          0.5 * (slope(tau) * piece.out_of + slope(left) * piece.into),
          (3.0 * tau * left / l) * (piece.out_of - piece.into)};
}

std::vector<PathStretch> roundedPath(const MatX& points, const std::vector<double>& room) {
  const Corners corners = cornersOf(points, room);
  const auto count = corners.points.size();
  if (count < 2) return {};
  std::vector<VecX> directions;
  std::vector<double> lengths;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const VecX step = points.col(corners.points[i + 1]) - points.col(corners.points[i]);
    lengths.push_back(step.norm());
    directions.push_back(step / lengths.back());
  }
  // What each corner takes; where two want more than their segment has, both take less.
  std::vector<double> wanted(count, 0.0), taken(count, 0.0);
  for (std::size_t i = 1; i + 1 < count; ++i) {
    const double left = kRoomUsed * room[static_cast<std::size_t>(corners.points[i])] -
                        std::max(corners.errors[i - 1], corners.errors[i]);
    wanted[i] = taken[i] = wantedLength(directions[i - 1], directions[i], left);
  }
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const double share = kOfSegment * lengths[i] / std::max(wanted[i] + wanted[i + 1], lengths[i]);
    taken[i] = std::min(taken[i], share * wanted[i]);
    taken[i + 1] = std::min(taken[i + 1], share * wanted[i + 1]);
  }
  StretchBuilder builder;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    throwIfStopped();
    const VecX corner = points.col(corners.points[i]);
    PathPiece line;
    line.at = corner + taken[i] * directions[i];
    line.into = directions[i];
    line.points = between(corners.points[i] + 1, corners.points[i + 1] - 1);
    builder.add(std::move(line), lengths[i] - taken[i] - taken[i + 1]);
    if (i + 2 == count) break;
    const bool is_straight = (directions[i + 1] - directions[i]).cwiseAbs().maxCoeff() <= kStraight;
    if (!(taken[i + 1] > 0.0)) {
      if (!is_straight) builder.rest();
      continue;
    }
    PathPiece turn;
    turn.at = points.col(corners.points[i + 1]);
    turn.into = directions[i];
    turn.out_of = directions[i + 1];
    turn.points = between(corners.points[i] + 1, corners.points[i + 2] - 1);
    builder.add(std::move(turn), 2.0 * taken[i + 1]);
  }
  return builder.take();
}

}  // namespace allclear
