#pragma once

#include <array>
#include <vector>

#include "allclear/distance/shape.h"
#include "allclear/planner/problem.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {

/// A solid that moves with a link, as far as its reach from the joints' axes needs it: a ball and
/// the corners of a box, each of which encloses it.
struct StraySolid {
  std::vector<int> path;  ///< nodes of the motion tree, from the world to the solid
  Ball ball_N;            ///< in the frame of the last of them, or of the world
  std::array<Vec3, 8> corners_N;
};

/// Reach of solids from the axes of the joints that move them, at a configuration.
/// Certificate and planner both ask here; a derivation stands in docs/algorithms/motion-bounds.md.
class StrayReach {
 public:
  explicit StrayReach(const RobotModel& robot) : tree_(robot) {}

  const MotionTree& tree() const { return tree_; }

  /// A solid of a link, or of the world (`link` -1).
  StraySolid solid(int link, const Geometry& geometry) const;

  /// The robot at one configuration.
  struct Placement {
    std::vector<Pose> X_WN;  ///< by node
    double rounding = 0.0;   ///< of these poses [m per m of reach]
  };
  Placement place(const VecX& q) const;

  /// How far [m] a unit of the solid's k-th joint can move any point of it: the farthest distance
  /// of the solid from the axis of a turn, 1 for a slide. Padded for rounding.
  double reach(const Placement& at, const StraySolid& solid, std::size_t k) const;

  /// The farthest distance [m] of the solid from the origin of the robot's root.
  double reachOfBase(const Placement& at, const StraySolid& solid) const;

  /// How far the solid moves, at most [m], when the joints from depth `shared` of its path on stray
  /// as `uncertainty` says, and the base too if `with_base`.
  double displacement(const Placement& at, const StraySolid& solid, std::size_t shared,
                      bool with_base, const Uncertainty& uncertainty) const;

  /// By how much the variable of a node strays when its coordinate strays as `joints` says.
  double strayOf(int node, const VecX& joints) const;

 private:
  MotionTree tree_;
};

/// How many nodes two paths share from the world on: these move both solids as one.
std::size_t sharedNodes(const std::vector<int>& a, const std::vector<int>& b);

}  // namespace allclear
