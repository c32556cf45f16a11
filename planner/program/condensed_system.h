#pragma once

#include <vector>

#include "allclear/planner/program/nlp.h"
#include "allclear/planner/program/symmetric_factor.h"

namespace allclear {

/// Symmetric systems of an interior point method: few variables, many rows, and a slack variable
/// for each inequality. Slacks and multipliers of rows are eliminated on the way in; what is left,
/// about one unknown per variable, is a dense matrix.
///
/// With v variables, r rows and e entries per row: r e^2 / 2 + v^3 / 3 multiplications.
class CondensedSystem {
 public:
  /// `entries`: places in either triangle; values at the same place add up.
  CondensedSystem(int size, const std::vector<Entry>& entries);

  int size() const { return static_cast<int>(place_.size()); }
  /// Unknowns of the dense matrix, when no pair has to stay in it.
  int denseSize() const { return core_size_; }

  /// Factors the matrix with these values, in the order of the entries. False when it is singular.
  /// Elimination multiplies no entry by more than 1 / `pivot_tolerance`, in (0, 1).
  bool factor(const double* values, double pivot_tolerance);
  int negativeEigenvalues() const { return negative_; }
  /// Replaces b by the solution. Pre: `factor` returned true.
  void solve(double* b);

 private:
  /// A slack and its row's multiplier: the block [ss sy; sy yy], and the row's entries `first` to
  /// `last` of `links_`.
  struct Pair {
    int slack = -1, row = -1;
    int first = 0, last = 0;
    double ss = 0.0, sy = 0.0, yy = 0.0;
    int kept_at = -1;  ///< the slack's place in the dense matrix; the row's is the next; -1: none
  };
  /// An entry of a row, at a dense place.
  struct Link {
    int place = -1;
    double value = 0.0;
  };
  /// Where the value of an entry goes.
  struct Target {
    enum class Kind { kCore, kSlack, kCross, kRow, kLink } kind = Kind::kCore;
    int i = 0;  ///< dense place, pair or link
    int j = 0;  ///< dense place
  };

  void findPairs(const std::vector<std::vector<int>>& neighbours);
  void makeTargets(const std::vector<Entry>& entries);
  Target targetOf(int i, int j) const;
  void scatterPairs(const double* values);
  void scatterCore(const double* values);
  int placeKept(double pivot_tolerance);
  bool canEliminate(const Pair& pair, double pivot_tolerance) const;
  void eliminate(const Pair& pair);
  void keep(const Pair& pair);

  std::vector<int> pair_of_;  ///< by unknown; -1: dense
  std::vector<int> place_;    ///< by unknown: its place in the dense matrix; -1: in a pair
  int core_size_ = 0;
  std::vector<Pair> pairs_;
  std::vector<Link> links_;
  std::vector<Target> targets_;  ///< by entry
  SymmetricFactor dense_;
  std::vector<double> dense_rhs_;
  int negative_ = 0;
};

}  // namespace allclear
