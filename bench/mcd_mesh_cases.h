#pragma once

// Pairs of meshes and motions near each other, and FCL's models of them.

#include <fcl/fcl.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "allclear/core/input_error.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/minimum/mesh/mesh.h"

#include "distance/minimum/mcd_motions.h"
#include "support/mesh_samples.h"

namespace allclear::bench {

using test::ChainMotion;
using test::Random;

using FclMesh = std::shared_ptr<fcl::BVHModel<fcl::OBBRSSd>>;

inline FclMesh rivalMesh(const TriangleMesh& mesh) {
  auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
  std::vector<fcl::Triangle> triangles;
  for (const Triangle& t : mesh.triangles()) triangles.emplace_back(t[0], t[1], t[2]);
  model->beginModel();
  model->addSubModel(mesh.vertices(), triangles);
  model->endModel();
  return model;
}

struct Query {
  ChainMotion motion;
  std::vector<BodyCurve> curves;
  double lever = 0.0;  ///< bound of the speed of A's points [m/s]
};

struct Case {
  std::string name;
  TriangleMesh a, b;
  FclMesh rival_a, rival_b;
  std::vector<Query> queries;
};

/// A link on a two-joint arm over one knot span, near B most of the time; each joint turns by about
/// `turn` [rad].
inline Query drawnQuery(Random& draw, double reach_A, double reach_B, double turn) {
  Query query;
  const double far = reach_A + reach_B;
  for (int j = 0; j < 2; ++j) {
    test::ChainJoint joint;
    joint.X_PJ = {draw.rotation(), j == 0 ? Vec3(draw.direction() * far * draw.uniform(0.7, 1.4))
                                          : Vec3(draw.inBox(0.15))};
    joint.axis = draw.direction();
    joint.polynomial = test::drawPolynomial(draw, turn, 5);
    query.motion.joints.push_back(joint);
  }
  query.motion.X_JB = {draw.rotation(), draw.inBox(0.1)};
  const int cells = query.motion.cellsFor({0, 1}, 2e-6, reach_A);
  query.curves = query.motion.curves({0, 1}, cells);
  return query;
}

constexpr double kTurn = 0.5;

inline Case makeCase(const std::string& name, TriangleMesh a, TriangleMesh b, int queries, int seed,
                     double turn = kTurn) {
  Case result{name, a, b, rivalMesh(a), rivalMesh(b), {}};
  Random draw(seed);
  const double reach_A = bodyOf(a)->reach(), reach_B = bodyOf(b)->reach();
  const BodyCurve still = BodyCurve::still(Pose{}, {0, 1});
  const Shape shape_A = a, shape_B = b;
  while (static_cast<int>(result.queries.size()) < queries) {
    Query query = drawnQuery(draw, reach_A, reach_B, turn);
    const DistanceBracket bracket =
        minimumDistance(*bodyOf(a), {&shape_A, {}, query.curves}, *bodyOf(b),
                        {&shape_B, {}, {&still, 1}}, McdOptions());
    if (bracket.penetrating || bracket.upper > 0.5 || bracket.lower < 0.01) continue;
    for (const BodyCurve& c : query.curves) {
      query.lever =
          std::max(query.lever, c.bounds.linear[0] +
                                    c.bounds.angular[0] * (reach_A + bodyOf(a)->center().norm()));
    }
    result.queries.push_back(std::move(query));
  }
  return result;
}

/// A mesh of the shared data, its middle at the origin, its longest side 2 `half`.
inline TriangleMesh realMesh(const std::string& file, double half) {
  const char* data = std::getenv("ALLCLEAR_DATA");
  const auto folder = std::filesystem::path(data != nullptr ? data : "../shared/data") / "meshes";
  if (!std::filesystem::exists(folder / file)) throw InputError("no such file: " + file);
  const TriangleMesh read = test::readObj(folder / file);
  Eigen::AlignedBox3d box;
  for (const Vec3& p : read.vertices()) box.extend(p);
  const double scale = 2.0 * half / box.sizes().maxCoeff();
  std::vector<Vec3> vertices;
  for (const Vec3& p : read.vertices()) vertices.push_back(scale * (p - box.center()));
  return {std::move(vertices), read.triangles()};
}

inline std::vector<Case> realCases(int queries) {
  std::vector<Case> cases;
  try {
    const TriangleMesh wingnut = realMesh("wingnut/wingnut.obj", 0.15);
    cases.push_back(makeCase("spot_torus", realMesh("spot/spot_low_resolution.obj", 0.15),
                             realMesh("torus/torus.obj", 0.25), queries, 8));
    cases.push_back(
        makeCase("wingnut_goat", wingnut, realMesh("goathead/goathead.obj", 0.2), queries, 9));
    cases.push_back(makeCase("wingnut_statue", wingnut,
                             realMesh("nefertiti/nefertiti-lowres.obj", 0.5), queries, 10));
    cases.push_back(makeCase("hammer_koala", realMesh("hammer/hammer.obj", 0.15),
                             realMesh("koala/koala.obj", 0.5), queries, 11));
  } catch (const InputError& error) {
    std::printf("real meshes are left out (ALLCLEAR_DATA): %s\n", error.what());
  }
  return cases;
}

inline double fclDistance(const Case& c, const Query& query, double t) {
  static const fcl::DistanceRequestd request(false);
  const Pose X = query.motion.pose(t);
  fcl::Transform3d T = fcl::Transform3d::Identity();
  T.linear() = X.R;
  T.translation() = X.p;
  fcl::DistanceResultd result;
  return fcl::distance(c.rival_a.get(), T, c.rival_b.get(), fcl::Transform3d::Identity(), request,
                       result);
}

}  // namespace allclear::bench
