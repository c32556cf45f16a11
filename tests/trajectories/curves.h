#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "allclear/trajectories/trajectory.h"
#include "support/long_run.h"
#include "support/random.h"

namespace allclear::test {

/// More samples when ALLCLEAR_LONG is set.
inline int samples(int quick, int thorough) { return isLong() ? thorough : quick; }

inline MatX randomMatrix(Random32& random, int rows, int cols) {
  MatX M(rows, cols);
  for (double& x : M.reshaped()) x = random.uniform(-1.0, 1.0);
  return M;
}

/// Clamped knots with `spans - 1` random ones inside, gaps log-uniform, now and then repeated.
inline std::vector<double> randomKnots(Random32& random, int spans, int degree) {
  std::vector<double> gaps(static_cast<std::size_t>(spans));
  double total = 0.0;
  for (double& gap : gaps) total += gap = random.logUniform(1e-3, 1.0);
  std::vector<double> knots(static_cast<std::size_t>(degree) + 1, 0.0);
  double s = 0.0;
  for (int i = 0; i + 1 < spans; ++i) {
    s += gaps[i] / total;
    const int times = random.uniform(0.0, 1.0) < 0.2 ? 1 + static_cast<int>(random() % degree) : 1;
    knots.insert(knots.end(), static_cast<std::size_t>(times), s);
  }
  knots.insert(knots.end(), static_cast<std::size_t>(degree) + 1, 1.0);
  return knots;
}

inline BSpline randomSpline(Random32& random, int degree, bool uniform_knots, int dimension = 3) {
  const int spans = 1 + static_cast<int>(random() % 12);
  auto basis = std::make_shared<const BSplineBasis>(
      uniform_knots ? BSplineBasis::uniform(spans, degree)
                    : BSplineBasis(randomKnots(random, spans, degree), degree));
  MatX control = randomMatrix(random, dimension, basis->controlCount());
  control *= random.logUniform(1e-3, 1e2);
  return {std::move(basis), std::move(control), random.logUniform(1e-2, 1e2)};
}

inline HermiteCurve randomHermite(Random32& random, int dimension = 3) {
  const int count = 2 + static_cast<int>(random() % 8);
  std::vector<double> times{0.0};
  while (static_cast<int>(times.size()) < count) {
    times.push_back(times.back() + random.logUniform(1e-3, 1.0));
  }
  MatX positions = randomMatrix(random, dimension, count);
  positions.array() += random.logUniform(1e-3, 1e2);
  MatX velocities = randomMatrix(random, dimension, count) * random.logUniform(1e-2, 1e2);
  MatX accelerations = randomMatrix(random, dimension, count) * random.logUniform(1e-2, 1e3);
  return {std::move(times), std::move(positions), std::move(velocities), std::move(accelerations)};
}

using Extended = long double;

/// N_{i,p}(s) by its definition: the Cox-de Boor recursion, the last span closed.
inline Extended coxDeBoor(const std::vector<double>& knots, int i, int p, Extended s) {
  if (p == 0) {
    const bool last = knots[i + 1] == 1.0 && knots[i] < 1.0;
    return knots[i] <= s && (s < knots[i + 1] || (last && s <= 1.0L)) ? 1.0L : 0.0L;
  }
  Extended sum = 0.0L;
  const Extended left = static_cast<Extended>(knots[i + p]) - knots[i];
  const Extended right = static_cast<Extended>(knots[i + p + 1]) - knots[i + 1];
  if (left > 0.0L) sum += (s - knots[i]) / left * coxDeBoor(knots, i, p - 1, s);
  if (right > 0.0L) sum += (knots[i + p + 1] - s) / right * coxDeBoor(knots, i + 1, p - 1, s);
  return sum;
}

/// Its derivative with respect to s, by the recursion of derivatives.
inline Extended coxDeBoorDerivative(const std::vector<double>& knots, int i, int p, int order,
                                    Extended s) {
  if (order == 0) return coxDeBoor(knots, i, p, s);
  Extended sum = 0.0L;
  const Extended left = static_cast<Extended>(knots[i + p]) - knots[i];
  const Extended right = static_cast<Extended>(knots[i + p + 1]) - knots[i + 1];
  if (left > 0.0L) sum += p / left * coxDeBoorDerivative(knots, i, p - 1, order - 1, s);
  if (right > 0.0L) sum -= p / right * coxDeBoorDerivative(knots, i + 1, p - 1, order - 1, s);
  return sum;
}

/// Coordinate `row` of the `order`-th time derivative, in extended precision. Also returns, in
/// `scale`, the sum of the absolute terms.
inline Extended oracle(const BSpline& curve, int row, Extended t, int order,
                       Extended* scale = nullptr) {
  const std::vector<double>& knots = curve.basis().knots();
  const Extended T = curve.duration();
  Extended sum = 0.0L, absolute = 0.0L;
  for (int i = 0; i < curve.basis().controlCount(); ++i) {
    const Extended term =
        curve.control()(row, i) * coxDeBoorDerivative(knots, i, curve.degree(), order, t / T);
    sum += term;
    absolute += std::abs(term);
  }
  const Extended factor = std::pow(T, -order);
  if (scale) *scale = absolute * factor;
  return sum * factor;
}

}  // namespace allclear::test
