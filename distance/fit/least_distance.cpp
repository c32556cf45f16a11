// Least-distance programming: the shortest y with G^T y >= h, G and h the rows and the last row of
// the constraints (Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23, LDP).
//
// Its dual is a nonnegative least-squares problem: minimise |E u - f| over u >= 0, with the
// constraints as the columns of E (8 rows) and f = (0, ..., 0, 1). With the residual r = f - E u, y
// = -r[0..6] / r[7]. r = 0 means that the constraints contradict each other.
//
// The NNLS algorithm (chapter 23.3) keeps a passive set of columns with positive weights. The
// column with the largest gain E_j . r enters; then least squares over the set, leaving out columns
// whose weights would become negative. Eight rows, so the set has at most eight columns: everything
// fits arrays of fixed size.

#include "allclear/distance/fit/least_distance.h"

#include <limits>

namespace allclear::fitting {
namespace {

using Vec8 = Eigen::Matrix<double, 8, 1>;

constexpr int kMostIterations = 100;
constexpr double kTolerance = 1e-12;  // gain: rounding of a dot product of numbers of unit order
/// Of a column's length: what rounding leaves of one that the others span.
constexpr double kDependent = 1e-9;

// The columns with positive weights, at most eight.
struct PassiveSet {
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

// Least squares over the passive columns by Gram and Schmidt's orthogonalisation, done twice: once
// leaves the columns orthogonal only as far as they were independent. A column that the ones before
// it span gets the weight 0.
void leastSquares(const Constraints& E, const Vec8& f, const PassiveSet& p, double* weights) {
  Vec8 Q[8];
  double R[8][8] = {};
  double right[8] = {};
  for (int j = 0; j < p.count; ++j) {
    Vec8 q = E.col(p.index[j]);
    const double before = q.norm();
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i < j; ++i) {
        const double part = Q[i].dot(q);
        R[i][j] += part;
        q -= part * Q[i];
      }
    }
    const double left = q.norm();
    R[j][j] = left > kDependent * before ? left : 0.0;
    Q[j] = R[j][j] > 0.0 ? Vec8(q / left) : Vec8(Vec8::Zero());
    right[j] = Q[j].dot(f);
  }
  // Back substitution in R w = Q^T f.
  for (int j = p.count - 1; j >= 0; --j) {
    double sum = right[j];
    for (int k = j + 1; k < p.count; ++k) sum -= R[j][k] * weights[k];
    weights[j] = R[j][j] > 0.0 ? sum / R[j][j] : 0.0;
  }
}

// Moves the weights towards the least-squares solution over the passive columns, as far as all stay
// positive. A column whose weight reaches zero leaves, and the step is repeated without it. The
// residual never grows.
void solvePassive(const Constraints& E, const Vec8& f, PassiveSet* p) {
  while (p->count > 0) {
    double s[8];
    leastSquares(E, f, *p, s);
    double step = 1.0;  // towards the solution s: up to the first weight that reaches zero
    int leaving = -1;
    for (int i = 0; i < p->count; ++i) {
      if (s[i] > 0.0) continue;
      const double span = p->weight[i] - s[i];
      const double limit = span > 0.0 ? p->weight[i] / span : 0.0;
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

Vec8 residual(const Constraints& E, const Vec8& f, const PassiveSet& p) {
  Vec8 r = f;
  for (int i = 0; i < p.count; ++i) r -= p.weight[i] * E.col(p.index[i]);
  return r;
}

}  // namespace

bool leastDistance(const Constraints& E, Vec7* y) {
  const Vec8 f = Vec8::Unit(7);
  PassiveSet passive;
  Vec8 r = f;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    // The column along which the residual falls fastest.
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
    solvePassive(E, f, &passive);
    r = residual(E, f, passive);
  }
  if (r[7] <= std::numeric_limits<double>::epsilon()) return false;
  *y = -r.head<7>() / r[7];
  return y->allFinite();
}

}  // namespace allclear::fitting
