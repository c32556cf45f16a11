// B-spline bases, through blossoms (R. Goldman, "Pyramid Algorithms", 2002; L. Ramshaw, "Blossoms
// are polar forms", 1989).
//
// The blossom of a polynomial of degree p is the symmetric function of p arguments, affine in each,
// that equals the polynomial when all arguments are equal. On a span between two knots it is a
// weighted sum of the span's p + 1 control points, with the weights of the Cox-de Boor recursion
// that uses argument a_l at level l. Everything that is linear in the control points is a blossom:
// - the value at s: all arguments s;
// - Bernstein coefficient j of a span [a, b]: p - j times a and j times b;
// - control point j on finer knots: the p knots strictly inside its support.
// So the basis keeps one matrix per span, control points to Bernstein coefficients, and values and
// derivatives at s are those of Bernstein polynomials. The matrices are computed in long double and
// rounded once: proofs over spans count one rounding per entry.
#include "allclear/trajectories/bspline.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

using Extended = long double;
using ExtendedMatrix = Eigen::Matrix<Extended, Eigen::Dynamic, Eigen::Dynamic>;
constexpr int kMaxCount = BSplineBasis::kMaxDegree + 1;
using Row = std::array<Extended, kMaxCount>;

/// Weights of control points knot - degree .. knot in the blossom, at `arguments[0..degree)`, of
/// the polynomial between knots[knot] < knots[knot + 1].
Row blossomWeights(const std::vector<double>& knots, int degree, int knot,
                   const Extended* arguments) {
  // At each level every weight is shared between two neighbours, in the ratio in which a divides
  // the knots' interval.
  Row w{};
  w[0] = 1.0L;
  for (int level = 1; level <= degree; ++level) {
    const Extended a = arguments[level - 1];
    Extended saved = 0.0L;
    for (int r = 0; r < level; ++r) {
      const Extended upper = knots[knot + r + 1], lower = knots[knot + 1 - level + r];
      const Extended part = w[r] / (upper - lower);
      w[r] = saved + (upper - a) * part;
      saved = (a - lower) * part;
    }
    w[level] = saved;
  }
  return w;
}

Extended binomial(int n, int k) {
  Extended product = 1.0L;
  for (int i = 1; i <= k; ++i) product = product * (n - k + i) / i;
  return product;
}

/// (degree + 1) x (degree + 1 - order): coefficients of a Bernstein polynomial over [0, 1] to those
/// of its derivative, as coefficients * matrix.
ExtendedMatrix bernsteinDerivative(int degree, int order) {
  ExtendedMatrix D = ExtendedMatrix::Identity(degree + 1, degree + 1);
  for (int d = degree; d > degree - order; --d) {
    D = (D.rightCols(d) - D.leftCols(d)).eval() * static_cast<Extended>(d);
  }
  return D;
}

/// Integrals over [0, 1] of products of the Bernstein polynomials of a degree.
ExtendedMatrix bernsteinGram(int degree) {
  ExtendedMatrix G(degree + 1, degree + 1);
  for (int i = 0; i <= degree; ++i) {
    for (int j = 0; j <= degree; ++j) {
      G(i, j) = binomial(degree, i) * binomial(degree, j) /
                (binomial(2 * degree, i + j) * static_cast<Extended>(2 * degree + 1));
    }
  }
  return G;
}

/// The `order`-th derivatives of all Bernstein polynomials of `degree` at u, over [0, 1].
void bernsteinValues(int degree, int order, double u, double* out) {
  // Up to degree - order by de Casteljau's recursion; each further degree differentiates once:
  // d/du B_i^d = d (B_(i-1)^(d-1) - B_i^(d-1)).
  const int low = degree - order;
  out[0] = 1.0;
  for (int d = 1; d <= low; ++d) {
    out[d] = u * out[d - 1];
    for (int i = d - 1; i > 0; --i) out[i] = u * out[i - 1] + (1.0 - u) * out[i];
    out[0] *= 1.0 - u;
  }
  for (int d = low + 1; d <= degree; ++d) {
    out[d] = d * out[d - 1];
    for (int i = d - 1; i > 0; --i) out[i] = d * (out[i - 1] - out[i]);
    out[0] *= -d;
  }
}

}  // namespace

std::string BSplineBasis::defect(const std::vector<double>& knots, int degree) {
  if (degree < 0 || degree > kMaxDegree) {
    return "the degree must be from 0 to " + std::to_string(kMaxDegree);
  }
  const std::size_t end = static_cast<std::size_t>(degree) + 1;
  if (knots.size() < 2 * end) return "there must be at least 2 (degree + 1) knots";
  for (std::size_t i = 0; i < knots.size(); ++i) {
    if (!std::isfinite(knots[i])) return "knot " + std::to_string(i) + " is not finite";
    if (i > 0 && knots[i] < knots[i - 1]) return "knot " + std::to_string(i) + " goes back";
    // Equal to the knot degree + 1 places before: more than degree + 1 in a row.
    if (i >= end && knots[i] <= knots[i - end] && knots[i] != 1.0) {
      return "knot " + std::to_string(i) + " is repeated too often";
    }
  }
  for (std::size_t i = 0; i < end; ++i) {
    if (knots[i] != 0.0) return "the first degree + 1 knots must be 0";
    if (knots[knots.size() - 1 - i] != 1.0) return "the last degree + 1 knots must be 1";
  }
  if (knots[knots.size() - 1 - end] == 1.0) return "the last knot is repeated too often";
  return {};
}

BSplineBasis BSplineBasis::uniform(int spans, int degree) {
  ALLCLEAR_ASSERT(spans >= 1 && degree >= 0);
  std::vector<double> knots(static_cast<std::size_t>(degree), 0.0);
  for (int i = 0; i <= spans; ++i) knots.push_back(static_cast<double>(i) / spans);
  knots.insert(knots.end(), static_cast<std::size_t>(degree), 1.0);
  return BSplineBasis(std::move(knots), degree);
}

BSplineBasis::BSplineBasis(std::vector<double> knots, int degree)
    : degree_(degree), knots_(std::move(knots)) {
  ALLCLEAR_ASSERT(defect(knots_, degree_).empty());
  const int p = degree_;
  breaks_.push_back(0.0);
  for (int k = p; k < controlCount(); ++k) {
    if (knots_[k] == knots_[k + 1]) continue;  // a repeated knot: no span here
    breaks_.push_back(knots_[k + 1]);
    first_control_.push_back(k - p);
    std::array<Row, kMaxCount> columns;
    for (int j = 0; j <= p; ++j) {
      std::array<Extended, kMaxCount> arguments;
      for (int l = 0; l < p; ++l) arguments[l] = l < p - j ? knots_[k] : knots_[k + 1];
      columns[j] = blossomWeights(knots_, p, k, arguments.data());
      for (int l = 0; l <= p; ++l) to_bernstein_.push_back(static_cast<double>(columns[j][l]));
    }
    // Summation by parts, the columns summing to one: b_{j+1} - b_j is the sum over l of
    // (c_{l+1} - c_l) times what both columns hold beyond l.
    for (int j = 0; j < p; ++j) {
      std::array<Extended, kMaxCount> beyond{};
      for (int l = p - 1; l >= 0; --l) {
        beyond[l] = (l + 1 < p ? beyond[l + 1] : 0.0L) + columns[j + 1][l + 1] - columns[j][l + 1];
      }
      for (int l = 0; l < p; ++l)
        differences_to_bernstein_.push_back(static_cast<double>(beyond[l]));
    }
  }
}

int BSplineBasis::spanAt(double s) const {
  const auto later = std::upper_bound(breaks_.begin() + 1, breaks_.end() - 1, s);
  return static_cast<int>(later - breaks_.begin()) - 1;
}

BasisWeights BSplineBasis::weights(int order, double s) const {
  ALLCLEAR_ASSERT(order >= 0 && !std::isnan(s));
  BasisWeights result;
  s = std::clamp(s, 0.0, 1.0);
  const int i = spanAt(s);
  result.first = first_control_[i];
  result.weights.setZero(degree_ + 1);
  if (order > degree_) return result;
  // Values of the Bernstein polynomials, then back through the span's matrix.
  const Interval within = span(i);
  std::array<double, kMaxCount> bernstein;
  bernsteinValues(degree_, order, (s - within.lower) / within.length(), bernstein.data());
  const double* M =
      to_bernstein_.data() + static_cast<std::size_t>(i) * (degree_ + 1) * (degree_ + 1);
  for (int j = 0; j <= degree_; ++j) {
    for (int l = 0; l <= degree_; ++l) result.weights[l] += M[j * (degree_ + 1) + l] * bernstein[j];
  }
  // From the span's own parameter to s, once per derivative.
  double scale = 1.0;
  for (int k = 0; k < order; ++k) scale /= within.length();
  result.weights *= scale;
  return result;
}

MatX BSplineBasis::matrix(int order, const VecX& s) const {
  MatX A = MatX::Zero(s.size(), controlCount());
  for (Eigen::Index i = 0; i < s.size(); ++i) {
    const BasisWeights w = weights(order, s[i]);
    A.row(i).segment(w.first, degree_ + 1) = w.weights.transpose();
  }
  return A;
}

Eigen::Map<const MatX> BSplineBasis::toBernstein(int i) const {
  const int n = degree_ + 1;
  return {to_bernstein_.data() + static_cast<std::size_t>(i) * n * n, n, n};
}

Eigen::Map<const MatX> BSplineBasis::differencesToBernstein(int i) const {
  const int n = degree_;
  return {differences_to_bernstein_.data() + static_cast<std::size_t>(i) * n * n, n, n};
}

MatX BSplineBasis::energy(int order) const {
  ALLCLEAR_ASSERT(order >= 0);
  MatX Q = MatX::Zero(controlCount(), controlCount());
  if (order > degree_) return Q;
  // Over a span the derivative's Bernstein coefficients are D^T M^T x; their Gram matrix integrates
  // the square.
  const ExtendedMatrix D = bernsteinDerivative(degree_, order);
  const ExtendedMatrix G = D * bernsteinGram(degree_ - order) * D.transpose();
  for (int i = 0; i < spanCount(); ++i) {
    const ExtendedMatrix M = toBernstein(i).cast<Extended>();
    const Extended scale = std::pow(static_cast<Extended>(span(i).length()), 1 - 2 * order);
    Q.block(first_control_[i], first_control_[i], degree_ + 1, degree_ + 1) +=
        (M * G * M.transpose() * scale).cast<double>();
  }
  return 0.5 * (Q + Q.transpose());
}

BSplineBasis::Refinement BSplineBasis::withInserted(std::vector<double> inserted) const {
  for (double s : inserted) ALLCLEAR_ASSERT(0.0 < s && s < 1.0);
  std::vector<double> finer = knots_;
  finer.insert(finer.end(), inserted.begin(), inserted.end());
  std::sort(finer.begin(), finer.end());
  ALLCLEAR_ASSERT(defect(finer, degree_).empty());
  return onKnots(std::move(finer));
}

BSplineBasis::Refinement BSplineBasis::restrictedTo(Interval part) const {
  ALLCLEAR_ASSERT(0.0 <= part.lower && part.lower < part.upper && part.upper <= 1.0);
  std::vector<double> finer(static_cast<std::size_t>(degree_) + 1, part.lower);
  // Clamped at both ends of the part: its first and last control point are the curve's there.
  for (double s : knots_) {
    if (part.lower < s && s < part.upper) finer.push_back(s);
  }
  finer.insert(finer.end(), static_cast<std::size_t>(degree_) + 1, part.upper);
  Refinement result = onKnots(std::move(finer));
  for (double& s : result.knots) {
    s = s == part.upper ? 1.0 : (s - part.lower) / (part.upper - part.lower);
  }
  return result;
}

BSplineBasis::Refinement BSplineBasis::onKnots(std::vector<double> finer) const {
  const int p = degree_;
  const int count = static_cast<int>(finer.size()) - p - 1;
  Refinement result{std::move(finer), MatX::Zero(controlCount(), count)};
  const std::vector<double>& knots = result.knots;
  for (int j = 0; j < count; ++j) {
    // Any piece inside the support will do; the longest is the best conditioned.
    int longest = j;
    for (int l = j; l <= j + p; ++l) {
      if (knots[l + 1] - knots[l] > knots[longest + 1] - knots[longest]) longest = l;
    }
    const int first = first_control_[spanAt(knots[longest])];
    std::array<Extended, kMaxCount> arguments;
    for (int l = 0; l < p; ++l) arguments[l] = knots[j + 1 + l];
    const Row w = blossomWeights(knots_, p, first + p, arguments.data());
    for (int l = 0; l <= p; ++l) result.control_map(first + l, j) = static_cast<double>(w[l]);
  }
  return result;
}

}  // namespace allclear
