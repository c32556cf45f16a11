#include "allclear/planner/certificate/cover.h"

#include <algorithm>
#include <queue>

namespace allclear {
namespace {

/// A coarser bracket does for a plan that is refused.
constexpr double kToleranceWhenRefused = 1e-3;

/// Of meshes as they are, in evaluations of convex pieces.
constexpr int kSurfaceCost = 100;

/// The search over all pairs of pieces.
class Search {
 public:
  Search(const CertifiedGeometry& geometry, const CoverOptions& options, CertifiedMotion& motion)
      : geometry_(geometry), options_(options), motion_(motion) {}

  Cover run() {
    for (std::size_t p = 0; p < geometry_.pairs.size(); ++p) {
      if (geometry_.pairs[p].fixed) continue;
      const CertifiedPair& pair = geometry_.pairs[p];
      std::vector<PieceCover> pieces;
      std::size_t solids = 0;
      for (MeshFidelity fidelity : kFidelities) {
        const std::size_t count = static_cast<std::size_t>(motion_.pieceCount(pair.a, fidelity) *
                                                           motion_.pieceCount(pair.b, fidelity));
        const bool closer =
            fidelity == MeshFidelity::kSurface ? haveSurfaces(pair) : count > solids;
        if (!closer) continue;
        solids = count;
        std::vector<PieceCover> found = decided(static_cast<int>(p), fidelity);
        // How deep meshes are in contact their convex pieces tell better.
        const bool meet = std::any_of(found.begin(), found.end(),
                                      [](const PieceCover& piece) { return piece.surfaces_meet; });
        if (!meet) pieces = std::move(found);
        const bool clear = std::all_of(pieces.begin(), pieces.end(),
                                       [](const PieceCover& piece) { return piece.isClear(); });
        if (clear) break;
      }
      for (PieceCover& piece : pieces) cover_.pieces.push_back(std::move(piece));
    }
    bracketMinimum();
    for (PieceCover& piece : cover_.pieces) {
      std::sort(piece.cells.begin(), piece.cells.end(),
                [](const CoverCell& x, const CoverCell& y) { return x.time.lower < y.time.lower; });
    }
    return std::move(cover_);
  }

 private:
  bool haveSurfaces(const CertifiedPair& pair) {
    constexpr MeshFidelity kSurface = MeshFidelity::kSurface;
    for (int i = 0; i < motion_.pieceCount(pair.a, kSurface); ++i) {
      for (int j = 0; j < motion_.pieceCount(pair.b, kSurface); ++j) {
        if (motion_.areSurfaces({pair.a, i, kSurface}, {pair.b, j, kSurface})) return true;
      }
    }
    return false;
  }

  std::vector<PieceCover> decided(int p, MeshFidelity fidelity) {
    const CertifiedPair& pair = geometry_.pairs[p];
    const int count_a = motion_.pieceCount(pair.a, fidelity);
    const int count_b = motion_.pieceCount(pair.b, fidelity);
    std::vector<PieceCover> pieces;
    for (int i = 0; i < count_a; ++i) {
      for (int j = 0; j < count_b; ++j) {
        PieceCover piece;
        piece.pair = p;
        piece.a = {pair.a, i, fidelity};
        piece.b = {pair.b, j, fidelity};
        piece.margin = pair.margin;
        decide(&piece);
        pieces.push_back(std::move(piece));
      }
    }
    return pieces;
  }

  /// Improves the cell's bound, at first by boxes; meets the distance at its middle.
  void evaluate(PieceCover* piece, CoverCell* cell, double target) {
    const auto offer = [&](double lower, const Vec3& normal) {
      if (lower - kCoverPadding > cell->lower) {
        cell->lower = lower - kCoverPadding;
        cell->normal = normal;
      }
    };
    const CertifiedMotion::BoxGap gap = motion_.boxGap(piece->a, piece->b, cell->time);
    offer(gap.distance, gap.normal);
    if (cell->lower >= target) return;
    if (motion_.areSurfaces(piece->a, piece->b)) {
      const DistanceBracket found = motion_.surfaceBracket(
          piece->a, piece->b, cell->time, target + kSurfacePadding, 0.25 * options_.tolerance);
      offer(found.lower - kSurfacePadding, found.normal);
      piece->surfaces_meet = piece->surfaces_meet || found.penetrating;
      if (found.evaluated && found.upper < piece->least) {
        piece->least = found.upper;
        piece->t_least = found.t_star;
      }
      return;
    }
    const double t = cell->time.middle();
    const SignedDistance at = motion_.distanceAt(piece->a, piece->b, t);
    // The true distance may exceed what its own direction shows.
    if (at.distance + at.gap < piece->least) {
      piece->least = at.distance + at.gap;
      piece->t_least = t;
    }
    if (at.distance < cell->lower) return;
    offer(motion_.lowerBound(piece->a, piece->b, at.normal, cell->time), at.normal);
  }

  /// Where to halve: between cells of the motion if there are several, so that bounds of whole
  /// cells are used.
  double splitTime(Interval time) const {
    const auto& cells = motion_.cells();
    const auto next = std::lower_bound(cells.begin(), cells.end(), time.middle(),
                                       [](const Interval& c, double t) { return c.lower < t; });
    double best = time.middle();
    double offset = time.length();
    for (auto c = next == cells.begin() ? next : next - 1; c != cells.end() && c <= next; ++c) {
      const bool inside = c->lower > time.lower && c->lower < time.upper;
      if (inside && std::abs(c->lower - time.middle()) < offset) {
        best = c->lower;
        offset = std::abs(c->lower - time.middle());
      }
    }
    return best;
  }

  void split(const CoverCell& cell, CoverCell* first, CoverCell* second) const {
    *first = *second = cell;
    first->time.upper = second->time.lower = splitTime(cell.time);
  }

  bool isShort(const CoverCell& cell) const { return cell.time.length() <= options_.shortest_cell; }

  /// Cells until each reaches the margin, or the pair is seen not to.
  void decide(PieceCover* piece) {
    std::vector<CoverCell> open(1);
    open[0].time = {0.0, motion_.duration()};
    const bool surfaces = motion_.areSurfaces(piece->a, piece->b);
    if (surfaces) {  // a search goes through one cell at a time, and leaves nothing to divide
      open.resize(motion_.cells().size());
      for (std::size_t i = 0; i < open.size(); ++i) open[i].time = motion_.cells().rbegin()[i];
    }
    for (int evaluations = 0; !open.empty(); ++evaluations) {
      CoverCell cell = open.back();
      open.pop_back();
      evaluate(piece, &cell, piece->margin);
      const bool violated = surfaces ? piece->surfaces_meet : piece->least < piece->margin;
      const bool hopeless = violated || evaluations >= options_.evaluations_per_pair;
      if (cell.lower >= piece->margin || hopeless || surfaces || isShort(cell)) {
        piece->cells.push_back(cell);
        if (hopeless) break;
      } else {
        CoverCell first, second;
        split(cell, &first, &second);
        open.push_back(second);
        open.push_back(first);
      }
    }
    piece->cells.insert(piece->cells.end(), open.begin(), open.end());
  }

  struct Open {
    int piece;
    CoverCell cell;
    bool operator<(const Open& other) const { return cell.lower > other.cell.lower; }
  };

  double leastMet() const {
    double least = std::numeric_limits<double>::infinity();
    for (const PieceCover& piece : cover_.pieces) least = std::min(least, piece.least);
    return least;
  }

  /// Halves the cell with the least bound until that is near the least distance met.
  void bracketMinimum() {
    const double tolerance =
        cover_.isClear() ? options_.tolerance : std::max(options_.tolerance, kToleranceWhenRefused);
    double least = leastMet();
    std::priority_queue<Open> open;
    for (std::size_t p = 0; p < cover_.pieces.size(); ++p) {
      for (const CoverCell& cell : cover_.pieces[p].cells) {
        open.push({static_cast<int>(p), cell});
      }
      cover_.pieces[p].cells.clear();
    }
    int evaluations = 0;
    while (!open.empty() && open.top().cell.lower < least - tolerance &&
           evaluations < options_.evaluations_of_minimum && !isShort(open.top().cell)) {
      const Open top = open.top();
      open.pop();
      CoverCell halves[2];
      split(top.cell, &halves[0], &halves[1]);
      PieceCover& piece = cover_.pieces[top.piece];
      for (CoverCell& half : halves) {
        evaluate(&piece, &half, std::max(least - tolerance, piece.margin));
        least = std::min(least, piece.least);
        open.push({top.piece, half});
        evaluations += motion_.areSurfaces(piece.a, piece.b) ? kSurfaceCost : 1;
      }
    }
    if (open.empty()) return;
    cover_.minimum = {open.top().cell.lower, least};
    for (; !open.empty(); open.pop()) {
      cover_.pieces[open.top().piece].cells.push_back(open.top().cell);
    }
    for (std::size_t p = 0; p < cover_.pieces.size(); ++p) {
      const bool is_closest =
          cover_.closest < 0 || cover_.pieces[p].least < cover_.pieces[cover_.closest].least;
      if (is_closest) cover_.closest = static_cast<int>(p);
    }
  }

  const CertifiedGeometry& geometry_;
  const CoverOptions& options_;
  CertifiedMotion& motion_;
  Cover cover_;
};

}  // namespace

double PieceCover::lower() const {
  double bound = std::numeric_limits<double>::infinity();
  for (const CoverCell& cell : cells) bound = std::min(bound, cell.lower);
  return bound;
}

bool Cover::isClear() const {
  return std::all_of(pieces.begin(), pieces.end(),
                     [](const PieceCover& piece) { return piece.isClear(); });
}

Cover coverPairs(const CertifiedGeometry& geometry, const CoverOptions& options,
                 CertifiedMotion& motion) {
  return Search(geometry, options, motion).run();
}

}  // namespace allclear
