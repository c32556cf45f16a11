// Writes what a trajectory claims besides distances: that limits are kept, and that it starts,
// passes and ends where the problem says.
#include "allclear/planner/certificate/proof_claims.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/interpolation.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {
namespace {

class ClaimWriter {
 public:
  ClaimWriter(const Problem& problem, const Trajectory& trajectory, const ProofModel& model,
              ProofText* text)
      : problem_(problem), trajectory_(trajectory), model_(model), text_(*text) {}

  void run() {
    writeLimits();
    writeEnds();
  }

 private:
  ProofText& limit(int source, int order, double lower, double upper) {
    return text_.word("limit").index(source).index(order).number(lower).number(upper);
  }

  void writeLimits() {
    const PlannedLimits limits = plannedLimits(problem_);
    const VecX* upper[] = {&limits.upper, &limits.velocity, &limits.acceleration, &limits.jerk};
    for (int k = 0; k < problem_.plannedCount(); ++k) {
      for (int order = 0; order <= continuity_ + 1; ++order) {
        const double high = (*upper[order])[k], low = order == 0 ? limits.lower[k] : -high;
        if (std::isinf(low) && std::isinf(high)) continue;
        limit(problem_.planned[k], order, std::max(low, -kNoLimit), std::min(high, kNoLimit)).end();
      }
    }
  }

  int breakAt(double t) const {
    const auto found = std::lower_bound(model_.breaks.begin(), model_.breaks.end(), t);
    return static_cast<int>(found - model_.breaks.begin());
  }

  void at(int source, int order, double value, int instant) {
    limit(source, order, value - end_tolerance_, value + end_tolerance_).index(instant).end();
  }

  void writeRates(const VecX& velocity, const VecX& acceleration, int instant) {
    for (int k = 0; k < problem_.plannedCount(); ++k) {
      if (continuity_ >= 1)
        at(problem_.planned[k], 1, velocity.size() > 0 ? velocity[k] : 0.0, instant);
      if (continuity_ >= 2)
        at(problem_.planned[k], 2, acceleration.size() > 0 ? acceleration[k] : 0.0, instant);
    }
  }

  void writeTarget(const Target& target, int instant) {
    if (const auto* joints = std::get_if<JointTarget>(&target)) {
      const VecX q = trajectory_.value(model_.breaks[instant]);
      for (std::size_t i = 0; i < joints->coordinates.size(); ++i) {
        const int c = joints->coordinates[i];
        const auto& planned = problem_.planned;
        const auto k = std::lower_bound(planned.begin(), planned.end(), c) - planned.begin();
        double value = joints->values[static_cast<Eigen::Index>(i)];
        if (problem_.robot->coordinates()[c].wraps) {  // whole turns away is the same place
          constexpr double kTurn = 2.0 * std::numbers::pi;
          value += kTurn * std::round((q[k] - value) / kTurn);
        }
        at(c, 0, value, instant);
      }
      return;
    }
    if (const auto* posture = std::get_if<PostureTarget>(&target)) {
      for (const PoseTarget& each : posture->poses) writePose(each, instant);
      for (const LookAtTarget& look : posture->looks) {
        writePlaced(look.link, {Mat3::Identity(), look.p_L}, instant);
      }
      return;
    }
    writePose(std::get<PoseTarget>(target), instant);
  }

  void writePose(const PoseTarget& pose, int instant) {
    if (!pose.position_axes.bindNothing() || !pose.angle_axes.bindNothing()) {
      return writePlaced(pose.link, pose.X_LP, instant);
    }
    writePose(pose.link, pose.X_LP, pose.X_WP, instant, pose.position_tolerance + end_tolerance_,
              pose.angle_tolerance + end_tolerance_);
  }

  /// Of tolerances by axis and of directions the format knows nothing: the line says where the
  /// frame is, and whoever compares it with the task sees that this is within them.
  void writePlaced(int link, const Pose& X_LP, int instant) {
    const Kinematics kinematics(*problem_.robot);
    Kinematics::Workspace workspace = kinematics.makeWorkspace();
    std::vector<Pose> X_WL;
    kinematics.linkPoses(problem_.configuration(trajectory_.value(model_.breaks[instant])),
                         workspace, X_WL);
    writePose(link, X_LP, X_WL[link] * X_LP, instant, end_tolerance_, end_tolerance_);
  }

  void writePose(int link, const Pose& X_LP, const Pose& X_WP, int instant, double place,
                 double angle) {
    text_.word("pose").index(instant).index(model_.link_node[link]);
    text_.pose(model_.link_pose[link] * X_LP).pose(X_WP);
    text_.number(std::min(place, kNoLimit)).number(std::min(angle, kNoLimit)).end();
  }

  void writeEnds() {
    writeTarget(JointTarget{problem_.planned, problem_.plannedPart(problem_.start)}, 0);
    writeRates(problem_.start_velocity, problem_.start_acceleration, 0);
    const int end = breakAt(trajectory_.duration());
    writeTarget(problem_.goal, end);
    writeRates(problem_.goal_velocity, problem_.goal_acceleration, end);
    for (const Waypoint& waypoint : problem_.waypoints) {
      if (waypoint.time) writeTarget(waypoint.target, breakAt(*waypoint.time));
    }
  }

  static constexpr double kNoLimit = 1e300;  ///< the format has no infinity

  const Problem& problem_;
  const Trajectory& trajectory_;
  const ProofModel& model_;
  /// The highest derivative that does not jump: nothing is claimed of those beyond the next one.
  const int continuity_ = requiredContinuity(trajectory_);
  const double end_tolerance_ = CertifiedLimitOptions{}.end_tolerance;
  ProofText& text_;
};

}  // namespace

void writeLimitsAndEnds(const Problem& problem, const Trajectory& trajectory,
                        const ProofModel& model, ProofText* text) {
  ClaimWriter(problem, trajectory, model, text).run();
}

}  // namespace allclear
