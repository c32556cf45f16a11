#pragma once

#include <memory>

#include "allclear/planner/problem.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/kinematics/motion_tree.h"
#include "support/random_robot.h"

namespace allclear::test {

/// Some shape, of a size that is often small.
inline Shape randomShape(Random& random) {
  const auto size = [&] { return random.logUniform(0.02, 0.3); };
  switch (random.integer(0, 6)) {
    case 0:
      return Capsule(size(), size());
    case 1:
      return Box({size(), size(), size()});
    case 2:
      return Cylinder(size(), size());
    case 3:
      return Cone(size(), size());
    case 4:
      return Ellipsoid({size(), size(), size()});
    case 5: {
      std::vector<Vec3> points;
      for (int i = 0; i < 30; ++i) points.push_back(random.vector(0.1));
      return ConvexMesh(std::move(points));
    }
    default:
      return Sphere(size());
  }
}

/// A random robot whose links all weigh something and have shapes, some with rotors; all or most of
/// its coordinates are planned. Regions to touch: a light and a heavy one.
inline Problem touchedRobot(Random& random, bool floating_base = false) {
  RandomRobotOptions options;
  options.joints = random.integer(2, 8);
  options.floating_base = floating_base;
  RobotModel::Data data = randomRobot(random, options).data();
  for (Link& link : data.links) {
    if (!(link.inertia.mass > 0.0)) {
      link.inertia = {random.logUniform(0.05, 5.0), random.vector(0.2), 0.01 * Mat3::Identity()};
    }
    for (int i = random.integer(0, 3); i > 0; --i) {
      link.collision.push_back(
          {randomShape(random), {random.rotationOfNormals(), random.vector(0.3)}});
    }
  }
  for (Coordinate& c : data.coordinates) {
    if (random.chance(0.5)) c.rotor_inertia = random.logUniform(1e-3, 1.0);
  }
  Problem problem;
  problem.robot = std::make_shared<const RobotModel>(std::move(data));
  problem.start = randomConfiguration(random, *problem.robot);
  for (int c = 0; c < problem.robot->dimension(); ++c) {
    if (c == 0 || !random.chance(0.2)) problem.planned.push_back(c);
  }
  problem.goal = JointTarget{problem.planned, problem.plannedPart(problem.start)};
  problem.limits.contact.push_back({"hand", 75e3, 0.6, 280.0, {}, {}, 0.0, {}});
  problem.limits.contact.push_back({"chest", 25e3, 40.0, 280.0, {}, {}, 0.0, {}});
  return problem;
}

/// The worst contact at a point, from the mass matrix of the planned coordinates and the Jacobian
/// of `Kinematics`: none of the code that it is compared with.
class TouchOracle {
 public:
  TouchOracle(const Problem& problem, const RobotModel& loaded)
      : problem_(problem),
        kinematics_(loaded, Vec3::Zero(), KinematicsBackend::kBuiltin),
        tree_(loaded),
        workspace_(kinematics_.makeWorkspace()) {}

  void place(const VecX& q, const VecX& v) {
    const VecX zero = VecX::Zero(q.size());
    kinematics_.inverseDynamicsDerivatives(q, zero, zero, workspace_, dynamics_);
    kinematics_.linkPoses(q, workspace_, X_WL_);
    const auto n = static_cast<Eigen::Index>(problem_.planned.size());
    M_.resize(n, n);
    v_.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      v_[i] = v[problem_.planned[i]];
      for (Eigen::Index j = 0; j < n; ++j) {
        M_(i, j) = dynamics_.dtau_da(problem_.planned[i], problem_.planned[j]);
      }
    }
    solver_.compute(M_);
  }

  /// The point in the frame of the link.
  struct Point {
    Vec3 u;  ///< its velocity
    Mat3 W;  ///< its mobility
  };
  Point at(int link, const Vec3& p_L) {
    kinematics_.pointJacobian(workspace_, link, X_WL_[link] * p_L, J_);
    MatX J(3, v_.size());
    for (Eigen::Index i = 0; i < v_.size(); ++i) {
      J.col(i) = J_.col(problem_.planned[i]).head<3>();
    }
    return {Vec3(J * v_), Mat3(J * solver_.solve(J.transpose()))};
  }
  double energy(int link, const Vec3& p_L, double mass) {
    const Point point = at(link, p_L);
    const Mat3 A = point.W + Mat3::Identity() / mass;
    return 0.5 * point.u.dot(A.inverse() * point.u);
  }
  double kineticEnergy() const { return 0.5 * v_.dot(M_ * v_); }

 private:
  const Problem& problem_;
  const Kinematics kinematics_;
  const MotionTree tree_;
  Kinematics::Workspace workspace_;
  InverseDynamics dynamics_;
  std::vector<Pose> X_WL_;
  Jacobian J_;
  MatX M_;
  VecX v_;
  Eigen::LDLT<MatX> solver_;
};

}  // namespace allclear::test
