#include "allclear/exports/report/frames.h"

#include <algorithm>
#include <cmath>

#include "allclear/exports/report/contacts.h"
#include "allclear/planner/problem/load.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {
namespace {

constexpr double kFramesPerSecond = 60.0;  // as screens show
constexpr int kFewestFrames = 61;          // so that short motions have smooth curves
constexpr double kSameInstant = 1e-6;      // relative; floats tell 6e-8 apart
constexpr int kMostFrames = 601;           // so that files of long motions stay small

/// The poses of all links at each configuration.
void addPoses(const Problem& problem, ReportFrames* frames) {
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  for (const VecX& q : frames->q) {
    kinematics.linkPoses(q, workspace, frames->X_WL.emplace_back());
  }
}

}  // namespace

ReportFrames motionFrames(const Problem& problem, const Trajectory& trajectory,
                          const std::vector<double>& instants) {
  ReportFrames frames;
  const double duration = trajectory.duration();
  const int count = static_cast<int>(std::clamp(std::ceil(duration * kFramesPerSecond) + 1.0,
                                                double{kFewestFrames}, double{kMostFrames}));
  for (int i = 0; i < count; ++i) {
    // The last frame is the end itself: a rounded time might lie beyond it.
    frames.times.push_back(i + 1 == count ? duration : duration * i / (count - 1));
  }
  // Not where a frame is already: the page reads times as floats.
  for (const double t : instants) {
    const bool is_new = std::none_of(frames.times.begin(), frames.times.end(), [&](double known) {
      return std::abs(known - t) < kSameInstant * (1.0 + duration);
    });
    if (is_new && t > 0.0 && t < duration) frames.times.push_back(t);
  }
  std::sort(frames.times.begin(), frames.times.end());
  for (const double t : frames.times) {
    frames.q.push_back(problem.configuration(trajectory.value(t)));
  }
  addPoses(problem, &frames);
  return frames;
}

std::optional<VecX> goalConfiguration(const Problem& problem) {
  const auto* joints = std::get_if<JointTarget>(&problem.goal);
  if (joints == nullptr) return std::nullopt;
  VecX q = problem.start;
  for (std::size_t i = 0; i < joints->coordinates.size(); ++i) {
    q[joints->coordinates[i]] = joints->values[static_cast<int>(i)];
  }
  return q;
}

ReportFrames endFrames(const Problem& problem) {
  ReportFrames frames;
  frames.times = {0.0};
  frames.q = {problem.start};
  frames.labels = {"start"};
  if (const auto goal = goalConfiguration(problem)) {
    frames.times.push_back(problem.duration.isFixed() ? problem.duration.min : 0.0);
    frames.q.push_back(*goal);
    frames.labels.push_back("goal");
  }
  addPoses(problem, &frames);
  return frames;
}

Pose bodyPose(const Problem& problem, const CertifiedBody& body, const ReportFrames& frames,
              int frame) {
  if (body.link >= 0) return frames.X_WL[frame][body.link];
  return problem.obstacles[body.obstacle].pose(frames.times[frame]);
}

ReportJoints reportJoints(const Problem& problem, const Trajectory& trajectory,
                          const Trajectory* wrenches, const ReportFrames& frames) {
  const Kinematics kinematics(*loadedRobot(problem));  // for torques
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  const int n = problem.plannedCount();
  ReportJoints joints;
  for (MatX* rows :
       {&joints.position, &joints.velocity, &joints.acceleration, &joints.jerk, &joints.torque}) {
    *rows = MatX::Zero(n, frames.count());
  }
  const ContactSet contacts(problem);
  // Torques of a robot on several contacts depend on the forces there: unknown without the curve.
  const bool stands = contacts.base() != nullptr;
  const bool has_torques = !stands || contacts.wrenchCount() == 0 || wrenches != nullptr;
  // Torques need the whole robot's state: coordinates that are not planned rest.
  VecX v = VecX::Zero(problem.robot->dimension()), a = v, tau = v;
  for (int f = 0; f < frames.count(); ++f) {
    joints.position.col(f) = trajectory.value(frames.times[f]);
    joints.velocity.col(f) = trajectory.value(frames.times[f], 1);
    joints.acceleration.col(f) = trajectory.value(frames.times[f], 2);
    joints.jerk.col(f) = trajectory.value(frames.times[f], 3);
    for (int i = 0; i < n; ++i) {
      v[problem.planned[i]] = joints.velocity(i, f);
      a[problem.planned[i]] = joints.acceleration(i, f);
    }
    if (!has_torques) continue;
    kinematics.inverseDynamics(frames.q[f], v, a, workspace, tau);
    if (wrenches != nullptr) {
      subtractContactForces(contacts, kinematics, workspace, wrenches->value(frames.times[f]),
                            &tau);
    }
    joints.torque.col(f) = problem.plannedPart(tau);
  }
  return joints;
}

}  // namespace allclear
