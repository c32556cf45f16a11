#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "allclear/distance/cloud.h"

namespace allclear {

/// How an octree is read.
struct OctreeOptions {
  /// Probability from which a cell counts as occupied, in (0, 1). Files that keep no probabilities
  /// (`.bt`) have decided already.
  double occupancy = 0.5;
  /// Cells that nothing is known of, within the box of all that are known, count as occupied.
  bool unknown_is_occupied = false;
};

/// What an octree has: cells as boxes in its frame, eight occupied ones that fill their parent as
/// that parent.
struct Octree {
  std::vector<AlignedBox> occupied;
  double resolution = 0.0;  ///< [m] edge of the smallest cells
  AlignedBox known;         ///< about all cells, occupied or free
  std::size_t free = 0;     ///< number of free leaves
  bool has_probabilities = false;
};

/// Reads OctoMap's files: `.bt` (occupied or free, OcTree::writeBinary) and `.ot` (with
/// probabilities, AbstractOcTree::write) of trees of id OcTree and ColorOcTree. Throws `InputError`
/// naming the file when it is none of these, is cut short or goes on after its end, or has more
/// than `Cloud::kMostElements` occupied boxes. It may have none.
Octree parseOctree(std::string_view content, const std::filesystem::path& path,
                   const OctreeOptions& options);

/// The same of a message's data (octomap_msgs/Octomap), which has no header. `name` is for errors.
Octree parseOctreeData(std::string_view data, const std::string& id, double resolution,
                       bool is_binary, const std::string& name, const OctreeOptions& options);

}  // namespace allclear
