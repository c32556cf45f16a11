// The dual Phong distance of two bodies: queries, from cheap to expensive. dual_walk.cpp has the
// equations and derives the gradient.
//
// A query tries, in this order: the solution on the frozen facets; a walk from the last solution;
// walks from the Euclidean witnesses; the Euclidean distance, flagged `fallback`. Invariant: every
// result but those on frozen facets has passed the guard of pair_memory.h.

#include "allclear/distance/phong/dual.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "allclear/distance/phong/dual_walk.h"
#include "allclear/distance/phong/pair_memory.h"

namespace allclear {
namespace {

using phong::DualEquations;
using phong::DualWalk;
using phong::PointPair;
using phong::SurfacePoint;

/// The distance at a solution of the equations; nothing where it has no gradient or no meaning.
std::optional<SmoothDistance> distanceAt(const DualEquations& e, const Pose& X_WA,
                                         const Pose& X_WB) {
  // Normals that point the same way solve the equations too, where one surface lies behind the
  // other. Solutions have m = -n or m = n to rounding: any limit between them will do.
  if (e.n.dot(e.m) > -0.5) return std::nullopt;
  const auto of_B = phong::gradientByB(e);
  if (!of_B) return std::nullopt;
  SmoothDistance out;
  out.distance = -e.n.dot(e.x);
  out.witness_B = X_WB.p + X_WA.R * e.Rb;
  out.witness_A = out.witness_B + X_WA.R * e.x;
  out.normal = X_WA.R * e.n;
  out.gradient = phong::gradientFromMotionOfB(X_WA.R * (*of_B)[0], X_WA.R * (*of_B)[1], X_WA, X_WB);
  return out;
}

PointPair pointsOf(const SmoothState& state) {
  PointPair out;
  out.a.triangle = state.feature_A[0];
  out.b.triangle = state.feature_B[0];
  for (int k = 0; k < 3; ++k) {
    out.a.weights[k] = state.weight_A[k];
    out.b.weights[k] = state.weight_B[k];
  }
  return out;
}

void storePoints(const PointPair& points, SmoothState* state) {
  state->valid = true;
  state->feature_A[0] = points.a.triangle;
  state->feature_B[0] = points.b.triangle;
  for (int k = 0; k < 3; ++k) {
    state->weight_A[k] = points.a.weights[k];
    state->weight_B[k] = points.b.weights[k];
  }
}

/// Whether the points are on their facets or not far outside. The extended planes mean little
/// farther away.
bool areNearFacets(const PointPair& points) {
  constexpr double kFarthest = -0.5;  // barycentric: half a triangle's height beyond an edge
  return std::min(points.a.weights.minCoeff(), points.b.weights.minCoeff()) >= kFarthest;
}

struct DualMemory : phong::PairMemory {
  bool lowered = false;  ///< the state's solution was returned lowered, see `lowerNearContact`
};

/// The corners of facets meet a little before the smooth normals say so: the bodies overlap while
/// the solution is still positive. Then values below `band` (b) are mapped to negative ones, by a
/// parabola from (-2b, b) to (-2b, 0) with slope 1 at the deep end, where it joins the unchanged
/// values, and 1/3 at the other; beyond b it goes on straight. The direction does not turn, and the
/// gradient is scaled by the slope, so it stays that of the value.
void lowerNearContact(double band, SmoothDistance* d) {
  const double t = (d->distance + 2.0 * band) / (3.0 * band);  // 0 at -2b, 1 at b
  if (t <= 0.0) return;
  const double slope = 1.0 - 2.0 / 3.0 * std::min(t, 1.0);
  d->distance = t < 1.0 ? band * (t * (3.0 - t) - 2.0) : slope * (d->distance - band);
  for (Vec3* g : {&d->gradient.translation_A, &d->gradient.rotation_A, &d->gradient.translation_B,
                  &d->gradient.rotation_B}) {
    *g *= slope;
  }
}

/// One query, in steps from cheap to expensive.
class DualQuery {
 public:
  DualQuery(const PhongBody& A, const Pose& X_WA, const PhongBody& B, const Pose& X_WB,
            double smoothing, SmoothState* state)
      : A_(A),
        B_(B),
        X_WA_(X_WA),
        X_WB_(X_WB),
        X_AB_(X_WA.inverse() * X_WB),
        smoothing_(smoothing),
        walk_(walkOn(smoothing)),
        state_(*state),
        memory_(memoryOf<DualMemory>(state)) {}

  SmoothDistance run() {
    std::optional<Solution> doubtful;
    if (state_.valid) {
      if (state_.frozen) {
        if (const auto found = onFrozenFacets()) return *found;
      }
      auto found = solve(walk_, pointsOf(state_));
      const Verdict verdict = found ? judge(&*found) : Verdict::kRefused;
      if (verdict == Verdict::kAccepted) return accept(*found);
      if (verdict == Verdict::kUnknown) doubtful = found;
    }
    const SignedDistance euclidean = memory_.euclidean(A_, X_WA_, B_, X_WB_);
    const auto claims = [&](double factor) {
      return doubtful && agrees(&*doubtful, euclidean) &&
             std::abs(doubtful->result.distance) <= factor * std::abs(euclidean.distance);
    };
    // An unproven solution much longer than the depth would need the depth again in the next query:
    // prefer one from the new witnesses.
    if (claims(kMuchMore)) return accept(*doubtful);
    if (const auto found = fromWitnesses(euclidean)) return accept(*found);
    if (claims(std::numeric_limits<double>::infinity())) return accept(*doubtful);
    if (!state_.frozen) state_.valid = false;
    return phong::fallbackResult(euclidean, X_WA_, X_WB_);
  }

 private:
  using Verdict = phong::PairMemory::Verdict;
  /// By the depth: an unproven solution longer than this is replaced if there is a better one.
  static constexpr double kMuchMore = 1.2;
  /// Of the size: below it a solution may be lowered. Facets' corners meet up to (edge)^2 times the
  /// curvature early, 1 to 8 mm on bodies of 1.2 m and 600 triangles.
  static constexpr double kBand = 0.01;

  struct Solution {
    SmoothDistance result;
    PointPair points;
    bool lowered = false;
  };

  DualWalk walkOn(double smoothing) const {
    return {A_.surface(smoothing), B_.surface(smoothing), X_AB_, std::min(A_.size(), B_.size())};
  }

  std::optional<SmoothDistance> onFrozenFacets() const {
    PointPair points = pointsOf(state_);
    DualEquations e;
    if (!walk_.solve(&points, false, &e) || !areNearFacets(points)) return std::nullopt;
    auto found = distanceAt(e, X_WA_, X_WB_);
    if (found && memory_.lowered) lowerNearContact(band(), &*found);
    return found;
  }

  std::optional<Solution> solve(const DualWalk& walk, PointPair points) const {
    DualEquations e;
    if (!walk.solve(&points, true, &e)) return std::nullopt;
    const auto found = distanceAt(e, X_WA_, X_WB_);
    if (!found) return std::nullopt;
    return Solution{*found, points};
  }

  double size() const { return std::min(A_.size(), B_.size()); }
  double band() const { return kBand * size(); }

  Verdict judge(const SmoothDistance& d) {
    return memory_.judge(d.distance, d.witness_A, d.witness_B, A_, X_WA_, B_, X_WB_);
  }

  /// Judges a solution; near contact it may first have to be lowered to get the right sign.
  Verdict judge(Solution* solution) {
    const double distance = solution->result.distance;
    // Once lowered, stay so while in the band: returning to the plain value would make a jump.
    if (memory_.lowered && distance > -2.0 * band() && distance < band()) {
      Solution low = lowered(*solution);
      const Verdict verdict = judge(low.result);
      if (verdict != Verdict::kRefused) {
        *solution = low;
        return verdict;
      }
    }
    const Verdict verdict = judge(solution->result);
    if (verdict != Verdict::kRefused || !(distance > 0.0 && distance < band())) return verdict;
    // Refused as positive: because the bodies overlap already?
    if (!memory_.overlap(A_, X_WA_, B_, X_WB_)) return verdict;
    *solution = lowered(*solution);
    return Verdict::kAccepted;
  }

  /// The same when the Euclidean distance is known.
  bool agrees(Solution* solution, const SignedDistance& euclidean) const {
    const double distance = solution->result.distance;
    if (euclidean.distance < 0.0 && distance > 0.0 && distance < band()) {
      *solution = lowered(*solution);
    }
    return phong::PairMemory::agrees(solution->result.distance, euclidean.distance, size());
  }

  Solution lowered(const Solution& solution) const {
    Solution out = solution;
    if (!out.lowered) lowerNearContact(band(), &out.result);
    out.lowered = true;
    return out;
  }

  /// Makes the solution the start of the next query, unless the branch is frozen.
  const SmoothDistance& accept(const Solution& solution) {
    if (!state_.frozen) {
      storePoints(solution.points, &state_);
      memory_.lowered = solution.lowered;
    }
    return solution.result;
  }

  /// A solution by walks from the Euclidean witnesses. Where the direct walk gets stuck, a solution
  /// on smoother surfaces (larger averaging radius) leads it; else it starts from the triangles
  /// next to those of the witnesses.
  std::optional<Solution> fromWitnesses(const SignedDistance& euclidean) {
    const auto solution = [&](const PointPair& points) {
      auto found = solve(walk_, points);
      return found && agrees(&*found, euclidean) ? found : std::nullopt;
    };
    const auto led = [&](const PointPair& from) -> std::optional<Solution> {
      for (double smoother : {0.1, 0.2}) {  // of the size: levels of `PhongBody::surface`
        if (smoother * size() <= smoothing_) continue;
        PointPair points = from;
        DualEquations e;
        if (!walkOn(smoother * size()).solve(&points, true, &e)) continue;
        if (const auto found = solution(points)) return found;
      }
      return std::nullopt;
    };
    PointPair start;
    start.a = phong::offCorner(A_.tree().nearest(A_.mesh(), X_WA_.inverse() * euclidean.witness_A));
    start.b = phong::offCorner(B_.tree().nearest(B_.mesh(), X_WB_.inverse() * euclidean.witness_B));
    if (const auto found = solution(start)) return found;
    if (const auto found = led(start)) return found;
    for (int i = 0; i < 6; ++i) {
      PointPair beside = start;
      SurfacePoint& point = i < 3 ? beside.a : beside.b;
      const int next = (i < 3 ? A_ : B_).mesh().neighbours[point.triangle][i % 3];
      if (next < 0) continue;
      point = {next, Vec3::Constant(1.0 / 3.0)};
      if (const auto found = solution(beside)) return found;
      if (const auto found = led(beside)) return found;
    }
    return std::nullopt;
  }

  const PhongBody &A_, &B_;
  const Pose &X_WA_, &X_WB_;
  Pose X_AB_;
  double smoothing_;
  DualWalk walk_;
  SmoothState& state_;
  DualMemory& memory_;
};

}  // namespace

SmoothDistance dualPhongDistance(const PhongBody& A, const Pose& X_WA, const PhongBody& B,
                                 const Pose& X_WB, const SmoothOptions& options,
                                 SmoothState* state) {
  SmoothState fresh;
  if (!state) state = &fresh;
  return DualQuery(A, X_WA, B, X_WB, options.smoothing, state).run();
}

}  // namespace allclear
