#include "allclear/core/input_error.h"

#include <algorithm>
#include <numeric>

#include "allclear/core/readable.h"

namespace allclear {
namespace {

constexpr std::size_t kLongestValueShown = 80;

/// Cut to a readable length.
std::string shown(std::string_view text) {
  std::string out(text.substr(0, kLongestValueShown));
  if (text.size() > kLongestValueShown) out += "...";
  return out;
}

std::string oneLine(const InputPlace& place, const std::string& message) {
  std::string out;  // no stream: it would group the digits of lines as the locale does
  if (!place.file.empty()) {
    out += place.file;
    if (place.line > 0) out += ":" + std::to_string(place.line);
    out += ": ";
  }
  if (!place.key.empty()) out += place.key + ": ";
  if (!place.value.empty()) out += "'" + shown(place.value) + "': ";
  return readable(out + message);
}

/// The number of letters to insert, drop, replace or swap with their neighbour that turn `a` into
/// `b` (F. Damerau 1964, in the restricted form: no letter is touched twice). Row i of the table
/// holds the distances of the first i letters of `a` to every beginning of `b`; three rows are
/// enough.
std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);  // row i - 2
  std::vector<std::size_t> last(b.size() + 1);    // row i - 1
  std::vector<std::size_t> row(b.size() + 1);     // row i
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

/// The known word that is `word` after the prefix of all known words (the robot's name, "panda_"),
/// or else the only one that begins or ends with it.
std::string onlyLonger(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kShortest = 3;
  std::string found;
  bool is_only = true;
  if (word.size() < kShortest) return found;
  for (const std::string& candidate : known) {
    const bool ends = candidate.ends_with(word);
    if (!ends && !candidate.starts_with(word)) continue;
    const std::string_view prefix(candidate.data(), candidate.size() - word.size());
    const auto has_prefix = [&](const std::string& other) { return other.starts_with(prefix); };
    if (ends && known.size() > 1 && std::all_of(known.begin(), known.end(), has_prefix)) {
      return candidate;
    }
    is_only = is_only && (found.empty() || found == candidate);
    found = candidate;
  }
  return is_only ? found : "";
}

}  // namespace

InputError::InputError(InputPlace place, const std::string& message)
    : std::runtime_error(oneLine(place, message)), place_(std::move(place)), message_(message) {}

std::string nearestWord(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  // A suggestion that shares too little with the word would only confuse.
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = editDistance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best.empty() ? onlyLonger(word, known) : best;
}

std::string didYouMean(std::string_view word, const std::vector<std::string>& known) {
  const std::string nearest = nearestWord(word, known);
  return nearest.empty() ? "" : " (did you mean '" + nearest + "'?)";
}

std::string whatThereIs(const std::vector<std::string>& known) {
  if (known.empty()) return "; it has none";
  constexpr std::size_t kListed = 12;
  std::string out;
  for (std::size_t i = 0; i < std::min(known.size(), kListed); ++i) {
    out += (out.empty() ? "; it has: " : ", ") + known[i];
  }
  return known.size() > kListed ? out + ", .." : out;
}

std::string insteadOf(std::string_view word, const std::vector<std::string>& known) {
  const std::string near = didYouMean(word, known);
  return near.empty() ? whatThereIs(known) : near;
}

}  // namespace allclear
