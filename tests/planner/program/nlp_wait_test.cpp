#include "allclear/planner/program/nlp_wait.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <thread>

namespace allclear {
namespace {

/// Minimises |x - 1|^2 within [-2, 2], with x_0 + x_1 <= 1.
class SmallProgram : public NonlinearProgram {
 public:
  Bounds bounds() const override {
    return {VecX::Constant(2, -2.0), VecX::Constant(2, 2.0), VecX::Constant(1, -HUGE_VAL),
            VecX::Constant(1, 1.0)};
  }
  std::vector<Entry> jacobianEntries() const override { return {{0, 0}, {0, 1}}; }
  std::vector<Entry> hessianEntries() const override { return {{0, 0}, {1, 1}}; }
  void setPoint(const VecX& x) override { x_ = x; }
  double cost() override { return (x_.array() - 1.0).square().sum(); }
  void costGradient(Eigen::Ref<VecX> gradient) override { gradient = 2.0 * (x_.array() - 1.0); }
  void constraints(Eigen::Ref<VecX> g) override { g[0] = x_.sum(); }
  void jacobian(Eigen::Ref<VecX> values) override { values.setOnes(); }
  void hessian(double factor, const VecX&, Eigen::Ref<VecX> values) override {
    values.setConstant(2.0 * factor);
  }

 private:
  VecX x_;
};

TEST(SolveUnlessStopped, GivesUpTheWaitForMumpsWhenAsked) {
  NlpOptions options;
  options.linear_solver = LinearSolver::kMumps;
  SmallProgram first, second;
  std::optional<NlpResult> waited;
  // While the first solve holds MUMPS, another thread wants it, and may not wait.
  const NlpResult result = solveNlp(first, VecX::Zero(2), options, [&](const NlpIteration&) {
    if (waited) return true;
    std::thread other([&] {
      int questions = 0;
      waited = solveNlpUnlessStopped(second, VecX::Constant(2, 0.25), options, {},
                                     [&] { return ++questions > 2; });
    });
    other.join();
    return true;
  });
  EXPECT_EQ(result.status, NlpResult::Status::kSolved);
  ASSERT_TRUE(waited.has_value());
  EXPECT_EQ(waited->status, NlpResult::Status::kStopped);
  EXPECT_EQ(waited->x, VecX(VecX::Constant(2, 0.25)));
  // Nobody holds it now.
  const NlpResult alone =
      solveNlpUnlessStopped(second, VecX::Zero(2), options, {}, [] { return false; });
  EXPECT_EQ(alone.status, NlpResult::Status::kSolved);
  EXPECT_NEAR(alone.x[0], 0.5, 1e-3);
}

}  // namespace
}  // namespace allclear
