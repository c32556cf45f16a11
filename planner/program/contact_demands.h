#pragma once

#include <string>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/problem/contact_cone.h"
#include "allclear/planner/program/ground_dynamics.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {

/// Torques and forces at the contacts of a robot that stands, when the wrenches of all contacts
/// besides the base are given.
///
/// A state is planned coordinates q with their rates v and a, and wrenches w (`ContactSet`). The
/// demands are functions of order one that are at least 0 when they are kept: two for each limited
/// torque, then the rows of each contact's cone (`ContactCone`) as the problem lists them, the base
/// included. Holds scratch: one per thread.
class ContactDemands {
 public:
  /// Pre: `usesWrenches(problem)`.
  explicit ContactDemands(const Problem& problem);

  int wrenchCount() const { return contacts_.wrenchCount(); }
  double weight() const { return weight_; }  ///< of the robot and what it carries [N]
  int count() const;
  /// Whether it is a row of a contact's cone.
  bool isCone(int demand) const { return demand >= 2 * static_cast<int>(torques_.size()); }
  /// "'elbow': torque", "'foot': friction".
  std::string name(int demand) const;

  void values(const VecX& q, const VecX& v, const VecX& a, const VecX& w, Eigen::Ref<VecX> out);

  struct Gradients {
    MatX by_q, by_v, by_a;  ///< demands x planned coordinates
    MatX by_w;              ///< demands x wrench rows
  };
  const Gradients& gradients(const VecX& q, const VecX& v, const VecX& a, const VecX& w);

  /// Torques or forces of the planned coordinates, then force and moment at the base, about its
  /// contact frame's origin, in world axes.
  VecX loads(const VecX& q, const VecX& v, const VecX& a, const VecX& w);

 private:
  using Vec6 = Eigen::Matrix<double, 6, 1>;

  /// A motion between the world and a contact's link.
  struct PathNode {
    int node = -1;
    int row = -1;  ///< its planned coordinate; -1 where it is held
    double multiplier = 1.0;
  };
  /// A contact besides the base.
  struct Path {
    const PlacedContact* contact = nullptr;
    std::vector<PathNode> nodes;
  };

  Path pathTo(const PlacedContact& contact) const;
  void place(const VecX& q);
  Vec6 motionAbout(const PathNode& at, const Vec3& p_W) const;
  MatX loadsByWrench() const;
  void addPathTurns(const VecX& w, MatX* by_q) const;
  template <class Derived>
  MatX demandsBy(const Eigen::MatrixBase<Derived>& loads) const;
  MatX conesByWrench() const;

  const Problem& problem_;
  const ContactSet contacts_;
  const MotionTree tree_;
  double weight_;
  GroundDynamics ground_;
  std::vector<int> torques_;  ///< planned coordinates whose torque is limited
  VecX effort_;               ///< of planned coordinates
  std::vector<ContactCone> cones_;
  int cone_rows_ = 0;
  std::vector<Path> paths_;
  Eigen::Matrix<double, 6, 6> to_base_;  ///< from the ground's wrench to that about the base
  std::vector<Pose> X_WN_;               ///< of the tree's nodes
  Gradients gradients_;
};

}  // namespace allclear
