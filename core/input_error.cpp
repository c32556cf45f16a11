#include "allclear/core/input_error.h"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace allclear {
namespace {

constexpr std::size_t kLongestValueShown = 80;

/// Control characters (binary junk, newlines) replaced, and cut to a readable length.
std::string shown(std::string_view text) {
  std::string out(text.substr(0, kLongestValueShown));
  std::replace_if(
      out.begin(), out.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  if (text.size() > kLongestValueShown) out += "...";
  return out;
}

std::string oneLine(const InputPlace& place, const std::string& message) {
  std::ostringstream out;
  if (!place.file.empty()) {
    out << place.file;
    if (place.line > 0) out << ':' << place.line;
    out << ": ";
  }
  if (!place.key.empty()) out << place.key << ": ";
  if (!place.value.empty()) out << '\'' << shown(place.value) << "': ";
  out << message;
  return out.str();
}

std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

InputError::InputError(InputPlace place, const std::string& message)
    : std::runtime_error(oneLine(place, message)), place_(std::move(place)), message_(message) {}

std::string nearestWord(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = editDistance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string didYouMean(std::string_view word, const std::vector<std::string>& known) {
  const std::string nearest = nearestWord(word, known);
  return nearest.empty() ? "" : " (did you mean '" + nearest + "'?)";
}

}  // namespace allclear
