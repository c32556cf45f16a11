#include "allclear/apps/cache_options.h"

#include <cstdlib>

namespace allclear {

void CacheOptions::addTo(CLI::App& command) {
  command.add_flag("--no-cache", is_off_,
                   "neither read nor write covers of meshes on disk; results are the same");
}

std::shared_ptr<const CoverCache> CacheOptions::covers() const {
  const char* unwanted = std::getenv("ALLCLEAR_NO_CACHE");
  if (is_off_ || (unwanted != nullptr && *unwanted != '\0')) return nullptr;
  const std::filesystem::path folder = CoverCache::userFolder();
  return folder.empty() ? nullptr : std::make_shared<const CoverCache>(folder);
}

}  // namespace allclear
