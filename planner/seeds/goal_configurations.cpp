#include "allclear/planner/seeds/goal_configurations.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "allclear/planner/problem/pose_error.h"

namespace allclear {
namespace {

constexpr double kTightening = 0.5;  // of the tolerances: leaves the optimiser room on both sides
constexpr double kFirstDamping = 1e-2;

/// Damped least squares for one pose target.
class InverseKinematics {
 public:
  InverseKinematics(const Problem& problem, const PoseTarget& target, const Kinematics& kinematics)
      : problem_(problem),
        target_(target),
        kinematics_(kinematics),
        limits_(plannedLimits(problem)),
        workspace_(kinematics.makeWorkspace()),
        places_(std::isfinite(target.position_tolerance)),
        turns_(std::isfinite(target.angle_tolerance)) {}

  bool met(const Eigen::Matrix<double, 6, 1>& error) const {
    return (!places_ || error.head<3>().norm() <= kTightening * target_.position_tolerance) &&
           (!turns_ || error.tail<3>().norm() <= kTightening * target_.angle_tolerance);
  }

  /// Moves q onto the target, inside the limits; false when it does not get there.
  bool solve(int iterations, VecX& q) {
    double damping = kFirstDamping;
    Eigen::Matrix<double, 6, 1> error = errorAt(q);
    for (int i = 0; i < iterations; ++i) {
      if (met(error)) return true;
      const MatX J = jacobian();
      const MatX normal = J.transpose() * J;
      bool better = false;
      for (int tries = 0; tries < 6 && !better; ++tries, damping *= 8.0) {
        MatX damped = normal;
        damped.diagonal().array() += damping;
        const VecX step = damped.ldlt().solve(J.transpose() * error);
        const VecX next = (q + step).cwiseMax(limits_.lower).cwiseMin(limits_.upper);
        const auto there = errorAt(next);
        better = there.squaredNorm() < error.squaredNorm();
        if (!better) continue;
        q = next;
        error = there;
        damping = std::max(1e-12, damping / 64.0);
      }
      if (!better) break;
      errorAt(q);  // the Jacobian is of the configuration placed last
    }
    return met(error);
  }

 private:
  /// What is left to go, in the world; zero where the target leaves it free.
  Eigen::Matrix<double, 6, 1> errorAt(const VecX& q) {
    kinematics_.linkPoses(problem_.configuration(q), workspace_, poses_);
    const Pose X_WP = poses_[target_.link] * target_.X_LP;
    Eigen::Matrix<double, 6, 1> error = Eigen::Matrix<double, 6, 1>::Zero();
    if (places_) error.head<3>() = target_.X_WP.p - X_WP.p;
    if (turns_) error.tail<3>() = rotationVector(target_.X_WP.R * X_WP.R.transpose());
    return error;
  }

  MatX jacobian() {
    kinematics_.pointJacobian(workspace_, target_.link, poses_[target_.link] * target_.X_LP.p,
                              whole_);
    MatX J(6, problem_.plannedCount());
    for (int k = 0; k < J.cols(); ++k) J.col(k) = whole_.col(problem_.planned[k]);
    if (!places_) J.topRows<3>().setZero();
    if (!turns_) J.bottomRows<3>().setZero();
    return J;
  }

  const Problem& problem_;
  const PoseTarget& target_;
  const Kinematics& kinematics_;
  PlannedLimits limits_;
  Kinematics::Workspace workspace_;
  std::vector<Pose> poses_;
  Jacobian whole_;
  bool places_;
  bool turns_;
};

bool alreadyFound(const std::vector<VecX>& found, const VecX& q, double distinct) {
  return std::any_of(found.begin(), found.end(), [&](const VecX& other) {
    return (other - q).cwiseAbs().maxCoeff() < distinct;
  });
}

}  // namespace

std::vector<VecX> targetConfigurations(const ClearanceEvaluator& evaluator, const Target& target,
                                       const VecX& from, const VecX& otherwise,
                                       const GoalOptions& options,
                                       std::optional<VecX>* in_contact) {
  const Problem& problem = evaluator.problem();
  SegmentCertifier certifier(problem, evaluator.model());
  if (const auto* joints = std::get_if<JointTarget>(&target)) {
    VecX q = problem.configuration(otherwise);
    for (std::size_t k = 0; k < joints->coordinates.size(); ++k) {
      q[joints->coordinates[k]] = joints->values[static_cast<Eigen::Index>(k)];
    }
    q = problem.plannedPart(q);
    const ConfigurationSpace space(problem, q, VecX::Ones(from.size()));
    q = from + space.difference(from, q);
    if (joints->coordinates.size() == problem.planned.size()) return {q};
    // What the target leaves free may have to move out of the way.
    RandomStream random(options.seed, 0x66726565u);
    for (int i = 0; i < options.starts && !certifier.isClear(q, 0.0); ++i) {
      VecX free = problem.configuration(space.sample(random));
      for (std::size_t k = 0; k < joints->coordinates.size(); ++k) {
        free[joints->coordinates[k]] = joints->values[static_cast<Eigen::Index>(k)];
      }
      free = problem.plannedPart(free);
      if (certifier.isClear(free, 0.0)) q = from + space.difference(from, free);
    }
    return {q};
  }
  const ConfigurationSpace space(problem, from, certifier.reach(from).cwiseMax(1e-3));
  InverseKinematics inverse(problem, std::get<PoseTarget>(target),
                            evaluator.builder().kinematics());
  RandomStream random(options.seed, 0x676f616cu);  // apart from the streams of the searches
  std::vector<VecX> found;
  for (int i = 0; i <= options.starts && !options.budget.over(); ++i) {
    VecX q = i == 0 ? from : space.sample(random);
    if (!inverse.solve(options.iterations, q)) continue;
    q = from + space.difference(from, q);
    if (alreadyFound(found, q, options.distinct)) continue;
    if (!certifier.isClear(q, 0.0)) {
      if (in_contact != nullptr && !*in_contact) *in_contact = q;
      continue;
    }
    found.push_back(std::move(q));
  }
  std::stable_sort(found.begin(), found.end(), [&](const VecX& a, const VecX& b) {
    return space.length(a - from) < space.length(b - from);
  });
  if (static_cast<int>(found.size()) > options.most) found.resize(options.most);
  return found;
}

std::vector<VecX> goalConfigurations(const ClearanceEvaluator& evaluator,
                                     const GoalOptions& options, std::optional<VecX>* in_contact) {
  const Problem& problem = evaluator.problem();
  const VecX start = problem.plannedPart(problem.start);
  return targetConfigurations(evaluator, problem.goal, start, start, options, in_contact);
}

}  // namespace allclear
