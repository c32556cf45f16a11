// Covers as bytes: a line that says what it is, the key, cuts, pieces, and the SHA-256 of all of
// this. The checksum finds every damage; the bounds on counts keep what it cannot exclude, a forged
// entry with the right checksum, from making the reader allocate or crash. Whether a forged cover
// encloses the mesh is another question (cover/enclosure.h).
#include "allclear/distance/cover/entry.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "allclear/core/sha256.h"

namespace allclear::cover {
namespace {

/// Raised when what `convexCover` makes of a mesh changes, or this format: older entries are then
/// never found.
constexpr std::uint32_t kVersion = 1;
constexpr std::string_view kTitle = "allclear convex cover\n";
constexpr std::size_t kDigest = 64;  ///< hex digits of a SHA-256
/// Of cuts and of pieces: far above the 64 pieces of the finest cover, and what 4 groups for each
/// are cut by.
constexpr std::uint32_t kMostParts = 4096;
/// [m] Of a coordinate: as shapes allow.
constexpr double kLargest = 1e30;

template <class Number>
void append(Number number, std::string* bytes) {
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  bytes->append(raw, sizeof raw);
}

void append(const Vec3& p, std::string* bytes) {
  for (double x : p) append(x, bytes);
}

void append(const fitting::Plane& plane, std::string* bytes) {
  append(plane.normal, bytes);
  append(plane.offset, bytes);
}

/// Takes numbers from the front of bytes; `ok` once one was missing or out of bounds: no more.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool atEnd() const { return ok_ && bytes_.empty(); }

  template <class Number>
  Number take() {
    Number number{};
    if (bytes_.size() < sizeof number) ok_ = false;
    if (!ok_) return number;
    std::memcpy(&number, bytes_.data(), sizeof number);
    bytes_.remove_prefix(sizeof number);
    return number;
  }
  /// A count of items of `size` bytes each, which have to be there.
  std::uint32_t count(std::size_t size, std::uint32_t most) {
    const auto number = take<std::uint32_t>();
    if (number > most || number > bytes_.size() / size) ok_ = false;
    return ok_ ? number : 0;
  }
  double coordinate() {
    const auto x = take<double>();
    if (!(std::abs(x) <= kLargest)) ok_ = false;
    return x;
  }
  Vec3 point() {
    Vec3 p;
    for (double& x : p) x = coordinate();
    return p;
  }
  fitting::Plane plane() {
    fitting::Plane plane;
    plane.normal = point();
    plane.offset = coordinate();
    return plane;
  }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

/// Bytes of a plane, of a cut of a cell, and of a point.
constexpr std::size_t kPlane = 4 * sizeof(double), kCut = sizeof(std::int32_t) + kPlane,
                      kPoint = 3 * sizeof(double);

}  // namespace

std::string keyOf(const TriangleMesh& mesh, const ConvexCoverOptions& options) {
  std::string head(kTitle);
  append(kVersion, &head);
  // Byte order and the width of what follows, as numbers are hashed as they are in memory.
  append(std::uint32_t{0x01020304}, &head);
  append(static_cast<std::uint32_t>(mesh.open()), &head);
  append(static_cast<std::int32_t>(options.most_pieces), &head);
  append(options.least_gain, &head);
  append(static_cast<std::uint64_t>(mesh.vertices().size()), &head);
  append(static_cast<std::uint64_t>(mesh.triangles().size()), &head);
  static_assert(sizeof(Vec3) == 3 * sizeof(double) && sizeof(Triangle) == 3 * sizeof(int));
  Sha256 hash;
  hash.update(head);
  hash.update({reinterpret_cast<const char*>(mesh.vertices().data()),
               mesh.vertices().size() * sizeof(Vec3)});
  hash.update({reinterpret_cast<const char*>(mesh.triangles().data()),
               mesh.triangles().size() * sizeof(Triangle)});
  return hash.hex();
}

std::string entryBytes(const std::string& key, const CoverEntry& entry) {
  std::string bytes(kTitle);
  bytes += key;
  append(static_cast<std::uint32_t>(entry.cuts.cells.size()), &bytes);
  for (const CoverCuts::CellCut& cut : entry.cuts.cells) {
    append(static_cast<std::int32_t>(cut.cell), &bytes);
    append(cut.plane, &bytes);
  }
  append(static_cast<std::uint32_t>(entry.cuts.sheets.size()), &bytes);
  for (const fitting::Plane& plane : entry.cuts.sheets) append(plane, &bytes);
  append(static_cast<std::uint32_t>(entry.pieces.size()), &bytes);
  for (const ConvexMesh& piece : entry.pieces) {
    append(static_cast<std::uint32_t>(piece.points().size()), &bytes);
    for (const Vec3& p : piece.points()) append(p, &bytes);
  }
  return bytes + sha256(bytes);
}

std::optional<CoverEntry> parseEntry(const std::string& key, std::string_view bytes) {
  const std::string head = std::string(kTitle) + key;
  if (bytes.size() < head.size() + kDigest || !bytes.starts_with(head)) return std::nullopt;
  const std::string_view content = bytes.substr(0, bytes.size() - kDigest);
  if (bytes.substr(content.size()) != sha256(content)) return std::nullopt;
  // What the checksum vouches for is read with as much care as if there were none.
  Reader reader(content.substr(head.size()));
  CoverEntry entry;
  entry.cuts.cells.resize(reader.count(kCut, kMostParts));
  for (CoverCuts::CellCut& cut : entry.cuts.cells) {
    cut.cell = reader.take<std::int32_t>();
    cut.plane = reader.plane();
  }
  entry.cuts.sheets.resize(reader.count(kPlane, kMostParts));
  for (fitting::Plane& plane : entry.cuts.sheets) plane = reader.plane();
  const std::uint32_t pieces = reader.count(sizeof(std::uint32_t), kMostParts);
  for (std::uint32_t i = 0; i < pieces && reader.ok(); ++i) {
    std::vector<Vec3> points(reader.count(kPoint, UINT32_MAX));
    for (Vec3& p : points) p = reader.point();
    if (!reader.ok() || points.empty()) return std::nullopt;
    entry.pieces.emplace_back(std::move(points));
  }
  if (!reader.atEnd() || entry.pieces.empty()) return std::nullopt;
  return entry;
}

}  // namespace allclear::cover
