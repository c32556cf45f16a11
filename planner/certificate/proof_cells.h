#pragma once

#include <string>
#include <vector>

#include "allclear/planner/certificate/proof_model.h"

namespace allclear {

/// Searches for the cells that prove two pieces apart, and writes them: the lines that follow a
/// pair in a proof (docs/proof.md).
///
/// It works out the bound of the theorem in plain numbers and asks for `kProofPadding` more than
/// the margin, which is more than the verifier's intervals lose to their rounding. Nothing here is
/// trusted: a wrong cell can only make the verifier refuse.
class ProofCells {
 public:
  explicit ProofCells(const ProofModel& model);

  /// Appends the lines. False where it gives up: the pieces come nearer than `gap` [m], or the
  /// budget is spent.
  bool prove(const ProofPiece& a, const ProofPiece& b, double gap, std::string* lines);

  /// Cells written so far, those of pieces given up included.
  std::size_t count() const { return count_; }

 private:
  /// A source over a cell: by tau, at the middle, and bounds of slope and bend.
  struct Course {
    std::vector<double> b;
    double value = 0.0, slope = 0.0, greatest_slope = 0.0, greatest_bend = 0.0;
  };
  using Courses = std::vector<Course>;
  /// A piece is at X0 + tau X1, to within `rest` [m]. Of this, `stray` is for the tube.
  struct Motion {
    Pose X0, X1;
    double rest = 0.0;
    double stray = 0.0;
  };
  struct Range {
    int from = 0, to = 0;
    int count() const { return to - from; }
  };
  class Search;

  static Course courseOf(std::vector<double> b);
  bool movesIn(const std::vector<int>& path, std::size_t shared, std::size_t interval) const;
  bool changesIn(const std::vector<int>& sources, std::size_t interval) const;
  Motion motionOf(const ProofPiece& piece, std::size_t shared, const Courses& courses) const;

  const ProofModel& model_;
  std::vector<Courses> intervals_;  ///< of whole intervals
  std::size_t count_ = 0;
};

/// [m]: beyond the rounding of the verifier's intervals, about 1e-13 m for robots of some metres,
/// and far below what any margin is meant for.
inline constexpr double kProofPadding = 1e-10;

}  // namespace allclear
