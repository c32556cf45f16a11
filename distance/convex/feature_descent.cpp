// The contact that a coarse answer names. GJK ends with up to three points of A and of B, and a
// face of the penetration polytope has three: they tell which corner, edge, face, rim, cap, line or
// ellipsoid takes part in the contact on either side (contact_feature.h). For two features the
// stationary normal is a small problem without any search for support points:
//
//   normals that the features allow    the stationary normal
//   one (a face or a cap)              that one
//   two circles                        their crossing nearest to n0
//   one circle                         Newton's iteration in the angle
//   all                                Newton's iteration in two tangents
//
// Then the lines that span edges, faces and sides are cut to where the two meet: a contact outside
// of a feature's ends says which part of it to give up. What is left has its normal examined by the
// cores' own support points, the only two of a round: a point that reaches farther joins the
// feature. Few rounds are needed; where these do not end, all creases are tried
// (normal_refinement.h).
//
// Symbols (A's frame, B mirrored, so that n supports both): x = the sum of the two points, H = n.x
// = -s, H'' its second derivative in space. Stationary is x = H n; a minimum of H has H'' - H I
// positive definite on the tangents, which is what makes s(n) a maximum.

#include "allclear/distance/convex/feature_descent.h"

#include <algorithm>

#include "allclear/distance/convex/contact_feature.h"

namespace allclear {
namespace {

constexpr int kMostRounds = 8;
constexpr int kMostSteps = 12;
constexpr double kLongestStep = 0.3;  // [rad] of one Newton iteration

/// [rad] After a step this short the error is about its square.
constexpr double kLastStep = 1e-8;

/// Of the size [m per rad^2]: with less curvature the maximum is a whole arc of normals.
constexpr double kIsolated = 1e-9;

/// The squared sine between two axes, or lines, below which they are parallel.
constexpr double kParallel2 = 1e-16;

/// The least part of n0 across a circle's axis that has a direction.
constexpr double kLeastAcross = 1e-9;

class FeatureDescent {
 public:
  FeatureDescent(const CorePair& pair, const NamedContact& named, const Vec3& n0)
      : pair_(pair),
        side_{ContactFeature(pair, false, named.a, named.count, n0),
              ContactFeature(pair, true, named.b, named.count, n0)},
        n_(n0) {}

  bool run(NormalCandidate* found, SupportContact* contact) {
    for (int round = 0; round < kMostRounds; ++round) {
      if (!solve()) return false;
      if (!isClosed(place())) {
        if (!giveUp()) return false;
        continue;
      }
      // The whole cores have the last word: does either reach farther along n than its feature?
      const Vec3 a = pair_.supportA(n_), b = pair_.supportB(n_);
      const double room = n_.dot(b - a);
      const bool short_A = n_.dot(a - point_[0]) > kReached * pair_.rounding;
      const bool short_B = -n_.dot(b + point_[1]) > kReached * pair_.rounding;
      if (!short_A && !short_B) {
        *found = {n_, room, true};
        *contact = {point_[0], -point_[1], (point_[0] + point_[1] + room * n_).norm()};
        return true;
      }
      if (short_A && !side_[0].add(a, share_[0])) return false;
      if (short_B && !side_[1].add(-b, share_[1])) return false;
    }
    return false;
  }

 private:
  static constexpr double kReached = 8.0;  // roundings: a support point no farther is no farther
  static constexpr double kMet = 64.0;     // roundings: points that meet so well are one
  /// Of the size: what witnesses may be off sideways.
  static constexpr double kMostMismatch = 1e-9;

  /// Whether points that miss by m prove the room s = -n.x along n_. Apart they bound the distance
  /// by sqrt(s^2 + m^2); overlapping the depth is stationary, and off by about m^2 over the size.
  bool isClosed(double m) const {
    if (m <= kMet * pair_.rounding) return true;
    const double s = -n_.dot(point_[0] + point_[1]);
    const double could_gain = s > 0.0 ? 0.5 * m * m / s : m * m / pair_.scale;
    return could_gain <= 2.0 * pair_.rounding && m <= kMostMismatch * pair_.scale;
  }

  /// The stationary normal of the two features, into n_.
  bool solve() {
    Vec3 fixed[2] = {n_, n_};
    const bool is_fixed[2] = {side_[0].hasNormal(&fixed[0]), side_[1].hasNormal(&fixed[1])};
    CreaseCircle circle[2];
    const bool on_circle[2] = {side_[0].hasCircle(&circle[0]), side_[1].hasCircle(&circle[1])};
    if (is_fixed[0] || is_fixed[1]) {
      // Faces that are parallel, or an edge in a face, meet in more than a point.
      const int other = is_fixed[0] ? 1 : 0;
      if (is_fixed[other] || on_circle[other]) return false;
      n_ = fixed[1 - other];
      return n_.allFinite();
    }
    if (on_circle[0] && on_circle[1]) return cross(circle[0], circle[1]);
    if (on_circle[0]) return descendOnCircle(circle[0]);
    if (on_circle[1]) return descendOnCircle(circle[1]);
    return descendOnSphere();
  }

  /// The crossing of two circles nearest to n_: n = alpha a1 + beta a2 +- gamma a1 x a2.
  bool cross(const CreaseCircle& c1, const CreaseCircle& c2) {
    const Vec3 across = c1.axis.cross(c2.axis);
    const double sin2 = across.squaredNorm();
    if (!(sin2 > kParallel2)) return false;
    if (c1.sine == 0.0 && c2.sine == 0.0) {
      n_ = across / (across.dot(n_) < 0.0 ? -std::sqrt(sin2) : std::sqrt(sin2));
      return true;
    }
    // n = alpha c1 + beta c2 + gamma (c1 x c2): the axes' equations give alpha and beta, the unit
    // length gives gamma, and n0 its sign.
    const double k = c1.axis.dot(c2.axis);
    const double alpha = (c1.sine - k * c2.sine) / sin2;
    const double beta = (c2.sine - k * c1.sine) / sin2;
    const double rest = (1.0 - alpha * c1.sine - beta * c2.sine) / sin2;
    if (!(rest > kParallel2)) return false;
    const double gamma = std::copysign(std::sqrt(rest), across.dot(n_));
    n_ = (alpha * c1.axis + beta * c2.axis + gamma * across).normalized();
    return true;
  }

  /// Newton's iteration on n = sine axis + cosine w, w a unit vector across the axis.
  bool descendOnCircle(const CreaseCircle& circle) {
    const Vec3 level = circle.sine * circle.axis;
    Vec3 w = n_ - circle.axis.dot(n_) * circle.axis;
    const double across = w.norm();
    if (!(across > kLeastAcross)) return false;
    w /= across;
    for (int step = 0; step < kMostSteps; ++step) {
      n_ = level + circle.cosine * w;
      const Vec3 t = circle.axis.cross(w);
      const FeatureReach A = side_[0].reach(n_), B = side_[1].reach(n_);
      const Vec3 x = A.point + B.point;
      const double slope = circle.cosine * x.dot(t);
      const double bend =
          circle.cosine * (circle.cosine * (A.curvature(t, t) + B.curvature(t, t)) - x.dot(w));
      if (!(bend > kIsolated * pair_.scale)) return false;
      const double turn = std::clamp(-slope / bend, -kLongestStep, kLongestStep);
      w = (w + turn * t).normalized();
      if (std::abs(turn) < kLastStep) {
        n_ = (level + circle.cosine * w).normalized();
        return true;
      }
    }
    return false;
  }

  /// Newton's iteration on the sphere: solves (h11 h12; h12 h22) step = -slope in two tangents.
  bool descendOnSphere() {
    for (int step = 0; step < kMostSteps; ++step) {
      const Vec3 s = n_.unitOrthogonal();
      const Vec3 t = n_.cross(s);
      const FeatureReach A = side_[0].reach(n_), B = side_[1].reach(n_);
      const Vec3 x = A.point + B.point;
      const double H = n_.dot(x), slope_s = s.dot(x), slope_t = t.dot(x);
      const double h11 = A.curvature(s, s) + B.curvature(s, s) - H;
      const double h22 = A.curvature(t, t) + B.curvature(t, t) - H;
      const double h12 = A.curvature(s, t) + B.curvature(s, t);
      const double det = h11 * h22 - h12 * h12, sum = h11 + h22;
      // The smaller eigenvalue is at least det / sum.
      if (!(sum > 0.0 && det > kIsolated * pair_.scale * sum)) return false;
      double turn_s = -(h22 * slope_s - h12 * slope_t) / det;
      double turn_t = -(h11 * slope_t - h12 * slope_s) / det;
      const double length = std::sqrt(turn_s * turn_s + turn_t * turn_t);
      if (length > kLongestStep) {
        turn_s *= kLongestStep / length;
        turn_t *= kLongestStep / length;
      }
      n_ = (n_ + turn_s * s + turn_t * t).normalized();
      if (length < kLastStep) return true;
    }
    return false;
  }

  /// Places the contact within the features, as well as their lines allow: the points, and the
  /// shares of the lines where they would meet. Returns by how much the points miss [m].
  double place() {
    Vec3 line[2][2];
    int count[2];
    for (int k = 0; k < 2; ++k) {
      point_[k] = side_[k].reach(n_).point;
      count[k] = side_[k].lines(n_, line[k]);
      share_[k][0] = share_[k][1] = 0.0;
    }
    // What the two points miss each other by, across n, has to be made up along the lines.
    const Vec3 x = point_[0] + point_[1];
    const Vec3 miss = x - n_.dot(x) * n_;
    for (int k = 0; k < 2; ++k) {
      if (side_[k].form() == ContactFeature::Form::kCap) return placeOnCap(k, miss);
    }
    if (count[0] == 1 && count[1] == 1) {
      meet(miss, line[0][0], line[1][0], &share_[0][0], &share_[1][0]);
    } else {
      for (int k = 0; k < 2; ++k) {
        if (count[k] == 1) share_[k][0] = -miss.dot(line[k][0]) / line[k][0].squaredNorm();
        if (count[k] == 2) meet(miss, line[k][0], line[k][1], &share_[k][0], &share_[k][1]);
      }
    }
    Vec3 left = miss;
    for (int k = 0; k < 2; ++k) {
      double within[2] = {std::clamp(share_[k][0], 0.0, 1.0), std::clamp(share_[k][1], 0.0, 1.0)};
      const double sum = within[0] + within[1];
      if (count[k] == 2 && sum > 1.0) {
        for (double& w : within) w /= sum;
      }
      for (int i = 0; i < count[k]; ++i) {
        point_[k] += within[i] * line[k][i];
        left += within[i] * line[k][i];
      }
    }
    return left.norm();
  }

  double placeOnCap(int k, const Vec3& miss) {
    outside_cap_ = miss.norm() - side_[k].radius();
    if (outside_cap_ <= 0.0) {
      point_[k] -= miss;
      return 0.0;
    }
    point_[k] -= side_[k].radius() / miss.norm() * miss;
    return outside_cap_;
  }

  /// Solves miss + share_u u + share_v v = 0 in their plane; NaN where they are parallel.
  static void meet(const Vec3& miss, const Vec3& u, const Vec3& v, double* share_u,
                   double* share_v) {
    const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v);
    const double det = uu * vv - uv * uv;
    const double mu = -miss.dot(u), mv = -miss.dot(v);
    const bool parallel = !(det > kParallel2 * uu * vv);
    *share_u = parallel ? std::nan("") : (vv * mu - uv * mv) / det;
    *share_v = parallel ? std::nan("") : (uu * mv - uv * mu) / det;
  }

  /// Gives up the part of the features that the contact is not on.
  bool giveUp() {
    bool dropped = false;
    for (int k = 0; k < 2; ++k) {
      if (side_[k].form() == ContactFeature::Form::kCap) {
        // Toward the point beyond the rim; apart this is the very normal of a corner and the rim.
        const FeatureReach A = side_[0].reach(n_), B = side_[1].reach(n_);
        const Vec3 x = A.point + B.point;
        const double H = n_.dot(x);
        const Vec3 toward = -(x - H * n_);
        const Vec3 away = toward.normalized() * outside_cap_;
        n_ = (std::max(-H, 0.1 * outside_cap_) * n_ + away).normalized();
        side_[k].dropToRim();
        return true;
      }
      const bool face = side_[k].form() == ContactFeature::Form::kFace;
      const double* w = share_[k];
      const bool inside =
          w[0] >= 0.0 && w[0] <= 1.0 && (!face || (w[1] >= 0.0 && w[0] + w[1] <= 1.0));
      if (!inside) dropped = side_[k].drop(w) || dropped;
    }
    return dropped;
  }

  const CorePair& pair_;
  ContactFeature side_[2];
  Vec3 n_;
  Vec3 point_[2];
  double share_[2][2];
  double outside_cap_ = 0.0;
};

}  // namespace

bool descendByFeatures(const CorePair& pair, const NamedContact& named, const Vec3& n0,
                       NormalCandidate* best, SupportContact* contact) {
  if (pair.is_displaced) return false;  // the sum with the displacements is no feature of a core
  NormalCandidate found;
  if (!FeatureDescent(pair, named, n0).run(&found, contact)) return false;
  offer(pair, found.n, found.separation, true, best);
  return true;
}

}  // namespace allclear
