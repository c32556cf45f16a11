#pragma once

#include <array>
#include <map>
#include <vector>

#include "allclear/planner/problem/stray_reach.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// Upper bounds of how much nearer two solids can come [m] than the planned motion brings them.
struct Stray {
  double joints = 0.0;    ///< when joints stray as `Problem::uncertainty` says
  double scene = 0.0;     ///< when obstacles and base are displaced as it says
  double per_unit = 0.0;  ///< when every joint strays by 1 rad or 1 m; proportional to the stray

  double total() const { return joints + scene; }
};

/// Bounds of stray along a trajectory, part by part of its duration.
///
/// Let the joints on the way from the last common joint of two solids to one of them be 1 ... m,
/// and rho_k the farthest distance of that solid from the axis of joint k. Let them stray one after
/// the other, the base's first. When joint k strays by d, all beyond it still has its planned pose
/// relative to joint k; so no point of the solid moves by more than rho_k |d| (a chord is shorter
/// than its arc), or |d| for a slide, with rho_k of the planned motion. The sum over k bounds the
/// stray of the solid, the sums of both solids how much nearer they come. What moves both alike
/// drops out.
///
/// During a part rho_k is at most its value at the middle, plus what the joints beyond k move the
/// solid from there: by the same argument at most sum_{j > k} rho_j |x_j(t) - x_j(middle)|.
class StrayBound {
 public:
  /// Borrows both.
  StrayBound(const Problem& problem, const Trajectory& trajectory);

  /// A solid of a link (-1: none) or obstacle (-1: none), to be named in `between`.
  int addSolid(int link, int obstacle, const Geometry& geometry);

  /// Holds at every instant of `time`. Takes the worst of all parts that `time` touches, so that a
  /// shorter time never has more.
  Stray between(int a, int b, Interval time) const;

 private:
  /// What the joints from depth k of the path on add, and all of them.
  struct Sums {
    double joints = 0.0;
    double per_unit = 0.0;
  };
  struct Solid {
    std::vector<int> path;
    bool is_of_robot = false;
    double displaced = 0.0;       ///< [m] of an obstacle
    std::vector<Sums> sums;       ///< by part, then depth; path.size() + 1 depths
    std::vector<double> of_base;  ///< [m] by part: stray by the base's
    const Sums& at(int part, std::size_t depth) const {
      return sums[static_cast<std::size_t>(part) * (path.size() + 1) + depth];
    }
  };
  int partAt(double t) const;
  void addPart(int part, const StraySolid& shape, Solid* solid);

  const Problem& problem_;
  double duration_;
  int parts_;
  StrayReach reach_;
  VecX unit_;                                      ///< a stray of 1 of every joint
  std::vector<StrayReach::Placement> placements_;  ///< by part: at its middle
  std::vector<VecX> deviation_;  ///< by part: most that each coordinate differs from that
  std::vector<Solid> solids_;
};

}  // namespace allclear
