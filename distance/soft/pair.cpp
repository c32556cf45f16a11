// The softened distance of two convex pieces A and B.
//
// Along a unit normal n from A to B the gap between them is d(n) = -h_A(n) - h_B(-n), h their
// support functions: the width of the widest slab across n between the bodies, negative where their
// shadows on n overlap. The signed distance is the largest gap over all n. The softened distance is
//   soft = tau log( 1/K sum_k exp(d_k / tau) ),   d_k = -g_A(n_k) - g_B(-n_k) - radii,
// over K directions n_k, with soft supports g >= h (soft/support.h). Hence d_k <= d(n_k) <=
// distance, and a mean does not exceed its largest term: soft <= distance. Leaving out terms or
// directions keeps this true as long as K counts them.
//
// Gradient. Each n_k turns with one body, its owner P. Turning P together with n_k leaves g_P(n_k)
// as it is; so in the owner's frame only the other body Q moves, and d_k changes by the motion of
// Q's support point q along n_k (the derivative of a support function is its support point):
//   d(d_k) = n_k . (motion of q seen from P):  force n_k and moment q x n_k on Q, the opposite on
//   P.
//
// Symbols: tau softness; P, Q frames of the cores of a direction's owner and of the other piece;
// hard = exact support or gap, soft = softened one; hard gaps bound soft ones from above.

#include "allclear/distance/soft/pair.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/simd.h"

namespace allclear {
namespace {

/// Of the softness: the part by which the supports are softened. Corners then blend within the same
/// few tau in which directions compete.
constexpr double kSupportShare = 0.5;
/// Subtracted, of the pair's size: several times the rounding of the sums.
constexpr double kRounding = 1e-14;
/// Subtracted, of the distances from the world's origin: the rounding of the pieces' poses.
constexpr double kPlaceRounding = 1e-15;

/// The directions fixed to one piece, the owner, as seen in its frame P; Q is the other's frame.
struct DirectionSet {
  const SoftPiece* owner = nullptr;
  const SoftPiece* other = nullptr;
  const Columns* directions = nullptr;  ///< outward of the owner
  const std::vector<double>* supports = nullptr;
  OwnSupports* soft_supports = nullptr;
  Pose X_WP, X_WQ;
  bool owner_is_A = true;  ///< then the normal from A to B is outward of the owner, else inward
  Mat3 R_PQ;
  Vec3 p_PQ;
};

void place(const Pose& X_WP, const Pose& X_WQ, DirectionSet* set) {
  set->X_WP = X_WP;
  set->X_WQ = X_WQ;
  set->R_PQ = X_WP.R.transpose() * X_WQ.R;
  set->p_PQ = X_WP.R.transpose() * (X_WQ.p - X_WP.p);
}

/// A's whole fan.
DirectionSet directionsOfA(const SoftPiecePair& pair) {
  DirectionSet set{pair.a, pair.b, &pair.a->fan, &pair.a->fan_supports, pair.along_fan};
  place(pair.X_WA, pair.X_WB, &set);
  return set;
}

/// Only B's own normals: another fan would add little.
DirectionSet directionsOfB(const SoftPiecePair& pair) {
  DirectionSet set{pair.b, pair.a, &pair.b->own, &pair.b->own_supports, pair.along_own};
  set.owner_is_A = false;
  place(pair.X_WB, pair.X_WA, &set);
  return set;
}

/// out_k = -(columns of R) . in_k, that is -R^T in_k: the same directions, outward of the other
/// piece and in its frame.
ALLCLEAR_MULTIVERSION void turnedAround(const double* R, const double* x, const double* y,
                                        const double* z, int n, double* ox, double* oy,
                                        double* oz) {
  for (int k = 0; k < n; ++k) {
    ox[k] = -(R[0] * x[k] + R[1] * y[k] + R[2] * z[k]);
    oy[k] = -(R[3] * x[k] + R[4] * y[k] + R[5] * z[k]);
    oz[k] = -(R[6] * x[k] + R[7] * y[k] + R[8] * z[k]);
  }
}

/// Hard gaps along the directions of one set. The owner's supports are known; the other's are
/// computed here, all at once.
void hardGaps(const DirectionSet& set, Columns* turned, std::vector<double>* supports_of_other,
              std::vector<double>* gaps) {
  const Columns& in = *set.directions;
  const int n = in.count();
  for (std::vector<double>* column : {&turned->x, &turned->y, &turned->z}) column->resize(n);
  supports_of_other->assign(n, 0.0);
  gaps->resize(n);
  turnedAround(set.R_PQ.data(), in.x.data(), in.y.data(), in.z.data(), n, turned->x.data(),
               turned->y.data(), turned->z.data());
  if (!set.other->is_half_space && n > 0) {
    hardSupports(set.other->body, *turned, supports_of_other->data());
  }
  const double radii = set.owner->body.core.radius + set.other->body.core.radius;
  // n.(origin of Q - origin of P) less both supports, all in P.
  const Vec3& p = set.p_PQ;
  for (int k = 0; k < n; ++k) {
    (*gaps)[k] = in.x[k] * p.x() + in.y[k] * p.y() + in.z[k] * p.z() - (*set.supports)[k] -
                 (*supports_of_other)[k] - radii;
  }
}

SoftGap softGap(const DirectionSet& set, int k, double hard_support_of_other, double softness) {
  const double sigma = kSupportShare * softness;
  const Vec3 n_P = (*set.directions)[k];
  const Vec3 n_Q = -(set.R_PQ.transpose() * n_P);
  SoftGap out;
  SoftSupport own, other;
  if (!set.owner->is_half_space) {
    own = set.soft_supports->at(k, set.owner->body, n_P, sigma, (*set.supports)[k]);
  }
  if (!set.other->is_half_space) {
    other = softSupport(set.other->body, n_Q, sigma, hard_support_of_other);
  }
  const double r_P = set.owner->body.core.radius;
  const double r_Q = set.other->body.core.radius;
  out.value = n_P.dot(set.p_PQ) - own.value - other.value - r_P - r_Q;
  // The balls around the cores reach radius farther along the normal.
  const Vec3 outward = set.X_WP.R * n_P;
  out.normal = (set.owner_is_A ? 1.0 : -1.0) * outward;
  out.point_of_owner = set.X_WP * own.point + r_P * outward;
  out.point_of_other = set.X_WQ * other.point - r_Q * outward;
  return out;
}

/// One query for a pair of pieces.
class PairQuery {
 public:
  PairQuery(const SoftPiecePair& pair, const Softness& how, SoftWorkspace* workspace)
      : how_(how), softness_(how.softness), work_(*workspace) {
    // A half-space bounds the other body along its own normal alone.
    if (!pair.b->is_half_space) sets_[set_count_++] = directionsOfA(pair);
    if (!pair.a->is_half_space) sets_[set_count_++] = directionsOfB(pair);
  }

  SoftPairDistance run() {
    findWidestHardGap();
    const SoftGap widest = softGap(sets_[widest_set_], widest_,
                                   work_.supports_of_other[widest_set_][widest_], softness_);
    softenCompetingGaps(widest.value);
    SoftPairDistance out = softMaximum();
    out.widest_normal = widest.normal;
    return out;
  }

 private:
  void findWidestHardGap() {
    double most = -HUGE_VAL;
    for (int i = 0; i < set_count_; ++i) {
      hardGaps(sets_[i], &work_.turned, &work_.supports_of_other[i], &work_.gaps[i]);
      direction_count_ += static_cast<int>(work_.gaps[i].size());
      for (std::size_t k = 0; k < work_.gaps[i].size(); ++k) {
        if (work_.gaps[i][k] <= most) continue;
        most = work_.gaps[i][k];
        widest_set_ = i;
        widest_ = static_cast<int>(k);
      }
    }
  }

  /// A hard gap bounds its soft one from above, so most directions drop out before the expensive
  /// soft supports: what is below `least` is negligible beside the widest direction alone.
  ///
  /// The pair itself may be. Its value v is at least the widest gap less softness log K, and it
  /// counts e^(-(v - `how_.least`) / softness) beside the other pairs at most: an error of its
  /// terms that is larger by the inverse of that is as small in the whole.
  void softenCompetingGaps(double widest_value) {
    const double log_count = std::log(direction_count_);
    const double lighter = (widest_value - how_.least) / softness_ - log_count;
    const double negligible = how_.negligible + log_count - std::max(0.0, lighter);
    const double least = widest_value - softness_ * std::max(0.0, negligible);
    work_.active.clear();
    for (int i = 0; i < set_count_; ++i) {
      for (std::size_t k = 0; k < work_.gaps[i].size(); ++k) {
        // The widest counts in any case: its soft gap may round to above the hard one.
        const bool is_widest = i == widest_set_ && static_cast<int>(k) == widest_;
        if (work_.gaps[i][k] < least && !is_widest) continue;
        work_.active.push_back(
            softGap(sets_[i], static_cast<int>(k), work_.supports_of_other[i][k], softness_));
        largest_ = std::max(largest_, work_.active.back().value);
      }
      if (i == 0) active_of_first_set_ = work_.active.size();
    }
  }

  SoftPairDistance softMaximum() const {
    SoftPairDistance out;
    SoftSums sums;
    double sum = 0.0;
    for (std::size_t k = 0; k < work_.active.size(); ++k) {
      const SoftGap& gap = work_.active[k];
      const double weight = std::exp((gap.value - largest_) / softness_);
      const bool owner_is_A = (k < active_of_first_set_ ? sets_[0] : sets_[1]).owner_is_A;
      sum += weight;
      sums.normal += weight * gap.normal;
      // The direction turns with its owner: only the other's support point moves along it.
      sums.moment += weight * gap.point_of_other.cross(gap.normal);
      sums.on_A += weight * (owner_is_A ? gap.point_of_owner : gap.point_of_other);
      sums.on_B += weight * (owner_is_A ? gap.point_of_other : gap.point_of_owner);
    }
    out.mean.add(1.0 / sum, sums);
    out.value = largest_ + softness_ * std::log(sum / direction_count_);
    return out;
  }

  const Softness& how_;
  double softness_;
  SoftWorkspace& work_;
  DirectionSet sets_[2];
  int set_count_ = 0;
  int direction_count_ = 0;  ///< K
  int widest_set_ = 0, widest_ = 0;
  double largest_ = -HUGE_VAL;  ///< soft gap
  std::size_t active_of_first_set_ = 0;
};

}  // namespace

SoftPairDistance softPairDistance(const SoftPiecePair& pair, const Softness& how,
                                  SoftWorkspace* workspace) {
  SoftPairDistance out = PairQuery(pair, how, workspace).run();
  const SoftPiece &A = *pair.a, &B = *pair.b;
  const Vec3 &p_WA = pair.X_WA.p, &p_WB = pair.X_WB.p;
  // The size of the numbers that were added up: of a half-space, its distance from the other piece.
  const double size =
      A.reach() + B.reach() +
      (A.is_half_space || B.is_half_space ? (p_WA - p_WB).norm() : std::fabs(out.value));
  out.value -= kRounding * size + kPlaceRounding * (p_WA.norm() + p_WB.norm());
  return out;
}

/// The fan has a direction n within the angle of `kFanCosine` of the line of centres c. Along it
/// the gap is at least n.c - reach_A - reach_B >= kFanCosine |c| - reaches. Softening lowers it by
/// the excess of the soft supports, and the mean over K directions by at most tau log K.
double lowerSoftPairDistance(const SoftPiece& A, const Pose& X_WA, const SoftPiece& B,
                             const Pose& X_WB, double softness) {
  if (A.is_half_space || B.is_half_space) return -HUGE_VAL;
  const double bias =
      std::log(kMostPairDirections) + kSupportShare * (A.log_corners + B.log_corners);
  return kFanCosine * (X_WA.p - X_WB.p).norm() - A.reach() - B.reach() - softness * bias;
}

}  // namespace allclear
