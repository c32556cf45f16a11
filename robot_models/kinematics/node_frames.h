#pragma once

#include <vector>

#include "allclear/core/types.h"
#include "allclear/robot_models/kinematics/builtin_kernels.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {

/// World poses of the nodes of a `MotionTree`, as the kernels read them.
class NodeFrames {
 public:
  /// The configuration placed last. Everything by node.
  struct Workspace {
    VecX x;  ///< joint variables, padded to whole vectors
    VecX sines;
    VecX cosines;
    std::vector<Frame4> frames;  ///< X_WN
  };

  explicit NodeFrames(const MotionTree& tree);

  Workspace makeWorkspace() const;
  int count() const { return static_cast<int>(nodes_.size()); }
  const std::vector<KernelNode>& nodes() const { return nodes_; }

  /// Fills the workspace from q. O(nodes), does not allocate.
  void place(const VecX& q, Workspace& workspace) const;

 private:
  std::vector<KernelNode> nodes_;
  // By node: the joint variable is x = multiplier * q[coordinate] + offset.
  std::vector<int> coordinate_;
  std::vector<double> multiplier_;
  std::vector<double> offset_;
  int dimension_ = 0;
};

}  // namespace allclear
