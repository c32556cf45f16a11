// How wide a tube the cells of a cover bear, and a search that divides them until it is nearly the
// widest.
//
// Width. A cell proves the distance `lower` of the planned motion. A tube of width w brings two
// solids nearer by at most w times a stray per unit (stray.h: the bound is linear in the strays),
// beside what the scene adds. So the cell bears every w with lower - scene - w * unit >= limit,
// with the margin for limit, or 0 for contact. The tube of a cover is the least over its cells.
//
// Search. As for the least distance (cover.cpp), best first: the cell with the least width is
// divided until that width is within a share of the least width that any instant allows. Where the
// pair that allows least is measured between hulls or a few pieces, finer solids may allow more:
// they take its place when they prove a tube that is wider by a share.
#include "allclear/planner/certificate/tube.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <queue>

#include "allclear/core/formatted.h"

namespace allclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a distance may fall to: contact, or the margin. Two that touch as the task has it meet when
/// they are deeper in one another than it lets them.
double toLimit(const TubeMeasure& measure, double margin) {
  return measure.to_contact ? std::min(0.0, margin) : margin;
}

/// Share of the width that more cells could gain: not worth them.
constexpr double kWidthTolerance = 0.02;

/// Finer solids must allow a tube so much wider to be worth their many pairs.
constexpr double kWorthwhile = 1.1;

/// Relative: a checker on another machine rounds differently.
constexpr double kWidthRounding = 1e-9;

using Scale = TubeMeasure::Scale;
constexpr std::array<TubeMeasure, 4> kMeasures{
    {{Scale::kJoints, true}, {Scale::kJoints, false}, {Scale::kTask, true}, {Scale::kTask, false}}};

template <class Tube>
auto& widthOf(Tube& tube, const TubeMeasure& measure) {
  if (measure.scale == Scale::kJoints) {
    return measure.to_contact ? tube.joints_to_contact : tube.joints_to_margin;
  }
  return measure.to_contact ? tube.factor_to_contact : tube.factor_to_margin;
}

/// Widens the tube by one measure.
class TubeSearch {
 public:
  TubeSearch(const CertifiedGeometry& geometry, const CoverOptions& options,
             const CellSearch& search, const TubeMeasure& measure, Cover* cover)
      : geometry_(geometry),
        options_(options),
        search_(search),
        motion_(search.motion()),
        measure_(measure),
        cover_(*cover),
        seen_(cover->pieces.size(), kInfinity) {}

  void run() {
    do divideCells();
    while (refineLimitingPair());
  }

 private:
  struct OpenCell {
    int piece;
    CoverCell cell;
    double width;
    /// A priority queue gives its greatest entry: here the cell with the least width.
    bool operator<(const OpenCell& other) const { return width > other.width; }
  };

  double width(const PieceCover& piece, const CoverCell& cell) const {
    return tubeWidth(measure_, cell.lower, piece.relief.marginDuring(cell.time, piece.margin),
                     motion_.stray(piece.a, piece.b, cell.time));
  }

  /// What a bound must reach for the cell to bear `width`: the inverse of the above.
  double target(const PieceCover& piece, Interval time, double width) const {
    const Stray stray = motion_.stray(piece.a, piece.b, time);
    const bool joints = measure_.scale == Scale::kJoints;
    const double unit = joints ? stray.per_unit : stray.total();
    const double strayed = (unit == 0.0 ? 0.0 : width * unit) + (joints ? stray.scene : 0.0);
    const double limit = toLimit(measure_, piece.relief.marginDuring(time, piece.margin));
    return std::max(limit + strayed + kCoverPadding, search_.demand(piece, time));
  }

  /// Improves a cell's bound as far as `wanted` needs. Returns the width that the instant looked at
  /// allows, infinite when a box was enough.
  double improve(PieceCover* piece, CoverCell* cell, double wanted) const {
    const Sighting at = search_.evaluate(piece, cell, target(*piece, cell->time, wanted));
    if (!std::isfinite(at.distance)) return kInfinity;
    return tubeWidth(measure_, at.distance, piece->relief.marginDuring(cell->time, piece->margin),
                     motion_.stray(piece->a, piece->b, {at.t, at.t}));
  }

  double leastSeen() const {
    return seen_.empty() ? kInfinity : *std::min_element(seen_.begin(), seen_.end());
  }

  /// Divides cells, the one with the least width first.
  void divideCells() {
    std::priority_queue<OpenCell> open;
    for (std::size_t p = 0; p < cover_.pieces.size(); ++p) {
      PieceCover& piece = cover_.pieces[p];
      for (const CoverCell& cell : piece.cells) {
        open.push({static_cast<int>(p), cell, width(piece, cell)});
      }
      piece.cells.clear();
    }
    double least = leastSeen();
    for (int evaluations = 0; evaluations < options_.evaluations_of_minimum && !open.empty();
         evaluations += 2) {
      const OpenCell top = open.top();
      // No tube is wider than the instants seen allow. Once the least width is nearly that,
      // dividing gains nothing; nor does it help other cells while the least one cannot be divided.
      if (!(top.width < (1.0 - kWidthTolerance) * least) || search_.isShort(top.cell)) break;
      open.pop();
      PieceCover& piece = cover_.pieces[top.piece];
      CoverCell halves[2];
      search_.split(top.cell, &halves[0], &halves[1]);
      for (CoverCell& half : halves) {
        double& seen = seen_[top.piece];
        seen = std::min(seen, improve(&piece, &half, least));
        least = std::min(least, seen);
        open.push({top.piece, half, width(piece, half)});
      }
    }
    for (; !open.empty(); open.pop()) {
      cover_.pieces[open.top().piece].cells.push_back(open.top().cell);
    }
  }

  /// Replaces the solids of the pair that allows least by finer ones, if these are worth it.
  bool refineLimitingPair() {
    const double least = leastSeen();
    if (!std::isfinite(least)) return false;
    const auto at = std::min_element(seen_.begin(), seen_.end()) - seen_.begin();
    const PieceCover limiting = cover_.pieces[at];
    for (MeshFidelity fidelity : {MeshFidelity::kPieces, MeshFidelity::kManyPieces}) {
      if (fidelity <= limiting.a.fidelity) continue;
      const auto pieces = finerPieces(limiting, fidelity, kWorthwhile * least);
      if (!pieces) continue;
      replace(limiting.pair, *pieces);
      return true;
    }
    return false;
  }

  /// The pair between finer solids, proven to bear `wanted`; none when it does not.
  std::optional<std::vector<PieceCover>> finerPieces(const PieceCover& coarse,
                                                     MeshFidelity fidelity, double wanted) const {
    std::vector<PieceCover> pieces =
        search_.piecesOf(coarse.pair, geometry_.pairs[coarse.pair], fidelity);
    for (PieceCover& piece : pieces) {
      if (!prove(&piece, wanted)) return std::nullopt;
    }
    return pieces;
  }

  /// Halves cells until each bears `wanted`; false at the first instant that does not.
  bool prove(PieceCover* piece, double wanted) const {
    std::vector<CoverCell> open = search_.firstCells(false);
    for (int evaluations = 0; !open.empty(); ++evaluations) {
      CoverCell cell = open.back();
      open.pop_back();
      const double allowed = improve(piece, &cell, wanted);
      if (cell.lower >= target(*piece, cell.time, wanted)) {
        piece->cells.push_back(cell);
        continue;
      }
      // An instant that allows less refutes these solids, however short the cells become.
      if (!(allowed >= wanted) || search_.isShort(cell) ||
          evaluations >= options_.evaluations_per_pair) {
        return false;
      }
      CoverCell halves[2];
      search_.split(cell, &halves[0], &halves[1]);
      open.push_back(halves[1]);
      open.push_back(halves[0]);
    }
    piece->is_clear = search_.isProven(*piece);
    return piece->is_clear;
  }

  void replace(int pair, const std::vector<PieceCover>& pieces) {
    std::vector<PieceCover> kept;
    std::vector<double> seen;
    for (std::size_t p = 0; p < cover_.pieces.size(); ++p) {
      if (cover_.pieces[p].pair == pair) continue;
      kept.push_back(std::move(cover_.pieces[p]));
      seen.push_back(seen_[p]);
    }
    kept.insert(kept.end(), pieces.begin(), pieces.end());
    seen.resize(kept.size(), kInfinity);
    cover_.pieces = std::move(kept);
    seen_ = std::move(seen);
  }

  const CertifiedGeometry& geometry_;
  const CoverOptions& options_;
  const CellSearch& search_;
  CertifiedMotion& motion_;
  const TubeMeasure measure_;
  Cover& cover_;
  std::vector<double> seen_;  ///< by piece: the least width that an instant looked at allows
};

}  // namespace

double tubeWidth(const TubeMeasure& measure, double lower, double margin, const Stray& stray) {
  const bool joints = measure.scale == Scale::kJoints;
  const double unit = joints ? stray.per_unit : stray.total();
  const double room =
      lower - toLimit(measure, margin) - (joints ? stray.scene : 0.0) - kCoverPadding;
  // Negated, so that NaN bears nothing.
  if (!(room >= 0.0) || !(unit >= 0.0)) return 0.0;
  return unit == 0.0 ? kInfinity : room / unit;
}

void TubeMeter::add(const std::string& a, const std::string& b, double margin,
                    const CoverCell& cell, const Stray& stray) {
  for (const TubeMeasure& measure : kMeasures) {
    const double width = tubeWidth(measure, cell.lower, margin, stray);
    double& least = widthOf(tube_, measure);
    if (!(width < least)) continue;
    least = width;
    if (measure.scale != Scale::kJoints || !measure.to_contact) continue;
    tube_.closest_a = a;
    tube_.closest_b = b;
    tube_.closest_t = cell.time.middle();
  }
}

void widenTube(const CertifiedGeometry& geometry, const CoverOptions& options,
               const CellSearch& search, Cover* cover) {
  for (const TubeMeasure& measure : kMeasures) {
    TubeSearch(geometry, options, search, measure, cover).run();
  }
}

ProvenTube tubeOf(const CertifiedGeometry& geometry, const Cover& cover, CertifiedMotion& motion) {
  TubeMeter meter;
  for (const PieceCover& piece : cover.pieces) {
    const CertifiedPair& pair = geometry.pairs[piece.pair];
    for (const CoverCell& cell : piece.cells) {
      meter.add(geometry.bodies[pair.a].name, geometry.bodies[pair.b].name,
                piece.relief.marginDuring(cell.time, piece.margin), cell,
                motion.stray(piece.a, piece.b, cell.time));
    }
  }
  return meter.tube();
}

/// Three digits.
std::string roundedDown(double value) {
  if (!(value > 0.0) || !std::isfinite(value)) return value > 0.0 ? "any" : "0";
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2.0);
  return formatted("%.6g", std::floor(value / unit) * unit);
}

std::string tubeText(const Problem& problem, const ProvenTube& tube) {
  const std::string cables = problem.cables.empty() ? "" : " Cables are not part of this.";
  if (!std::isfinite(tube.joints_to_contact)) {
    return "However far the joints stray, no two bodies come nearer to each other than this." +
           cables;
  }
  const auto& coordinates = problem.robot->coordinates();
  const bool slides = std::any_of(coordinates.begin(), coordinates.end(),
                                  [](const Coordinate& c) { return !c.is_angle; });
  const std::string contact = roundedDown(1e3 * tube.joints_to_contact);
  const bool may_touch = !problem.contacts.empty() || !problem.collision.leaves.empty() ||
                         !problem.collision.lands.empty();
  std::string text = std::string("No bodies meet") +
                     (may_touch ? " (nor come deeper into each other where they may touch)" : "") +
                     " while every joint stays within " + contact + " mrad of the plan" +
                     (slides ? " (sliding joints: mm)" : "") +
                     ", and the margins are kept within " +
                     roundedDown(1e3 * tube.joints_to_margin) + "; '" + tube.closest_a + "' and '" +
                     tube.closest_b + "' limit this at t = " + roundedDown(tube.closest_t) + " s.";
  if (std::isfinite(tube.factor_to_contact)) {
    const bool has_spread =
        std::any_of(problem.obstacles.begin(), problem.obstacles.end(),
                    [](const Obstacle& obstacle) { return !obstacle.spread.isEmpty(); });
    text += " The uncertainty of the task" +
            std::string(has_spread ? ", but for its covariances," : "") +
            " may grow by a factor of " + roundedDown(tube.factor_to_contact) +
            " before bodies meet, of " + roundedDown(tube.factor_to_margin) +
            " before a margin is lost.";
  }
  return text + cables;
}

std::string tubeFault(const ProvenTube& claimed, const ProvenTube& proven, double at_closest) {
  for (const TubeMeasure& measure : kMeasures) {
    const double width = widthOf(claimed, measure);
    // Negated, so that NaN is refused.
    if (!(width >= 0.0) || !(width <= widthOf(proven, measure) * (1.0 + kWidthRounding))) {
      return "the tube is not proven by the cells";
    }
  }
  if (claimed.closest_a.empty() && claimed.closest_b.empty() &&
      std::isinf(claimed.joints_to_contact)) {
    return "";
  }
  if (!(at_closest <= claimed.joints_to_contact * (1.0 + kWidthRounding))) {
    return "the tube is not limited by the pair at the instant given";
  }
  return "";
}

}  // namespace allclear
