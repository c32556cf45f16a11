#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "allclear/distance/cover_cache.h"

namespace allclear {

/// The option of every subcommand that reads meshes: whether convex covers of these are kept on
/// disk, for the next run.
class CacheOptions {
 public:
  void addTo(CLI::App& command);

  /// The user's folder; null when it is not wanted (`--no-cache`, or `ALLCLEAR_NO_CACHE` in the
  /// environment, not empty) or the environment names none.
  std::shared_ptr<const CoverCache> covers() const;

 private:
  bool is_off_ = false;
};

}  // namespace allclear
