#pragma once

#include <vector>

#include "allclear/distance/deform/patch_rows.h"
#include "allclear/distance/deform/patch_tree.h"

namespace allclear::deform {

/// What a patch must fulfil to be certified. The defaults are the sound test; tests leave parts out
/// to show that each is needed.
struct PatchRules {
  bool needs_loop = true;     ///< the boundary is a single loop that passes no vertex twice
  bool needs_contour = true;  ///< the loop does not cross itself along the direction
  bool for_all_times = true;  ///< ... at every t, not at t = 0 only
  /// Loops that are no star are tested edge by edge. More patches pass, at a cost.
  bool tries_full = true;
  int longest_full_loop = 600;  ///< beyond so many edges that test is left out
};

/// Proves that no two features of a patch that share no vertex touch at any t in [0, 1]. `false`
/// means no more than that there is no proof.
class PatchTest {
 public:
  PatchTest(const MeshStep& step, const PatchTree& tree, const NormalRows& rows,
            const PatchRules& rules)
      : step_(step), tree_(tree), rows_(rows), rules_(rules) {}

  bool certifies(int node);

 private:
  bool findDirection(int node, float d[3]) const;
  bool contourIsSimple(const PatchTree::Node& node, const float d[3]);
  bool moveInside(int end, double* x, double* y) const;
  bool isStar(double x_start, double y_start, double x_end, double y_end, double square) const;

  const MeshStep& step_;
  const PatchTree& tree_;
  const NormalRows& rows_;
  PatchRules rules_;
  /// The projected loop, relative to its first vertex at t = 0: x and y at the start, x and y at
  /// the end.
  std::vector<double> loop_;
};

/// Certified patches of a tree that lie in no larger one, as numbers of nodes in ascending order.
/// Patches of one triangle are left out: they have no two features without a common vertex.
std::vector<int> certifiedPatches(const MeshStep& step, const PatchTree& tree,
                                  const NormalRows& rows, const PatchRules& rules);

}  // namespace allclear::deform
