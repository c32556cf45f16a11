#include "allclear/distance/fit_least_distance.h"

#include <limits>

namespace allclear::fitting {
namespace {

using Vec8 = Eigen::Matrix<double, 8, 1>;
using Columns = Eigen::Matrix<double, 8, Eigen::Dynamic, Eigen::ColMajor, 8, 8>;
using Weights = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 8, 1>;

constexpr int kMostIterations = 100;
constexpr double kTolerance = 1e-12;

// The columns in use with their weights, at most eight.
struct Passive {
  int count = 0;
  int index[8] = {};
  double weight[8] = {};

  bool contains(int j) const { return std::find(index, index + count, j) != index + count; }
  void drop(int position) {
    for (int i = position + 1; i < count; ++i) {
      index[i - 1] = index[i];
      weight[i - 1] = weight[i];
    }
    --count;
  }
};

// Least squares over the passive columns, moving from the present weights until one reaches zero
// and leaves; repeated until all stay positive.
void settle(const Constraints& E, const Vec8& f, Passive* p) {
  while (p->count > 0) {
    Columns A(8, p->count);
    for (int i = 0; i < p->count; ++i) A.col(i) = E.col(p->index[i]);
    const Weights s = A.colPivHouseholderQr().solve(f);
    double step = 1.0;
    int leaving = -1;
    for (int i = 0; i < p->count; ++i) {
      if (s[i] > 0.0) continue;
      const double limit = p->weight[i] / (p->weight[i] - s[i]);
      if (leaving < 0 || limit < step) {
        step = limit;
        leaving = i;
      }
    }
    for (int i = 0; i < p->count; ++i) p->weight[i] += step * (s[i] - p->weight[i]);
    if (leaving < 0) return;
    p->drop(leaving);
  }
}

Vec8 residual(const Constraints& E, const Vec8& f, const Passive& p) {
  Vec8 r = f;
  for (int i = 0; i < p.count; ++i) r -= p.weight[i] * E.col(p.index[i]);
  return r;
}

}  // namespace

bool leastDistance(const Constraints& E, Vec7* y) {
  const Vec8 f = Vec8::Unit(7);
  Passive passive;
  Vec8 r = f;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    int entering = -1;
    double most = kTolerance;
    for (int j = 0; j < E.cols(); ++j) {
      const double gain = E.col(j).dot(r);
      if (gain > most && !passive.contains(j)) {
        most = gain;
        entering = j;
      }
    }
    if (entering < 0 || passive.count == 8) break;
    passive.index[passive.count] = entering;
    passive.weight[passive.count++] = 0.0;
    settle(E, f, &passive);
    r = residual(E, f, passive);
  }
  if (r[7] <= std::numeric_limits<double>::epsilon()) return false;
  *y = -r.head<7>() / r[7];
  return y->allFinite();
}

}  // namespace allclear::fitting
