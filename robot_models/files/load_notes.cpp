// Warnings about a robot's files, and which of them a claim about the robot rests on.
#include "allclear/robot_models/files/load_notes.h"

#include <algorithm>

namespace allclear {
namespace {

constexpr std::size_t kNamesShown = 5;

}  // namespace

void LoadNotes::warn(const std::string& file, int line, const std::string& message) {
  warnings.push_back(file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + message);
}

void LoadNotes::assume(const std::string& kind, const std::string& file, int line,
                       const std::string& message) {
  warn(file, line, message);
  assumptions.push_back(kind + (line > 0 ? " line " + std::to_string(line) : "") + ": " + message);
}

void LoadNotes::forgive(const std::string& kind, const InputError& error,
                        const std::string& consequence) {
  // The place is printed by `assume`; what is left of the error is key, value and message.
  const InputPlace& place = error.place();
  const InputError said({"", 0, place.key, place.value}, error.message());
  assume(kind, place.file, place.line, std::string(said.what()) + "; " + consequence);
}

std::string someNames(const std::vector<std::string>& names) {
  std::string out;
  const std::size_t shown = std::min(names.size(), kNamesShown);
  for (std::size_t i = 0; i < shown; ++i) out += (i > 0 ? ", '" : "'") + names[i] + "'";
  if (names.size() > shown) out += " and " + std::to_string(names.size() - shown) + " more";
  return out;
}

}  // namespace allclear
