#include "allclear/planner/program/static_wrenches.h"

#include <cmath>

#include "allclear/core/assert.h"
#include "allclear/planner/program/contact_demands.h"
#include "allclear/planner/program/nlp.h"

namespace allclear {
namespace {

/// Room beyond which more room is worth nothing. Contacts that press against each other could
/// otherwise gain room in their cones without bound.
constexpr double kMostRoom = 0.3;
/// Weighs the squared wrenches, in units of the robot's weight, against the room: among wrenches
/// with the same room the smallest are taken.
constexpr double kSmallness = 1e-3;
constexpr double kTolerance = 1e-6;  // of Ipopt's optimality error
constexpr int kIterations = 100;

/// maximise r - smallness |x|^2 / 2 subject to d + D x >= r, r <= most room: x the wrenches in
/// units of the weight, d + D x the demands, which are linear in them; the last variable is r.
class WrenchProgram : public NonlinearProgram {
 public:
  WrenchProgram(VecX demands, MatX by_wrench)
      : demands_(std::move(demands)), by_wrench_(std::move(by_wrench)) {}

  Bounds bounds() const override {
    Bounds b;
    b.x_lower = VecX::Constant(count() + 1, -HUGE_VAL);
    b.x_upper = VecX::Constant(count() + 1, HUGE_VAL);
    b.x_upper[count()] = kMostRoom;
    b.g_lower = -demands_;
    b.g_upper = VecX::Constant(demands_.size(), HUGE_VAL);
    return b;
  }
  std::vector<Entry> jacobianEntries() const override {
    std::vector<Entry> entries;
    for (int i = 0; i < demands_.size(); ++i) {
      for (int k = 0; k <= count(); ++k) entries.push_back({i, k});
    }
    return entries;
  }
  std::vector<Entry> hessianEntries() const override {
    std::vector<Entry> entries;
    for (int k = 0; k < count(); ++k) entries.push_back({k, k});
    return entries;
  }

  void setPoint(const VecX& x) override { x_ = x; }
  double cost() override { return 0.5 * kSmallness * x_.head(count()).squaredNorm() - x_[count()]; }
  void costGradient(Eigen::Ref<VecX> gradient) override {
    gradient.head(count()) = kSmallness * x_.head(count());
    gradient[count()] = -1.0;
  }
  void constraints(Eigen::Ref<VecX> g) override {
    g = (by_wrench_ * x_.head(count())).array() - x_[count()];
  }
  void jacobian(Eigen::Ref<VecX> values) override {
    auto rows = values.reshaped<Eigen::RowMajor>(demands_.size(), count() + 1);
    rows.leftCols(count()) = by_wrench_;
    rows.col(count()).setConstant(-1.0);
  }
  void hessian(double factor, const VecX&, Eigen::Ref<VecX> values) override {
    values.setConstant(factor * kSmallness);
  }

 private:
  int count() const { return static_cast<int>(by_wrench_.cols()); }

  VecX demands_;
  MatX by_wrench_;
  VecX x_;
};

}  // namespace

VecX bestWrenches(const Problem& problem, const VecX& q, const VecX& v, const VecX& a) {
  ContactDemands demands(problem);
  const int count = demands.wrenchCount();
  const VecX none = VecX::Zero(count);
  if (count == 0) return none;
  VecX values(demands.count());
  demands.values(q, v, a, none, values);
  WrenchProgram program(values, demands.weight() * demands.gradients(q, v, a, none).by_w);
  VecX start = VecX::Zero(count + 1);
  start[count] = values.minCoeff();
  NlpOptions options;
  options.tolerance = kTolerance;
  options.max_iterations = kIterations;
  const NlpResult result = solveNlp(program, start, options, {});
  return demands.weight() * result.x.head(count);
}

VecX staticWrenches(const Problem& problem, const VecX& q) {
  const VecX rest = VecX::Zero(q.size());
  return bestWrenches(problem, q, rest, rest);
}

std::optional<BSpline> guessWrenches(const Problem& problem, const BSpline& curve) {
  if (!usesWrenches(problem) || ContactSet(problem).wrenchCount() == 0) return std::nullopt;
  const double T = curve.duration();
  const auto bestAt = [&](double t) {
    return bestWrenches(problem, curve.value(t), curve.value(t, 1), curve.value(t, 2));
  };
  const VecX first = bestAt(0.0), last = bestAt(T);
  // A spline whose control points lie on a line, at the Greville abscissae (the means of `degree`
  // consecutive knots), is that line.
  const BSplineBasis& basis = curve.basis();
  MatX control(first.size(), basis.controlCount());
  for (int l = 0; l < basis.controlCount(); ++l) {
    double s = 0.0;
    for (int k = 1; k <= basis.degree(); ++k) s += basis.knots()[l + k] / basis.degree();
    control.col(l) = (1.0 - s) * first + s * last;
  }
  return BSpline(curve.sharedBasis(), std::move(control), T);
}

}  // namespace allclear
