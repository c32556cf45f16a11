#include "allclear/distance/soft/gauge.h"

namespace allclear {

std::optional<PosedEllipsoid> asEllipsoid(const std::vector<Geometry>& solids) {
  if (solids.size() != 1) return std::nullopt;
  const Shape& shape = solids[0].shape;
  if (const Ellipsoid* ellipsoid = std::get_if<Ellipsoid>(&shape)) {
    return PosedEllipsoid{*ellipsoid, solids[0].X_BG};
  }
  if (const Sphere* sphere = std::get_if<Sphere>(&shape)) {
    return PosedEllipsoid{Ellipsoid(Vec3::Constant(sphere->radius())), solids[0].X_BG};
  }
  return std::nullopt;
}

SmoothDistance gaugeDistance(const PosedEllipsoid& A, const Pose& X_WA, const PosedEllipsoid& B,
                             const Pose& X_WB) {
  const Pose X_WEA = X_WA * A.X_WE, X_WEB = X_WB * B.X_WE;
  const EllipsoidGauge gauge = ellipsoidGauge(A.shape, X_WEA, B.shape, X_WEB);
  const DistanceGradient slope = squaredGaugeGradient(gauge, A.shape, X_WEA, B.shape, X_WEB);
  const double size = A.shape.radii().maxCoeff() + B.shape.radii().maxCoeff();
  SmoothDistance out;
  // As a product: near contact the difference of the squares would round.
  out.distance = 0.5 * size * (gauge.gauge - 1.0) * (gauge.gauge + 1.0);
  out.normal = gauge.normal;
  // The points where the plane between the two would touch them.
  const auto point = [](const Ellipsoid& E, const Pose& X, const Vec3& n) -> Vec3 {
    const Vec3 scaled = E.radii().cwiseProduct(X.R.transpose() * n);
    return X * Vec3(E.radii().cwiseProduct(scaled) / scaled.norm());
  };
  out.witness_A = point(A.shape, X_WEA, gauge.normal);
  out.witness_B = point(B.shape, X_WEB, -gauge.normal);
  // Turning a body about its origin also moves the centre of its ellipsoid.
  const double factor = 0.5 * size;
  out.gradient.translation_A = factor * slope.translation_A;
  out.gradient.translation_B = factor * slope.translation_B;
  out.gradient.rotation_A =
      factor * (slope.rotation_A + (X_WEA.p - X_WA.p).cross(slope.translation_A));
  out.gradient.rotation_B =
      factor * (slope.rotation_B + (X_WEB.p - X_WB.p).cross(slope.translation_B));
  return out;
}

}  // namespace allclear
