#pragma once

#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/problem/held_error.h"
#include "allclear/planner/seeds/configuration_space.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {

/// Moves configurations to where they keep the problem's path constraints, and tells whether they
/// do. A help for searches, as only the certificate proves: along a segment it looks at samples.
///
/// Holds scratch: one per thread. No answer depends on the calls before.
class PathProjection {
 public:
  /// Problem and kinematics are to outlive it.
  PathProjection(const Problem& problem, const Kinematics& kinematics);

  bool isNeeded() const { return !problem_.path_constraints.empty(); }
  /// Whether there are held poses or lines.
  bool holdsPoses() const { return !held_.constraints().empty(); }

  /// How much of its tolerance the worst constraint uses at `q`: at most 1 when all are kept.
  double use(const VecX& q);

  /// Moves q, within its limits, to where at most `kInner` of each tolerance is used; leaves it
  /// alone where at most `kOuter` is. False when that does not succeed.
  bool project(VecX& q);

  /// The same to where next to nothing of the tolerances of held poses and lines is used, so that a
  /// curve between such points keeps them too.
  bool center(VecX& q);

  /// Whether the constraints are kept at samples of the straight segment, at most `kSpacing` apart.
  bool keeps(const ConfigurationSpace& space, const VecX& from, const VecX& to);

  /// Half of the tolerance is left for the curve, which does not follow the vertices exactly.
  static constexpr double kInner = 0.5;
  static constexpr double kOuter = 0.9;
  static constexpr double kSpacing = 0.02;  ///< [m], in the lengths of `ConfigurationSpace`

 private:
  /// By how much one demand exceeds the share `kInner` of its tolerance, and its gradient.
  struct Excess {
    double use = 0.0;     ///< share of the tolerance
    double amount = 0.0;  ///< [rad or m] to take away
    VecX by_q;
    bool counts = false;   ///< beyond the share
    bool is_held = false;  ///< of a held pose or a line
  };
  bool moveTo(double inner, double outer, VecX& q);
  void measure(const VecX& q, bool with_gradients);
  void add(const KeepAxis& keep, bool with_gradients);
  void add(const KeepInBox& keep, bool with_gradients);
  void addHeld(int constraint, bool with_gradients);
  void addBall(const Vec3& error, double tolerance, const MatX& by_q);

  const Problem& problem_;
  const Kinematics& kinematics_;
  HeldErrors held_;
  PlannedLimits limits_;
  Kinematics::Workspace workspace_;
  std::vector<Pose> poses_;
  Jacobian whole_;
  double held_share_ = kInner;  ///< of the tolerances of held poses and lines, to project to
  std::vector<Excess> excess_;  ///< at the configuration measured last
};

}  // namespace allclear
