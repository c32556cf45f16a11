#pragma once

// A plan of a robot that stands, measured at samples by another path than planner and certificate
// take. Those hang the robot on the world by a foot. Here it is the robot of the URDF with its free
// base: the base's motion follows from the foot's, inverse dynamics supplies what base and joints
// need, the forces at the other contacts are taken off, and the six equations of the base give the
// force on the foot. The certified bounds must hold all of it.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "allclear/planner/planner.h"
#include "allclear/planner/problem/contact_cone.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/planner/problem/derived_base.h"
#include "allclear/planner/problem/load.h"
#include "allclear/planner/problem/support_polygon.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear::bench {

/// What sampling met, beside what is certified. The robot's own base foot has no drift by
/// construction; its cone is measured as the others are.
struct SampledBounds {
  double drift = 0.0;           ///< the greatest, of any contact: sampled over certified
  double torque = 0.0;          ///< the greatest, of any joint: sampled over certified
  double cone = HUGE_VAL;       ///< the least of friction, pressure and lift-off, sampled
  double cone_room = HUGE_VAL;  ///< the least that such a sample is above its certified bound

  bool hold() const { return drift <= 1.0 && torque <= 1.0 && cone_room >= 0.0; }
};

class FreeBaseSamples {
 public:
  /// `free_robot` is the robot of the task before it stood on its foot.
  FreeBaseSamples(const Problem& problem, const RobotModel& free_robot, const Plan& plan)
      : problem_(problem),
        plan_(plan),
        contacts_(problem),
        kinematics_(free_robot),
        workspace_(kinematics_.makeWorkspace()),
        tau_(VecX::Zero(free_robot.dimension())) {
    const double weight = robotWeight(*loadedRobot(problem));
    for (const PlacedContact& contact : contacts_.all()) {
      const std::string& name = problem.robot->links()[contact.contact.link].name;
      links_.push_back({name, free_robot.findLink(name), contactCone(contact, weight)});
    }
    weight_ = weight;
  }

  SampledBounds run(int samples) {
    SampledBounds out;
    count_ = samples;
    followBase();
    for (int i = 0; i <= count_; ++i) {
      place(i);
      measureDrift(&out);
      measureForces(plan_.wrenches->value(timeOf(i)), &out);
    }
    return out;
  }

 private:
  struct ContactLink {
    std::string name;
    int link = -1;
    ContactCone cone;
  };
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  static constexpr int kBase = 6;
  static constexpr int kAround = 5;      ///< places of the base for each sample
  static constexpr double kStep = 1e-3;  ///< [s] between them

  double timeOf(int i) const { return plan_.trajectory->duration() * i / count_; }

  /// Places of the base around every sample: along the parabola that the joints' state is, which
  /// has no jumps.
  void followBase() {
    MatX around(problem_.plannedCount(), kAround * (count_ + 1));
    for (int i = 0; i <= count_; ++i) {
      const double t = timeOf(i);
      const VecX q = plan_.trajectory->value(t), v = plan_.trajectory->value(t, 1),
                 a = plan_.trajectory->value(t, 2);
      for (int k = 0; k < kAround; ++k) {
        const double s = (k - kAround / 2) * kStep;
        around.col(kAround * i + k) = q + s * v + 0.5 * s * s * a;
      }
    }
    base_ = derivedBase(problem_, around);
  }

  /// The state of the free robot at a sample; the base's rates are differences of fourth order.
  void place(int i) {
    const double t = timeOf(i);
    const VecX v = plan_.trajectory->value(t, 1), a = plan_.trajectory->value(t, 2);
    q_ = problem_.configuration(plan_.trajectory->value(t));
    v_ = a_ = VecX::Zero(q_.size());
    for (int k = 0; k < problem_.plannedCount(); ++k) {
      v_[problem_.planned[k]] = v[k];
      a_[problem_.planned[k]] = a[k];
    }
    const auto base = base_.middleCols<kAround>(kAround * i);
    q_.head<kBase>() = base.col(2);
    v_.head<kBase>() =
        (base.col(0) - 8.0 * base.col(1) + 8.0 * base.col(3) - base.col(4)) / (12.0 * kStep);
    a_.head<kBase>() = (-base.col(0) + 16.0 * base.col(1) - 30.0 * base.col(2) +
                        16.0 * base.col(3) - base.col(4)) /
                       (12.0 * kStep * kStep);
    kinematics_.linkPoses(q_, workspace_, X_WL_);
  }

  const CertifiedLimit* limitOf(const std::string& subject, const std::string& quantity) const {
    for (const CertifiedLimit& limit : plan_.certificate->limits) {
      if (limit.subject == subject && limit.quantity == quantity) return &limit;
    }
    return nullptr;
  }

  void measureDrift(SampledBounds* out) const {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const PlacedContact& contact = contacts_.all()[i];
      const CertifiedLimit* limit = limitOf(links_[i].name, "drift of the contact");
      if (limit == nullptr) continue;
      const Pose X_WC = X_WL_[links_[i].link] * contact.contact.X_LC;
      const Eigen::Vector2d half = contact.rows() == 6 ? contact.contact.half_size
                                                       : Eigen::Vector2d(Eigen::Vector2d::Zero());
      for (const double x : {-1.0, 1.0}) {
        for (const double y : {-1.0, 1.0}) {
          const Vec3 corner(x * half.x(), y * half.y(), 0.0);
          const double off = (X_WC * corner - contact.X_WC * corner).norm();
          out->drift = std::max(out->drift, off / limit->upper);
        }
      }
    }
  }

  /// `w`: as the plan has them.
  void measureForces(const VecX& w, SampledBounds* out) {
    kinematics_.inverseDynamics(q_, v_, a_, workspace_, tau_);
    std::vector<Vec6> wrenches(links_.size(), Vec6::Zero());
    Jacobian J, J_base;
    std::size_t base = 0;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const PlacedContact& contact = contacts_.all()[i];
      kinematics_.pointJacobian(workspace_, links_[i].link, contact.X_WC.p, J);
      if (contact.is_base) {
        J_base = J;
        base = i;
        continue;
      }
      wrenches[i].head(contact.rows()) = w.segment(contact.first_wrench, contact.rows());
      tau_ -= J.transpose() * wrenches[i];
    }
    const Eigen::Matrix<double, 6, 6> of_base = J_base.leftCols<kBase>().transpose();
    wrenches[base] = of_base.partialPivLu().solve(tau_.head<kBase>().eval());
    tau_ -= J_base.transpose() * wrenches[base];
    compareTorques(out);
    for (std::size_t i = 0; i < links_.size(); ++i) compareCone(links_[i], wrenches[i], out);
  }

  void compareTorques(SampledBounds* out) const {
    for (int c : problem_.planned) {
      const CertifiedLimit* limit = limitOf(problem_.robot->coordinates()[c].name, "torque");
      if (limit == nullptr) continue;
      const double certified = tau_[c] > 0.0 ? limit->upper : -limit->lower;
      out->torque = std::max(out->torque, std::abs(tau_[c]) / std::abs(certified));
    }
  }

  void compareCone(const ContactLink& link, const Vec6& wrench, SampledBounds* out) const {
    const VecX rows = link.cone.rows * wrench;
    const auto compare = [&](double sampled, const char* quantity) {
      out->cone = std::min(out->cone, sampled);
      const CertifiedLimit* limit = limitOf(link.name, quantity);
      // A bound that is missing is as bad as one that does not hold.
      const double room = limit == nullptr ? -HUGE_VAL : sampled - limit->lower;
      out->cone_room = std::min(out->cone_room, room);
    };
    for (int i = 0; i < link.cone.count(); ++i) {
      const bool is_friction = link.cone.parts[i] == ContactCone::Part::kFriction;
      compare(rows[i], is_friction ? "friction" : "centre of pressure");
    }
    compare(link.cone.normal.dot(wrench.head<3>()) / weight_, "lift-off");
  }

  const Problem& problem_;
  const Plan& plan_;
  ContactSet contacts_;
  Kinematics kinematics_;
  Kinematics::Workspace workspace_;
  double weight_ = 1.0;
  int count_ = 1;
  MatX base_;
  std::vector<ContactLink> links_;
  std::vector<Pose> X_WL_;
  VecX q_, v_, a_, tau_;
};

}  // namespace allclear::bench
