#pragma once

#include <cstdint>
#include <limits>

#include "allclear/core/pose.h"
#include "allclear/distance/minimum_distance.h"

namespace allclear::tree {

/// What a search knows when it ends: distances [m] of the true motion, and the nearest points of
/// the polynomial one in the search's frame F.
struct SearchResult {
  double lower = std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool contact = false;    ///< the bodies meet, and no depth is known
  bool evaluated = false;  ///< there are nearest points
  bool spent = false;      ///< out of evaluations
  double t = 0.0;
  double error = 0.0;  ///< [m] of the motions, in `upper`
  double width = 0.0;  ///< [s] of the stretch of time that was looked at
  Vec3 a = Vec3::Zero();
  Vec3 b = Vec3::Zero();
  Vec3 normal = Vec3::UnitX();
  int part = 0;  ///< that are the nearest
  std::int32_t element = 0;
  int evaluations = 0;
  int bounds = 0;
};

/// The nearest points of a part of A and an element, in F.
struct Nearest {
  double distance = 0.0;  ///< [m]
  double gap = 0.0;       ///< the true distance of the poses is at most this more
  double errors = 1.0;    ///< the motion's error counts so many times
  bool meets = false;     ///< in contact, and no depth is known
  Vec3 a = Vec3::Zero();
  Vec3 b = Vec3::Zero();
  Vec3 normal = Vec3::Zero();  ///< unit, from A to B; zero where unknown
};

/// The terms of the bound; a share less than 1 is unsound, and for tests that show so.
struct BoundTerms {
  double remainder_a = 1.0;
  double remainder_b = 1.0;
  double error = 1.0;
  double radius = 1.0;
  double far_end = 1.0;  ///< 0: the later end of a stretch is not looked at
};

/// Nothing is beyond it: all brackets are to be narrow.
inline constexpr double kUnfocused = std::numeric_limits<double>::infinity();

/// How far a bracket has to be narrowed at this upper end: of a depth a share may be left open, as
/// deep inside of a dense cloud very many elements are about as deep as the deepest, and any of
/// them leads out. The error of the curves is in both ends, and no search makes it less: what is
/// asked for beside it is half of the tolerance. Beyond `focus` a share may be left open likewise.
double neededWidth(double tolerance, double upper, double error, double focus = kUnfocused);

/// What a search sets of a bracket, points and normal turned from F into the world. Counts and
/// ends may be lowered by the caller; then `setStatus`.
DistanceBracket bracketOf(const SearchResult& found, const Pose& X_WF);

/// A threshold that is decided counts before the width: who asks for one needs no narrow bracket.
void setStatus(const McdOptions& options, const SearchResult& found, DistanceBracket* bracket,
               double focus = kUnfocused);

}  // namespace allclear::tree
