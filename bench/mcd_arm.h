#pragma once

// The workload of the benches of the minimum over time: a seven-joint arm (the Panda's kinematics)
// of capsules on random quintic B-splines among still obstacles.

#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "allclear/distance/minimum/capsule/capsule.h"
#include "allclear/robot_models/motion/link_curves.h"
#include "allclear/robot_models/robot_model.h"
#include "allclear/trajectories/bspline.h"

namespace allclear::bench {

constexpr int kJoints = 7;

/// Pose that takes a capsule's z axis onto the segment p0-p1.
inline Geometry capsuleBetween(const Vec3& p0, const Vec3& p1, double radius) {
  Pose X;
  X.R = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), p1 - p0).toRotationMatrix();
  X.p = 0.5 * (p0 + p1);
  return {Capsule(radius, (p1 - p0).norm()), X};
}

/// Links 1 to 7 carry one capsule each; link 0 is the base, without geometry.
inline RobotModel makeArm() {
  constexpr double kA[kJoints] = {0, 0, 0, 0.0825, -0.0825, 0, 0.088};
  constexpr double kD[kJoints] = {0.333, 0, 0.316, 0, 0.384, 0, 0.107};
  constexpr int kTwist[kJoints] = {0, -1, 1, 1, -1, 1, 1};  // quarter turns about x
  RobotModel::Data data;
  data.name = "arm";
  data.links.resize(kJoints + 1);
  data.links[0].name = "base";
  for (int j = 0; j < kJoints; ++j) {
    const std::string number = std::to_string(j + 1);
    Joint joint;
    joint.name = "joint" + number;
    joint.type = JointType::kRevolute;
    joint.parent_link = j;
    joint.child_link = j + 1;
    joint.X_PJ.R = rotationAbout(Vec3::UnitX(), kTwist[j] * std::numbers::pi / 2);
    joint.X_PJ.p = Vec3(kA[j], -kTwist[j] * kD[j], kTwist[j] == 0 ? kD[j] : 0.0);
    joint.axis = Vec3::UnitZ();
    joint.first_coordinate = j;
    data.joints.push_back(joint);
    data.links[j + 1].name = "link" + number;
    data.links[j + 1].parent_joint = j;
    data.coordinates.push_back({joint.name, j, true, false, -3.0, 3.0, 2.5, 80.0});
  }
  data.links[1].collision = {capsuleBetween({0, 0, -0.19}, {0, 0, 0}, 0.09)};
  data.links[2].collision = {capsuleBetween({0, -0.19, 0}, {0, 0, 0}, 0.08)};
  data.links[3].collision = {capsuleBetween({0, 0, -0.12}, {0.08, 0, 0}, 0.08)};
  data.links[4].collision = {capsuleBetween({-0.08, 0.12, 0}, {0, 0, 0}, 0.07)};
  data.links[5].collision = {capsuleBetween({0, 0, -0.26}, {0, 0.03, -0.02}, 0.07)};
  data.links[6].collision = {capsuleBetween({0, 0, 0}, {0.088, 0, 0}, 0.06)};
  data.links[7].collision = {capsuleBetween({0, 0, 0}, {0, 0, 0.12}, 0.07)};
  return RobotModel(std::move(data));
}

inline std::vector<CapsuleAxis> axesOf(const RobotModel& robot, const std::vector<int>& links) {
  std::vector<CapsuleAxis> axes;
  for (int link : links) {
    const Geometry& geometry = robot.links()[link].collision.front();
    axes.push_back(capsuleAxis(geometry.shape, geometry.X_BG));
  }
  return axes;
}

/// Links that do not touch by construction: two or more joints apart.
inline std::vector<std::pair<int, int>> selfPairs() {
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < kJoints; ++i) {
    for (int j = i + 2; j < kJoints; ++j) pairs.emplace_back(i, j);
  }
  return pairs;
}

/// From rest to rest over `spans` spans of `duration` [s]; control points walk by `step` [rad].
inline BSpline randomTrajectory(std::mt19937_64& engine, int spans, double duration, double step) {
  std::normal_distribution<double> normal(0.0, step);
  std::uniform_real_distribution<double> start(-1.2, 1.2);
  MatX control(kJoints, spans + 5);
  const int last = static_cast<int>(control.cols()) - 1;
  for (int j = 0; j < kJoints; ++j) {
    control(j, 0) = start(engine);
    for (int i = 1; i <= last; ++i) {
      // Three equal control points at either end: no velocity, no acceleration.
      const bool rests = i <= 2 || i > last - 2;
      control(j, i) = rests ? control(j, i - 1) : 0.9 * control(j, i - 1) + normal(engine);
    }
  }
  return {control, spans * duration};
}

/// Capsules around the arm, clear of its base.
inline std::vector<CapsuleAxis> randomObstacles(std::mt19937_64& engine, int count) {
  std::uniform_real_distribution<double> place(-0.9, 0.9), height(0.0, 1.0), length(0.05, 0.6),
      radius(0.03, 0.12);
  std::normal_distribution<double> normal;
  std::vector<CapsuleAxis> obstacles;
  while (static_cast<int>(obstacles.size()) < count) {
    const Vec3 p(place(engine), place(engine), height(engine));
    const Vec3 d = Vec3(normal(engine), normal(engine), normal(engine)).normalized();
    if (p.head<2>().norm() > 0.35) obstacles.push_back({p, p + d * length(engine), radius(engine)});
  }
  return obstacles;
}

inline std::vector<CapsuleCurve> stillCurves(const CapsuleAxis& axis) {
  const BodyCurve still = BodyCurve::still(Pose{}, {0.0, 1.0});
  std::vector<CapsuleCurve> curves(1);
  capsuleCurves({&still, 1}, axis, curves);
  return curves;
}

}  // namespace allclear::bench
