// Configurations that meet a target. For poses: damped least squares (C. W. Wampler, "Manipulator
// inverse kinematic solutions based on vector formulations and damped least-squares methods", IEEE
// Trans. SMC 1986) from the given configuration and from random ones.
//
// Symbols: e the twist from the frame to its target, J its geometric Jacobian, lambda the damping.
// One step solves (J^T J + lambda 1) dq = J^T e: for small lambda a Gauss-Newton step, for large
// ones a short step along the gradient, which exists at singular configurations too.
#include "allclear/planner/seeds/goal_configurations.h"

#include <algorithm>
#include <cmath>

#include "allclear/planner/posture/posture.h"
#include "allclear/planner/problem/alternatives.h"
#include "allclear/planner/problem/held_error.h"
#include "allclear/planner/problem/pose_error.h"
#include "allclear/planner/seeds/configuration_space.h"
#include "allclear/planner/seeds/path_projection.h"
#include "allclear/planner/seeds/segment_certifier.h"

namespace allclear {
namespace {

/// Share of the tolerances that a solution may use: leaves the optimiser room on both sides. Of one
/// along an axis it may be more, as no norm of several adds up.
constexpr double kToleranceUsed = 0.5;
constexpr double kAxisToleranceUsed = 0.9;
/// Of a tolerance along an axis, within which places are drawn.
constexpr double kDrawnWithin = 0.8;

// Damping (lambda), in the units of J^T J. A step that does not reduce the error is tried again
// with eight times the damping; one that does leaves an eighth of it (8 / 64) for the next step.
constexpr double kFirstDamping = 1e-2;
constexpr double kLeastDamping = 1e-12;  // keeps J^T J positive definite
constexpr double kDampingGrowth = 8.0;
constexpr double kDampingRelief = 64.0;
constexpr int kDampings = 6;  // tries per step

/// Metres per radian of a coordinate that moves no body, so that lengths are norms.
constexpr double kLeastReach = 1e-3;

// Streams of random numbers, apart from those of the searches (which are the attempts' numbers):
// "free" and "goal" in ASCII.
constexpr std::uint64_t kFreeStream = 0x66726565u;
constexpr std::uint64_t kGoalStream = 0x676f616cu;

/// Damped least squares for one pose target, and the held poses of the problem.
class InverseKinematics {
 public:
  InverseKinematics(const Problem& problem, const PoseTarget& target, const Kinematics& kinematics)
      : problem_(problem),
        target_(target),
        kinematics_(kinematics),
        limits_(plannedLimits(problem)),
        pose_error_(problem, kinematics),
        held_(problem),
        workspace_(kinematics.makeWorkspace()) {}

  /// Moves q onto the target, inside the limits; false when it does not get there.
  bool solve(int iterations, VecX& q) {
    double damping = kFirstDamping;
    VecX error = errorAt(q, nullptr);
    for (int i = 0; i < iterations; ++i) {
      if (isMet(error)) return true;
      if (!improve(q, error, damping)) break;
    }
    return isMet(error);
  }

 private:
  /// The twist to the target, then what is missing to each held pose. `J`, if not null, gets the
  /// change of the poses by q.
  VecX errorAt(const VecX& q, MatX* J) {
    const auto count = 6 * (1 + static_cast<Eigen::Index>(held_.constraints().size()));
    VecX error(count);
    error.head<6>() = pose_error_.twistToTarget(target_, q);
    if (J != nullptr) {
      J->setZero(count, q.size());
      J->topRows<6>() = pose_error_.twistJacobian(target_, q);
    }
    // What may be off is zero, with its rows.
    held_use_ = 0.0;
    if (count == 6) return error;
    kinematics_.linkPoses(problem_.configuration(q), workspace_, poses_);
    Eigen::Index row = 6;
    for (int constraint : held_.constraints()) {
      const HeldError off = held_.of(constraint, kinematics_, workspace_, poses_, J != nullptr);
      held_use_ = std::max(held_use_, off.use());
      const double placed = off.isPlaced() ? 1.0 : 0.0, oriented = off.isOriented() ? 1.0 : 0.0;
      error.segment<3>(row) = -placed * off.position;
      error.segment<3>(row + 3) = -oriented * off.turn;
      if (J != nullptr) {
        J->middleRows<3>(row) = placed * off.by_q.topRows<3>();
        J->middleRows<3>(row + 3) = oriented * off.by_q.bottomRows<3>();
      }
      row += 6;
    }
    return error;
  }

  bool isMet(const VecX& error) const {
    if (!(held_use_ <= kToleranceUsed)) return false;
    // What is free is 0 in the error. Boxes are along the target's axes.
    if (!(error.head<3>().norm() <= kToleranceUsed * target_.position_tolerance)) return false;
    if (!(error.segment<3>(3).norm() <= kToleranceUsed * target_.angle_tolerance)) return false;
    const Mat3 R_TW = target_.X_WP.R.transpose();
    const Vec3 place = (R_TW * error.head<3>()).cwiseAbs();
    const Vec3 turn = (R_TW * error.segment<3>(3)).cwiseAbs();
    return (place.array() <= kAxisToleranceUsed * target_.position_axes.most.array()).all() &&
           (turn.array() <= kAxisToleranceUsed * target_.angle_axes.most.array()).all();
  }

  /// One step that reduces the error; false when no damping gives one. On return `damping` is that
  /// of the next step.
  bool improve(VecX& q, VecX& error, double& damping) {
    MatX J;
    errorAt(q, &J);
    const MatX normal = J.transpose() * J;
    // Raise the damping until the step, cut off at the limits, reduces the error.
    bool is_better = false;
    for (int tries = 0; tries < kDampings && !is_better; ++tries, damping *= kDampingGrowth) {
      MatX damped = normal;
      damped.diagonal().array() += damping;
      const VecX step = damped.ldlt().solve(J.transpose() * error);
      const VecX next = (q + step).cwiseMax(limits_.lower).cwiseMin(limits_.upper);
      const VecX next_error = errorAt(next, nullptr);
      is_better = next_error.squaredNorm() < error.squaredNorm();
      if (!is_better) continue;
      q = next;
      error = next_error;
      damping = std::max(kLeastDamping, damping / kDampingRelief);
    }
    return is_better;
  }

  const Problem& problem_;
  const PoseTarget& target_;
  const Kinematics& kinematics_;
  PlannedLimits limits_;
  PoseError pose_error_;
  HeldErrors held_;
  Kinematics::Workspace workspace_;
  std::vector<Pose> poses_;
  double held_use_ = 0.0;  ///< the largest share of a held pose's tolerance, at the last `errorAt`
};

/// Whether a pose has tolerances by axis, of which there may be much to choose from.
bool hasWideAxes(const PoseTarget& target) {
  return target.position_axes.most.array().isFinite().any() ||
         target.angle_axes.most.array().isFinite().any();
}

/// The same pose anywhere within its tolerances by axis, and narrow there: a step leads to the
/// middle of what is allowed, so that all solutions would gather there.
PoseTarget drawnWithin(const PoseTarget& target, RandomStream& random) {
  PoseTarget drawn = target;
  const auto draw = [&](AxisBounds& axes) {
    Vec3 off = Vec3::Zero();
    for (int k = 0; k < 3; ++k) {
      const double share = kDrawnWithin * (2.0 * random.uniform() - 1.0);
      if (axes.is_free[static_cast<std::size_t>(k)] || std::isinf(axes.most[k])) continue;
      off[k] = share * axes.most[k];
      axes.most[k] *= 1.0 - kDrawnWithin;
    }
    return off;
  };
  const Vec3 off = draw(drawn.position_axes);
  const Vec3 turn = draw(drawn.angle_axes);
  drawn.X_WP.p += target.X_WP.R * off;
  if (turn.norm() > 0.0) {
    drawn.X_WP.R =
        target.X_WP.R * Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
  }
  return drawn;
}

bool alreadyFound(const std::vector<VecX>& found, const VecX& q, double distinct) {
  return std::any_of(found.begin(), found.end(), [&](const VecX& other) {
    return (other - q).cwiseAbs().maxCoeff() < distinct;
  });
}

/// The planned coordinates of the robot's configuration `q` with the target's values put in.
VecX withTarget(const Problem& problem, const JointTarget& target, VecX q) {
  for (std::size_t k = 0; k < target.coordinates.size(); ++k) {
    q[target.coordinates[k]] = target.values[static_cast<Eigen::Index>(k)];
  }
  return problem.plannedPart(q);
}

/// The target's values; coordinates that it leaves free may have to move out of the way.
VecX jointConfiguration(const Problem& problem, SegmentCertifier& certifier,
                        const JointTarget& target, const VecX& from, const VecX& otherwise,
                        std::uint64_t seed, int starts) {
  VecX q = withTarget(problem, target, problem.configuration(otherwise));
  const ConfigurationSpace space(problem, q, VecX::Ones(from.size()));
  q = from + space.difference(from, q);
  if (target.coordinates.size() == problem.planned.size()) return q;
  RandomStream random(seed, kFreeStream);
  for (int i = 0; i < starts && !certifier.isClear(q, 0.0); ++i) {
    const VecX drawn = withTarget(problem, target, problem.configuration(space.sample(random)));
    if (certifier.isClear(drawn, 0.0)) q = from + space.difference(from, drawn);
  }
  return q;
}

std::vector<VecX> postureConfigurations(const ClearanceEvaluator& evaluator,
                                        const PostureTarget& target, const VecX& from,
                                        const RunContext& context, const GoalOptions& options) {
  const ConfigurationSpace space(evaluator.problem(), from, VecX::Ones(from.size()));
  PostureOptions posture_options;
  posture_options.tries = options.postures;
  std::vector<VecX> found;
  for (const Posture& posture : findPostures(evaluator, target, context, posture_options)) {
    VecX q = from + space.difference(from, posture.q);
    if (!alreadyFound(found, q, options.distinct)) found.push_back(std::move(q));
  }
  return found;
}

/// Of all alternatives, one after the other.
std::vector<VecX> anyConfigurations(const ClearanceEvaluator& evaluator, const AnyTarget& any,
                                    const VecX& from, const VecX& otherwise,
                                    const RunContext& context, const GoalOptions& options) {
  std::vector<VecX> all;
  for (const GoalAlternative& alternative : any.alternatives) {
    const std::vector<VecX> found = targetConfigurations(evaluator, toTarget(alternative.target),
                                                         from, otherwise, context, options);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

}  // namespace

std::vector<VecX> targetConfigurations(const ClearanceEvaluator& evaluator, const Target& target,
                                       const VecX& from, const VecX& otherwise,
                                       const RunContext& context, const GoalOptions& options,
                                       std::optional<VecX>* in_contact) {
  const Problem& problem = evaluator.problem();
  SegmentCertifier certifier(problem, evaluator.model());
  if (const auto* joints = std::get_if<JointTarget>(&target)) {
    return {jointConfiguration(problem, certifier, *joints, from, otherwise, context.seed,
                               options.starts)};
  }
  if (const auto* posture = std::get_if<PostureTarget>(&target)) {
    return postureConfigurations(evaluator, *posture, from, context, options);
  }
  if (const auto* any = std::get_if<AnyTarget>(&target)) {
    return anyConfigurations(evaluator, *any, from, otherwise, context, options);
  }
  const ConfigurationSpace space(problem, from, certifier.reach(from).cwiseMax(kLeastReach));
  const auto& pose = std::get<PoseTarget>(target);
  const Kinematics& kinematics = evaluator.builder().kinematics();
  InverseKinematics inverse(problem, pose, kinematics);
  PathProjection projection(problem, kinematics);
  RandomStream random(context.seed, kGoalStream);
  // The given configuration first: its solution is often the nearest one.
  std::vector<VecX> found;
  for (int i = 0; i <= options.starts && !context.mustEnd(); ++i) {
    VecX q = i == 0 ? from : space.sample(random);
    if (i % 2 == 1 && hasWideAxes(pose)) {
      const PoseTarget drawn = drawnWithin(pose, random);
      if (!InverseKinematics(problem, drawn, kinematics).solve(options.iterations, q)) continue;
    }
    // Of what was drawn it has nothing to do, unless large turns did not add up.
    if (!inverse.solve(options.iterations, q)) continue;
    q = from + space.difference(from, q);
    if (alreadyFound(found, q, options.distinct)) continue;
    if (projection.isNeeded() && projection.use(q) > 1.0) continue;
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

std::vector<VecX> goalConfigurations(const ClearanceEvaluator& evaluator, const RunContext& context,
                                     const GoalOptions& options, std::optional<VecX>* in_contact) {
  const Problem& problem = evaluator.problem();
  const VecX start = problem.plannedPart(problem.start);
  return targetConfigurations(evaluator, problem.goal, start, start, context, options, in_contact);
}

}  // namespace allclear
