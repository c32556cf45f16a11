#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/distance/shape.h"
#include "allclear/planner/problem.h"
#include "allclear/planner/problem/cables.h"
#include "allclear/planner/problem/stray_reach.h"

namespace allclear {

/// What the cables of a problem demand of a configuration, as the planner sees it: that no stretch
/// is taut, and that each has room beside every body that it may not touch. Immutable.
///
/// The certificate has its own (planner/certificate/cable_limits.h).
class CableModel {
 public:
  explicit CableModel(const Problem& problem);

  /// A stretch, and a body that it keeps clear of (-1: its own span).
  struct Demand {
    int stretch = -1;
    int body = -1;
  };
  const std::vector<Demand>& demands() const { return demands_; }
  bool isEmpty() const { return demands_.empty(); }
  bool isTaut(int demand) const { return demands_[demand].body < 0; }
  /// "cable 'hose' between link3 and link7: its length", ".. : room to 'post'".
  std::string name(int demand) const;

  /// How a point of the robot, or of an obstacle that moves, changes a measure: by
  /// `direction` . velocity.
  struct Term {
    int link = -1;      ///< -1: of an obstacle
    int obstacle = -1;  ///< -1: of a link
    Vec3 p_W = Vec3::Zero();
    Vec3 direction = Vec3::Zero();
  };
  struct Measure {
    double value = 0.0;       ///< [m] beyond what is demanded: at least 0 when it is kept
    bool is_rough = false;    ///< far beyond: below the true value, without terms
    std::vector<Term> terms;  ///< the value's derivative by time is their sum
  };
  /// At these link poses and time t; obstacles that move do not count without one. A body that a
  /// straight cable would cross has, beside its room, its depth about the cable counted against it,
  /// so that the way out shows. May be rough where the value is at least `enough`.
  Measure measure(int demand, const std::vector<Pose>& X_WL, std::optional<double> t,
                  double enough) const;

  /// What the value of a demand loses by what strays at a configuration of the robot, a little more
  /// than the most. 0 where nothing is uncertain.
  bool isUncertain() const { return is_uncertain_; }
  double allowance(int demand, const StrayReach::Placement& at) const;

  /// How much a value can change, at most, while each coordinate moves by `step` [rad or m] from
  /// the configuration of the placement (segment_certifier.h).
  double change(int demand, const StrayReach::Placement& at, const VecX& step) const;

  const StrayReach& reach() const { return reach_; }
  std::vector<Pose> linkPoses(const StrayReach::Placement& at) const;

  /// A stretch at some poses: what its clips leave of its length, and the least of the rooms.
  struct Summary {
    std::string name;      ///< "cable 'hose' between link3 and link7"
    double span = 0.0;     ///< of its clips [m]
    double longest = 0.0;  ///< that this may be [m]
    double room = std::numeric_limits<double>::infinity();  ///< least, or infinite: nothing near
    std::string nearest;                                    ///< the body of that room
  };
  std::vector<Summary> summaries(const std::vector<Pose>& X_WL, std::optional<double> t) const;

  /// Words for a demand that is not kept: "cable 'hose': 12 mm short ..", "cable 'hose': may come
  /// within 1 mm of 'post' between link3 and link7, nearer than the margin of 5 mm".
  std::string faultText(int demand, const std::vector<Pose>& X_WL, double t) const;

 private:
  struct Solid {
    Geometry geometry;
    Ball ball;  ///< in the body's frame
  };
  struct Body {
    CableBody body;
    int obstacle = -1;
    bool moves = false;  ///< by itself
    std::vector<Solid> solids;
    std::vector<StraySolid> strays;
  };
  struct Clips {
    StraySolid a, b;
  };
  void addBody(const std::string& name, int link, int obstacle, bool is_attached,
               const std::vector<Geometry>& geometry);
  Pose poseOf(const Body& body, const std::vector<Pose>& X_WL, std::optional<double> t) const;
  Measure measureSpan(const CableStretch& stretch, const std::vector<Pose>& X_WL) const;
  Measure measureRoom(const CableStretch& stretch, const Body& body, const std::vector<Pose>& X_WL,
                      std::optional<double> t, double enough) const;
  double relative(const StraySolid& solid, int obstacle, const StraySolid& clip,
                  const StrayReach::Placement& at, const Uncertainty& uncertainty) const;
  double total(int demand, const StrayReach::Placement& at, const Uncertainty& uncertainty) const;

  const Problem& problem_;
  bool is_uncertain_;
  StrayReach reach_;
  std::vector<CableStretch> stretches_;
  std::vector<Clips> clips_;  ///< by stretch
  std::vector<Body> bodies_;
  std::vector<Demand> demands_;
};

}  // namespace allclear
