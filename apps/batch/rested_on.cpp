#include "allclear/apps/batch/rested_on.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/core/sha256.h"

namespace allclear::batch {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamedFiles = 3;  ///< more than these are counted

}  // namespace

const std::string& FileDigests::of(const fs::path& path) {
  std::error_code code;
  Known now;
  now.size = fs::file_size(path, code);
  if (!code) now.changed = fs::last_write_time(path, code);
  const auto known = known_.find(path);
  // One that cannot be looked at is asked for again: it may be there the next time.
  if (!code && known != known_.end() && !known->second.digest.empty() &&
      known->second.size == now.size && known->second.changed == now.changed) {
    return known->second.digest;
  }
  try {
    if (!code) now.digest = sha256(readFile(path));
  } catch (const InputError&) {
    now.digest.clear();
  }
  return (known_[path] = std::move(now)).digest;
}

RestedOn FileDigests::of(const std::vector<fs::path>& paths) {
  std::set<fs::path> sorted;
  for (const fs::path& path : paths) sorted.insert(fs::absolute(path).lexically_normal());
  RestedOn out;
  for (const fs::path& path : sorted) out.emplace_back(path.string(), of(path));
  return out;
}

std::string ChangedRows::text() const {
  if (count == 0) return "";
  std::string text = count == 1 ? "1 row rests" : std::to_string(count) + " rows rest";
  text += " on files that have changed since";
  for (std::size_t i = 0; i < std::min(files.size(), kNamedFiles); ++i) {
    text += (i == 0 ? ": " : ", ") + files[i];
  }
  if (files.size() > kNamedFiles) {
    text += " and " + std::to_string(files.size() - kNamedFiles) + " more";
  }
  return text;
}

ChangedRows changedRows(const Results& results, std::int64_t count) {
  FileDigests digests;
  std::set<std::string> files;
  std::map<std::string, bool> is_changed;  // by list: rows of one robot and scene share theirs
  for (const auto& [digest, list] : results.restedOn()) {
    bool& changed = is_changed[digest];
    for (const auto& [path, before] : list) {
      if (digests.of(fs::path(path)) == before) continue;
      changed = true;
      files.insert(path);
    }
  }
  ChangedRows out;
  out.rows.assign(static_cast<std::size_t>(count), false);
  results.forEachList([&](std::int64_t number, bool is_certified, const std::string& digest) {
    const auto list = is_changed.find(digest);
    const bool changed = list == is_changed.end() ? is_certified : list->second;
    if (!changed || number < 0 || number >= count) return;
    out.rows[static_cast<std::size_t>(number)] = true;
    ++out.count;
  });
  std::copy(files.begin(), files.end(), std::back_inserter(out.files));
  return out;
}

}  // namespace allclear::batch
