#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allclear/core/text/value.h"
#include "allclear/core/text/value_tree.h"

namespace allclear {

/// A JSON file as values with places. Throws `InputError` with file and line for what is not JSON,
/// repeated keys, numbers that overflow, and what exceeds the limits.
Value parseJson(std::string_view text, const std::string& file_name,
                const DocumentLimits& limits = {});

/// The text of a JSON object that people read and compare: a key to a line and, of lists of rows, a
/// row to a line. Values come as compact JSON text.
class JsonLines {
 public:
  void add(const std::string& key, const std::string& value);
  void addRows(const std::string& key, const std::vector<std::string>& rows);
  std::string text() const { return text_ + "\n}\n"; }

 private:
  std::string text_;
};

}  // namespace allclear
