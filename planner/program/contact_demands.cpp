// Torques with forces at the contacts.
//
// Symbols. Contact c acts on its link with the force F and the moment M about a point p that is
// fixed in the world (where the contact frame's origin is at the start). z_k is the axis of motion
// k between the world and the link, p_k a point of it. Motion k moves what it carries, where that
// is at p, by S_k = (z_k x (p - p_k), z_k), velocity and rotation; a slide by (z_k, 0).
//
// By the principle of virtual work the wrench takes S_k . (F, M) off the torque of motion k:
//
//     tau = RNEA(q, v, a) - sum over c of J_c^T (F, M),    the S_k being the columns of J_c.
//
// The base's wrench is what the ground supplies less what the other contacts supply: no equation
// is left to be solved, and no balance can be missed.
//
// Derivative. When motion j turns or slides, all that is beyond it does so too, S_k of a later k
// included, and S_k changes like the velocity of a body that is moved (the cross product of
// motions): with S = (s, z), dS_k/dq_j = (z_j x s_k + s_j x z_k, z_j x z_k). That of an earlier k
// does not change, as p is fixed in the world.
//
// Everything else is linear: demands are C [loads; w] + a constant.
#include "allclear/planner/program/contact_demands.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/assert.h"
#include "allclear/planner/problem/load.h"
#include "allclear/planner/problem/support_polygon.h"
#include "allclear/robot_models/kinematics/chain_recursion.h"

namespace allclear {
namespace {

Mat3 crossMatrix(const Vec3& v) {
  Mat3 out;
  out << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return out;
}

/// Takes a wrench about the world's origin or a point to one about another point: the moment
/// changes by (from - to) x force.
Eigen::Matrix<double, 6, 6> momentShift(const Vec3& from, const Vec3& to) {
  Eigen::Matrix<double, 6, 6> shift = Eigen::Matrix<double, 6, 6>::Identity();
  shift.bottomLeftCorner<3, 3>() = crossMatrix(from - to);
  return shift;
}

/// What carries the robot carries nothing of the world: a mass on the root link is the world's.
RobotModel standingRobot(const Problem& problem) {
  RobotModel::Data data = loadedRobot(problem)->data();
  data.links[0].inertia = {};
  return RobotModel(std::move(data));
}

}  // namespace

ContactDemands::ContactDemands(const Problem& problem)
    : problem_(problem),
      contacts_(problem),
      tree_(*problem.robot),
      weight_(robotWeight(*loadedRobot(problem))),
      ground_(problem, standingRobot(problem)) {
  ALLCLEAR_ASSERT(contacts_.base() != nullptr && weight_ > 0.0);
  effort_ = plannedLimits(problem).effort;
  for (int k = 0; k < problem.plannedCount(); ++k) {
    if (problem.limits.torque && std::isfinite(effort_[k])) torques_.push_back(k);
  }
  // Cones of all contacts; ways only to those whose wrenches are given.
  for (const PlacedContact& contact : contacts_.all()) {
    cones_.push_back(contactCone(contact, weight_));
    cone_rows_ += cones_.back().count();
    if (!contact.is_base) paths_.push_back(pathTo(contact));
  }
  to_base_ = momentShift(Vec3::Zero(), contacts_.base()->X_WC.p);
}

ContactDemands::Path ContactDemands::pathTo(const PlacedContact& contact) const {
  Path path{&contact, {}};
  for (int n : tree_.pathTo(tree_.mounts()[contact.contact.link].node)) {
    const MotionNode& node = tree_.nodes()[n];
    const auto& planned = problem_.planned;
    const auto at = std::find(planned.begin(), planned.end(), node.coordinate);
    const int row = at == planned.end() ? -1 : static_cast<int>(at - planned.begin());
    path.nodes.push_back({n, row, node.multiplier});
  }
  return path;
}

int ContactDemands::count() const { return 2 * static_cast<int>(torques_.size()) + cone_rows_; }

std::string ContactDemands::name(int demand) const {
  const int torque_rows = 2 * static_cast<int>(torques_.size());
  if (demand < torque_rows) {
    const int c = problem_.planned[torques_[demand / 2]];
    return "'" + problem_.robot->coordinates()[c].name + "': torque";
  }
  demand -= torque_rows;
  std::size_t i = 0;
  while (demand >= cones_[i].count()) demand -= cones_[i++].count();
  const bool is_friction = cones_[i].parts[demand] == ContactCone::Part::kFriction;
  return "'" + problem_.robot->links()[contacts_.all()[i].contact.link].name +
         "': " + (is_friction ? "friction" : "centre of pressure");
}

void ContactDemands::place(const VecX& q) {
  const VecX all = problem_.configuration(q);
  X_WN_ = nodePoses(tree_, std::vector<double>(all.begin(), all.end()));
}

/// S of the head comment, about p, times the multiplier: by the coordinate, not by the motion.
ContactDemands::Vec6 ContactDemands::motionAbout(const PathNode& at, const Vec3& p_W) const {
  const MotionNode& node = tree_.nodes()[at.node];
  const Vec3 z = at.multiplier * X_WN_[at.node].R.col(node.axis);
  Vec6 motion;
  if (node.turns) {
    motion << z.cross(p_W - X_WN_[at.node].p), z;
  } else {
    motion << z, Vec3::Zero();
  }
  return motion;
}

/// The derivative of the loads by the wrenches. Pre: `place`.
MatX ContactDemands::loadsByWrench() const {
  const int n = problem_.plannedCount();
  MatX out = MatX::Zero(n + 6, wrenchCount());
  for (const Path& path : paths_) {
    const Vec3& p = path.contact->X_WC.p;
    const int first = path.contact->first_wrench, rows = path.contact->rows();
    for (const PathNode& at : path.nodes) {
      if (at.row >= 0) out.row(at.row).segment(first, rows) -= motionAbout(at, p).head(rows);
    }
    // What this contact carries, the base need not.
    out.bottomRows<6>().middleCols(first, rows) =
        -momentShift(p, contacts_.base()->X_WC.p).leftCols(rows);
  }
  return out;
}

/// Adds how the torques change, with the wrenches given, when the axes of their motions move.
void ContactDemands::addPathTurns(const VecX& w, MatX* by_q) const {
  for (const Path& path : paths_) {
    Vec6 wrench = Vec6::Zero();
    const int rows = path.contact->rows();
    wrench.head(rows) = w.segment(path.contact->first_wrench, rows);
    // Nodes from the world outward: j is before k.
    std::vector<Vec6> motion;
    for (const PathNode& k : path.nodes) {
      motion.push_back(motionAbout(k, path.contact->X_WC.p));
      if (k.row < 0) continue;
      const Vec3 s_k = motion.back().head<3>(), z_k = motion.back().tail<3>();
      for (std::size_t j = 0; j + 1 < motion.size(); ++j) {
        if (path.nodes[j].row < 0) continue;
        const Vec3 s_j = motion[j].head<3>(), z_j = motion[j].tail<3>();
        Vec6 change;
        change << z_j.cross(s_k) + s_j.cross(z_k), z_j.cross(z_k);
        (*by_q)(k.row, path.nodes[j].row) -= change.dot(wrench);
      }
    }
  }
}

VecX ContactDemands::loads(const VecX& q, const VecX& v, const VecX& a, const VecX& w) {
  place(q);
  VecX out = ground_.values(q, v, a);
  out.tail<6>() = to_base_ * out.tail<6>().eval();
  return out + loadsByWrench() * w;
}

/// The derivative of the demands from that of the loads, column by column, as far as it goes
/// through the loads.
template <class Derived>
MatX ContactDemands::demandsBy(const Eigen::MatrixBase<Derived>& loads) const {
  MatX out = MatX::Zero(count(), loads.cols());
  int row = 0;
  // Two signs of each torque's share of its limit; of the cones, only the base's is part of the
  // loads.
  for (int k : torques_) {
    out.row(row++) = -loads.row(k) / effort_[k];
    out.row(row++) = loads.row(k) / effort_[k];
  }
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    if (contacts_.all()[i].is_base) {
      out.middleRows(row, cones_[i].count()) = cones_[i].rows * loads.template bottomRows<6>();
    }
    row += cones_[i].count();
  }
  return out;
}

/// The derivative of the demands by the wrenches, as far as it does not go through the loads.
MatX ContactDemands::conesByWrench() const {
  MatX out = MatX::Zero(count(), wrenchCount());
  int row = 2 * static_cast<int>(torques_.size());
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    const PlacedContact& contact = contacts_.all()[i];
    if (!contact.is_base) {
      out.block(row, contact.first_wrench, cones_[i].count(), contact.rows()) =
          cones_[i].rows.leftCols(contact.rows());
    }
    row += cones_[i].count();
  }
  return out;
}

void ContactDemands::values(const VecX& q, const VecX& v, const VecX& a, const VecX& w,
                            Eigen::Ref<VecX> out) {
  out = demandsBy(loads(q, v, a, w)) + conesByWrench() * w;
  // A limit is kept where the torque's share of it is within -1 and 1.
  out.head(2 * static_cast<Eigen::Index>(torques_.size())).array() += 1.0;
}

const ContactDemands::Gradients& ContactDemands::gradients(const VecX& q, const VecX& v,
                                                           const VecX& a, const VecX& w) {
  place(q);
  GroundDynamics::Gradients loads = ground_.gradients(q, v, a);
  for (MatX* matrix : {&loads.by_q, &loads.by_v, &loads.by_a}) {
    matrix->bottomRows<6>() = to_base_ * matrix->bottomRows<6>().eval();
  }
  addPathTurns(w, &loads.by_q);
  gradients_.by_q = demandsBy(loads.by_q);
  gradients_.by_v = demandsBy(loads.by_v);
  gradients_.by_a = demandsBy(loads.by_a);
  gradients_.by_w = demandsBy(loadsByWrench()) + conesByWrench();
  return gradients_;
}

}  // namespace allclear
