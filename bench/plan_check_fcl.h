#pragma once

#include <fcl/fcl.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "allclear/distance/geometry/convex_hull.h"
#include "allclear/planner/clearance/collision_model.h"
#include "allclear/planner/problem/pair_margin.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear::bench {

/// Looks at a plan with FCL's distances alone: the URDF's own meshes as they are (BVH models of
/// their triangles), primitives as FCL's, links against links, obstacles and attached objects.
/// Which pairs, and their margins, is made from the problem here, not taken from the planner.
/// Distances are between surfaces; a body wholly inside another's mesh would go unseen.
class FclPlanCheck {
 public:
  struct Result {
    long samples = 0;
    long violations = 0;      ///< samples at which some pair is nearer than its margin
    double least = INFINITY;  ///< of distance - margin [m], over pairs nearer than `kNear`
    std::string worst;        ///< that pair
  };

  explicit FclPlanCheck(const Problem& problem)
      : problem_(problem), kinematics_(*problem.robot), workspace_(kinematics_.makeWorkspace()) {
    const auto& links = problem.robot->links();
    for (int l = 0; l < static_cast<int>(links.size()); ++l)
      addBody(links[l].name, l, -1, links[l].collision);
    first_attached_ = bodies_.size();
    for (const AttachedObject& object : problem.attached)
      addBody(object.id, object.link, -1, object.geometry);
    for (int o = 0; o < static_cast<int>(problem.obstacles.size()); ++o) {
      addBody(problem.obstacles[o].id, -1, o, problem.obstacles[o].geometry);
    }
    addPairs();
  }

  /// At `samples` instants drawn evenly at random, the two ends among them; up to the first
  /// violation when asked to stop there.
  Result run(const Trajectory& trajectory, int samples, unsigned seed,
             bool stops_at_violation = false) {
    Result result;
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> anywhere(0.0, trajectory.duration());
    for (int i = 0; i < samples; ++i) {
      const double t = i == 0 ? 0.0 : i == 1 ? trajectory.duration() : anywhere(random);
      place(problem_.configuration(trajectory.value(t)), t);
      bool violated = false;
      for (const Pair& pair : pairs_) {
        const double excess = distance(pair) - pair.margin;
        violated = violated || excess < 0.0;
        if (excess >= result.least) continue;
        result.least = excess;
        result.worst = bodies_[pair.a].name + " and " + bodies_[pair.b].name;
      }
      ++result.samples;
      result.violations += violated;
      if (violated && stops_at_violation) break;
    }
    return result;
  }

  /// The least distance of all pairs, and the least beyond a margin [m], in one configuration of
  /// the planned coordinates; obstacles as at time 0. Pairs farther than `kNear` are left out.
  struct Instant {
    double distance = INFINITY;
    double excess = INFINITY;
  };
  Instant instant(const VecX& q_planned) {
    place(problem_.configuration(q_planned), 0.0);
    Instant out;
    for (const Pair& pair : pairs_) {
      const double d = distance(pair);
      out.distance = std::min(out.distance, d);
      out.excess = std::min(out.excess, d - pair.margin);
    }
    return out;
  }

  /// Whether any two bodies touch there, by FCL's collision query.
  bool touches(const VecX& q_planned) {
    place(problem_.configuration(q_planned), 0.0);
    return std::any_of(pairs_.begin(), pairs_.end(), [&](const Pair& pair) {
      const Body &A = bodies_[pair.a], &B = bodies_[pair.b];
      for (const Part& a : A.parts) {
        const Vec3 center_a = A.X_WB * a.ball.center;
        for (const Part& b : B.parts) {
          const double reach = a.ball.radius + b.ball.radius;
          if ((center_a - B.X_WB * b.ball.center).norm() > reach) continue;
          fcl::CollisionRequestd request;
          fcl::CollisionResultd result;
          if (fcl::collide(a.geometry.get(), A.X_WB * a.X_BG, b.geometry.get(), B.X_WB * b.X_BG,
                           request, result) > 0) {
            return true;
          }
        }
      }
      return false;
    });
  }

  /// The distance of two bodies beyond their margin [m] at one instant; beyond `kNear` that; minus
  /// the margin when a point of one lies inside a mesh of the other. NaN when there is no such
  /// pair.
  double excessAt(const Trajectory& trajectory, double t, const std::string& a,
                  const std::string& b) {
    place(problem_.configuration(trajectory.value(t)), t);
    for (const Pair& pair : pairs_) {
      const std::string &x = bodies_[pair.a].name, &y = bodies_[pair.b].name;
      if (!((x == a && y == b) || (x == b && y == a))) continue;
      const bool nested = isInside(pair.a, pair.b) || isInside(pair.b, pair.a);
      return (nested ? 0.0 : distance(pair)) - pair.margin;
    }
    return NAN;
  }

 private:
  static constexpr double kNear = 0.05;  // [m] beyond the margin

  struct Part {
    std::shared_ptr<fcl::CollisionGeometryd> geometry;
    fcl::Transform3d X_BG;
    Ball ball;  ///< in B
  };
  struct Body {
    std::string name;
    int link;
    int obstacle;
    std::vector<Part> parts;
    fcl::Transform3d X_WB = fcl::Transform3d::Identity();
  };
  struct Pair {
    std::size_t a, b;
    double margin;
  };

  static fcl::Transform3d transform(const Pose& X) {
    fcl::Transform3d T = fcl::Transform3d::Identity();
    T.linear() = X.R;
    T.translation() = X.p;
    return T;
  }

  static std::shared_ptr<fcl::CollisionGeometryd> triangles(const std::vector<Vec3>& vertices,
                                                            const std::vector<Triangle>& list) {
    auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
    std::vector<fcl::Triangle> indices;
    for (const Triangle& t : list) indices.emplace_back(t[0], t[1], t[2]);
    model->beginModel();
    model->addSubModel(std::vector<fcl::Vector3d>(vertices.begin(), vertices.end()), indices);
    model->endModel();
    return model;
  }

  static std::shared_ptr<fcl::CollisionGeometryd> rival(const Shape& shape) {
    if (const auto* s = std::get_if<Sphere>(&shape))
      return std::make_shared<fcl::Sphered>(s->radius());
    if (const auto* s = std::get_if<Box>(&shape)) return std::make_shared<fcl::Boxd>(s->size());
    if (const auto* s = std::get_if<Capsule>(&shape)) {
      return std::make_shared<fcl::Capsuled>(s->radius(), s->length());
    }
    if (const auto* s = std::get_if<Cylinder>(&shape)) {
      return std::make_shared<fcl::Cylinderd>(s->radius(), s->length());
    }
    if (const auto* s = std::get_if<Cone>(&shape)) {
      return std::make_shared<fcl::Coned>(s->radius(), s->length());
    }
    if (const auto* s = std::get_if<Ellipsoid>(&shape)) {
      return std::make_shared<fcl::Ellipsoidd>(s->radii());
    }
    if (const auto* s = std::get_if<TriangleMesh>(&shape)) {
      return triangles(s->vertices(), s->triangles());
    }
    if (const auto* s = std::get_if<ConvexMesh>(&shape)) {
      return triangles(s->points(), convexHull(s->points()).facets);
    }
    throw std::runtime_error("FCL has no distance to a " + shapeName(shape));
  }

  void addBody(const std::string& name, int link, int obstacle,
               const std::vector<Geometry>& geometry) {
    if (geometry.empty()) return;
    Body body{name, link, obstacle, {}};
    for (const Geometry& part : geometry) {
      Ball ball = boundingBall(part.shape);
      ball.center = part.X_BG * ball.center;
      body.parts.push_back({rival(part.shape), transform(part.X_BG), ball});
    }
    bodies_.push_back(std::move(body));
  }

  bool mayTouch(std::size_t i, std::size_t j) const {
    const Body &a = bodies_[i], &b = bodies_[j];
    for (const auto* allowed :
         {&problem_.collision.allowed, &problem_.collision.allowed_by_scene}) {
      for (const auto& [x, y] : *allowed) {
        if ((x == a.name && y == b.name) || (x == b.name && y == a.name)) return true;
      }
    }
    if (b.obstacle >= 0) return a.obstacle >= 0;
    if (a.link == b.link) return true;
    const auto touches = [&](std::size_t k, int link) {
      if (k < first_attached_) return false;
      const auto& object = problem_.attached[k - first_attached_];
      return std::count(object.touch_links.begin(), object.touch_links.end(), link) > 0;
    };
    if (touches(i, b.link) || touches(j, a.link)) return true;
    return j < first_attached_ && problem_.robot->isPairDisabled(a.link, b.link);
  }

  /// Pairs that move against each other in some random step of the planned coordinates.
  void addPairs() {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> step(-0.1, 0.1);
    VecX q = problem_.start;
    place(q, 0.0);
    const std::vector<Body> before = bodies_;
    for (int c : problem_.planned) q[c] += step(random);
    place(q, 0.0);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      for (std::size_t j = i + 1; j < bodies_.size(); ++j) {
        if (mayTouch(i, j)) continue;
        const auto relative = [&](const std::vector<Body>& bodies) {
          return (bodies[i].X_WB.inverse() * bodies[j].X_WB).matrix().eval();
        };
        const int o = bodies_[j].obstacle;
        const bool moves = o >= 0 && problem_.obstacles[o].moves();
        if (!moves && (relative(before) - relative(bodies_)).norm() < 1e-9) continue;
        pairs_.push_back({i, j, pairMargin(problem_.collision, bodies_[i].name, bodies_[j].name)});
      }
    }
  }

  void place(const VecX& q, double t) {
    kinematics_.linkPoses(q, workspace_, X_WL_);
    for (Body& body : bodies_) {
      body.X_WB = transform(body.obstacle >= 0 ? problem_.obstacles[body.obstacle].pose(t)
                                               : X_WL_[body.link]);
    }
  }

  std::vector<Geometry> geometryOf(std::size_t i) const {
    const Body& body = bodies_[i];
    if (body.obstacle >= 0) return problem_.obstacles[body.obstacle].geometry;
    if (i >= first_attached_) return problem_.attached[i - first_attached_].geometry;
    return problem_.robot->links()[body.link].collision;
  }

  /// Whether the first vertex of a mesh of body i lies inside a closed mesh of body j: a ray from
  /// it crosses the mesh an odd number of times.
  bool isInside(std::size_t i, std::size_t j) const {
    for (const Geometry& from : geometryOf(i)) {
      const auto* points = std::get_if<TriangleMesh>(&from.shape);
      if (points == nullptr) continue;
      const Vec3 p_W = bodies_[i].X_WB * (from.X_BG * points->vertices()[0]);
      for (const Geometry& in : geometryOf(j)) {
        const auto* mesh = std::get_if<TriangleMesh>(&in.shape);
        if (mesh == nullptr) continue;
        const Vec3 p = in.X_BG.inverse() * Vec3(bodies_[j].X_WB.inverse() * p_W);
        if (crossings(*mesh, p, Vec3(0.36, 0.48, 0.8)) % 2 == 1) return true;
      }
    }
    return false;
  }

  /// How many triangles the ray from p along d meets.
  static int crossings(const TriangleMesh& mesh, const Vec3& p, const Vec3& d) {
    int count = 0;
    for (const Triangle& t : mesh.triangles()) {
      const Vec3 a = mesh.vertices()[t[0]] - p;
      const Vec3 e = mesh.vertices()[t[1]] - p - a, f = mesh.vertices()[t[2]] - p - a;
      const double volume = d.dot(e.cross(f));
      const double u = -d.dot(a.cross(f)) / volume, v = d.dot(a.cross(e)) / volume;
      const double at = a.dot(e.cross(f)) / volume;
      count += u >= 0.0 && v >= 0.0 && u + v <= 1.0 && at > 0.0;
    }
    return count;
  }

  /// Exact when below margin + kNear.
  double distance(const Pair& pair) const {
    static const fcl::DistanceRequestd request(false, false);
    const Body &A = bodies_[pair.a], &B = bodies_[pair.b];
    double least = pair.margin + kNear;
    for (const Part& a : A.parts) {
      const Vec3 center_a = A.X_WB * a.ball.center;
      for (const Part& b : B.parts) {
        const double apart =
            (center_a - B.X_WB * b.ball.center).norm() - a.ball.radius - b.ball.radius;
        if (apart >= least) continue;
        fcl::DistanceResultd result;
        least = std::min(least, fcl::distance(a.geometry.get(), A.X_WB * a.X_BG, b.geometry.get(),
                                              B.X_WB * b.X_BG, request, result));
      }
    }
    return least;
  }

  const Problem& problem_;
  Kinematics kinematics_;
  Kinematics::Workspace workspace_;
  std::vector<Pose> X_WL_;
  std::vector<Body> bodies_;
  std::size_t first_attached_ = 0;
  std::vector<Pair> pairs_;
};

}  // namespace allclear::bench
