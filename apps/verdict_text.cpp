#include "allclear/apps/verdict_text.h"

#include <algorithm>
#include <ostream>

#include "allclear/apps/table.h"
#include "allclear/core/formatted.h"

namespace allclear {
namespace {

constexpr std::size_t kShownPairs = 5;
/// Faults that the sentence before has, and as many as a screen holds besides.
constexpr std::size_t kFaultsInVerdict = 3;
constexpr std::size_t kMostFaults = 20;

/// Both ends with the digits that tell them apart from the margin.
std::string between(const Interval& distance) {
  return formatted("%.5g to %.5g", 1e3 * distance.lower, 1e3 * distance.upper);
}

/// The nearest pairs, a row each.
void printNearest(const Certificate& certificate, std::ostream& out) {
  if (certificate.closest_pairs.empty()) return;
  Table table({"body", "body", ">distance [mm]", ">margin [mm]", ">slack [mm]", ">at t [s]"});
  const std::size_t shown = std::min(kShownPairs, certificate.closest_pairs.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const RankedPair& pair = certificate.closest_pairs[i];
    table.addRow({pair.a, pair.b, between(pair.distance), shortNumber(1e3 * pair.margin),
                  shortNumber(1e3 * pair.slack(), 4), formatted("%.3f", pair.t)});
  }
  out << "\nnearest to their margins, proven for every instant:\n";
  table.print(out);
}

/// Those that the verdict counts and does not name.
void printMoreFaults(const Certificate& certificate, std::ostream& out) {
  const std::vector<std::string>& faults = certificate.faults;
  for (std::size_t i = kFaultsInVerdict; i < std::min(kMostFaults, faults.size()); ++i) {
    out << "also: " << faults[i] << "\n";
  }
  if (faults.size() > kMostFaults) {
    out << "and " << faults.size() - kMostFaults << " more faults (certify --json has all)\n";
  }
}

}  // namespace

void printPairs(const Certificate& certificate, std::ostream& out) {
  printMoreFaults(certificate, out);
  printNearest(certificate, out);
  if (certificate.clear && !certificate.static_contacts.empty()) {
    out << "\nconstant pairs, which no planned joint parts:\n";
    for (const std::string& contact : certificate.static_contacts) out << "  " << contact << "\n";
  }
  if (!certificate.closest_pairs.empty()) out << "\n";
}

nlohmann::ordered_json closestPairsJson(const Certificate& certificate) {
  auto out = nlohmann::ordered_json::array();
  for (const RankedPair& pair : certificate.closest_pairs) {
    out.push_back({{"a", pair.a},
                   {"b", pair.b},
                   {"distance", {pair.distance.lower, pair.distance.upper}},
                   {"margin", pair.margin},
                   {"t", pair.t}});
  }
  return out;
}

}  // namespace allclear
