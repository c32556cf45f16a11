#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/problem/held_error.h"
#include "allclear/planner/problem/support_polygon.h"
#include "allclear/planner/program/cable_demands.h"
#include "allclear/planner/program/contact_demands.h"
#include "allclear/planner/program/ground_dynamics.h"
#include "allclear/planner/program/impact_demands.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {

/// Demands of a problem on the state at every instant: path constraints, cables, torques when they
/// are limited, forces at contacts, forces of unplanned contacts, balance. (Clearance and the
/// limits of derivatives have rows of their own.) Each demand is a function of order one that is at
/// least 0 when it is kept. Holds scratch: one per thread.
class StateDemands {
 public:
  StateDemands(const Problem& problem, const Kinematics& kinematics);

  int count() const { return path_count_ + forceCount() + impactCount() + edgeCount(); }
  /// "'hand': angle of the kept axis".
  std::string name(int demand) const;
  /// Rows of the wrenches that the state has beside coordinates and rates (`ContactSet`); 0 where
  /// the problem asks for no forces at contacts.
  int wrenchCount() const { return contacts_ ? contacts_->wrenchCount() : 0; }
  /// Whether the demand depends on the wrenches.
  bool usesWrenches(int demand) const {
    return wrenchCount() > 0 && demand >= path_count_ && demand < path_count_ + forceCount();
  }
  /// Whether it is a row of a contact's cone.
  bool isCone(int demand) const {
    return usesWrenches(demand) && contacts_->isCone(demand - path_count_);
  }

  /// From now on only these demands on cables and unplanned contacts are computed, which cost the
  /// most; values and gradients of the others mean nothing. Empty: all.
  void computeOnly(const std::vector<int>& demands);

  /// At planned coordinates and their first two derivatives, and wrenches where there are any; and
  /// at time t [s], without which obstacles that move do not count.
  void values(const VecX& q, const VecX& v, const VecX& a, const VecX& w, VecX* out,
              std::optional<double> t = {});

  struct Gradients {
    MatX by_q, by_v, by_a;  ///< demands x planned coordinates
    MatX by_w;              ///< demands x wrench rows
    VecX by_t;              ///< by time, with the state held
  };
  void gradients(const VecX& q, const VecX& v, const VecX& a, const VecX& w, Gradients* out,
                 std::optional<double> t = {});

 private:
  int edgeCount() const { return polygon_ ? static_cast<int>(polygon_->edges.size()) : 0; }
  /// Torques and forces at contacts.
  int forceCount() const {
    return contacts_ ? contacts_->count() : 2 * static_cast<int>(torques_.size());
  }
  int impactCount() const { return impacts_ ? impacts_->count() : 0; }
  int cableCount() const { return cables_ ? cables_->count() : 0; }
  const std::vector<bool>* wantedCables() const {
    return wanted_cables_.empty() ? nullptr : &wanted_cables_;
  }
  bool balancesAtRest() const;
  /// Room at each edge of the support polygon, of order one.
  VecX rooms(const VecX& q, const VecX& v, const VecX& a);
  void addBalance(const VecX& q, const VecX& v, const VecX& a, Gradients* out);
  void addTorques(const VecX& q, const VecX& v, const VecX& a, Gradients* out);
  /// Where the rows of path constraints go: values, gradients, or both.
  struct PathRows {
    VecX* values;
    MatX* by_q;
    int row = 0;
  };
  void addPath(VecX* values, MatX* by_q);
  void addRow(double value, int link, const Vec3& p_W, const Vec3& direction, bool turns,
              PathRows* rows);
  void add(const KeepAxis& keep, PathRows* rows);
  void add(const KeepInBox& box, PathRows* rows);
  void addHeld(int constraint, PathRows* rows);
  static void addBall(const Vec3& error, double tolerance, const MatX& by_q, PathRows* rows);
  /// Rates of all coordinates: zero where they are not planned.
  VecX whole(const VecX& planned) const;

  const Problem& problem_;
  std::unique_ptr<const Kinematics> loaded_;  ///< of the robot with what it carries, if that weighs
  const Kinematics& kinematics_;
  Kinematics::Workspace workspace_;
  std::vector<Pose> poses_;
  Jacobian J_;
  VecX torque_;
  InverseDynamics dynamics_;
  HeldErrors held_;
  int path_count_ = 0;        ///< path constraints and cables
  std::vector<int> torques_;  ///< planned coordinates whose torque is limited, without contacts
  VecX effort_;               ///< of planned coordinates
  std::optional<ContactDemands> contacts_;
  std::optional<ImpactDemands> impacts_;
  std::vector<bool> wanted_;  ///< of the impacts; empty: all
  std::optional<CableDemands> cables_;
  std::vector<bool> wanted_cables_;       ///< likewise
  std::optional<GroundDynamics> ground_;  ///< for balance
  std::optional<SupportPolygon> polygon_;
  MatX edges_;  ///< rooms by the ground's wrench: edges x 6
};

}  // namespace allclear
