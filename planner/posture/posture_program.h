#pragma once

#include <vector>

#include "allclear/planner/posture/posture_rows.h"
#include "allclear/planner/program/nlp.h"

namespace allclear {

/// The nonlinear program of a posture: minimise 1/2 sum w (q - q_ref)^2 over the rows.
///
/// Some parts of the rows may be soft: they are left out, or become a cost that outweighs the
/// distance from the reference by far, so that the solution misses them by as little as the other
/// parts allow.
class PostureProgram : public NonlinearProgram {
 public:
  /// `rows` is to outlive the program.
  PostureProgram(PostureRows& rows, const PostureTarget& target);

  enum class Soft { kLeftOut, kLeastMissed };
  /// Which parts (by their index in `PostureRows::parts`) are soft from now on.
  void setSoft(const std::vector<int>& parts, Soft how);
  /// Whether the clearances count at all.
  void useClearances(bool used);

  Bounds bounds() const override;
  std::vector<Entry> jacobianEntries() const override;
  std::vector<Entry> hessianEntries() const override;
  void setPoint(const VecX& x) override { x_ = x; }
  double cost() override;
  void costGradient(Eigen::Ref<VecX> gradient) override;
  void constraints(Eigen::Ref<VecX> g) override;
  void jacobian(Eigen::Ref<VecX> values) override;
  void hessian(double factor, const VecX& multipliers, Eigen::Ref<VecX> values) override;

  /// 1/2 sum w (q - q_ref)^2 alone.
  double distance(const VecX& x) const;

 private:
  void chooseRows();
  bool isSoft(std::size_t part) const { return soft_[part] != 0; }
  /// By how much a row is beyond its bounds, with the sign of its derivative; 0 inside.
  double beyond(int row) const;
  VecX beyondLimits() const;

  PostureRows& rows_;
  VecX reference_, weights_, lower_, upper_;
  std::vector<char> soft_;  ///< by part
  Soft how_ = Soft::kLeftOut;
  bool uses_clearances_ = true;
  bool has_soft_ = false, limits_are_soft_ = false;
  std::vector<int> hard_rows_, soft_rows_;
  VecX x_;
};

}  // namespace allclear
