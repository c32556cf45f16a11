#pragma once

#include <string>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/problem/impact_energy.h"

namespace allclear {

/// Demands that unplanned contacts stay within what people bear (`LimitSettings::contact`), one for
/// each region and body of the robot: 1 less a little room less the share of the energy that the
/// region bears, at the body's worst points. At least 0 when kept. Holds scratch: one per thread.
class ImpactDemands {
 public:
  explicit ImpactDemands(const Problem& problem);

  int count() const { return static_cast<int>(demands_.size()); }
  /// "'hand': force of a contact with chest".
  std::string name(int demand) const;

  /// At planned coordinates and their rates. Where `only` is given, those of other demands are left
  /// as they are; where not, those far from their limit are rough, never above what they are.
  void values(const VecX& q, const VecX& v, Eigen::Ref<VecX> out,
              const std::vector<bool>* only = nullptr);
  /// Demands x planned coordinates.
  void gradients(const VecX& q, const VecX& v, Eigen::Ref<MatX> by_q, Eigen::Ref<MatX> by_v,
                 const std::vector<bool>* only = nullptr);

 private:
  struct Demand {
    int limit;
    int body;
    double energy;  ///< that the region bears [J]
  };
  void place(const VecX& q, const VecX& v);
  /// The energy of the worst contact, exact where it is near its limit.
  double energyOf(const Demand& demand);
  VecX planned(const VecX& all) const;

  const Problem& problem_;
  const ImpactModel model_;
  ImpactEnergy energy_;
  std::vector<Demand> demands_;
  ImpactEnergy::Fastest fastest_;  ///< of the demand evaluated last
  ImpactEnergy::Touch touch_;      ///< the same, where `is_exact_`
  bool is_exact_ = false;
};

}  // namespace allclear
