#pragma once

#include <string>
#include <utility>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/robot_models/kinematics/impact.h"
#include "allclear/robot_models/robot_model.h"
#include "support/moore_impulses.h"
#include "support/random.h"

namespace allclear::test {

/// Two trees of free bodies that hit each other, as a robot (at q = 0) and as a scene of bodies in
/// maximal coordinates.
struct ImpulseRobot {
  RobotModel model;
  VecX rates;
  Impact impact;
  ImpulseScene scene;
  std::vector<int> link_of;  ///< by body
};

struct ImpulseRobotOptions {
  int bodies = 12;  ///< of both trees together
  bool chains = false;
  bool revolutes = false;  ///< every other joint, else all are balls
  bool slides = false;     ///< some joints
  int loops = 0;           ///< extra ball joints, in the scene alone; between balls
};

class ImpulseRobotMaker {
 public:
  ImpulseRobotMaker(Random& random, const ImpulseRobotOptions& options)
      : random_(random), options_(options) {
    data_.name = "impulses";
    data_.links.push_back({"world", -1, {}, {}, {}, false, false, {}});
  }

  ImpulseRobot make() {
    const int half = options_.bodies / 2;
    for (int tree = 0; tree < 2; ++tree) {
      const int first = tree * half;
      addRoot();
      while (bodyCount() < (tree == 0 ? half : options_.bodies)) {
        addChild(options_.chains ? bodyCount() - 1 : random_.integer(first, bodyCount() - 1));
      }
    }
    addLoops(half);
    return {RobotModel(std::move(data_)),
            Eigen::Map<const VecX>(rates_.data(), static_cast<Eigen::Index>(rates_.size())),
            impact(half), std::move(scene_), std::move(link_of_)};
  }

 private:
  int bodyCount() const { return static_cast<int>(scene_.bodies.size()); }

  /// A joint on `parent` at X_PJ; returns its child link, a massless one.
  int addJoint(int parent, const Pose& X_PJ, JointType type, const Vec3& axis, const VecX& rates) {
    Joint joint;
    joint.name = "joint" + std::to_string(data_.joints.size());
    joint.type = type;
    joint.parent_link = parent;
    joint.child_link = static_cast<int>(data_.links.size());
    joint.X_PJ = X_PJ;
    joint.axis = axis;
    joint.first_coordinate = static_cast<int>(data_.coordinates.size());
    for (const double rate : rates) {
      rates_.push_back(rate);
      data_.coordinates.push_back({});
    }
    data_.links.push_back({"link" + std::to_string(joint.child_link),
                           static_cast<int>(data_.joints.size()),
                           {},
                           {},
                           {},
                           false,
                           false,
                           {}});
    data_.joints.push_back(std::move(joint));
    return static_cast<int>(data_.links.size()) - 1;
  }

  /// Makes a link a body: its frame stands at X_WL and moves with w, and v at its origin.
  void addBody(int link, const Pose& X_WL, const Vec3& v, const Vec3& w) {
    Inertia inertia;
    inertia.mass = random_.logUniform(0.2, 5.0);
    inertia.p_LC = random_.vector(0.2);
    const Mat3 Q = random_.rotationOfNormals();
    const Vec3 d(random_.uniform(1, 2), random_.uniform(1, 2), random_.uniform(1, 2));
    inertia.I_C = 0.01 * inertia.mass * Q * d.asDiagonal() * Q.transpose();
    data_.links[link].inertia = inertia;
    ImpulseBody body;
    body.mass = inertia.mass;
    body.I_C = X_WL.R * inertia.I_C * X_WL.R.transpose();
    body.p_C = X_WL * inertia.p_LC;
    body.w = w;
    body.v = v + w.cross(body.p_C - X_WL.p);
    scene_.bodies.push_back(body);
    link_of_.push_back(link);
    X_WL_.push_back(X_WL);
  }

  void addRoot() {
    const Pose X_WL = random_.pose(1.0);
    const VecX rates = random_.vectorX(6, 1.0);
    const int link = addJoint(0, X_WL, JointType::kFloating, Vec3::UnitX(), rates);
    addBody(link, X_WL, X_WL.R * rates.head<3>(), X_WL.R * rates.tail<3>());
  }

  void addChild(int parent) {
    const Pose X_PJ = random_.pose(0.4);
    const Pose X_WJ = X_WL_[parent] * X_PJ;
    ImpulseJoint joint;
    joint.a = parent;
    joint.b = bodyCount();
    joint.p = X_WJ.p;
    const double draw = random_.uniform(0.0, 1.0);
    const bool slides = options_.slides && draw < 0.3;
    const bool turns = slides || (options_.revolutes && draw < 0.65);
    const Vec3 rates = random_.vector(1.0);
    int link = link_of_[parent];
    Vec3 w = scene_.bodies[parent].w;
    Vec3 v = scene_.bodies[parent].v + w.cross(X_WJ.p - scene_.bodies[parent].p_C);
    if (turns) {
      const Vec3 axis = random_.directionOfNormals();
      joint.kind = slides ? ImpulseJoint::Kind::kSlide : ImpulseJoint::Kind::kRevolute;
      joint.axis = X_WJ.R * axis;
      const JointType type = slides ? JointType::kPrismatic : JointType::kRevolute;
      link = addJoint(link, X_PJ, type, axis, rates.head<1>());
      (slides ? v : w) += joint.axis * rates[0];
    } else {
      for (int k = 0; k < 3; ++k) {
        link = addJoint(link, k == 0 ? X_PJ : Pose{}, JointType::kRevolute, Vec3::Unit(k),
                        rates.segment<1>(k));
      }
      w += X_WJ.R * rates;
    }
    scene_.joints.push_back(joint);
    addBody(link, X_WJ, v, w);
  }

  /// Joints of the tree between two bodies.
  int distance(int a, int b) const {
    int joints = 0;
    while (a != b) {
      int& later = a > b ? a : b;
      for (const ImpulseJoint& joint : scene_.joints) {
        if (joint.b == later) {
          later = joint.a;
          break;
        }
      }
      ++joints;
    }
    return joints;
  }

  /// Joints of loops hold nothing that others hold already when the loops are long enough.
  void addLoops(int half) {
    std::vector<ImpulseJoint> loops;
    for (int k = 0; k < options_.loops; ++k) {
      const int first = k % 2 == 0 ? 0 : half;
      const int last = k % 2 == 0 ? half - 1 : options_.bodies - 1;
      ImpulseJoint joint;
      int draws = 0;
      do {
        joint.a = random_.integer(first, last - 1);
        joint.b = random_.integer(joint.a + 1, last);
      } while (distance(joint.a, joint.b) < 3 && ++draws < 100);
      if (distance(joint.a, joint.b) < 3) continue;
      joint.p = scene_.bodies[joint.a].p_C + random_.vector(0.3);
      loops.push_back(joint);
    }
    scene_.joints.insert(scene_.joints.end(), loops.begin(), loops.end());
  }

  Impact impact(int half) {
    ImpulseContact& contact = scene_.contact;
    contact.a = random_.integer(0, half - 1);
    contact.b = random_.integer(half, options_.bodies - 1);
    const ImpulseBody& a = scene_.bodies[contact.a];
    const ImpulseBody& b = scene_.bodies[contact.b];
    contact.p = a.p_C + random_.vector(0.2);
    const Vec3 u = a.v + a.w.cross(contact.p - a.p_C) - b.v - b.w.cross(contact.p - b.p_C);
    contact.normal = random_.directionOfNormals();
    if (contact.normal.dot(u) < 0.0) contact.normal = -contact.normal;
    contact.restitution = random_.uniform(0.0, 1.0);
    Impact impact;
    impact.link = link_of_[contact.a];
    impact.other_link = link_of_[contact.b];
    impact.p_W = contact.p;
    impact.law = {contact.normal, contact.restitution, HUGE_VAL};
    return impact;
  }

  Random& random_;
  ImpulseRobotOptions options_;
  RobotModel::Data data_;
  std::vector<double> rates_;
  ImpulseScene scene_;
  std::vector<int> link_of_;
  std::vector<Pose> X_WL_;  ///< by body
};

inline ImpulseRobot randomImpulseRobot(Random& random, const ImpulseRobotOptions& options) {
  return ImpulseRobotMaker(random, options).make();
}

}  // namespace allclear::test
