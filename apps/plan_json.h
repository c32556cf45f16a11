#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "allclear/planner/planner.h"

namespace allclear {

/// The longest call of a library that could not be ended; null without one.
nlohmann::ordered_json longestCallJson(const std::string& library, double seconds);

/// Status, times and figures of a plan; the trajectory itself is in its files.
nlohmann::ordered_json planJson(const Plan& plan);

}  // namespace allclear
