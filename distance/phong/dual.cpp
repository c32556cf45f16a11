// The dual form of the Phong distance: no Minkowski sum, but its two summands.
//
// In A's frame, with X_AB = (R, t): surface points a (coordinates u1, u2 of a triangle of A) and
// b (v1, v2), x = a - (R b + t), Psi the plane at a, n_B the normal at b, m = R n_B. Four equations
//   F = (Psi x, Psi m) = 0:
// x and B's normal are both along A's normal n. The distance is delta = -n.x, and x = -delta n.
//
// Derivatives: delta changes with (u, v) by -n.da + n.R db (dn.x = 0 where x is along n), and
//   d delta = n.dt' - w^T dF|poses,   J^T w = (d delta / d(u, v)),   J = dF / d(u, v),
// dt' being the motion of b. B moving by tau and by omega about its origin: db' = tau + omega x R
// b, dm = omega x m.

#include "allclear/distance/phong/dual.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "allclear/distance/phong/pair_memory.h"

namespace allclear {
namespace {

using phong::PhongNormal;
using phong::PhongPlane;
using phong::SurfacePoint;
using Vec4 = Eigen::Matrix<double, 4, 1>;
using Mat4 = Eigen::Matrix<double, 4, 4>;

struct Points {
  SurfacePoint a, b;
};

/// The equations at one pair of points.
struct Equations {
  Vec4 F;
  Mat4 J;
  phong::Plane Psi;
  Vec3 n, m, x, Rb;
  Vec3 da[2], db[2];  ///< by the coordinates, db turned into A's frame
};

class DualWalk {
 public:
  DualWalk(const PhongSurface& A, const PhongSurface& B, const Pose& X_AB, double size)
      : A_(A), B_(B), X_(X_AB), size_(size) {}

  Equations equations(const Points& at) const;
  /// From `at` to a solution: over edges, or (`walking` false) on the two facets and their planes.
  bool solve(Points* at, bool walking, Equations* out) const;

  /// F as one number: lengths by the size or what is left of it.
  double residual(const Equations& e) const {
    return std::hypot(e.F.head<2>().norm() / length_, e.F.tail<2>().norm());
  }

 private:
  Points moved(const Points& at, const Equations& e, const Vec4& step, bool walking) const;

  const PhongSurface& A_;
  const PhongSurface& B_;
  const Pose& X_;
  double size_;
  mutable double length_ = 1.0;
};

Equations DualWalk::equations(const Points& at) const {
  Equations e;
  const PhongPlane plane = A_.plane(at.a);
  const PhongNormal normal_A = phong::phongNormal(plane, A_.triangle(at.a.triangle).sign);
  const PhongNormal normal_B = B_.normal(at.b);
  for (int k = 0; k < 2; ++k) {
    e.da[k] = A_.mesh().corner(at.a.triangle, k) - A_.mesh().corner(at.a.triangle, 2);
    e.db[k] = X_.R * (B_.mesh().corner(at.b.triangle, k) - B_.mesh().corner(at.b.triangle, 2));
  }
  e.Rb = X_.R * phong::position(B_.mesh(), at.b);
  e.x = phong::position(A_.mesh(), at.a) - e.Rb - X_.p;
  e.Psi = plane.value;
  e.n = normal_A.value;
  e.m = X_.R * normal_B.value;
  e.F << e.Psi * e.x, e.Psi * e.m;
  for (int k = 0; k < 2; ++k) {
    e.J.col(k) << plane.derivative[k] * e.x + e.Psi * e.da[k], plane.derivative[k] * e.m;
    e.J.col(2 + k) << -(e.Psi * e.db[k]), e.Psi * (X_.R * normal_B.derivative[k]);
  }
  return e;
}

Points DualWalk::moved(const Points& at, const Equations& e, const Vec4& step, bool walking) const {
  Points next = at;
  if (!walking) {
    next.a.weights += Vec3(step[0], step[1], -step[0] - step[1]);
    next.b.weights += Vec3(step[2], step[3], -step[2] - step[3]);
    return next;
  }
  phong::walk(A_.mesh(), step[0] * e.da[0] + step[1] * e.da[1], &next.a);
  const Vec3 of_b = step[2] * e.db[0] + step[3] * e.db[1];
  phong::walk(B_.mesh(), X_.R.transpose() * of_b, &next.b);
  return next;
}

bool DualWalk::solve(Points* at, bool walking, Equations* out) const {
  constexpr int kMostSteps = 40;
  constexpr double kConverged = 2e-14, kStalled = 1e-10;
  constexpr double kLongest = 0.15;  // step by size
  Equations e = equations(*at);
  length_ = std::max(e.x.norm(), 0.05 * size_);
  double before = residual(e);
  for (int step = 0; step < kMostSteps && before > kConverged; ++step) {
    Vec4 d = -e.J.partialPivLu().solve(e.F);
    if (!d.allFinite()) break;
    const double longest = std::max((d[0] * e.da[0] + d[1] * e.da[1]).norm(),
                                    (d[2] * e.db[0] + d[3] * e.db[1]).norm());
    if (longest > kLongest * size_) d *= kLongest * size_ / longest;
    Points next = *at, best = *at;
    Equations e_best = e;
    double least = std::numeric_limits<double>::infinity();
    double fraction = 1.0;
    for (int half = 0; half < 6; ++half, fraction *= 0.5) {
      next = moved(*at, e, fraction * d, walking);
      const Equations e_next = equations(next);
      const double after = residual(e_next);
      if (after < least) {
        least = after;
        best = next;
        e_best = e_next;
      }
      if (after < (1.0 - 0.1 * fraction) * before) break;
    }
    if (!(least < before)) break;
    *at = best;
    e = e_best;
    before = least;
  }
  *out = e;
  return before <= kStalled;
}

/// Of the distance by B's motion, in A's frame; nothing where J is singular.
std::optional<std::array<Vec3, 2>> gradient(const Equations& e) {
  Vec4 by_points;
  for (int k = 0; k < 2; ++k) {
    by_points[k] = -e.n.dot(e.da[k]);
    by_points[2 + k] = e.n.dot(e.db[k]);
  }
  const Vec4 w = e.J.transpose().partialPivLu().solve(by_points);
  if (!w.allFinite()) return std::nullopt;
  Vec3 translation = e.n, rotation = e.Rb.cross(e.n);
  for (int r = 0; r < 2; ++r) {
    const Vec3 row = e.Psi.row(r);
    translation += w[r] * row;
    rotation += w[r] * e.Rb.cross(row) - w[2 + r] * e.m.cross(row);
  }
  return std::array<Vec3, 2>{translation, rotation};
}

/// The answer at a solution.
std::optional<SmoothDistance> answer(const Equations& e, const Pose& X_WA, const Pose& X_WB) {
  // Normals that point the same way solve the equations too: a face behind another one.
  if (e.n.dot(e.m) > -0.5) return std::nullopt;
  const auto of_B = gradient(e);
  if (!of_B) return std::nullopt;
  SmoothDistance out;
  out.distance = -e.n.dot(e.x);
  out.witness_B = X_WB.p + X_WA.R * e.Rb;
  out.witness_A = out.witness_B + X_WA.R * e.x;
  out.normal = X_WA.R * e.n;
  out.gradient = phong::gradientOfB(X_WA.R * (*of_B)[0], X_WA.R * (*of_B)[1], X_WA, X_WB);
  return out;
}

Points pointsOf(const SmoothState& state) {
  Points out;
  out.a.triangle = state.feature_A[0];
  out.b.triangle = state.feature_B[0];
  for (int k = 0; k < 3; ++k) {
    out.a.weights[k] = state.weight_A[k];
    out.b.weights[k] = state.weight_B[k];
  }
  return out;
}

void keep(const Points& points, SmoothState* state) {
  state->valid = true;
  state->feature_A[0] = points.a.triangle;
  state->feature_B[0] = points.b.triangle;
  for (int k = 0; k < 3; ++k) {
    state->weight_A[k] = points.a.weights[k];
    state->weight_B[k] = points.b.weights[k];
  }
}

bool nearFacets(const Points& points) {
  constexpr double kOutside = -0.5;
  return std::min(points.a.weights.minCoeff(), points.b.weights.minCoeff()) >= kOutside;
}

struct DualMemory : phong::PairMemory {
  bool lowered = false;  ///< what the state's solution gives out
};

/// Facets' corners meet a little before the smooth normals say so. From then on what is less than
/// `band` is given out as less than 0, what is below -2 band as it is, and in between a parabola
/// rises: the direction stays, value and gradient belong together.
void lower(double band, SmoothDistance* d) {
  const double t = (d->distance + 2.0 * band) / (3.0 * band);
  if (t <= 0.0) return;
  const double slope = 1.0 - 2.0 / 3.0 * std::min(t, 1.0);
  d->distance = t < 1.0 ? band * (t * (3.0 - t) - 2.0) : slope * (d->distance - band);
  for (Vec3* g : {&d->gradient.translation_A, &d->gradient.rotation_A, &d->gradient.translation_B,
                  &d->gradient.rotation_B}) {
    *g *= slope;
  }
}

/// One query.
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
      if (verdict == Verdict::kAccepted) return taken(*found);
      if (verdict == Verdict::kUnknown) doubtful = found;
    }
    const SignedDistance euclidean = memory_.euclidean(A_, X_WA_, B_, X_WB_);
    const auto claims = [&](double factor) {
      return doubtful && agrees(&*doubtful, euclidean) &&
             std::abs(doubtful->answer.distance) <= factor * std::abs(euclidean.distance);
    };
    // What is much more than the depth and cannot be proven would be doubtful again next time.
    if (claims(kMuchMore)) return taken(*doubtful);
    if (const auto found = fromWitnesses(euclidean)) return taken(*found);
    if (claims(std::numeric_limits<double>::infinity())) return taken(*doubtful);
    if (!state_.frozen) state_.valid = false;
    return phong::fallback(euclidean, X_WA_, X_WB_);
  }

 private:
  using Verdict = phong::PairMemory::Verdict;
  static constexpr double kMuchMore = 1.2;
  static constexpr double kBand = 0.01;  // of the size

  struct Solution {
    SmoothDistance answer;
    Points points;
    bool lowered = false;
  };

  DualWalk walkOn(double smoothing) const {
    return {A_.surface(smoothing), B_.surface(smoothing), X_AB_, std::min(A_.size(), B_.size())};
  }

  std::optional<SmoothDistance> onFrozenFacets() const {
    Points points = pointsOf(state_);
    Equations e;
    if (!walk_.solve(&points, false, &e) || !nearFacets(points)) return std::nullopt;
    auto found = answer(e, X_WA_, X_WB_);
    if (found && memory_.lowered) lower(band(), &*found);
    return found;
  }

  std::optional<Solution> solve(const DualWalk& walk, Points points) const {
    Equations e;
    if (!walk.solve(&points, true, &e)) return std::nullopt;
    const auto found = answer(e, X_WA_, X_WB_);
    if (!found) return std::nullopt;
    return Solution{*found, points};
  }

  double size() const { return std::min(A_.size(), B_.size()); }
  double band() const { return kBand * size(); }

  Verdict judge(const SmoothDistance& d) {
    return memory_.judge(d.distance, d.witness_A, d.witness_B, A_, X_WA_, B_, X_WB_);
  }

  /// Lowers it where it takes that.
  Verdict judge(Solution* solution) {
    const double distance = solution->answer.distance;
    if (memory_.lowered && distance > -2.0 * band() && distance < band()) {
      Solution low = lowered(*solution);
      const Verdict verdict = judge(low.answer);
      if (verdict != Verdict::kRefused) {
        *solution = low;
        return verdict;
      }
    }
    const Verdict verdict = judge(solution->answer);
    if (verdict != Verdict::kRefused || !(distance > 0.0 && distance < band())) return verdict;
    if (!memory_.overlap(A_, X_WA_, B_, X_WB_)) return verdict;
    *solution = lowered(*solution);
    return Verdict::kAccepted;
  }

  /// The same by the Euclidean distance.
  bool agrees(Solution* solution, const SignedDistance& euclidean) const {
    const double distance = solution->answer.distance;
    if (euclidean.distance < 0.0 && distance > 0.0 && distance < band()) {
      *solution = lowered(*solution);
    }
    return phong::PairMemory::agrees(solution->answer.distance, euclidean.distance, size());
  }

  Solution lowered(const Solution& solution) const {
    Solution out = solution;
    if (!out.lowered) lower(band(), &out.answer);
    out.lowered = true;
    return out;
  }

  const SmoothDistance& taken(const Solution& solution) {
    if (!state_.frozen) {
      keep(solution.points, &state_);
      memory_.lowered = solution.lowered;
    }
    return solution.answer;
  }

  /// Where the walk gets stuck it is led by the solutions on smoother surfaces, or sets out from
  /// the triangles next to the witnesses'.
  std::optional<Solution> fromWitnesses(const SignedDistance& euclidean) {
    const auto solution = [&](const Points& points) {
      auto found = solve(walk_, points);
      return found && agrees(&*found, euclidean) ? found : std::nullopt;
    };
    const auto led = [&](const Points& from) -> std::optional<Solution> {
      for (double smoother : {0.1, 0.2}) {
        if (smoother * size() <= smoothing_) continue;
        Points points = from;
        Equations e;
        if (!walkOn(smoother * size()).solve(&points, true, &e)) continue;
        if (const auto found = solution(points)) return found;
      }
      return std::nullopt;
    };
    Points start;
    start.a = phong::offCorner(A_.tree().nearest(A_.mesh(), X_WA_.inverse() * euclidean.witness_A));
    start.b = phong::offCorner(B_.tree().nearest(B_.mesh(), X_WB_.inverse() * euclidean.witness_B));
    if (const auto found = solution(start)) return found;
    if (const auto found = led(start)) return found;
    for (int i = 0; i < 6; ++i) {
      Points beside = start;
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
