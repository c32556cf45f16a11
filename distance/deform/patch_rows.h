#pragma once

#include <span>
#include <vector>

#include "allclear/core/types.h"
#include "allclear/distance/deform/patch_tree.h"
#include "allclear/distance/self_contact.h"

namespace allclear::deform {

/// Triangles that a chunk of the vector code takes at once; rows are padded by as many zeros.
constexpr int kChunk = 16;

/// The normals of all triangles over a step, in the order of a tree. The normal of a triangle is a
/// quadratic of t; its three Bernstein coefficients are kept as unit vectors of floats, in nine
/// rows (x, y, z of the first, the second, the third). Those of triangles without area are zero.
struct NormalRows {
  int stride = 0;
  std::vector<float> values;  ///< nine rows
  /// Sum of the coefficients of each node: x, y, z and one float of padding.
  std::vector<float> sums;

  const float* row(int k) const { return values.data() + static_cast<std::size_t>(k) * stride; }
};

/// O(n).
void fillRows(const MeshStep& step, const PatchTree& tree, NormalRows* rows);

/// The same from the rows of another tree: `source[i]` is the place there of this tree's triangle
/// i.
void copyRows(const NormalRows& filled, const std::vector<int>& source, const PatchTree& tree,
              NormalRows* rows);

/// The first chunk of [begin, end) that holds a triangle one of whose coefficients has no product
/// greater than `kLeastProduct` with d, and in it the triangle and coefficient of the least
/// product.
struct FailedChunk {
  int chunk = -1;  ///< counted from `begin`; -1: there is none
  int triangle = 0;
  int coefficient = 0;
  float product = 0.0F;
};
FailedChunk firstFailure(const NormalRows& rows, int begin, int end, int first_chunk,
                         const float d[3]);

/// Coefficients are rounded to floats: their products with a unit vector are off by 5e-7 at most
/// (three coordinates, each rounded to 6e-8, and three products and sums of the same).
constexpr float kLeastProduct = 1e-6F;

}  // namespace allclear::deform
