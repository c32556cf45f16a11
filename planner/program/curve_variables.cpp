// Numbers the variables of a trajectory program, and goes from them to curves and back.
//
// Idea. The motion's ends are given, and each end fixes three control points, which are left out of
// the variables; as velocities are by time and control points are not, they depend on the duration
// (`fixEnd`). Forces at contacts have no given ends: all control points of their curve are
// variables, in units that make them about as large as angles.
#include "allclear/planner/program/curve_variables.h"

#include <cmath>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

/// Knots are quotients of small integers: mirrored ones differ by rounding alone.
constexpr double kSameKnot = 1e-12;

VecX orZero(const VecX& v, int n) { return v.size() == n ? v : VecX(VecX::Zero(n)); }

/// State at one end of the curve, and how its control points are numbered from there.
struct End {
  int first;  ///< the outermost control point
  int step;   ///< +1 inwards from the start, -1 from the end
  VecX position, velocity, acceleration;
};

/// Solves "value, first and second derivative at the end are given" for the three control points.
///
/// At an end of a clamped spline of degree p the derivative's outermost control point is
/// p (c1 - c0) / h1 in normalised time, with h1 the distance to the first inner knot; the second
/// derivative's is (p-1) (d1 - d0) / h1, where d1 = p (c2 - c1) / h2. Normalised derivatives of
/// order k are those by time multiplied by T^k. (From the end, time runs backwards: first
/// derivatives change their sign.)
void fixEnd(const BSplineBasis& basis, const End& end, MatX* fixed) {
  const int degree = basis.degree();
  const double span1 = basis.knots()[degree + 1];
  const double span2 = basis.knots()[degree + 2];
  const double sign = end.step;
  const int c0 = end.first, c1 = c0 + end.step, c2 = c0 + 2 * end.step;
  for (int c : {c0, c1, c2}) fixed[0].col(c) = end.position;
  fixed[1].col(c1) = sign * end.velocity * (span1 / degree);
  fixed[1].col(c2) = sign * end.velocity * ((span1 + span2) / degree);
  fixed[2].col(c2) = end.acceleration * (span1 / (degree - 1) * span2 / degree);
}

}  // namespace

CurveVariables::CurveVariables(const Problem& problem, const BSpline& guess, int wrench_rows,
                               double wrench_unit)
    : basis_(guess.sharedBasis()),
      pose_goal_(std::holds_alternative<PoseTarget>(problem.goal)),
      joints_(problem.plannedCount()),
      controls_(basis_->controlCount()),
      free_count_(controls_ - 2 * kEnds),
      wrench_rows_(wrench_rows),
      wrench_unit_(wrench_unit) {
  ALLCLEAR_ASSERT(free_count_ >= 1 && guess.dimension() == joints_);
  // A wrapping coordinate may end whole turns from the goal's value: the guess says where.
  fixEnds(problem, guess.control().col(controls_ - 1));
}

void CurveVariables::fixEnds(const Problem& problem, const VecX& goal) {
  const auto& knots = basis_->knots();
  const std::size_t last = knots.size() - 1;
  const int degree = basis_->degree();
  // `fixEnd` reads the knots of the start for both ends.
  ALLCLEAR_ASSERT(std::fabs(knots[degree + 1] - (1.0 - knots[last - degree - 1])) < kSameKnot);
  ALLCLEAR_ASSERT(std::fabs(knots[degree + 2] - (1.0 - knots[last - degree - 2])) < kSameKnot);
  for (MatX& b : fixed_) b = MatX::Zero(joints_, controls_);
  fixEnd(*basis_,
         {0, 1, problem.plannedPart(problem.start), orZero(problem.start_velocity, joints_),
          orZero(problem.start_acceleration, joints_)},
         fixed_);
  fixEnd(*basis_,
         {controls_ - 1, -1, pose_goal_ ? VecX(VecX::Zero(joints_)) : goal,
          orZero(problem.goal_velocity, joints_), orZero(problem.goal_acceleration, joints_)},
         fixed_);
}

int CurveVariables::of(int control, int joint) const {
  if (control < kEnds) return -1;
  if (control < controls_ - kEnds) return (control - kEnds) * joints_ + joint;
  return pose_goal_ ? duration() + 1 + joint : -1;
}

MatX CurveVariables::fixedPart(double T, int derivative) const {
  if (derivative == 0) return fixed_[0] + T * fixed_[1] + T * T * fixed_[2];
  if (derivative == 1) return fixed_[1] + 2.0 * T * fixed_[2];
  return 2.0 * fixed_[2];
}

VecX CurveVariables::pointOf(const BSpline& curve, const std::optional<BSpline>& wrenches) const {
  VecX x = VecX::Zero(count());
  x[duration()] = curve.duration();
  for (int l = kEnds; l < controls_; ++l) {
    for (int j = 0; j < joints_; ++j) {
      const int v = of(l, j);
      if (v >= 0) x[v] = curve.control()(j, l);
    }
  }
  if (wrench_rows_ == 0) return x;
  // Control point after control point, as `ofWrench` numbers them.
  ALLCLEAR_ASSERT(wrenches && wrenches->dimension() == wrench_rows_ &&
                  wrenches->control().cols() == controls_);
  x.tail(controls_ * wrench_rows_) = wrenches->control().reshaped() / wrench_unit_;
  return x;
}

BSpline CurveVariables::curveAt(const VecX& x) const {
  const double T = x[duration()];
  MatX C = fixedPart(T, 0);
  for (int l = kEnds; l < controls_; ++l) {
    for (int j = 0; j < joints_; ++j) {
      const int v = of(l, j);
      if (v >= 0) C(j, l) += x[v];
    }
  }
  return {basis_, std::move(C), T};
}

std::optional<BSpline> CurveVariables::wrenchesAt(const VecX& x) const {
  if (wrench_rows_ == 0) return std::nullopt;
  MatX W = wrench_unit_ * x.tail(controls_ * wrench_rows_).reshaped(wrench_rows_, controls_);
  return BSpline(basis_, std::move(W), x[duration()]);
}

VecX CurveVariables::spread(const VecX& by_joint, double duration_value, double wrench) const {
  VecX out = VecX::Constant(count(), wrench);
  for (int l = kEnds; l < controls_; ++l) {
    for (int j = 0; j < joints_; ++j) {
      const int v = of(l, j);
      if (v >= 0) out[v] = by_joint[j];
    }
  }
  out[duration()] = duration_value;
  return out;
}

void CurveVariables::addEntries(int row, int first, int last, std::vector<Entry>* entries) const {
  for (int l = first; l < last; ++l) {
    for (int j = 0; j < joints_; ++j) {
      const int v = of(l, j);
      if (v >= 0) entries->push_back({row, v});
    }
  }
  entries->push_back({row, duration()});
}

void CurveVariables::addWrenchEntries(int row, int first, int last,
                                      std::vector<Entry>* entries) const {
  for (int l = first; l < last; ++l) {
    for (int i = 0; i < wrench_rows_; ++i) entries->push_back({row, ofWrench(l, i)});
  }
}

}  // namespace allclear
