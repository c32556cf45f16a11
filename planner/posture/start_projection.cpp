// Newton's steps of least norm onto "all soles are parallel and in one plane", in the frame of the
// first sole: base B, another sole C with rows
//
//   [n_x, n_y, h](X_BC) = 0,  n = R_BC e_z,  h the height of C's origin above B's plane.
//
// With the twist (v, w) of C against B at C's origin, in the axes of B: dh = v_z and dn = w x n. A
// sole that is not near the plane has the two rows of n alone.
#include "allclear/planner/posture/start_projection.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/input_error.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/kinematics/rerooted.h"

namespace allclear {
namespace {

/// A sole nearer to the plane of the first one than this is meant to be in it [m]: below any step.
constexpr double kSamePlane = 0.03;
/// A first sole whose normal is nearer to upright than this is meant to be level [rad].
constexpr double kNearlyLevel = 0.1;
constexpr double kConverged = 1e-13;  // [m, rad]: rounding of a chain of thirty joints
constexpr int kSteps = 50;
constexpr int kBaseCoordinates = 6;

class Projection {
 public:
  explicit Projection(Problem& problem)
      : problem_(problem),
        kinematics_(*problem.robot),
        workspace_(kinematics_.makeWorkspace()),
        base_joint_(floatingBase(*problem.robot)) {
    for (const Contact& contact : problem.contacts) {
      if (contact.kind == Contact::Kind::kFlat) soles_.push_back(&contact);
    }
    if (soles_.empty()) fail("'project' needs a flat contact to stand on");
    for (int c : problem.planned) {
      if (!isOfBase(c)) joints_.push_back(c);
    }
  }

  StartProjection run() {
    // First the soles against each other, by the joints; then all of it in the world, by the base.
    const VecX before = problem_.start;
    place();
    const Pose X_WB = poseOf(*soles_.front());
    chooseRows();
    bringTogether();
    StartProjection done;
    for (int c : joints_) {
      const double moved = std::abs(problem_.start[c] - before[c]);
      if (moved <= std::max(done.moved, kConverged)) continue;
      done.moved = moved;
      done.joint = problem_.robot->coordinates()[c].name;
    }
    done.turned = placeBase(X_WB);
    return done;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw InputError({problem_.source_file, 0, "start_state", ""}, why);
  }
  bool isOfBase(int coordinate) const {
    if (base_joint_ < 0) return false;
    const int first = problem_.robot->joints()[base_joint_].first_coordinate;
    return coordinate >= first && coordinate < first + kBaseCoordinates;
  }
  void place() { kinematics_.linkPoses(problem_.start, workspace_, X_WL_); }
  Pose poseOf(const Contact& contact) const { return X_WL_[contact.link] * contact.X_LC; }
  Pose relative(const Contact& contact) const {
    return poseOf(*soles_.front()).inverse() * poseOf(contact);
  }

  /// Soles near the plane have three rows, others two.
  void chooseRows() {
    for (std::size_t i = 1; i < soles_.size(); ++i) {
      rows_of_.push_back(std::abs(relative(*soles_[i]).p.z()) <= kSamePlane ? 3 : 2);
      rows_ += rows_of_.back();
    }
  }

  VecX errors(MatX* by_joints) {
    place();
    VecX out(rows_);
    if (by_joints != nullptr) by_joints->resize(rows_, static_cast<Eigen::Index>(joints_.size()));
    // Both parts of a sole are zero when it is flat on the first one's plane.
    int row = 0;
    for (std::size_t i = 1; i < soles_.size(); ++i) {
      const Pose X_BC = relative(*soles_[i]);
      const Vec3 n = X_BC.R.col(2);
      out.segment<2>(row) = n.head<2>();
      if (rows_of_[i - 1] == 3) out[row + 2] = X_BC.p.z();
      if (by_joints != nullptr) addRows(*soles_[i], n, row, rows_of_[i - 1], by_joints);
      row += rows_of_[i - 1];
    }
    return out;
  }

  void addRows(const Contact& sole, const Vec3& n, int row, int count, MatX* by_joints) {
    const Pose X_WB = poseOf(*soles_.front());
    const Vec3 p_WC = poseOf(sole).p;
    Jacobian of_sole, of_first;
    kinematics_.pointJacobian(workspace_, sole.link, p_WC, of_sole);
    kinematics_.pointJacobian(workspace_, soles_.front()->link, p_WC, of_first);
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      const auto twist = of_sole.col(joints_[k]) - of_first.col(joints_[k]);
      const Vec3 turn = (X_WB.R.transpose() * twist.tail<3>()).cross(n);
      auto column = by_joints->col(static_cast<Eigen::Index>(k));
      column.segment<2>(row) = turn.head<2>();
      if (count == 3) column[row + 2] = X_WB.R.col(2).dot(twist.head<3>());
    }
  }

  /// Joints that a step would lead beyond a limit stay on it.
  void bringTogether() {
    MatX J;
    for (int i = 0; i < kSteps && rows_ > 0; ++i) {
      const VecX error = errors(&J);
      if (error.cwiseAbs().maxCoeff() <= kConverged) return;
      const VecX step = J.completeOrthogonalDecomposition().solve(error);
      for (std::size_t k = 0; k < joints_.size(); ++k) {
        const Coordinate& c = problem_.robot->coordinates()[joints_[k]];
        double& q = problem_.start[joints_[k]];
        q = std::clamp(q - step[static_cast<Eigen::Index>(k)], std::min(c.lower, q),
                       std::max(c.upper, q));
      }
    }
    constexpr double kEnough = 1e-9;  // [m, rad]: far below every tolerance of a contact
    if (rows_ > 0 && !(errors(nullptr).cwiseAbs().maxCoeff() <= kEnough)) {
      fail("its joints cannot bring the soles of the contacts into one plane");
    }
  }

  /// Moves the base so that the first sole is at X_WB again, level where it nearly was. Returns by
  /// how much it was turned.
  double placeBase(const Pose& X_WB) {
    place();
    Pose wanted = X_WB;
    const Vec3 up = Vec3::UnitZ();
    const Vec3 n = X_WB.R.col(2);
    const double tilt = std::atan2(n.cross(up).norm(), n.dot(up));
    const bool may_turn = base_joint_ >= 0 && isPlannedBase();
    if (!may_turn) return 0.0;
    const bool is_tilted = tilt > kConverged && tilt <= kNearlyLevel;
    if (is_tilted) wanted.R = Eigen::Quaterniond::FromTwoVectors(n, up) * X_WB.R;
    // The robot moves as a whole: its root by what leads the sole from where it is to the wanted.
    const Joint& joint = problem_.robot->joints()[base_joint_];
    const Pose X_WR = wanted * poseOf(*soles_.front()).inverse() * X_WL_[joint.child_link];
    const Pose motion = (X_WL_[joint.parent_link] * joint.X_PJ).inverse() * X_WR;
    problem_.start.segment<3>(joint.first_coordinate) = motion.p;
    problem_.start.segment<3>(joint.first_coordinate + 3) = rpyFromRotation(motion.R);
    return is_tilted ? tilt : 0.0;
  }
  bool isPlannedBase() const {
    return std::any_of(problem_.planned.begin(), problem_.planned.end(),
                       [&](int c) { return isOfBase(c); });
  }

  Problem& problem_;
  Kinematics kinematics_;
  Kinematics::Workspace workspace_;
  std::vector<Pose> X_WL_;
  int base_joint_;
  std::vector<const Contact*> soles_;
  std::vector<int> joints_;   ///< planned coordinates besides the base's
  std::vector<int> rows_of_;  ///< by sole, without the first
  int rows_ = 0;
};

}  // namespace

StartProjection projectStart(Problem& problem) { return Projection(problem).run(); }

}  // namespace allclear
