// The ground's wrench as generalised forces of a joint that does not move.
//
// The principle of virtual work gives a joint's generalised forces as the power that it supplies,
// per unit of its rates. A floating joint at rest at the origin of the world, under the whole
// robot, has the translation and the rotation of everything as its rates (at zero angles roll,
// pitch and yaw are rotations about x, y and z). So its six generalised forces are the force that
// carries the robot and its moment about that origin, and their derivatives come with those of the
// torques from one call of inverse dynamics.
#include "allclear/planner/program/ground_dynamics.h"

namespace allclear {

RobotModel floatedRobot(const RobotModel& robot) {
  constexpr int kRows = GroundDynamics::kGroundRows;
  const RobotModel::Data& from = robot.data();
  RobotModel::Data data;
  data.name = from.name;
  // A new world in front, and with it a joint: indices of links and joints grow by one, those of
  // coordinates by six.
  data.links.push_back({"the ground", -1, {}, {}, {}});
  for (const Link& link : from.links) {
    data.links.push_back({link.name, link.parent_joint + 1, link.inertia, {}, {}});
  }
  Joint floating;
  floating.name = "the ground's joint";
  floating.type = JointType::kFloating;
  floating.parent_link = 0;
  floating.child_link = 1;
  floating.first_coordinate = 0;
  data.joints.push_back(floating);
  for (Joint joint : from.joints) {
    ++joint.parent_link;
    ++joint.child_link;
    if (joint.first_coordinate >= 0) joint.first_coordinate += kRows;
    if (joint.mimic) joint.mimic->coordinate += kRows;
    data.joints.push_back(std::move(joint));
  }
  for (int i = 0; i < kRows; ++i) {
    Coordinate coordinate;
    coordinate.name = floating.name + "/" + std::to_string(i);
    coordinate.joint = 0;
    coordinate.is_angle = i >= 3;
    data.coordinates.push_back(coordinate);
  }
  for (Coordinate coordinate : from.coordinates) {
    ++coordinate.joint;
    data.coordinates.push_back(std::move(coordinate));
  }
  return RobotModel(std::move(data));
}

GroundDynamics::GroundDynamics(const Problem& problem, const RobotModel& robot)
    : problem_(problem),
      kinematics_(floatedRobot(robot)),
      workspace_(kinematics_.makeWorkspace()),
      q_(VecX::Zero(kinematics_.dimension())),
      v_(q_),
      a_(q_) {
  // The floating joint's coordinates stay 0, held ones at the start; `place` sets the others.
  q_.tail(problem.start.size()) = problem.start;
  for (int c : problem.planned) rows_.push_back(c + kGroundRows);
  for (int i = 0; i < kGroundRows; ++i) rows_.push_back(i);
  const auto rows = static_cast<Eigen::Index>(rows_.size());
  values_.resize(rows);
  for (MatX* matrix : {&gradients_.by_q, &gradients_.by_v, &gradients_.by_a}) {
    matrix->resize(rows, problem.plannedCount());
  }
}

void GroundDynamics::place(const VecX& q, const VecX& v, const VecX& a) {
  for (int k = 0; k < problem_.plannedCount(); ++k) {
    const int c = problem_.planned[k] + kGroundRows;
    q_[c] = q[k];
    v_[c] = v[k];
    a_[c] = a[k];
  }
}

const VecX& GroundDynamics::values(const VecX& q, const VecX& v, const VecX& a) {
  place(q, v, a);
  kinematics_.inverseDynamics(q_, v_, a_, workspace_, dynamics_.tau);
  for (Eigen::Index i = 0; i < values_.size(); ++i) values_[i] = dynamics_.tau[rows_[i]];
  return values_;
}

const GroundDynamics::Gradients& GroundDynamics::gradients(const VecX& q, const VecX& v,
                                                           const VecX& a) {
  place(q, v, a);
  kinematics_.inverseDynamicsDerivatives(q_, v_, a_, workspace_, dynamics_);
  for (int j = 0; j < problem_.plannedCount(); ++j) {
    const int c = problem_.planned[j] + kGroundRows;
    for (Eigen::Index i = 0; i < values_.size(); ++i) {
      gradients_.by_q(i, j) = dynamics_.dtau_dq(rows_[i], c);
      gradients_.by_v(i, j) = dynamics_.dtau_dv(rows_[i], c);
      gradients_.by_a(i, j) = dynamics_.dtau_da(rows_[i], c);
    }
  }
  return gradients_;
}

}  // namespace allclear
