#pragma once

#include <string>
#include <string_view>

#include "allclear/core/text/value.h"
#include "allclear/core/text/value_tree.h"

namespace allclear {

/// The one document of a YAML file (JSON is YAML too). Throws `InputError` with file and line for
/// what is not YAML, repeated keys, unknown aliases, a second document, and what exceeds the
/// limits.
Value parseYaml(std::string_view text, const std::string& file_name,
                const DocumentLimits& limits = {});

}  // namespace allclear
