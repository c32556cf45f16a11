// Files of covers: one for each, found by its key.
//
// Writers. An entry is written under a name that no other writer uses (process, object and count)
// and then renamed: readers see a whole entry or none. Two processes that make the same cover write
// the same bytes, and either may come last. What a killed writer leaves behind is removed after an
// hour.
//
// Readers check all that they read (cover/entry.h) and prove that it encloses the mesh
// (cover/enclosure.h). An entry that was used gets today's date: those used longest ago go first
// when there are too many bytes.
//
// Nothing here is reported: without the folder the same covers are made, only slower. After the
// first failure to write, no other entry is tried.
#include "allclear/distance/cover_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <system_error>

#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/cover/entry.h"
#include "allclear/distance/mesh/prepared.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;
using FileTime = fs::file_time_type;

constexpr const char* kEnding = ".cover";
constexpr const char* kUnfinished = ".part";
/// No entry is larger: 64 pieces of 10,000 corners are 15 MB.
constexpr std::size_t kLargestEntry = std::size_t{64} << 20;
/// Of the most bytes, what is left when entries are removed: so that not every new one removes
/// another.
constexpr double kKept = 0.8;
/// An entry's date is renewed when it is older: writing it at every use would cost more than the
/// date is worth.
constexpr auto kFresh = std::chrono::hours(12);
/// Unfinished files are written in milliseconds; older ones nobody will finish.
constexpr auto kAbandoned = std::chrono::hours(1);

/// Writes a new file, whole or not at all.
bool writeNew(const fs::path& path, const std::string& bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return false;
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::write(file, bytes.data() + done, bytes.size() - done);
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  // A full disk may show only now.
  return ::close(file) == 0 && done == bytes.size();
}

std::string contentOf(const fs::path& path) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return "";
  try {
    return readFile(path, kLargestEntry);
  } catch (const InputError&) {
    return "";
  }
}

}  // namespace

CoverCache::CoverCache(fs::path folder, std::uintmax_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {}

fs::path CoverCache::userFolder() {
  const auto absolute = [](const char* name) -> fs::path {
    const char* value = std::getenv(name);
    const fs::path path = value == nullptr ? "" : value;
    return path.is_absolute() ? path : fs::path();
  };
  if (const fs::path cache = absolute("XDG_CACHE_HOME"); !cache.empty()) {
    return cache / "allclear" / "covers";
  }
  const fs::path home = absolute("HOME");
  return home.empty() ? home : home / ".cache" / "allclear" / "covers";
}

fs::path CoverCache::pathOf(const std::string& key) const { return folder_ / (key + kEnding); }

CoverCache::Statistics CoverCache::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

std::vector<ConvexMesh> CoverCache::cover(const TriangleMesh& mesh,
                                          const ConvexCoverOptions& options) const {
  const std::string key = cover::keyOf(mesh, options);
  const fs::path path = pathOf(key);
  const std::string bytes = contentOf(path);
  if (!bytes.empty()) {
    std::optional<cover::CoverEntry> entry = cover::parseEntry(key, bytes);
    if (entry && cover::encloses(mesh, entry->pieces, entry->cuts)) {
      std::error_code ignored;
      const FileTime now = FileTime::clock::now();
      if (now - fs::last_write_time(path, ignored) > kFresh) {
        fs::last_write_time(path, now, ignored);
      }
      const std::lock_guard lock(mutex_);
      ++statistics_.found;
      return std::move(entry->pieces);
    }
  }
  cover::CoverEntry made;
  made.pieces = cover::tracedCover(mesh, options, &made.cuts);
  // Where rounding spoils the proof the entry would be refused again and again.
  const bool is_of_use = cover::encloses(mesh, made.pieces, made.cuts);
  if (is_of_use) write(key, cover::entryBytes(key, made));
  const std::lock_guard lock(mutex_);
  ++statistics_.made;
  if (!bytes.empty()) ++statistics_.refused;
  return std::move(made.pieces);
}

void CoverCache::write(const std::string& key, const std::string& entry) const {
  // One writer of this object at a time: entries are few, and the folder is looked through.
  const std::lock_guard lock(mutex_);
  if (!may_write_ || folder_.empty() ||
      entry.size() > std::min<std::uintmax_t>(kLargestEntry, most_bytes_))
    return;
  std::error_code failed;
  fs::create_directories(folder_, failed);
  const fs::path unfinished =
      folder_ /
      (key + "." + std::to_string(::getpid()) + "." + std::to_string(names_++) + "." +
       std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + kUnfinished);
  bool done = !failed && writeNew(unfinished, entry);
  if (done) fs::rename(unfinished, pathOf(key), failed);
  done = done && !failed;
  if (done) {
    ++statistics_.written;
    prune();
    return;
  }
  std::error_code ignored;
  fs::remove(unfinished, ignored);
  ++statistics_.unwritten;
  may_write_ = false;
}

/// Removes what was abandoned and, when there is too much, what was used longest ago. Files of
/// other names are nobody's business.
void CoverCache::prune() const {
  struct File {
    FileTime used;
    fs::path path;
    std::uintmax_t size;
  };
  std::vector<File> files;
  std::uintmax_t total = 0;
  std::error_code failed, ignored;
  const FileTime now = FileTime::clock::now();
  for (fs::directory_iterator at(folder_, failed), end; !failed && at != end;
       at.increment(failed)) {
    // Another process may remove a file while it is looked at.
    std::error_code gone;
    const FileTime used = at->last_write_time(gone);
    const std::uintmax_t size = gone ? 0 : at->file_size(gone);
    if (gone) continue;
    if (at->path().extension() == kUnfinished && now - used > kAbandoned) {
      fs::remove(at->path(), ignored);
    } else if (at->path().extension() == kEnding) {
      files.push_back({used, at->path(), size});
      total += size;
    }
  }
  if (total <= most_bytes_) return;
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) {
    return a.used != b.used ? a.used < b.used : a.path < b.path;
  });
  const auto kept = static_cast<std::uintmax_t>(kKept * static_cast<double>(most_bytes_));
  for (const File& file : files) {
    if (total <= kept) return;
    if (fs::remove(file.path, ignored)) total -= file.size;
  }
}

void keepCovers(const TriangleMesh& mesh, std::shared_ptr<const CoverCache> cache) {
  PreparedMesh::of(mesh).keepCovers(std::move(cache));
}

void keepCovers(const std::vector<Geometry>& geometry,
                const std::shared_ptr<const CoverCache>& cache) {
  for (const Geometry& part : geometry) {
    if (const auto* mesh = std::get_if<TriangleMesh>(&part.shape)) keepCovers(*mesh, cache);
  }
}

}  // namespace allclear
