#pragma once

#include <nlohmann/json.hpp>

#include "allclear/planner/planner.h"

namespace allclear {

/// Status, times and figures of a plan; the trajectory itself is in its files.
nlohmann::ordered_json planJson(const Plan& plan);

}  // namespace allclear
