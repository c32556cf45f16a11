#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/problem/pose_error.h"
#include "allclear/planner/program/state_demands.h"

namespace allclear {

/// What a posture has to meet at rest, as rows with bounds over x = [planned coordinates | wrenches
/// of the contacts that have some, over the robot's weight]. Rows are in m, rad, or of order one.
///
/// Rows come in parts: the contacts, each pose, the demands, the clearances; the limits are a part
/// without rows. Holds scratch: one per thread.
class PostureRows {
 public:
  enum class Kind { kContacts, kPose, kDemands, kClearances, kLimits };
  struct Part {
    Kind kind = Kind::kLimits;
    std::string name;  ///< "the pose of link 'r_hand'", "the clearances"
    int first = 0;     ///< its rows: [first, first + count)
    int count = 0;
  };

  /// Both are to outlive the rows.
  /// `exact`: `PostureOptions::exact`.
  PostureRows(const ClearanceEvaluator& evaluator, const PostureTarget& target, bool exact = true);

  const Problem& problem() const { return problem_; }
  const std::vector<Part>& parts() const { return parts_; }
  int joints() const { return problem_.plannedCount(); }
  int wrenches() const { return demands_.wrenchCount(); }
  /// [N], the unit of wrenches in x.
  double weight() const { return weight_; }
  int variables() const { return joints() + wrenches(); }
  int count() const { return static_cast<int>(lower_.size()); }
  const VecX& lower() const { return lower_; }
  const VecX& upper() const { return upper_; }
  /// What clearances are to keep beyond their demand [m]: the lower bound of their rows.
  void setClearance(double beyond);

  void place(const VecX& x);
  const VecX& values();    ///< at x
  const MatX& jacobian();  ///< count x variables, at x

  /// By how much the part's rows are beyond their bounds at x, at most; clearances count from the
  /// demand itself.
  double miss(const Part& part);
  /// "link 'r_hand' is 0.12 m off its place", of the row that misses most.
  std::string missText(const Part& part);

  /// Clearances farther beyond the demand than this count as this [m]: a pair so far apart has no
  /// say in a posture.
  static constexpr double kCeiling = 0.15;
  /// What demands (of order one: torque over effort, ...) keep at rest, for the motion to use.
  static constexpr double kDemandReserve = 0.02;

 private:
  /// Rows of one pose, or of one direction.
  struct PoseRows {
    std::variant<PoseTarget, LookAtTarget> target;
    int first = 0;
    bool is_placed = true, is_oriented = true;

    int count() const { return 3 * (is_placed + is_oriented); }
  };
  void addPose(const PoseTarget& target, bool is_exact);
  void addLook(const LookAtTarget& target);
  void addBox(const Vec3& room);
  int linkOf(const PoseRows& pose) const;
  void poseError(const PoseRows& pose, Eigen::Ref<VecX> values, MatX* by_q);
  void addPart(Kind kind, const std::string& name, int first);
  void addRows(int count, double lower, double upper);
  const std::vector<Clearance>& near();
  std::string offText(const PoseRows& pose) const;
  std::string poseText(const Part& part) const;
  std::string demandText(const Part& part) const;
  std::string clearanceText();
  std::string limitText() const;

  const ClearanceEvaluator& evaluator_;
  const Problem& problem_;
  ClearanceEvaluator::Workspace workspace_;
  PoseError pose_error_;
  StateDemands demands_;
  bool exact_;                  ///< poses of small tolerances are met to a tenth of these
  std::optional<double> time_;  ///< at which obstacles count [s]; those that move do not, without
  std::vector<PoseRows> poses_;
  std::vector<Part> parts_;
  int first_demand_ = 0, first_pair_ = 0;
  VecX lower_, upper_;
  double weight_ = 1.0;

  VecX x_, q_, w_;
  std::vector<Clearance> near_;  ///< pairs below the ceiling at x
  VecX values_;
  MatX jacobian_;
  bool has_near_ = false, has_values_ = false, has_jacobian_ = false;
};

}  // namespace allclear
