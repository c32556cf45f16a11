#include "allclear/planner/program/ipopt_hook.h"

#include <gtest/gtest.h>

#include <thread>

#include "allclear/planner/program/nlp.h"

namespace allclear {
namespace {

/// The point of a bent valley nearest to `wanted`, below a curved wall, beside planes and on an
/// equation: minimise |x - wanted|^2 + 10 sum (x_i+1 - x_i^2)^2.
class ValleyProgram : public NonlinearProgram {
 public:
  ValleyProgram(int variables, int planes) : n_(variables), planes_(planes) {}

  Bounds bounds() const override {
    Bounds b{VecX::Constant(n_, -2.0), VecX::Constant(n_, 2.0), VecX::Zero(planes_ + 2),
             VecX::Zero(planes_ + 2)};
    b.g_lower[0] = -HUGE_VAL;  // |x|^2 <= n / 4
    b.g_upper[0] = 0.25 * n_;
    b.g_lower[1] = b.g_upper[1] = 0.3;  // x_0 + x_n-1
    for (int k = 0; k < planes_; ++k) {
      b.g_lower[2 + k] = -0.6;
      b.g_upper[2 + k] = 0.6;
    }
    return b;
  }
  std::vector<Entry> jacobianEntries() const override {
    std::vector<Entry> out;
    for (int i = 0; i < n_; ++i) out.push_back({0, i});
    out.push_back({1, 0});
    out.push_back({1, n_ - 1});
    for (int k = 0; k < planes_; ++k) {
      out.push_back({2 + k, k % n_});
      out.push_back({2 + k, (k * 7 + 1) % n_});  // may repeat: the values add up
    }
    return out;
  }
  std::vector<Entry> hessianEntries() const override {
    std::vector<Entry> out;
    for (int i = 0; i < n_; ++i) out.push_back({i, i});
    for (int i = 0; i + 1 < n_; ++i) out.push_back({i + 1, i});
    return out;
  }
  void setPoint(const VecX& x) override { x_ = x; }
  double cost() override {
    double sum = (x_.array() - kWanted).square().sum();
    for (int i = 0; i + 1 < n_; ++i) sum += 10.0 * bend(i) * bend(i);
    return sum;
  }
  void costGradient(Eigen::Ref<VecX> g) override {
    g = 2.0 * (x_.array() - kWanted);
    for (int i = 0; i + 1 < n_; ++i) {
      g[i + 1] += 20.0 * bend(i);
      g[i] -= 40.0 * bend(i) * x_[i];
    }
  }
  void constraints(Eigen::Ref<VecX> g) override {
    g[0] = x_.squaredNorm();
    g[1] = x_[0] + x_[n_ - 1];
    for (int k = 0; k < planes_; ++k) g[2 + k] = x_[k % n_] - 0.5 * x_[(k * 7 + 1) % n_];
  }
  void jacobian(Eigen::Ref<VecX> v) override {
    v.head(n_) = 2.0 * x_;
    v[n_] = v[n_ + 1] = 1.0;
    for (int k = 0; k < planes_; ++k) {
      v[n_ + 2 + 2 * k] = 1.0;
      v[n_ + 3 + 2 * k] = -0.5;
    }
  }
  void hessian(double factor, const VecX& multipliers, Eigen::Ref<VecX> v) override {
    v.setZero();
    v.head(n_).setConstant(2.0 * factor + 2.0 * multipliers[0]);
    for (int i = 0; i + 1 < n_; ++i) {
      v[i + 1] += 20.0 * factor;
      v[i] += factor * (120.0 * x_[i] * x_[i] - 40.0 * x_[i + 1]);
      v[n_ + i] = -40.0 * factor * x_[i];
    }
  }

 private:
  static constexpr double kWanted = 0.8;
  double bend(int i) const { return x_[i + 1] - x_[i] * x_[i]; }

  int n_, planes_;
  VecX x_;
};

NlpResult solved(LinearSolver solver, int variables, int planes, bool warm = false) {
  ValleyProgram program(variables, planes);
  NlpOptions options;
  options.linear_solver = solver;
  options.tolerance = 1e-9;
  options.warm = warm;
  return solveNlp(program, VecX::Constant(variables, 0.1), options, {});
}

TEST(CondensedSolver, TakesIpoptToTheSamePointInAsManyIterations) {
  if (!hasCondensedSolver()) GTEST_SKIP() << "this Ipopt takes no other linear solver";
  for (bool warm : {false, true}) {
    for (int variables : {2, 5, 40}) {
      for (int planes : {0, 3, 100}) {
        const NlpResult ours = solved(LinearSolver::kCondensed, variables, planes, warm);
        const NlpResult mumps = solved(LinearSolver::kMumps, variables, planes, warm);
        EXPECT_EQ(mumps.status, NlpResult::Status::kSolved) << variables << ", " << planes;
        EXPECT_EQ(ours.status, mumps.status) << variables << ", " << planes;
        EXPECT_NEAR(ours.cost, mumps.cost, 1e-7 * (1.0 + std::fabs(mumps.cost)));
        EXPECT_LT((ours.x - mumps.x).norm(), 1e-5) << variables << ", " << planes;
        EXPECT_LE(std::abs(ours.iterations - mumps.iterations), 2) << variables << ", " << planes;
      }
    }
  }
}

TEST(CondensedSolver, GivesTheSameResultInSeveralThreadsAtOnce) {
  const NlpResult alone = solved(LinearSolver::kAuto, 20, 60);
  std::vector<NlpResult> results(4);
  std::vector<std::thread> threads;
  for (NlpResult& result : results) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) result = solved(LinearSolver::kAuto, 20, 60);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const NlpResult& result : results) {
    EXPECT_EQ(result.iterations, alone.iterations);
    EXPECT_EQ(result.x, alone.x);
  }
}

TEST(CondensedSolver, SolvesAnotherProgramFromWithinAHook) {
  // MUMPS is not thread-safe, but one solve may wait for another on the same thread.
  for (const LinearSolver solver : {LinearSolver::kAuto, LinearSolver::kMumps}) {
    const NlpResult alone = solved(solver, 20, 60);
    ValleyProgram program(20, 60);
    NlpOptions options;
    options.tolerance = 1e-9;
    options.linear_solver = solver;
    const NlpResult outer =
        solveNlp(program, VecX::Constant(20, 0.1), options, [&](const NlpIteration& step) {
          if (step.number == 2) {
            EXPECT_EQ(solved(solver, 20, 60).x, alone.x);
          }
          return true;
        });
    EXPECT_EQ(outer.x, alone.x);
  }
}

TEST(CondensedSolver, StopsWhenTheCallerSays) {
  ValleyProgram program(10, 10);
  const NlpResult result = solveNlp(program, VecX::Constant(10, 0.1), {},
                                    [](const NlpIteration& step) { return step.number < 3; });
  EXPECT_EQ(result.status, NlpResult::Status::kStopped);
  EXPECT_EQ(result.iterations, 3);
}

TEST(CondensedSolver, LetsAnExceptionOfTheProgramThrough) {
  class Thrower : public ValleyProgram {
   public:
    using ValleyProgram::ValleyProgram;
    void costGradient(Eigen::Ref<VecX>) override { throw std::runtime_error("no gradient"); }
  };
  Thrower program(4, 2);
  EXPECT_THROW(solveNlp(program, VecX::Zero(4), {}, {}), std::runtime_error);
  // And the next solve on this thread works.
  EXPECT_EQ(solved(LinearSolver::kAuto, 5, 3).status, NlpResult::Status::kSolved);
}

}  // namespace
}  // namespace allclear
