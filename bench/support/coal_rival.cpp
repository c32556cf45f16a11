#include "bench/support/coal_rival.h"

#include <coal/distance.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>

namespace allclear::bench {
namespace {

CoalGeometry coalConvex(const std::vector<Vec3>& corners, const std::vector<Triangle>& triangles) {
  const auto points = std::make_shared<std::vector<coal::Vec3s>>(corners.begin(), corners.end());
  const auto faces = std::make_shared<std::vector<coal::Triangle>>();
  for (const Triangle& t : triangles) faces->emplace_back(t[0], t[1], t[2]);
  return std::make_shared<coal::Convex<coal::Triangle>>(
      points, static_cast<unsigned>(points->size()), faces, static_cast<unsigned>(faces->size()));
}

coal::Transform3s coalPose(const Pose& X) { return {X.R, X.p}; }

}  // namespace

CoalGeometry coalGeometry(const Shape& shape, const std::vector<Vec3>& corners,
                          const std::vector<Triangle>& triangles) {
  if (const auto* s = std::get_if<Sphere>(&shape)) {
    return std::make_shared<coal::Sphere>(s->radius());
  }
  if (const auto* s = std::get_if<Capsule>(&shape)) {
    return std::make_shared<coal::Capsule>(s->radius(), s->length());
  }
  if (const auto* s = std::get_if<Box>(&shape)) {
    return std::make_shared<coal::Box>(Vec3(2.0 * s->halfSize()));
  }
  if (const auto* s = std::get_if<Cylinder>(&shape)) {
    return std::make_shared<coal::Cylinder>(s->radius(), s->length());
  }
  if (const auto* s = std::get_if<Cone>(&shape)) {
    return std::make_shared<coal::Cone>(s->radius(), s->length());
  }
  if (const auto* s = std::get_if<Ellipsoid>(&shape)) {
    return std::make_shared<coal::Ellipsoid>(s->radii());
  }
  if (std::holds_alternative<HalfSpace>(shape)) {
    return std::make_shared<coal::Halfspace>(Vec3::UnitZ(), 0.0);
  }
  return coalConvex(corners, triangles);
}

struct CoalQueries::Queries {
  struct Poses {
    coal::Transform3s A, B;
  };

  CoalGeometry A, B;
  coal::ComputeDistance compute;
  coal::DistanceRequest request;
  std::vector<Poses> poses;
};

CoalQueries::CoalQueries(const CoalGeometry& A, const CoalGeometry& B, double tolerance)
    : queries_(new Queries{A, B, coal::ComputeDistance(A.get(), B.get()), {}, {}}) {
  queries_->request.gjk_tolerance = tolerance;
  queries_->request.epa_tolerance = tolerance;
}

CoalQueries::~CoalQueries() = default;

void CoalQueries::addPoses(const Pose& X_WA, const Pose& X_WB) {
  queries_->poses.push_back({coalPose(X_WA), coalPose(X_WB)});
}

double CoalQueries::distance(std::size_t i) const {
  coal::DistanceResult result;
  const Queries::Poses& at = queries_->poses[i];
  coal::distance(queries_->A.get(), at.A, queries_->B.get(), at.B, queries_->request, result);
  return result.min_distance;
}

double CoalQueries::preparedDistance(std::size_t i) const {
  coal::DistanceResult result;
  queries_->compute(queries_->poses[i].A, queries_->poses[i].B, queries_->request, result);
  return result.min_distance;
}

}  // namespace allclear::bench
