// The gauge of a single pair of ellipsoids, in the world, with what follows from it.

#include "allclear/distance/convex/ellipsoid_equation.h"
#include "allclear/distance/ellipsoid_pair.h"

namespace allclear {
namespace {

/// The pair's equation. In A's frame the numbers are as small as the pair, wherever in the world it
/// is.
struct PosedPair {
  Mat3 R;  ///< R_AB
  Vec3 c;  ///< B's centre in A's frame
  ellipsoid::Pair<double> pair;
  ellipsoid::Scale<double> scale;
  ellipsoid::Equation<double> equation;

  PosedPair(const Ellipsoid& A, const Pose& X_WA, const Ellipsoid& B, const Pose& X_WB) {
    R.noalias() = X_WA.R.transpose() * X_WB.R;
    c.noalias() = X_WA.R.transpose() * (X_WB.p - X_WA.p);
    for (int i = 0; i < 3; ++i) {
      pair.a[i] = A.radii()[i];
      pair.b[i] = B.radii()[i];
      pair.n[i] = c[i];
      for (int j = 0; j < 3; ++j) pair.R[i][j] = R(i, j);
    }
    scale = ellipsoid::normalise(&pair);
    equation = ellipsoid::equationOf(pair);
  }
};

}  // namespace

ClosestApproach closestApproach(const Ellipsoid& A, const Pose& X_WA, const Ellipsoid& B,
                                const Pose& X_WB) {
  const PosedPair posed(A, X_WA, B, X_WB);
  double iterations = 0.0;
  const double r = ellipsoid::solve(posed.equation, ellipsoid::kShortForValue, &iterations);
  ClosestApproach out;
  out.distance = posed.scale.size / std::sqrt(ellipsoid::contactFunction(posed.equation, r));
  out.gauge = posed.scale.centers / out.distance;
  out.iterations = static_cast<int>(iterations);
  return out;
}

EllipsoidGauge ellipsoidGauge(const Ellipsoid& A, const Pose& X_WA, const Ellipsoid& B,
                              const Pose& X_WB) {
  const PosedPair posed(A, X_WA, B, X_WB);
  double iterations = 0.0;
  const double r = ellipsoid::solve(posed.equation, ellipsoid::kShortForSlope, &iterations);
  Vec3 slope;  // of the unit direction, over squared lengths in the unit `scale.size`
  ellipsoid::slopeOf(posed.pair, posed.equation, r, slope.data());

  EllipsoidGauge out;
  const double size = posed.scale.size, centers = posed.scale.centers;
  out.approach = size / std::sqrt(ellipsoid::contactFunction(posed.equation, r));
  out.gauge = centers / out.approach;
  out.ratio = r / (1.0 + r);
  out.half_slope = X_WA.R * (slope * (centers / size / size));
  const Vec3 n = slope.normalized();
  out.normal = X_WA.R * n;
  out.room = n.dot(posed.c) - A.radii().cwiseProduct(n).norm() -
             B.radii().cwiseProduct(posed.R.transpose() * n).norm();
  return out;
}

DistanceGradient squaredGaugeGradient(const EllipsoidGauge& gauge, const Ellipsoid& A,
                                      const Pose& X_WA, const Ellipsoid& B, const Pose& X_WB) {
  // gauge^2 = c' M^-1 c, M = A/u + B/(1 - u), p = M^-1 c. Its derivative by u is 0 (the maximum),
  // so u counts as fixed: d(gauge^2) = 2 p.dc - p' dM p, and a rotation r of A has p' dA p = 2 (A p
  // x p).r.
  const Vec3& p = gauge.half_slope;
  const auto times = [&p](const Ellipsoid& E, const Pose& X) -> Vec3 {
    return X.R * E.radii().cwiseAbs2().cwiseProduct(X.R.transpose() * p);
  };
  DistanceGradient out;
  out.translation_B = 2.0 * p;
  out.translation_A = -out.translation_B;
  out.rotation_A = (-2.0 / gauge.ratio) * times(A, X_WA).cross(p);
  out.rotation_B = (-2.0 / (1.0 - gauge.ratio)) * times(B, X_WB).cross(p);
  return out;
}

}  // namespace allclear
