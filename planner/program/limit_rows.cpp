#include "allclear/planner/program/limit_rows.h"

#include <algorithm>
#include <cmath>

namespace allclear {
namespace {

/// Control points of derivative `order` - 1 to those of derivative `order`, in normalised time. The
/// basis of a derivative has the same knots with one less at each end, so the i-th difference is
/// divided by the distance of two knots of the original, counted `order` - 1 later.
MatX differenceMatrix(const BSplineBasis& basis, int order) {
  const auto& knots = basis.knots();
  const int degree = basis.degree() - order + 1;
  const int count = basis.controlCount() - order + 1;
  MatX D = MatX::Zero(count, count - 1);
  for (int i = 0; i + 1 < count; ++i) {
    const double f = degree / (knots[i + order - 1 + degree + 1] - knots[i + order]);
    D(i, i) = -f;
    D(i + 1, i) = f;
  }
  return D;
}

}  // namespace

LimitRows::LimitRows(const CurveVariables& variables, const PlannedLimits& limits) {
  const VecX* by_order[] = {&limits.velocity, &limits.acceleration, &limits.jerk};
  for (int order = 1; order <= 3; ++order) {
    const MatX D = differenceMatrix(variables.basis(), order);
    difference_.push_back(order == 1 ? D : MatX(difference_.back() * D));
    const VecX& limit = *by_order[order - 1];
    for (int i = 0; i < variables.controls() - order; ++i) {
      // A control point of the boundary state alone was checked with the problem.
      const bool is_fixed =
          i + order < CurveVariables::kEnds || i >= variables.controls() - CurveVariables::kEnds;
      if (is_fixed) continue;
      for (int j = 0; j < variables.joints(); ++j) {
        if (std::isfinite(limit[j])) all_.push_back({order, j, i, limit[j]});
      }
    }
  }
  rows_ = all_;
}

double LimitRows::choose(const MatX& C, double T, double share) {
  is_chosen_.resize(all_.size(), false);
  rows_.clear();
  double greatest = 0.0;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const Row& row = all_[i];
    // A row of the choice stays, however far the curve is now: rows that come and go would have the
    // rounds go in circles.
    if (!is_chosen_[i]) {
      const double value = std::fabs(along(row, C)) / (std::pow(T, row.order) * row.limit);
      greatest = std::max(greatest, value);
      is_chosen_[i] = value >= std::pow(share, row.order);
    }
    if (is_chosen_[i]) rows_.push_back(row);
  }
  return greatest;
}

void LimitRows::addEntries(const CurveVariables& variables, std::vector<Entry>* entries) const {
  int number = 0;
  for (const Row& row : rows_) {
    for (int l = row.index; l <= row.index + row.order; ++l) {
      const int v = variables.of(l, row.joint);
      if (v >= 0) entries->push_back({number, v});
    }
    entries->push_back({number++, variables.duration()});
  }
}

double LimitRows::along(const Row& row, const MatX& C) const {
  const MatX& D = difference_[row.order - 1];
  double sum = 0.0;
  for (int l = row.index; l <= row.index + row.order; ++l) sum += D(l, row.index) * C(row.joint, l);
  return sum;
}

void LimitRows::values(const MatX& C, double T, Eigen::Ref<VecX> out) const {
  int number = 0;
  for (const Row& row : rows_) {
    out[number++] = along(row, C) / (std::pow(T, row.order) * row.limit);
  }
}

int LimitRows::jacobian(const CurveVariables& variables, const MatX& C, double T, const MatX& dC,
                        int at, Eigen::Ref<VecX> out) const {
  for (const Row& row : rows_) {
    const double scale = 1.0 / (std::pow(T, row.order) * row.limit);
    for (int l = row.index; l <= row.index + row.order; ++l) {
      if (variables.of(l, row.joint) >= 0) {
        out[at++] = scale * difference_[row.order - 1](l, row.index);
      }
    }
    // By T: through the fixed control points, and through the power of T.
    out[at++] = scale * (along(row, dC) - row.order / T * along(row, C));
  }
  return at;
}

// A row is f = T^-k sum_l D_l C_l / limit, so df/dC_l = T^-k D_l / limit, whose derivative by T is
// -k/T times itself; and d2f/dT2 = T^-k (D C'' - 2k/T D C' + k(k+1)/T^2 D C) / limit.
void LimitRows::addDurationCurvature(const VecX& multipliers, const MatX& C, double T,
                                     const MatX& dC, const MatX& ddC,
                                     DurationCurvature* out) const {
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Row& row = rows_[r];
    const double k = row.order;
    const double scale = multipliers[static_cast<Eigen::Index>(r)] / (std::pow(T, k) * row.limit);
    if (scale == 0.0) continue;  // most multipliers are 0: far from the limit
    for (int l = row.index; l <= row.index + row.order; ++l) {
      out->cross(row.joint, l) -= scale * k / T * difference_[row.order - 1](l, row.index);
    }
    out->twice += scale * (along(row, ddC) - 2.0 * k / T * along(row, dC) +
                           k * (k + 1.0) / (T * T) * along(row, C));
  }
}

}  // namespace allclear
