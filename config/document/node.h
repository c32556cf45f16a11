#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "allclear/config/document/document.h"

namespace allclear {

/// What a document is made of. Internal to `document.cpp` and the parser.
struct DocumentNode {
  enum class Kind : unsigned char { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  bool quoted = false;
  int line = 0;
  std::size_t expanded_size = 1;  ///< values below this one, aliases counted at every use
  std::string scalar;
  std::vector<std::shared_ptr<const DocumentNode>> children;
  std::vector<std::pair<std::string, int>> keys;  ///< of a map: name and line of each child
};

/// Throws `InputError` as `Value::parse` says.
std::shared_ptr<const DocumentNode> parseDocument(std::string_view text,
                                                  const std::string& file_name,
                                                  const DocumentLimits& limits);

}  // namespace allclear
