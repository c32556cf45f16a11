// The gauges of many pairs of ellipsoids, eight at a time, one to a lane. All eight are iterated
// until the slowest is done; the others keep their answers.

#include <algorithm>

#include "allclear/core/assert.h"
#include "allclear/distance/convex/ellipsoid_equation.h"
#include "allclear/distance/ellipsoid_pair.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // lanes are never passed through a real call

namespace allclear {
namespace {

using Lanes = simd::DoubleLanes;
constexpr int kWidth = simd::kWidth;

/// Eight pairs: where each of their numbers begins.
struct Block {
  static constexpr int kRadiiB = 3, kRotation = 6, kCenter = 15, kRows = 18;
  const double* row[kRows];
};
/// Eight pairs gathered from elsewhere.
struct GatheredBlock {
  alignas(64) double row[Block::kRows][kWidth];

  Block block() const {
    Block out;
    for (int i = 0; i < Block::kRows; ++i) out.row[i] = row[i];
    return out;
  }
};
/// Rows: gauge, ratio, iterations, half slope.
struct Results {
  static constexpr int kGauge = 0, kRatio = 1, kIterations = 2, kSlope = 3, kRows = 6;
  alignas(64) double row[kRows][kWidth];
};

/// By memcpy: columns of the caller begin anywhere, and compilers make one unaligned load of it.
ALLCLEAR_INLINE Lanes load(const double* from) {
  Lanes x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
ALLCLEAR_INLINE void store(Lanes x, double* to) { std::memcpy(to, &x, sizeof x); }

ALLCLEAR_INLINE ellipsoid::Pair<Lanes> pairsOf(const Block& block) {
  ellipsoid::Pair<Lanes> pair;
  for (int i = 0; i < 3; ++i) {
    pair.a[i] = load(block.row[i]);
    pair.b[i] = load(block.row[Block::kRadiiB + i]);
    pair.n[i] = load(block.row[Block::kCenter + i]);
    for (int j = 0; j < 3; ++j) pair.R[i][j] = load(block.row[Block::kRotation + 3 * i + j]);
  }
  return pair;
}

ALLCLEAR_MULTIVERSION
void solveBlock(const Block& block, bool with_slope, Results* out) {
  ellipsoid::Pair<Lanes> pair = pairsOf(block);
  const ellipsoid::Scale<Lanes> scale = ellipsoid::normalise(&pair);
  const ellipsoid::Equation<Lanes> equation = ellipsoid::equationOf(pair);
  Lanes iterations;
  const Lanes r = ellipsoid::solve(
      equation, with_slope ? ellipsoid::kShortForSlope : ellipsoid::kShortForValue, &iterations);
  // gauge = (distance of the centres) sqrt(F): F is for a unit direction and for lengths in units
  // of the largest radius, so the distance is brought to these units as well.
  const Lanes centers = scale.centers / scale.size;
  store(centers * simd::root(ellipsoid::contactFunction(equation, r)), out->row[Results::kGauge]);
  store(r / (1.0 + r), out->row[Results::kRatio]);
  store(iterations, out->row[Results::kIterations]);
  if (!with_slope) return;
  Lanes slope[3];
  ellipsoid::slopeOf(pair, equation, r, slope);
  const Lanes factor = centers / scale.size;
  for (int i = 0; i < 3; ++i) store(slope[i] * factor, out->row[Results::kSlope + i]);
}

ALLCLEAR_MULTIVERSION
void boundBlock(const Block& block, double* lower) {
  // Rounding: some 60 operations on positive numbers, each within 2^-53 of its value, and half of
  // that after the square root.
  constexpr double kPad = 1.0 - 64.0 * 2.3e-16;
  ellipsoid::Pair<Lanes> pair = pairsOf(block);
  const ellipsoid::Scale<Lanes> scale = ellipsoid::normalise(&pair);
  const ellipsoid::Equation<Lanes> equation = ellipsoid::equationOf(pair);
  // F at any ratio is at most its maximum, which is the square of the gauge at unit distance: no
  // iteration has to converge for a bound. The start is the best ratio where B is A scaled, and
  // near it for bodies of like shape.
  const Lanes F = ellipsoid::contactFunction(equation, equation.start);
  store(kPad * (scale.centers / scale.size) * simd::root(F), lower);
}

/// Calls run(block, first, count) for the pairs in blocks of eight; a last block that is not full
/// repeats its last pair.
template <class Run>
void forBlocks(const EllipsoidPairColumns& pairs, const Run& run) {
  std::array<const double*, Block::kRows> columns;
  auto next = std::copy(pairs.radii_A.begin(), pairs.radii_A.end(), columns.begin());
  next = std::copy(pairs.radii_B.begin(), pairs.radii_B.end(), next);
  next = std::copy(pairs.R_AB.begin(), pairs.R_AB.end(), next);
  std::copy(pairs.p_AB.begin(), pairs.p_AB.end(), next);
  std::size_t first = 0;
  for (; first + kWidth <= pairs.count; first += kWidth) {
    Block block;
    for (int i = 0; i < Block::kRows; ++i) block.row[i] = columns[i] + first;
    run(block, first, std::size_t{kWidth});
  }
  if (first == pairs.count) return;
  // Idle lanes get a pair that is there: radii of zero have no gauge, and as all lanes wait for the
  // slowest, the last pair again costs nothing that it does not cost already.
  GatheredBlock rest;
  for (int i = 0; i < Block::kRows; ++i) {
    for (std::size_t l = 0; l < kWidth; ++l) {
      rest.row[i][l] = columns[i][std::min(first + l, pairs.count - 1)];
    }
  }
  run(rest.block(), first, pairs.count - first);
}

void copyOut(const double* from, std::size_t first, std::size_t count, double* column) {
  if (column != nullptr) std::copy(from, from + count, column + first);
}

}  // namespace

void ellipsoidGauges(const EllipsoidPairColumns& pairs, const EllipsoidGaugeColumns& results) {
  const bool with_slope = results.half_slope[0] != nullptr;
  Results found;
  forBlocks(pairs, [&](const Block& block, std::size_t first, std::size_t count) {
    solveBlock(block, with_slope, &found);
    copyOut(found.row[Results::kGauge], first, count, results.gauge);
    copyOut(found.row[Results::kRatio], first, count, results.ratio);
    copyOut(found.row[Results::kIterations], first, count, results.iterations);
    for (int i = 0; i < 3 && with_slope; ++i) {
      copyOut(found.row[Results::kSlope + i], first, count, results.half_slope[i]);
    }
  });
}

void lowerEllipsoidGauges(const EllipsoidPairColumns& pairs, double* lower) {
  alignas(64) double found[kWidth];
  forBlocks(pairs, [&](const Block& block, std::size_t first, std::size_t count) {
    boundBlock(block, found);
    copyOut(found, first, count, lower);
  });
}

void ellipsoidGauges(std::span<const PosedEllipsoid> bodies,
                     std::span<const std::array<int, 2>> pairs, std::span<double> gauges) {
  ALLCLEAR_ASSERT(gauges.size() == pairs.size());
  GatheredBlock block;
  Results found;
  for (std::size_t first = 0; first < pairs.size(); first += kWidth) {
    const std::size_t count = std::min<std::size_t>(kWidth, pairs.size() - first);
    for (std::size_t l = 0; l < kWidth; ++l) {
      const std::array<int, 2>& pair = pairs[first + std::min(l, count - 1)];
      const PosedEllipsoid &A = bodies[pair[0]], &B = bodies[pair[1]];
      const Mat3 R = A.X_WE.R.transpose() * B.X_WE.R;
      const Vec3 c = A.X_WE.R.transpose() * (B.X_WE.p - A.X_WE.p);
      for (int i = 0; i < 3; ++i) {
        block.row[i][l] = A.shape.radii()[i];
        block.row[Block::kRadiiB + i][l] = B.shape.radii()[i];
        block.row[Block::kCenter + i][l] = c[i];
        for (int j = 0; j < 3; ++j) block.row[Block::kRotation + 3 * i + j][l] = R(i, j);
      }
    }
    solveBlock(block.block(), false, &found);
    copyOut(found.row[Results::kGauge], first, count, gauges.data());
  }
}

}  // namespace allclear
