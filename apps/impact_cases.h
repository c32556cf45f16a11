#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/problem/impact_points.h"
#include "allclear/robot_models/kinematics/impact.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// What the user says of an impact; what is left out is the worst.
struct ImpactWish {
  std::optional<double> t;  ///< [s]
  std::string link;         ///< or a carried object; empty: any
  std::optional<Vec3> p_L;  ///< in the link's frame
  std::optional<Vec3> n_W;  ///< normal, from the robot into what it hits
  double restitution = 0.0;
  double friction = 0.0;
  double mass = 0.0;  ///< of what is hit, free to move [kg]; 0: a rigid wall
};

/// One impact and what it does.
struct ImpactCase {
  std::string body;  ///< link or carried object
  double t = 0.0;
  Vec3 p_L = Vec3::Zero();
  Impact impact;
  Vec3 velocity = Vec3::Zero();  ///< of the point before, world axes
  double mass = 0.0;             ///< effective, along the normal [kg]; infinite: does not move so
  /// (n'u)^2 / (2 n'Kn) [J]: of the approach along the normal, what is stored when it has stopped.
  double stored = 0.0;
  double energy = 0.0;  ///< kinetic, of the robot before [J]
  VecX rates;           ///< before, by coordinate of the robot
  ImpactResponse response;
};

/// Impacts of a robot on a trajectory. Planned coordinates answer freely, the others are held;
/// objects that the robot carries count.
class ImpactCases {
 public:
  /// Throws `InputError` where a body has no mass to count on.
  ImpactCases(const Problem& problem, const Trajectory& trajectory);

  /// The impact that the user wishes: the worst of those that the wish leaves open. Throws
  /// `InputError` for what is not there: unknown or unmoved links, points off the link, times
  /// outside of the trajectory, directions of zero length, impacts that do not happen.
  ImpactCase find(const ImpactWish& wish);

  /// The worst of each body that moves, over the instants looked at; the most energy first.
  std::vector<ImpactCase> table(const ImpactWish& wish);

  /// The instants looked at where the wish has no time.
  int instantCount() const { return static_cast<int>(times_.size()); }
  const RobotModel& robot() const { return *loaded_; }

 private:
  void place(double t);
  const ImpactBody& bodyNamed(const std::string& name) const;
  void checkWish(const ImpactWish& wish) const;
  void checkPoint(const ImpactBody& body, const Vec3& p_L);
  std::optional<ImpactCase> worstOf(const ImpactBody& body, const ImpactWish& wish);
  std::optional<ImpactCase> worstNow(const ImpactBody& body, const ImpactWish& wish);
  std::optional<ImpactCase> caseAt(const ImpactBody& body, const Vec3& p_L, const ImpactWish& wish);
  void respondTo(ImpactCase& found);

  const Problem& problem_;
  const Trajectory& trajectory_;
  std::shared_ptr<const RobotModel> loaded_;
  ImpactModel model_;
  RobotImpacts impacts_;
  const EffectiveInertia& effective_;
  RobotImpacts::Workspace workspace_;
  std::vector<double> times_;
  double t_ = 0.0;
  VecX rates_;
};

}  // namespace allclear
