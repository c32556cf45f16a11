// Ranks the pairs of a clear motion by their slack, best first.
//
// The least slack that a pair's cells prove is a bound from below, the least that was seen at some
// instant one from above. The pair with the least proven slack of all is looked at: where its two
// bounds are near each other it is the next of the ranking, for no other pair can be proven to have
// less; else its worst cell is halved, which raises its proven slack or lowers what was seen. Pairs
// that are far from their margins are never looked at, however coarse their bounds are.
#include "allclear/planner/certificate/ranking.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace allclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A bracket may be as wide as this share of the slack: nobody plans by the second digit of a
/// distance that is far beyond its margin, and the last pairs of a ranking are.
constexpr double kShareOfSlack = 0.1;

/// Evaluations at the most, about 10 ms. A robot among obstacles takes some hundred.
constexpr int kMostEvaluations = 1000;

struct OpenCell {
  int piece;
  double slack;  ///< proven
  CoverCell cell;
  /// A priority queue gives its greatest entry: here the cell with the least slack.
  bool operator<(const OpenCell& other) const { return slack > other.slack; }
};

/// Least slack that was seen of a pair.
struct Seen {
  double slack = kInfinity;
  double margin = 0.0;
  double t = 0.0;
};

class PairRanking {
 public:
  PairRanking(const CertifiedGeometry& geometry, double tolerance, const CellSearch& cells,
              Cover* cover)
      : tolerance_(tolerance), cells_(cells), cover_(*cover), pairs_(geometry.pairs.size()) {
    for (std::size_t i = 0; i < cover_.pieces.size(); ++i) {
      if (cover_.pieces[i].touchesAtContact()) continue;
      pairs_[static_cast<std::size_t>(cover_.pieces[i].pair)].pieces.push_back(static_cast<int>(i));
    }
  }

  void run() {
    std::priority_queue<Turn> turns;
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      if (!pairs_[p].pieces.empty()) turns.push({provenSlack(pairs_[p]), static_cast<int>(p)});
    }
    for (int left = kMostEvaluations; !turns.empty() && cover_.ranking.size() < kRankedPairs;) {
      const auto [slack, p] = turns.top();
      turns.pop();
      Pair& pair = pairs_[static_cast<std::size_t>(p)];
      const Seen seen = leastSeen(pair);
      // Out of work the first pair is named all the same: a clear verdict says what is nearest.
      const bool must_do = isShort(pair) || (left <= 0 && cover_.ranking.empty());
      const bool is_done = seen.slack - slack <= tolerance(seen.slack);
      if (is_done || (must_do && std::isfinite(seen.slack))) {
        cover_.ranking.push_back(rankOf(p, slack, seen));
      } else if (left <= (cover_.ranking.empty() ? -kMostEvaluations : 0)) {
        break;
      } else {
        left -= refine(&pair, seen);
        turns.push({provenSlack(pair), p});
      }
    }
    putBack();
  }

 private:
  struct Pair {
    std::vector<int> pieces;
    std::priority_queue<OpenCell> open;  ///< its cells, from the first look at it on
  };
  struct Turn {
    double slack;
    int pair;
    /// The least slack first; of equal ones the first pair.
    bool operator<(const Turn& other) const {
      return slack != other.slack ? slack > other.slack : pair > other.pair;
    }
  };

  static double slackOf(const PieceCover& piece, const CoverCell& cell) {
    return cell.lower - piece.relief.marginDuring(cell.time, piece.margin);
  }

  /// What the cells of all its pieces prove.
  double provenSlack(const Pair& pair) const {
    if (!pair.open.empty()) return pair.open.top().slack;
    double least = kInfinity;
    for (const int i : pair.pieces) {
      const PieceCover& piece = cover_.pieces[static_cast<std::size_t>(i)];
      for (const CoverCell& cell : piece.cells) least = std::min(least, slackOf(piece, cell));
    }
    return least;
  }

  /// With a relief, which goes with no uncertainty, the room is the slack; else the margin is the
  /// same at all times, and the least slack is that of the least distance.
  Seen leastSeen(const Pair& pair) const {
    Seen out;
    for (const int i : pair.pieces) {
      const PieceCover& piece = cover_.pieces[static_cast<std::size_t>(i)];
      const bool relaxed = piece.relief.isNeeded();
      const double t = relaxed ? piece.t_room : piece.t_least;
      const double margin = piece.relief.marginDuring({t, t}, piece.margin);
      const double slack = relaxed ? piece.least_room : piece.least - margin;
      if (slack < out.slack) out = {slack, margin, t};
    }
    return out;
  }

  /// How wide a bracket about this slack may be; a slack that was not seen is never near.
  double tolerance(double slack) const {
    return std::isfinite(slack) ? std::max(tolerance_, kShareOfSlack * slack) : 0.0;
  }

  bool isShort(const Pair& pair) const {
    return !pair.open.empty() && cells_.isShort(pair.open.top().cell);
  }

  /// Moves the cells of the pair into its queue.
  void takeCells(Pair* pair) {
    if (!pair->open.empty()) return;
    for (const int i : pair->pieces) {
      PieceCover& piece = cover_.pieces[static_cast<std::size_t>(i)];
      for (const CoverCell& cell : piece.cells) pair->open.push({i, slackOf(piece, cell), cell});
      piece.cells.clear();
    }
  }

  /// Halves the cell with the least slack. Returns the work that it took.
  int refine(Pair* pair, const Seen& seen) {
    takeCells(pair);
    const OpenCell top = pair->open.top();
    pair->open.pop();
    PieceCover& piece = cover_.pieces[static_cast<std::size_t>(top.piece)];
    CoverCell halves[2];
    cells_.split(top.cell, &halves[0], &halves[1]);
    const int cost = cells_.motion().areSurfaces(piece.a, piece.b) ? kSurfaceCost : 1;
    for (CoverCell& half : halves) {
      // A bound within the tolerance of what was seen does not hold up the pair any more.
      const double wanted = seen.slack - tolerance(seen.slack) + piece.margin;
      cells_.evaluate(&piece, &half, std::max(wanted, cells_.demand(piece, half.time)));
      pair->open.push({top.piece, slackOf(piece, half), half});
    }
    return 2 * cost;
  }

  PairRank rankOf(int p, double slack, const Seen& seen) const {
    return {p, {seen.margin + slack, seen.margin + seen.slack}, seen.margin, seen.t};
  }

  /// Returns the cells of all queues to their pieces.
  void putBack() {
    for (Pair& pair : pairs_) {
      for (; !pair.open.empty(); pair.open.pop()) {
        const OpenCell& top = pair.open.top();
        cover_.pieces[static_cast<std::size_t>(top.piece)].cells.push_back(top.cell);
      }
    }
  }

  const double tolerance_;
  const CellSearch& cells_;
  Cover& cover_;
  std::vector<Pair> pairs_;  ///< in the order of the geometry's; those that are fixed, or touch at
                             ///< a contact, are empty
};

}  // namespace

void rankPairs(const CertifiedGeometry& geometry, double tolerance, const CellSearch& cells,
               Cover* cover) {
  PairRanking(geometry, tolerance, cells, cover).run();
}

}  // namespace allclear
