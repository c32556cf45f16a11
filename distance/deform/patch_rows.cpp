// Bernstein coefficients of the normals of triangles whose vertices move linearly.
//
// With the edges e(t) = b - a, f(t) = c - a, linear in t, the normal e x f has the coefficients
//   N0 = e0 x f0,  N1 = (e0 x f1 + e1 x f0) / 2,  N2 = e1 x f1.
// (Tang et al. 2009; Lee 2020 writes N1 as (n0 + n1 - delta) / 2.) Where all three have a positive
// product with d, so has the normal at every t. Lengths do not matter, so unit vectors are kept.
#include "allclear/distance/deform/patch_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "allclear/core/simd.h"

namespace allclear::deform {
namespace {

/// Squares of lengths below this, in m^4, count as no area: a float does not hold them to its full
/// precision. (Edges of a nanometre.) Those too large for a float give a scale of 0: no area
/// either.
constexpr float kLeastSquare = 1e-36F;
/// A normal shorter than this part of the product of its edges counts as none. Differences,
/// products and sums leave an error of some 6 roundings of 1.1e-16 of that product; over a normal
/// as short as this it is 7e-8, a fraction of what `kLeastProduct` allows.
constexpr double kLeastSine = 1e-8;

/// Three coefficients of each triangle of a chunk. `edges` holds x, y, z of e0, f0, e1, f1 in
/// twelve rows; `out` nine rows of unit vectors.
ALLCLEAR_MULTIVERSION void unitNormals(const double* edges, float* out) {
  const double* e0 = edges;
  const double* f0 = edges + 3 * kChunk;
  const double* e1 = edges + 6 * kChunk;
  const double* f1 = edges + 9 * kChunk;
  for (int k = 0; k < 3; ++k) {
    // Of the pairs (e0, f0), (e0, f1) + (e1, f0), (e1, f1).
    const double* e = k == 2 ? e1 : e0;
    const double* f = k == 0 ? f0 : f1;
    const double* g = k == 1 ? e1 : e;
    const double* h = k == 1 ? f0 : f;
    float* unit = out + 3 * kChunk * k;
    for (int l = 0; l < kChunk; ++l) {
      const int x = l, y = kChunk + l, z = 2 * kChunk + l;
      const double nx = e[y] * f[z] - e[z] * f[y] + (g[y] * h[z] - g[z] * h[y]);
      const double ny = e[z] * f[x] - e[x] * f[z] + (g[z] * h[x] - g[x] * h[z]);
      const double nz = e[x] * f[y] - e[y] * f[x] + (g[x] * h[y] - g[y] * h[x]);
      const double sizes =
          (e[x] * e[x] + e[y] * e[y] + e[z] * e[z]) * (f[x] * f[x] + f[y] * f[y] + f[z] * f[z]) +
          (g[x] * g[x] + g[y] * g[y] + g[z] * g[z]) * (h[x] * h[x] + h[y] * h[y] + h[z] * h[z]);
      // The scale may be a float: a length that is off by 1e-7 turns no vector.
      const double exact = nx * nx + ny * ny + nz * nz;
      const auto square = static_cast<float>(exact);
      // 2 (u^2 + v^2) >= (u + v)^2 for the two products of lengths.
      const bool is_long = exact > 2.0 * kLeastSine * kLeastSine * sizes;
      const double scale = ((square > kLeastSquare) & is_long) ? 1.0F / std::sqrt(square) : 0.0F;
      unit[x] = static_cast<float>(nx * scale);
      unit[y] = static_cast<float>(ny * scale);
      unit[z] = static_cast<float>(nz * scale);
    }
  }
}

/// The least product of each of 16 triangles' coefficients with d, then whether it fails.
ALLCLEAR_MULTIVERSION bool chunkFails(const float* rows, std::ptrdiff_t stride, int count,
                                      const float* d, float* least) {
  const float x = d[0], y = d[1], z = d[2];
  const float *a = rows, *b = rows + 3 * stride, *c = rows + 6 * stride;
  int failures = 0;
  for (int l = 0; l < kChunk; ++l) {
    const float p = x * a[l] + y * a[stride + l] + z * a[2 * stride + l];
    const float q = x * b[l] + y * b[stride + l] + z * b[2 * stride + l];
    const float r = x * c[l] + y * c[stride + l] + z * c[2 * stride + l];
    const float m = simd::smaller(simd::smaller(p, q), r);
    least[l] = m;
    // NaN would fail too; there is none, since triangles without area have zeros.
    failures += (l < count) & !(m > kLeastProduct);
  }
  return failures > 0;
}

/// All full chunks of a node from one on, stopping at the first that fails; the number of chunks
/// passed.
ALLCLEAR_MULTIVERSION int passedChunks(const float* rows, std::ptrdiff_t stride, int chunks,
                                       const float* d) {
  const float x = d[0], y = d[1], z = d[2];
  // As `chunkFails`, without keeping the products.
  for (int i = 0; i < chunks; ++i) {
    const float *a = rows + i * kChunk, *b = a + 3 * stride, *c = a + 6 * stride;
    int failures = 0;
    for (int l = 0; l < kChunk; ++l) {
      const float p = x * a[l] + y * a[stride + l] + z * a[2 * stride + l];
      const float q = x * b[l] + y * b[stride + l] + z * b[2 * stride + l];
      const float r = x * c[l] + y * c[stride + l] + z * c[2 * stride + l];
      const float m = simd::smaller(simd::smaller(p, q), r);
      failures += !(m > kLeastProduct);
    }
    if (failures > 0) return i;
  }
  return chunks;
}

void resize(const PatchTree& tree, NormalRows* rows) {
  // The padding is zero from the first time on: only the triangles' places are written.
  const int stride = (static_cast<int>(tree.order.size()) / kChunk + 2) * kChunk;
  if (stride != rows->stride) rows->values.assign(9 * static_cast<std::size_t>(stride), 0.0F);
  rows->stride = stride;
  rows->sums.resize(4 * tree.nodes.size());
}

/// Sums of the coefficients, children before parents.
void addUp(const PatchTree& tree, NormalRows* rows) {
  const float* r = rows->values.data();
  const std::size_t stride = rows->stride;
  float* sums = rows->sums.data();
  // Children have larger numbers than their parents.
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    const PatchTree::Node& node = tree.nodes[i];
    float* sum = sums + 4 * i;
    if (node.isLeaf()) {
      for (int k = 0; k < 3; ++k) {
        const float* at = r + k * stride + node.begin;
        sum[k] = at[0] + at[3 * stride] + at[6 * stride];
      }
      sum[3] = 0.0F;
    } else {
      const float *left = sum + 4, *right = sums + 4 * static_cast<std::size_t>(node.right);
      for (int k = 0; k < 4; ++k) sum[k] = left[k] + right[k];
    }
  }
}

}  // namespace

void fillRows(const MeshStep& step, const PatchTree& tree, NormalRows* rows) {
  // Edges are gathered chunk by chunk, so that the vector code reads rows.
  resize(tree, rows);
  const int n = static_cast<int>(tree.order.size());
  double edges[12 * kChunk] = {};
  float units[9 * kChunk];
  for (int begin = 0; begin < n; begin += kChunk) {
    const int count = std::min(kChunk, n - begin);
    for (int l = 0; l < count; ++l) {
      const Triangle& t = step.triangles[tree.order[begin + l]];
      const double *a0 = step.start[t[0]].data(), *b0 = step.start[t[1]].data(),
                   *c0 = step.start[t[2]].data();
      const double *a1 = step.end[t[0]].data(), *b1 = step.end[t[1]].data(),
                   *c1 = step.end[t[2]].data();
      for (int k = 0; k < 3; ++k) {
        double* to = edges + k * kChunk + l;
        to[0] = b0[k] - a0[k];
        to[3 * kChunk] = c0[k] - a0[k];
        to[6 * kChunk] = b1[k] - a1[k];
        to[9 * kChunk] = c1[k] - a1[k];
      }
    }
    unitNormals(edges, units);
    for (int k = 0; k < 9; ++k) {
      std::memcpy(rows->values.data() + static_cast<std::size_t>(k) * rows->stride + begin,
                  units + k * kChunk, count * sizeof(float));
    }
  }
  addUp(tree, rows);
}

void copyRows(const NormalRows& filled, const std::vector<int>& source, const PatchTree& tree,
              NormalRows* rows) {
  resize(tree, rows);
  const std::size_t n = tree.order.size();
  for (int k = 0; k < 9; ++k) {
    const float* in = filled.row(k);
    float* out = rows->values.data() + static_cast<std::size_t>(k) * rows->stride;
    for (std::size_t i = 0; i < n; ++i) out[i] = in[source[i]];
  }
  addUp(tree, rows);
}

FailedChunk firstFailure(const NormalRows& rows, int begin, int end, int first_chunk,
                         const float d[3]) {
  // Full chunks go through one call; the last, partial one and the one that fails are looked at
  // again.
  const int chunks = (end - begin + kChunk - 1) / kChunk;
  const int full = (end - begin) / kChunk;
  const std::ptrdiff_t stride = rows.stride;
  int chunk = first_chunk;
  if (chunk < full) {
    chunk += passedChunks(rows.row(0) + begin + chunk * kChunk, stride, full - chunk, d);
  }
  if (chunk >= chunks) return {};
  const int at = begin + chunk * kChunk;
  const int count = std::min(kChunk, end - at);
  float least[kChunk];
  if (!chunkFails(rows.row(0) + at, stride, count, d, least)) return {};
  FailedChunk failed{chunk, at, 0, least[0]};
  for (int l = 1; l < count; ++l) {
    if (least[l] < failed.product) failed = {chunk, at + l, 0, least[l]};
  }
  float lowest = HUGE_VALF;
  for (int c = 0; c < 3; ++c) {
    float product = 0.0F;
    for (int k = 0; k < 3; ++k) product += d[k] * rows.row(3 * c + k)[failed.triangle];
    if (product < lowest) {
      lowest = product;
      failed.coefficient = c;
    }
  }
  return failed;
}

}  // namespace allclear::deform
