#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allclear/distance/cover/enclosure.h"

namespace allclear::cover {

/// A cover as bytes, for files (cover_cache.h).
struct CoverEntry {
  std::vector<ConvexMesh> pieces;
  CoverCuts cuts;
};

/// Names a cover: the SHA-256 of the mesh's data, of the options, of what else the result depends
/// on, and of the version of format and algorithm.
std::string keyOf(const TriangleMesh& mesh, const ConvexCoverOptions& options);

/// Bytes with a checksum. Numbers as this machine holds them; the key says of which kind it is.
std::string entryBytes(const std::string& key, const CoverEntry& entry);

/// The reverse; nothing when the bytes are not those of an entry with that key, to the last one.
/// Every count is bounded by the bytes that are there before anything is made of it.
std::optional<CoverEntry> parseEntry(const std::string& key, std::string_view bytes);

}  // namespace allclear::cover
