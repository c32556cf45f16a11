#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "allclear/distance/convex_cover.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// A folder that keeps convex covers of meshes from run to run. Only covers of meshes that were
/// given it (`keepCovers`) go there; there is none unless a program makes one.
///
/// A cover is found by the SHA-256 of the mesh's data, of how finely it is to be covered and of the
/// version of the algorithm. What is read is proven to enclose the mesh before it is used
/// (distance/cover/enclosure.h); what is damaged, cut short, of another version or does not enclose
/// the mesh counts as missing, and is written again. So results are the same with the folder,
/// without it, and whatever is in it, as long as nobody forges entries that enclose their meshes,
/// but less closely.
///
/// Never fails: a folder that cannot be made, read or written, or a full disk, leaves covers to be
/// made as without it. Several processes may use one folder at once, and several threads one
/// object.
class CoverCache {
 public:
  /// When the folder holds more, the entries used longest ago are removed [bytes]: some thousand
  /// robots.
  static constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20;

  /// The folder is made when the first cover is written.
  explicit CoverCache(std::filesystem::path folder, std::uintmax_t most_bytes = kMostBytes);

  /// `$XDG_CACHE_HOME/allclear/covers`, else `~/.cache/allclear/covers`; empty when the environment
  /// names neither by an absolute path.
  static std::filesystem::path userFolder();

  const std::filesystem::path& folder() const { return folder_; }

  /// `convexCover(mesh, options)`, from the folder where it is there.
  std::vector<ConvexMesh> cover(const TriangleMesh& mesh, const ConvexCoverOptions& options) const;

  struct Statistics {
    int found = 0;      ///< covers that were read, and proven
    int made = 0;       ///< covers that were not there
    int refused = 0;    ///< of these, entries that were there but damaged, or enclosed too little
    int written = 0;    ///< entries
    int unwritten = 0;  ///< entries that could not be written
  };
  Statistics statistics() const;

 private:
  std::filesystem::path pathOf(const std::string& key) const;
  void write(const std::string& key, const std::string& entry) const;
  void prune() const;

  std::filesystem::path folder_;
  std::uintmax_t most_bytes_;
  mutable std::mutex mutex_;  ///< guards what follows
  mutable Statistics statistics_;
  mutable bool may_write_ = true;  ///< nothing went wrong yet
  mutable unsigned names_ = 0;     ///< of files, used so far
};

/// From now on covers of the mesh, and of its copies, come from `cache` and are kept there. Those
/// that were made already stay.
void keepCovers(const TriangleMesh& mesh, std::shared_ptr<const CoverCache> cache);

/// The same, of all meshes among the geometry.
void keepCovers(const std::vector<Geometry>& geometry,
                const std::shared_ptr<const CoverCache>& cache);

}  // namespace allclear
