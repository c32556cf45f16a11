#pragma once

#include <string>
#include <vector>

#include "allclear/planner/problem/held_error.h"
#include "allclear/planner/problem/line.h"
#include "allclear/planner/run/random_stream.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {

/// Puts planned coordinates onto a line, station after station, by inverse kinematics, and onto
/// held poses besides. What these leave free leads away from joint limits and towards a posture.
///
/// Holds scratch: one per thread. Problem and kinematics are to outlive it.
class LineFollower {
 public:
  /// Pre: the line starts where the start of the problem has its frame.
  LineFollower(const Problem& problem, const Kinematics& kinematics, const KeepOnLine& line);

  /// Configurations from station to station, as far as the line can be followed.
  struct Trace {
    std::vector<VecX> q;  ///< by station
    std::string why;      ///< it ended before the last one
  };
  /// `posture`: planned coordinates to tend to; empty: the least motion.
  Trace trace(const VecX& posture);

  std::size_t stationCount() const { return stations_.size(); }
  /// The last station of each stretch.
  const std::vector<std::size_t>& corners() const { return corners_; }
  /// "62 % of the way (31.0 cm of 50.0 cm)".
  std::string placeOf(std::size_t station) const;
  /// [s] that a step takes at full speed.
  double secondsOf(const VecX& step) const {
    return step.cwiseQuotient(speed_).cwiseAbs().maxCoeff();
  }

  /// Directions of the start's self-motion, each with its greatest entry 1; few.
  std::vector<VecX> selfMotions();
  /// The start with every joint of two limits half way between them, or anywhere between them.
  VecX middle() const;
  VecX random(RandomStream& stream) const;

 private:
  /// A place along the line.
  struct Station {
    int stretch = 0;
    double u = 0.0;
    double share = 0.0;  ///< of the whole line, by length (by turn where it has none)
  };
  /// Rows of the line and of held poses: what is missing [m, rad], and its change by q.
  struct Rows {
    VecX error;
    MatX J;
  };

  bool isBounded(int k) const;
  std::string jointName(int k) const;
  std::string fastest(const VecX& step) const;
  void makeStations();
  Rows rowsAt(const Station& station, const VecX& q);
  void addHeldRows(Rows* rows);
  double tolerance() const;
  VecX freeMotion(const VecX& q, const VecX& posture, double ahead) const;
  VecX leastStep(const MatX& J, const VecX& e, const VecX& z);
  bool moveTo(const Station& station, double ahead, const VecX& posture, VecX* q);
  VecX stepped(Rows rows, VecX z, const VecX& q);
  std::string reason(const VecX& q) const;

  const Problem& problem_;
  const Kinematics& kinematics_;
  const LinePath path_;
  const HeldErrors held_;
  const PlannedLimits limits_;
  Kinematics::Workspace workspace_;
  const VecX start_;
  VecX speed_;  ///< [rad/s or m/s] of planned coordinates
  std::vector<Station> stations_;
  std::vector<std::size_t> corners_;
  double length_ = 0.0, turn_ = 0.0;  ///< of the whole line [m], [rad]; a length within the
                                      ///< tolerance counts as none
  std::vector<Pose> poses_;
  Jacobian whole_;
  std::vector<bool> stopped_;  ///< at their limits, in the latest `moveTo`
  double condition_ = 1.0;     ///< least over greatest singular value, in the latest step
};

}  // namespace allclear
