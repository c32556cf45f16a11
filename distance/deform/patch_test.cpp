// Certifies that a patch of a mesh cannot touch itself while its vertices move linearly.
//
// Theorem. A patch has no contact between features that share no vertex, for all t in [0, 1], when
// for one unit vector d
// 1. the three Bernstein coefficients of the normal of each of its triangles have a positive
// product
//    with d (patch_rows.h),
// 2. its boundary half-edges are one closed loop that passes no vertex twice, and
// 3. the loop, projected along d, is a simple closed curve at every t. Either
//    star: for a point c(t), linear in t, every boundary edge pq has d . ((p - c) x (q - c)) > 0 in
//    all three Bernstein coefficients, and at t = 0 the loop winds about c once; or
//    full: no two edges of the projected loop meet (patch_contour.h).
//
// Proof. Fix t. By 1 the projection along d keeps every triangle's orientation, so over a regular
// point q of the plane the number of points of the patch is the winding number of the projected
// loop about q: 0 outside and 1 inside. Let two distinct points lie over q. An interior one covers
// a whole neighbourhood of q: two interior ones would give a regular point two points, one over the
// loop itself would cover points outside. Two boundary points are one, since the loop is injective.
// Hence the projection is injective on the patch, and so is the patch in space. Neither
// connectedness nor the genus need be assumed: 1, 2 and the winding number imply them.
//
// Cones of normals (Provot 1997, Tang et al. 2009, Lee 2020) are condition 1 alone: two layers with
// the same normals pass through each other unseen.
//
// d is the sum of the coefficients of the patch, then steps of a perceptron away from the triangle
// that fails most.
#include "allclear/distance/deform/patch_test.h"

#include <algorithm>
#include <cmath>

#include "allclear/distance/deform/patch_contour.h"

namespace allclear::deform {
namespace {

/// Steps of the perceptron: four find nearly all directions that a hundred find.
constexpr int kDirectionSteps = 4;
/// By how much a step turns d beyond the plane in which the failed coefficient's product is zero.
constexpr float kStepLength = 1.3F;
/// Of products d . ((p - c) x (q - c)), over the largest |p - c|^2: they are sums of products of
/// projected differences, with fewer than 100 roundings of 1e-16 in all.
constexpr double kLeastTurn = 1e-12;
/// What a projected coordinate may be off by, over the loop's extent: a difference, three products
/// and sums of 1.1e-16 each, and a projection whose axes are as far from exact.
constexpr double kProjectionRounding = 4e-15;

/// Steps of the search for a centre, and by how much each oversteps the edge's line.
constexpr int kCentreSteps = 5;
constexpr double kCentreStep = 1.3;

bool normalise(float v[3]) {
  const float square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  // Also refuses NaN. The sum of a patch whose normals agree is longer than this by far.
  constexpr float kLeastSum = 1e-12F;
  if (!(square > kLeastSum)) return false;
  const float scale = 1.0F / std::sqrt(square);
  for (int k = 0; k < 3; ++k) v[k] *= scale;
  return true;
}

/// Two vectors x and y with x cross y = d.
struct Projection {
  Vec3 x, y;
  explicit Projection(const float d[3]) {
    const Vec3 n(d[0], d[1], d[2]);
    int least = 0;
    n.cwiseAbs().minCoeff(&least);
    x = n.cross(Vec3::Unit(least)).normalized();
    y = n.cross(x);
  }
};

}  // namespace

bool PatchTest::findDirection(int node, float d[3]) const {
  const int begin = tree_.nodes[node].begin, end = tree_.nodes[node].end;
  const int chunks = (end - begin + kChunk - 1) / kChunk;
  std::copy_n(rows_.sums.data() + 4 * static_cast<std::size_t>(node), 3, d);
  if (!normalise(d)) return false;
  int passed_from = 0;  // chunks from here on have passed with this d
  int chunk = 0;
  for (int step = 0;;) {
    const FailedChunk failed = firstFailure(rows_, begin, end, chunk, d);
    if (failed.chunk < 0) {
      // All chunks to the last have passed. Those before the step that made d are left.
      if (passed_from == 0) return true;
      const int stop = std::min(end, begin + passed_from * kChunk);
      const FailedChunk earlier = firstFailure(rows_, begin, stop, 0, d);
      if (earlier.chunk < 0) return true;
      chunk = earlier.chunk;
      if (++step > kDirectionSteps) return false;
      for (int k = 0; k < 3; ++k) {
        d[k] -= kStepLength * earlier.product *
                rows_.row(3 * earlier.coefficient + k)[earlier.triangle];
      }
    } else {
      chunk = failed.chunk;
      if (++step > kDirectionSteps) return false;
      for (int k = 0; k < 3; ++k) {
        d[k] -=
            kStepLength * failed.product * rows_.row(3 * failed.coefficient + k)[failed.triangle];
      }
    }
    if (!normalise(d)) return false;
    passed_from = chunk < chunks ? chunk : 0;
  }
}

bool PatchTest::isStar(double x_start, double y_start, double x_end, double y_end,
                       double square) const {
  const double least = kLeastTurn * square;
  const std::size_t n = loop_.size() / 4;
  int crossings = 0;
  const double* p = loop_.data() + 4 * (n - 1);
  double px = p[0] - x_start, py = p[1] - y_start, pX = p[2] - x_end, pY = p[3] - y_end;
  for (std::size_t i = 0; i < n; ++i) {
    const double* q = loop_.data() + 4 * i;
    const double qx = q[0] - x_start, qy = q[1] - y_start, qX = q[2] - x_end, qY = q[3] - y_end;
    if (!(px * qy - py * qx > least)) return false;
    if (rules_.for_all_times) {
      if (!(pX * qY - pY * qX > least)) return false;
      if (!(px * qY - py * qX + (pX * qy - pY * qx) > 2 * least)) return false;
    }
    // Each edge turns left by less than half a turn, so it passes the ray along x upward or not.
    crossings += py < 0.0 && qy >= 0.0;
    px = qx, py = qy, pX = qX, pY = qY;
  }
  return crossings == 1;
}

/// Moves a centre across the edge that it is furthest outside of, at the start (`end` 0) or at the
/// end (2). False when it is inside of all edges already.
bool PatchTest::moveInside(int end, double* x, double* y) const {
  const std::size_t n = loop_.size() / 4;
  double least = 0.0, move_x = 0.0, move_y = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double* p = loop_.data() + 4 * (i == 0 ? n - 1 : i - 1) + end;
    const double* q = loop_.data() + 4 * i + end;
    const double ex = q[0] - p[0], ey = q[1] - p[1];
    const double turn = ex * (*y - p[1]) - ey * (*x - p[0]);
    // Distances are compared by their squares, with the sign: one root is enough.
    const double square = ex * ex + ey * ey;
    if (!(square > 0.0) || !(-turn * std::abs(turn) > least * square)) continue;
    least = -turn * std::abs(turn) / square;
    move_x = kCentreStep * turn * ey / square;
    move_y = -kCentreStep * turn * ex / square;
  }
  *x += move_x;
  *y += move_y;
  return least > 0.0;
}

bool PatchTest::contourIsSimple(const PatchTree::Node& node, const float d[3]) {
  const int n = node.loop_end - node.loop_begin;
  const Projection projection(d);
  const Vec3 origin = step_.start[tree_.loops[node.loop_begin]];
  loop_.resize(4 * static_cast<std::size_t>(n));
  double centre[4] = {};  // the mean of the corners at both ends, then moved
  double square = 0.0;    // of the largest distance from the origin, in space
  for (int i = 0; i < n; ++i) {
    const int v = tree_.loops[node.loop_begin + i];
    const Vec3 p = step_.start[v] - origin, q = step_.end[v] - origin;
    double* to = loop_.data() + 4 * static_cast<std::size_t>(i);
    to[0] = projection.x.dot(p);
    to[1] = projection.y.dot(p);
    to[2] = projection.x.dot(q);
    to[3] = projection.y.dot(q);
    for (int k = 0; k < 4; ++k) {
      centre[k] += to[k] / n;
    }
    square = std::max({square, p.squaredNorm(), q.squaredNorm()});
  }
  // Points of the loop are at most twice as far from its centre as from one of its vertices.
  if (isStar(centre[0], centre[1], centre[2], centre[3], 4 * square)) return true;
  for (int i = 0; i < kCentreSteps; ++i) {
    const bool at_start = moveInside(0, centre, centre + 1);
    const bool at_end = moveInside(2, centre + 2, centre + 3);
    // A centre further away than that is no centre, and rounding would count more there.
    const double farthest = std::max(centre[0] * centre[0] + centre[1] * centre[1],
                                     centre[2] * centre[2] + centre[3] * centre[3]);
    if ((!at_start && !at_end) || !(farthest < 9 * square)) break;
    if (isStar(centre[0], centre[1], centre[2], centre[3], 16 * square)) return true;
  }
  if (!rules_.tries_full || n > rules_.longest_full_loop) return false;
  return staysSimple({loop_.data(), n, kProjectionRounding * std::sqrt(square)},
                     rules_.for_all_times);
}

bool PatchTest::certifies(int number) {
  const PatchTree::Node& node = tree_.nodes[number];
  if (rules_.needs_loop && !node.hasLoop()) return false;
  float d[3];
  if (!findDirection(number, d)) return false;
  return !rules_.needs_contour || !node.hasLoop() || contourIsSimple(node, d);
}

std::vector<int> certifiedPatches(const MeshStep& step, const PatchTree& tree,
                                  const NormalRows& rows, const PatchRules& rules) {
  PatchTest test(step, tree, rows, rules);
  std::vector<int> patches;
  const int n = static_cast<int>(tree.nodes.size());
  for (int i = 0; i < n;) {
    const PatchTree::Node& node = tree.nodes[i];
    if (node.isLeaf()) {
      ++i;
    } else if (test.certifies(i)) {
      patches.push_back(i);
      i += 2 * node.size() - 1;  // past all nodes below it
    } else {
      ++i;
    }
  }
  return patches;
}

}  // namespace allclear::deform
