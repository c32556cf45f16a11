#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "allclear/planner/problem/impact_points.h"
#include "allclear/robot_models/kinematics/speed_recursion.h"

namespace allclear {

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

/// The energy [J] that an unplanned contact with a mass at rest can store, over all directions: at
/// one instant, with derivatives. For the optimiser, for reports, and as a hint where a proof
/// should look; it proves nothing. Holds scratch: one per thread.
class ImpactEnergy {
 public:
  explicit ImpactEnergy(const ImpactModel& model);

  /// Places the robot: configuration and rates over all its coordinates; those not planned have
  /// rate 0 and count as locked.
  void place(const VecX& q, const VecX& v);

  /// The kinetic energy of the body's branch.
  double branchEnergy(const ImpactBody& body) const { return energy_[body.branch]; }

  /// T K / (T + K), K the energy of the mass at the speed of the body's fastest point: never less
  /// than what `worst` finds.
  struct Fastest {
    int point = -1;
    double energy = 0.0;
  };
  Fastest fastest(const ImpactBody& body, double mass) const;

  /// Not below the energy of `fastest`, from the ball about the body alone: tells which bodies are
  /// too slow to matter.
  double roughly(const ImpactBody& body, double mass) const;

  /// The worst contact with one core of the body, or with any of them.
  struct Touch {
    int core = -1;
    double energy = 0.0;
    std::vector<std::pair<int, double>> at;  ///< points, and their weights (sum 1)
    Vec6 wrench = Vec6::Zero();  ///< moment and force in the node's frame: of what is pushed
  };
  Touch worst(const ImpactBody& body, const ImpactCore& core, double mass);
  Touch worst(const ImpactBody& body, double mass);

  /// The rates y, over all coordinates, that are best for this contact (impact_energy.cpp).
  VecX bestRates(const ImpactBody& body, const Touch& touch);

  /// Derivatives, over all coordinates, of the energy that `fastest` or `worst` found.
  void gradient(const ImpactBody& body, double mass, const Fastest& fastest, VecX* by_q,
                VecX* by_v);
  void gradient(const ImpactBody& body, const Touch& touch, VecX* by_q, VecX* by_v);

 private:
  using Twists = std::vector<Twist<double>>;
  /// The fastest point of a core, whatever the mass.
  struct Speed {
    int point = -1;
    double squared = -1.0;
  };
  Speed speedOf(const ImpactBody& body, const ImpactCore& core) const;
  /// By core; of the model's own bodies they are kept until the robot is placed again.
  const std::vector<Speed>& speeds(const ImpactBody& body) const;
  double cheapEnergy(const ImpactBody& body, double mass, double squared_speed) const;
  /// Derivatives of a function of the twists, from those by the twists.
  void pullBack(const Twists& twists, Twists* by_twist, VecX* by_q, VecX* by_v) const;
  void factor();
  void placeColumns();
  const Mat6& mobility(int node);
  Touch worstOfMany(const ImpactBody& body, const ImpactCore& core, double mass);

  const ImpactModel& model_;
  std::vector<int> planned_;  ///< coordinates
  std::vector<double> v_;
  std::vector<NodeMotion<double>> motions_;
  Twists twists_;
  mutable std::vector<std::vector<Speed>> speeds_;  ///< by body and core; empty: not yet
  mutable std::vector<Speed> other_;                ///< of a body that is not the model's
  std::vector<double> energy_;                      ///< by branch (the number of its root node)
  bool is_factored_ = false;
  std::vector<Eigen::Matrix<double, 6, Eigen::Dynamic>> J_;  ///< twists by planned rate, by node
  Eigen::LLT<MatX> mass_;
  std::vector<std::optional<Mat6>> mobility_;  ///< J M^-1 J^T, by node
};

/// The force [N] at which a spring of the region has stored this energy.
double springForce(const ContactLimit& limit, double energy);
/// The energy [J] of the robot's own motion that the region bears.
double energyLimit(const ContactLimit& limit);

}  // namespace allclear
