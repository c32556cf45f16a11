#pragma once

#include <nlohmann/json.hpp>

#include "allclear/planner/certificate.h"

namespace allclear {

/// What a certificate takes for granted, as `--json` prints it: `[{"kind", "text"}, ..]`,
/// that of exempt pairs with the pairs themselves.
inline nlohmann::ordered_json assumptionsJson(const Certificate& certificate) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Assumption& assumption : certificate.assumptions) {
    out.push_back({{"kind", assumption.kind}, {"text", assumption.text}});
    if (assumption.kind != "exempt pairs") continue;
    for (const ExemptPair& pair : certificate.exempt_pairs) {
      out.back()["pairs"].push_back({{"a", pair.a}, {"b", pair.b}, {"reason", pair.reason}});
    }
  }
  return out;
}

/// Which alternative of a goal is reached, counted from 1.
inline nlohmann::ordered_json reachedJson(const ReachedGoal& goal) {
  return {{"alternative", goal.alternative + 1}, {"of", goal.count}, {"name", goal.name}};
}

}  // namespace allclear
