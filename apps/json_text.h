#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace allclear {

/// JSON as every subcommand prints it. A name that is not UTF-8, which JSON cannot hold, is printed
/// with a mark in place of its broken bytes.
inline std::string jsonText(const nlohmann::ordered_json& json) {
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace allclear
