#pragma once

#include <array>
#include <vector>

#include "allclear/core/types.h"

namespace allclear {

/// A piece of a path by its own length s: a straight line, or the rounding of a corner.
struct PathPiece {
  double begin = 0.0, end = 0.0;  ///< of s, along its stretch
  /// A corner is rounded, or a line begins here.
  VecX at;
  VecX into;                ///< unit: direction before a corner, or of the line
  VecX out_of;              ///< unit: direction after a corner; empty for a line
  std::vector<int> points;  ///< of the given polyline, whose room decides what this piece is

  bool isCorner() const { return out_of.size() > 0; }
};

/// Pieces from one rest to the next, twice continuously differentiable by s.
struct PathStretch {
  std::vector<PathPiece> pieces;
  double length() const { return pieces.back().end; }
  int pieceAt(double s) const;
  /// Position and first and second derivative by s, at s of piece i.
  std::array<VecX, 3> at(int i, double s) const;
};

/// A polyline (a point per column, n x m) with rounded corners, as stretches between rests: within
/// `room[i]` of the polyline near its point i, in its order; but for rounding on it where that is
/// 0. Points that lie within a part of the room of a straight line are passed by it. It rests at
/// corners without room. Empty when the polyline stands still. O(points log points).
std::vector<PathStretch> roundedPath(const MatX& points, const std::vector<double>& room);

}  // namespace allclear
